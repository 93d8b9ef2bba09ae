"""A run as a trace for Perfetto (https://ui.perfetto.dev) or Chrome's own viewer: the Trace Event Format.

Each node is a process, each of its chips a thread, and a pod is a slice on every chip that it holds; pods
without chips have threads of their own below. Failures are slices on a thread "hardware" from failure to
repair, and marks; preemptions and other losses are marks. The process "cluster" carries counters.

The timeline says how many chips a pod holds, not which: each pod is drawn on the lowest ones that are free.

Source of the format: "Trace Event Format" (Duffy, Google), as Perfetto's documentation of legacy JSON traces
refers to it. Times are microseconds since the start of the run, with three decimals: exact to a nanosecond.

One file, because what hears an event and what writes it change together.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import orjson

from evaluator.timeline import (
    Event,
    HardwareFailed,
    HardwareRepaired,
    NodeAdded,
    NodeChanged,
    NodeRemoved,
    PodBound,
    PodDisrupted,
    PodEnded,
    PodStarted,
    PodSubmitted,
    RunEnded,
    RunStarted,
)
from fakeapi.kernel.time import MICROSECOND

TraceEvent: TypeAlias = dict[str, Any]

CLUSTER: Final = 1
"""The process of the counters; nodes follow it. Perfetto takes process 0 for the idle task."""

HARDWARE: Final = 1
"""The thread of a node's failures. Thread 0 is the idle task, too."""

FIRST_CHIP: Final = 2
"""The thread of a node's first chip."""

CHIPLESS: Final = 10_000
"""The first thread of pods that hold no chip: above any node's chips."""

COLORS: Final = {
    "succeeded": "good",
    "failed": "terrible",
    "evicted": "bad",
    "deleted": "grey",
    None: "generic_work",
}
"""Chrome's names of colours, by outcome; Perfetto chooses colours of its own."""


@dataclass(slots=True)
class _Pod:
    """A pod in the cluster."""

    submitted: PodSubmitted
    node: str | None = None
    bound_ns: int = 0
    started_ns: int | None = None
    lanes: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Node:
    """A node, as a process."""

    pid: int
    chips: int
    taken: set[int] = field(default_factory=set)
    named: set[int] = field(default_factory=set)
    down: dict[str, tuple[int, HardwareFailed]] = field(default_factory=dict)
    """What failed → since when."""


