"""``evaluator report`` as a user types it."""

from pathlib import Path

import pytest

from evaluator.cli.main import main
from evaluator.exits import ExitCode
from evaluator.results import write_result
from tests.support.list_scheduling import Order, arrival, slack
from tests.support.reports import quickstart


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder with two runs."""
    orders: dict[str, Order] = {"fifo": arrival, "lst": slack}
    for name, order in orders.items():
        run = quickstart(order, name)
        (tmp_path / name).mkdir()
        write_result(run.result, tmp_path / name / "result.json")
        run.timeline.write(tmp_path / name / "timeline.jsonl")
    return tmp_path


def report(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as caught:
        main(["report", *map(str, arguments)])
    assert isinstance(caught.value.code, int)
    return caught.value.code


def test_a_folder_of_runs_becomes_one_page_and_a_table(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report(runs) == ExitCode.OK
    page = (runs / "report.html").read_text()
    assert "fifo against lst" in page
    printed = capsys.readouterr().out
    assert "deadlines missed      17.5 %    0.0 % *" in printed
    assert printed.endswith(f"written to {runs / 'report.html'}\n")


def test_one_run_is_summed_up(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(runs / "fifo" / "result.json") == ExitCode.OK
    assert (runs / "fifo" / "report.html").exists()
    assert "14 of 80 missed (17.5 %)" in capsys.readouterr().out


def test_a_page_goes_where_it_is_told(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(runs / "lst", runs / "fifo", "--out", runs / "page.html", "--quiet") == ExitCode.OK
    assert "lst against fifo" in (runs / "page.html").read_text()
    assert capsys.readouterr().out == ""


def test_markdown_is_printed_or_written(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(runs, "--markdown") == ExitCode.OK
    printed = capsys.readouterr().out
    assert "| deadlines missed | 17.5 % | **0.0 %** |" in printed
    assert report(runs, "--markdown", "-o", runs / "summary.md") == ExitCode.OK
    assert (runs / "summary.md").read_text() == printed
    assert not (runs / "report.html").exists()


def test_a_folder_without_runs_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(tmp_path) == ExitCode.NOTHING_MATCHED
    assert "no run is there" in capsys.readouterr().err


def test_a_page_that_cannot_be_written_is_told(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(runs, "-o", runs / "none" / "page.html") == ExitCode.USAGE
    assert "none/page.html" in capsys.readouterr().err
