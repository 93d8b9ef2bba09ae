"""The message of a pod that fits nowhere."""

from dataclasses import replace

import pytest

from scheduler.explain import (
    assigned,
    for_gang,
    not_formed,
    not_preempted,
    waits_for_room,
    why_nowhere,
    why_there,
    why_together,
)
from scheduler.model import Taint, Timing
from scheduler.peers import View
from scheduler.placement import BEST_FIT
from scheduler.room import Room
from scheduler.timetext import HOUR, MINUTE
from tests.unit.scheduler.builders import GPU, START, demand, node, task

TAINTED = (Taint("spot", "", "NoSchedule"),)


def test_reasons_are_counted_over_nodes_and_sorted_as_text() -> None:
    rooms = [Room(node(f"n{i}", 1), {}) for i in range(10)]
    rooms += [Room(node("t", 8, taints=TAINTED), {}), Room(node("c", 8, unschedulable=True), {})]
    rooms += [Room(node("both", 1, cpu=0), {})]
    assert why_nowhere(demand(2, cpu=1000), rooms) == (
        "0/13 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s), "
        f"1 node(s) were unschedulable, 11 Insufficient {GPU}."
    )


def test_without_nodes() -> None:
    assert why_nowhere(demand(1), []) == "no nodes available to schedule pods"


def test_unsupported_demands_are_named_whatever_nodes_there_are() -> None:
    message = "this scheduler does not support spec.a, spec.b: the pod stays pending"
    assert why_nowhere(demand(unsupported=("spec.a", "spec.b")), [Room(node("n"), {})]) == message


@pytest.mark.parametrize(
    ("start_by", "said"),
    [
        (None, ""),
        (START + 90 * MINUTE, ", 1h30m before it has to start"),
        (START, ", 0s before it has to start"),
        (START - HOUR, ", 1h too late for its deadline"),
    ],
)
def test_a_bound_pod_is_told_its_slack(start_by: int | None, said: str) -> None:
    note = assigned(task("a", start_by=start_by), "n", START)
    assert note == f"Successfully assigned default/a to n{said}"


def test_an_aged_pod_of_the_default_class_is_not_too_late() -> None:
    aged = replace(task("a"), timing=Timing(START - HOUR))
    assert assigned(aged, "n", START) == "Successfully assigned default/a to n, 0s before it has to start"


def test_messages_of_gangs_and_of_those_that_have_to_give_way() -> None:
    assert for_gang("g", "why") == "gang g: why"
    assert not_formed("g", 1, 3) == "gang g: 1 of 3 members that it needs at once are ready to be placed"
    assert "has not been seen" in not_formed("g", 1, None)
    assert waits_for_room("n", 2) == "the place on node n is held until 2 preempted pods have ended"
    assert not_preempted("403") == "it should have given way to another pod, and the API refused: 403"


def test_why_a_workload_went_where_it_did() -> None:
    assert why_there(BEST_FIT, 3) == "the node that keeps the fewest free chips: 3 free after it"
    assert why_together({"a": "n", "b": "n"}) == "all 2 members at once, on 1 node"
    assert why_together({"a": "n", "b": "m"}) == "all 2 members at once, on 2 nodes"


def test_what_other_pods_object_to_is_counted_with_the_rest() -> None:
    labels = frozenset({("zone", "a")})
    rooms = [Room(node("full", 1, labels=labels), {}), Room(node("taken", 8, labels=labels), {})]
    view = View([], [], {"zone": {"a"}}, {})
    assert why_nowhere(demand(2), rooms, view) == (
        f"0/2 nodes are available: 1 Insufficient {GPU}, 1 node(s) didn't match pod anti-affinity rules."
    )
