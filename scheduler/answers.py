"""What the pods that wait are told: each has a reason, and hears it again only when it has changed."""

from collections.abc import Iterable

from scheduler import explain
from scheduler.knowledge import Knowledge
from scheduler.messages import Action, Announce, MarkUnschedulable
from scheduler.model import PodRef, Task
from scheduler.pending import AskClass, Workload, kin_of


def answers(known: Knowledge, tried: Iterable[AskClass]) -> list[Action]:
    """The reasons for the pods that wait without one, or with one that no longer holds.

    ``tried``: the classes that turned out to fit nowhere.
    """
    asking = {workload.key: workload for workload in known.queue.take_unanswered()}
    for group in dict.fromkeys([*tried, *(workload.group for workload in asking.values())]):
        if group and _bring_up_to_date(known, group):
            asking.update((key, known.queue[key]) for key in group.members())
    told: list[tuple[PodRef, str]] = []
    for workload in sorted(asking.values(), key=lambda each: each.rank):
        message = workload.group.message or ""
        said = explain.for_gang(workload.gang, message) if workload.gang else message
        told += [(task.ref, said) for task in _listeners(known, workload)]
    told += _held(known)
    told += _forming(known)
    return _changed(known, told)


def _listeners(known: Knowledge, workload: Workload) -> list[Task]:
    """The pods whose answer it is: a gang's that are not wanted at once wait for the same."""
    gang = known.gangs.get(workload.key)
    return list(workload.tasks) if gang is None else gang.ready()


def _held(known: Knowledge) -> list[tuple[PodRef, str]]:
    found = []
    for hold in known.holds.values():
        for task in hold.workload.tasks:
            if known.told.get(task.ref.uid) is None:
                message = explain.waits_for_room(hold.places[task.ref.uid], len(hold.victims))
                found.append((task.ref, message))
    return found


def _forming(known: Knowledge) -> list[tuple[PodRef, str]]:
    found = []
    for key in sorted(known.unsettled):
        gang = known.gangs.get(key)
        if gang is None or key in known.queue or key in known.holds:
            continue
        ready = gang.ready()
        message = explain.not_formed(gang.name, len(ready), gang.wanted)
        found += [(task.ref, message) for task in ready if task.ref.uid not in known.queue]
    known.unsettled.clear()
    return found


def _changed(known: Knowledge, told: Iterable[tuple[PodRef, str]]) -> list[Action]:
    """Conditions first, then Events, of those pods whose message is another one."""
    marks: list[Action] = []
    notes: list[Action] = []
    for ref, message in told:
        before = known.told.get(ref.uid)
        if before == message:
            continue
        known.told[ref.uid] = message
        marks.append(MarkUnschedulable(ref, message, before is None))
        notes.append(Announce(ref, "Warning", "FailedScheduling", "Scheduling", message))
    return [*marks, *notes]


def _bring_up_to_date(known: Knowledge, group: AskClass) -> bool:
    """Bring the class's message up to date with the nodes there are. Returns whether it changed.

    Pods that come and go alone do not refresh it: under load that would rewrite the condition of every
    waiting pod whenever one finishes, for counts that are out of date a moment later.
    """
    shape = known.cluster.shape
    if group.shape == shape:
        return False
    group.shape = shape
    before, group.message = group.message, _why(known, group)
    return group.message != before


def _why(known: Knowledge, group: AskClass) -> str:
    head = known.queue[group.head()[1]]
    if len(head.tasks) > 1:
        return _why_together(known, head)
    rooms, task = known.cluster.rooms.values(), head.lead
    return explain.why_nowhere(task.demand, rooms, known.cluster.view(task.demand, kin_of(task)))


def _why_together(known: Knowledge, head: Workload) -> str:
    """How many of a gang's pods would fit, and why the next one does not."""
    with known.planner.trying(head.tasks) as (fitting, failing):
        if failing is None:
            return explain.NOT_TOGETHER
        view = known.cluster.view(failing.demand, kin_of(failing))
        message = explain.why_nowhere(failing.demand, known.cluster.rooms.values(), view)
    return f"{fitting} of {len(head.tasks)} members fit; {message}"
