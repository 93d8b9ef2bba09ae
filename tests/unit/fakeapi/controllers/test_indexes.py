"""Indexes as a Job's status writes them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.controllers.indexes import format_indexes, parse_indexes


@pytest.mark.parametrize(
    ("indexes", "text"),
    [((), ""), ((3,), "3"), ((3, 4), "3,4"), ((3, 4, 5), "3-5"), ((0, 2, 3, 4, 7, 8), "0,2-4,7,8")],
)
def test_runs(indexes: tuple[int, ...], text: str) -> None:
    assert format_indexes(indexes) == text
    assert parse_indexes(text, 10) == set(indexes)


def test_what_lies_beyond_the_completions_is_left_out() -> None:
    assert parse_indexes("0,2-9,11", 5) == {0, 2, 3, 4}


@given(st.sets(st.integers(0, 200)))
def test_a_text_says_what_it_was_made_of(indexes: set[int]) -> None:
    assert parse_indexes(format_indexes(indexes), 201) == indexes
