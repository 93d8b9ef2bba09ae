"""``evaluator compare``: what it prints, in each form, and what it refuses."""

import json
from pathlib import Path

import pytest

from evaluator.cli.main import _exit_code
from evaluator.exits import ExitCode
from evaluator.report.terminal import WIDTH
from evaluator.results import RESULT_FILE, TIMELINE_FILE, write_result
from tests.support.list_scheduling import Order, arrival, slack
from tests.support.reports import quickstart


def kept(folder: Path, order: Order, scheduler: str, seed: int = 0) -> str:
    folder.mkdir()
    run = quickstart(order, scheduler, seed=seed)
    write_result(run.result, folder / RESULT_FILE)
    run.timeline.write(folder / TIMELINE_FILE)
    return str(folder)


@pytest.fixture
def two(tmp_path: Path) -> tuple[str, str]:
    return kept(tmp_path / "a", slack, "lst"), kept(tmp_path / "b", arrival, "fifo")


def test_the_table_names_sides_intervals_and_winners(
    two: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert _exit_code(["compare", *two]) == ExitCode.OK
    told = capsys.readouterr().out
    assert "A: lst" in told
    assert "A better" in told
    assert "not judged (1)" in told
    assert "2000 resamples" in told
    assert max(map(len, told.splitlines())) <= WIDTH


def test_json_holds_every_metric(two: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert _exit_code(["compare", *two, "--format", "json"]) == ExitCode.OK
    document = json.loads(capsys.readouterr().out)
    missed = document["differences"]["deadline_miss_rate"]
    assert missed["verdict"] == "A better"
    assert missed["interval"][0] <= missed["difference"] <= missed["interval"][1]
    assert document["differences"]["makespan"]["interval"] is None
    assert document["paired_jobs"] == 80


def test_markdown_goes_to_a_file_and_is_the_same_each_time(two: tuple[str, str], tmp_path: Path) -> None:
    for name in ("1.md", "2.md"):
        out = str(tmp_path / name)
        assert _exit_code(["compare", *two, "--format", "markdown", "--out", out]) == ExitCode.OK
    text = (tmp_path / "1.md").read_text()
    assert "**A better**" in text
    assert text == (tmp_path / "2.md").read_text()


def test_the_report_has_the_comparison(two: tuple[str, str], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert _exit_code(["compare", *two, "--report", str(page)]) == ExitCode.OK
    text = page.read_text()
    assert "How they differ" in text
    assert "<strong>A better</strong>" in text
    assert "95% interval" in text
    assert "needs 5 paired seeds" in text


def test_patterns_stand_for_the_runs_of_several_seeds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for seed in range(2):
        kept(tmp_path / f"q.lst.seed={seed}", slack, "lst", seed)
        kept(tmp_path / f"q.fifo.seed={seed}", arrival, "fifo", seed)
    assert _exit_code(["compare", f"{tmp_path}/*.lst.*", f"{tmp_path}/*.fifo.*"]) == ExitCode.OK
    assert "means over 2 paired seeds" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "code"), [(["--metric", "nonsense"], ExitCode.USAGE), (["--format", "xml"], ExitCode.USAGE)]
)
def test_bad_usage(two: tuple[str, str], more: list[str], code: ExitCode) -> None:
    assert _exit_code(["compare", *two, *more]) == code


def test_no_run_is_nothing_matched(tmp_path: Path) -> None:
    assert _exit_code(["compare", str(tmp_path / "a*"), str(tmp_path)]) == ExitCode.NOTHING_MATCHED
