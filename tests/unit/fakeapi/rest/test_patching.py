"""Patches are read once, applied to what is there, and may only make the kind they began with."""

import copy
import json
from typing import Any

import pytest

from fakeapi.machinery.resources import builtin
from fakeapi.machinery.status import StatusError
from fakeapi.rest.bodies import Shape, shape_of
from fakeapi.rest.patching import Patch
from tests.unit.fakeapi.rest.client import JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH

Json = dict[str, Any]

CONFIG = Shape("", "v1", "ConfigMap")
POD = Shape("", "v1", "Pod")
CUSTOM = shape_of(builtin("podgroups", "scheduling.x-k8s.io", "v1alpha1"))
OBJECT: Json = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "c"}, "data": {"a": "b"}}
APPLY = "application/apply-patch+yaml"


def patch(
    changes: object, content_type: str = MERGE_PATCH, shape: Shape = CONFIG, validation: str = ""
) -> Patch:
    body = changes if isinstance(changes, bytes) else json.dumps(changes).encode()
    return Patch(body, content_type, shape, validation)


def patched(changes: object, content_type: str = MERGE_PATCH, **options: Any) -> Json:
    before = copy.deepcopy(OBJECT)
    result = patch(changes, content_type, **options).apply(OBJECT)
    assert before == OBJECT
    return result


def refused(changes: object, content_type: str = MERGE_PATCH, **options: Any) -> StatusError:
    with pytest.raises(StatusError) as caught:
        patched(changes, content_type, **options)
    return caught.value


@pytest.mark.parametrize(
    ("content_type", "changes"),
    [
        (MERGE_PATCH, {"data": {"c": "d"}}),
        (STRATEGIC_PATCH, {"data": {"c": "d"}}),
        (JSON_PATCH, [{"op": "add", "path": "/data/c", "value": "d"}]),
        (f"{MERGE_PATCH}; charset=utf-8", {"data": {"c": "d"}}),
    ],
)
def test_three_ways_to_say_a_change(content_type: str, changes: object) -> None:
    assert patched(changes, content_type) == {**OBJECT, "data": {"a": "b", "c": "d"}}


@pytest.mark.parametrize("content_type", ["", "application/json", "text/plain", "application/yaml"])
def test_other_media_types(content_type: str) -> None:
    error = refused({}, content_type)
    assert (error.code, error.reason) == (415, "UnsupportedMediaType")
    assert MERGE_PATCH in error.message


def test_a_custom_kind_has_no_strategic_merge() -> None:
    error = refused({}, STRATEGIC_PATCH, shape=CUSTOM)
    assert error.code == 415
    accepted, _, _ = error.message.partition(" (found ")
    assert STRATEGIC_PATCH not in accepted


def test_apply_is_not_there_and_says_so() -> None:
    error = refused(OBJECT, APPLY)
    assert (error.code, error.reason) == (501, "NotImplemented")
    assert "server-side apply" in error.message


@pytest.mark.parametrize("body", [b"", b"{", b"\xff"])
@pytest.mark.parametrize("content_type", [MERGE_PATCH, STRATEGIC_PATCH, JSON_PATCH])
def test_what_is_not_json(body: bytes, content_type: str) -> None:
    assert (refused(body, content_type).code, refused(body, content_type).reason) == (400, "BadRequest")


@pytest.mark.parametrize(
    ("content_type", "changes"),
    [
        (MERGE_PATCH, []),
        (MERGE_PATCH, None),
        (MERGE_PATCH, 5),
        (STRATEGIC_PATCH, []),
        (STRATEGIC_PATCH, None),
        (JSON_PATCH, {}),
        (JSON_PATCH, None),
        (JSON_PATCH, [5]),
        (JSON_PATCH, [{"op": 5}]),
    ],
)
def test_what_is_no_patch(content_type: str, changes: object) -> None:
    assert (refused(changes, content_type).code, refused(changes, content_type).reason) == (400, "BadRequest")


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "test", "path": "/data/a", "value": "c"},
        {"op": "replace", "path": "/data/nothing", "value": "x"},
        {"op": "remove", "path": "/nothing"},
        {"op": "bogus", "path": "/data"},
        {"op": "add", "path": "data", "value": {}},
        {"op": "remove", "path": ""},
        {"op": "replace", "path": "", "value": []},
        {"op": "add", "value": 1},
    ],
)
def test_an_operation_that_does_not_fit_the_object(operation: Json) -> None:
    error = refused([operation], JSON_PATCH)
    assert (error.code, error.reason) == (422, "Invalid")
    assert error.message.startswith("the server rejected our request due to an error in our request")


def test_a_patch_has_a_bounded_number_of_operations() -> None:
    operation = {"op": "test", "path": "/data/a", "value": "b"}
    assert patched([operation] * 10_000, JSON_PATCH) == OBJECT
    error = refused([operation] * 10_001, JSON_PATCH)
    assert (error.code, error.reason) == (413, "RequestEntityTooLarge")


