"""What happened in a run: an append-only log of events in virtual time.

A timeline is written as JSON lines (``timeline.jsonl``), one event a line, in the order in which things
happened. Keys stand in the fixed order below, there is no insignificant white space, and nothing depends on
the machine or on real time: the same events give the same bytes.

Every event has

``at_ns``
    integer nanoseconds of virtual time since the start of the run; never smaller than in the line before
``kind``
    which of the events below this is

and, by kind (``null`` where a value is unknown or does not apply; a *pod* is written ``namespace/name``):

``run_started``
    the first event. ``schema`` version of this format · ``scenario`` name · ``scenario_digest`` of the
    workload · ``scheduler`` name · ``seed`` · ``start`` the instant that ``at_ns`` counts from, RFC 3339
``node_added``
    ``node`` · ``chips`` whole accelerators · ``chip_type`` or null · ``cpu_milli`` · ``memory_bytes``, all
    allocatable
``node_changed``
    ``node`` · ``chips`` · ``cpu_milli`` · ``memory_bytes`` allocatable from now on · ``ready`` its Ready
    condition · ``schedulable`` false while cordoned
``node_removed``
    ``node``
``hardware_failed``
    ``node`` · ``what``: ``chips`` or ``node`` · ``chips`` that are lost by it (all of a crashed node's) ·
    ``group`` failures of one common cause share it (a rack, a switch), else null
``hardware_repaired``
    ``node`` · ``what`` · ``chips`` that are usable again
``job_submitted``
    ``job`` written ``namespace/name`` · ``controller`` what looks after its pods (``Job``, ``PodGroup``,
    ``Deployment``, …) · ``pods`` that it needs in whole · ``parallel`` pods at a time · ``gang`` whether they
    run all or none · ``chips`` of the pods at a time · ``service`` true where it runs for ever by intention ·
    ``deadline_ns`` since the start of the run · ``expected_ns`` · ``run_ns`` of one pod · ``priority`` ·
    ``user`` · ``queue``. A pod without controller is a job of its own and has no such line
``job_ended``
    ``job`` · ``outcome`` · ``reason``
``pod_submitted``
    ``pod`` · ``chips`` · ``cpu_milli`` · ``memory_bytes`` requested · ``priority`` · ``deadline_ns`` since
    the start of the run · ``expected_ns`` the duration shown to the scheduler · ``run_ns`` the true run time
    of its work in whole (null: runs for ever) · ``user`` · ``queue`` · ``scheduler`` the name in the pod ·
    ``job`` that it belongs to, null if it is one itself · ``chip_type`` that it insists on, or null
``pod_unschedulable``
    ``pod`` · ``message`` in which the scheduler says why it has no place (recorded when the message changes)
``pod_bound``
    ``pod`` · ``node``. From here the pod holds its capacity
``pod_nominated``
    ``pod`` · ``node`` on which the scheduler makes room for it
``pod_started``
    ``pod`` · ``node`` · ``restored_ns`` work done by earlier pods that it takes up from a checkpoint. Its
    work begins, after image pull and start-up
``pod_disrupted``
    ``pod`` · ``cause`` (below) · ``message`` which says by whom. It is about to be ended from outside
``pod_ended``
    ``pod`` · ``node`` (null if it never had one) · ``outcome``: ``succeeded``, ``failed`` by itself,
    ``evicted`` (preempted, evicted, lost with its node or chip) or ``deleted`` on request · ``reason`` ·
    ``cause`` why it was cut short: ``preemption``, ``chip_failure``, ``node_failure``, ``eviction`` (drain or
    taint), ``peer`` (another member of its gang was lost), ``deletion``; null when it came to its own end ·
    ``kept_ns`` work of this pod that counts (finished, or saved by a checkpoint) · ``lost_ns`` work of this
    pod that has to be done again. What else it held its place for is start-up, restart, waiting for its gang
    and stopping. Its capacity is free
``run_ended``
    the last event. ``why`` the run ended · ``pending`` and ``running`` pods left

A pod name may be used again after its end: the next ``pod_submitted`` begins another job.

Schema and events stand in one file, so that neither changes without the other.
"""

from dataclasses import dataclass
from typing import Annotated, Final, Literal, TypeAlias, get_args

from pydantic import ConfigDict, Field

SCHEMA_VERSION: Final = 2
"""Version of the line format; raised when a reader of the old one would misunderstand the new one."""

Outcome: TypeAlias = Literal["succeeded", "failed", "evicted", "deleted"]
"""How a pod's stay in the cluster, or a job, ended."""

Cause: TypeAlias = Literal["preemption", "chip_failure", "node_failure", "eviction", "peer", "deletion"]
"""Why a pod was cut short."""

Hardware: TypeAlias = Literal["chips", "node"]
"""What fails and is repaired."""

Count: TypeAlias = Annotated[int, Field(ge=0)]
"""A count, amount or instant that cannot be negative."""

Name: TypeAlias = Annotated[str, Field(min_length=1)]
"""The name of something."""

