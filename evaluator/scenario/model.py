"""What a scenario says: the things that exist and the things that arrive.

Every item is frozen, refuses fields it does not know, and is checked when it is made. Amounts and times are
written as text with a unit (see :mod:`evaluator.scenario.units`) and read as integers through the properties
whose names end in the unit.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, field_validator

from evaluator.scenario.faults import Failures, Fault, Outage
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
    Instant,
    parse_bytes,
    parse_cpu,
    parse_instant,
)
from evaluator.scenario.work import MAX_USER_PRIORITY, Job, Pod, Toleration, Work, implied_class_name

DEFAULT_START = "2026-01-05T00:00:00Z"
"""Instant at which virtual time begins, a Monday, so that weekday patterns start with a week."""

CHIP_RESOURCE = "nvidia.com/gpu"
"""Extended resource by which chips are counted unless the settings say otherwise."""

DEFAULT_PODS_PER_NODE = 256
"""Pods that a node takes. Above the kubelet's 110, so that chips and not pods are what runs out."""

MAX_POOL = 100_000
"""Nodes of one pool; ten times the largest cluster that Kubernetes is used for."""


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


Arriving: TypeAlias = Node | PriorityClass | Pod | Job | Manifest | Delete | Fault | Failures
"""Items that happen at an instant, in the form that a run performs."""

ScenarioItem: TypeAlias = (
    Settings
    | Node
    | NodePool
    | PriorityClass
    | Pod
    | Job
    | Manifest
    | Delete
    | Fault
    | Outage
    | Failures
    | Note
)
"""Everything that a scenario may say."""

__all__ = [
    "Arriving",
    "Delete",
    "Failures",
    "Fault",
    "Job",
    "Manifest",
    "Node",
    "NodePool",
    "Note",
    "Outage",
    "Pod",
    "PriorityClass",
    "ScenarioItem",
    "Settings",
    "Taint",
    "Toleration",
    "Work",
    "implied_class_name",
]
