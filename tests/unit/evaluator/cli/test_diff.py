"""``evaluator diff`` as a user types it."""

import json
from pathlib import Path

import pytest

from evaluator.cli.main import main
from evaluator.exits import ExitCode
from tests.support.happenings import bound, end
from tests.unit.evaluator.story.test_difference import ONE, run


@pytest.fixture
def runs(tmp_path: Path) -> tuple[str, str]:
    files = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    ONE.write(files[0])
    run(bound(0, "ns/x", "b"), bound(0, "ns/z", "a"), end(60), scheduler="fifo", digest="e").write(files[1])
    return str(files[0]), str(files[1])


def diff(*arguments: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(["diff", *arguments])
    assert isinstance(caught.value.code, int)
    return caught.value.code


def test_the_first_difference_is_shown_side_by_side(
    runs: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert diff(*runs) == ExitCode.OK
    printed = capsys.readouterr().out
    for expected in (
        "the runs are of different work",
        "first difference at 2026-01-05 00:00:00, 0s after the start",
        "A: lst",
        "B: fifo",
        "bound ns/x to a",
        "bound ns/x to b",
        "ns/y: never bound",
        "8 of 8 chips free",
        "3 pods",
        "3, 3 of them only here",
    ):
        assert expected in printed
    assert max(map(len, printed.splitlines())) <= 80


def test_json_has_both_sides(runs: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert diff(*runs, "--json") == ExitCode.OK
    document = json.loads(capsys.readouterr().out)
    assert document["at_ns"] == 0
    assert [side["scheduler"] for side in document["sides"]] == ["lst", "fifo"]
    assert document["sides"][0]["state"]["free_chips"] == 16


def test_runs_that_decide_alike_are_said_to(
    runs: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert diff(runs[0], runs[0], "--within", "0s") == ExitCode.OK
    assert capsys.readouterr().out == "no decision differs by more than 0s\n"


def test_a_tolerance_needs_a_unit(runs: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert diff(*runs, "--within", "5") == ExitCode.USAGE
    assert "--within = '5'" in capsys.readouterr().err
