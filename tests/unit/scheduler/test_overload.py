"""Overload: whom the scheduler gives up, by what it knows of the cluster."""

import pytest

from scheduler.model import Task
from scheduler.overload import overloaded
from scheduler.policy import EARLIEST_DEADLINE, LEAST_SLACK, Late, Policy, least_slack
from scheduler.timetext import HOUR, MINUTE
from tests.unit.scheduler.builders import START, demand
from tests.unit.scheduler.table import World, bound, job, members


def cpu(name: str, cores: int, slack: int) -> Task:
    return job(name, 0, slack=slack, demand=demand(cpu=cores * 1000))


def lost(*pods: Task, policy: Policy = LEAST_SLACK, chips: int = 1) -> set[str]:
    world = World([chips], *pods, policy=policy)
    return {key.removeprefix("uid-") for key in overloaded(world.core._known)}


def test_nobody_is_given_up_where_all_can_be_in_time() -> None:
    assert lost(job("long", 1, hours=9, slack=0), chips=1) == set()
    assert lost(job("a", 1, slack=0), job("b", 1, slack=HOUR)) == set()


def test_the_largest_is_given_up() -> None:
    pods = (job("long", 1, hours=9, slack=0), job("a", 1, slack=MINUTE), job("b", 1, slack=HOUR + MINUTE))
    assert lost(*pods) == {"long"}
    assert lost(*pods, policy=least_slack(Late.KEEP)) == set()
    assert lost(*pods, policy=EARLIEST_DEADLINE) == set()


@pytest.mark.parametrize(("slack", "given_up"), [(31 * MINUTE, ""), (29 * MINUTE, "long")])
def test_what_runs_is_expected_to_end(slack: int, given_up: str) -> None:
    running = job("running", 1, runs_on="n0", hours=0.5)
    pods = (running, job("long", 1, hours=9, slack=0), job("a", 1, slack=slack))
    assert lost(*pods, chips=2) == {*filter(None, [given_up])}


def test_those_without_a_promise_are_not_counted() -> None:
    assert lost(job("long", 1, hours=9, slack=0), job("a", 1), job("b", 1)) == set()


def test_chips_and_cpu_are_competed_for_apart() -> None:
    pods = (job("long", 1, hours=9, slack=0), cpu("c", 64, slack=MINUTE), cpu("d", 64, slack=MINUTE))
    assert lost(*pods) == {"d"}


def test_a_gang_needs_the_chips_of_all_its_members() -> None:
    gang = members("g", 4, 1, hours=9, slack=0)
    pods = [*gang, *(job(f"s{n}", 1, slack=MINUTE) for n in range(4))]
    assert lost(*pods, chips=4) == {"gang-g"}


def test_the_short_ones_get_the_chip_and_the_long_one_waits() -> None:
    world = World([1], job("long", 1, hours=9, slack=0), job("a", 1, slack=MINUTE))
    assert bound(world.round()) == {"a": "n0"}
    world.now = START + HOUR
    assert bound(world.go("a", succeeded=True)) == {"long": "n0"}
