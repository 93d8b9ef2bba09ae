"""Rounds in which running workloads give way, places are held, and gangs are placed as a whole."""

from dataclasses import replace
from typing import Any

import pytest

from scheduler.constraints import PodTerm, Requirement
from scheduler.forcing import RETRY
from scheduler.messages import (
    Announce,
    BackOffOver,
    Bind,
    BindRefused,
    MarkUnschedulable,
    NodeGone,
    NodeSeen,
    PodSeen,
    PodsListed,
    Preempt,
    PreemptRefused,
    Wake,
)
from scheduler.model import Task
from scheduler.policy import (
    EARLIEST_DEADLINE,
    FIRST_COME,
    HIGHEST_PRIORITY,
    LEAST_SLACK,
    SHORTEST_FIRST,
    Policy,
)
from scheduler.rules import PreemptionRules
from scheduler.timetext import HOUR, MINUTE, SECOND
from tests.unit.scheduler.builders import START, demand, node, ref, task
from tests.unit.scheduler.table import (
    GRACE,
    RULES,
    World,
    bound,
    gathers,
    job,
    members,
    nominated,
    reasons,
    some,
    taken,
)

LATER = START + HOUR
"""When the tests about preemption take place: what runs has run for an hour by then."""


def urgent(name: str = "u", gpus: int = 8, slack: int = 5 * MINUTE, **fields: Any) -> Task:
    """A pod with an hour of work that has so much slack an hour after the start."""
    return job(name, gpus, slack=HOUR + slack, **fields)


# When ---------------------------------------------------------------------------------------------


def full(policy: Policy = LEAST_SLACK, rules: PreemptionRules | None = RULES, **fields: Any) -> World:
    """A node of eight chips that a job without a deadline holds for ten hours, an hour after its start."""
    holder = job("holder", 8, hours=10, runs_on="n0", **fields)
    world = World([8], holder, policy=policy, rules=rules)
    world.now = LATER
    return world


def test_what_cannot_wait_takes_the_place_of_what_can() -> None:
    world = full()
    actions = world.come(urgent())
    assert taken(actions) == ["holder"]
    assert nominated(actions) == {"u": "n0"}
    assert bound(actions) == {}
    (preempt,) = some(actions, Preempt)
    assert preempt.preemptor == ref("u")
    assert preempt.why == "Preempted by pod default/u on node n0: 1h of run time are lost"
    assert [each for each in some(actions, Announce) if each.reason == "Preempted"] == [
        Announce(ref("holder"), "Normal", "Preempted", "Preempting", preempt.why, ref("u"))
    ]
    assert some(actions, MarkUnschedulable) == [
        MarkUnschedulable(ref("u"), "the place on node n0 is held until 1 preempted pods have ended", True)
    ]


def test_why_is_on_record() -> None:
    world = full()
    found = reasons(some(world.come(urgent()), Preempt)[0])
    assert (found.kind, found.pod, found.nodes, found.at) == ("preempt", ref("u"), ("n0",), LATER)
    assert found.slack == 5 * MINUTE
    assert [(loss.name, loss.chip_time, loss.slack) for loss in found.victims] == [
        ("default/holder", 8 * HOUR, None)
    ]
    assert found.to_json()["victims"] == [
        {"name": "default/holder", "pods": ["default/holder"], "chip_time_ns": 8 * HOUR, "slack_ns": None}
    ]


def test_nothing_is_taken_before_the_slack_runs_out() -> None:
    world = full()
    assert taken(world.come(urgent(slack=RULES.lead + 90 * MINUTE))) == []
    assert world.alarm == LATER + 90 * MINUTE
    assert taken(world.at(LATER + 90 * MINUTE)) == ["holder"]


def test_what_frees_in_time_is_waited_for() -> None:
    world = full()
    ends_soon = job("ends", 8, hours=1, runs_on="n1", started=START + 3 * MINUTE)
    world.tell(NodeSeen(node("n1", 8)))
    world.come(ends_soon)
    assert taken(world.come(urgent())) == []
    assert world.alarm == LATER + 4 * MINUTE, "a minute before it is too late"
    assert bound(world.go("ends")) == {"u": "n1"}
    assert world.alarm is None


def test_at_the_last_moment_nothing_is_hoped_for() -> None:
    world = full()
    world.tell(NodeSeen(node("n1", 8)))
    world.come(job("ends", 8, hours=1, runs_on="n1", started=START + 3 * MINUTE))
    world.come(urgent())
    assert taken(world.at(LATER + 4 * MINUTE)) == ["ends"], (
        "it should have ended a minute ago, and loses less"
    )


