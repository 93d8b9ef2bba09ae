"""Whether a node can hold a pod, and if not, why not.

Semantics and wording of the reasons are those of kube-scheduler's filter plugins NodeUnschedulable,
TaintToleration, NodeAffinity and NodeResourcesFit, in this order: the first group that objects gives the
reasons.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from scheduler.constraints import NodeTerm, Taint, Toleration, compares, holds
from scheduler.model import Demand, Node

UNSCHEDULABLE_TAINT = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
"""What a pod must tolerate to be placed on a cordoned node."""

_REPELLING_EFFECTS = frozenset({"NoSchedule", "NoExecute"})

CORDONED = "node(s) were unschedulable"
TAINTED = "node(s) had untolerated taint(s)"
NOT_SELECTED = "node(s) didn't match Pod's node affinity/selector"
TOO_MANY_PODS = "Too many pods"


class Space(Protocol):
    """A node with what is left on it."""

    @property
    def node(self) -> Node:
        """The node."""
        ...

    @property
    def free_cpu(self) -> int:
        """Free thousandths of a core, negative when the node has shrunk below what it holds."""
        ...

    @property
    def free_memory(self) -> int:
        """Free bytes."""
        ...

    @property
    def free_pods(self) -> int:
        """How many more pods the node takes."""
        ...

    @property
    def free_others(self) -> Mapping[str, int]:
        """Free units of every other resource."""
        ...

    @property
    def labels(self) -> Mapping[str, str]:
        """The node's labels."""
        ...


def fits(demand: Demand, space: Space) -> bool:
    """Whether the node can hold the pod: there are no ``reasons_against``, which takes longer to tell."""
    return (
        space.free_pods > 0
        and (demand.cpu <= space.free_cpu or not demand.cpu)
        and (demand.memory <= space.free_memory or not demand.memory)
        and all(space.free_others.get(name, 0) >= amount for name, amount in demand.others)
        and _admits(demand, space)
    )


def _admits(demand: Demand, space: Space) -> bool:
    """Whether the node would take the pod if it were empty and large enough."""
    node = space.node
    return (
        not demand.unsupported
        and (not node.unschedulable or tolerates(demand.tolerations, UNSCHEDULABLE_TAINT))
        and (not node.taints or not _repels(node.taints, demand.tolerations))
        and _selected(demand, space)
    )


def reasons_against(demand: Demand, space: Space) -> list[str]:
    """Why the node cannot hold the pod; empty when it can."""
    node = space.node
    if demand.unsupported:
        return [f"unsupported: {what}" for what in demand.unsupported]
    if node.unschedulable and not tolerates(demand.tolerations, UNSCHEDULABLE_TAINT):
        return [CORDONED]
    if _repels(node.taints, demand.tolerations):
        return [TAINTED]
    if not _selected(demand, space):
        return [NOT_SELECTED]
    return list(_shortages(demand, space))


def _shortages(demand: Demand, space: Space) -> Iterator[str]:
    if space.free_pods <= 0:
        yield TOO_MANY_PODS
    if demand.cpu > space.free_cpu and demand.cpu:
        yield "Insufficient cpu"
    if demand.memory > space.free_memory and demand.memory:
        yield "Insufficient memory"
    for name, amount in demand.others:
        if amount > space.free_others.get(name, 0):
            yield f"Insufficient {name}"


def _repels(taints: Iterable[Taint], tolerations: tuple[Toleration, ...]) -> bool:
    return any(taint.effect in _REPELLING_EFFECTS and not tolerates(tolerations, taint) for taint in taints)


def tolerates(tolerations: Iterable[Toleration], taint: Taint) -> bool:
    """Whether one of the tolerations puts up with the taint."""
    return any(_tolerates(toleration, taint) for toleration in tolerations)


def _tolerates(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if toleration.operator == "Exists":
        return True
    if toleration.operator in {"Lt", "Gt"}:
        return compares(taint.value, toleration.operator, toleration.value)
    return toleration.operator in {"", "Equal"} and toleration.value == taint.value


def _selected(demand: Demand, space: Space) -> bool:
    labels = space.labels
    if not all(labels.get(key) == value for key, value in demand.node_selector):
        return False
    return demand.node_terms is None or any(_term_holds(term, space) for term in demand.node_terms)


def _term_holds(term: NodeTerm, space: Space) -> bool:
    if not term.labels and not term.fields:
        return False  # an empty term selects nothing, as in Kubernetes
    fields = {"metadata.name": space.node.name}
    return all(holds(each, space.labels) for each in term.labels) and all(
        holds(each, fields) for each in term.fields
    )
