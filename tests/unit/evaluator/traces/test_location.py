"""Where a trace is looked for, and what is said if it is not there."""

from pathlib import Path

import pytest

from evaluator.errors import TraceError
from evaluator.exits import ExitCode
from evaluator.traces.location import TraceSource, find_trace

SOURCE = TraceSource("openb", ("a.csv", "b.csv"), "https://example.org/trace")


def filled(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in SOURCE.files:
        (folder / name).touch()
    return folder


def test_a_folder_that_is_named_is_taken(tmp_path: Path) -> None:
    folder = filled(tmp_path / "mine")
    assert find_trace(SOURCE, str(folder), environment={"EVALUATOR_TRACES": "/nowhere"}) == folder


@pytest.mark.parametrize("below", ["", "openb"])
def test_the_environment_names_the_folder_or_the_one_above(tmp_path: Path, below: str) -> None:
    folder = filled(tmp_path / below)
    assert find_trace(SOURCE, None, environment={"EVALUATOR_TRACES": str(tmp_path)}) == folder


def test_without_any_word_the_user_is_told_what_to_get_and_from_where() -> None:
    with pytest.raises(TraceError) as caught:
        find_trace(SOURCE, None, environment={})
    message = str(caught.value)
    assert "a.csv and b.csv from https://example.org/trace" in message
    assert "--set trace=DIR" in message
    assert "EVALUATOR_TRACES" in message
    assert caught.value.exit_code is ExitCode.USAGE


def test_missing_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").touch()
    with pytest.raises(TraceError, match=r"has no b\.csv") as caught:
        find_trace(SOURCE, str(tmp_path), environment={})
    assert caught.value.where == f"--set trace={tmp_path}"
    with pytest.raises(TraceError, match=r"has no a\.csv and no b\.csv"):
        find_trace(SOURCE, None, environment={"EVALUATOR_TRACES": str(tmp_path / "nothing")})
