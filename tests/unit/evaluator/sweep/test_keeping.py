"""Which runs of a sweep need not be repeated."""

from pathlib import Path
from typing import Any

import pytest

from evaluator.results import RESULT_FILE, TIMELINE_FILE, write_result
from evaluator.sweep.grid import Request
from evaluator.sweep.keeping import LOG_FILE, REQUEST_FILE, finished, prepare, reason
from tests.support.results import result
from tests.unit.evaluator.sweep.test_grid import requests


def performed(folder: Path, request: Request, **changes: Any) -> None:
    prepare(folder, request)
    write_result(result({}, **changes), folder / RESULT_FILE)
    (folder / TIMELINE_FILE).write_bytes(b"")


def test_a_whole_run_is_finished(tmp_path: Path) -> None:
    (request,) = requests()
    assert finished(tmp_path / "a", request) is None
    performed(tmp_path / "a", request)
    assert finished(tmp_path / "a", request) == result({})


@pytest.mark.parametrize(
    "change",
    [
        {"scenario_sha256": "other"},
        {"scheduler_sha256": "other"},
        {"assignments": {"load": "9"}},
        {"seed": 9},
        {"pace": "settle"},
        {"version": "2"},
    ],
)
def test_a_run_of_something_else_is_not(tmp_path: Path, change: dict[str, Any]) -> None:
    (request,) = requests()
    performed(tmp_path, request)
    assert finished(tmp_path, request.model_copy(update=change)) is None


def test_one_that_was_interrupted_is_not(tmp_path: Path) -> None:
    (request,) = requests()
    performed(tmp_path, request, complete=False)
    assert finished(tmp_path, request) is None


@pytest.mark.parametrize("file", [RESULT_FILE, TIMELINE_FILE, REQUEST_FILE])
def test_one_that_lacks_a_file_is_not(tmp_path: Path, file: str) -> None:
    (request,) = requests()
    performed(tmp_path, request)
    (tmp_path / file).unlink()
    assert finished(tmp_path, request) is None


@pytest.mark.parametrize("file", [RESULT_FILE, REQUEST_FILE])
def test_one_whose_files_are_cut_short_is_not(tmp_path: Path, file: str) -> None:
    (request,) = requests()
    performed(tmp_path, request)
    (tmp_path / file).write_bytes((tmp_path / file).read_bytes()[:40])
    assert finished(tmp_path, request) is None


def test_a_new_attempt_does_not_inherit_an_outcome(tmp_path: Path) -> None:
    (request,) = requests()
    performed(tmp_path, request)
    prepare(tmp_path, request)
    assert finished(tmp_path, request) is None


def test_the_reason_is_what_the_process_said_first(tmp_path: Path) -> None:
    assert reason(tmp_path) == "it left no message"
    (tmp_path / LOG_FILE).write_text("\nevaluator: no such thing\nSee …\n")
    assert reason(tmp_path) == "no such thing"
    (tmp_path / LOG_FILE).write_text("evaluator: the end of x.log:\n  | 1/0\n: it exited\n")
    assert reason(tmp_path) == "it exited"
