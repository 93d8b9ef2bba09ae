"""The orders, each total."""

from dataclasses import replace
from itertools import pairwise

import pytest

from scheduler.model import PodRef, Task, Timing
from scheduler.policy import FIRST_COME, LEAST_SLACK, POLICIES, Policy
from scheduler.timetext import HOUR, SECOND
from tests.unit.scheduler.builders import START, task


def in_order(policy: Policy, *tasks: Task) -> bool:
    return all(policy.key(a) < policy.key(b) for a, b in pairwise(tasks))


def test_least_slack() -> None:
    short_and_soon = replace(task("z"), timing=Timing(START + 2 * HOUR, HOUR, stated=True))
    long_and_later = replace(task("y"), timing=Timing(START + 9 * HOUR, 8 * HOUR + 1, stated=True))
    assert in_order(LEAST_SLACK, long_and_later, short_and_soon, task("undated"))


def test_ties_of_least_slack_go_by_deadline_creation_and_name() -> None:
    first = replace(task("z", created=START + SECOND), timing=Timing(START + 2 * HOUR, HOUR, stated=True))
    second = replace(task("y", created=START), timing=Timing(START + 3 * HOUR, 2 * HOUR, stated=True))
    third = replace(task("x", created=START + SECOND), timing=second.timing)
    fourth = replace(third, ref=PodRef("default", "xx", "uid"))
    fifth = replace(third, ref=PodRef("e", "a", "uid"))
    assert in_order(LEAST_SLACK, first, second, third, fourth, fifth)


def test_first_come() -> None:
    assert in_order(
        FIRST_COME,
        task("z", start_by=START + HOUR),
        task("a", created=START + 1),
        task("b", created=START + 1),
    )


def test_only_least_slack_knows_hopeless_pods() -> None:
    pod = task("a", start_by=START + HOUR)
    assert LEAST_SLACK.hopeless_after(pod) == START + HOUR
    assert LEAST_SLACK.hopeless_after(task("a")) is None
    assert FIRST_COME.hopeless_after(pod) is None


@pytest.mark.parametrize("name", ["lst", "fifo"])
def test_policies_are_known_by_name(name: str) -> None:
    assert POLICIES[name].name == name
