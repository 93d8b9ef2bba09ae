"""Which timers are visited: in the horizon after help, ever more seldom while they lead to nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.wakeups import WakeupPlan, WakeupRules
from fakeapi.kernel.time import MILLISECOND, SECOND

START = 1_000 * SECOND
EVERY = WakeupRules(horizon=10 * SECOND, step=0)
SELDOM = WakeupRules(horizon=10 * SECOND, step=SECOND)


def visits(rules: WakeupRules, period: int, *, fruitful: bool = False) -> list[float]:
    """Seconds after help at which a timer of that period is visited."""
    plan, now, found = WakeupPlan(rules, START), START, []
    plan.help_came(START, arrival=False)
    while (at := plan.next_visit(now, (now // period + 1) * period)) is not None:
        found.append((at - START) / SECOND)
        plan.visited(fruitless=not fruitful)
        now = at
    return found


def test_without_help_no_timer_matters() -> None:
    plan = WakeupPlan(EVERY, START)
    assert not plan.is_due(START)
    assert plan.next_visit(START, START + SECOND) is None


def test_without_a_step_every_timer_in_the_horizon_is_visited() -> None:
    assert visits(EVERY, SECOND) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]


def test_a_timer_past_the_horizon_is_left_alone() -> None:
    plan = WakeupPlan(EVERY, START)
    plan.help_came(START, arrival=False)
    assert plan.next_visit(START, START + 11 * SECOND) is None


def test_fruitless_visits_become_seldom_and_the_last_one_is_at_the_horizon() -> None:
    assert visits(SELDOM, 100 * MILLISECOND) == [1, 3, 7, 10]


def test_fruitful_visits_stay_close() -> None:
    assert visits(SELDOM, 100 * MILLISECOND, fruitful=True) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]


def test_help_begins_anew() -> None:
    plan = WakeupPlan(SELDOM, START)
    plan.help_came(START, arrival=False)
    for _ in range(3):
        plan.visited(fruitless=True)
    plan.help_came(START + 4 * SECOND, arrival=False)
    assert plan.next_visit(START + 4 * SECOND, START + 4 * SECOND + 1) == START + 5 * SECOND


@pytest.mark.parametrize(("waits", "due"), [(True, True), (False, False)])
def test_an_arrival_counts_where_new_pods_may_wait_for_a_timer(waits: bool, due: bool) -> None:
    plan = WakeupPlan(WakeupRules(after_arrivals=waits), START)
    plan.help_came(START, arrival=True)
    assert plan.is_due(START) is due


def test_a_tick_comes_without_help() -> None:
    plan = WakeupPlan(WakeupRules(tick=60 * SECOND), START)
    assert plan.next_visit(START, None) == START + 60 * SECOND


def test_a_timer_that_is_due_already_is_visited_a_moment_later() -> None:
    plan = WakeupPlan(EVERY, START)
    plan.help_came(START, arrival=False)
    assert plan.next_visit(START, START - SECOND) == START + MILLISECOND


@given(
    step=st.integers(0, 20) | st.integers(0, 20_000),
    timers=st.lists(st.tuples(st.integers(-5_000, 20_000), st.booleans()), max_size=40),
)
def test_visits_move_forward_and_stay_in_the_horizon(step: int, timers: list[tuple[int, bool]]) -> None:
    rules = WakeupRules(horizon=10 * SECOND, step=step * MILLISECOND)
    plan, now = WakeupPlan(rules, START), START
    plan.help_came(START, arrival=False)
    for offset, fruitless in timers:
        at = plan.next_visit(now, now + offset * MILLISECOND)
        if at is None:
            break
        assert now < at <= START + rules.horizon
        plan.visited(fruitless=fruitless)
        now = at