def test_lists_without_their_key_cannot_be_merged() -> None:
    pod = {"kind": "Pod", "apiVersion": "v1", "spec": {"containers": [{"name": "main"}]}}
    change = patch({"spec": {"containers": [{"image": "i"}]}}, STRATEGIC_PATCH, shape=POD)
    with pytest.raises(StatusError) as caught:
        change.apply(pod)
    error = caught.value
    assert (error.code, error.reason) == (500, "InternalError")  # as the real server answers
    assert "merge key" in error.message


# ---- what comes out ----


@pytest.mark.parametrize("content_type", [MERGE_PATCH, STRATEGIC_PATCH])
@pytest.mark.parametrize(
    ("changes", "why"),
    [({"data": {"a": 5}}, "cannot unmarshal number"), ({"data": "x"}, "cannot unmarshal string")],
)
def test_a_result_of_wrong_types_is_refused(content_type: str, changes: Json, why: str) -> None:
    error = refused(changes, content_type)
    assert (error.code, error.reason) == (422, "Invalid")
    assert error.message.startswith(' "" is invalid: patch: Invalid value: ')
    assert why in error.message
    assert error.details is not None
    assert [cause["field"] for cause in error.details["causes"]] == ["patch"]


@pytest.mark.parametrize("changes", [{"kind": "Pod"}, {"apiVersion": "v2"}, {"kind": 5}])
def test_a_merge_cannot_change_the_kind(changes: Json) -> None:
    assert refused(changes).code == 422


@pytest.mark.parametrize("changes", [{"kind": "Pod"}, {"apiVersion": "v2"}])
def test_a_strategic_merge_does_not_even_look_at_it(changes: Json) -> None:
    assert patched(changes, STRATEGIC_PATCH) == OBJECT


def test_a_kind_that_is_removed_goes_without_saying() -> None:
    assert patched({"kind": None})["metadata"] == {"name": "c"}


@pytest.mark.parametrize(
    ("content_type", "changes"),
    [
        (JSON_PATCH, [{"op": "add", "path": "/data", "value": {"x": None}}]),
        (MERGE_PATCH, {"data": {"a": None, "x": ""}}),
    ],
)
def test_nulls_in_the_result_are_zeros(content_type: str, changes: object) -> None:
    assert patched(changes, content_type)["data"] == {"x": ""}


def test_null_items_are_zeros() -> None:
    assert patched({"metadata": {"finalizers": [None]}})["metadata"]["finalizers"] == [""]


# ---- unknown and repeated fields ----


@pytest.mark.parametrize("content_type", [MERGE_PATCH, STRATEGIC_PATCH])
@pytest.mark.parametrize("validation", ["", "Warn"])
def test_unknown_fields_are_dropped_with_a_warning(content_type: str, validation: str) -> None:
    change = patch({"foo": 1, "data": {"c": "d"}}, content_type, validation=validation)
    assert change.apply(OBJECT)["data"] == {"a": "b", "c": "d"}
    assert change.warnings == ('unknown field "foo"',)


def test_or_silently() -> None:
    change = patch(b'{"foo":1,"data":{"c":"d","c":"e"}}', validation="Ignore")
    assert change.apply(OBJECT)["data"] == {"a": "b", "c": "e"}
    assert change.warnings == ()


@pytest.mark.parametrize(
    ("content_type", "body", "problem"),
    [
        (MERGE_PATCH, b'{"foo":1}', 'unknown field "foo"'),
        (STRATEGIC_PATCH, b'{"foo":1}', 'unknown field "foo"'),
        (MERGE_PATCH, b'{"data":{"c":"d","c":"e"}}', 'duplicate field "data.c"'),
        (STRATEGIC_PATCH, b'{"data":{"c":"d","c":"e"}}', 'duplicate field "data.c"'),
        (
            JSON_PATCH,
            b'[{"op":"test","path":"/data/a","value":"b","foo":1}]',
            'json patch unknown field "[0].foo"',
        ),
        (
            JSON_PATCH,
            b'[{"op":"remove","op":"test","path":"/data/a","value":"b"}]',
            'json patch duplicate field "[0].op"',
        ),
    ],
)
def test_what_is_odd_about_a_patch(content_type: str, body: bytes, problem: str) -> None:
    change = patch(body, content_type)
    change.apply(OBJECT)
    assert change.warnings == (problem,)
    error = refused(body, content_type, validation="Strict")
    assert error.code == 422
    assert error.message.endswith(f"strict decoding error: {problem}")


def test_strict_has_nothing_against_a_patch_in_order() -> None:
    assert patched({"data": {"a": "c"}}, validation="Strict")["data"] == {"a": "c"}
