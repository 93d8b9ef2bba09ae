"""What a story is made of: one class for each kind of thing that happens to a job.

Instants and durations are nanoseconds, instants counted from the start of the run. The words for them stand
in :mod:`evaluator.story.wording`.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, TypeAlias

from evaluator.story.cluster import Stay, Wants
from evaluator.timeline import Cause, JobSubmitted, Outcome, PodSubmitted


class Reason(StrEnum):
    """Why a job waits at some instant. Found by replaying what is free on each node."""

    IMPOSSIBLE = "impossible"
    """Not even an empty node of this cluster could take it."""
    CAPACITY = "capacity"
    """Fewer chips were free in the whole cluster than it needs, or too little CPU or memory."""
    SCATTERED = "scattered"
    """Enough chips were free, but nowhere so many on one node, or not with the CPU and memory for them."""
    GANG = "gang"
    """There was room for some members of the gang, but not for all."""
    QUOTA = "quota"
    """The scheduler's message names a quota."""
    PASSED_OVER = "passed over"
    """There was room for it, and it was not used."""


@dataclass(frozen=True, slots=True)
class Rival:
    """Another pod that was started, or that ran, while the job waited."""

    pod: str
    job: str
    node: str | None
    at_ns: int
    """When it was given its node."""
    submitted_ns: int
    chips: int
    priority: int
    slack_ns: int | None
    """How long it could still have waited at the instant that it is named for; none without a deadline."""

    @classmethod
    def of(cls, stay: Stay, at_ns: int) -> "Rival":
        """A pod, as it stands at an instant."""
        return cls(
            pod=stay.pod,
            job=stay.job,
            node=stay.node,
            at_ns=at_ns if stay.bound_ns is None else stay.bound_ns,
            submitted_ns=stay.submitted.at_ns,
            chips=stay.submitted.chips,
            priority=stay.submitted.priority,
            slack_ns=stay.slack_ns(at_ns),
        )


@dataclass(slots=True)
class Opportunity:
    """A time during which there was room for the job that was not used."""

    at_ns: int
    nodes: list[str]
    """Some of the nodes that had room."""
    until_ns: int | None = None
    """When the room was gone, or used by the job itself."""
    taken_by: list[Rival] = field(default_factory=list)
    """Who was started meanwhile where the job had room."""


@dataclass(slots=True)
class Submitted:
    """The job came."""

    kind: ClassVar = "submitted"
    at_ns: int
    controller: str | None
    pods: int
    parallel: int
    gang: bool
    wants: Wants
    deadline_ns: int | None
    run_ns: int | None
    expected_ns: int | None
    priority: int
    user: str | None
    queue: str | None

    @classmethod
    def of(cls, event: JobSubmitted | PodSubmitted, job: JobSubmitted | None = None) -> "Submitted":
        """A bare pod's, or a job's; of a job, what its pods ask for is known once the first one comes."""
        pod = event if isinstance(event, PodSubmitted) else None
        return cls(
            at_ns=event.at_ns,
            controller=None if job is None else job.controller,
            pods=1 if job is None else job.pods,
            parallel=1 if job is None else job.parallel,
            gang=job is not None and job.gang,
            wants=Wants(0, 0, 0) if pod is None else Wants.of(pod),
            deadline_ns=event.deadline_ns,
            run_ns=event.run_ns,
            expected_ns=event.expected_ns,
            priority=event.priority,
            user=event.user,
            queue=event.queue,
        )


@dataclass(slots=True)
class HeldBack:
    """The job was there, but none of its pods: suspended, or held by a quota or another controller."""

    kind: ClassVar = "held back"
    at_ns: int
    until_ns: int


@dataclass(slots=True)
class Waited:
    """Pods of the job waited for nodes."""

    kind: ClassVar = "waited"
    at_ns: int
    until_ns: int
    pods: int
    """Waiting at once."""
    spent_ns: dict[Reason, int]
    started_meanwhile: int
    """Pods of other jobs that got a node in this time."""
    overtaken_by: int
    """Those of them that were submitted later."""
    ahead: list[Rival]
    """Some of those pods, those with most chips first."""
    opportunities: int
    """Times that room for it opened and was not used at that instant."""
    message: str
    """The scheduler's last word on why there was no place."""
    ended: bool = True
    """Whether the waiting came to an end in this run."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The node that was chosen, among those with room."""

    free_chips: int
    """Free there before."""
    chips: int
    """Usable there in whole."""
    alternatives: int
    """Nodes with room, this one included."""
    tighter: int
    """Nodes with room and fewer free chips."""


@dataclass(slots=True)
class Bound:
    """Pods were given their nodes."""

    kind: ClassVar = "bound"
    at_ns: int
    pods: list[str]
    nodes: list[str]
    choice: Choice | None
    """Of the first of them; none where by this reckoning the node had no room."""


@dataclass(slots=True)
class Started:
    """Work began."""

    kind: ClassVar = "started"
    at_ns: int
    pods: list[str]
    startup_ns: int
    """Since the first of them was given its node."""
    restored_ns: int
    """Work that was taken up from a checkpoint."""
    again: bool
    """Whether the job had run before."""


@dataclass(slots=True)
class CutShort:
    """Pods were ended from outside."""

    kind: ClassVar = "cut short"
    at_ns: int
    pods: list[str]
    nodes: list[str]
    cause: Cause | None
    reason: str
    message: str
    by: str | None = None
    """The pod that got the place."""
    failure: str | None = None
    """What failed."""
    kept_ns: int = 0
    lost_ns: int = 0


@dataclass(slots=True)
class PodsEnded:
    """Pods of a job of several came to their own end."""

    kind: ClassVar = "pods ended"
    at_ns: int
    pods: list[str]
    outcome: Outcome
    reason: str


@dataclass(slots=True)
class Finished:
    """The job is over."""

    kind: ClassVar = "finished"
    at_ns: int
    outcome: Outcome
    reason: str
    late_ns: int | None
    """Nanoseconds after its deadline, negative before it; none without a deadline."""


@dataclass(slots=True)
class LeftOver:
    """The run ended before the job did."""

    kind: ClassVar = "left"
    at_ns: int
    waiting: int
    running: int
    late_ns: int | None


Step: TypeAlias = Submitted | HeldBack | Waited | Bound | Started | CutShort | PodsEnded | Finished | LeftOver


@dataclass(slots=True)
class Verdict:
    """What would have had to differ for the job to be in time."""

    latest_start_ns: int | None = None
    """The last instant at which it could start and be in time; none without a deadline or a duration."""
    hopeless: bool = False
    """Whether even a start at its submission would have been too late."""
    started_ns: int | None = None
    """When its first pod was given a node."""
    first_room: Opportunity | None = None
    """The first instant with room for it while it waited for its first start."""
    yielding: list[Rival] = field(default_factory=list)
    """Some of those that ran at the latest start and could wait longer."""
    yielding_count: int = 0
    yielding_chips: int = 0
    undisturbed_ns: int | None = None
    """When it would have finished, had it not been cut short the first time."""
    first_cut_ns: int | None = None


@dataclass(slots=True)
class Story:
    """A job's way through a run."""

    job: str
    submitted: Submitted
    steps: list[Step]
    verdict: Verdict
    left_out: int = 0
    """Steps in the middle that a bounded story does not hold."""

    @property
    def late_ns(self) -> int | None:
        """Nanoseconds after the deadline at which it ended or was left; none without a deadline."""
        last = self.steps[-1] if self.steps else None
        return last.late_ns if isinstance(last, Finished | LeftOver) else None
