"""The orders, each total, and what becomes of late pods."""

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.model import PodRef, Task, Timing
from scheduler.policy import (
    EARLIEST_DEADLINE,
    FIRST_COME,
    HIGHEST_PRIORITY,
    LEAST_SLACK,
    POLICIES,
    SHORTEST_FIRST,
    Late,
    Policy,
    least_slack,
)
from scheduler.timetext import HOUR, SECOND
from tests.unit.scheduler.builders import START, task

EVERY_ORDER = [*POLICIES.values(), least_slack(Late.KEEP), least_slack(Late.DROP_PRIORITY)]


def pod(
    name: str,
    *,
    due: int | None = None,
    lasts: int | None = None,
    created: int = 0,
    priority: int = 0,
) -> Task:
    """A pod by hours since the start for its deadline, hours of work, and seconds for its creation."""
    deadline = None if due is None else START + due * HOUR
    timing = Timing(deadline, None if lasts is None else lasts * HOUR, stated=due is not None)
    return replace(
        task(name, created=START + created * SECOND),
        timing=timing,
        priority=priority,
    )


def names(policy: Policy, tasks: Iterable[Task], late: str = "") -> str:
    """The one-letter names in the policy's order; ``late`` has the names of those that are late."""
    return "".join(
        sorted(
            (each.ref.name for each in tasks),
            key={each.ref.name: policy.rank(each, each.ref.name in late) for each in tasks}.__getitem__,
        )
    )


TIED = [
    pod("b", due=4, lasts=1, created=1),
    pod("a", due=4, lasts=1, created=1),
    pod("c", due=4, lasts=1, created=0),
    pod("d", due=4, lasts=1, created=2, priority=5),
    replace(pod("e", due=4, lasts=1, created=1), ref=PodRef("z", "e", "uid")),
]
"""Equal but for priority, creation, name and namespace."""


@pytest.mark.parametrize("policy", EVERY_ORDER, ids=lambda policy: policy.name)
def test_ties_go_by_priority_creation_namespace_and_name(policy: Policy) -> None:
    assert names(policy, TIED) == ("cabed" if policy is FIRST_COME else "dcabe")


def test_least_slack() -> None:
    tasks = [
        pod("u"),
        pod("s", due=2, lasts=1),
        pod("l", due=9, lasts=9),
        pod("n", due=1),
        pod("p", due=3, lasts=2, priority=9),
    ]
    # n and the two after it can all start until one o'clock: the deadline decides, whatever the priority.
    assert names(LEAST_SLACK, tasks) == "lnspu"


def test_among_pods_without_a_deadline_the_priority_decides() -> None:
    tasks = [pod("a", created=0), pod("b", created=1, priority=1), pod("c", due=99, lasts=1, priority=-1)]
    assert names(LEAST_SLACK, tasks) == "cba"


def test_earliest_deadline_first() -> None:
    tasks = [
        pod("u", priority=9),
        pod("l", due=9, lasts=9),
        pod("s", due=2, lasts=1),
        pod("t", due=2, lasts=2, created=1),
    ]
    assert names(EARLIEST_DEADLINE, tasks) == "stlu"


def test_shortest_first_with_unknown_durations_last() -> None:
    tasks = [
        pod("u", due=1, priority=9),
        pod("l", due=1, lasts=9),
        pod("s", lasts=1),
        pod("z", due=3, lasts=0),
    ]
    assert names(SHORTEST_FIRST, tasks) == "zslu"


def test_highest_priority_first_then_arrival() -> None:
    tasks = [
        pod("n", priority=-1, due=1, lasts=1),
        pod("b", created=1),
        pod("a", created=2),
        pod("h", created=3, priority=7),
    ]
    assert names(HIGHEST_PRIORITY, tasks) == "hban"


def test_first_come_looks_at_nothing_else() -> None:
    tasks = [pod("z", due=1, lasts=1, priority=9, created=1), pod("b"), pod("a", created=1)]
    assert names(FIRST_COME, tasks) == "baz"


# Late pods ----------------------------------------------------------------------------------------

DUE = [
    pod("x", due=3, lasts=3, created=2),
    pod("y", due=2, lasts=1, created=2),
    pod("z", due=9, lasts=1, created=2),
    pod("d", created=1),
    pod("e", created=3),
    pod("p", created=4, priority=1),
]
"""x and y are late before z; d, e and p have no deadline."""


@pytest.mark.parametrize(
    ("late", "order"),
    [
        pytest.param(Late.DEMOTE, "zpdeyx", id="behind all, the shortest first"),
        pytest.param(Late.KEEP, "xyzpde", id="as if nothing had happened"),
        pytest.param(Late.DROP_PRIORITY, "zpdxye", id="among those without a deadline"),
    ],
)
def test_late_pods_under_least_slack(late: Late, order: str) -> None:
    policy = least_slack(late)
    assert names(policy, DUE) == "xyzpde"
    assert names(policy, DUE, late="xy") == order


def test_who_is_late_and_when() -> None:
    due, undated = pod("a", due=2, lasts=1), pod("b", lasts=1)
    assert LEAST_SLACK.late_after(due) == START + HOUR
    assert LEAST_SLACK.late_after(undated) is None
    aged = replace(due, timing=replace(due.timing, stated=False))
    assert LEAST_SLACK.late_after(aged) is None, "no promise is broken"
    assert least_slack(Late.DROP_PRIORITY).late_after(due) == START + HOUR


@pytest.mark.parametrize(
    "policy",
    [EARLIEST_DEADLINE, SHORTEST_FIRST, HIGHEST_PRIORITY, FIRST_COME, least_slack(Late.KEEP)],
    ids=lambda policy: policy.name,
)
def test_nobody_is_late_for_the_others(policy: Policy) -> None:
    assert policy.late_after(pod("a", due=2, lasts=1)) is None


# All orders ---------------------------------------------------------------------------------------

hours = st.none() | st.integers(0, 3)
pods = st.builds(
    pod,
    st.sampled_from("abc"),
    due=hours,
    lasts=hours,
    created=st.integers(0, 2),
    priority=st.integers(-1, 1),
)


@given(st.sampled_from(EVERY_ORDER), pods, pods, st.booleans(), st.booleans())
def test_only_one_and_the_same_pod_has_the_same_place(
    policy: Policy, one: Task, other: Task, one_late: bool, other_late: bool
) -> None:
    same = policy.rank(one, one_late) == policy.rank(other, other_late)
    assert not same or (one.ref.namespace, one.ref.name) == (other.ref.namespace, other.ref.name)


@pytest.mark.parametrize("name", ["lst", "edf", "sjf", "priority", "fifo"])
def test_policies_are_known_by_name(name: str) -> None:
    assert POLICIES[name].name == name


def test_least_slack_demotes_unless_told_otherwise() -> None:
    assert names(POLICIES["lst"], DUE, late="xy") == "zpdeyx"
