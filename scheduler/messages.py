"""What goes into the decision core and what comes out of it: plain values that compare with ``==``."""

from dataclasses import dataclass
from typing import Literal

from scheduler.model import Node, PodRef, Task

# What happened ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PodsListed:
    """All unfinished pods there are: those known before and not among them are gone."""

    tasks: tuple[Task, ...]


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
    """A pod finished or was deleted: whatever it held is free."""

    uid: str


@dataclass(frozen=True, slots=True)
class NodeSeen:
    """A node appeared or changed."""

    node: Node


@dataclass(frozen=True, slots=True)
class NodeGone:
    """A node was deleted."""

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


Happening = (
    PodsListed
    | NodesListed
    | PodSeen
    | PodGone
    | NodeSeen
    | NodeGone
    | WindowOver
    | BindDone
    | BindRefused
    | BackOffOver
)


# What to do ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Gather:
    """Wait one gathering window for more changes, then report ``WindowOver``."""


@dataclass(frozen=True, slots=True)
class Bind:
    """Bind the pod to the node, and report ``BindDone`` or ``BindRefused``."""

    ref: PodRef
    node: str


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
    """Record an Event on the pod."""

    ref: PodRef
    severity: Literal["Normal", "Warning"]
    reason: str
    doing: Literal["Scheduling", "Binding"]
    note: str


@dataclass(frozen=True, slots=True)
class BackOff:
    """Report ``BackOffOver`` for the pod after ``pause`` nanoseconds."""

    uid: str
    pause: int


Action = Gather | Bind | MarkUnschedulable | Announce | BackOff
