"""The map of nodes and time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.report import nodemap
from evaluator.report.model import ReportedRun
from evaluator.report.nodemap import (
    CUT_SHORT,
    FAILED,
    IN_TIME,
    LATE,
    NO_CHIP,
    NO_DEADLINE,
    NODE_DOWN,
    RUNNING,
    node_map,
)
from evaluator.scenario.loader import load_scenario
from evaluator.timeline import HardwareFailed, HardwareRepaired, NodeRemoved
from tests.support.happenings import (
    at,
    bound,
    changed,
    end,
    ended,
    failed,
    node,
    pod,
    told,
)
from tests.support.reports import reported
from tests.unit.evaluator.story.test_telling import first_come_first_served

MINUTE_MS = 60_000

BROKEN = told(
    node("a", 4), node("b", 8),
    pod(0, "ns/x", 2, due=5), bound(0, "ns/x", "a"),
    pod(0, "ns/y", 1), bound(0, "ns/y", "a"),
    failed(4, "a", 1, "rack"), changed(4, "a", 3),
    ended(4, "ns/y", "a", "failed", cause="chip_failure", lost=4),
    pod(4, "ns/z", 2), bound(4, "ns/z", "a"),
    pod(5, "ns/cpu", 0, due=40), bound(5, "ns/cpu", "b"),
    ended(9, "ns/x", "a"),
    HardwareRepaired(at_ns=at(12), node="a", what="chips", chips=1),
    HardwareFailed(at_ns=at(13), node="b", what="node", chips=8, group=None),
    changed(13, "b", 8, ready=False),
    ended(14, "ns/cpu", "b"),
    pod(14, "ns/bad", 1), bound(14, "ns/bad", "a"), ended(15, "ns/bad", "a", "failed"),
    end(20, running=1),
)  # fmt: skip


def broken_cluster() -> ReportedRun:
    """A small run in which chips and a node fail."""
    return reported(load_scenario("quickstart"), BROKEN, "lst")


def test_pods_are_boxes_on_the_chips_that_they_held() -> None:
    drawn = node_map(BROKEN)
    assert drawn.nodes == ["a", "b"]
    assert drawn.chips == [4, 8]
    boxes = zip(
        drawn.pods, drawn.node, drawn.lane, drawn.width, drawn.since, drawn.length, drawn.became, strict=True
    )
    assert [(pod, node, lane, width, since // MINUTE_MS, length // MINUTE_MS, became)
            for pod, node, lane, width, since, length, became in boxes] == [
        ("ns/x", 0, 0, 2, 0, 9, LATE),
        ("ns/y", 0, 2, 1, 0, 4, CUT_SHORT),
        ("ns/z", 0, 2, 2, 4, 16, RUNNING),
        ("ns/cpu", 1, NO_CHIP, 0, 5, 9, IN_TIME),
        ("ns/bad", 0, 0, 1, 14, 1, FAILED),
    ]  # fmt: skip


def test_chips_that_do_not_lie_side_by_side_are_boxes_of_their_own() -> None:
    timeline = told(
        node("a", 4), pod(0, "ns/x", 1), pod(0, "ns/y", 1), bound(0, "ns/x", "a"), bound(0, "ns/y", "a"),
        ended(1, "ns/x", "a"), pod(1, "ns/z", 2), bound(1, "ns/z", "a"), ended(2, "ns/z", "a"), end(3),
    )  # fmt: skip
    drawn = node_map(timeline)
    boxes = list(zip(drawn.pods, drawn.lane, drawn.width, strict=True))
    assert [box for box in boxes if box[0] == "ns/z"] == [("ns/z", 0, 1), ("ns/z", 2, 1)]
    assert drawn.became[drawn.pods.index("ns/x")] == NO_DEADLINE


def test_failed_hardware_lasts_until_it_is_repaired_or_gone_or_the_run_ends() -> None:
    assert node_map(BROKEN).failures == [
        (0, 4 * MINUTE_MS, 8 * MINUTE_MS, 1),
        (1, 13 * MINUTE_MS, 7 * MINUTE_MS, NODE_DOWN),
    ]
    gone = told(node("a"), failed(1, "a", 2), NodeRemoved(at_ns=at(3), node="a"), end(9))
    assert node_map(gone).failures == [(0, MINUTE_MS, 2 * MINUTE_MS, 2)]


def test_what_is_too_much_is_left_out_and_counted_the_smallest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodemap, "MAX_SPANS", 2)
    drawn = node_map(BROKEN)
    assert drawn.pods == ["ns/x", "ns/z"]
    assert drawn.left_out == 3


ASKED = st.tuples(st.integers(1, 8), st.integers(0, 20), st.integers(1, 20))


@given(st.lists(ASKED, max_size=12))
def test_boxes_never_lie_on_each_other_and_hold_all_chip_time(jobs: list[tuple[int, int, int]]) -> None:
    drawn = node_map(first_come_first_served(jobs))
    area = sum(width * length for width, length in zip(drawn.width, drawn.length, strict=True))
    assert area == sum(chips * run * MINUTE_MS for chips, _, run in jobs)
    boxes = list(zip(drawn.since, drawn.length, drawn.lane, drawn.width, strict=True))
    for number, (since, length, lane, width) in enumerate(boxes):
        for other_since, other_length, other_lane, other_width in boxes[:number]:
            apart_in_time = since >= other_since + other_length or other_since >= since + length
            apart_in_chips = lane >= other_lane + other_width or other_lane >= lane + width
            assert apart_in_time or apart_in_chips
