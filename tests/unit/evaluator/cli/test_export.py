"""``evaluator export`` as a user types it."""

import json
from pathlib import Path

import pytest

from evaluator.cli.main import main
from evaluator.exits import ExitCode
from tests.unit.evaluator.story.test_telling import BEHIND


@pytest.fixture
def run(tmp_path: Path) -> Path:
    BEHIND.write(tmp_path / "timeline.jsonl")
    return tmp_path


def export(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as caught:
        main(["export", *map(str, arguments)])
    assert isinstance(caught.value.code, int)
    return caught.value.code


def test_a_trace_is_written_into_the_run(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(run, "--format", "perfetto") == ExitCode.OK
    assert json.loads((run / "trace.json").read_text())["displayTimeUnit"] == "ms"
    assert capsys.readouterr().out == f"written to {run / 'trace.json'}\n"


def test_a_trace_goes_where_it_is_told(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(run / "timeline.jsonl", "-f", "perfetto", "-o", run / "other.json", "-q") == ExitCode.OK
    assert capsys.readouterr().out == ""
    assert export(run, "-f", "perfetto", "-o", "-") == ExitCode.OK
    assert capsys.readouterr().out == (run / "other.json").read_text()


def test_an_unknown_format_is_refused_with_those_there_are(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(run, "--format", "svg") == ExitCode.USAGE
    told = capsys.readouterr().err
    assert "--format = 'svg'" in told
    assert "perfetto" in told


def test_a_file_that_cannot_be_written_is_named(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(run, "-f", "perfetto", "-o", run / "none" / "t.json") == ExitCode.USAGE
    assert "none/t.json" in capsys.readouterr().err
