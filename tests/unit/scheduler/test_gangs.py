"""Membership of gangs, and how many members are still wanted."""

from dataclasses import replace

from scheduler.gangs import Gang, Gangs
from scheduler.model import GangRef, Task
from tests.unit.scheduler.builders import START, task
from tests.unit.scheduler.table import members


def note(gangs: Gangs, pod: Task, state: str = "waits") -> set[str]:
    found = gangs.note(pod, waits=state == "waits", placed=state == "placed", pauses=state == "pauses")
    gangs.validate()
    return found


def the_gang(gangs: Gangs) -> Gang:
    (found,) = gangs.values()
    return found


def test_wanted_is_what_is_missing_to_the_least() -> None:
    gangs = Gangs()
    first, second, third = members("g", 3, 1)
    note(gangs, first, "placed")
    note(gangs, second)
    assert the_gang(gangs).wanted == 2
    assert note(gangs, third) == {"gang-g"}
    assert [pod.ref.name for pod in the_gang(gangs).ready()] == ["g-1", "g-2"]
    gangs.drop(second.ref.uid, succeeded=True)
    assert the_gang(gangs).wanted == 1
    assert gangs.gang_of(second.ref.uid) is None


def test_members_stand_in_the_order_of_creation_index_and_name() -> None:
    gangs = Gangs()
    for index, created in (("10", 0), ("9", 0), ("1", 1)):
        (pod,) = members("g", 1, 1)
        note(gangs, replace(pod, ref=task(f"p{index}").ref, index=index, created=START + created))
    assert [pod.index for pod in the_gang(gangs).ready()] == ["9", "10", "1"]


def test_half_a_gang_holds_room_while_others_wait_or_pause() -> None:
    gangs = Gangs()
    first, second = members("g", 2, 1)
    note(gangs, first, "placed")
    assert not the_gang(gangs).half, "nobody waits"
    note(gangs, second)
    assert the_gang(gangs).half
    note(gangs, second, "pauses")
    assert the_gang(gangs).half
    note(gangs, second, "placed")
    assert not the_gang(gangs).half


def test_a_pod_may_change_its_gang_or_leave_it() -> None:
    gangs = Gangs()
    (pod,) = members("g", 1, 1)
    note(gangs, pod)
    assert note(gangs, replace(pod, gang=GangRef("gang-h", 1))) == {"gang-g", "gang-h"}
    assert gangs.get("gang-g") is None
    assert note(gangs, replace(pod, gang=None)) == {"gang-h"}
    assert list(gangs.values()) == []


def test_who_has_succeeded_is_remembered_until_all_have() -> None:
    gangs = Gangs()
    first, second = members("g", 2, 1)
    note(gangs, first, "placed")
    gangs.drop(first.ref.uid, succeeded=True)
    note(gangs, second)
    assert the_gang(gangs).wanted == 1
    gangs.drop(second.ref.uid, succeeded=True)
    note(gangs, first)
    assert the_gang(gangs).wanted == 2, "another run of it"


def test_what_others_know_of_success_counts_at_least() -> None:
    gangs = Gangs()
    first, second, third = members("g", 3, 1)
    note(gangs, first)
    assert gangs.set_done(["gang-g", "gang-g", "unknown"]) == {"gang-g"}
    assert the_gang(gangs).wanted == 1
    assert gangs.set_done(["gang-g"]) == set()
    note(gangs, replace(second, gang=GangRef("unknown", 2)))
    note(gangs, third)
    unknown = gangs.get("unknown")
    assert unknown is not None
    assert unknown.wanted == 1


def test_an_unknown_size_leaves_the_need_open() -> None:
    gangs = Gangs()
    (pod,) = members("g", 1, 1)
    note(gangs, replace(pod, gang=GangRef("gang-g", None)))
    assert the_gang(gangs).wanted is None
    assert not the_gang(gangs).half
