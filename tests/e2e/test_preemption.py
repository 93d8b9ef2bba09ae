"""Preemption by our scheduler as a process: a pod that would be late takes the place of one that has time."""

import json
from pathlib import Path
from typing import Any

from tests.e2e.evaluator_command import evaluator, require_success, result_in

SCENARIO = """
from evaluator.scenario import Rng, Scenario, ScenarioParameters


def scenario(s: Scenario[ScenarioParameters], rng: Rng) -> None:
    s.nodes("n", count=1, chips=8)
    s.pod("lax", chips=8, run_time="4h", deadline="48h")
    s.pod("urgent", at="30m", chips=8, run_time="1h", deadline="2h")
"""
MINUTE = 60 * 10**9


def played(folder: Path, scheduler: str) -> list[dict[str, Any]]:
    file = folder / "told.py"
    file.write_text(SCENARIO)
    require_success(evaluator("run", file, "--scheduler", scheduler, "--out", folder / "out", "--quiet"))
    lines = (folder / "out" / "timeline.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_without_preemption_the_urgent_one_is_late(tmp_path: Path) -> None:
    played(tmp_path, "lst")
    assert result_in(tmp_path / "out")["metrics"]["deadlines_missed"]["value"] == 1


def test_a_victim_ends_when_waiting_longer_would_make_the_other_late(tmp_path: Path) -> None:
    events = played(tmp_path, "lst-preempt")
    ends = {event["pod"]: event for event in events if event["kind"] == "pod_ended"}
    assert ends["default/lax"]["outcome"] == "evicted"
    assert ends["default/urgent"]["outcome"] == "succeeded"
    # It comes at 30 min with an hour of slack: nobody is ended for it while there is hope.
    assert 60 * MINUTE < ends["default/lax"]["at_ns"] <= 90 * MINUTE
    assert ends["default/urgent"]["at_ns"] <= 150 * MINUTE


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    digests = {_digest(tmp_path, name) for name in ("one", "two")}
    assert len(digests) == 1


def _digest(folder: Path, name: str) -> str:
    (folder / name).mkdir(exist_ok=True)
    played(folder / name, "lst-preempt")
    return str(result_in(folder / name / "out")["timeline_digest"])
