"""Accounts of nodes and holdings."""

from scheduler.cluster import Cluster
from tests.unit.scheduler.builders import GPU, demand, node


def cluster(*names: str) -> Cluster:
    made = Cluster((GPU,))
    for name in names:
        made.set_node(node(name, 8))
    return made


def free(of: Cluster, name: str) -> int:
    of.validate()
    return of.rooms[name].free_others[GPU]


def test_holding_moving_and_releasing() -> None:
    made = cluster("a", "b")
    assert made.put("p", "a", demand(3)) is None
    assert (free(made, "a"), made.place_of("p")) == (5, "a")
    assert made.put("p", "b", demand(2)) is made.rooms["a"]
    assert (free(made, "a"), free(made, "b")) == (8, 6)
    assert made.release("p") is made.rooms["b"]
    assert (free(made, "b"), made.place_of("p")) == (8, "")


def test_the_same_again_is_no_gain() -> None:
    made = cluster("a")
    made.put("p", "a", demand(3))
    assert made.put("p", "a", demand(3)) is None
    assert free(made, "a") == 5


def test_a_pod_that_asks_for_less_is_a_gain() -> None:
    made = cluster("a")
    made.put("p", "a", demand(3))
    assert made.put("p", "a", demand(1)) is made.rooms["a"]
    assert free(made, "a") == 7


def test_nobody_gains_from_a_stranger() -> None:
    assert cluster("a").release("p") is None


def test_holdings_outlive_their_node() -> None:
    made = cluster("a")
    made.put("p", "a", demand(3))
    made.drop_node("a")
    assert made.release("q") is None
    assert made.best(demand(1)) is None
    made.set_node(node("a", 4))
    assert free(made, "a") == 1


def test_releasing_on_a_node_that_is_gone() -> None:
    made = cluster("a")
    made.put("p", "a", demand(3))
    made.drop_node("a")
    assert made.release("p") is None
    made.set_node(node("a", 4))
    assert free(made, "a") == 4


def test_the_shape_follows_nodes_and_not_pods() -> None:
    made = cluster("a")
    shape = made.shape
    made.put("p", "a", demand(3))
    made.set_node(node("a", 8))
    made.drop_node("nobody")
    assert made.shape == shape
    made.set_node(node("a", 7))
    made.drop_node("a")
    assert made.shape == shape + 2