def test_what_ends_already_is_waited_for_also_then() -> None:
    world = full()
    world.ending("holder")
    assert taken(world.come(urgent(slack=45 * SECOND))) == []
    assert bound(world.go("holder")) == {"u": "n0"}


def test_the_hopeless_take_nobody() -> None:
    assert taken(full().come(urgent(slack=-SECOND))) == []


def test_nobody_is_taken_who_would_end_too_late() -> None:
    assert taken(full(grace=6 * MINUTE).come(urgent())) == []
    assert taken(full(grace=5 * MINUTE).come(urgent())) == ["holder"]


def test_without_rules_nobody_is_taken() -> None:
    world = full(rules=None)
    assert taken(world.come(urgent())) == []
    assert world.alarm is None


@pytest.mark.parametrize("policy", [FIRST_COME, SHORTEST_FIRST])
def test_some_orders_never_take(policy: Policy) -> None:
    world = full(policy)
    assert taken(world.come(urgent())) == []
    assert world.alarm is None


def test_a_pod_that_must_not_preempt_waits() -> None:
    world = full()
    assert taken(world.come(urgent(preempts=False))) == []
    assert world.alarm is None


def test_without_a_promise_nobody_is_taken() -> None:
    assert taken(full().come(job("u", 8))) == []


# Who ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "goes"),
    [
        ({}, True),
        ({"slack": 20 * MINUTE}, False),  # it would be late itself: an hour of work is lost
        ({"slack": 20 * MINUTE, "checkpoint_interval": MINUTE}, True),
        ({"slack": 19 * MINUTE, "checkpoint_interval": MINUTE}, False),  # within the margin
        ({"slack": 20 * MINUTE, "priority": -1}, True),  # a promise of less priority is broken
        ({"started": LATER - RULES.minimum_run}, True),
        ({"started": LATER - RULES.minimum_run + SECOND}, False),
        ({"owner": ""}, False),  # nobody would make it again
        ({"ours": False}, False),
        ({"deleting": LATER + 20 * MINUTE}, False),
        ({"slack": -2 * HOUR}, True),  # it is late anyway
    ],
)
def test_who_may_be_taken(fields: dict[str, Any], goes: bool) -> None:
    assert taken(full(**fields).come(urgent())) == (["holder"] if goes else [])


def test_pods_without_controller_may_be_taken_where_that_is_wanted() -> None:
    assert taken(full(rules=replace(RULES, unmanaged=True), owner="").come(urgent())) == ["holder"]


def test_edf_takes_the_later_deadline() -> None:
    # Its deadline is 11 h after the start, far behind; its slack is but an hour.
    world = full(EARLIEST_DEADLINE, slack=HOUR, checkpoint_interval=MINUTE)
    assert taken(world.come(urgent())) == ["holder"]
    near = job("near", 8, hours=1.25, slack=50 * MINUTE, runs_on="n0", checkpoint_interval=MINUTE)
    world = World([8], near, policy=EARLIEST_DEADLINE)
    world.now = LATER
    assert taken(world.come(urgent())) == [], "it is due no later than the other one, but for the margin"


def test_under_priority_the_higher_takes_the_lower_at_once() -> None:
    world = full(HIGHEST_PRIORITY, priority=1, owner="", started=LATER)
    assert taken(world.come(job("equal", 8, priority=1))) == []
    assert taken(world.come(job("meek", 8, priority=3, preempts=False))) == []
    assert taken(world.come(job("high", 8, priority=2))) == ["holder"]


def test_the_cheapest_goes() -> None:
    costs = {"a": {"checkpoint_interval": 20 * MINUTE}, "b": {"checkpoint_interval": 50 * MINUTE}, "c": {}}
    pods = [job(name, 8, hours=9, runs_on=f"n{n}", **costs[name]) for n, name in enumerate(costs)]
    world = World([8, 8, 8], *pods)
    world.now = START + 110 * MINUTE  # lost: 10 minutes, 10 minutes, all
    assert taken(world.come(job("u", 8, slack=115 * MINUTE))) == ["a"]


def test_gangs_go_as_a_whole_and_count_as_a_whole() -> None:
    gang = members("g", 2, 4, hours=9)
    placed = [replace(pod, node=f"n{n}", started=START) for n, pod in enumerate(gang)]
    world = World([4, 4], *placed)
    world.now = LATER
    assert taken(world.come(urgent(gpus=4))) == ["g-0", "g-1"]
    alone = job("alone", 4, hours=9, runs_on="n2")
    world = World([4, 4, 4], *placed, alone)
    world.now = LATER
    assert taken(world.come(urgent(gpus=4))) == ["alone"]


