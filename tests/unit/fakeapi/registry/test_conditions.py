"""Conditions: one of each type, with the time of its last change of status."""

from fakeapi.registry.conditions import with_condition
from tests.unit.fakeapi.registry.bench import NOW

LATER = "2026-01-05T01:00:00Z"
UNSCHEDULABLE = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "no room"}


def test_a_new_condition_is_appended_with_its_time() -> None:
    obj = with_condition({"status": {"phase": "Pending"}}, UNSCHEDULABLE, NOW)
    assert obj["status"]["phase"] == "Pending"
    assert obj["status"]["conditions"] == [
        {"lastProbeTime": None, "lastTransitionTime": NOW, **UNSCHEDULABLE},
    ]


def test_an_object_without_a_status_gets_one() -> None:
    assert with_condition({}, UNSCHEDULABLE, NOW)["status"]["conditions"][0]["type"] == "PodScheduled"


def test_the_time_stays_while_the_status_does() -> None:
    once = with_condition({}, UNSCHEDULABLE, NOW)
    twice = with_condition(once, {**UNSCHEDULABLE, "message": "still none"}, LATER)
    (condition,) = twice["status"]["conditions"]
    assert (condition["lastTransitionTime"], condition["message"]) == (NOW, "still none")


def test_the_time_changes_with_the_status_and_the_place_stays() -> None:
    once = with_condition(with_condition({}, UNSCHEDULABLE, NOW), {"type": "Ready", "status": "False"}, NOW)
    twice = with_condition(once, {"type": "PodScheduled", "status": "True"}, LATER)
    first, second = twice["status"]["conditions"]
    assert (first["type"], first["status"], first["lastTransitionTime"]) == ("PodScheduled", "True", LATER)
    assert "reason" not in first
    assert second["type"] == "Ready"


def test_the_given_object_is_left_alone() -> None:
    obj = {"status": {"conditions": [{**UNSCHEDULABLE, "lastTransitionTime": NOW}]}}
    with_condition(obj, {"type": "PodScheduled", "status": "True"}, LATER)
    assert obj == {"status": {"conditions": [{**UNSCHEDULABLE, "lastTransitionTime": NOW}]}}
