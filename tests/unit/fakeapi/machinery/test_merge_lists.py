"""Lists that are merged: what identifies an item, and the order of the result."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery import merge_lists
from fakeapi.machinery.patch import InapplicablePatch, UnmergeablePatch

SCALARS = st.lists(st.integers(0, 9), max_size=6, unique=True)


def named(*names: str) -> list[Any]:
    return [{"name": name} for name in names]


def test_items_have_one_type() -> None:
    assert merge_lists.item_type([], [{}], [{"a": 1}]) is dict
    assert merge_lists.item_type(["a"], []) is str


@pytest.mark.parametrize(
    ("lists", "error", "message"),
    [
        (([], []), UnmergeablePatch, "no elements in any of the given slices"),
        (([[]], []), InapplicablePatch, "lists of lists are not supported"),
        ((["a"], [1]), UnmergeablePatch, r"list element types are not identical: \[\[a\] \[1\]\]"),
        (([1], [True]), UnmergeablePatch, "not identical"),
        (([None], []), UnmergeablePatch, "not identical"),
    ],
)
def test_other_lists_are_refused(lists: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        merge_lists.item_type(*lists)


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({"value": 1}, r"map: map\[value:1\] does not contain declared merge key: name"),
        ("a", r"expected a map\[string\]interface \{\}, but received a string"),
        ({"name": []}, "cannot be found by"),
    ],
)
def test_an_item_needs_its_key(item: Any, message: str) -> None:
    with pytest.raises(UnmergeablePatch, match=message):
        merge_lists.key_of(item, "name")


def test_one_and_true_are_different_items() -> None:
    assert merge_lists.union([1], [True, 1]) == [1, True]
    assert merge_lists.without([1, True], [True]) == [1]


def test_the_servers_items_keep_their_place_before_what_they_preceded() -> None:
    merged = merge_lists.ordered(
        named("a", "b", "c", "new"), named("c", "new", "a"), named("a", "b", "c"), "name"
    )
    assert merged == named("b", "c", "new", "a")


@given(SCALARS, SCALARS)
def test_a_union_in_the_patchs_order(server: list[int], patch: list[int]) -> None:
    merged = merge_lists.union(server, patch)
    result = merge_lists.ordered(merged, patch, server, "")
    assert sorted(result) == sorted({*server, *patch})
    assert [item for item in result if item in patch] == patch
    assert [item for item in result if item not in patch] == [item for item in server if item not in patch]


@pytest.mark.parametrize(
    "patch", [named("a", "c"), named("b"), [], [*named("a"), {"$patch": "delete", "name": "z"}]]
)
def test_an_order_may_name_more_than_the_patch(patch: list[Any]) -> None:
    merge_lists.check_order(patch, named("a", "b", "c"), "name")


@pytest.mark.parametrize("patch", [named("c", "a"), named("z")])
def test_an_order_that_contradicts_the_patch_is_refused(patch: list[Any]) -> None:
    with pytest.raises(
        UnmergeablePatch, match=r"^The order in patch list:\n.*\n doesn't match \$setElementOrder"
    ):
        merge_lists.check_order(patch, named("a", "b", "c"), "name")
