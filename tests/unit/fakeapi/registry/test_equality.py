"""Two values are the same where Go could not tell them apart."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.registry.equality import same

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize("empty", [None, False, 0, "", [], {}, {"inner": {"empty": []}}])
def test_a_missing_field_is_the_same_as_an_empty_one(empty: Any) -> None:
    assert same({"kept": 1}, {"kept": 1, "empty": empty})
    assert same({"kept": 1, "empty": empty}, {"kept": 1})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1}, {"a": 2}),
        ({"a": 1}, {}),
        ({"a": [1, 2]}, {"a": [2, 1]}),
        ({"a": [{}]}, {"a": []}),
        ({"a": {"b": "c"}}, {"a": {"b": ""}}),
        ({"a": True}, {"a": "true"}),
    ],
)
def test_other_values_differ(one: Any, other: Any) -> None:
    assert not same(one, other)
    assert not same(other, one)


@given(JSON)
def test_every_value_is_the_same_as_itself(value: Any) -> None:
    assert same(value, value)


@given(JSON, JSON)
def test_it_does_not_matter_which_is_asked_first(one: Any, other: Any) -> None:
    assert same(one, other) == same(other, one)


@given(st.dictionaries(st.sampled_from("abc"), JSON, max_size=3))
def test_dropping_what_is_empty_changes_nothing(value: dict[str, Any]) -> None:
    assert same(value, {name: item for name, item in value.items() if item})
