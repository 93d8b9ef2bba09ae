"""What the map of nodes and time shows: which pod held which chips of which node, and what failed.

Columns of whole numbers instead of objects, because a page may hold tens of thousands of spans. The timeline
says how many chips a pod holds, not which: each is drawn on the lowest that are free.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from evaluator.timeline import (
    Event,
    HardwareFailed,
    HardwareRepaired,
    NodeAdded,
    NodeChanged,
    NodeRemoved,
    PodBound,
    PodEnded,
    PodSubmitted,
)
from fakeapi.kernel.time import MILLISECOND

MAX_SPANS: Final = 40_000
"""Spans of one map. At some 60 bytes each that is 2.4 MB; a run of 8,152 pods needs a fifth of it."""

MAX_FAILURES: Final = 4_000
"""Times of failed hardware on one map."""

IN_TIME, LATE, NO_DEADLINE, CUT_SHORT, FAILED, RUNNING = range(6)
"""What became of the pod that a span is of."""

NODE_DOWN: Final = -1
"""In place of a number of chips: the whole node."""

NO_CHIP: Final = -1
"""The lane of pods without chips."""


@dataclass(slots=True)
class NodeMap:
    """Spans in columns of equal length. Times in milliseconds since the start of the run."""

    nodes: list[str] = field(default_factory=list)
    chips: list[int] = field(default_factory=list)
    """The most that each node had."""
    pods: list[str] = field(default_factory=list)
    node: list[int] = field(default_factory=list)
    """Index into ``nodes``."""
    lane: list[int] = field(default_factory=list)
    """The lowest chip of the span; a pod whose chips do not lie side by side has several spans."""
    width: list[int] = field(default_factory=list)
    """Chips side by side."""
    since: list[int] = field(default_factory=list)
    length: list[int] = field(default_factory=list)
    became: list[int] = field(default_factory=list)
    failures: list[tuple[int, int, int, int]] = field(default_factory=list)
    """(node, since, length, chips) of failed hardware."""
    left_out: int = 0
    """Spans that were too many; those of the least chips × time."""


@dataclass(slots=True)
class _Span:
    submitted: PodSubmitted
    node: int = -1
    since_ns: int = 0
    lanes: list[int] = field(default_factory=list)
    until_ns: int = 0
    became: int = RUNNING

    @property
    def weight(self) -> int:
        return (self.until_ns - self.since_ns) * max(1, self.submitted.chips)


@dataclass(slots=True)
class _Mapper:
    map: NodeMap = field(default_factory=NodeMap)
    index: dict[str, int] = field(default_factory=dict)
    taken: dict[int, set[int]] = field(default_factory=dict)
    open: dict[str, _Span] = field(default_factory=dict)
    done: list[_Span] = field(default_factory=list)
    down: dict[tuple[int, str], tuple[int, int]] = field(default_factory=dict)
    end_ns: int = 0

    def hear(self, event: Event) -> None:
        """Take one event in."""
        self.end_ns = event.at_ns
        match event:
            case NodeAdded() | NodeChanged():
                node = self._node(event.node)
                self.map.chips[node] = max(self.map.chips[node], event.chips)
            case NodeRemoved():
                self._repair(self._node(event.node), "chips")
                self._repair(self._node(event.node), "node")
            case PodSubmitted():
                self.open[event.pod] = _Span(event)
            case PodBound() if event.pod in self.open:
                self._bind(self.open[event.pod], event)
            case PodEnded() if event.pod in self.open:
                span = self.open.pop(event.pod)
                self._end(span, _fate(event, span.submitted.deadline_ns))
            case HardwareFailed():
                chips = NODE_DOWN if event.what == "node" else event.chips
                self.down.setdefault((self._node(event.node), event.what), (event.at_ns, chips))
            case HardwareRepaired():
                self._repair(self._node(event.node), event.what)
            case _:
                pass

    def _node(self, name: str) -> int:
        if name not in self.index:
            self.index[name] = len(self.map.nodes)
            self.map.nodes.append(name)
            self.map.chips.append(0)
        return self.index[name]

    def _bind(self, span: _Span, event: PodBound) -> None:
        span.node, span.since_ns = self._node(event.node), event.at_ns
        taken = self.taken.setdefault(span.node, set())
        span.lanes = _free(taken, span.submitted.chips)
        taken.update(span.lanes)

    def _end(self, span: _Span, became: int) -> None:
        if span.node < 0:
            return
        self.taken[span.node].difference_update(span.lanes)
        span.until_ns, span.became = self.end_ns, became
        self.done.append(span)

    def _repair(self, node: int, what: str) -> None:
        found = self.down.pop((node, what), None)
        if found is not None and len(self.map.failures) < MAX_FAILURES:
            since, chips = found
            self.map.failures.append((node, _ms(since), _ms(self.end_ns) - _ms(since), chips))

    def conclude(self) -> NodeMap:
        """The map, with what still runs or is still down at the end."""
        for span in list(self.open.values()):
            self._end(span, RUNNING)
        for node, what in list(self.down):
            self._repair(node, what)
        chosen = sorted(self.done, key=lambda span: -span.weight)[:MAX_SPANS]
        self.map.left_out = len(self.done) - len(chosen)
        for span in sorted(chosen, key=lambda each: (each.since_ns, each.node, each.submitted.pod)):
            self._add(span)
        return self.map

    def _add(self, span: _Span) -> None:
        drawn = self.map
        for lane, width in _side_by_side(span.lanes) or [(NO_CHIP, 0)]:
            drawn.pods.append(span.submitted.pod)
            drawn.node.append(span.node)
            drawn.lane.append(lane)
            drawn.width.append(width)
            drawn.since.append(_ms(span.since_ns))
            drawn.length.append(_ms(span.until_ns) - _ms(span.since_ns))
            drawn.became.append(span.became)


def _free(taken: set[int], chips: int) -> list[int]:
    """So many of the lowest free lanes."""
    found: list[int] = []
    lane = 0
    while len(found) < chips:
        if lane not in taken:
            found.append(lane)
        lane += 1
    return found


def _side_by_side(lanes: list[int]) -> list[tuple[int, int]]:
    """Lanes in order as (first, number) of each unbroken row."""
    rows: list[tuple[int, int]] = []
    for lane in lanes:
        if rows and lane == sum(rows[-1]):
            rows[-1] = (rows[-1][0], rows[-1][1] + 1)
        else:
            rows.append((lane, 1))
    return rows


def _fate(event: PodEnded, deadline_ns: int | None) -> int:
    if event.cause is not None or event.outcome in {"evicted", "deleted"}:
        return CUT_SHORT
    if event.outcome == "failed":
        return FAILED
    if deadline_ns is None:
        return NO_DEADLINE
    return LATE if event.at_ns > deadline_ns else IN_TIME


def _ms(ns: int) -> int:
    return ns // MILLISECOND


def node_map(events: Iterable[Event]) -> NodeMap:
    """The map of a run."""
    mapper = _Mapper()
    for event in events:
        mapper.hear(event)
    return mapper.conclude()
