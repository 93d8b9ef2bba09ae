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
``pod_submitted``
    ``pod`` · ``chips`` · ``cpu_milli`` · ``memory_bytes`` requested · ``priority`` · ``deadline_ns`` since
    the start of the run · ``expected_ns`` the duration shown to the scheduler · ``run_ns`` the true run time
    (null: runs for ever) · ``user`` · ``queue`` · ``scheduler`` the name in the pod
``pod_unschedulable``
    ``pod`` · ``message`` in which the scheduler says why it has no place (recorded when the message changes)
``pod_bound``
    ``pod`` · ``node``. From here the pod holds its capacity
``pod_started``
    ``pod`` · ``node``. Its work begins, after image pull and start-up
``pod_ended``
    ``pod`` · ``node`` (null if it never had one) · ``outcome``: ``succeeded``, ``failed`` by itself,
    ``evicted`` (preempted, evicted, lost with its node or chip) or ``deleted`` on request · ``reason``. Its
    capacity is free
``run_ended``
    the last event. ``why`` the run ended · ``pending`` and ``running`` pods left

A pod name may be used again after its end: the next ``pod_submitted`` begins another job.

Schema and events stand in one file, so that neither changes without the other.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias, get_args

import orjson
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from evaluator.errors import FileFormatError, describe_problems
from evaluator.files import write_atomically

SCHEMA_VERSION: Final = 1
"""Version of the line format; raised when a reader of the old one would misunderstand the new one."""

Outcome: TypeAlias = Literal["succeeded", "failed", "evicted", "deleted"]
"""How a pod's stay in the cluster ended."""

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
    schema: Literal[1] = SCHEMA_VERSION
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
class PodStarted:
    """A bound pod began its work."""

    __pydantic_config__ = _STRICT

    at_ns: Count
    kind: Literal["pod_started"] = "pod_started"
    pod: Name
    node: Name


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
    | PodSubmitted
    | PodUnschedulable
    | PodBound
    | PodStarted
    | PodEnded
    | RunEnded
)
"""Any line of a timeline. A new kind is a new class here; readers refuse kinds that they do not know."""

KINDS: frozenset[str] = frozenset(
    get_args(event.__dataclass_fields__["kind"].type)[0] for event in get_args(Event)
)
"""The names of all kinds of event."""

_READER: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="kind")])


def to_line(event: Event) -> bytes:
    """The event as one canonical line of JSON, newline included."""
    return orjson.dumps(event, option=orjson.OPT_APPEND_NEWLINE)


class Timeline:
    """Events in order. Grows at the end only; what is in it never changes."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._events: list[Event] = []
        for event in events:
            self.append(event)

    def append(self, event: Event) -> None:
        """Add what happened next.

        :raises ValueError: if it lies before the last event or after the end of the run.
        """
        if self._events:
            last, what = self._events[-1], f"{event.kind} at {event.at_ns} ns"
            if event.at_ns < last.at_ns:
                raise ValueError(f"{what} comes after {last.kind} at {last.at_ns} ns")
            if isinstance(last, RunEnded):
                raise ValueError(f"{what} comes after the end of the run")
        self._events.append(event)

    def __iter__(self) -> Iterator[Event]:
        return iter(self._events)

    def __len__(self) -> int:
        return len(self._events)

    def __getitem__(self, index: int) -> Event:
        return self._events[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Timeline) and self._events == other._events

    __hash__ = None  # type: ignore[assignment]  # grows, so it has no lasting hash

    @property
    def end_ns(self) -> int:
        """Instant of the last event; 0 for an empty timeline."""
        return self._events[-1].at_ns if self._events else 0

    def lines(self) -> Iterator[bytes]:
        """Canonical lines, ready to be written."""
        return map(to_line, self._events)

    def digest(self) -> str:
        """SHA-256 of the canonical lines: equal for equal runs."""
        sha = hashlib.sha256()
        for line in self.lines():
            sha.update(line)
        return sha.hexdigest()

    def write(self, path: Path) -> None:
        """Write all lines to ``path``: whole, or not at all."""
        write_atomically(path, self.lines())


def read_timeline(path: Path) -> Timeline:
    """The timeline in a file.

    :raises FileFormatError: with file and line, if the file cannot be read or breaks the schema.
    """
    timeline = Timeline()
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                _append_line(timeline, line, f"{path}:{number}")
    except OSError as error:
        raise FileFormatError(
            f"cannot read the timeline: {error.strerror}",
            where=str(path),
            next_step="Give the timeline.jsonl of a run's output folder.",
        ) from error
    if not len(timeline):
        raise FileFormatError("the timeline is empty", where=str(path), next_step="Run the scenario again.")
    return timeline


def _append_line(timeline: Timeline, line: bytes, where: str) -> None:
    try:
        timeline.append(_READER.validate_json(line))
    except ValidationError as error:
        raise FileFormatError(
            "; ".join(describe_problems(error)),
            where=where,
            next_step="Was the file cut short, edited, or written by a newer version?",
        ) from error
    except ValueError as error:
        raise FileFormatError(
            str(error), where=where, next_step="Events must stand in the order of time."
        ) from error