@dataclass(slots=True)
class _Tracer:
    """A trace in the making."""

    out: list[TraceEvent] = field(default_factory=list)
    nodes: dict[str, _Node] = field(default_factory=dict)
    pods: dict[str, _Pod] = field(default_factory=dict)
    usable: dict[str, int] = field(default_factory=dict)
    usable_total: int = 0
    pending: int = 0
    held: int = 0
    told: dict[str, int] = field(default_factory=dict)
    at_ns: int = 0

    def hear(self, event: Event) -> None:
        """Take one event in."""
        if event.at_ns != self.at_ns:
            self._count()
            self.at_ns = event.at_ns
        match event:
            case NodeAdded() | NodeChanged() | NodeRemoved():
                self._change_node(event)
            case PodSubmitted():
                self.pods[event.pod] = _Pod(event)
                self.pending += 1
            case PodBound():
                self._bind(event)
            case PodStarted() if event.pod in self.pods:
                self.pods[event.pod].started_ns = event.at_ns
            case PodDisrupted() if event.pod in self.pods:
                self._mark_pod(event, f"ending ({event.cause}): {event.pod}", {"message": event.message})
            case PodEnded():
                self._end(event)
            case HardwareFailed() | HardwareRepaired():
                self._change_hardware(event)
            case RunEnded():
                self._conclude(event)
            case _:
                pass

    # ---- nodes --------------------------------------------------------------------------------

    def _change_node(self, event: NodeAdded | NodeChanged | NodeRemoved) -> None:
        self.usable_total -= self.usable.pop(event.node, 0)
        if isinstance(event, NodeRemoved):
            self._mark(self._node(event.node), HARDWARE, "node removed", event.at_ns, {})
            return
        node = self._node(event.node)
        node.chips = max(node.chips, event.chips)
        ready = isinstance(event, NodeAdded) or event.ready
        self.usable[event.node] = event.chips if ready else 0
        self.usable_total += self.usable[event.node]

    def _node(self, name: str) -> _Node:
        if name not in self.nodes:
            pid = CLUSTER + 1 + len(self.nodes)
            self.nodes[name] = _Node(pid, 0)
            self.out += _process(pid, name)
        return self.nodes[name]

    def _change_hardware(self, event: HardwareFailed | HardwareRepaired) -> None:
        node = self._node(event.node)
        what = "node" if event.what == "node" else f"{event.chips} chips"
        if isinstance(event, HardwareFailed):
            args = {"chips": event.chips, "group": event.group}
            self._mark(node, HARDWARE, f"failed: {what}", event.at_ns, args)
            node.down.setdefault(event.what, (event.at_ns, event))
        else:
            self._mark(node, HARDWARE, f"repaired: {what}", event.at_ns, {"chips": event.chips})
            self._close_failure(node, event.what, event.at_ns)

    def _close_failure(self, node: _Node, what: str, at_ns: int) -> None:
        found = node.down.pop(what, None)
        if found is not None:
            since, failure = found
            args = {"chips": failure.chips, "group": failure.group}
            self._slice(node, HARDWARE, f"{what} down", since, at_ns, args, None)

    # ---- pods ---------------------------------------------------------------------------------

    def _bind(self, event: PodBound) -> None:
        pod = self.pods.get(event.pod)
        if pod is None:
            return
        node = self._node(event.node)
        pod.node, pod.bound_ns = event.node, event.at_ns
        pod.lanes = _free_lanes(node, pod.submitted.chips)
        node.taken.update(pod.lanes)
        self.pending -= 1
        self.held += pod.submitted.chips

    def _end(self, event: PodEnded) -> None:
        pod = self.pods.pop(event.pod, None)
        if pod is None:
            return
        if pod.node is None:
            self.pending -= 1
            return
        self.held -= pod.submitted.chips
        self._draw(pod, event.at_ns, event)
        node = self._node(pod.node)
        node.taken.difference_update(pod.lanes)
        if event.cause is not None:
            args = {"pod": event.pod, "lost_s": _seconds(event.lost_ns), "kept_s": _seconds(event.kept_ns)}
            self._mark(node, pod.lanes[0], f"{event.cause}: {event.pod}", event.at_ns, args)

    def _draw(self, pod: _Pod, until_ns: int, end: PodEnded | None) -> None:
        node = self._node(pod.node or "")
        outcome = None if end is None else end.outcome
        asked = pod.submitted
        args: TraceEvent = {
            "job": asked.job or asked.pod,
            "chips": asked.chips,
            "user": asked.user,
            "queue": asked.queue,
            "priority": asked.priority,
            "waited_s": _seconds(pod.bound_ns - asked.at_ns),
            "outcome": outcome or "left running",
        }
        if asked.deadline_ns is not None:
            args["late_s"] = _seconds(until_ns - asked.deadline_ns)
        for lane in pod.lanes:
            self._name_lane(node, lane)
            self._slice(node, lane, asked.pod, pod.bound_ns, until_ns, args, COLORS[outcome])
            started = until_ns if pod.started_ns is None else pod.started_ns
            if started > pod.bound_ns:
                self._slice(node, lane, "start-up", pod.bound_ns, started, {}, "thread_state_sleeping")

    def _name_lane(self, node: _Node, lane: int) -> None:
        if lane not in node.named:
            node.named.add(lane)
            name = f"no chip {lane - CHIPLESS}" if lane >= CHIPLESS else f"chip {lane - FIRST_CHIP}"
            self.out += _thread(node.pid, lane, name)

    def _mark_pod(self, event: PodDisrupted, name: str, args: TraceEvent) -> None:
        pod = self.pods[event.pod]
        if pod.node is not None:
            self._mark(self._node(pod.node), pod.lanes[0], name, event.at_ns, args)

    # ---- what is written ----------------------------------------------------------------------

    def _slice(
        self, node: _Node, tid: int, name: str, since: int, until: int, args: TraceEvent, color: str | None
    ) -> None:
        event = {"ph": "X", "pid": node.pid, "tid": tid, "ts": _micro(since), "dur": _micro(until - since)}
        event |= {"name": name, "cat": "pod" if tid != HARDWARE else "hardware", "args": args}
        self.out.append({**event, "cname": color} if color else event)

    def _mark(self, node: _Node, tid: int, name: str, at_ns: int, args: TraceEvent) -> None:
        event = {"ph": "i", "s": "t", "pid": node.pid, "tid": tid, "ts": _micro(at_ns)}
        if tid == HARDWARE and HARDWARE not in node.named:
            node.named.add(HARDWARE)
            self.out += _thread(node.pid, HARDWARE, "hardware")
        self.out.append({**event, "name": name, "cat": "mark", "args": args})

    def _count(self) -> None:
        """Counters, as they are at the end of an instant."""
        now = {
            "pending pods": self.pending,
            "usable chips": self.usable_total,
            "held chips": self.held,
        }
        for name, value in now.items():
            if self.told.get(name) != value:
                self.told[name] = value
                event = {"ph": "C", "pid": CLUSTER, "tid": 0, "ts": _micro(self.at_ns), "name": name}
                self.out.append({**event, "args": {"value": value}})

    def _conclude(self, event: RunEnded) -> None:
        for pod in self.pods.values():
            if pod.node is not None:
                self._draw(pod, event.at_ns, None)
        for node in self.nodes.values():
            for what in list(node.down):
                self._close_failure(node, what, event.at_ns)
        self._count()


