"""The result of a run as a file: whole, versioned, and refused with a reason when it is not one."""

import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.errors import FileFormatError
from evaluator.metrics.metric import Metric
from evaluator.results import Fidelity, JobCounts, RunResult, migrated, read_result, write_result
from evaluator.scenario import Note
from tests.support.stories import bound, ended, ledger, ran, submitted


def result(**changes: Any) -> RunResult:
    fields: dict[str, Any] = {
        "scenario": "quickstart",
        "scenario_digest": "abc",
        "scheduler": "lst",
        "seed": 3,
        "parameters": {"nodes": 6, "trace": None},
        "start": "2026-01-05T00:00:00Z",
        "ended": "nothing is left to happen",
        "wall_s": 1.5,
        "virtual_s": 3600.0,
        "jobs": JobCounts(submitted=2, finished=1, failed=0, pending=1),
        "fidelity": Fidelity(
            pace="warp", jumps=10, forced_moves=0, longest_wait_s=0.1, clock_lead_s=0.2, scheduler_cpu_s=1.0
        ),
        "metrics": {"wait_p50": Metric(value=2.0, unit="s", better="lower", definition="…")},
        "notes": [Note(topic="trace", text="rows read", count=5)],
    }
    return RunResult(**{**fields, **changes})


def test_a_result_survives_its_file(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    write_result(result(), file)
    assert read_result(file) == read_result(tmp_path) == result()
    assert [each.name for each in tmp_path.iterdir()] == ["result.json"]


def test_the_file_holds_what_others_rely_on(tmp_path: Path) -> None:
    write_result(result(), tmp_path / "result.json")
    document = json.loads((tmp_path / "result.json").read_text())
    assert {
        "schema_version",
        "scenario",
        "scheduler",
        "seed",
        "parameters",
        "wall_s",
        "virtual_s",
        "jobs",
        "fidelity",
        "metrics",
    } <= set(document)
    assert document["schema_version"] == 2
    assert {"submitted", "finished", "failed", "pending"} <= set(document["jobs"])
    assert {
        "pace",
        "jumps",
        "forced_moves",
        "longest_wait_s",
        "clock_lead_s",
        "scheduler_cpu_s",
    } <= set(document["fidelity"])
    assert document["metrics"]["wait_p50"] == {
        "value": 2.0,
        "unit": "s",
        "better": "lower",
        "definition": "…",
    }


def test_jobs_are_counted_by_what_became_of_them() -> None:
    story = ledger(
        ran("d/a", 0, start=0, end=1),
        ran("d/b", 0, start=0, end=1, outcome="failed"),
        ran("d/c", 0, start=0, end=1, outcome="evicted"),
        [submitted("d/d", 0), ended("d/d", 1, "deleted", None)],
        [submitted("d/e", 0), bound("d/e", 0)],
        submitted("d/f", 0),
    )
    assert JobCounts.of(story) == JobCounts(submitted=6, finished=1, failed=3, running=1, pending=1)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"schema_version": None}, "not a version number"),
        ({"schema_version": True}, "not a version number"),
        ({"schema_version": 3}, "newer than this program"),
        ({"schema_version": 0}, "too old to be read"),
        ({"seed": "x"}, "seed = 'x'"),
        ({"surprise": 1}, "surprise: there is no such field"),
        ({"jobs": {"submitted": -1}}, "jobs.submitted = -1"),
    ],
)
def test_a_file_that_breaks_the_schema_is_told_with_the_field(
    tmp_path: Path, change: dict[str, Any], complaint: str
) -> None:
    file = tmp_path / "result.json"
    file.write_text(json.dumps({**json.loads(result().model_dump_json()), **change}))
    with pytest.raises(FileFormatError, match=complaint) as caught:
        read_result(file)
    assert caught.value.where == str(file)


@pytest.mark.parametrize(
    ("text", "complaint"), [("{", "not JSON"), ("[]", "not a JSON object"), ("", "not JSON")]
)
def test_a_file_that_is_no_result_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "result.json"
    file.write_text(text)
    with pytest.raises(FileFormatError, match=complaint):
        read_result(file)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="No such file"):
        read_result(tmp_path)


def test_old_versions_are_lifted_one_step_at_a_time() -> None:
    steps = {
        1: lambda document: {**document, "seen": [*document.get("seen", []), 1]},
        2: lambda document: {**document, "seen": [*document.get("seen", []), 2]},
    }
    lifted = migrated({"schema_version": 1}, "here", migrations=steps, target=3)
    assert lifted == {"schema_version": 3, "seen": [1, 2]}
    with pytest.raises(FileFormatError, match="schema_version = 1: too old"):
        migrated({"schema_version": 1}, "here", migrations={2: steps[2]}, target=3)
