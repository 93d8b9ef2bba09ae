"""Who waits, and for what: counted when somebody asks, from what is known anyway."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from scheduler.knowledge import Knowledge
from scheduler.laxity import slack
from scheduler.model import Task

OPEN = "open"
STUCK = "stuck"
FORMING = "forming"
HELD = "held"
PAUSING = "pausing"
GATED = "gated"
BINDING = "binding"

STATES: Mapping[str, str] = {
    OPEN: "to be tried in the next round",
    STUCK: "fits nowhere as things are",
    FORMING: "member of a gang that is not complete yet",
    HELD: "a place is held for it while others end",
    PAUSING: "its binding was refused, it pauses",
    GATED: "has scheduling gates",
    BINDING: "placed, and the binding not confirmed yet",
}
"""What a pod without a node can be waiting for."""


@dataclass(frozen=True, slots=True)
class Census:
    """The pods without a node.

    Attributes:
        states: how many pods are in each of ``STATES``.
        slacks: the slack, in nanoseconds, of each that has a deadline and is not placed yet.
    """

    states: Mapping[str, int]
    slacks: tuple[int, ...]


def take_census(known: Knowledge, now: int) -> Census:
    """Count the pods of ours that have no node."""
    found: Counter[str] = Counter()
    slacks: list[int] = []
    queued = {
        task.ref.uid: STUCK if known.queue.is_stuck(workload) else OPEN
        for workload in known.queue.workloads()
        for task in workload.tasks
    }
    for uid, task in known.tasks.items():
        if task.node or not task.ours or task.deleting is not None:
            continue
        state = queued.get(uid) or _state(known, uid, task)
        found[state] += 1
        left = slack(task.timing, now)
        if left is not None and state != BINDING:
            slacks.append(left)
    return Census({state: found[state] for state in STATES}, tuple(slacks))


def _state(known: Knowledge, uid: str, task: Task) -> str:
    if uid in known.assumed:
        return BINDING
    if uid in known.held:
        return HELD
    if uid in known.pausing:
        return PAUSING
    return GATED if task.gated else FORMING
