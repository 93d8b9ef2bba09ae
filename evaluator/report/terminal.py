"""A run, and several side by side, as tables that fit a terminal of 80 columns."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evaluator.report.format import NOTHING, count_text, duration_text, metric_text, share_text, sparkline
from evaluator.report.model import ReportedRun, labels, rows
from evaluator.scenario.expectations import ExpectationOutcome
from evaluator.scenario.model import Note

WIDTH: Final = 80
"""Columns that everything fits in: the least that terminals have."""

SPARK_PARTS: Final = 40
"""Parts of a run that a sparkline shows: half a line."""

RUNS_PER_TABLE: Final = 4
"""Runs side by side in one table: what fits beside the names of the metrics."""

LATE_SHOWN: Final = 5
"""Late jobs that a summary names; the report holds them all."""

BEST: Final = " *"
"""Marks a best value, for those who see no colour."""


def print_notes(console: Console, notes: Sequence[Note]) -> None:
    """What an importer changed, topic by topic."""
    for topic, group in groupby(notes, key=lambda note: note.topic):
        table = Table.grid(padding=(0, 1))
        table.add_column(justify="right", no_wrap=True)
        table.add_column(overflow="fold")
        for note in group:
            table.add_row("" if note.count is None else count_text(note.count), Text(note.text))
        console.print(Text(topic, style="bold"))
        console.print(table, width=_width(console))
        console.print()


def print_run(console: Console, run: ReportedRun) -> None:
    """What happened in one run."""
    result = run.result
    heading = Text(result.scenario_title or result.scenario, style="bold")
    console.print(heading.append(f" · {result.scheduler} · seed {result.seed}", style="not bold"))
    table = Table.grid(padding=(0, 1))
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in _facts(run):
        table.add_row(name, text)
    console.print(table, width=_width(console))
    if not result.complete:
        console.print(
            Text(f"This run is not complete: {result.ended}.", style="bold red"), width=_width(console)
        )
    console.print()


def _width(console: Console) -> int:
    return min(WIDTH, console.width)


def _facts(run: ReportedRun) -> Iterator[tuple[str, Text]]:
    yield "jobs", _jobs(run)
    yield "deadlines", _deadlines(run)
    late = _late(run)
    if late:
        yield "latest", late
    for name in ("wait", "turnaround"):
        yield name, _percentiles(run, name)
    yield from _usage(run)
    for expected in run.result.expectations:
        yield "expected", _expected(expected)
    yield "makespan", Text(f"{_told(run, 'makespan')} · {_told(run, 'throughput')} · {run.result.ended}")
    yield "fidelity", _fidelity(run)
    yield "cost", _cost(run)


def _told(run: ReportedRun, name: str) -> str:
    return metric_text(run.metric(name))


def _jobs(run: ReportedRun) -> Text:
    jobs = run.result.jobs
    text = Text(f"{count_text(jobs.submitted)} submitted · {count_text(jobs.finished)} finished")
    for number, word in ((jobs.failed, "failed"), (jobs.running, "running"), (jobs.pending, "pending")):
        text.append(" · ")
        text.append(f"{count_text(number)} {word}", style="yellow" if number else "")
    return text


def _deadlines(run: ReportedRun) -> Text:
    rate, due = run.value("deadline_miss_rate"), run.value("deadlines_due")
    later = run.value("deadlines_not_due") or 0
    if rate is None or due is None:
        text = Text("no job has a deadline that can be judged")
    else:
        missed = run.value("deadlines_missed") or 0
        text = Text(f"{count_text(missed)} of {count_text(due)} missed ({share_text(rate)})")
        text.stylize("bold red" if missed else "bold green")
        if missed:
            text.append(f" · late by up to {_told(run, 'tardiness_max')}")
    if later:
        text.append(f" · {count_text(later)} not due yet")
    return text


def _late(run: ReportedRun) -> Text | None:
    late = run.late_jobs()
    if not late:
        return None
    names = [f"{job.job} by {duration_text(job.late_s)}" for job in late[:LATE_SHOWN]]
    more = len(late) - LATE_SHOWN
    return Text(", ".join(names) + (f" and {count_text(more)} more" if more > 0 else ""))


def _expected(expected: ExpectationOutcome) -> Text:
    mark, style = ("✓", "bold green") if expected.holds else ("✗", "bold red")
    found = "nothing was measured" if expected.value is None else f"it is {expected.value:,.4g}"
    return Text(f"{mark} {expected.text}", style=style).append(f" · {found}", style="not bold default")


def _percentiles(run: ReportedRun, name: str) -> Text:
    parts = (f"{part} {_told(run, f'{name}_{part}')}" for part in ("p50", "p90", "p99", "max"))
    return Text(" · ".join(parts))


def _usage(run: ReportedRun) -> Iterator[tuple[str, Text]]:
    if run.value("utilization") is not None:
        line = sparkline(run.utilization_by_part(SPARK_PARTS), 1.0)
        yield "utilization", Text(f"{line} {_told(run, 'utilization')} of chips")
    elif run.value("cpu_utilization") is not None:
        yield "utilization", Text(f"{_told(run, 'cpu_utilization')} of CPU")
    most = run.value("pending_max") or 0
    line = sparkline(run.pending_by_part(SPARK_PARTS), most)
    at_end = _told(run, "pending_end")
    yield "pending", Text(f"{line} {_told(run, 'pending_max')} at most, {at_end} at the end")


def _fidelity(run: ReportedRun) -> Text:
    fidelity = run.result.fidelity
    text = Text(f"{fidelity.pace} · {count_text(fidelity.jumps)} jumps · ")
    text.append(f"{fidelity.forced_moves} forced", style="bold red" if fidelity.forced_moves else "")
    if fidelity.guessed_moves:
        text.append(f" · {count_text(fidelity.guessed_moves)} guessed", style="yellow")
    if fidelity.unreachable:
        text.append(f" · {count_text(len(fidelity.unreachable))} waits out of reach", style="yellow")
    text.append(f" · {count_text(fidelity.wakeups)} wake-ups")
    text.append(f" · longest wait {duration_text(fidelity.longest_wait_s)}")
    text.append(f" · clock lead {duration_text(fidelity.clock_lead_s)}")
    return text


def _cost(run: ReportedRun) -> Text:
    result = run.result
    speed = f" ({count_text(result.virtual_s / result.wall_s)} times as fast)" if result.wall_s else ""
    return Text(
        f"{duration_text(result.virtual_s)} of virtual time in {duration_text(result.wall_s)}{speed} · "
        f"scheduler CPU {duration_text(result.fidelity.scheduler_cpu_s)}"
    )


def print_comparison(console: Console, runs: Sequence[ReportedRun]) -> None:
    """Several runs side by side, the best value of each line marked."""
    names = labels(runs)
    compared = rows(runs)
    for first in range(0, len(runs), RUNS_PER_TABLE):
        chosen = range(first, min(first + RUNS_PER_TABLE, len(runs)))
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column("", style="cyan", no_wrap=not any(run.result.expectations for run in runs))
        for index in chosen:
            table.add_column(Text(names[index]), justify="right", overflow="fold")
        for row in compared:
            table.add_row(row.label, *(_cell(metric_text(row.metrics[i]), row.best[i]) for i in chosen))
        for text in dict.fromkeys(each.text for run in runs for each in run.result.expectations):
            table.add_row(Text(text, overflow="fold"), *(_holds(runs[index], text) for index in chosen))
        table.add_row("scheduler CPU", *(_cpu(runs[index]) for index in chosen))
        console.print(table, width=_width(console))
        console.print()
    console.print(Text(f"{BEST.strip()} best of {len(runs)}", style="dim"))


def _cell(text: str, best: bool) -> Text:
    return Text(text + BEST, style="bold green") if best else Text(text + " " * len(BEST))


def _holds(run: ReportedRun, text: str) -> Text:
    found = next((each for each in run.result.expectations if each.text == text), None)
    if found is None:
        return _cell(NOTHING, best=False)
    return Text("✓ holds  " if found.holds else "✗ broken  ", style="green" if found.holds else "bold red")


def _cpu(run: ReportedRun) -> Text:
    return _cell(duration_text(run.result.fidelity.scheduler_cpu_s), best=False)
