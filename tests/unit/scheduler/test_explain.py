"""The message of a pod that fits nowhere."""

from scheduler.explain import why_nowhere
from scheduler.model import Taint
from scheduler.room import Room
from tests.unit.scheduler.builders import GPU, demand, node

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
