"""The trace for Perfetto and Chrome: the shape that their format asks for, and what it shows."""

import json
from collections import defaultdict
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from evaluator.export.perfetto import CHIPLESS, CLUSTER, FIRST_CHIP, trace_events, write_trace
from evaluator.timeline import HardwareRepaired, NodeRemoved, Timeline
from tests.support.happenings import (
    at,
    bound,
    changed,
    disrupted,
    end,
    ended,
    failed,
    node,
    pod,
    started,
    told,
)
from tests.unit.evaluator.story.test_telling import PREEMPTED, first_come_first_served

MINUTE_US = 60_000_000
REQUIRED = {
    "X": {"pid", "tid", "ts", "dur", "name"},
    "i": {"pid", "tid", "ts", "name", "s"},
    "C": {"pid", "ts", "name", "args"},
    "M": {"pid", "name", "args"},
}
"""Fields that the Trace Event Format asks for, by phase."""


def require_format(document: dict[str, Any]) -> None:
    """The rules of the format: known phases with their fields, times in order, slices that nest."""
    events = document["traceEvents"]
    for event in events:
        assert REQUIRED[event["ph"]] <= set(event), event
        assert event.get("dur", 0) >= 0
    timed = [event["ts"] for event in events if event["ph"] != "M"]
    assert timed == sorted(timed)
    open_until: defaultdict[tuple[int, int], list[float]] = defaultdict(list)
    for event in (each for each in events if each["ph"] == "X"):
        stack = open_until[event["pid"], event["tid"]]
        while stack and stack[-1] <= event["ts"]:
            stack.pop()
        assert not stack or event["ts"] + event["dur"] <= stack[-1], event
        stack.append(event["ts"] + event["dur"])


def document_of(timeline: Timeline) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(b"".join(write_trace(timeline)))
    return loaded


def slices(timeline: Timeline, name: str) -> list[dict[str, Any]]:
    return [event for event in trace_events(timeline) if event["ph"] == "X" and event["name"] == name]


def test_a_pod_is_a_slice_on_each_chip_that_it_holds() -> None:
    timeline = told(
        node("a", 4), pod(0, "ns/x", 2), pod(0, "ns/y", 1), bound(1, "ns/x", "a"), bound(1, "ns/y", "a"),
        started(2, "ns/x", "a"), ended(11, "ns/x", "a"), end(20, running=1),
    )  # fmt: skip
    drawn = slices(timeline, "ns/x")
    assert [event["tid"] for event in drawn] == [FIRST_CHIP, FIRST_CHIP + 1]
    assert {(event["ts"], event["dur"]) for event in drawn} == {(MINUTE_US, 10 * MINUTE_US)}
    assert drawn[0]["args"]["waited_s"] == 60
    (left,) = slices(timeline, "ns/y")
    assert (left["tid"], left["dur"], left["args"]["outcome"]) == (
        FIRST_CHIP + 2,
        19 * MINUTE_US,
        "left running",
    )
    assert sorted(event["dur"] for event in slices(timeline, "start-up")) == [MINUTE_US] * 2 + [
        19 * MINUTE_US
    ]


def test_nodes_are_named_processes_and_chips_named_threads() -> None:
    timeline = told(node("a", 1), pod(0, "ns/x", 0), bound(0, "ns/x", "a"), ended(1, "ns/x", "a"), end(1))
    names = [event for event in trace_events(timeline) if event["ph"] == "M" and "name" in event["args"]]
    assert [(each["pid"], each["tid"], each["args"]["name"]) for each in names] == [
        (CLUSTER, 0, "cluster"),
        (CLUSTER + 1, 0, "a"),
        (CLUSTER + 1, CHIPLESS, "no chip 0"),
    ]


def test_preemptions_are_marked_where_they_happened() -> None:
    marks = [event for event in trace_events(PREEMPTED) if event["ph"] == "i"]
    assert [(each["name"], each["ts"] / MINUTE_US) for each in marks] == [
        ("ending (preemption): ns/victim", 30),
        ("preemption: ns/victim", 31),
    ]
    assert marks[1]["args"] == {"pod": "ns/victim", "lost_s": 660, "kept_s": 1200}


def test_failures_are_marks_and_last_until_the_repair() -> None:
    repaired = HardwareRepaired(at_ns=at(9), node="a", what="chips", chips=2)
    timeline = told(
        node("a"), failed(4, "a", 2, "rack"), changed(4, "a", 6), repaired, changed(9, "a", 8),
        failed(10, "a", 1), NodeRemoved(at_ns=at(12), node="a"), end(20),
    )  # fmt: skip
    assert [(each["ts"] / MINUTE_US, each["dur"] / MINUTE_US) for each in slices(timeline, "chips down")] == [
        (4, 5),
        (10, 10),
    ]
    marks = [event["name"] for event in trace_events(timeline) if event["ph"] == "i"]
    assert marks == ["failed: 2 chips", "repaired: 2 chips", "failed: 1 chips", "node removed"]
    usable = [event for event in trace_events(timeline) if event["name"] == "usable chips"]
    assert [(each["ts"] / MINUTE_US, each["args"]["value"]) for each in usable] == [
        (0, 8), (4, 6), (9, 8), (12, 0),
    ]  # fmt: skip


def test_counters_have_one_value_an_instant() -> None:
    timeline = told(node("a"), pod(0, "ns/x", 3), bound(0, "ns/x", "a"), pod(5, "ns/y"), end(6))
    counted = [event for event in trace_events(timeline) if event["ph"] == "C"]
    assert [(each["name"], each["ts"] / MINUTE_US, each["args"]["value"]) for each in counted] == [
        ("pending pods", 0, 0),
        ("usable chips", 0, 8),
        ("held chips", 0, 3),
        ("pending pods", 5, 1),
    ]


def test_pods_that_go_before_they_have_a_node_leave_no_slice() -> None:
    timeline = told(
        node("a"), pod(0, "ns/x"), disrupted(1, "ns/x"), ended(1, "ns/x", None, "deleted"), end(2)
    )
    assert slices(timeline, "ns/x") == []


def test_the_file_says_what_it_is_of() -> None:
    document = document_of(PREEMPTED)
    require_format(document)
    assert document["otherData"] == {
        "scenario": "hand", "scheduler": "lst", "seed": 0, "start": "2026-01-05T00:00:00Z",
    }  # fmt: skip
    assert b"".join(write_trace(PREEMPTED)) == b"".join(write_trace(PREEMPTED))


ASKED = st.tuples(st.integers(1, 8), st.integers(0, 20), st.integers(1, 20))


@given(st.lists(ASKED, max_size=12))
def test_any_run_is_a_trace_that_follows_the_format(jobs: list[tuple[int, int, int]]) -> None:
    timeline = first_come_first_served(jobs)
    document = document_of(timeline)
    require_format(document)
    drawn = [event for event in document["traceEvents"] if event["ph"] == "X"]
    held = sum(event["dur"] for event in drawn)
    assert held == sum(chips * run * MINUTE_US for chips, _, run in jobs)
