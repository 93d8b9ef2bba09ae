"""The scheduler's own view of pods and nodes: small, frozen, and free of everything that no decision needs.

Amounts are integers: cpu in thousandths of a core, memory in bytes, other resources in whole units.
Instants are nanoseconds since the Unix epoch, spans are nanoseconds.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

Amounts = tuple[tuple[str, int], ...]
"""Amounts of resources other than cpu and memory, by name, sorted, without zeros."""


class PodRef(NamedTuple):
    """Which pod: the name may be given again to another pod, the uid never."""

    namespace: str
    name: str
    uid: str


@dataclass(frozen=True, slots=True)
class Taint:
    """What a node says to keep pods away (``spec.taints``)."""

    key: str
    value: str
    effect: str


@dataclass(frozen=True, slots=True)
class Toleration:
    """Which taints a pod puts up with (``spec.tolerations``); an empty key or effect stands for all."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A condition on a label or field: ``In``, ``NotIn``, ``Exists``, ``DoesNotExist``, ``Gt``, ``Lt``."""

    key: str
    operator: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeTerm:
    """One term of a required node affinity: it holds where all of its conditions hold."""

    labels: tuple[Requirement, ...] = ()
    fields: tuple[Requirement, ...] = ()


@dataclass(frozen=True, slots=True)
class Demand:
    """What a pod asks of a node. Pods with equal demands are interchangeable to every node.

    ``node_terms`` is None without a required node affinity; an empty tuple matches no node, as in Kubernetes.
    ``unsupported`` names what the pod insists on and this scheduler cannot honour: such a pod fits nowhere.
    """

    cpu: int = 0
    memory: int = 0
    others: Amounts = ()
    node_selector: tuple[tuple[str, str], ...] = ()
    node_terms: tuple[NodeTerm, ...] | None = None
    tolerations: tuple[Toleration, ...] = ()
    unsupported: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Timing:
    """When a workload has to be done, and how much it has yet to do (``laxity`` says what follows).

    Attributes:
        deadline: the instant to be done by; None in the default class when that has no deadline either.
        remaining: run time that is left; None where nothing tells it.
        stated: the workload stated the deadline itself. One that it got from the default class only makes it
            more urgent with age: no promise is broken when it passes, so that it never counts as hopeless.
    """

    deadline: int | None = None
    remaining: int | None = None
    stated: bool = False


class Notice(NamedTuple):
    """Something that a pod's author should know, told once as an Event on the pod."""

    reason: str
    note: str


@dataclass(frozen=True, slots=True)
class Task:
    """A pod that concerns this scheduler: it waits to be placed by it, or it holds room on a node.

    Attributes:
        ref: which pod.
        demand: what it asks of a node.
        timing: its deadline and what is left of its run time.
        created: when it was created.
        node: the node that it is bound to; empty while it waits.
        notices: what its author should be told about its annotations and ignored wishes.
        told: the message of its ``PodScheduled=False`` condition when it was read, None without such a
            condition. Not part of equality: the echo of our own message is no change.
        priority: ``spec.priority``, which the API server takes from the pod's priority class; the higher the
            more important.
    """

    ref: PodRef
    demand: Demand
    timing: Timing
    created: int
    node: str = ""
    notices: tuple[Notice, ...] = ()
    told: str | None = field(default=None, compare=False)
    priority: int = 0


@dataclass(frozen=True, slots=True)
class Node:
    """A machine with what it has to give (``status.allocatable``), and what it says about itself."""

    name: str
    cpu: int = 0
    memory: int = 0
    pods: int = 0
    others: Amounts = ()
    labels: frozenset[tuple[str, str]] = frozenset()
    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False