_STRICT = ConfigDict(strict=True, extra="forbid")
"""Lines are read as they are: no text for numbers, no key that the schema does not know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """The first event: what is run, and which instant the others count from."""

    __pydantic_config__ = _STRICT

    at_ns: Count = 0
    kind: Literal["run_started"] = "run_started"
    schema: Literal[2] = SCHEMA_VERSION
    scenario: str
    scenario_digest: str
    scheduler: str
    seed: int
    start: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeAdded:
    """A node and its allocatable amounts came into the cluster."""

    __pydantic_config__ = _STRICT

    at_ns: Count
    kind: Literal["node_added"] = "node_added"
    node: Name
    chips: Count
    chip_type: str | None
    cpu_milli: Count
    memory_bytes: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeChanged:
    """A node's allocatable amounts, readiness or cordon changed; all of them are given again."""

    __pydantic_config__ = _STRICT

    at_ns: Count
    kind: Literal["node_changed"] = "node_changed"
    node: Name
    chips: Count
    cpu_milli: Count
    memory_bytes: Count
    ready: bool
    schedulable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRemoved:
    """A node left the cluster."""

    __pydantic_config__ = _STRICT

    at_ns: Count
    kind: Literal["node_removed"] = "node_removed"
    node: Name


@dataclass(frozen=True, slots=True, kw_only=True)
class HardwareFailed:
    """Chips of a node, or the node, stopped working."""

    __pydantic_config__ = _STRICT

    at_ns: Count
    kind: Literal["hardware_failed"] = "hardware_failed"
    node: Name
    what: Hardware
    chips: Count
    group: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HardwareRepaired:
    """Chips of a node, or the node, work again."""

    __pydantic_config__ = _STRICT

    at_ns: Count
    kind: Literal["hardware_repaired"] = "hardware_repaired"
    node: Name
    what: Hardware
    chips: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSubmitted:
    """An object was created that makes and looks after pods."""

    __pydantic_config__ = _STRICT

    at_ns: Count
    kind: Literal["job_submitted"] = "job_submitted"
    job: Name
    controller: Name
    pods: Count
    parallel: Count
    gang: bool
    chips: Count
    service: bool
    deadline_ns: int | None
    expected_ns: Count | None
    run_ns: Count | None
    priority: int
    user: str | None
    queue: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEnded:
    """A job is done, has failed, or was deleted."""

    __pydantic_config__ = _STRICT

    at_ns: Count
    kind: Literal["job_ended"] = "job_ended"
    job: Name
    outcome: Outcome
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PodSubmitted:
    """A pod was created and waits for a node."""

    __pydantic_config__ = _STRICT

    at_ns: Count
    kind: Literal["pod_submitted"] = "pod_submitted"
    pod: Name
    chips: Count
    cpu_milli: Count
    memory_bytes: Count
    priority: int
    deadline_ns: int | None
    expected_ns: Count | None
    run_ns: Count | None
    user: str | None
    queue: str | None
    scheduler: str
    job: str | None = None
    chip_type: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PodUnschedulable:
    """The scheduler looked at a pod and said why it has no place."""

    __pydantic_config__ = _STRICT

    at_ns: Count
    kind: Literal["pod_unschedulable"] = "pod_unschedulable"
    pod: Name
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PodBound:
    """The scheduler gave a pod its node; from here it holds its capacity."""

    __pydantic_config__ = _STRICT

    at_ns: Count
    kind: Literal["pod_bound"] = "pod_bound"
    pod: Name
    node: Name


@dataclass(frozen=True, slots=True, kw_only=True)
class PodNominated:
    """The scheduler makes room for a pod on a node (``status.nominatedNodeName``)."""

    __pydantic_config__ = _STRICT

    at_ns: Count
    kind: Literal["pod_nominated"] = "pod_nominated"
    pod: Name
    node: Name


@dataclass(frozen=True, slots=True, kw_only=True)
class PodStarted:
    """A bound pod began its work."""

    __pydantic_config__ = _STRICT

    at_ns: Count
    kind: Literal["pod_started"] = "pod_started"
    pod: Name
    node: Name
    restored_ns: Count = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PodDisrupted:
    """Somebody or something is about to end a pod (its condition ``DisruptionTarget``)."""

    __pydantic_config__ = _STRICT

    at_ns: Count
    kind: Literal["pod_disrupted"] = "pod_disrupted"
    pod: Name
    cause: Cause
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PodEnded:
    """A pod ended, or was gone before it had a node; its capacity is free."""

    __pydantic_config__ = _STRICT

    at_ns: Count
    kind: Literal["pod_ended"] = "pod_ended"
    pod: Name
    node: str | None
    outcome: Outcome
    reason: str
    cause: Cause | None = None
    kept_ns: Count = 0
    lost_ns: Count = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded:
    """The last event: why the run ended, and what it left."""

    __pydantic_config__ = _STRICT

    at_ns: Count
    kind: Literal["run_ended"] = "run_ended"
    why: str
    pending: Count
    running: Count


Event: TypeAlias = (
    RunStarted
    | NodeAdded
    | NodeChanged
    | NodeRemoved
    | HardwareFailed
    | HardwareRepaired
    | JobSubmitted
    | JobEnded
    | PodSubmitted
    | PodUnschedulable
    | PodNominated
    | PodBound
    | PodStarted
    | PodDisrupted
    | PodEnded
    | RunEnded
)
"""Any line of a timeline. A new kind is a new class here; readers refuse kinds that they do not know."""

KINDS: frozenset[str] = frozenset(
    get_args(event.__dataclass_fields__["kind"].type)[0] for event in get_args(Event)
)
"""The names of all kinds of event."""
