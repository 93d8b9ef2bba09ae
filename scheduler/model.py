"""The scheduler's own view of pods and nodes: small, frozen, and free of everything that no decision needs.

Amounts are integers: cpu in thousandths of a core, memory in bytes, other resources in whole units.
Instants are nanoseconds since the Unix epoch, spans are nanoseconds.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from scheduler.constraints import NodeTerm, PodTerm, Port, Preference, Requirement, Spread, Taint, Toleration

Amounts = tuple[tuple[str, int], ...]
"""Amounts of resources other than cpu and memory, by name, sorted, without zeros."""

Labels = frozenset[tuple[str, str]]
"""Labels as pairs of key and value, no key twice."""


class PodRef(NamedTuple):
    """Which pod: the name may be given again to another pod, the uid never."""

    namespace: str
    name: str
    uid: str


@dataclass(frozen=True, slots=True)
class Demand:
    """What a pod asks of a node, and of the pods beside it.

    Pods with equal demands are interchangeable to every node, unless terms on pods are concerned: those look
    at labels too.

    Attributes:
        node_terms: None without a required node affinity; an empty tuple matches no node, as in Kubernetes.
        unsupported: what the pod insists on and this scheduler cannot honour: such a pod fits nowhere.
        preferred: preferred node affinity, a wish among the nodes on which the pod fits.
        ports: the ports of the host that its containers take.
        affinity: required pod affinity: *one* pod that matches all terms has to be in each term's domain,
            or none anywhere and the pod matches all of them itself.
        anti_affinity: required pod anti-affinity: no pod that matches a term in that term's domain.
        spread: topology spread constraints with ``DoNotSchedule``.
    """

    cpu: int = 0
    memory: int = 0
    others: Amounts = ()
    node_selector: tuple[tuple[str, str], ...] = ()
    node_terms: tuple[NodeTerm, ...] | None = None
    tolerations: tuple[Toleration, ...] = ()
    unsupported: tuple[str, ...] = ()
    preferred: tuple[Preference, ...] = ()
    ports: tuple[Port, ...] = ()
    affinity: tuple[PodTerm, ...] = ()
    anti_affinity: tuple[PodTerm, ...] = ()
    spread: tuple[Spread, ...] = ()

    @property
    def looks_at_pods(self) -> bool:
        """Whether it depends on which pods are where."""
        return bool(self.affinity or self.anti_affinity or self.spread)


@dataclass(frozen=True, slots=True)
class Timing:
    """When a workload has to be done, and how much it has yet to do (``laxity`` says what follows).

    Attributes:
        deadline: the instant to be done by; None in the default class when that has no deadline either.
        remaining: run time that is left; None where nothing tells it. A task that comes from outside says the
            whole expected run time here; the core takes off what is known to be saved (``progress``).
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
class GangRef:
    """The gang that a pod belongs to: pods that make sense only together.

    Attributes:
        key: which gang. Unique over the cluster and over the ways to form one, and no pod's uid; a new run of
            the same job may have it again.
        least: how many members have to run at once, those that have succeeded included; None while that is
            not known (the object that tells it has not been seen), which lets the gang wait.
        topology_key: a label of nodes; the gang is kept within one of its values where it fits there.
        name: what people call it.
    """

    key: str
    least: int | None
    topology_key: str | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """A pod that concerns this scheduler: it waits to be placed by it, or it holds room on a node.

    Attributes:
        ref: which pod.
        demand: what it asks of a node.
        timing: its deadline and its expected run time.
        created: when it was created.
        node: the node that it is bound to; empty while it waits. A terminating pod keeps it, and its room,
            until it is gone.
        notices: what its author should be told about its annotations and ignored wishes.
        told: the message of its ``PodScheduled=False`` condition when it was read, None without such a
            condition. Not part of equality: the echo of our own message is no change.
        priority: ``spec.priority``, which the API server takes from the pod's priority class; the higher the
            more important.
        labels: its labels.
        ours: it names this scheduler. Others' pods hold room and are never preempted.
        owner: the uid of its controller, empty without one.
        index: its completion index, for pods of an indexed Job; empty otherwise.
        gang: the gang that it belongs to, None for a pod on its own.
        started: when its containers began to run; None before.
        checkpoint_interval: its work is saved each time that it did that much more; None for never.
        restart_cost: what each start that resumes or repeats work takes in addition.
        progress: run time that was saved before this pod, as its annotation tells; None without one.
        gated: it has scheduling gates: it does not wait to be placed yet.
        preempts: its ``preemptionPolicy`` lets it preempt others.
        nominated: ``status.nominatedNodeName``, empty without one.
        deleting: when it will be gone at the latest (``metadata.deletionTimestamp``, which includes the grace
            period); None while nobody deletes it.
        grace: its termination grace period.
    """

    ref: PodRef
    demand: Demand
    timing: Timing
    created: int
    node: str = ""
    notices: tuple[Notice, ...] = ()
    told: str | None = field(default=None, compare=False)
    priority: int = 0
    labels: Labels = frozenset()
    ours: bool = True
    owner: str = ""
    index: str = ""
    gang: GangRef | None = None
    started: int | None = None
    checkpoint_interval: int | None = None
    restart_cost: int = 0
    progress: int | None = None
    gated: bool = False
    preempts: bool = True
    nominated: str = field(default="", compare=False)
    deleting: int | None = None
    grace: int = 0


@dataclass(frozen=True, slots=True)
class Node:
    """A machine with what it has to give (``status.allocatable``), and what it says about itself.

    ``lost`` is what it would have to give if nothing of it had failed: ``status.capacity`` less allocatable,
    of resources other than cpu and memory.
    """

    name: str
    cpu: int = 0
    memory: int = 0
    pods: int = 0
    others: Amounts = ()
    labels: Labels = frozenset()
    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False
    lost: Amounts = ()


@dataclass(frozen=True, slots=True)
class DisruptionBudget:
    """A PodDisruptionBudget: how many of the pods that it selects may be disrupted now.

    ``selector`` is None where it selects no pod. ``disrupted`` names pods that were evicted already and still
    stand in ``status.disruptedPods``: they are counted in ``allowed``.
    """

    namespace: str
    name: str
    selector: tuple[Requirement, ...] | None
    allowed: int
    disrupted: frozenset[str] = frozenset()


__all__ = [
    "Amounts",
    "Demand",
    "DisruptionBudget",
    "GangRef",
    "Labels",
    "Node",
    "NodeTerm",
    "Notice",
    "PodRef",
    "PodTerm",
    "Port",
    "Preference",
    "Requirement",
    "Spread",
    "Taint",
    "Task",
    "Timing",
    "Toleration",
]
