"""How fast the taints come that drive pods from silent machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakeapi.kernel.time import HOUR, SECOND, Duration
from fakeapi.machinery.resources import NODES

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.unit.fakeapi.cluster.conftest import Bench

EVICTING = ("node.kubernetes.io/unreachable", "NoExecute")
WARNING = ("node.kubernetes.io/unreachable", "NoSchedule")


@pytest.fixture
def make_cluster(make_bench: Callable[[], Bench]) -> Callable[..., Bench]:
    def make(count: int, zones: int = 1) -> Bench:
        bench = make_bench()
        for number in range(count):
            labels = {"topology.kubernetes.io/zone": f"z{number % zones}"} if zones > 1 else {}
            bench.machine(f"n{number}", labels=labels)
        return bench

    return make


def crash(bench: Bench, *numbers: int) -> None:
    for number in numbers:
        bench.machines.crash(f"n{number}")


def tainted(bench: Bench, count: int) -> dict[int, Duration]:
    """Node → when the evicting taint came, seen once a second for ten minutes."""
    seen: dict[int, Duration] = {}
    start = bench.elapsed
    for _ in range(600):
        bench.wait(SECOND)
        for number in range(count):
            if number not in seen and EVICTING in bench.taints(f"n{number}"):
                seen[number] = (bench.elapsed - start) // SECOND
    return seen


def test_nodes_of_a_zone_are_given_up_one_by_one(make_cluster: Callable[..., Bench]) -> None:
    bench = make_cluster(10)
    crash(bench, 3, 1, 4)
    assert tainted(bench, 10) == {3: 50, 1: 60, 4: 70}


def test_each_zone_has_a_pace_of_its_own(make_cluster: Callable[..., Bench]) -> None:
    bench = make_cluster(10, zones=2)
    crash(bench, 0, 1, 2, 3)
    assert tainted(bench, 10) == {0: 50, 1: 50, 2: 60, 3: 60}


def test_most_of_a_small_zone_is_kept(make_cluster: Callable[..., Bench]) -> None:
    bench = make_cluster(10)
    crash(bench, *range(6))
    # The nodes are declared one after the other, and the first before most of them are.
    assert tainted(bench, 10) == {}
    assert all(bench.taints(f"n{number}") == [WARNING] for number in range(6))
    bench.after(0, lambda: bench.machines.recover("n5"))
    assert tainted(bench, 10) == {0: 1, 1: 10, 2: 20, 3: 30, 4: 40}


def test_most_of_a_large_zone_goes_slowly(make_cluster: Callable[..., Bench]) -> None:
    bench = make_cluster(60)
    crash(bench, *range(40))
    seen = tainted(bench, 60)
    assert list(seen.values()) == [50, 150, 250, 350, 450, 550]


def test_where_everything_is_silent_nobody_is_driven_away(make_cluster: Callable[..., Bench]) -> None:
    bench = make_cluster(3)
    crash(bench, 0)
    bench.wait(HOUR)
    assert bench.taints("n0") == [WARNING, EVICTING]
    crash(bench, 1, 2)
    bench.wait(HOUR)
    assert [bench.taints(f"n{number}") for number in range(3)] == [[WARNING]] * 3
    bench.after(0, lambda: bench.machines.recover("n2"))
    assert tainted(bench, 3) == {1: 1, 0: 10}  # in the order in which they wait for it


def test_a_whole_zone_that_is_silent_is_given_up_at_the_usual_pace(
    make_cluster: Callable[..., Bench],
) -> None:
    bench = make_cluster(8, zones=2)
    crash(bench, 0, 2, 4, 6)
    assert tainted(bench, 8) == {0: 50, 2: 60, 4: 70, 6: 80}


def test_nodes_that_are_removed_are_waited_for_no_longer(make_cluster: Callable[..., Bench]) -> None:
    bench = make_cluster(6)
    crash(bench, 0, 1, 2)
    bench.wait(51 * SECOND)
    bench.machines.remove("n1")
    assert tainted(bench, 1) == {0: 1}
    assert bench.taints("n2") == [WARNING, EVICTING]
    for number in (0, 2, 3, 4, 5):
        bench.machines.remove(f"n{number}")
    bench.wait(HOUR)
    assert bench.queue.peek() is None


def test_a_node_that_never_told_anything_is_unknown_too(make_cluster: Callable[..., Bench]) -> None:
    bench = make_cluster(2)
    bench.node("bare")
    crash(bench, 0)
    bench.machines.crash("bare")
    bench.wait(HOUR)
    ready = bench.ready("bare")
    assert (ready["status"], ready["reason"]) == ("Unknown", "NodeStatusNeverUpdated")
    assert bench.store.get(NODES.storage_key, ("", "bare")).object["status"]["addresses"]


def test_a_silent_node_that_is_replaced_is_not_driven_at(make_cluster: Callable[..., Bench]) -> None:
    bench = make_cluster(4)
    crash(bench, 0, 1)
    bench.wait(50 * SECOND)
    bench.machines.remove("n1")
    bench.machine("n1")
    bench.wait(HOUR)
    assert bench.taints("n1") == []


def test_a_silent_node_waits_in_the_zone_that_it_is_moved_to(make_cluster: Callable[..., Bench]) -> None:
    bench = make_cluster(6)
    crash(bench, 0, 1)
    bench.wait(50 * SECOND)
    node = bench.get_node("n1")
    labels = {**node["metadata"]["labels"], "topology.kubernetes.io/zone": "new"}
    moved = {**node, "metadata": {**node["metadata"], "labels": labels}}
    bench.store.update(NODES.storage_key, ("", "n1"), moved)
    bench.settle()
    assert EVICTING in bench.taints("n1")
