"""The simplest scheduler there is, in virtual time: a plausible timeline of a scenario without any process.

Jobs are tried in a given order whenever something changes; each goes to the node with the fewest free chips
that has room for it, and runs to its end.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from evaluator.scenario.model import Node, Pod
from evaluator.scenario.plan import LoadedScenario
from evaluator.scenario.units import format_rfc3339
from evaluator.timeline import (
    NodeAdded,
    PodBound,
    PodEnded,
    PodStarted,
    PodSubmitted,
    RunEnded,
    RunStarted,
    Timeline,
)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A job that waits."""

    pod: Pod
    number: int
    submitted_ns: int
    deadline_ns: int | None


Order: TypeAlias = Callable[[Waiting], int]
"""The job with the least value is tried first."""


def arrival(job: Waiting) -> int:
    """First come, first served."""
    return job.number


def slack(job: Waiting) -> int:
    """Least slack time first; those without a deadline last."""
    assert job.pod.expected_ns is not None
    return 2**63 if job.deadline_ns is None else job.deadline_ns - job.pod.expected_ns


@dataclass(slots=True)
class _Cluster:
    timeline: Timeline
    order: Order
    free: dict[str, list[int]] = field(default_factory=dict)
    waiting: list[Waiting] = field(default_factory=list)
    ends: list[tuple[int, int, Pod, str]] = field(default_factory=list)

    def add(self, node: Node, at_ns: int) -> None:
        self.free[node.name] = [node.chips, node.cpu_milli, node.memory_bytes]
        self.timeline.append(
            NodeAdded(
                at_ns=at_ns,
                node=node.name,
                chips=node.chips,
                chip_type=node.chip_type,
                cpu_milli=node.cpu_milli,
                memory_bytes=node.memory_bytes,
            )
        )

    def submit(self, job: Waiting, scheduler: str) -> None:
        pod = job.pod
        self.waiting.append(job)
        self.timeline.append(
            PodSubmitted(
                at_ns=job.submitted_ns,
                pod=pod.key,
                chips=pod.chips,
                cpu_milli=pod.cpu_milli,
                memory_bytes=pod.memory_bytes,
                priority=0,
                deadline_ns=job.deadline_ns,
                expected_ns=pod.expected_ns,
                run_ns=pod.run_ns,
                user=pod.user,
                queue=pod.queue,
                scheduler=scheduler,
            )
        )

    def end_due(self, now: int) -> None:
        while self.ends and self.ends[0][0] <= now:
            at_ns, _, pod, node = heapq.heappop(self.ends)
            _add(self.free[node], pod, +1)
            self.timeline.append(
                PodEnded(at_ns=at_ns, pod=pod.key, node=node, outcome="succeeded", reason="Completed")
            )

    def place(self, now: int) -> None:
        for job in sorted(self.waiting, key=self.order):
            fitting = [name for name, free in self.free.items() if _fits(job.pod, free)]
            if fitting:
                self._bind(job, min(fitting, key=lambda name: self.free[name][0]), now)

    def _bind(self, job: Waiting, node: str, now: int) -> None:
        assert job.pod.run_ns is not None
        self.waiting.remove(job)
        _add(self.free[node], job.pod, -1)
        heapq.heappush(self.ends, (now + job.pod.run_ns, job.number, job.pod, node))
        self.timeline.append(PodBound(at_ns=now, pod=job.pod.key, node=node))
        self.timeline.append(PodStarted(at_ns=now, pod=job.pod.key, node=node))


def _amounts(pod: Pod) -> tuple[int, int, int]:
    return pod.chips, pod.cpu_milli, pod.memory_bytes


def _fits(pod: Pod, free: list[int]) -> bool:
    return all(asked <= left for asked, left in zip(_amounts(pod), free, strict=True))


def _add(free: list[int], pod: Pod, sign: int) -> None:
    free[:] = [left + sign * asked for left, asked in zip(free, _amounts(pod), strict=True)]


def run(scenario: LoadedScenario, order: Order, scheduler: str) -> Timeline:
    """The timeline of a scenario whose jobs all have run times."""
    timeline = Timeline()
    timeline.append(
        RunStarted(
            scenario=scenario.name,
            scenario_digest=scenario.digest,
            scheduler=scheduler,
            seed=scenario.seed,
            start=format_rfc3339(scenario.start_ns),
        )
    )
    cluster = _Cluster(timeline, order)
    arrivals = [each for each in scenario.arrivals if isinstance(each.item, Node | Pod)]
    while arrivals or cluster.ends:
        now = min([each.at_ns for each in arrivals[:1]] + [end[0] for end in cluster.ends[:1]])
        cluster.end_due(now)
        while arrivals and arrivals[0].at_ns == now:
            each = arrivals.pop(0)
            if isinstance(each.item, Node):
                cluster.add(each.item, now)
            elif isinstance(each.item, Pod):
                deadline_ns = each.item.deadline_ns(now, scenario.start_ns)
                cluster.submit(Waiting(each.item, each.number, now, deadline_ns), scheduler)
        cluster.place(now)
    left = len(cluster.waiting)
    timeline.append(RunEnded(at_ns=timeline.end_ns, why="nothing is left to happen", pending=left, running=0))
    return timeline
