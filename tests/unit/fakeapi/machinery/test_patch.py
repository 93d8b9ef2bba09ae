"""JSON patch and JSON merge patch: the RFCs' own examples, errors by whose fault they are, frozen inputs."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery.patch import (
    MOST_OPERATIONS,
    FailedTest,
    InapplicablePatch,
    MalformedPatch,
    OversizedPatch,
    PatchError,
    json_patch,
    merge_patch,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from("abcd"), JSON, max_size=4)
PATHS = st.lists(st.sampled_from(["", "a", "b", "c", "0", "1", "-", "~0", "~1", "~2"]), max_size=3).map(
    lambda parts: "".join(f"/{part}" for part in parts)
)
OPERATIONS = st.fixed_dictionaries(
    {"op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test", "nonsense"]), "path": PATHS},
    optional={"from": PATHS, "value": JSON},
)


@pytest.mark.parametrize(
    ("operations", "expected"),
    [
        pytest.param([], {"a": {"b": [1, 2]}}, id="nothing"),
        pytest.param([{"op": "add", "path": "/c", "value": 5}], {"a": {"b": [1, 2]}, "c": 5}, id="add"),
        pytest.param([{"op": "add", "path": "/a/b/1", "value": 5}], {"a": {"b": [1, 5, 2]}}, id="insert"),
        pytest.param([{"op": "add", "path": "/a/b/-", "value": 5}], {"a": {"b": [1, 2, 5]}}, id="append"),
        pytest.param([{"op": "remove", "path": "/a/b/0"}], {"a": {"b": [2]}}, id="remove"),
        pytest.param([{"op": "replace", "path": "/a/b", "value": None}], {"a": {"b": None}}, id="replace"),
        pytest.param([{"op": "move", "from": "/a/b", "path": "/c"}], {"a": {}, "c": [1, 2]}, id="move"),
        pytest.param(
            [{"op": "copy", "from": "/a/b", "path": "/c"}, {"op": "add", "path": "/c/0", "value": 0}],
            {"a": {"b": [1, 2]}, "c": [0, 1, 2]},
            id="a copy is one's own",
        ),
        pytest.param([{"op": "test", "path": "/a/b", "value": [1, 2]}], {"a": {"b": [1, 2]}}, id="test"),
        pytest.param([{"op": "replace", "path": "", "value": {"z": 1}}], {"z": 1}, id="whole document"),
        pytest.param(
            [{"op": "add", "path": "/x~1y~0z", "value": 1}], {"a": {"b": [1, 2]}, "x/y~z": 1}, id="escapes"
        ),
    ],
)
def test_operations(operations: list[Any], expected: dict[str, Any]) -> None:
    assert json_patch({"a": {"b": [1, 2]}}, operations) == expected


@pytest.mark.parametrize(
    ("operations", "error", "message"),
    [
        pytest.param({"op": "add"}, MalformedPatch, "is a list of operations, not an object", id="object"),
        pytest.param(None, MalformedPatch, "not null", id="null"),
        pytest.param(
            [5], MalformedPatch, "operation 0 of the JSON patch is a number, not an object", id="item"
        ),
        pytest.param([{"op": 5, "path": ""}], MalformedPatch, "op of operation 0 .* is a number", id="op"),
        pytest.param(
            [{"op": "add", "path": ["a"]}], MalformedPatch, "path of operation 0 .* a list", id="path"
        ),
        pytest.param(
            [{"op": "add", "path": "/a"}], InapplicablePatch, "add operation does not apply", id="value"
        ),
        pytest.param([{"path": "/a"}], InapplicablePatch, "does not apply", id="no op"),
        pytest.param([{"op": "add", "value": 1}], InapplicablePatch, "does not apply", id="no path"),
        pytest.param(
            [{"op": "jump", "path": "/a"}], InapplicablePatch, "Unknown operation 'jump'", id="unknown"
        ),
        pytest.param(
            [{"op": "remove", "path": "/b"}], InapplicablePatch, 'does not apply at "/b"', id="absent"
        ),
        pytest.param([{"op": "add", "path": "/b/c", "value": 1}], InapplicablePatch, "/b/c", id="no parent"),
        pytest.param([{"op": "replace", "path": "/l/7", "value": 1}], InapplicablePatch, "/l/7", id="index"),
        pytest.param(
            [{"op": "add", "path": "a", "value": 1}], InapplicablePatch, "does not apply", id="pointer"
        ),
        pytest.param(
            [{"op": "copy", "path": "/c", "from": "/b"}], InapplicablePatch, "copy operation", id="copy"
        ),
        pytest.param(
            [{"op": "replace", "path": "", "value": 1}], InapplicablePatch, "not an object", id="result"
        ),
        pytest.param(
            [{"op": "test", "path": "/a", "value": 2}], FailedTest, "testing value /a failed", id="test"
        ),
        pytest.param(
            [{"op": "test", "path": "/b", "value": 2}], FailedTest, "testing value /b failed", id="no test"
        ),
        pytest.param(
            [{}] * (MOST_OPERATIONS + 1),
            OversizedPatch,
            "maximum operations .* is 10000, got 10001",
            id="many",
        ),
    ],
)
def test_errors_say_whose_fault_it_is(operations: Any, error: type[PatchError], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        json_patch({"a": 1, "l": [1]}, operations)
    assert type(caught.value) is error


def test_true_and_one_are_not_the_same() -> None:
    with pytest.raises(FailedTest):
        json_patch({"a": 1}, [{"op": "test", "path": "/a", "value": True}])


def test_copies_cannot_grow_without_bound() -> None:
    doubling = [{"op": "copy", "from": "", "path": f"/{index}"} for index in range(40)]
    with pytest.raises(InapplicablePatch, match=r"size increase of copy is \d+, exceeding the limit 3145728"):
        json_patch({"a": "x" * 1000}, doubling)


def nested(depth: int, leaf: Any) -> Any:
    for _ in range(depth):
        leaf = {"a": leaf}
    return leaf


def test_what_nests_too_deeply_is_refused() -> None:
    with pytest.raises(MalformedPatch, match="nests too deeply"):
        merge_patch({}, nested(5000, 1))
    with pytest.raises(MalformedPatch, match="nests too deeply"):
        json_patch({}, [{"op": "add", "path": "/a", "value": nested(5000, 1)}])
    with pytest.raises(InapplicablePatch, match="copied"):
        json_patch(nested(300, 1), [{"op": "copy", "from": "/a", "path": "/b"}])


@given(OBJECTS, st.lists(OPERATIONS, max_size=6))
def test_any_operations_give_an_object_or_an_error_and_change_nothing(
    document: dict[str, Any], operations: list[Any]
) -> None:
    before = copy.deepcopy((document, operations))
    try:
        result = json_patch(document, operations)
    except PatchError:
        result = {}
    assert isinstance(result, dict)
    assert (document, operations) == before


@pytest.mark.parametrize(
    ("document", "patch", "expected"),
    [  # the examples of RFC 7386, appendix A, that begin and end with an object
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_merging(document: dict[str, Any], patch: Any, expected: dict[str, Any]) -> None:
    assert merge_patch(document, patch) == expected


@pytest.mark.parametrize("patch", [None, [], "a", 5, True])
def test_a_merge_patch_is_an_object(patch: Any) -> None:
    with pytest.raises(MalformedPatch, match="a JSON merge patch is an object, not"):
        merge_patch({}, patch)


@given(OBJECTS, OBJECTS)
def test_merging_changes_nothing_that_was_given(document: dict[str, Any], patch: dict[str, Any]) -> None:
    before = copy.deepcopy((document, patch))
    merge_patch(document, patch)
    assert (document, patch) == before


@given(OBJECTS, OBJECTS)
def test_merging_again_changes_nothing_more(document: dict[str, Any], patch: dict[str, Any]) -> None:
    once = merge_patch(document, patch)
    assert merge_patch(once, patch) == once


@given(OBJECTS, OBJECTS)
def test_what_the_patch_does_not_name_is_shared(document: dict[str, Any], patch: dict[str, Any]) -> None:
    merged = merge_patch(document, patch)
    for name in document.keys() - patch.keys():
        assert merged[name] is document[name]
