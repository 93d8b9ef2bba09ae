"""What a process does with actions while it stands by, and once it leads."""

import pytest

from scheduler.messages import Action, Announce, Gather, Happening, PodGone, PodSeen, PodsListed, Wake
from scheduler.standby import Standby
from tests.unit.scheduler.builders import START, ref, task


def note(name: str) -> Announce:
    return Announce(ref(name), "Warning", "MalformedAnnotation", "Scheduling", "note")


def standing_by(*actions: Action) -> tuple[Standby, list[tuple[Action, int]]]:
    done: list[tuple[Action, int]] = []
    standby = Standby(lambda action, now: done.append((action, now)), leading=False)
    for action in actions:
        standby.pass_on(action, START)
    return standby, done


def test_a_leader_performs_at_once() -> None:
    done: list[Action] = []
    Standby(lambda action, _: done.append(action), leading=True).pass_on(Gather(), START)
    assert done == [Gather()]


def test_nothing_but_timers_before_it_leads_and_all_of_it_then() -> None:
    standby, done = standing_by(note("a"), Gather(), Wake(START + 1))
    assert done == [(Wake(START + 1), START)]
    standby.lead(START + 5)
    assert done[1:] == [(note("a"), START + 5), (Gather(), START + 5)]
    standby.pass_on(note("b"), START + 6)
    assert done[3:] == [(note("b"), START + 6)]


@pytest.mark.parametrize(
    "event",
    [
        PodGone("uid-a"),
        PodSeen(task("a", node="n")),
        PodsListed((task("a", node="n"), task("b"))),
        PodsListed((task("b"),)),
    ],
)
def test_what_is_moot_is_dropped(event: Happening) -> None:
    standby, done = standing_by(note("a"), note("b"), Gather())
    standby.settle(PodSeen(task("a")))
    standby.settle(event)
    standby.lead(START)
    assert [action for action, _ in done] == [note("b"), Gather()]
