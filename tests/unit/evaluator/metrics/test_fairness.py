"""Jain's index, and the shares it is taken over."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.metrics import measure
from evaluator.metrics.fairness import jain_index, shares, user_of
from tests.support.stories import ledger, ran, submitted


def test_equal_shares_are_fair_and_one_winner_among_four_is_a_quarter() -> None:
    assert jain_index([0.5, 0.5, 0.5]) == pytest.approx(1)
    assert jain_index([1, 0, 0, 0]) == pytest.approx(1 / 4)
    assert jain_index([]) is None
    assert jain_index([0, 0]) is None


def test_a_share_is_what_was_held_of_what_was_asked_for() -> None:
    story = ledger(
        ran("d/a", 0, start=0, end=50, chips=2, user="ann"),
        ran("d/b", 0, start=50, end=100, chips=1, user="bob"),
        submitted("d/c", 60, chips=1, user="bob"),
        ran("d/d", 0, start=90, end=100, chips=0, user="cpu-only"),
        ran("d/e", 0, start=90, end=100, chips=1),
        end=100,
    )
    # bob: held 50, asked for 100 + 40.
    assert shares(story, user_of) == {"ann": 1, "bob": 50 / 140}
    assert measure(story)["fairness_users"].value == pytest.approx(
        (1 + 50 / 140) ** 2 / (2 * (1 + (50 / 140) ** 2))
    )


def test_one_user_alone_is_neither_fair_nor_unfair() -> None:
    story = ledger(ran("d/a", 0, start=0, end=50, user="ann"))
    assert measure(story)["fairness_users"].value is None


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30))
def test_the_index_lies_between_one_nth_and_one(found: list[float]) -> None:
    index = jain_index(found)
    assert index is None or 1 / len(found) - 1e-9 <= index <= 1 + 1e-9