def test_budgets_end_and_the_taken_does_not_take_back() -> None:
    world = full(rules=replace(RULES, budget=1, hysteresis=0))
    world.come(urgent())
    world.ending("holder")
    world.confirm(*some(world.go("holder"), Bind))
    again = job("again", 8, hours=10, owner="job-holder")
    world.now += 10 * MINUTE
    world.come(again)
    world.now += HOUR
    world.confirm(*some(world.go("u"), Bind))
    world.now += HOUR
    assert taken(world.come(job("v", 8, slack=world.now - START + 5 * MINUTE))) == [], "its budget is spent"


# Places that are held -----------------------------------------------------------------------------


def preempting() -> World:
    world = full()
    world.come(urgent())
    world.ending("holder")
    return world


def test_a_held_place_is_nobody_elses() -> None:
    world = preempting()
    assert bound(world.come(job("small", 1, slack=2 * HOUR))) == {}
    actions = world.go("holder")
    assert bound(actions) == {"u": "n0"}
    assert reasons(some(actions, Bind)[0]).why == "its place has become free"


def test_nobody_else_is_taken_for_it_meanwhile() -> None:
    world = preempting()
    world.tell(NodeSeen(node("n1", 8)))
    world.come(job("other", 8, hours=10, runs_on="n1"))
    assert taken(world.come(job("x", 8))) == []
    assert taken(world.at(LATER + 4 * MINUTE)) == []


def test_another_place_that_becomes_free_first_is_taken() -> None:
    world = preempting()
    world.tell(NodeSeen(node("n1", 8)))
    assert bound(world.round()) == {"u": "n1"}


def test_a_place_is_not_held_for_ever() -> None:
    world = preempting()
    until = LATER + RULES.hold + GRACE
    assert world.alarm == until
    actions = world.at(until)
    assert nominated(actions) == {"u": ""}
    assert taken(actions) == [], "its victims are not gone"


def test_a_preemptor_that_goes_gives_its_place_back() -> None:
    world = preempting()
    assert bound(world.go("u")) == {}
    assert world.alarm is None
    assert bound(world.come(job("small", 1))) == {}
    assert bound(world.go("holder")) == {"small": "n0"}


def test_a_preemptor_that_changes_waits_anew() -> None:
    world = preempting()
    assert taken(world.come(replace(urgent(), demand=urgent(gpus=9).demand))) == []
    world.go("holder")
    assert bound(world.come(job("small", 1))) == {"small": "n0"}


def test_a_place_on_a_node_that_is_gone_is_not_held() -> None:
    world = preempting()
    assert gathers(world.tell(NodeGone("n0")))
    world.round()
    assert world.alarm is None or world.alarm <= LATER + 5 * MINUTE


def test_a_preemption_that_the_api_refuses_is_given_up_for_a_while() -> None:
    world = full()
    world.come(urgent(slack=9 * MINUTE))
    actions = world.tell(PreemptRefused(ref("holder"), "403 Forbidden"))
    assert some(actions, Announce)[0].reason == "PreemptionFailed"
    assert taken(world.round()) == []
    assert taken(world.at(LATER + 8 * MINUTE)) == ["holder"]


def test_after_a_restart_a_nominated_place_is_held_where_its_way_is_being_cleared() -> None:
    waiting = replace(urgent(), nominated="n0")
    ending = job("holder", 8, hours=10, runs_on="n0", deleting=LATER + GRACE)
    world = World([8], ending, waiting, job("small", 1, slack=HOUR))
    world.now = LATER
    world.round()
    assert bound(world.go("holder")) == {"u": "n0"}


def test_after_a_restart_a_nomination_that_means_nothing_any_more_is_ignored() -> None:
    world = World([8], replace(urgent(), nominated="gone"), replace(task("b", 1), nominated="n0"))
    assert bound(world.round()) == {"u": "n0"}


# Gangs --------------------------------------------------------------------------------------------


def test_a_gang_is_placed_as_a_whole_or_not_at_all() -> None:
    world = World([8, 4], *members("g", 3, 4))
    assert bound(world.round()) == {"g-0": "n1", "g-1": "n0", "g-2": "n0"}
    world = World([8, 3], *members("g", 3, 4), job("small", 8, created=START + 1))
    actions = world.round()
    assert bound(actions) == {"small": "n0"}
    message = "gang g: 0 of 3 members fit; 0/2 nodes are available: 2 Insufficient nvidia.com/gpu."
    assert {each.message for each in some(actions, MarkUnschedulable)} == {message}
    assert len(some(actions, MarkUnschedulable)) == 3


