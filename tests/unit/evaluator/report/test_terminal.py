"""What a terminal shows: everything, within 80 columns."""

from io import StringIO

import pytest
from rich.console import Console

from evaluator.report.model import ReportedRun
from evaluator.report.terminal import print_comparison, print_notes, print_run
from evaluator.scenario import Note
from evaluator.scenario.expectations import ExpectationOutcome
from tests.support.list_scheduling import arrival, slack
from tests.support.reports import fidelity, quickstart


@pytest.fixture
def console() -> Console:
    return Console(file=StringIO(), width=80, force_terminal=False, color_system=None)


def shown(console: Console) -> list[str]:
    assert isinstance(console.file, StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def line_of(lines: list[str], name: str) -> str:
    return next(line for line in lines if line.startswith(name))


def test_a_run_is_summed_up(console: Console) -> None:
    print_run(console, quickstart(arrival, "fifo"))
    lines = shown(console)
    assert lines[0] == "A Monday morning on a small training cluster · fifo · seed 0"
    assert "80 submitted · 80 finished · 0 failed · 0 running · 0 pending" in line_of(lines, "jobs")
    assert "14 of 80 missed (17.5 %) · late by up to 28m" in line_of(lines, "deadlines")
    assert "default/eval-05 by 28m" in line_of(lines, "latest")
    assert "p50 22m · p90 1h 11m" in line_of(lines, "wait")
    assert "of chips" in line_of(lines, "utilization")
    assert "26 at most, 0 at the end" in line_of(lines, "pending")
    assert "warp · 431 jumps · 0 forced · 77 wake-ups" in line_of(lines, "fidelity")
    assert "4h 11m of virtual time in 3.22s" in line_of(lines, "cost")


def test_a_run_in_time_names_nobody(console: Console) -> None:
    print_run(console, quickstart(slack, "lst"))
    lines = shown(console)
    assert "0 of 80 missed (0.0 %)" in line_of(lines, "deadlines")
    assert not any(line.startswith("latest") for line in lines)


def test_what_a_reader_must_not_miss_is_said(console: Console) -> None:
    doubtful = fidelity(forced_moves=3, guessed_moves=4, unreachable=["futex"])
    print_run(
        console, quickstart(slack, "lst", complete=False, ended="the scheduler hung", fidelity=doubtful)
    )
    text = " ".join(shown(console))
    assert "3 forced · 4 guessed" in text
    assert "1 waits out of reach" in text
    assert "This run is not complete: the scheduler hung." in text


def test_a_run_without_measurements_can_be_told(console: Console) -> None:
    print_run(console, quickstart(slack, "lst", metrics={}, wall_s=0))
    assert "no job has a deadline that can be judged" in line_of(shown(console), "deadlines")


def compared(count: int) -> list[ReportedRun]:
    return [
        quickstart(slack if number % 2 else arrival, f"a-scheduler-with-a-long-name-{number}")
        for number in range(count)
    ]


@pytest.mark.parametrize("count", [2, 4, 7])
def test_runs_stand_side_by_side_and_everything_fits(console: Console, count: int) -> None:
    print_comparison(console, compared(count))
    lines = shown(console)
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith("deadlines missed") for line in lines) == -(-count // 4)
    assert lines[-1] == f"* best of {count}"


def test_the_best_is_marked(console: Console) -> None:
    print_comparison(console, [quickstart(slack, "lst"), quickstart(arrival, "fifo")])
    lines = shown(console)
    assert line_of(lines, "deadlines missed").split() == ["deadlines", "missed", "0.0", "%", "*", "17.5", "%"]
    assert "*" not in line_of(lines, "evictions")


def test_a_summary_fits_too(console: Console) -> None:
    run = quickstart(arrival, "fifo", ended="nothing is left to happen, 12 pods still wait for a node " * 3)
    print_run(console, run)
    assert max(map(len, shown(console))) <= 80


def test_notes_are_told_topic_by_topic(console: Console) -> None:
    notes = [
        Note(topic="trace", text="rows read", count=8152),
        Note(topic="trace", text="a remark"),
        Note(topic="scenario", text="[red]items[/red] dropped", count=1),
    ]
    print_notes(console, notes)
    assert shown(console) == [
        "trace",
        "8,152 rows read",
        "      a remark",
        "",
        "scenario",
        "1 [red]items[/red] dropped",
        "",
    ]


def test_no_notes_are_no_lines(console: Console) -> None:
    print_notes(console, [])
    assert shown(console) == []


def test_expectations_are_told_for_one_run_and_for_several(console: Console) -> None:
    text = "a_metric_with_a_rather_long_name_of_its_own.of(user='somebody') <= 0.02"
    expected = ExpectationOutcome(text=text, metric="m", op="<=", bound=0.02, value=0.5, holds=False)
    held = expected.model_copy(update={"holds": True, "value": None})
    runs = [
        quickstart(arrival, "fifo", expectations=[expected]),
        quickstart(slack, "lst", expectations=[held]),
        quickstart(slack, "edf"),
    ]
    print_run(console, runs[0])
    assert "✗ a_metric_with" in line_of(shown(console), "expected")
    print_run(console, runs[1])
    print_comparison(console, runs)
    lines = shown(console)
    assert any("✗ broken" in line and "✓ holds" in line for line in lines)
    assert "nothing was measured" in " ".join(lines)
    assert max(map(len, lines)) <= 80
