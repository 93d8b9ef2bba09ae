"""Work that is submitted: pods by themselves, and Jobs whose pods are made again when they are lost."""

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from evaluator.scenario.fields import (
    BytesText,
    Chips,
    CpuText,
    DurationText,
    InstantText,
    Item,
    Labels,
    LabelValue,
    Name,
)
from evaluator.scenario.happenings import Happening
from evaluator.scenario.units import (
    Duration,
    format_duration,
    parse_bytes,
    parse_cpu,
    parse_duration,
    parse_instant,
)
from fakeapi.kernel.time import SECOND

MAX_USER_PRIORITY = 1_000_000_000
"""Highest value of a user's priority class (``HighestUserDefinablePriority``)."""

MAX_PODS_OF_A_JOB = 100_000
"""Pods of one Job; as many as the largest cluster has pods for."""

MAX_RETRIES = 1_000_000

DEFAULT_RETRIES = 50
"""Failures that each pod of a Job may have. More than Kubernetes' 6: who is preempted or loses a chip counts
as failed, and training goes on all the same; still a program that always fails comes to an end."""


def implied_class_name(priority: int) -> str:
    """Name of the priority class that is made for pods that only give a number."""
    return f"scenario-priority-{'minus-' if priority < 0 else ''}{abs(priority)}"


class Toleration(Item):
    """Lets a pod onto nodes with a matching taint. Without a key it tolerates every taint."""

    key: str | None = None
    operator: Literal["Exists", "Equal"] = "Exists"
    value: LabelValue = ""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = None
    seconds: Annotated[int, Field(ge=0)] | None = None
    """Seconds that the pod stays after a NoExecute taint came (``tolerationSeconds``)."""


