"""Who waits, counted: every pod without a node in exactly one state."""

from dataclasses import replace

from scheduler.census import STATES, Census
from scheduler.messages import BindRefused, Happening, NodesListed, PodsListed, WindowOver
from scheduler.model import GangRef
from scheduler.placement import BEST_FIT
from scheduler.policy import LEAST_SLACK
from scheduler.rules import PreemptionRules
from scheduler.state import Core
from scheduler.timetext import HOUR, MINUTE
from tests.unit.scheduler.builders import GPU, START, node, ref, task


def core(*events: Happening) -> Core:
    made = Core(LEAST_SLACK, (GPU,), BEST_FIT, PreemptionRules(unmanaged=True))
    for event in events:
        made.handle(event, START)
    return made


def states(made: Core) -> dict[str, int]:
    return {state: count for state, count in made.census(START).states.items() if count}


def test_nobody_waits_before_anything_is_known() -> None:
    assert core().census(START) == Census(dict.fromkeys(STATES, 0), ())


def test_what_is_about_to_be_tried_what_is_bound_and_what_fits_nowhere() -> None:
    made = core(
        NodesListed((node("n", 8),)),
        PodsListed((task("fits", 4, start_by=START + HOUR), task("big", 9), task("there", 1, node="n"))),
    )
    assert states(made) == {"open": 2}
    made.handle(WindowOver(), START)
    assert states(made) == {"stuck": 1, "binding": 1}
    made.handle(BindRefused(ref("fits"), "n", "no"), START)
    assert states(made) == {"stuck": 1, "pausing": 1}


def test_gates_gangs_that_are_not_complete_and_those_that_are_none_of_ours() -> None:
    member = replace(task("member", 1), gang=GangRef("g", 2, name="g"))
    made = core(
        NodesListed((node("n", 8),)),
        PodsListed(
            (
                member,
                replace(task("gated", 1), gated=True),
                replace(task("other", 1), ours=False),
                replace(task("ends", 1), deleting=START),
            )
        ),
        WindowOver(),
    )
    assert states(made) == {"forming": 1, "gated": 1}


def test_a_place_is_held_for_a_preemptor() -> None:
    runs = replace(task("runs", 8, node="n"), started=START - HOUR)
    made = core(
        NodesListed((node("n", 8),)),
        PodsListed((runs, task("urgent", 8, start_by=START + MINUTE))),
        WindowOver(),
    )
    assert states(made) == {"held": 1}


def test_slack_is_that_of_the_pods_that_wait_and_have_a_deadline() -> None:
    made = core(
        NodesListed((node("n", 8),)),
        PodsListed(
            (
                task("soon", 9, start_by=START + MINUTE),
                task("late", 9, start_by=START - HOUR),
                task("never", 9),
                task("placed", 1, start_by=START + HOUR),
            )
        ),
        WindowOver(),
    )
    assert sorted(made.census(START + 2 * MINUTE).slacks) == [-HOUR - 2 * MINUTE, -MINUTE]
