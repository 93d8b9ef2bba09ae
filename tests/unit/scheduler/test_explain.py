"""The message of a pod that fits nowhere."""

from dataclasses import replace

import pytest

from scheduler.explain import assigned, why_nowhere
from scheduler.model import Taint, Timing
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
