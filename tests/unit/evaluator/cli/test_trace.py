"""``evaluator trace inspect`` as a user types it."""

import json
from pathlib import Path

import pytest

from evaluator.cli.main import main
from evaluator.cli.trace_view import sparkline
from evaluator.exits import ExitCode

JOBS = "id,submit,run,chips,user\na,0,3600,4,ann\nb,1800,3600,2,bob\nc,3600,60,1,ann\n"


@pytest.fixture
def jobs(tmp_path: Path) -> str:
    file = tmp_path / "jobs.csv"
    file.write_text(JOBS)
    return str(file)


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(["trace", "inspect", *arguments])
    assert isinstance(caught.value.code, int)
    return caught.value.code


def test_facts_are_printed_with_the_import_report(jobs: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(jobs, "--chips", "8") == ExitCode.OK
    printed = capsys.readouterr().out
    assert "3 (3 pods) in 60.0 min" in printed
    assert "6 chips, 75% of 8" in printed
    assert "ann 66.7%, bob 33.3%" in printed
    assert "3  jobs: rows kept" in printed


def test_json_has_the_same_facts(jobs: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(jobs, "--chips", "8", "--json") == ExitCode.OK
    document = json.loads(capsys.readouterr().out)
    assert document["jobs"]["peak_at_once"] == 6
    assert document["jobs"]["capacity_chips"] == 8
    assert document["import"]["rows"]["jobs"]["kept"] == 3


def test_a_trace_can_be_changed_before_it_is_looked_at(jobs: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--chips", "8", "--load", "0.9", "--deadlines", "2x", "--window", "0s..1h", "--json")
    assert run(jobs, *options) == ExitCode.OK
    document = json.loads(capsys.readouterr().out)
    assert document["jobs"]["jobs"] == 2
    assert document["jobs"]["offered_load"] == pytest.approx(0.9)
    assert document["jobs"]["deadline_factor"]["max"] == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--window", "1h"], "--window = '1h': two durations joined by .."),
        (["--window", "2h..1h"], "ends before it begins"),
        (["--window", "5..1h"], "a number without a unit"),
        (["--load", "-1"], "--load = -1.0: must be more than 0"),
        (["--load", "0.5"], "the cluster has no chips"),
        (["--deadlines", "soon"], "'soon' is no rule for deadlines"),
        (["--format", "excel"], "'excel' is no format"),
        (["--map", "submit=x,run=run"], "no column x"),
        (["--nodes", "nowhere.csv"], "there is no trace 'nowhere.csv'"),
    ],
)
def test_what_cannot_be_is_told_without_a_traceback(
    jobs: str, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(jobs, *options) == ExitCode.USAGE
    errors = capsys.readouterr().err
    assert message in errors
    assert "Traceback" not in errors


def test_a_broken_row_stops_or_is_skipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "jobs.csv"
    file.write_text(f"{JOBS}d,later,60,1,ann\n")
    assert run(str(file)) == ExitCode.USAGE
    assert f"{file}:5: submit = 'later': not a number" in capsys.readouterr().err
    assert run(str(file), "--lenient") == ExitCode.OK
    assert "1  jobs dropped: unreadable submit" in capsys.readouterr().out


def test_text_of_a_file_steers_no_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "log.swf"
    file.write_text("; Installation: \x1b[31mred [bold]x\n1 0 5 10 4 -1 -1 4 20 -1 1 1 1 -1 -1 -1 -1 -1\n")
    assert run(str(file)) == ExitCode.OK
    printed = capsys.readouterr().out
    assert "\x1b[31m" not in printed
    assert "red [bold]x" in printed


def test_a_line_rises_with_its_values() -> None:
    assert sparkline([0, 1, 50, 100]) == " ▁▄█"
    assert sparkline([0, 0]) == "  "
    assert sparkline([]) == ""
