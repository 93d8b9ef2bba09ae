"""From the items that a scenario gave to the plan that a run performs: resolved, checked, in order."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from evaluator.errors import ScenarioError
from evaluator.scenario.checks import Placed, check_fault, check_names, check_references, identity
from evaluator.scenario.manifests import node_labels
from evaluator.scenario.model import (
    Arriving,
    Delete,
    Failures,
    Fault,
    Job,
    Manifest,
    Node,
    NodePool,
    Note,
    Outage,
    Pod,
    PriorityClass,
    Settings,
    Work,
    implied_class_name,
)
from evaluator.scenario.plan import Arrival
from evaluator.scenario.units import format_duration, parse_instant

RANKS: Final[Mapping[type[Arriving], int]] = {
    # At one instant, what others refer to is there before them.
    PriorityClass: 0,  # pods name it
    Manifest: 1,  # may be a namespace or a definition of another object's kind
    Node: 2,  # pods wait for it
    Pod: 3,
    Job: 3,
    Delete: 4,  # may name a pod of the same instant
    Fault: 5,
    Failures: 6,
}
"""Order of items at one instant; equal ranks keep the order of the file."""

BUILT_IN_NAMESPACES: Final = frozenset({"default", "kube-system", "kube-public", "kube-node-lease"})
"""Namespaces that every cluster has."""


@dataclass(frozen=True, slots=True)
class Assembled:
    """Everything that the items of one scenario say."""

    settings: Settings
    arrivals: tuple[Arrival, ...]
    notes: tuple[Note, ...]
    digest: str


def assemble(placed: Sequence[Placed]) -> Assembled:
    """The plan that the items make.

    :raises ScenarioError: with file and line, if they contradict each other.
    """
    settings = _settings(placed)
    given = list(_single(placed))
    single = [*_implied(given), *given]
    check_names(single)
    timed = [(_instant(each, settings), each) for each in single]
    timed.sort(key=lambda pair: (pair[0], RANKS[type(_arriving(pair[1]))]))
    check_references(timed)
    arrivals = tuple(
        Arrival(at_ns, _arriving(each), number, each.where) for number, (at_ns, each) in enumerate(timed)
    )
    notes = [each.item for each in placed if isinstance(each.item, Note)]
    notes.extend(_too_late(arrivals, settings))
    return Assembled(settings, arrivals, tuple(notes), _digest(settings, arrivals))


def arrivals_from(
    added: Placed, placed: Sequence[Placed], settings: Settings, now_ns: int
) -> Iterator[Arrival]:
    """What comes of an item that a process adds while a run goes on: now, or when its instant is later.

    :param placed: all items so far.
    :param now_ns: nanoseconds since the start of the run.
    :raises ScenarioError: if it belongs before the run, or names what nothing added.
    """
    if isinstance(added.item, Settings | Note):
        raise ScenarioError(
            f"s.{type(added.item).__name__.lower()} belongs before the run",
            where=added.where,
            next_step="Call it in scenario(), not in a process.",
        )
    given = list(_parts(added, placed))
    for each in [*_implied(given), *given]:
        item = _arriving(each)
        if isinstance(item, Fault):
            nodes = {("node", node.name): 0 for node in _nodes(placed)}
            check_fault(item, now_ns, nodes, each.where)
        yield Arrival(max(_instant(each, settings), now_ns), item, where=each.where)


def _nodes(placed: Iterable[Placed]) -> Iterator[Node]:
    for each in placed:
        match each.item:
            case NodePool() as pool:
                yield from pool.nodes()
            case Node() as node:
                yield node
            case _:
                pass


def _settings(placed: Iterable[Placed]) -> Settings:
    found = [each for each in placed if isinstance(each.item, Settings)]
    if len(found) > 1:
        raise ScenarioError(
            "a second s.settings",
            where=found[1].where,
            next_step=f"Keep one; the first is at {found[0].where}.",
        )
    return found[0].item if found and isinstance(found[0].item, Settings) else Settings()


def _single(placed: Sequence[Placed]) -> Iterator[Placed]:
    """Items that arrive, with pools and outages taken apart."""
    for each in placed:
        yield from _parts(each, placed)


def _parts(each: Placed, placed: Sequence[Placed]) -> Iterator[Placed]:
    match each.item:
        case NodePool() as pool:
            yield from (Placed(node, each.where) for node in pool.nodes())
        case Outage() as outage:
            yield from (Placed(fault, each.where) for fault in _faults(outage, placed, each.where))
        case Settings() | Note():
            pass
        case _:
            yield each


def _faults(outage: Outage, placed: Sequence[Placed], where: str) -> Iterator[Fault]:
    """The crash of each node that an outage takes."""
    wanted = outage.labels.items()
    names = [node.name for node in _nodes(placed) if wanted <= node_labels(node).items()]
    if not names:
        raise ScenarioError(
            f"s.outage takes the nodes with {outage.cause}, and there is none",
            where=where,
            next_step="Give the nodes these labels: s.nodes(…, labels={…}).",
        )
    for name in names:
        yield Fault(action="crash", node=name, at=outage.at, lasts=outage.lasts, group=outage.cause)


def _arriving(placed: Placed) -> Arriving:
    assert not isinstance(placed.item, Settings | NodePool | Outage | Note), "it does not arrive"
    return placed.item


def _instant(placed: Placed, settings: Settings) -> int:
    item = _arriving(placed)
    if isinstance(item, PriorityClass):
        return 0
    at_ns = parse_instant(item.at).since(settings.start_ns)
    if at_ns < 0:
        what = " ".join(identity(item) or (type(item).__name__,))
        raise ScenarioError(
            f"{what} arrives {format_duration(-at_ns)} before the run starts",
            where=placed.where,
            next_step="Give it a later instant, or an earlier start in s.settings.",
        )
    return at_ns


def _implied(single: Sequence[Placed]) -> Iterator[Placed]:
    """Objects that others need and that nobody has to write down."""
    known = {identity(each.item) for each in single}
    pods = [each.item for each in single if isinstance(each.item, Work)]
    for value in sorted({pod.priority for pod in pods if pod.priority is not None}):
        # The API server takes a pod's priority from its class alone.
        yield Placed(PriorityClass(name=implied_class_name(value), value=value), "")
    for namespace in sorted({pod.namespace for pod in pods} - BUILT_IN_NAMESPACES):
        if ("namespace", namespace) not in known:
            manifest = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
            yield Placed(Manifest(object=manifest), "")


def _too_late(arrivals: Sequence[Arrival], settings: Settings) -> Iterator[Note]:
    until_ns = settings.until_ns
    if until_ns is None:
        return
    late = sum(arrival.at_ns > until_ns for arrival in arrivals)
    if late:
        yield Note(
            topic="scenario", text="items dropped: they would arrive after the end of the run", count=late
        )


def _digest(settings: Settings, arrivals: Iterable[Arrival]) -> str:
    sha = hashlib.sha256(settings.model_dump_json(exclude={"title"}).encode())
    for arrival in arrivals:
        sha.update(f"\n{arrival.at_ns} {type(arrival.item).__name__} ".encode())
        sha.update(arrival.item.model_dump_json().encode())
    return sha.hexdigest()
