"""Baselines: made of runs, written to be reviewed, read back the same."""

from pathlib import Path

import pytest

from evaluator.errors import FileFormatError, UsageError
from evaluator.gates.baseline import (
    Difference,
    baseline_of,
    differences,
    grouped,
    read_baselines,
    write_baseline,
)
from tests.support.results import result


def test_a_baseline_is_read_as_it_was_written(tmp_path: Path) -> None:
    made = baseline_of([result({"wait_p99": 1.5}), result({"wait_p99": None}, seed=1)])
    file = write_baseline(made, tmp_path / "new")
    assert file.name == "s.lst.json"
    assert read_baselines(tmp_path / "new") == {("s", "lst"): made}
    assert made.seeds == (0, 1)
    assert made.metrics == {"wait_p99": (1.5,)}


def test_the_same_runs_make_the_same_bytes(tmp_path: Path) -> None:
    one = write_baseline(baseline_of([result({"b": 1, "a": 2})]), tmp_path / "one")
    two = write_baseline(baseline_of([result({"a": 2, "b": 1})]), tmp_path / "two")
    assert one.read_bytes() == two.read_bytes()


def test_runs_are_grouped_by_scenario_and_scheduler() -> None:
    runs = [result({}), result({}, scheduler="edf"), result({}, seed=1)]
    assert grouped(runs) == {("s", "lst"): [runs[0], runs[2]], ("s", "edf"): [runs[1]]}


def test_runs_with_other_parameters_make_no_baseline_together() -> None:
    with pytest.raises(UsageError, match="differ in their parameters"):
        baseline_of([result({}), result({}, parameters={"load": 2})])


def test_a_broken_run_makes_no_baseline() -> None:
    with pytest.raises(UsageError, match="not complete"):
        baseline_of([result({}, complete=False)])


def test_what_changed_is_told_by_medians() -> None:
    before = baseline_of([result({"a": 1, "b": 1, "c": 1})])
    after = baseline_of([result({"a": 1, "b": 2, "d": 3})])
    assert differences(before, after) == [
        Difference("b", 1, 2),
        Difference("c", 1, None),
        Difference("d", None, 3),
    ]
    assert differences(None, before) == [Difference(name, None, 1) for name in "abc"]


def test_a_broken_baseline_is_told_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "s.lst.json").write_text('{"version": 1}')
    with pytest.raises(FileFormatError, match=r"s\.lst\.json"):
        read_baselines(tmp_path)


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="no such folder"):
        read_baselines(tmp_path / "none")


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        write_baseline(baseline_of([result({})]), tmp_path / "file")
