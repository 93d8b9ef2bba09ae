"""``evaluator explain`` as a user types it."""

import json
from pathlib import Path

import pytest

from evaluator.cli.main import main
from evaluator.exits import ExitCode
from tests.unit.evaluator.story.test_telling import BEHIND


@pytest.fixture
def run(tmp_path: Path) -> str:
    BEHIND.write(tmp_path / "timeline.jsonl")
    return str(tmp_path)


def explain(*arguments: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(["explain", *arguments])
    assert isinstance(caught.value.code, int)
    return caught.value.code


def test_a_story_is_told_in_order_and_within_80_columns(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(run, "late") == ExitCode.OK
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "ns/late"
    assert lines[1].startswith("2026-01-05 00:10:00     +0s submitted: asks for 4 chips")
    moments = [line[:19] for line in lines if line.startswith("2026-")]
    assert moments == sorted(moments)
    assert len(moments) == 5
    assert any(line.startswith("· It could have started 20m after") for line in lines)
    assert max(map(len, lines)) <= 80


def test_json_holds_the_figures_and_the_words(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(f"{run}/timeline.jsonl", "ns/late", "--json") == ExitCode.OK
    document = json.loads(capsys.readouterr().out)
    assert document["job"] == "ns/late"
    assert [step["kind"] for step in document["steps"]] == [
        "submitted", "waited", "bound", "started", "finished",
    ]  # fmt: skip
    assert document["steps"][1]["spent_ns"] == {"capacity": 80 * 60 * 10**9}
    assert document["steps"][-1]["text"] == "finished, 51m late"
    assert document["verdict"]["first_room"]["nodes"] == ["a"]
    assert document["verdict"]["texts"]


def test_an_unknown_job_gets_close_matches(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(run, "lat") == ExitCode.NOTHING_MATCHED
    assert "Did you mean ns/late" in capsys.readouterr().err


def test_a_run_that_is_not_there_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(str(tmp_path / "none"), "x") == ExitCode.USAGE
    assert "cannot read the timeline" in capsys.readouterr().err
