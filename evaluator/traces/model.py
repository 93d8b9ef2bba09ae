"""A recorded cluster in one shape, whatever file it comes from.

A :class:`Trace` streams what it has: jobs, nodes, outages. Each call of a stream reads its file anew, so that
a trace can be looked at twice (once to see its load, once to replay it) without being held in memory, and
counts into the :class:`~evaluator.traces.account.ImportReport` that the call is given.

Instants are integer nanoseconds since the trace's own zero, durations are nanoseconds. A deadline is a
duration after submission, so that moving arrivals moves deadlines along.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from evaluator.traces.account import ImportReport


@dataclass(frozen=True, slots=True)
class SoftDeadline:
    """A step of a deadline that loses value over time."""

    after_ns: int
    """Nanoseconds after submission."""
    value: int
    """What ending by then is worth, in the unit of the trace."""


@dataclass(frozen=True, slots=True)
class TraceJob:
    """One job: one or more equal pods that run together for as long as the job ran."""

    id: str
    submit_ns: int
    run_ns: int | None
    """How long it ran, without its wait; none: until after the end of the trace."""
    pods: int = 1
    """Pods that run at once."""
    chips: int = 0
    """Whole chips of each pod."""
    chip_milli: int | None = None
    """Share of one chip that each pod asked for in thousandths, where the trace shares chips."""
    cpu_milli: int | None = None
    """CPU of each pod in thousandths of a core; none: the trace does not say."""
    memory_bytes: int | None = None
    """Memory of each pod; none: the trace does not say."""
    chip_types: tuple[str, ...] = ()
    """Chip types it may use; empty: any."""
    user: str | None = None
    queue: str | None = None
    priority: int | None = None
    qos: str | None = None
    """Class of service in the trace's own words."""
    deadline_ns: int | None = None
    """Hard deadline, or the last step of a soft one, after submission."""
    soft_deadlines: tuple[SoftDeadline, ...] = ()
    best_effort: bool = False
    """The trace says that it has no deadline: none may be invented."""
    estimate_ns: int | None = None
    """What its user said that it would run."""
    wait_ns: int | None = None
    """How long it waited in the recorded cluster."""
    outcome: str | None = None
    """How it ended, in the trace's own words."""
    max_per_node: int | None = None
    """Most of its application's instances on one node."""
    application: str | None = None
    """What instances of one service have in common."""
    service: bool = False
    """It serves until it is stopped, rather than working towards an end."""

    @property
    def total_chips(self) -> int:
        """Whole chips of all its pods."""
        return self.pods * self.chips

    @property
    def chip_ns(self) -> int:
        """Chip-time that it offers: whole chips × run time; 0 where no end is known."""
        return self.total_chips * (self.run_ns or 0)


@dataclass(frozen=True, slots=True)
class TraceNode:
    """One machine."""

    name: str
    chips: int = 0
    chip_type: str | None = None
    cpu_milli: int | None = None
    memory_bytes: int | None = None
    since_ns: int = 0
    """When it joined."""
    until_ns: int | None = None
    """When it left; none: it stayed."""


@dataclass(frozen=True, slots=True)
class TraceOutage:
    """One machine that was down from one instant to another."""

    node: str
    start_ns: int
    duration_ns: int
    cause: str = ""

    @property
    def end_ns(self) -> int:
        """When the machine was back."""
        return self.start_ns + self.duration_ns


JobStream: TypeAlias = Callable[[ImportReport], Iterator[TraceJob]]
NodeStream: TypeAlias = Callable[[ImportReport], Iterator[TraceNode]]
OutageStream: TypeAlias = Callable[[ImportReport], Iterator[TraceOutage]]


def nothing(_report: ImportReport) -> Iterator[TraceJob]:
    """The jobs of a trace that has none."""
    return iter(())


def no_nodes(_report: ImportReport) -> Iterator[TraceNode]:
    """The nodes of a trace that does not name them."""
    return iter(())


def no_outages(_report: ImportReport) -> Iterator[TraceOutage]:
    """The outages of a trace that records none."""
    return iter(())


@dataclass(frozen=True, slots=True)
class Trace:
    """A recorded cluster, read anew by each call of a stream."""

    title: str
    format: str
    """Name of the importer that reads it."""
    jobs: JobStream = nothing
    """Jobs in order of submission; jobs of one instant in the order of the file."""
    nodes: NodeStream = no_nodes
    """Nodes in the order of the file."""
    outages: OutageStream = no_outages
    """Outages in order of their start."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """What the file says about itself, such as the header of an SWF log."""
    capacity_chips: int | None = None
    """Chips of the recorded cluster where they are known without a node list."""
