"""The table that all metrics are computed from: one pass over a timeline, one row for each job."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from evaluator.metrics.steps import Step, Steps
from evaluator.timeline import (
    Event,
    HardwareFailed,
    HardwareRepaired,
    JobEnded,
    JobSubmitted,
    NodeAdded,
    NodeChanged,
    NodeRemoved,
    Outcome,
    PodBound,
    PodDisrupted,
    PodEnded,
    PodNominated,
    PodStarted,
    PodSubmitted,
    PodUnschedulable,
    RunEnded,
    RunStarted,
    refuse,
)

OWN_END: Final = frozenset({"succeeded", "failed"})
"""Outcomes of work that ran to its own end, well or badly: nobody took its place away."""


@dataclass(slots=True)
class JobRecord:
    """What is known of one job. Instants in nanoseconds since the start of the run; none: not come to."""

    pod: str
    submitted_ns: int
    chips: int
    cpu_milli: int
    memory_bytes: int
    priority: int
    deadline_ns: int | None
    expected_ns: int | None
    run_ns: int | None
    user: str | None
    queue: str | None
    scheduler: str
    node: str | None = None
    bound_ns: int | None = None
    started_ns: int | None = None
    ended_ns: int | None = None
    outcome: Outcome | None = None
    reason: str = ""
    unschedulable: str = ""
    """The last message that said why there was no place for it."""

    @property
    def finished_ns(self) -> int | None:
        """When its work came to its own end."""
        return self.ended_ns if self.outcome in OWN_END else None

    @property
    def pending(self) -> bool:
        """Whether it still waits for a node."""
        return self.bound_ns is None and self.ended_ns is None

    @property
    def running(self) -> bool:
        """Whether it holds capacity."""
        return self.bound_ns is not None and self.ended_ns is None


@dataclass(frozen=True, slots=True)
class Ledger:
    """Everything that metrics need to know about a run."""

    jobs: tuple[JobRecord, ...]
    """In the order of submission."""
    end_ns: int
    """End of the run; of what is known of it, if it was cut short."""
    usable_chips: Steps
    """Allocatable chips of nodes that are ready."""
    nominal_chips: Steps
    """Chips of all nodes as they joined, failed or not."""
    usable_cpu_milli: Steps

    @property
    def first_submission_ns(self) -> int:
        """When the first job was submitted; the start of the run if none was."""
        return self.jobs[0].submitted_ns if self.jobs else 0

    @property
    def last_end_ns(self) -> int:
        """When the last job with a run time ended, or the run did if one of them was left."""
        ends = [
            self.end_ns if job.ended_ns is None else job.ended_ns
            for job in self.jobs
            if job.run_ns is not None
        ]
        return max(ends, default=self.end_ns)


@dataclass(slots=True)
class _Machine:
    chips: int
    cpu_milli: int
    nominal_chips: int
    ready: bool = True


@dataclass(slots=True)
class _Reader:
    """A ledger in the making."""

    jobs: list[JobRecord] = field(default_factory=list)
    current: dict[str, JobRecord] = field(default_factory=dict)
    machines: dict[str, _Machine] = field(default_factory=dict)
    usable_chips: list[Step] = field(default_factory=list)
    nominal_chips: list[Step] = field(default_factory=list)
    usable_cpu_milli: list[Step] = field(default_factory=list)
    totals: _Machine = field(default_factory=lambda: _Machine(0, 0, 0))
    end_ns: int = 0

    def read(self, event: Event) -> None:
        """Take one event in."""
        self.end_ns = event.at_ns
        match event:
            case PodSubmitted():
                self._submit(event)
            case PodBound():
                job = self._job(event)
                job.bound_ns, job.node = event.at_ns, event.node
            case PodStarted():
                self._job(event).started_ns = event.at_ns
            case PodEnded():
                job = self._job(event)
                job.ended_ns, job.outcome, job.reason = event.at_ns, event.outcome, event.reason
            case PodUnschedulable():
                self._job(event).unschedulable = event.message
            case NodeAdded() | NodeChanged() | NodeRemoved():
                self._change_node(event)
            case RunStarted() | RunEnded() | HardwareFailed() | HardwareRepaired():
                pass
            case JobSubmitted() | JobEnded() | PodNominated() | PodDisrupted():
                pass  # pods alone are counted

    def _submit(self, event: PodSubmitted) -> None:
        before = self.current.get(event.pod)
        if before is not None and before.ended_ns is None:
            refuse(event, f"pod {event.pod} is submitted again before its end")
        job = JobRecord(
            pod=event.pod,
            submitted_ns=event.at_ns,
            chips=event.chips,
            cpu_milli=event.cpu_milli,
            memory_bytes=event.memory_bytes,
            priority=event.priority,
            deadline_ns=event.deadline_ns,
            expected_ns=event.expected_ns,
            run_ns=event.run_ns,
            user=event.user,
            queue=event.queue,
            scheduler=event.scheduler,
        )
        self.current[event.pod] = job
        self.jobs.append(job)

    def _job(self, event: PodBound | PodStarted | PodEnded | PodUnschedulable) -> JobRecord:
        job = self.current.get(event.pod)
        if job is None:
            refuse(event, f"{event.kind} of pod {event.pod}, which was never submitted")
        if job.ended_ns is not None:
            refuse(event, f"{event.kind} of pod {event.pod}, which has ended")
        return job

    def _change_node(self, event: NodeAdded | NodeChanged | NodeRemoved) -> None:
        before = self.machines.pop(event.node, None)
        if before is None and not isinstance(event, NodeAdded):
            refuse(event, f"{event.kind} of node {event.node}, which never joined")
        if before is not None and isinstance(event, NodeAdded):
            refuse(event, f"node {event.node} joins twice")
        after = _machine(event, before)
        if after is not None:
            self.machines[event.node] = after
        self._add(before, -1)
        self._add(after, +1)
        self.usable_chips.append((event.at_ns, self.totals.chips))
        self.nominal_chips.append((event.at_ns, self.totals.nominal_chips))
        self.usable_cpu_milli.append((event.at_ns, self.totals.cpu_milli))

    def _add(self, machine: _Machine | None, sign: int) -> None:
        if machine is None:
            return
        self.totals.nominal_chips += sign * machine.nominal_chips
        if machine.ready:
            self.totals.chips += sign * machine.chips
            self.totals.cpu_milli += sign * machine.cpu_milli


def _machine(event: NodeAdded | NodeChanged | NodeRemoved, before: _Machine | None) -> _Machine | None:
    match event:
        case NodeAdded():
            return _Machine(event.chips, event.cpu_milli, event.chips)
        case NodeChanged():
            nominal = event.chips if before is None else before.nominal_chips
            return _Machine(event.chips, event.cpu_milli, nominal, event.ready)
        case NodeRemoved():
            return None


def read_ledger(events: Iterable[Event]) -> Ledger:
    """The table of a run.

    :raises FileFormatError: if an event cannot follow those before it.
    """
    reader = _Reader()
    for event in events:
        reader.read(event)
    return Ledger(
        jobs=tuple(reader.jobs),
        end_ns=reader.end_ns,
        usable_chips=tuple(reader.usable_chips),
        nominal_chips=tuple(reader.nominal_chips),
        usable_cpu_milli=tuple(reader.usable_cpu_milli),
    )