def test_a_gang_waits_for_its_members_without_holding_anything() -> None:
    first, second, third = members("g", 3, 4)
    world = World([8, 8], first, second, job("small", 8))
    actions = world.round()
    assert bound(actions) == {"small": "n0"}
    assert {each.message for each in some(actions, MarkUnschedulable)} == {
        "gang g: 2 of 3 members that it needs at once are ready to be placed"
    }
    assert bound(world.go("small")) == {}
    assert len(bound(world.come(third))) == 3


def test_a_gang_whose_size_is_unknown_waits() -> None:
    unknown = [replace(pod, gang=replace(pod.gang, least=None)) for pod in members("g", 2, 1) if pod.gang]
    world = World([8], *unknown)
    assert {each.message for each in some(world.round(), MarkUnschedulable)} == {
        "gang g: what says how many members it needs has not been seen yet"
    }
    assert len(bound(world.come(*members("g", 2, 1)))) == 2


def test_members_beyond_the_least_are_placed_on_their_own() -> None:
    world = World([8], *members("g", 4, 3, least=2))
    assert sorted(bound(world.round())) == ["g-0", "g-1"]
    assert sorted(bound(world.tell(NodeSeen(node("n1", 4))) or world.round())) == ["g-2"]


def test_gated_members_are_not_counted() -> None:
    first, second = members("g", 2, 4)
    world = World([8], first, replace(second, gated=True))
    assert bound(world.round()) == {}
    assert len(bound(world.come(second))) == 2


def test_a_gang_stays_in_the_tightest_domain_that_holds_it() -> None:
    racks = {"n0": "a", "n1": "a", "n2": "b", "n3": "b", "n4": "c"}
    nodes = [
        node(name, 8 if rack != "c" else 12, labels=frozenset({("rack", rack)}))
        for name, rack in racks.items()
    ]
    world = World(nodes, job("used", 4, runs_on="n2"), *members("g", 3, 4, topology_key="rack"))
    assert set(bound(world.round()).values()) <= {"n2", "n3", "n4"}
    placed = bound(some(world.said, Bind))
    assert len({racks[name] for name in placed.values()}) == 1


def test_a_gang_that_fits_in_no_domain_is_spread() -> None:
    nodes = [node(f"n{n}", 4, labels=frozenset({("rack", str(n))})) for n in range(3)]
    assert len(bound(World(nodes, *members("g", 3, 4, topology_key="rack")).round())) == 3


def test_a_refused_member_is_tried_again_before_all_others() -> None:
    world = World([8, 8], *members("g", 2, 8))
    first, second = some(world.round(), Bind)
    world.confirm(first)
    world.tell(BindRefused(second.ref, second.node, "no"))
    world.tell(PodSeen(job("hurried", 8, slack=0)), BackOffOver(second.ref.uid))
    actions = world.round()
    assert bound(actions) == {second.ref.name: second.node}


def test_half_a_gang_is_undone_when_it_cannot_be_completed() -> None:
    world = World([8, 8], *members("g", 2, 8))
    first, second = some(world.round(), Bind)
    world.confirm(first)
    world.tell(BindRefused(second.ref, second.node, "no"), NodeGone(second.node))
    world.tell(BackOffOver(second.ref.uid))
    world.round()
    assert world.alarm == START + RULES.hold
    actions = world.at(START + RULES.hold)
    assert taken(actions) == [first.ref.name]
    assert some(actions, Preempt)[0].preemptor is None
    assert reasons(some(actions, Preempt)[0]).kind == "undo"
    world.ending(first.ref.name)
    world.go(first.ref.name)
    assert world.alarm is None


def test_a_gang_takes_what_it_needs_and_holds_all_places() -> None:
    pods = [job(f"p{n}", 8, hours=10, runs_on=f"n{n}") for n in range(4)]
    world = World([8] * 4, *pods)
    world.now = LATER
    actions = world.come(*members("g", 2, 8, slack=HOUR + 5 * MINUTE))
    assert len(taken(actions)) == 2
    assert sorted(nominated(actions)) == ["g-0", "g-1"]
    victims = taken(actions)
    world.ending(*victims)
    assert bound(world.go(victims[0])) == {}, "half of it is not bound"
    assert sorted(bound(world.go(victims[1]))) == ["g-0", "g-1"]


def test_only_one_gang_holds_places() -> None:
    pods = [job(f"p{n}", 8, hours=10, runs_on=f"n{n}") for n in range(4)]
    world = World([8] * 4, *pods)
    world.now = LATER
    first = world.come(*members("g", 2, 8, slack=HOUR + 5 * MINUTE))
    assert taken(world.come(*members("h", 2, 8, slack=HOUR + 6 * MINUTE))) == []
    victims = taken(first)
    world.ending(*victims)
    world.confirm(*some(world.go(*victims), Bind))
    second = world.at(LATER + 5 * MINUTE)
    assert len(taken(second)) == 2


