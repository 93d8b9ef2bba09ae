"""Who is given up so that most are in time."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.triage import MOST_PLANNED, Candidate, Plan, Release, plan

LONG = 100


def of(key: str, last_start: int, amount: int = 1, duration: int = 10) -> Candidate:
    return Candidate(last_start, key, amount, duration)


def test_nobody_is_given_up_while_all_can_start_in_time() -> None:
    made = plan([of("a", 0), of("b", 10), of("c", 20)], 1, [], 0)
    assert made == Plan({"a": 0, "b": 10, "c": 20}, frozenset())


def test_a_long_one_is_given_up_for_short_ones() -> None:
    made = plan([of("long", 0, duration=LONG), of("a", 5), of("b", 10)], 1, [], 0)
    assert made == Plan({"a": 0, "b": 10}, frozenset({"long"}))


def test_one_that_is_no_longer_than_the_others_is_given_up_itself() -> None:
    assert plan([of("a", 0), of("b", 5)], 1, [], 0).given_up == {"b"}


def test_what_running_pods_will_free_counts() -> None:
    two = [of("long", 0, duration=LONG), of("a", 5)]
    assert plan(two, 1, [Release(5, 1)], 0) == Plan({"long": 0, "a": 5}, frozenset())
    assert plan(two, 1, [Release(6, 1)], 0).given_up == {"long"}


def test_work_is_chips_times_time() -> None:
    wide, long = of("wide", 0, amount=4, duration=10), of("long", 1, amount=1, duration=30)
    assert plan([wide, long], 4, [], 0).given_up == {"wide"}


def test_one_that_makes_too_little_room_is_spared() -> None:
    long, short = of("long", 0, amount=1, duration=LONG), of("wide", 1, amount=3, duration=10)
    assert plan([long, short], 2, [], 0).given_up == {"wide"}


def test_room_left_by_one_that_is_given_up_is_used() -> None:
    made = plan([of("wide", 0, amount=4, duration=LONG), of("a", 1), of("b", 1), of("c", 1)], 4, [], 0)
    assert made.given_up == {"wide"}
    assert set(made.starts) == {"a", "b", "c"}


def test_a_shortfall_is_made_up_first() -> None:
    assert plan([of("a", 5)], -1, [Release(3, 1), Release(5, 1)], 0).starts == {"a": 5}


def test_only_the_most_urgent_are_planned() -> None:
    made = plan((of(f"{number:04}", number) for number in range(2 * MOST_PLANNED)), 1, [], 0)
    assert len(made.starts) + len(made.given_up) == MOST_PLANNED


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Candidate], int, list[Release]]:
    small = st.integers(1, 4)
    drawn = draw(st.lists(st.tuples(st.integers(0, 40), small, st.integers(0, 30)), max_size=12))
    candidates = sorted(Candidate(last, f"{n:02}", *rest) for n, (last, *rest) in enumerate(drawn))
    releases = draw(st.lists(st.builds(Release, st.integers(0, 50), small), max_size=6))
    return candidates, draw(st.integers(-2, 6)), sorted(releases)


@given(cases())
def test_a_plan_holds(case: tuple[list[Candidate], int, list[Release]]) -> None:
    candidates, free, releases = case
    made = plan(candidates, free, releases, 0)
    kept = {each.key: each for each in candidates if each.key in made.starts}
    assert kept.keys() | made.given_up == {each.key for each in candidates}
    assert not kept.keys() & made.given_up
    assert all(0 <= made.starts[key] <= each.last_start for key, each in kept.items())
    for at in range(80):
        there = free + sum(each.amount for each in releases if each.at <= at)
        held = sum(
            each.amount
            for key, each in kept.items()
            if made.starts[key] <= at < made.starts[key] + each.duration
        )
        assert held <= max(0, there), f"at {at} more is held than there is"


def _most_in_time(candidates: list[Candidate]) -> int:
    """The most that one chip can start in time, by trying all choices in the order of their latest start."""
    for size in range(len(candidates), 0, -1):
        for chosen in combinations(candidates, size):
            now = 0
            for each in chosen:
                if now > each.last_start:
                    break
                now += each.duration
            else:
                return size
    return 0


@pytest.mark.parametrize("duration", [1, 10])
@given(lasts=st.lists(st.integers(0, 40), max_size=8))
def test_with_equal_work_on_one_chip_as_many_as_possible_are_in_time(duration: int, lasts: list[int]) -> None:
    candidates = sorted(of(f"{n}", last, duration=duration) for n, last in enumerate(lasts))
    assert len(plan(candidates, 1, [], 0).starts) == _most_in_time(candidates)
