"""What lets a node hold a pod, what does not, and in which words."""

import pytest

from scheduler.constraints import NodeTerm, Port, Requirement, Taint, Toleration
from scheduler.fit import PORT_TAKEN, fits, reasons_against
from scheduler.model import Demand
from scheduler.room import Room
from tests.unit.scheduler.builders import GIB, GPU, demand, node

BUSY = "example.com/busy"


def why_not(asks: Demand, **fields: object) -> list[str]:
    room = Room(node("n", 4, **fields), {})
    reasons = reasons_against(asks, room)
    assert fits(asks, room) is (reasons == []), "the quick answer must agree with the long one"
    return reasons


def labelled(**labels: str) -> frozenset[tuple[str, str]]:
    return frozenset(labels.items())


def term(key: str, operator: str, *values: str) -> Demand:
    return demand(1, node_terms=(NodeTerm(labels=(Requirement(key, operator, values),)),))


@pytest.mark.parametrize(
    ("asks", "reasons"),
    [
        (demand(4, cpu=64_000, memory=512 * GIB), []),
        (demand(5), [f"Insufficient {GPU}"]),
        (demand(cpu=64_001), ["Insufficient cpu"]),
        (demand(memory=513 * GIB), ["Insufficient memory"]),
        (Demand(others=(("example.com/nic", 1),)), ["Insufficient example.com/nic"]),
        (
            demand(9, cpu=65_000, memory=513 * GIB),
            ["Insufficient cpu", "Insufficient memory", f"Insufficient {GPU}"],
        ),
    ],
)
def test_amounts(asks: Demand, reasons: list[str]) -> None:
    assert why_not(asks) == reasons


def test_the_number_of_pods() -> None:
    assert why_not(demand(), pods=0) == ["Too many pods"]
    assert why_not(demand(5), pods=0) == ["Too many pods", f"Insufficient {GPU}"]


def test_what_is_held_is_not_free() -> None:
    room = Room(node("n", 4, cpu=4000), {"x": demand(3, cpu=3000)})
    assert reasons_against(demand(2, cpu=2000), room) == ["Insufficient cpu", f"Insufficient {GPU}"]
    room.give_back("x")
    assert reasons_against(demand(2, cpu=2000), room) == []


def test_nothing_asked_for_fits_where_nothing_is_left() -> None:
    room = Room(node("n", 4, cpu=1000), {"x": demand(4, cpu=2000)})
    assert fits(demand(), room)


@pytest.mark.parametrize(
    ("toleration", "admitted"),
    [
        (None, False),
        (Toleration("node.kubernetes.io/unschedulable", "Exists", "", "NoSchedule"), True),
        (Toleration("node.kubernetes.io/unschedulable", "Exists", "", "NoExecute"), False),
    ],
)
def test_cordoned_nodes(toleration: Toleration | None, admitted: bool) -> None:
    asks = demand(1, tolerations=(toleration,) if toleration else ())
    assert why_not(asks, unschedulable=True) == ([] if admitted else ["node(s) were unschedulable"])


@pytest.mark.parametrize(
    ("toleration", "admitted"),
    [
        (Toleration(BUSY, "Equal", "yes", "NoSchedule"), True),
        (Toleration(BUSY, "", "yes", "NoSchedule"), True),
        (Toleration(BUSY, "Equal", "no", "NoSchedule"), False),
        (Toleration(BUSY, "Exists"), True),
        (Toleration("", "Exists"), True),
        (Toleration("other", "Exists"), False),
        (Toleration(BUSY, "Exists", "", "NoExecute"), False),
        (Toleration(BUSY, "Sometimes", "yes"), False),
    ],
)
def test_taints(toleration: Toleration, admitted: bool) -> None:
    taints = (Taint(BUSY, "yes", "NoSchedule"),)
    expected = [] if admitted else ["node(s) had untolerated taint(s)"]
    assert why_not(demand(1, tolerations=(toleration,)), taints=taints) == expected


@pytest.mark.parametrize(
    ("effect", "repels"), [("NoSchedule", True), ("NoExecute", True), ("PreferNoSchedule", False)]
)
def test_effects_of_taints(effect: str, repels: bool) -> None:
    assert bool(why_not(demand(1), taints=(Taint(BUSY, "", effect),))) is repels


@pytest.mark.parametrize(
    ("operator", "limit", "admitted"),
    [("Gt", "4", True), ("Gt", "5", False), ("Lt", "6", True), ("Lt", "x", False)],
)
def test_numeric_tolerations(operator: str, limit: str, admitted: bool) -> None:
    asks = demand(1, tolerations=(Toleration("load", operator, limit),))
    assert (why_not(asks, taints=(Taint("load", "5", "NoSchedule"),)) == []) is admitted


