"""Chips fail under a gang: who dies, who goes on, and what it costs under our scheduler and under another."""

import json
from pathlib import Path
from typing import Any

from tests.e2e.evaluator_command import evaluator, require_success, result_in

CHIPS = 8
HELD_BACK = 2
"""Seed under which the other scheduler's half gang waits for long."""


def run(folder: Path, scheduler: str, seed: int = 0, *more: str | Path) -> list[dict[str, Any]]:
    command = ("run", "chip_failures", "-s", scheduler, "--seed", str(seed), "--out", folder, "-q", *more)
    require_success(evaluator(*command))
    lines = (folder / "timeline.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def value(folder: Path, metric: str) -> float:
    return float(result_in(folder)["metrics"][metric]["value"])


def test_only_the_gang_on_the_failed_chips_stops_and_it_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    events = run(tmp_path, "lst")
    (failure,) = [event for event in events if event["kind"] == "hardware_failed"]
    cut = [event for event in events if event["kind"] == "pod_ended" and event["cause"] is not None]
    assert sorted(event["cause"] for event in cut) == ["chip_failure", "peer"]
    assert {event["at_ns"] for event in cut} == {failure["at_ns"]}
    jobs = {event["pod"]: event["job"] for event in events if event["kind"] == "pod_submitted"}
    (gang,) = {jobs[event["pod"]] for event in cut}
    again = [
        event
        for event in events
        if event["kind"] == "pod_started" and jobs[event["pod"]] == gang and event["at_ns"] > failure["at_ns"]
    ]
    assert len(again) == 2
    assert len({event["at_ns"] for event in again}) == 1, "both halves start at once"
    assert all(event["restored_ns"] > 0 for event in again)
    assert len({event["node"] for event in again} - {failure["node"]}) == 2, "on two machines that are whole"
    outcomes = result_in(tmp_path)["expectations"]
    assert outcomes
    assert all(each["holds"] for each in outcomes)


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    run(tmp_path / "one", "lst")
    run(tmp_path / "two", "lst")
    assert result_in(tmp_path / "one")["timeline_digest"] == result_in(tmp_path / "two")["timeline_digest"]


def test_a_scheduler_without_gangs_lets_half_of_one_hold_chips_for_nothing(
    tmp_path: Path, kube_scheduler: Path
) -> None:
    run(tmp_path / "ours", "lst", HELD_BACK)
    found = [
        run(tmp_path / f"kube-{n}", "kube-scheduler", HELD_BACK, "--scheduler-bin", kube_scheduler)
        for n in range(2)
    ]
    assert all(found)
    worst = min(value(tmp_path / f"kube-{n}", "goodput") for n in range(2))
    assert worst < value(tmp_path / "ours", "goodput")
