"""Best fit by the number of free chips, and the two packing results that tell it from other measures."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from scheduler.constraints import NodeTerm, Preference, Requirement, Taint, Toleration
from scheduler.messages import Bind, MarkUnschedulable, NodesListed, PodsListed, WindowOver
from scheduler.model import Demand, Node
from scheduler.placement import BEST_FIT, HIGHEST_SHARE, MOST_SELECTIONS, PASSED_OVER, FitIndex, Packing
from scheduler.policy import FIRST_COME, LEAST_SLACK, Policy
from scheduler.room import Room
from scheduler.state import Core
from scheduler.timetext import SECOND
from tests.unit.scheduler.builders import GIB, GPU, START, demand, node, task

TPU = "example.com/tpu"


def best(demanded: Demand, *nodes: Node, kinds: Sequence[str] = (GPU,)) -> str | None:
    return best_of(demanded, *(Room(each, {}) for each in nodes), kinds=kinds)


def best_of(
    demanded: Demand, *rooms: Room, kinds: Sequence[str] = (GPU,), packing: Packing = BEST_FIT
) -> str | None:
    index = FitIndex(kinds, packing)
    for room in rooms:
        index.add(room)
    index.validate(rooms)
    found = index.best(demanded)
    return found.node.name if found is not None else None


def used(name: str, chips: int, held: int, **fields: int) -> Room:
    return Room(node(name, chips, **fields), {"x": demand(held)} if held else {})


def test_the_node_with_the_fewest_free_chips_left_wins() -> None:
    assert best(demand(2), node("a", 8), node("b", 3), node("c", 1)) == "b"


def test_it_is_the_number_and_not_the_share() -> None:
    # 2 of 2 chips on a small node are fewer than 3 of 16 that a large node has left.
    rooms = used("large", 16, 13), used("small", 2, 0)
    assert best_of(demand(1), *rooms) == "small"
    assert best_of(demand(1), *rooms, packing=HIGHEST_SHARE) == "large"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        pytest.param({"cpu": 2000}, {"cpu": 1000}, id="least free cpu"),
        pytest.param({"memory": 2 * GIB}, {"memory": GIB}, id="then the least free memory"),
    ],
)
def test_ties(a: dict[str, int], b: dict[str, int]) -> None:
    assert best(demand(1), node("a", 4, **a), node("b", 4, **b)) == "b"
    assert best(demand(1), node("b", 4), node("a", 4)) == "a", "the name comes last"


def test_what_does_not_fit_is_passed_over() -> None:
    nodes = (
        node("no-cpu", 1, cpu=500),
        node("no-memory", 1, memory=1),
        node("full", 1, pods=0),
        node("fits", 8),
    )
    assert best(demand(1, cpu=1000, memory=GIB), *nodes) == "fits"


def test_nothing_fits() -> None:
    assert best(demand(9), node("a", 8)) is None
    assert best(demand(1, unsupported=("x",)), node("a", 8)) is None
    assert best(demand(1)) is None


def test_pods_without_chips_go_where_none_are() -> None:
    assert best(demand(cpu=1000), node("chips", 1), node("plain", cpu=64_000)) == "plain"


def test_pods_without_chips_spare_the_free_chips_else() -> None:
    index = FitIndex((GPU,))
    rooms = [
        Room(node("free", 8, cpu=1), {}),
        Room(node("used", 8), {"x": demand(8)}),
        Room(node("plain", cpu=10), {}),
    ]
    for room in rooms:
        index.add(room)
    assert index.best(demand(cpu=1000)) is rooms[1]


def test_a_pod_that_asks_for_no_cpu_fits_where_cpu_is_overdrawn() -> None:
    index = FitIndex((GPU,))
    room = Room(node("a", 8, cpu=1000), {"x": demand(cpu=2000)})
    index.add(room)
    assert index.best(demand(1)) is room
    assert index.best(demand(1, cpu=1)) is None


def test_chip_kinds_are_told_apart() -> None:
    gpu = node("gpu", 8)
    tpu = Node("tpu", 64_000, 512 * GIB, 110, ((TPU, 4),))
    both = Node("both", 64_000, 512 * GIB, 110, ((TPU, 2), (GPU, 2)))
    kinds = (GPU, TPU)
    assert best(Demand(others=((TPU, 1),)), gpu, tpu, both, kinds=kinds) == "both"
    assert best(Demand(others=((TPU, 3),)), gpu, tpu, both, kinds=kinds) == "tpu"
    assert best(Demand(others=((TPU, 1), (GPU, 1))), gpu, tpu, both, kinds=kinds) == "both"
    assert best(demand(cpu=1), gpu, tpu, both, kinds=kinds) == "both", (
        "4 chips free in all, as on tpu: by name"
    )


def test_other_resources_are_respected_but_are_no_chips() -> None:
    nic = node("nic", cpu=64_000)
    asks = Demand(others=(("example.com/nic", 1),))
    with_nic = Node("with", nic.cpu, nic.memory, nic.pods, (("example.com/nic", 1),))
    assert best(asks, nic, with_nic) == "with"


def test_a_room_taken_out_is_found_no_more() -> None:
    index = FitIndex((GPU,))
    room = Room(node("a", 8), {})
    index.add(room)
    index.remove(room)
    assert index.best(demand(1)) is None


# By share -----------------------------------------------------------------------------------------


def test_by_share_the_incoming_pod_does_not_count() -> None:
    # With the pod, the second node would be full and the first would not.
    assert best_of(demand(2), used("a", 8, 4), used("b", 3, 1), packing=HIGHEST_SHARE) == "a"


def test_by_share_full_nodes_are_passed_over() -> None:
    rooms = used("full", 8, 8), used("nearly", 8, 7), used("half", 8, 4)
    assert best_of(demand(2), *rooms, packing=HIGHEST_SHARE) == "half"
    assert best_of(demand(9), *rooms, packing=HIGHEST_SHARE) is None


def test_equal_shares_go_to_the_fewest_free_chips_then_as_ever() -> None:
    rooms = used("a", 9, 3), used("b", 6, 2, cpu=2000), used("c", 6, 2, cpu=1000)
    assert best_of(demand(1), *rooms, packing=HIGHEST_SHARE) == "c"


def test_by_share_a_node_that_shrank_below_what_it_holds_comes_first_for_pods_without_chips() -> None:
    rooms = used("full", 4, 4), used("shrunk", 2, 3), used("empty", 4, 0)
    assert best_of(demand(cpu=1), *rooms, packing=HIGHEST_SHARE) == "shrunk"


def test_by_share_several_kinds_of_chips_count_together_for_pods_without_chips() -> None:
    both = Room(Node("both", 64_000, GIB, 110, ((TPU, 2), (GPU, 2))), {"x": Demand(others=((TPU, 2),))})
    one = used("one", 3, 1)
    assert best_of(demand(cpu=1), one, both, kinds=(GPU, TPU), packing=HIGHEST_SHARE) == "both"
    assert best_of(demand(1), one, both, kinds=(GPU, TPU), packing=HIGHEST_SHARE) == "one"


# Packing ------------------------------------------------------------------------------------------

WHOLE = [node(f"whole-{i}", 8) for i in range(4)]


def placed(
    nodes: Sequence[Node], sizes: Sequence[int], policy: Policy, packing: Packing = BEST_FIT
) -> tuple[int, int]:
    """Chips in use and pods that wait, when pods of these sizes come one after the other."""
    core = Core(policy, (GPU,), packing)
    core.handle(NodesListed(tuple(nodes)), START)
    pods = [task(f"job-{i:02}", size, created=START + i * SECOND) for i, size in enumerate(sizes)]
    core.handle(PodsListed(tuple(pods)), START)
    actions = core.handle(WindowOver(), START)
    core.validate()
    bound = {each.ref for each in actions if isinstance(each, Bind)}
    waiting = [each for each in actions if isinstance(each, MarkUnschedulable)]
    return sum(size for pod, size in zip(pods, sizes, strict=True) if pod.ref in bound), len(waiting)


SMALL = [node(f"small-{i}", 1) for i in range(4)]
LOST = [node(f"lost-{i}", 2) for i in range(4)]


@pytest.mark.parametrize("policy", [LEAST_SLACK, FIRST_COME], ids=lambda policy: policy.name)
def test_small_nodes_beside_whole_ones_are_packed_in_full(policy: Policy) -> None:
    assert placed([*WHOLE, *SMALL], [5] * 4 + [1] * 4 + [3] * 4, policy) == (36, 0)


@pytest.mark.parametrize("policy", [LEAST_SLACK, FIRST_COME], ids=lambda policy: policy.name)
def test_nodes_that_lost_chips_are_packed_in_full(policy: Policy) -> None:
    assert placed([*WHOLE, *LOST], [5] * 4 + [1] * 8 + [3] * 4, policy) == (40, 0)


def test_by_share_whole_nodes_are_broken_up() -> None:
    assert placed([*WHOLE, *SMALL], [5] * 4 + [1] * 4 + [3] * 4, FIRST_COME, HIGHEST_SHARE) == (30, 2)
    assert placed([*WHOLE, *LOST], [5] * 4 + [1] * 8 + [3] * 4, FIRST_COME, HIGHEST_SHARE) == (31, 3)


# Ties and wishes ----------------------------------------------------------------------------------

DAMAGED: dict[str, Any] = {"lost": ((GPU, 4),)}
SHUNNED = (Taint("old", "", "PreferNoSchedule"),)


def test_among_equal_rooms_the_damaged_node_is_filled_first_and_the_whole_one_last() -> None:
    whole, damaged = Room(node("a", 4), {}), Room(node("c", 4, **DAMAGED), {})
    in_use = used("b", 8, 4)
    assert best_of(demand(1), whole, in_use, damaged) == "c"
    assert best_of(demand(1), whole, in_use) == "b"


@pytest.mark.parametrize("policy", [FIRST_COME, LEAST_SLACK])
def test_packing_is_as_full_where_it_is_known_what_was_lost(policy: Policy) -> None:
    damaged = [replace(each, lost=((GPU, 6),)) for each in LOST]
    assert placed([*WHOLE, *damaged], [5] * 4 + [1] * 8 + [3] * 4, policy) == (40, 0)


def test_fewer_free_chips_come_before_damage() -> None:
    assert best(demand(1), node("a", 8, **DAMAGED), node("b", 6)) == "b"


def test_nodes_that_ask_to_be_left_alone_are_taken_last() -> None:
    shunned = node("a", 1, taints=SHUNNED)
    assert best(demand(1), shunned, node("b", 8)) == "b"
    assert best(demand(1), shunned) == "a"
    tolerant = demand(1, tolerations=(Toleration("old", "Exists"),))
    assert best(tolerant, shunned, node("b", 8)) == "a"


def liking(value: str, weight: int) -> Preference:
    return Preference(weight, NodeTerm((Requirement("zone", "In", (value,)),)))


def test_preferred_nodes_come_before_packing() -> None:
    some = [node(name, chips, labels=frozenset({("zone", name)})) for name, chips in (("a", 1), ("b", 8))]
    assert best(demand(1), *some) == "a"
    assert best(demand(1, preferred=(liking("b", 1),)), *some) == "b"
    assert best(demand(1, preferred=(liking("b", 1), liking("a", 2))), *some) == "a"
    assert best(demand(2, preferred=(liking("a", 100),)), *some) == "b"


def test_a_selection_that_passes_over_many_nodes_gets_its_own_buckets() -> None:
    index = FitIndex((GPU,))
    types = ["a"] * 151 + ["b"] * 49
    nodes = [node(f"n{n:03}", 8, labels=frozenset({("type", kind)})) for n, kind in enumerate(types)]
    rooms = [Room(each, {}) for each in nodes]
    for room in rooms:
        index.add(room)
    asks = demand(1, node_selector=(("type", "b"),))
    for _ in range(3):
        found = index.best(asks)
        assert found is not None
        assert found.node.name == "n151"
        index.validate(rooms)
    index.remove(rooms[151])
    rooms[151].take("uid", demand(8))
    index.add(rooms[151])
    found = index.best(asks)
    assert found is not None
    assert found.node.name == "n152"
    index.validate(rooms)


def test_the_oldest_selection_gives_way_when_there_are_many() -> None:
    index = FitIndex((GPU,))
    rooms = [Room(node(f"n{n:03}", 8), {}) for n in range(PASSED_OVER + 1)]
    for room in rooms:
        index.add(room)
    for n in range(MOST_SELECTIONS + 2):
        assert index.best(demand(1, node_selector=(("type", str(n)),))) is None
        index.validate(rooms)


def test_the_best_of_some_is_chosen_by_the_same_order() -> None:
    rooms = [Room(node("a", 8), {}), Room(node("b", 4), {}), Room(node("c"), {}), Room(node("d", 2), {})]
    index = FitIndex((GPU,))
    for room in rooms:
        index.add(room)
    for asks in (demand(), demand(1), demand(3), demand(8)):
        assert index.best_of(rooms, asks, None) is index.best(asks)
    assert index.best_of(rooms[:1], demand(1), None) is rooms[0]
    assert index.best_of([], demand(1), None) is None