def test_every_taint_needs_a_toleration() -> None:
    taints = (Taint("a", "", "NoSchedule"), Taint("b", "", "NoSchedule"))
    assert why_not(demand(1, tolerations=(Toleration("a", "Exists"),)), taints=taints)


def test_node_selector() -> None:
    asks = demand(1, node_selector=(("rack", "r1"), ("zone", "z")))
    assert why_not(asks, labels=labelled(rack="r1", zone="z", more="x")) == []
    assert why_not(asks, labels=labelled(rack="r1")) == ["node(s) didn't match Pod's node affinity/selector"]


@pytest.mark.parametrize(
    ("asks", "admitted"),
    [
        (term("rack", "In", "r1", "r2"), True),
        (term("rack", "In", "r2"), False),
        (term("none", "In", "r2"), False),
        (term("rack", "NotIn", "r2"), True),
        (term("rack", "NotIn", "r1"), False),
        (term("none", "NotIn", "r1"), True),
        (term("rack", "Exists"), True),
        (term("none", "Exists"), False),
        (term("none", "DoesNotExist"), True),
        (term("rack", "DoesNotExist"), False),
        (term("age", "Gt", "2"), True),
        (term("age", "Gt", "3"), False),
        (term("age", "Lt", "4"), True),
        (term("age", "Lt", "four"), False),
        (term("age", "Lt", "99999999999999999999"), False),
        (term("age", "Lt"), False),
        (term("none", "Gt", "2"), False),
        (term("rack", "Like", "r"), False),
    ],
)
def test_required_node_affinity(asks: Demand, admitted: bool) -> None:
    assert (why_not(asks, labels=labelled(rack="r1", age="3")) == []) is admitted


def test_terms_are_alternatives_and_their_conditions_are_not() -> None:
    a, b = Requirement("a", "Exists"), Requirement("b", "Exists")
    both, either = (NodeTerm(labels=(a, b)),), (NodeTerm(labels=(a,)), NodeTerm(labels=(b,)))
    assert why_not(demand(1, node_terms=both), labels=labelled(a=""))
    assert not why_not(demand(1, node_terms=either), labels=labelled(b=""))


def test_no_term_and_empty_terms_match_nothing() -> None:
    assert why_not(demand(1, node_terms=()))
    assert why_not(demand(1, node_terms=(NodeTerm(),)))


def test_terms_by_field() -> None:
    here = NodeTerm(fields=(Requirement("metadata.name", "In", ("n",)),))
    elsewhere = NodeTerm(fields=(Requirement("metadata.name", "NotIn", ("n",)),))
    assert not why_not(demand(1, node_terms=(here,)))
    assert why_not(demand(1, node_terms=(elsewhere,)))


def test_only_the_first_group_of_reasons_is_given() -> None:
    asks = demand(9, node_selector=(("a", "b"),))
    assert why_not(asks, unschedulable=True, taints=(Taint("t", "", "NoSchedule"),)) == [
        "node(s) were unschedulable"
    ]
    assert why_not(asks, taints=(Taint("t", "", "NoSchedule"),)) == ["node(s) had untolerated taint(s)"]
    assert why_not(asks) == ["node(s) didn't match Pod's node affinity/selector"]


def test_what_is_unsupported_fits_nowhere() -> None:
    assert why_not(demand(1, unsupported=("spec.x",))) == ["unsupported: spec.x"]


# Ports of the host --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("held", "wanted", "clashes"),
    [
        (Port("TCP", 80), Port("TCP", 80), True),
        (Port("TCP", 80), Port("TCP", 81), False),
        (Port("TCP", 80), Port("UDP", 80), False),
        (Port("TCP", 80, "10.0.0.1"), Port("TCP", 80), True),
        (Port("TCP", 80), Port("TCP", 80, "10.0.0.1"), True),
        (Port("TCP", 80, "10.0.0.1"), Port("TCP", 80, "10.0.0.1"), True),
        (Port("TCP", 80, "10.0.0.1"), Port("TCP", 80, "10.0.0.2"), False),
    ],
)
def test_ports_of_the_host(held: Port, wanted: Port, clashes: bool) -> None:
    room = Room(node("n"), {"uid": demand(ports=(held,))})
    asks = demand(ports=(wanted,))
    assert fits(asks, room) != clashes
    assert reasons_against(asks, room) == ([PORT_TAKEN] if clashes else [])
    room.give_back("uid")
    assert fits(asks, room)


def test_a_port_held_twice_is_free_when_both_are_gone() -> None:
    port = demand(ports=(Port("TCP", 80),))
    room = Room(node("n"), {"a": port, "b": port})
    room.give_back("a")
    assert not fits(port, room)
    room.give_back("b")
    assert fits(port, room)
