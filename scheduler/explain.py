"""Why a pod got no node, in the words that users of ``kubectl describe`` know from kube-scheduler."""

from collections import Counter
from collections.abc import Collection, Mapping

from scheduler.fit import reasons_against
from scheduler.laxity import hopeless, slack
from scheduler.model import Demand, Task
from scheduler.peers import View
from scheduler.pending import Workload
from scheduler.placement import Packing
from scheduler.policy import Preempting
from scheduler.room import Room
from scheduler.timetext import format_span
from scheduler.victims import Running

NO_NODES = "no nodes available to schedule pods"
NOT_TOGETHER = "the nodes have room for its members again: it is tried in the next round"


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


def for_gang(name: str, message: str) -> str:
    """The message for the members of a gang that fits nowhere as a whole."""
    return f"gang {name}: {message}"


def not_formed(name: str, ready: int, wanted: int | None) -> str:
    """The message for the members of a gang that is not complete yet."""
    if wanted is None:
        return f"gang {name}: what says how many members it needs has not been seen yet"
    return f"gang {name}: {ready} of {wanted} members that it needs at once are ready to be placed"


def waits_for_room(node: str, victims: int) -> str:
    """The message for a pod for which a place is held until others have ended."""
    return f"the place on node {node} is held until {victims} preempted pods have ended"


def undone(name: str) -> str:
    """The message for a member that holds room for a gang that could not be completed."""
    return f"gang {name} could not be completed in time: the part of it that holds room is ended"


def preempted(taker: Workload, node: str, victim: Running) -> str:
    """The note of the Event for a pod that has to give way."""
    lead = taker.lead.ref
    whom = f"gang {taker.gang}" if taker.gang else f"pod {lead.namespace}/{lead.name}"
    cost = f"{format_span(max(victim.lost, 0))} of run time are lost"
    return f"Preempted by {whom} on node {node}: {cost}"


def not_preempted(why: str) -> str:
    """The note of the Event for a pod that the API did not let end."""
    return f"it should have given way to another pod, and the API refused: {why}"


_WHY_NOW = {
    Preempting.NEVER: "",
    Preempting.SLACK: "its slack does not last until room frees by itself",
    Preempting.DEADLINE: "its slack does not last until room frees by itself",
    Preempting.PRIORITY: "its priority is higher",
}


def why_now(preempting: Preempting) -> str:
    """Why others have to give way at this moment."""
    return _WHY_NOW[preempting]


def why_there(packing: Packing, free: int) -> str:
    """Why a pod goes to this node."""
    return f"{packing.summary}: {free} free after it"


def why_together(places: Mapping[str, str]) -> str:
    """Why a gang goes where it goes."""
    nodes = len(set(places.values()))
    return f"all {len(places)} members at once, on {nodes} node{'s' if nodes > 1 else ''}"
