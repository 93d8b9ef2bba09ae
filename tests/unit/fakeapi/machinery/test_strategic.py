"""Strategic merge patch: every directive and strategy, on a type made for it and on real kinds."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery import schema
from fakeapi.machinery.patch import InapplicablePatch, MalformedPatch, PatchError, UnmergeablePatch
from fakeapi.machinery.schema import Message, Schema
from fakeapi.machinery.strategic import strategic_merge
from tests.support.schema_objects import objects
from tests.support.strategic_patches import patches

MERGED: dict[str, Any] = {"shape": "list", "strategies": ["merge"]}
FIELDS: list[dict[str, Any]] = [
    {"name": "name", "type": "string"},
    {"name": "value", "type": "string"},
    {"name": "other", "type": "string"},
    {"name": "labels", "type": "string", "shape": "map"},
    {"name": "items", "type": "t.v1.Thing", "merge_key": "name", **MERGED},
    {"name": "keyless", "type": "t.v1.Thing", **MERGED},
    {"name": "replaced", "type": "t.v1.Thing", "shape": "list"},
    {"name": "numbers", "type": "int64", **MERGED},
    {"name": "fixed", "type": "int64", "shape": "list"},
    {"name": "part", "type": "t.v1.Thing", "pointer": True},
    {"name": "whole", "type": "t.v1.Thing", "pointer": True, "strategies": ["replace"]},
    {"name": "choice", "type": "t.v1.Thing", "strategies": ["retainKeys"]},
    {"name": "choices", "type": "t.v1.Thing", "merge_key": "name", "shape": "list",
     "strategies": ["merge", "retainKeys"]},
    {"name": "carried", "type": "t.v1.Raw"},
]  # fmt: skip
THING = Schema(
    {
        "source": "a test",
        "kinds": {},
        "go_types": {},
        "messages": {
            "t.v1.Thing": {"fields": [field | {"number": place} for place, field in enumerate(FIELDS, 1)]},
            "t.v1.Raw": {"form": "raw"},
        },
    }
).message("t.v1.Thing")


def merge(document: Any, patch: Any) -> Any:
    return strategic_merge(document, patch, THING)


def named(*names: str, **fields: Any) -> list[Any]:
    return [{"name": name, **fields} for name in names]


@pytest.mark.parametrize(
    ("document", "patch", "expected"),
    [
        pytest.param({"name": "a"}, {}, {"name": "a"}, id="nothing"),
        pytest.param({"name": "a"}, {"value": "b"}, {"name": "a", "value": "b"}, id="add"),
        pytest.param({"name": "a"}, {"name": "b"}, {"name": "b"}, id="replace"),
        pytest.param({"name": "a", "value": "b"}, {"value": None}, {"name": "a"}, id="null deletes"),
        pytest.param({"name": "a"}, {"value": None}, {"name": "a"}, id="null of nothing"),
        pytest.param(
            {}, {"part": {"name": None, "value": "b"}}, {"part": {"value": "b"}}, id="nulls in what is new"
        ),
        pytest.param(
            {}, {"items": [{"name": "a", "value": None}]}, {"items": named("a")}, id="nulls in a new list"
        ),
        pytest.param(
            {"labels": {"a": "1", "b": "2"}},
            {"labels": {"a": None, "c": "3"}},
            {"labels": {"b": "2", "c": "3"}},
            id="maps merge",
        ),
        pytest.param(
            {"part": {"name": "a", "part": {"name": "b"}}},
            {"part": {"part": {"value": "c"}}},
            {"part": {"name": "a", "part": {"name": "b", "value": "c"}}},
            id="objects merge at any depth",
        ),
        pytest.param(
            {"whole": {"name": "a"}},
            {"whole": {"value": "b"}},
            {"whole": {"value": "b"}},
            id="strategy replace",
        ),
        pytest.param(
            {"labels": {"a": "1"}}, {"labels": "odd"}, {"labels": "odd"}, id="another type replaces"
        ),
        pytest.param({"name": 1}, {"name": True}, {"name": True}, id="true replaces 1"),
        pytest.param(
            {"carried": {"a": 1}},
            {"carried": {"b": 2}},
            {"carried": {"a": 1, "b": 2}},
            id="scalars in raw JSON",
        ),
        pytest.param(
            {"part": {"NAME": 1}}, {"part": {"Items": [1]}}, {"part": {"NAME": 1, "Items": [1]}}, id="unknown"
        ),
    ],
)
def test_fields(document: Any, patch: Any, expected: Any) -> None:
    assert merge(document, patch) == expected


@pytest.mark.parametrize(
    ("document", "patch", "expected"),
    [
        pytest.param({"name": "a"}, {"$patch": "replace"}, {}, id="replace by nothing"),
        pytest.param({"name": "a"}, {"$patch": "replace", "value": "b"}, {"value": "b"}, id="replace"),
        pytest.param(
            {"labels": {"a": "1"}}, {"labels": {"$patch": "delete"}}, {"labels": {}}, id="empty a map"
        ),
        pytest.param({}, {"labels": {"$patch": "delete"}}, {}, id="delete what is not there"),
        pytest.param({"name": "a"}, {"name": {"$patch": "delete"}}, {}, id="in place of a scalar"),
        pytest.param(
            {},
            {"part": {"part": {"$patch": "delete"}, "name": "a"}},
            {"part": {"name": "a"}},
            id="in what is new",
        ),
    ],
)
def test_directives_for_objects(document: Any, patch: Any, expected: Any) -> None:
    assert merge(document, patch) == expected


@pytest.mark.parametrize(
    ("items", "patch", "expected"),
    [
        pytest.param(named("a"), named("b"), named("b", "a"), id="what is new stands first"),
        pytest.param(
            named("a", "b"), named("b", value="x"), [*named("a"), *named("b", value="x")], id="change"
        ),
        pytest.param(named("a", "b"), named("b", "a"), named("b", "a"), id="the patch's order counts"),
        pytest.param(named("a"), [], named("a"), id="nothing"),
        pytest.param([], [], [], id="nothing to nothing"),
        pytest.param(named("a", "b"), [{"$patch": "delete", "name": "a"}], named("b"), id="delete"),
        pytest.param(
            named("a", "b", "a"), [{"$patch": "delete", "name": "a"}], named("b"), id="delete all of a key"
        ),
        pytest.param(
            named("a"), [{"$patch": "delete", "name": "z"}], named("a"), id="delete what is not there"
        ),
        pytest.param(named("a", "b"), [{"$patch": "replace"}], [], id="empty"),
        pytest.param(named("a", "b"), [*named("c"), {"$patch": "replace"}], named("c"), id="replace"),
        pytest.param(
            named("a", value="x"),
            [{"name": "a", "value": None, "other": "y"}],
            named("a", other="y"),
            id="null inside",
        ),
        pytest.param(
            named("a"),
            [{"name": "b", "value": None}],
            [{"name": "b", "value": None}, *named("a")],
            id="null stays",
        ),
        pytest.param(
            named("a", items=named("x", "y")),
            named("a", items=[{"$patch": "delete", "name": "x"}]),
            named("a", items=named("y")),
            id="lists within lists",
        ),
        pytest.param(
            named("a", replaced=named("x")),
            named("a", replaced=named("y")),
            named("a", replaced=named("y")),
            id="a replaced list within a merged one",
        ),
    ],
)
def test_merged_lists_of_objects(items: Any, patch: Any, expected: Any) -> None:
    assert merge({"items": items}, {"items": patch}) == {"items": expected}


@pytest.mark.parametrize(
    ("numbers", "patch", "expected"),
    [
        pytest.param([1, 2], {"numbers": [2, 3]}, [1, 2, 3], id="each once"),
        pytest.param([1, 2], {"$deleteFromPrimitiveList/numbers": [2, 7]}, [1], id="delete"),
        pytest.param([1, 1, 2], {"$deleteFromPrimitiveList/numbers": [1]}, [2], id="delete every one"),
        pytest.param(
            [1, 2], {"$deleteFromPrimitiveList/numbers": [2], "numbers": [3]}, [3, 1], id="delete and add"
        ),
        pytest.param([1, 2], {"$deleteFromPrimitiveList/numbers": None}, None, id="delete the list"),
        pytest.param([1], {"$deleteFromPrimitiveList/numbers": "odd"}, [1], id="of another type"),
        pytest.param(None, {"$deleteFromPrimitiveList/numbers": [1]}, None, id="nothing to delete from"),
        pytest.param([1, 3], {"$setElementOrder/numbers": [3, 2, 1]}, [3, 1], id="order names more"),
        pytest.param([1, 2, 3], {"$setElementOrder/numbers": [3, 1]}, [2, 3, 1], id="order names less"),
        pytest.param(
            [1, 2], {"$setElementOrder/numbers": [2, 3, 1], "numbers": [3]}, [2, 3, 1], id="add in order"
        ),
    ],
)
def test_merged_lists_of_scalars(numbers: Any, patch: Any, expected: Any) -> None:
    document = {} if numbers is None else {"numbers": numbers}
    assert merge(document, patch) == ({} if expected is None else {"numbers": expected})


def test_other_lists_are_replaced() -> None:
    document = {"replaced": named("a"), "fixed": [1, 2]}
    assert merge(document, {"replaced": named("b")})["replaced"] == named("b")
    assert merge(document, {"fixed": [3]})["fixed"] == [3]
    assert merge(document, {"$deleteFromPrimitiveList/fixed": [1]})["fixed"] == [2]


@pytest.mark.parametrize(
    ("items", "order", "patch", "expected"),
    [
        pytest.param(named("a", "b", "c"), ("c", "b", "a"), None, named("c", "b", "a"), id="reorder"),
        pytest.param(
            named("a", "b"), ("b", "new", "a"), named("new"), named("b", "new", "a"), id="add between"
        ),
        pytest.param(
            named("a", "b", "c", "d"),
            ("d", "a"),
            None,
            named("b", "c", "d", "a"),
            id="server's items stay ahead",
        ),
        pytest.param(
            named("a", "b"),
            ("b",),
            [{"$patch": "delete", "name": "a"}],
            named("b"),
            id="delete, and order what is left",
        ),
        pytest.param(None, ("b", "a"), named("b", "a"), named("b", "a"), id="a new list"),
        pytest.param(
            None,
            ("b",),
            [*named("b"), {"$patch": "delete", "name": "a"}],
            named("b"),
            id="new, with a directive",
        ),
        pytest.param(None, ("b", "a"), None, None, id="no list at all"),
    ],
)
def test_the_order_of_a_merged_list(items: Any, order: tuple[str, ...], patch: Any, expected: Any) -> None:
    changes = {"$setElementOrder/items": named(*order)} | ({} if patch is None else {"items": patch})
    document = {} if items is None else {"items": items}
    assert merge(document, changes) == ({} if expected is None else {"items": expected})


@pytest.mark.parametrize(
    ("document", "patch", "expected"),
    [
        pytest.param({"name": "a", "value": "b"}, {"$retainKeys": ["name"]}, {"name": "a"}, id="drop"),
        pytest.param({"name": "a"}, {"$retainKeys": ["value"], "value": "b"}, {"value": "b"}, id="swap"),
        pytest.param(
            {"name": "a"}, {"$retainKeys": ["name"], "value": None}, {"name": "a"}, id="nulls need no mention"
        ),
        pytest.param(
            {"numbers": [1, 2], "name": "a"},
            {"$retainKeys": ["numbers"], "$deleteFromPrimitiveList/numbers": [1]},
            {"numbers": [2]},
            id="directives need no mention",
        ),
        pytest.param({"name": "a"}, {"$retainKeys": []}, {}, id="retain nothing"),
    ],
)
def test_retained_keys(document: Any, patch: Any, expected: Any) -> None:
    assert merge({"choice": document}, {"choice": patch}) == {"choice": expected}
    items = [{"name": "k", "choice": document}]
    assert merge({"choices": items}, {"choices": [{"name": "k", "choice": patch}]}) == {
        "choices": [{"name": "k", "choice": expected}]
    }


@pytest.mark.parametrize(
    ("document", "patch", "error", "message"),
    [
        pytest.param({}, [], MalformedPatch, "invalid JSON document", id="list"),
        pytest.param({}, None, MalformedPatch, "invalid JSON document", id="null"),
        pytest.param(
            {},
            {"$patch": "merge"},
            UnmergeablePatch,
            r"unknown patch type: merge in map: map\[",
            id="directive",
        ),
        pytest.param({}, {"$patch": 5}, UnmergeablePatch, "unknown patch type: 5", id="number as directive"),
        pytest.param(
            {"items": named("a")},
            {"items": [{"value": "b"}]},
            UnmergeablePatch,
            r"map\[value:b\] does not contain declared merge key: name",
            id="no key",
        ),
        pytest.param(
            {"items": named("a")},
            {"items": [{"$patch": "delete"}]},
            UnmergeablePatch,
            "merge key: name",
            id="delete without key",
        ),
        pytest.param(
            {"items": named("a")},
            {"items": [{"$patch": "merge", "name": "a"}]},
            UnmergeablePatch,
            "cannot yet be specified",
            id="merge item",
        ),
        pytest.param(
            {"items": named("a")},
            {"items": [{"$patch": "up", "name": "a"}]},
            UnmergeablePatch,
            "unknown patch type: up",
            id="item directive",
        ),
        pytest.param(
            {"items": named("a")},
            {"items": ["a"]},
            UnmergeablePatch,
            "types are not identical",
            id="mixed types",
        ),
        pytest.param(
            {"items": [[]]}, {"items": [[]]}, InapplicablePatch, "lists of lists", id="lists of lists"
        ),
        pytest.param(
            {"keyless": named("a")},
            {"keyless": named("b")},
            UnmergeablePatch,
            "without merge key for struct",
            id="no merge key in the type",
        ),
        pytest.param(
            {"odd": {}},
            {"odd": {}},
            UnmergeablePatch,
            'find api field in struct Thing for the json field "odd"',
            id="unknown object",
        ),
        pytest.param({"odd": [1]}, {"odd": [1]}, UnmergeablePatch, 'json field "odd"', id="unknown list"),
        pytest.param(
            {"name": [1]},
            {"name": [1]},
            UnmergeablePatch,
            "expected slice or array type, but got: struct",
            id="list for a scalar",
        ),
        pytest.param(
            {"labels": {"a": {}}},
            {"labels": {"a": {}}},
            UnmergeablePatch,
            "data type is not struct, instead is: map",
            id="objects in a map",
        ),
        pytest.param(
            {"carried": {"a": {}}},
            {"carried": {"a": {}}},
            UnmergeablePatch,
            'in struct Raw for the json field "a"',
            id="objects in raw JSON",
        ),
        pytest.param(
            {},
            {"choice": {"$retainKeys": "a"}, "$retainKeys": "a"},
            MalformedPatch,
            "invalid patch format of retainKeys",
            id="retainKeys",
        ),
        pytest.param(
            {},
            {"$retainKeys": ["a"], "name": "b"},
            MalformedPatch,
            "invalid patch format of retainKeys",
            id="not retained",
        ),
        pytest.param(
            {},
            {"$setElementOrderless": []},
            MalformedPatch,
            "invalid patch format of setElementOrder list",
            id="order name",
        ),
        pytest.param(
            {},
            {"$deleteFromPrimitiveListless/a": []},
            MalformedPatch,
            "invalid patch format of primitive list",
            id="delete name",
        ),
        pytest.param(
            {},
            {"$setElementOrder/items": {}},
            UnmergeablePatch,
            r"expected a \[\]interface \{\}, but received a map",
            id="order type",
        ),
        pytest.param(
            {},
            {"$setElementOrder/items": [], "items": "a"},
            UnmergeablePatch,
            "but received a string",
            id="list type",
        ),
        pytest.param(
            {"items": named("a", "b")},
            {"$setElementOrder/items": named("a", "b"), "items": named("b", "a")},
            UnmergeablePatch,
            r"doesn't match \$setElementOrder",
            id="order against patch",
        ),
        pytest.param(
            {"items": []},
            {"$setElementOrder/items": []},
            UnmergeablePatch,
            "no elements in any",
            id="order of nothing",
        ),
    ],
)
def test_what_cannot_be_merged(document: Any, patch: Any, error: type[PatchError], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        merge(document, patch)
    assert type(caught.value) is error


def test_a_patch_that_nests_too_deeply_is_refused() -> None:
    patch: dict[str, Any] = {}
    for _ in range(5000):
        patch = {"part": patch}
    with pytest.raises(MalformedPatch, match="nests too deeply"):
        merge({}, patch)


def kind(group: str, name: str) -> Message:
    message = schema.message_for(group, "v1", name)
    assert message is not None
    return message


def test_a_container_is_changed_by_its_name() -> None:
    pod = {
        "spec": {
            "containers": [{"name": "a", "image": "x:1"}, {"name": "b", "env": [{"name": "E", "value": "1"}]}]
        }
    }
    patch = {"spec": {"containers": [{"name": "b", "image": "y", "env": [{"name": "F"}]}]}}
    assert strategic_merge(pod, patch, kind("", "Pod")) == {
        "spec": {
            "containers": [
                {"name": "a", "image": "x:1"},
                {"name": "b", "image": "y", "env": [{"name": "F"}, {"name": "E", "value": "1"}]},
            ]
        }
    }


def test_conditions_are_merged_by_type_as_a_scheduler_patches_them() -> None:
    pod = {"status": {"conditions": [{"type": "Ready", "status": "False"}], "phase": "Pending"}}
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    patch = {"status": {"conditions": [condition], "nominatedNodeName": None}}
    assert strategic_merge(pod, patch, kind("", "Pod"))["status"] == {
        "conditions": [condition, {"type": "Ready", "status": "False"}],
        "phase": "Pending",
    }


def test_tolerations_and_taints_are_replaced() -> None:
    pod = {"spec": {"tolerations": [{"key": "a"}]}}
    assert strategic_merge(pod, {"spec": {"tolerations": []}}, kind("", "Pod")) == {
        "spec": {"tolerations": []}
    }
    node = {"spec": {"taints": [{"key": "a", "effect": "NoSchedule"}]}}
    patch = {"spec": {"taints": [{"key": "b", "effect": "NoExecute"}]}}
    assert strategic_merge(node, patch, kind("", "Node"))["spec"]["taints"] == [
        {"key": "b", "effect": "NoExecute"}
    ]


def test_a_deployments_strategy_is_a_choice() -> None:
    deployment = {"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}}}
    patch = {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}
    assert strategic_merge(deployment, patch, kind("apps", "Deployment")) == {
        "spec": {"strategy": {"type": "Recreate"}}
    }


@st.composite
def pods_and_patches(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    message = kind("", "Pod")
    pod = draw(objects(message))
    return pod, draw(patches(pod, message))


@given(pods_and_patches())
def test_nothing_that_was_given_is_changed(case: tuple[dict[str, Any], dict[str, Any]]) -> None:
    before = copy.deepcopy(case)
    try:
        result = strategic_merge(*case, kind("", "Pod"))
    except PatchError:
        result = {}
    assert isinstance(result, dict)
    assert case == before


@given(objects(kind("", "Pod")))
def test_an_empty_patch_changes_nothing(pod: dict[str, Any]) -> None:
    assert strategic_merge(pod, {}, kind("", "Pod")) == pod
