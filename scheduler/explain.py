"""Why a pod got no node, in the words that users of ``kubectl describe`` know from kube-scheduler."""

from collections import Counter
from collections.abc import Collection

from scheduler.fit import reasons_against
from scheduler.laxity import hopeless, slack
from scheduler.model import Demand, Task
from scheduler.peers import View
from scheduler.room import Room
from scheduler.timetext import format_span

NO_NODES = "no nodes available to schedule pods"


def reasons_on(demand: Demand, room: Room, view: View | None = None) -> list[str]:
    """Why a node cannot hold the pod; empty when it can. ``view`` says where other pods let it go."""
    reasons = reasons_against(demand, room)
    if reasons or view is None:
        return reasons
    objection = view.objection(room.labels)
    return [] if objection is None else [objection]


def why_nowhere(demand: Demand, rooms: Collection[Room], view: View | None = None) -> str:
    """The message for a pod that fits on none of these nodes.

    It reads like ``0/4 nodes are available: 3 Insufficient cpu, 1 node(s) were unschedulable.`` A demand that
    this scheduler cannot honour is named instead: no node would change anything about it.
    """
    if demand.unsupported:
        return f"this scheduler does not support {', '.join(demand.unsupported)}: the pod stays pending"
    if not rooms:
        return NO_NODES
    reasons: Counter[str] = Counter()
    for room in rooms:
        reasons.update(reasons_on(demand, room, view))
    # Sorted as text, as kube-scheduler does, so that equal states make equal messages.
    listed = ", ".join(sorted(f"{count} {reason}" for reason, count in reasons.items()))
    return f"0/{len(rooms)} nodes are available: {listed}."


def assigned(task: Task, node: str, now: int) -> str:
    """The note of the Event for a pod that was bound: where to, and how it stands with its deadline."""
    where = f"Successfully assigned {task.ref.namespace}/{task.ref.name} to {node}"
    left = slack(task.timing, now)
    if left is None:
        return where
    if hopeless(task.timing, now):
        return f"{where}, {format_span(-left)} too late for its deadline"
    return f"{where}, {format_span(max(left, 0))} before it has to start"


def refused(node: str, why: str) -> str:
    """The note of the Event for a pod whose binding the API did not take."""
    return f"binding to node {node} was refused: {why}"
