"""A scenario as a run performs it: every item resolved to an instant, in order."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from evaluator.scenario.checks import Placed
from evaluator.scenario.expectations import Expectation
from evaluator.scenario.manifests import (
    Object,
    job_manifest,
    node_manifest,
    pod_manifest,
    priority_class_manifest,
)
from evaluator.scenario.model import (
    Arriving,
    Delete,
    Failures,
    Fault,
    Job,
    Manifest,
    Node,
    Note,
    Pod,
    PriorityClass,
    Settings,
)
from evaluator.scenario.parameters import ScenarioParameters
from evaluator.scenario.processes import Present, Start


@dataclass(frozen=True, slots=True)
class Arrival:
    """One item and the instant at which it happens."""

    at_ns: int
    """Nanoseconds since the start of the run."""
    item: Arriving
    number: int = 0
    """Its place among all arrivals."""
    where: str = ""
    """The line of the scenario that added it, ``file:line``; empty for what others imply."""


class Story(Protocol):
    """What a scenario's function told, as far as a run with processes needs it."""

    @property
    def placed(self) -> Sequence[Placed]:
        """All items, those that processes add included."""

    @property
    def starts(self) -> Sequence[Start]:
        """The processes."""

    def enter(self, present: Present | None) -> None:
        """From now on what is said happens in this run; with None, no longer."""


@dataclass(frozen=True, slots=True)
class LoadedScenario:
    """A scenario whose items are known, checked and in order."""

    name: str
    path: Path
    digest: str
    """SHA-256 of everything that arrives: equal digests, equal work."""
    seed: int
    settings: Settings
    parameters: ScenarioParameters
    arrivals: tuple[Arrival, ...]
    """In the order of time; at one instant what others need comes first, then in the order of the file."""
    notes: tuple[Note, ...] = field(default=())
    """What was changed, dropped or invented on the way from a source to these items."""
    expectations: tuple[Expectation, ...] = field(default=())
    """What should hold at the end of a run; no part of the digest, since no work depends on it."""
    processes: int = 0
    """Processes that act while a run goes on."""
    retell: Callable[[], "Story"] | None = None
    """Reads the file and tells its story anew: each run needs processes of its own, with memories and chance
    of their own. None where there are no processes."""

    @property
    def start_ns(self) -> int:
        """Start of the run, nanoseconds since 1970-01-01T00:00:00Z."""
        return self.settings.start_ns

    @property
    def until_ns(self) -> int | None:
        """Latest end of the run, nanoseconds since its start; none: when nothing is left to happen."""
        return self.settings.until_ns

    def nodes(self) -> Iterator[Node]:
        """All nodes, in order."""
        return (arrival.item for arrival in self.arrivals if isinstance(arrival.item, Node))

    def pods(self) -> Iterator[Pod]:
        """All pods by themselves, in order."""
        return (arrival.item for arrival in self.arrivals if isinstance(arrival.item, Pod))

    def work(self) -> Iterator[Pod | Job]:
        """All pods by themselves and all Jobs, in order."""
        return (arrival.item for arrival in self.arrivals if isinstance(arrival.item, Pod | Job))

    def manifest(self, arrival: Arrival, *, scheduler_name: str) -> Object | None:
        """The object that an arrival creates; none for what creates nothing.

        :param scheduler_name: name of the scheduler under test, for pods that name none.
        """
        chip_resource = self.settings.chip_resource
        match arrival.item:
            case Pod() as pod:
                return pod_manifest(
                    pod,
                    at_ns=arrival.at_ns,
                    start_ns=self.start_ns,
                    scheduler_name=scheduler_name,
                    chip_resource=chip_resource,
                )
            case Job() as job:
                return job_manifest(
                    job,
                    at_ns=arrival.at_ns,
                    start_ns=self.start_ns,
                    scheduler_name=scheduler_name,
                    chip_resource=chip_resource,
                )
            case Node() as node:
                return node_manifest(
                    node,
                    at_ns=arrival.at_ns,
                    start_ns=self.start_ns,
                    number=arrival.number,
                    chip_resource=chip_resource,
                )
            case PriorityClass() as priority_class:
                return priority_class_manifest(priority_class)
            case Manifest(object=given):
                return dict(given)
            case Delete() | Fault() | Failures():
                return None
