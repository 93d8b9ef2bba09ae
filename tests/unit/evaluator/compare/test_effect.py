"""The size of a difference."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.compare.effect import rank_biserial


def test_a_worked_example() -> None:
    # Ranks of |d|: 1→1, 2→2, 4→3, 5→4; favourable 2+3+4 = 9 of 10, unfavourable 1.
    assert rank_biserial(np.array([-1.0, 2.0, 4.0, 5.0, 0.0, np.nan])) == pytest.approx(0.8)


def test_binary_pairs_are_counted() -> None:
    assert rank_biserial(np.array([1.0, 1.0, 1.0, -1.0])) == pytest.approx(0.5)


def test_where_no_pair_differs_there_is_none() -> None:
    assert rank_biserial(np.zeros(5)) is None


@given(st.lists(st.integers(-50, 50), max_size=20))
def test_turning_the_sides_turns_the_sign(values: list[int]) -> None:
    there, back = rank_biserial(np.array(values, float)), rank_biserial(-np.array(values, float))
    assert (there is None) == (back is None)
    if there is not None and back is not None:
        assert -1 <= there <= 1
        assert there == pytest.approx(-back)
