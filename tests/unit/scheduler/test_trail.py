"""Decisions: what is logged of them, counted, remembered, and written onto the pod."""

import json
import logging
from typing import Any, Literal

import pytest

from scheduler.decision import Decision, Loss
from scheduler.messages import Announce, Bind, BindDone, Happening, Nominate, PodGone, PodsListed, Preempt
from scheduler.timetext import HOUR, MINUTE
from scheduler.trail import MOST_NAMED, Trail, encode, log_fields
from scheduler.witness import Witness
from tests.unit.scheduler.builders import START, ref, task

KEY = "lst.scheduler/decision"


def decision(kind: Literal["bind", "preempt", "undo"] = "bind", pod: str = "a", **changes: Any) -> Decision:
    given: dict[str, Any] = {
        "kind": kind,
        "at": START,
        "pod": ref(pod),
        "gang": "",
        "nodes": ("n1",),
        "policy": "lst",
        "slack": 35 * MINUTE,
        "position": 2,
        "considered": 12,
        "why": "it is best",
        **changes,
    }
    return Decision(**given)


def loss(name: str, chip_time: int = HOUR, slack: int | None = None) -> Loss:
    return Loss(name, (ref(f"{name}-0"), ref(f"{name}-1")), chip_time, slack)


class Counting(Witness):
    def __init__(self) -> None:
        self.seen: list[Decision] = []

    def decided(self, decision: Decision) -> None:
        self.seen.append(decision)


def preempting() -> Decision:
    victims = (loss("x/cheap", MINUTE), loss("x/dear", HOUR, 5 * HOUR))
    return decision("preempt", victims=victims, violations=1, why="it is urgent")


def test_a_decision_is_logged_and_counted_once_for_all_its_pods(caplog: pytest.LogCaptureFixture) -> None:
    witness = Counting()
    trail = Trail(KEY, witness)
    of_gang = decision(gang="g", nodes=("n1", "n2", "n1"))
    with caplog.at_level(logging.INFO, "scheduler.trail"):
        for action in (
            Bind(ref("a"), "n1", of_gang),
            Bind(ref("b"), "n2", of_gang),
            Nominate(ref("c"), "n"),
            Announce(ref("a"), "Normal", "Scheduled", "Binding", "note"),
            Bind(ref("d"), "n3"),
            Bind(ref("e"), "n1", decision(pod="e")),
        ):
            trail.follow(action)
    assert witness.seen == [of_gang, decision(pod="e")]
    assert [record.getMessage() for record in caplog.records] == ["bind default/a", "bind default/e"]
    assert caplog.records[0].__dict__["fields"] == log_fields(of_gang) | {"gang": "g", "node": "n1,n2"}


def test_the_fields_of_a_preemption() -> None:
    assert log_fields(preempting()) == {
        "pod": "default/a",
        "gang": None,
        "node": "n1",
        "policy": "lst",
        "slack": "35m",
        "position": "2/12",
        "why": "it is urgent",
        "victims": "x/cheap,x/dear",
        "victim_pods": 4,
        "lost_chip_seconds": 3660.0,
        "violations": 1,
    }


def test_the_annotation_of_a_pod_without_ado() -> None:
    (text,) = Trail(KEY, Witness()).annotations(Bind(ref("a"), "n1", decision(slack=None))).values()
    assert text == (
        '{"at":"2026-01-05T00:00:00Z","policy":"lst","position":2,"considered":12,"why":"it is best"}'
    )


def test_a_place_that_was_held_has_no_number() -> None:
    held = decision(position=0)
    assert log_fields(held)["position"] is None
    assert "position" not in json.loads(encode(held, None))


def test_the_annotation_tells_who_made_way_before() -> None:
    trail = Trail(KEY, Witness())
    trail.follow(Preempt(ref("x"), ref("a"), "why", preempting()))
    bound = Bind(ref("a"), "n1", decision(gang="g", nodes=("n1", "n2")))
    found = json.loads(trail.annotations(bound)[KEY])
    assert (found["gang"], found["members"]) == ("g", 2)
    assert found["preempted"] == {
        "at": "2026-01-05T00:00:00Z",
        "slack": "35m",
        "why": "it is urgent",
        "workloads": 2,
        "pods": 4,
        "lostChipTime": "1h1m",
        "violations": 1,
        "victims": [
            {"name": "x/dear", "lostChipTime": "1h", "slack": "5h"},
            {"name": "x/cheap", "lostChipTime": "1m"},
        ],
    }


def test_the_annotation_stays_small_whoever_had_to_go() -> None:
    victims = tuple(loss(f"namespace/{'w' * 40}-{n:03}", n * HOUR, HOUR) for n in range(512))
    text = encode(decision(), decision("preempt", victims=victims))
    found = json.loads(text)["preempted"]
    assert (found["workloads"], len(found["victims"])) == (512, MOST_NAMED)
    assert found["victims"][0]["name"].endswith("-511")
    assert len(text) < 2048


@pytest.mark.parametrize(
    ("event", "remembered"),
    [
        (PodGone("uid-a"), False),
        (PodsListed((task("b"),)), False),
        (BindDone(ref("a"), "n1"), True),
        (PodGone("uid-b"), True),
        (PodsListed((task("a"),)), True),
    ],
)
def test_who_made_way_is_remembered_until_the_pod_is_gone(event: Happening, remembered: bool) -> None:
    trail = Trail(KEY, Witness())
    trail.follow(Preempt(ref("x"), ref("a"), "why", preempting()))
    trail.settle(event)
    (text,) = trail.annotations(Bind(ref("a"), "n1", decision())).values()
    assert ("preempted" in json.loads(text)) is remembered


def test_nothing_is_written_where_it_is_turned_off_or_unknown() -> None:
    assert Trail(None, Witness()).annotations(Bind(ref("a"), "n1", decision())) == {}
    assert Trail(KEY, Witness()).annotations(Bind(ref("a"), "n1")) == {}