def _free_lanes(node: _Node, chips: int) -> list[int]:
    """The lowest free threads: one for each chip, or one of those without."""
    lane = FIRST_CHIP if chips else CHIPLESS
    found: list[int] = []
    while len(found) < max(1, chips):
        if lane not in node.taken:
            found.append(lane)
        lane += 1
    return found


def _micro(ns: int) -> int | float:
    """Microseconds, whole where they are."""
    whole, rest = divmod(ns, MICROSECOND)
    return whole if not rest else ns / MICROSECOND


def _seconds(ns: int) -> float:
    return ns / (MICROSECOND * 1_000_000)


def _process(pid: int, name: str) -> list[TraceEvent]:
    return [
        {"ph": "M", "pid": pid, "tid": 0, "name": "process_name", "args": {"name": name}},
        {"ph": "M", "pid": pid, "tid": 0, "name": "process_sort_index", "args": {"sort_index": pid}},
    ]


def _thread(pid: int, tid: int, name: str) -> list[TraceEvent]:
    return [
        {"ph": "M", "pid": pid, "tid": tid, "name": "thread_name", "args": {"name": name}},
        {"ph": "M", "pid": pid, "tid": tid, "name": "thread_sort_index", "args": {"sort_index": tid}},
    ]


def trace_events(events: Iterable[Event]) -> list[TraceEvent]:
    """The events of the trace: names first, then by time, an outer slice before those inside it."""
    tracer = _Tracer(out=_process(CLUSTER, "cluster"))
    for event in events:
        tracer.hear(event)
    names = [event for event in tracer.out if event["ph"] == "M"]
    rest = [event for event in tracer.out if event["ph"] != "M"]
    return names + sorted(rest, key=lambda event: (event["ts"], -event.get("dur", 0)))


def write_trace(events: Iterable[Event]) -> Iterator[bytes]:
    """The trace as JSON, an event a line; equal timelines give equal bytes."""
    kept = list(events)
    first = kept[0] if kept else None
    facts: defaultdict[str, Any] = defaultdict(str)
    if isinstance(first, RunStarted):
        facts.update(scenario=first.scenario, scheduler=first.scheduler, seed=first.seed, start=first.start)
    head = orjson.dumps({"displayTimeUnit": "ms", "otherData": dict(facts)})
    yield head[:-1] + b',"traceEvents":[\n'
    before = b""
    for event in trace_events(kept):
        yield before + orjson.dumps(event)
        before = b",\n"
    yield b"\n]}\n"
