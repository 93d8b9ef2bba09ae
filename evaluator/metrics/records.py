"""The rows of the tables: one pod, one job."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from evaluator.timeline import Cause, JobSubmitted, Outcome

OWN_END: Final = frozenset({"succeeded", "failed"})
"""Outcomes of work that ran to its own end, well or badly: nobody took its place away."""


@dataclass(slots=True)
class PodRecord:
    """What is known of one pod. Instants in nanoseconds since the start of the run; none: not come to."""

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
    job: str | None = None
    """The job that it belongs to; none if it is one itself."""
    chip_type: str | None = None
    node: str | None = None
    bound_ns: int | None = None
    started_ns: int | None = None
    ended_ns: int | None = None
    outcome: Outcome | None = None
    reason: str = ""
    cause: Cause | None = None
    """Why it was cut short."""
    kept_ns: int = 0
    lost_ns: int = 0
    """Work that counts, and work that has to be done again; both told when it ends."""
    unschedulable: str = ""
    """The last message that said why there was no place for it."""

    @property
    def pending(self) -> bool:
        """Whether it still waits for a node."""
        return self.bound_ns is None and self.ended_ns is None

    @property
    def running(self) -> bool:
        """Whether it holds capacity."""
        return self.bound_ns is not None and self.ended_ns is None

    @property
    def held_ns(self) -> int:
        """How long it held its place; 0 while it does, or if it never did."""
        return 0 if self.bound_ns is None or self.ended_ns is None else self.ended_ns - self.bound_ns


@dataclass(frozen=True, slots=True)
class JobRecord:
    """What is known of one job. Instants in nanoseconds since the start of the run; none: not come to."""

    name: str
    submitted_ns: int
    chips: int
    """Of all pods that it runs at a time."""
    parallel: int
    """Pods that it runs at a time."""
    stages: int
    """How often so many pods have to run, one after the other, until all its pods have."""
    gang: bool
    priority: int
    deadline_ns: int | None
    expected_ns: int | None
    run_ns: int | None
    """Of one pod."""
    user: str | None
    queue: str | None
    chip_type: str | None
    pods: tuple[PodRecord, ...]
    """All that it ever had, in the order of submission."""
    bound_ns: int | None
    """When it first had the places that it needs: of a gang all at once, else of one pod."""
    started_ns: int | None
    """When so many pods first worked."""
    ended_ns: int | None
    outcome: Outcome | None

    @property
    def finished_ns(self) -> int | None:
        """When its work came to its own end."""
        return self.ended_ns if self.outcome in OWN_END else None

    @property
    def work_ns(self) -> int | None:
        """How long all its work takes when nothing disturbs it; none if it runs for ever."""
        return None if self.run_ns is None else self.run_ns * self.stages

    @property
    def running(self) -> bool:
        """Whether some of its pods hold capacity."""
        return self.ended_ns is None and any(pod.running for pod in self.pods)

    @property
    def pending(self) -> bool:
        """Whether it has not ended, and none of its pods holds capacity."""
        return self.ended_ns is None and not self.running

    @property
    def unschedulable(self) -> str:
        """The last message that said why a pod of it had no place."""
        return next((pod.unschedulable for pod in reversed(self.pods) if pod.unschedulable), "")


@dataclass(slots=True)
class Attempts:
    """A job in the making."""

    name: str
    submitted: JobSubmitted | None
    """How it was submitted; none for a pod by itself."""
    pods: list[PodRecord] = field(default_factory=list)
    ended_ns: int | None = None
    outcome: Outcome | None = None

    def record(self) -> JobRecord:
        """The row of the job, once all is known."""
        told = self.submitted
        if told is None:
            return _alone(self.pods[0])
        parallel = max(1, told.parallel)
        least = parallel if told.gang else 1
        return JobRecord(
            name=self.name,
            submitted_ns=told.at_ns,
            chips=told.chips,
            parallel=parallel,
            stages=-(-max(1, told.pods) // parallel),
            gang=told.gang,
            priority=told.priority,
            deadline_ns=told.deadline_ns,
            expected_ns=told.expected_ns,
            run_ns=told.run_ns,
            user=told.user,
            queue=told.queue,
            chip_type=self.pods[0].chip_type if self.pods else None,
            pods=tuple(self.pods),
            bound_ns=_together(self.pods, least, lambda pod: pod.bound_ns),
            started_ns=_together(self.pods, least, lambda pod: pod.started_ns),
            ended_ns=self.ended_ns,
            outcome=self.outcome,
        )


def _alone(pod: PodRecord) -> JobRecord:
    """The job that a pod by itself is."""
    return JobRecord(
        name=pod.pod,
        submitted_ns=pod.submitted_ns,
        chips=pod.chips,
        parallel=1,
        stages=1,
        gang=False,
        priority=pod.priority,
        deadline_ns=pod.deadline_ns,
        expected_ns=pod.expected_ns,
        run_ns=pod.run_ns,
        user=pod.user,
        queue=pod.queue,
        chip_type=pod.chip_type,
        pods=(pod,),
        bound_ns=pod.bound_ns,
        started_ns=pod.started_ns,
        ended_ns=pod.ended_ns,
        outcome=pod.outcome,
    )


def _together(pods: Iterable[PodRecord], least: int, began: Callable[[PodRecord], int | None]) -> int | None:
    """The first instant at which so many pods have begun and not ended; none if that never was."""
    changes: list[tuple[int, int]] = []
    for pod in pods:
        at = began(pod)
        if at is not None:
            changes.append((at, 1))
            if pod.ended_ns is not None:
                changes.append((pod.ended_ns, -1))
    count = 0
    for at, change in sorted(changes):  # ends before beginnings of the same instant
        count += change
        if count >= least:
            return at
    return None