class Work(Item):
    """What pods and Jobs have in common: when they come, what each pod asks for, how long it works."""

    name: Name
    at: InstantText = "0s"
    """When it is submitted, from the start of the run."""
    chips: Chips = 0
    cpu: CpuText = 1
    memory: BytesText = "1Gi"
    run_time: DurationText | None = None
    """How long its work takes once started; none: it runs for ever."""
    checkpoint: DurationText | None = None
    """Its work is saved each time that so much more is done; none: nothing is saved before the end."""
    checkpoint_on_stop: bool = False
    """A stop that ends within the grace period saves all work done when it was asked."""
    restart_cost: DurationText | None = None
    """Extra time at each start of the same work but the first."""
    deadline: InstantText | None = None
    """When it should have finished: a duration after its submission, or an instant."""
    expected: DurationText | None = None
    """Estimate of the run time that the scheduler is shown; the true run time unless given."""
    priority_class: Name | None = None
    priority: Annotated[int, Field(ge=-MAX_USER_PRIORITY, le=MAX_USER_PRIORITY)] | None = None
    """Priority without a named class; a class of that value is made for it."""
    start_delay: DurationText | None = None
    """From binding to the start of the work: image pull and start-up."""
    stop_time: DurationText | None = None
    """How long it needs to stop when told to; its capacity is held until then."""
    exit_code: Annotated[int, Field(ge=0, le=255)] = 0
    """What its work exits with when its run time is over; anything but 0 makes it fail."""
    grace: DurationText = "30s"
    """Whole seconds after which a stop is forced (``terminationGracePeriodSeconds``)."""
    user: LabelValue | None = None
    queue: LabelValue | None = None
    namespace: Name = "default"
    scheduler_name: str | None = None
    """Name of the scheduler that places it; none: the one under test."""
    node_selector: Labels = Field(default_factory=dict)
    tolerations: tuple[Toleration, ...] = ()
    labels: Labels = Field(default_factory=dict)
    annotations: Mapping[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.priority is not None and self.priority_class is not None:
            raise ValueError("priority and priority_class cannot both be given")
        if self.run_time is not None and parse_duration(self.run_time) == 0:
            raise ValueError("run_time = '0s': work takes time; leave it out for a pod that runs for ever")
        return self

    @field_validator("grace")
    @classmethod
    def _whole_seconds(cls, value: Duration) -> Duration:
        if value % SECOND:
            raise ValueError(f"Kubernetes counts grace periods in whole seconds: {format_duration(value)}")
        return value

    @property
    def key(self) -> str:
        """``namespace/name``."""
        return f"{self.namespace}/{self.name}"

    @property
    def kind(self) -> Literal["pod", "job"]:
        """Which of the two it is."""
        return "job" if isinstance(self, Job) else "pod"

    @property
    def started(self) -> Happening:
        """To be waited for: its first pod began its work."""
        return Happening(self.kind, self.key, "started")

    @property
    def finished(self) -> Happening:
        """To be waited for: it came to its end, whichever."""
        return Happening(self.kind, self.key, "finished")

    @property
    def class_name(self) -> str | None:
        """Name of its priority class: the given one, or the one made for its priority."""
        if self.priority is not None:
            return implied_class_name(self.priority)
        return self.priority_class

    @property
    def cpu_milli(self) -> int:
        """CPU in thousandths of a core."""
        return int(parse_cpu(self.cpu))

    @property
    def memory_bytes(self) -> int:
        """Memory in bytes."""
        return int(parse_bytes(self.memory))

    @property
    def run_ns(self) -> int | None:
        """True run time in nanoseconds."""
        return None if self.run_time is None else int(parse_duration(self.run_time))

    @property
    def expected_ns(self) -> int | None:
        """Run time that the scheduler is shown, in nanoseconds."""
        return self.run_ns if self.expected is None else int(parse_duration(self.expected))

    def deadline_ns(self, at_ns: int, start_ns: int) -> int | None:
        """Deadline in nanoseconds since the start of the run.

        :param at_ns: submission, nanoseconds since the start of the run.
        :param start_ns: start of the run, nanoseconds since 1970-01-01T00:00:00Z.
        """
        if self.deadline is None:
            return None
        return parse_instant(self.deadline).since(start_ns, origin_ns=at_ns)


class Pod(Work):
    """A pod that is submitted: a job of one piece. Nothing makes it again when it is lost."""


class Job(Work):
    """A Job: pods of one kind that are made again when they are lost."""

    pods: Annotated[int, Field(ge=1, le=MAX_PODS_OF_A_JOB)] = 1
    """Pods that run at a time (``parallelism``)."""
    completions: Annotated[int, Field(ge=1, le=MAX_PODS_OF_A_JOB)] | None = None
    """Pods that have to succeed in whole; as many as run at a time unless given."""
    gang: bool = False
    """Its pods work only together: all at once or not at all, and restart as a whole."""
    topology: str | None = None
    """A label of nodes within one value of which a gang is kept where it fits there."""
    indexed: bool = True
    """Each pod has an index, and what replaces it goes on with its work."""
    retries: Annotated[int, Field(ge=0, le=MAX_RETRIES)] | None = None
    """Failed pods, preempted and lost ones among them, after which the Job has failed (``backoffLimit``).
    Fifty for each pod that runs at a time unless given: a gang fails as a whole."""
    suspend: bool = False
    active_deadline: DurationText | None = None
    """Whole seconds after its start at which the Job is ended, done or not (``activeDeadlineSeconds``)."""
    keep_for: DurationText | None = None
    """Whole seconds after which a finished Job is removed (``ttlSecondsAfterFinished``)."""

    @model_validator(mode="after")
    def _sound(self) -> Self:
        if self.gang and self.completions not in (None, self.pods):
            raise ValueError("a gang runs as a whole: completions is the number of its pods; leave it out")
        if self.topology is not None and not self.gang:
            raise ValueError("topology keeps a gang together: give gang=True, or leave it out")
        return self

    @property
    def needed(self) -> int:
        """Pods that have to succeed in whole."""
        return self.pods if self.completions is None else self.completions

    @property
    def backoff_limit(self) -> int:
        """Failed pods after which it has failed."""
        return DEFAULT_RETRIES * self.pods if self.retries is None else self.retries

    @field_validator("active_deadline", "keep_for")
    @classmethod
    def _in_whole_seconds(cls, value: Duration | None) -> Duration | None:
        if value is not None and value % SECOND:
            raise ValueError(f"Kubernetes counts it in whole seconds: {format_duration(value)}")
        return value
