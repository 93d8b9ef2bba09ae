"""The tables that all metrics are computed from: one pass over a timeline, a row for each pod and each job.

A *job* is what somebody submitted as one thing: a Job, a Deployment or its kin, a PodGroup, or a pod by
itself. Its pods come and go: a pod that replaces another is another attempt at the same work. People wait for
jobs, and capacity is held by pods.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from evaluator.metrics.records import Attempts, JobRecord, PodRecord
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


@dataclass(frozen=True, slots=True, eq=False)
class Ledger:
    """Everything that metrics need to know about a run. Each is equal to itself alone."""

    jobs: tuple[JobRecord, ...]
    """In the order of submission. Services, which run for ever by intention, count as any."""
    pods: tuple[PodRecord, ...]
    """In the order of submission."""
    node_chips: tuple[tuple[int, str, int], ...]
    """Each change of a node: the instant, its name, its usable chips from then on."""
    end_ns: int
    """End of the run; of what is known of it, if it was cut short."""
    usable_chips: Steps
    """Allocatable chips of nodes that are ready."""
    nominal_chips: Steps
    """Chips of all nodes as they joined, failed or not."""
    usable_cpu_milli: Steps
    all_have_ended: bool
    """Whether every job with a deadline has: of the whole run, also where ``jobs`` are a part of them."""

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

    pods: list[PodRecord] = field(default_factory=list)
    current: dict[str, PodRecord] = field(default_factory=dict)
    jobs: list[Attempts] = field(default_factory=list)
    current_jobs: dict[str, Attempts] = field(default_factory=dict)
    node_chips: list[tuple[int, str, int]] = field(default_factory=list)
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
                pod = self._pod(event)
                pod.bound_ns, pod.node = event.at_ns, event.node
            case PodStarted():
                self._pod(event).started_ns = event.at_ns
            case PodEnded():
                pod = self._pod(event)
                pod.ended_ns, pod.outcome, pod.reason = event.at_ns, event.outcome, event.reason
                pod.cause, pod.kept_ns, pod.lost_ns = event.cause, event.kept_ns, event.lost_ns
            case PodUnschedulable():
                self._pod(event).unschedulable = event.message
            case JobSubmitted():
                self.current_jobs[event.job] = attempts = Attempts(event.job, event)
                self.jobs.append(attempts)
            case JobEnded():
                job = self._job(event, event.job)
                job.ended_ns, job.outcome = event.at_ns, event.outcome
            case NodeAdded() | NodeChanged() | NodeRemoved():
                self._change_node(event)
            case RunStarted() | RunEnded() | HardwareFailed() | HardwareRepaired():
                pass
            case PodNominated() | PodDisrupted():
                pass  # what follows from them is told when it happens

    def _submit(self, event: PodSubmitted) -> None:
        before = self.current.get(event.pod)
        if before is not None and before.ended_ns is None:
            refuse(event, f"pod {event.pod} is submitted again before its end")
        pod = PodRecord(
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
            job=event.job,
            chip_type=event.chip_type,
        )
        self.current[event.pod] = pod
        self.pods.append(pod)
        if event.job is None:
            self.jobs.append(Attempts(event.pod, None, [pod]))
        else:
            self._job(event, event.job).pods.append(pod)

    def _pod(self, event: PodBound | PodStarted | PodEnded | PodUnschedulable) -> PodRecord:
        pod = self.current.get(event.pod)
        if pod is None:
            refuse(event, f"{event.kind} of pod {event.pod}, which was never submitted")
        if pod.ended_ns is not None:
            refuse(event, f"{event.kind} of pod {event.pod}, which has ended")
        return pod

    def _job(self, event: Event, name: str) -> Attempts:
        job = self.current_jobs.get(name)
        if job is None:
            refuse(event, f"{event.kind} of job {name}, which was never submitted")
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
        usable = after.chips if after is not None and after.ready else 0
        self.node_chips.append((event.at_ns, event.node, usable))
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
    jobs = tuple(job.record() for job in reader.jobs)
    return Ledger(
        jobs=jobs,
        all_have_ended=all(job.ended_ns is not None for job in jobs if job.deadline_ns is not None),
        pods=tuple(reader.pods),
        node_chips=tuple(reader.node_chips),
        end_ns=reader.end_ns,
        usable_chips=tuple(reader.usable_chips),
        nominal_chips=tuple(reader.nominal_chips),
        usable_cpu_milli=tuple(reader.usable_cpu_milli),
    )
