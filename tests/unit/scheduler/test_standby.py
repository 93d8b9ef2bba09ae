"""What a process does with actions while it stands by, and once it leads."""

from dataclasses import replace

import pytest

from scheduler.messages import (
    Action,
    Announce,
    Gather,
    Happening,
    MarkUnschedulable,
    NodeSeen,
    NodesListed,
    PodGone,
    PodSeen,
    PodsListed,
    Wake,
    WindowOver,
)
from scheduler.model import GangRef
from scheduler.placement import BEST_FIT
from scheduler.policy import LEAST_SLACK
from scheduler.rules import PreemptionRules
from scheduler.standby import Standby
from scheduler.state import Core
from scheduler.timetext import HOUR, MINUTE
from tests.unit.scheduler.builders import GPU, START, node, ref, task


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


def test_what_is_known_does_not_grow_with_what_has_come_and_gone() -> None:
    """A process that stands by for months has no rounds, which would clear up."""
    core = Core(LEAST_SLACK, (GPU,), BEST_FIT, PreemptionRules())
    core.handle(NodesListed((node("n", 1),)), START)
    core.handle(PodsListed((task("kept", 2),)), START)
    for number in range(500):
        now = START + 3 * number * HOUR
        pod = replace(
            task(f"pod-{number}", 2, start_by=now + HOUR),
            owner="job",  # its progress is remembered for some time after its pods
            gang=GangRef(f"g-{number}", 1 + number % 2),
        )
        for event, at in (
            (PodSeen(pod), now),
            (NodeSeen(node("n", 1)), now + HOUR - MINUTE),
            (PodGone(pod.ref.uid), now + 2 * HOUR),
        ):
            core.tidy(at)
            assert Gather() not in core.handle(event, at), "there is one already"
    core.validate()
    assert kept_in(core) < 250


def following(*events: Happening) -> Core:
    """A core that stood by while another one decided; its first round is to come."""
    core = Core(LEAST_SLACK, (GPU,), BEST_FIT, PreemptionRules())
    for event in events:
        core.handle(event, START)
    return core


def test_a_place_that_the_leader_held_is_held_on() -> None:
    """The nomination came after the pod was known, by a change of nothing else."""
    waits = task("waits", 8, start_by=START + HOUR)
    core = following(
        NodesListed((node("n", 8),)),
        PodsListed((task("victim", 8, node="n"), waits)),
        PodSeen(replace(task("victim", 8, node="n"), deleting=START + MINUTE)),
        PodSeen(replace(waits, nominated="n")),
    )
    core.handle(WindowOver(), START)
    assert core.census(START).states["held"] == 1


def test_what_the_leader_said_is_not_said_again() -> None:
    core = following(NodesListed((node("n", 8),)), PodsListed((task("big", 9), task("silent", 9))))
    message = f"0/1 nodes are available: 1 Insufficient {GPU}."
    core.handle(PodSeen(task("big", 9, told=message)), START)
    actions = core.handle(WindowOver(), START)
    assert [each.ref.name for each in actions if isinstance(each, MarkUnschedulable)] == ["silent"]


def test_after_the_first_round_the_echo_of_an_earlier_answer_is_none() -> None:
    core = following(NodesListed((node("n", 8),)), PodsListed((task("big", 9),)))
    first = core.handle(WindowOver(), START)
    core.handle(PodSeen(task("big", 9, start_by=START + HOUR, told="an earlier answer")), START)
    again = core.handle(WindowOver(), START)
    said = [[each for each in actions if isinstance(each, MarkUnschedulable)] for actions in (first, again)]
    assert [len(each) for each in said] == [1, 0]


def kept_in(thing: object) -> int:
    """How many things are in all collections below this one, whatever they are called."""
    seen: set[int] = set()

    def count(one: object) -> int:
        if id(one) in seen:
            return 0
        seen.add(id(one))
        if isinstance(one, dict):
            parts = [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple | set | frozenset):
            parts = [*one]
        elif type(one).__module__.startswith("scheduler"):
            names = [*getattr(one, "__dict__", ()), *getattr(type(one), "__slots__", ())]
            parts = [getattr(one, name) for name in names if hasattr(one, name)]
        else:
            return 1
        return 1 + sum(map(count, parts))

    return count(thing)
