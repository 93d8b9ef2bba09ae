"""Contradictions between the items of one scenario, found before anything starts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, assert_never

from evaluator.errors import ScenarioError
from evaluator.scenario.model import (
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
    ScenarioItem,
    Settings,
    Work,
)
from evaluator.scenario.units import format_duration

BUILT_IN_PRIORITY_CLASSES: Final = frozenset({"system-cluster-critical", "system-node-critical"})
"""Priority classes that every cluster has."""


@dataclass(frozen=True, slots=True)
class Placed:
    """An item and where in the scenario's file it came from."""

    item: ScenarioItem
    where: str


def identity(item: ScenarioItem) -> tuple[str, str] | None:
    """Kind and name by which two items would be one object; none for what has no name of its own."""
    match item:
        case Node() | NodePool():
            return ("node", item.name)
        case Pod():
            return ("pod", item.key)
        case Job():
            return ("job", item.key)
        case PriorityClass():
            return ("priority class", item.name)
        case Manifest():
            return _manifest_identity(item)
        case Settings() | Delete() | Fault() | Outage() | Failures() | Note():
            return None
        case _ as unreachable:
            assert_never(unreachable)


_NAMED_KINDS: Final = {
    ("v1", "Node"): "node",
    ("v1", "Pod"): "pod",
    ("batch/v1", "Job"): "job",
    ("v1", "Namespace"): "namespace",
    ("scheduling.k8s.io/v1", "PriorityClass"): "priority class",
}
"""Kinds of manifests that could also be, or be needed by, an item of the vocabulary."""


def _manifest_identity(manifest: Manifest) -> tuple[str, str] | None:
    name = manifest.object["metadata"].get("name")
    if name is None:
        return None
    kind = _NAMED_KINDS.get((manifest.object["apiVersion"], manifest.object["kind"]))
    if kind is None:
        kind = f"{manifest.object['apiVersion']} {manifest.object['kind']}"
    namespace = manifest.object["metadata"].get("namespace", "default" if kind == "pod" else None)
    return (kind, f"{namespace}/{name}" if namespace else name)


def check_names(single: Iterable[Placed]) -> None:
    """Find two items that would be one object.

    :raises ScenarioError: with file and line of the second.
    """
    seen: dict[tuple[str, str], str] = {}
    for each in single:
        found = identity(each.item)
        if found is None:
            continue
        if found in seen:
            kind, name = found
            raise ScenarioError(
                f"a second {kind} named {name!r}",
                where=each.where,
                next_step=f"Names are unique; the first is at {seen[found]}.",
            )
        seen[found] = each.where


def check_references(timed: Iterable[tuple[int, Placed]]) -> None:
    """Find pods that name an unknown priority class, and deletions of pods that are not there.

    :param timed: items that arrive, with their instants in nanoseconds since the start of the run.
    :raises ScenarioError: with file and line of the first.
    """
    ordered = list(timed)
    known = {found: at_ns for at_ns, each in ordered if (found := identity(each.item))}
    # Controllers of objects that are given as manifests may make pods under names that nobody can know yet.
    closed = not any(isinstance(each.item, Manifest | Job) for _, each in ordered)
    for at_ns, each in ordered:
        match each.item:
            case Pod() | Job() as work:
                _check_class(work, known, each.where)
            case Fault() as fault:
                check_fault(fault, at_ns, known, each.where)
            case Delete() as delete if closed or ("pod", delete.key) in known:
                _check_delete(delete, at_ns, known, each.where)
            case _:
                pass


def _check_class(pod: Work, known: dict[tuple[str, str], int], where: str) -> None:
    name = pod.class_name
    if name is None or name in BUILT_IN_PRIORITY_CLASSES or ("priority class", name) in known:
        return
    defined = ", ".join(sorted(name for kind, name in known if kind == "priority class")) or "none"
    raise ScenarioError(
        f"{type(pod).__name__.lower()} {pod.key} names the priority class {name!r}, which nothing defines",
        where=where,
        next_step=f"Add s.priority_class({name!r}, value=…); defined so far: {defined}.",
    )


def check_fault(fault: Fault, at_ns: int, known: Mapping[tuple[str, str], int], where: str) -> None:
    """Find a fault of a node that is not there.

    :param at_ns: when it happens, nanoseconds since the start of the run.
    :param known: kind and name of what is added, with its instant.
    :raises ScenarioError: with the fault's file and line.
    """
    joined_ns = known.get(("node", fault.node))
    if joined_ns is None:
        some = [name for kind, name in known if kind == "node"][:_NAMED]
        raise ScenarioError(
            f"{fault.action} names the node {fault.node!r}, which nothing adds",
            where=where,
            next_step=f"Nodes are named {', '.join(some)}, …" if some else "Add nodes with s.nodes(…).",
        )
    if at_ns < joined_ns:
        raise ScenarioError(
            f"{fault.action} of {fault.node} comes {format_duration(joined_ns - at_ns)} before it joins",
            where=where,
            next_step="Give it a later instant.",
        )


_NAMED: Final = 3
"""Nodes named in a message: enough to see how they are called."""


def _check_delete(delete: Delete, at_ns: int, known: dict[tuple[str, str], int], where: str) -> None:
    submitted_ns = known.get(("pod", delete.key))
    if submitted_ns is None:
        raise ScenarioError(
            f"s.delete names pod {delete.key}, which nothing submits",
            where=where,
            next_step="Check the pod's name and namespace.",
        )
    if at_ns < submitted_ns:
        raise ScenarioError(
            f"pod {delete.key} is deleted {format_duration(submitted_ns - at_ns)} before it is submitted",
            where=where,
            next_step="Give s.delete a later instant.",
        )
