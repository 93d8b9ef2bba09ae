"""What a scenario says: the things that exist and the things that arrive.

Every item is frozen, refuses fields it does not know, and is checked when it is made. Amounts and times are
written as text with a unit (see :mod:`evaluator.scenario.units`) and read as integers through the properties
whose names end in the unit.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

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
from evaluator.scenario.units import (
    Duration,
    Instant,
    format_duration,
    parse_bytes,
    parse_cpu,
    parse_duration,
    parse_instant,
)
from fakeapi.kernel.time import SECOND

DEFAULT_START = "2026-01-05T00:00:00Z"
"""Instant at which virtual time begins, a Monday, so that weekday patterns start with a week."""

CHIP_RESOURCE = "nvidia.com/gpu"
"""Extended resource by which chips are counted unless the settings say otherwise."""

DEFAULT_PODS_PER_NODE = 256
"""Pods that a node takes. Above the kubelet's 110, so that chips and not pods are what runs out."""

MAX_POOL = 100_000
"""Nodes of one pool; ten times the largest cluster that Kubernetes is used for."""

MAX_USER_PRIORITY = 1_000_000_000
"""Highest value of a user's priority class (``HighestUserDefinablePriority``)."""


def implied_class_name(priority: int) -> str:
    """Name of the priority class that is made for pods that only give a number."""
    return f"scenario-priority-{'minus-' if priority < 0 else ''}{abs(priority)}"


class Settings(Item):
    """What holds for the whole scenario. At most one; everything has a default."""

    title: str = ""
    """One line that says what the scenario is about."""
    start: InstantText = DEFAULT_START
    """Instant at which virtual time begins, RFC 3339."""
    until: InstantText | None = None
    """When the run ends at the latest; none: when nothing is left to happen."""
    chip_resource: str = CHIP_RESOURCE
    """Extended resource by which chips are counted."""

    @field_validator("start")
    @classmethod
    def _absolute(cls, value: Instant) -> Instant:
        if not value.absolute:
            raise ValueError('the start of the run is an instant, such as "2026-01-05T00:00:00Z"')
        return value

    @property
    def start_ns(self) -> int:
        """Start of the run, nanoseconds since 1970-01-01T00:00:00Z."""
        return parse_instant(self.start).ns

    @property
    def until_ns(self) -> int | None:
        """Latest end of the run, nanoseconds since its start."""
        return None if self.until is None else parse_instant(self.until).since(self.start_ns)


class Taint(Item):
    """Keeps pods off a node that do not tolerate it."""

    key: str
    value: LabelValue = ""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] = "NoSchedule"


class Toleration(Item):
    """Lets a pod onto nodes with a matching taint. Without a key it tolerates every taint."""

    key: str | None = None
    operator: Literal["Exists", "Equal"] = "Exists"
    value: LabelValue = ""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = None
    seconds: Annotated[int, Field(ge=0)] | None = None
    """Seconds that the pod stays after a NoExecute taint came (``tolerationSeconds``)."""


class _NodeShape(Item):
    name: Name
    at: InstantText = "0s"
    """When it joins the cluster."""
    chips: Chips = 0
    chip_type: LabelValue | None = None
    cpu: CpuText = 64
    memory: BytesText = "512Gi"
    pods: Annotated[int, Field(ge=1, le=10_000)] = DEFAULT_PODS_PER_NODE
    zone: LabelValue | None = None
    region: LabelValue | None = None
    labels: Labels = Field(default_factory=dict)
    taints: tuple[Taint, ...] = ()

    @property
    def cpu_milli(self) -> int:
        """CPU in thousandths of a core."""
        return int(parse_cpu(self.cpu))

    @property
    def memory_bytes(self) -> int:
        """Memory in bytes."""
        return int(parse_bytes(self.memory))


class Node(_NodeShape):
    """One machine."""


class NodePool(_NodeShape):
    """``count`` machines of one shape, named ``NAME-0``, ``NAME-1`` and so on."""

    count: Annotated[int, Field(ge=0, le=MAX_POOL)]

    def nodes(self) -> list[Node]:
        """The machines of the pool; numbers are padded so that names sort as they count."""
        width = len(str(max(self.count - 1, 0)))
        shape = {field: getattr(self, field) for field in Node.model_fields if field != "name"}
        return [Node(name=f"{self.name}-{index:0{width}d}", **shape) for index in range(self.count)]


class PriorityClass(Item):
    """A named pod priority."""

    name: Name
    value: Annotated[int, Field(ge=-MAX_USER_PRIORITY, le=MAX_USER_PRIORITY)]
    preempts: bool = True
    """Whether pods of this class may preempt others (``preemptionPolicy``)."""
    default: bool = False
    """Whether pods without a class get this one (``globalDefault``)."""
    description: str = ""


class Pod(Item):
    """A pod that is submitted: a job of one piece."""

    name: Name
    at: InstantText = "0s"
    """When it is submitted, from the start of the run."""
    chips: Chips = 0
    cpu: CpuText = 1
    memory: BytesText = "1Gi"
    run_time: DurationText | None = None
    """How long its work takes once started; none: it runs for ever."""
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
    def _consistent(self) -> "Pod":
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


class Manifest(Item):
    """Any other object, created as it is given."""

    at: InstantText = "0s"
    object: Mapping[str, Any]

    @field_validator("object")
    @classmethod
    def _identified(cls, value: Mapping[str, Any]) -> Mapping[str, Any]:
        for field in ("apiVersion", "kind"):
            if not isinstance(value.get(field), str) or not value[field]:
                raise ValueError(f"an object needs {field}")
        metadata = value.get("metadata")
        if not isinstance(metadata, Mapping) or not (metadata.get("name") or metadata.get("generateName")):
            raise ValueError("an object needs metadata.name or metadata.generateName")
        return value


class Delete(Item):
    """A pod that is deleted, as its user would do it."""

    at: InstantText
    pod: Name
    namespace: Name = "default"
    grace: DurationText | None = None
    """Grace period in whole seconds; none: the pod's own."""

    @property
    def key(self) -> str:
        """``namespace/name``."""
        return f"{self.namespace}/{self.pod}"


class Note(Item):
    """Something that was changed, dropped or invented on the way from a source to the workload."""

    topic: str
    text: str
    count: int | None = None


Arriving: TypeAlias = Node | PriorityClass | Pod | Manifest | Delete
"""Items that happen at an instant, in the form that a run performs."""

ScenarioItem: TypeAlias = Settings | Node | NodePool | PriorityClass | Pod | Manifest | Delete | Note
"""Everything that a scenario may say."""
