"""Whether a node can hold a pod, and if not, why not.

Semantics and wording of the reasons are those of kube-scheduler's filter plugins NodeUnschedulable,
TaintToleration, NodeAffinity, NodePorts and NodeResourcesFit, in this order: the first group that objects
gives the reasons. What depends on other pods (PodTopologySpread, InterPodAffinity) comes after, in ``peers``.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from scheduler.constraints import NodeTerm, Port, Preference, Taint, Toleration, compares, holds
from scheduler.model import Demand, Node

UNSCHEDULABLE_TAINT = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
"""What a pod must tolerate to be placed on a cordoned node."""

_REPELLING_EFFECTS = frozenset({"NoSchedule", "NoExecute"})

CORDONED = "node(s) were unschedulable"
TAINTED = "node(s) had untolerated taint(s)"
NOT_SELECTED = "node(s) didn't match Pod's node affinity/selector"
TOO_MANY_PODS = "Too many pods"
PORT_TAKEN = "node(s) didn't have free ports for the requested pod ports"

EVERY_ADDRESS = "0.0.0.0"  # noqa: S104 - as Kubernetes writes it: nothing listens here
_SHUNNED = "PreferNoSchedule"


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

    @property
    def ports(self) -> Mapping[tuple[str, int], Mapping[str, int]]:
        """The host's ports that are held, by protocol and number: at which addresses, by how many pods."""
        ...


def fits(demand: Demand, space: Space) -> bool:
    """Whether the node can hold the pod: there are no ``reasons_against``, which takes longer to tell."""
    return (
        space.free_pods > 0
        and (demand.cpu <= space.free_cpu or not demand.cpu)
        and (demand.memory <= space.free_memory or not demand.memory)
        and all(space.free_others.get(name, 0) >= amount for name, amount in demand.others)
        and not (demand.ports and _clashes(demand.ports, space))
        and admits(demand, space)
    )


def admits(demand: Demand, space: Space) -> bool:
    """Whether the node would take the pod if it were empty and large enough."""
    node = space.node
    return (
        not demand.unsupported
        and (not node.unschedulable or tolerates(demand.tolerations, UNSCHEDULABLE_TAINT))
        and (not node.taints or not repels(node.taints, demand.tolerations))
        and selected(demand, space)
    )


def reasons_against(demand: Demand, space: Space) -> list[str]:
    """Why the node cannot hold the pod; empty when it can."""
    node = space.node
    if demand.unsupported:
        return [f"unsupported: {what}" for what in demand.unsupported]
    if node.unschedulable and not tolerates(demand.tolerations, UNSCHEDULABLE_TAINT):
        return [CORDONED]
    if repels(node.taints, demand.tolerations):
        return [TAINTED]
    if not selected(demand, space):
        return [NOT_SELECTED]
    if _clashes(demand.ports, space):
        return [PORT_TAKEN]
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


def _clashes(ports: Iterable[Port], space: Space) -> bool:
    """Whether one of the ports is held: an address clashes with itself, and all addresses with each."""
    for port in ports:
        held = space.ports.get((port.protocol, port.number))
        if held and (port.address == EVERY_ADDRESS or port.address in held or EVERY_ADDRESS in held):
            return True
    return False


def repels(taints: Iterable[Taint], tolerations: tuple[Toleration, ...]) -> bool:
    """Whether one of the taints keeps away a pod with these tolerations."""
    return any(taint.effect in _REPELLING_EFFECTS and not tolerates(tolerations, taint) for taint in taints)


def shuns(node: Node, tolerations: tuple[Toleration, ...]) -> int:
    """How many taints ask a pod with these tolerations to stay away if it can (``PreferNoSchedule``)."""
    return sum(taint.effect == _SHUNNED and not tolerates(tolerations, taint) for taint in node.taints)


def likes(preferred: Iterable[Preference], space: Space) -> int:
    """What the node is worth to a pod with this preferred node affinity: the sum of the weights that hold."""
    return sum(weight for weight, term in preferred if _term_holds(term, space))


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


def selected(demand: Demand, space: Space) -> bool:
    """Whether the pod's node selector and required node affinity admit the node."""
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
