"""What must hold of everything that is known, after each step: a violation is a bug in this program."""

from scheduler.knowledge import Knowledge, helps
from scheduler.model import Task


def validate(known: Knowledge) -> None:
    """Check that all accounts agree: an ``AssertionError`` is a bug in this program."""
    for part in (known.cluster, known.queue, known.gangs, known.progress, known.ends, known.roll):
        part.validate()
    for task in known.tasks.values():
        _validate_pod(known, task)
    every = (
        known.assumed.keys()
        | known.pausing
        | known.spared.keys()
        | known.told.keys()
        | known.victims.keys()
        | known.held.keys()
    )
    assert every <= known.tasks.keys(), "a gone pod is kept"
    assert not any(known.tasks[uid].node for uid in known.assumed), "a bound pod is still assumed"
    _validate_holds(known)
    alone = [group for group in known.queue.stuck if group.ask.is_one and not group.ask.looks_at_pods]
    for name, room in known.cluster.rooms.items():
        assert name in known.gained or not any(helps(group, room) for group in alone), (
            f"{name} could hold a pod held for stuck"
        )


def _validate_pod(known: Knowledge, task: Task) -> None:
    uid = task.ref.uid
    place = known.place_of(task)
    hold = known.holds.get(known.held.get(uid, ""))
    held = "" if hold is None else hold.places[uid]
    assert not (place and held), f"{task.ref} is placed and waits for a place"
    assert known.cluster.place_of(uid) == (place or held), f"{task.ref} holds room at the wrong place"
    waits = not place and not held and known.may_wait(task) and uid not in known.pausing
    gang = known.gangs.gang_of(uid)
    if gang is None:
        assert (uid in known.queue) == waits, f"{task.ref} waits though it should not, or does not"
        return
    assert (uid in gang.waiting) == (waits or bool(held)), f"{task.ref} and its gang disagree"
    alone = gang.wanted is not None and gang.wanted <= 0
    assert (uid in known.queue) == (waits and alone and gang.ref.key not in known.holds)


def _validate_holds(known: Knowledge) -> None:
    assert {uid: key for key, hold in known.holds.items() for uid in hold.places} == known.held
    gangs = 0
    for key, hold in known.holds.items():
        assert key not in known.queue, "a workload waits and has a place held"
        assert set(hold.places) == {task.ref.uid for task in hold.workload.tasks}, "half a gang is held"
        assert hold.victims <= known.victims.keys()
        gangs += bool(hold.workload.gang)
    assert known.half.keys() == {gang.ref.key for gang in known.gangs.values() if gang.half}
    for gang in known.gangs.values():
        formed = gang.wanted is not None and 0 < gang.wanted <= len(gang.ready())
        assert (gang.ref.key in known.queue) == (formed and gang.ref.key not in known.holds), gang.name
