"""Places for all pods of a gang, or none; and domains."""

import pytest

from scheduler.cluster import Cluster
from scheduler.model import Node
from scheduler.plan import Planner
from tests.unit.scheduler.builders import GPU, demand, node, task
from tests.unit.scheduler.table import job, members


def rack(name: str, gpus: int, value: str) -> Node:
    return node(name, gpus, labels=frozenset({("rack", value)}))


def planner(*nodes: Node) -> tuple[Planner, Cluster]:
    cluster = Cluster((GPU,))
    for each in nodes:
        cluster.set_node(each)
    return Planner(cluster, (GPU,)), cluster


def test_the_largest_pods_are_placed_first() -> None:
    plan, _ = planner(node("n", 8), node("m", 4))
    small, large = job("small", 4), job("large", 8)
    assert plan.take([small, large]) == {"uid-small": "m", "uid-large": "n"}


def test_nothing_is_taken_when_one_fits_nowhere() -> None:
    plan, cluster = planner(node("n", 8))
    assert plan.take(members("g", 3, 4)) is None
    assert cluster.rooms["n"].free_others[GPU] == 8
    cluster.validate()


def test_how_far_a_plan_comes() -> None:
    plan, cluster = planner(node("n", 8))
    with plan.trying(members("g", 3, 4)) as (fitting, failing):
        assert (fitting, failing and failing.ref.name) == (2, "g-2")
        assert cluster.rooms["n"].free_others[GPU] == 0
    assert cluster.rooms["n"].free_others[GPU] == 8
    with plan.trying(members("g", 2, 4)) as (fitting, failing):
        assert (fitting, failing) == (2, None)


@pytest.mark.parametrize(
    ("free", "chosen"),
    [
        ({"a": 16, "b": 8, "c": 12}, "b"),
        ({"a": 8, "b": 8}, "a"),
        ({"a": 4, "b": 12}, "b"),
    ],
)
def test_a_gang_goes_to_the_domain_that_it_fills_best(free: dict[str, int], chosen: str) -> None:
    nodes = [rack(f"{value}{n}", 4, value) for value, chips in free.items() for n in range(chips // 4)]
    plan, _ = planner(*nodes)
    places = plan.take(members("g", 2, 4), "rack")
    assert places is not None
    assert {name[0] for name in places.values()} == {chosen}


def test_a_domain_with_enough_chips_in_pieces_is_passed_over() -> None:
    pieces = [rack(f"a{n}", 2, "a") for n in range(4)]
    plan, _ = planner(*pieces, rack("b0", 4, "b"), rack("b1", 8, "b"))
    places = plan.take(members("g", 2, 4), "rack")
    assert places is not None
    assert set(places.values()) == {"b0", "b1"}


def test_without_a_domain_that_holds_it_a_gang_is_spread() -> None:
    plan, _ = planner(rack("a0", 4, "a"), rack("b0", 4, "b"), node("unlabelled", 4))
    places = plan.take(members("g", 3, 4), "rack")
    assert places is not None
    assert set(places.values()) == {"a0", "b0", "unlabelled"}


def test_domains_follow_pods_and_nodes() -> None:
    plan, cluster = planner(rack("a0", 8, "a"), rack("b0", 8, "b"))

    def order() -> list[list[str]]:
        cluster.domains.validate()
        return [[room.node.name for room in rooms] for rooms in cluster.domains.tightest_first("rack", 1)]

    assert order() == [["a0"], ["b0"]]
    cluster.put("uid", "b0", demand(3))
    assert order() == [["b0"], ["a0"]]
    cluster.set_node(rack("a0", 4, "b"))
    assert order() == [["b0", "a0"]]
    cluster.drop_node("b0")
    cluster.put("other", "a0", demand(4))
    assert order() == []
    cluster.drop_node("a0")
    assert order() == []
    assert plan.chips(task("x", 3)) == 3
