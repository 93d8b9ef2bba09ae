"""What goes into the decision core and what comes out of it: plain values that compare with ``==``.

The contract. Whoever feeds the core calls ``Core.handle`` with one happening after the other, each with the
instant at which it is told, which never goes back, and performs the actions in their order. The core decides
nothing before it was told of all pods and of all nodes once (``PodsListed``, ``NodesListed``); disruption
budgets and namespaces may come at any time, and count as not there before.
"""

from dataclasses import dataclass, field
from typing import Literal

from scheduler.decision import Decision
from scheduler.model import DisruptionBudget, Labels, Node, PodRef, Task

# What happened ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PodsListed:
    """All unfinished pods there are: those known before and not among them are gone.

    ``done`` has the key of a gang for each member of it that ended with success and still exists as an
    object: a scheduler that has just started cannot know otherwise how many members are still wanted.
    """

    tasks: tuple[Task, ...]
    done: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NodesListed:
    """All nodes there are: those known before and not among them are gone."""

    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class PodSeen:
    """A pod appeared or changed."""

    task: Task


@dataclass(frozen=True, slots=True)
class PodGone:
    """A pod finished or was deleted: whatever it held is free.

    ``succeeded`` is whether it ended with success, so that its work is done and nothing follows it.
    """

    uid: str
    succeeded: bool = False


@dataclass(frozen=True, slots=True)
class NodeSeen:
    """A node appeared or changed."""

    node: Node


@dataclass(frozen=True, slots=True)
class NodeGone:
    """A node was deleted."""

    name: str


@dataclass(frozen=True, slots=True)
class BudgetsListed:
    """All disruption budgets there are: those known before and not among them are gone."""

    budgets: tuple[DisruptionBudget, ...]


@dataclass(frozen=True, slots=True)
class BudgetSeen:
    """A disruption budget appeared or changed."""

    budget: DisruptionBudget


@dataclass(frozen=True, slots=True)
class BudgetGone:
    """A disruption budget was deleted."""

    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class NamespacesListed:
    """All namespaces there are, with their labels: terms that select namespaces look at these."""

    namespaces: tuple[tuple[str, Labels], ...]


@dataclass(frozen=True, slots=True)
class NamespaceSeen:
    """A namespace appeared or changed."""

    name: str
    labels: Labels


@dataclass(frozen=True, slots=True)
class NamespaceGone:
    """A namespace was deleted."""

    name: str


@dataclass(frozen=True, slots=True)
class WindowOver:
    """The gathering window that ``Gather`` asked for has ended."""


@dataclass(frozen=True, slots=True)
class BindDone:
    """The API took a binding."""

    ref: PodRef
    node: str


@dataclass(frozen=True, slots=True)
class BindRefused:
    """The API did not take a binding; ``why`` is its own message."""

    ref: PodRef
    node: str
    why: str


@dataclass(frozen=True, slots=True)
class BackOffOver:
    """The pause that ``BackOff`` asked for has ended."""

    uid: str


@dataclass(frozen=True, slots=True)
class Woken:
    """The instant that ``Wake`` asked for has come. One too many does no harm."""


@dataclass(frozen=True, slots=True)
class PreemptRefused:
    """The API did not delete a victim, which goes on; ``why`` is its own message.

    That the pod is not there any more, or that its name belongs to another by now, is no refusal: then
    ``PodGone`` comes.
    """

    victim: PodRef
    why: str


Happening = (
    PodsListed
    | NodesListed
    | PodSeen
    | PodGone
    | NodeSeen
    | NodeGone
    | BudgetsListed
    | BudgetSeen
    | BudgetGone
    | NamespacesListed
    | NamespaceSeen
    | NamespaceGone
    | WindowOver
    | BindDone
    | BindRefused
    | BackOffOver
    | Woken
    | PreemptRefused
)


# What to do ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Gather:
    """Wait one gathering window for more changes, then report ``WindowOver``."""


@dataclass(frozen=True, slots=True)
class Bind:
    """Bind the pod to the node, and report ``BindDone`` or ``BindRefused``.

    ``decision`` says why, for logs and the curious; it is not part of equality.
    """

    ref: PodRef
    node: str
    decision: Decision | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Preempt:
    """End a running pod to make room, or to undo half a gang.

    Set the pod's condition ``DisruptionTarget=True`` with the reason ``PreemptionByScheduler`` and ``why`` as
    its message, then delete it gracefully with its uid as precondition. Report ``PreemptRefused`` when the
    API refuses to delete it. The Event on the victim is an ``Announce`` of its own.

    Attributes:
        victim: the pod to end.
        preemptor: the pod for which it ends, of a gang its first member; None where half a gang is undone.
        why: a sentence for people.
        decision: why, for logs and the curious; not part of equality. All victims of one preemption share it.
    """

    victim: PodRef
    preemptor: PodRef | None
    why: str
    decision: Decision | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Nominate:
    """Set the pod's ``status.nominatedNodeName``; an empty node takes it away.

    The core holds the place whether or not this succeeds: nothing needs to be reported.
    """

    ref: PodRef
    node: str


@dataclass(frozen=True, slots=True)
class Wake:
    """Report ``Woken`` at this instant or soon after it; None: no more.

    Each replaces the one before: there is at most one such timer, and none while nothing hangs on time alone.
    Instants are whole seconds after the present one, not beyond the range of a timer; one that lies in the
    past is due at once.
    """

    at: int | None


@dataclass(frozen=True, slots=True)
class MarkUnschedulable:
    """Set the pod's condition ``PodScheduled=False`` with this message.

    ``first`` is whether it had no such condition yet, so that this is the moment of the transition.
    """

    ref: PodRef
    message: str
    first: bool


@dataclass(frozen=True, slots=True)
class Announce:
    """Record an Event on the pod. ``related`` is another pod that it is about, such as the preemptor."""

    ref: PodRef
    severity: Literal["Normal", "Warning"]
    reason: str
    doing: Literal["Scheduling", "Binding", "Preempting"]
    note: str
    related: PodRef | None = None


@dataclass(frozen=True, slots=True)
class BackOff:
    """Report ``BackOffOver`` for the pod after ``pause`` nanoseconds."""

    uid: str
    pause: int


Action = Gather | Bind | Preempt | Nominate | MarkUnschedulable | Announce | BackOff | Wake