def test_at_the_last_moment_it_is_looked_again_and_again_until_it_is_too_late() -> None:
    world = full(started=LATER - RULES.minimum_run + 15 * SECOND, grace=SECOND)
    assert taken(world.come(urgent(slack=45 * SECOND))) == []
    assert world.alarm == LATER + RETRY
    assert taken(world.at(LATER + RETRY)) == []
    assert taken(world.at(LATER + 2 * RETRY)) == ["holder"]
    world = full(owner="")
    world.come(urgent(slack=15 * SECOND))
    world.at(LATER + RETRY)
    assert world.alarm == LATER + 2 * RETRY
    world.at(LATER + 2 * RETRY)
    assert world.alarm is None


def test_a_late_comer_to_a_running_gang_needs_no_other() -> None:
    world = World([8, 8], *members("g", 2, 4))
    world.confirm(*some(world.round(), Bind))
    assert bound(world.come(job("g-2", 4, gang=members("g", 1, 4, least=2)[0].gang))) == {"g-2": "n1"}


def test_what_has_succeeded_is_not_wanted_again() -> None:
    world = World([8, 8], *members("g", 2, 8))
    world.confirm(*some(world.round(), Bind))
    world.go("g-0", succeeded=True)
    world.go("g-1")
    assert bound(world.come(job("g-1b", 8, gang=members("g", 1, 8, least=2)[0].gang))) == {"g-1b": "n0"}


def test_a_restarted_scheduler_is_told_how_many_have_succeeded() -> None:
    world = World([8])
    (member,) = members("g", 1, 8, least=2)
    world.tell(PodsListed((member,), done=("gang-g",)))
    assert bound(world.round()) == {"g-0": "n0"}


# Explanations -------------------------------------------------------------------------------------


def test_a_binding_says_why_it_went_there() -> None:
    world = World([8, 4], job("a", 3, slack=HOUR), job("b", 1))
    first, second = some(world.round(), Bind)
    assert reasons(first).why == "the node that keeps the fewest free chips: 1 free after it"
    assert (reasons(first).position, reasons(first).considered, reasons(first).slack) == (1, 2, HOUR)
    assert (reasons(second).position, reasons(second).slack) == (2, None)


def test_a_gangs_binding_says_that_it_is_one() -> None:
    found = reasons(some(World([8, 8], *members("g", 2, 8)).round(), Bind)[0])
    assert (found.gang, found.nodes) == ("g", ("n0", "n1"))
    assert found.why == "all 2 members at once, on 2 nodes"


def test_no_timer_without_need() -> None:
    world = World([8], job("a", 8, slack=HOUR))
    world.confirm(*some(world.round(), Bind))
    assert some(world.said, Wake) == []


# Pods that look at each other ---------------------------------------------------------------------


def labelled(app: str) -> dict[str, Any]:
    return {"labels": frozenset({("app", app)})}


def hermit(name: str, app: str, **fields: Any) -> Task:
    """A pod that wants no pod of an app on its node."""
    term = PodTerm("host", (Requirement("app", "In", (app,)),), ("default",))
    return job(name, 1, demand=demand(1, anti_affinity=(term,)), **fields)


HOST = node("n0", 8, labels=frozenset({("host", "n0")}))


def test_pods_that_ask_for_the_same_are_told_apart_where_others_repel_some_of_them() -> None:
    world = World([HOST], job("x", 1, **labelled("x")), job("y", 1, **labelled("y"), created=START + 1))
    world.tell(PodSeen(hermit("hermit", "x", runs_on="n0")))
    actions = world.round()
    assert bound(actions) == {"y": "n0"}
    assert [each.message for each in some(actions, MarkUnschedulable)] == [
        "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules."
    ]


def test_also_where_that_begins_within_the_round() -> None:
    pods = (
        hermit("hermit", "x"),
        job("x", 1, **labelled("x"), created=START + 1),
        job("y", 1, **labelled("y"), created=START + 2),
    )
    world = World([HOST], *pods)
    found = bound(world.round())
    found |= bound(world.round())
    assert found == {"hermit": "n0", "y": "n0"}


def test_the_repelled_may_come_when_the_hermit_has_gone() -> None:
    world = World([HOST], hermit("hermit", "x", runs_on="n0"), job("x", 1, **labelled("x")))
    assert bound(world.round()) == {}
    assert bound(world.go("hermit")) == {"x": "n0"}
