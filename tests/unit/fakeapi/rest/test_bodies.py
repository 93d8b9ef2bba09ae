"""From the bytes of a body to an object that has the shape of its kind."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery.resources import PODS, builtin
from fakeapi.machinery.status import StatusError
from fakeapi.rest.bodies import (
    BINDING,
    DELETE_OPTIONS,
    SCALE,
    Parsed,
    Shape,
    checked,
    parse_object,
    read_json,
    read_value,
    shape_of,
    strict_refusal,
)
from tests.support import protobuf

CONFIG = Shape("", "v1", "ConfigMap")
POD = Shape("", "v1", "Pod")
CUSTOM = shape_of(builtin("podgroups", "scheduling.x-k8s.io", "v1alpha1"))
JSON = "application/json"
YAML = "application/yaml"
PROTOBUF = protobuf.CONTENT_TYPE


def parsed(
    body: str | bytes, shape: Shape = CONFIG, content_type: str = JSON, validation: str = ""
) -> Parsed:
    raw = body.encode() if isinstance(body, str) else body
    return parse_object(raw, content_type, shape, validation)


def refused(
    body: str | bytes, shape: Shape = CONFIG, content_type: str = JSON, validation: str = ""
) -> StatusError:
    with pytest.raises(StatusError) as caught:
        parsed(body, shape, content_type, validation)
    return caught.value


def test_shapes_are_named_by_group_and_version() -> None:
    assert (shape_of(PODS), POD.api_version) == (POD, "v1")
    assert SCALE.api_version == "autoscaling/v1"


# ---- the three formats ----

SAME = {"metadata": {"name": "c", "labels": {"a": "1"}}, "data": {"k": "v"}}


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (json.dumps(SAME), JSON),
        (json.dumps(SAME), ""),
        (json.dumps(SAME), "application/json; charset=utf-8"),
        (json.dumps(SAME), "APPLICATION/JSON"),
        (json.dumps(SAME), YAML),
        ("metadata:\n  name: c\n  labels: {a: '1'}\ndata:\n  k: v\n", YAML),
    ],
)
def test_the_format_is_the_media_type_s(body: str, content_type: str) -> None:
    assert parsed(body, content_type=content_type) == Parsed(SAME)


def test_protobuf() -> None:
    body = protobuf.body("v1", "ConfigMap", [(1, [(1, "c")]), (2, [(1, "k"), (2, "v")])])
    assert parsed(body, content_type=PROTOBUF).object == {
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "metadata": {"name": "c"},
        "data": {"k": "v"},
    }


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/xml", "application/merge-patch+json", "x"]
)
def test_other_media_types(content_type: str) -> None:
    error = refused("{}", content_type=content_type)
    assert (error.code, error.reason) == (415, "UnsupportedMediaType")
    assert "accepted media types include: application/json" in error.message


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"", JSON),
        (b"{", JSON),
        (b"{'a': 1}", JSON),
        (b"{}{}", JSON),
        (b"NaN", JSON),
        (b"\xff", JSON),
        (b'{"a":"\\ud800"}', JSON),
        (b"[" * 100_000, JSON),
        (b"a: [", YAML),
        (b"a: b: c", YAML),
        (b"\xff\xfe\x00", YAML),
        (b"a: \x01", YAML),
        (b"? [a]\n: b", YAML),
        (b"a: 99999999999999999999999999", YAML),
        (b"a: !!binary aGk=", YAML),
        (b"a: !!set {x}", YAML),
        (b"a: !!python/object/apply:os.getcwd []", YAML),
        (b"a: 0b_", YAML),
        (b'a: !!int ""', YAML),
        (b"a: !!bool perhaps", YAML),
        (b"a: !!timestamp never", YAML),
        (b"a: !!float 0x1:1", YAML),
        (b"[" * 100_000, YAML),
        (b"- " * 100_000, YAML),
        (b"a: &x 1\nb: *x\n", YAML),
        (b"", PROTOBUF),
        (b"junk", PROTOBUF),
        (b"k8s\x00junk", PROTOBUF),
    ],
)
def test_what_cannot_be_read(body: bytes, content_type: str) -> None:
    error = refused(body, content_type=content_type)
    assert (error.code, error.reason) == (400, "BadRequest")


def test_few_lines_of_yaml_do_not_become_more_than_memory_holds() -> None:
    lines = ["l0: &l0 [x, x]"]
    lines += [f"l{level}: &l{level} [*l{level - 1}, *l{level - 1}]" for level in range(1, 60)]
    assert "aliases" in refused("\n".join(lines), content_type=YAML).message


def test_a_star_is_no_alias() -> None:
    assert (
        parsed("data: {schedule: '* * * * *'}", content_type=YAML).object["data"]["schedule"] == "* * * * *"
    )


def test_a_date_in_yaml_is_a_text() -> None:
    body = "metadata: {name: c, creationTimestamp: 2026-01-05T00:00:00Z}"
    assert parsed(body, content_type=YAML).object["metadata"]["creationTimestamp"] == "2026-01-05T00:00:00Z"


def test_keys_of_yaml_are_texts() -> None:
    assert parsed("data: {2: a, true: b}", content_type=YAML).object["data"] == {"2": "a", "true": "b"}


@pytest.mark.parametrize(("levels", "fits"), [(240, True), (260, False)])
@pytest.mark.parametrize("content_type", [JSON, YAML])
def test_bodies_are_shallow(levels: int, content_type: str, *, fits: bool) -> None:
    body = b'{"a":' * levels + b"1" + b"}" * levels
    if fits:
        assert read_value(body, content_type)
    else:
        with pytest.raises(StatusError, match=r"levels deep|not valid YAML"):
            read_value(body, content_type)


def test_wide_bodies_are_not_deep() -> None:
    wide = {"data": {str(number): "{[" for number in range(500)}}
    assert parsed(json.dumps(wide)).object == wide


def test_json_alone() -> None:
    assert read_json(b"[1]") == [1]
    with pytest.raises(StatusError, match="not valid JSON"):
        read_json(b"[1")


# ---- the kind ----


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"kind": "", "apiVersion": ""},
        {"kind": None, "apiVersion": None},
        {"kind": "ConfigMap"},
        {"apiVersion": "v1"},
        {"kind": "ConfigMap", "apiVersion": "v1"},
    ],
)
def test_a_body_may_leave_its_kind_out(told: dict[str, Any]) -> None:
    assert parsed(json.dumps(told | {"data": {"a": "b"}})).object["data"] == {"a": "b"}


@pytest.mark.parametrize(
    ("told", "message"),
    [
        (
            {"kind": "Pod", "apiVersion": "v1"},
            'Pod in version "v1" cannot be handled as a ConfigMap: '
            "converting to v1 ConfigMap: kind does not match",
        ),
        (
            {"kind": "Pod"},
            'Pod in version "" cannot be handled as a ConfigMap: '
            "converting to v1 ConfigMap: kind does not match",
        ),
        (
            {"kind": "ConfigMap", "apiVersion": "v2"},
            "the API version in the data (v2) does not match the expected API version (v1)",
        ),
        (
            {"apiVersion": "apps/v1"},
            "the API version in the data (apps/v1) does not match the expected API version (v1)",
        ),
    ],
)
def test_another_kind_is_refused(told: dict[str, Any], message: str) -> None:
    error = refused(json.dumps(told))
    assert (error.code, error.reason, error.message) == (400, "BadRequest", message)


@pytest.mark.parametrize("told", [{"kind": 5}, {"kind": ["ConfigMap"]}, {"apiVersion": {"v": 1}}])
def test_kinds_are_texts(told: dict[str, Any]) -> None:
    assert refused(json.dumps(told)).code == 400


def test_every_group_knows_delete_options() -> None:
    for version in ("v1", "apps/v1", "meta.k8s.io/v1"):
        body = json.dumps({"kind": "DeleteOptions", "apiVersion": version, "gracePeriodSeconds": 3})
        assert parsed(body, DELETE_OPTIONS).object["gracePeriodSeconds"] == 3
    assert refused('{"kind":"DeleteOptions","apiVersion":5}', DELETE_OPTIONS).code == 400
    assert refused('{"kind":"Binding","apiVersion":"apps/v1"}', BINDING).code == 400


@pytest.mark.parametrize("body", ["[]", "5", '"x"', "null", "true"])
def test_an_object_is_an_object(body: str) -> None:
    error = refused(body)
    assert error.code == 400
    assert error.message.startswith('ConfigMap in version "v1" cannot be handled as a ConfigMap: ')


@pytest.mark.parametrize(
    ("obj", "why"),
    [
        ({"metadata": 5}, "json: cannot unmarshal number into Go struct field ConfigMap.metadata of type"),
        ({"data": []}, "json: cannot unmarshal array into Go struct field ConfigMap.data of type"),
        (
            {"data": {"a": 5}},
            "json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
        ),
        ({"binaryData": {"a": "%"}}, "illegal base64 data at input byte 0"),
    ],
)
def test_wrong_types_are_refused_in_go_s_words(obj: dict[str, Any], why: str) -> None:
    error = refused(json.dumps(obj))
    assert error.code == 400
    assert error.message.startswith(f'ConfigMap in version "v1" cannot be handled as a ConfigMap: {why}')


# ---- unknown and repeated fields ----

ODD = '{"metadata":{"name":"c","foo":1},"data":{"a":"b","a":"c"},"bar":2}'
PROBLEMS = ('unknown field "metadata.foo"', 'duplicate field "data.a"', 'unknown field "bar"')
KEPT = {"metadata": {"name": "c"}, "data": {"a": "c"}}


@pytest.mark.parametrize("validation", ["", "Warn"])
def test_unknown_and_repeated_fields_are_dropped_with_a_warning(validation: str) -> None:
    assert parsed(ODD, validation=validation) == Parsed(KEPT, PROBLEMS)


def test_or_silently() -> None:
    assert parsed(ODD, validation="Ignore") == Parsed(KEPT)


def test_or_refused() -> None:
    error = refused(ODD, validation="Strict")
    assert error.code == 400
    assert error.message.endswith(strict_refusal(PROBLEMS))


def test_strict_has_nothing_against_an_object_in_order() -> None:
    assert parsed(json.dumps(SAME), validation="Strict") == Parsed(SAME)


def test_unknown_fields_of_yaml_are_noticed_too() -> None:
    body = "data: {a: b}\nfoo: 1\n"
    assert parsed(body, content_type=YAML) == Parsed({"data": {"a": "b"}}, ('unknown field "foo"',))
    assert refused(body, content_type=YAML, validation="Strict").code == 400


# ---- nulls ----


def test_nulls_are_left_out() -> None:
    body = '{"metadata":{"name":"c","creationTimestamp":null,"labels":null},"data":null}'
    assert parsed(body).object == {"metadata": {"name": "c"}}
    assert parsed("metadata: {name: c, labels: null}\ndata:\n", content_type=YAML).object == {
        "metadata": {"name": "c"}
    }


def test_nulls_that_cannot_be_left_out_are_zeros() -> None:
    body = '{"spec":{"containers":[null],"nodeSelector":{"a":null}}}'
    assert parsed(body, POD).object == {"spec": {"containers": [{}], "nodeSelector": {"a": ""}}}


# ---- kinds without a schema ----


def test_of_a_custom_kind_anything_is_taken_below_its_parts() -> None:
    body = '{"metadata":{"name":"g","labels":{"a":null}},"spec":{"any":[1,null],"gone":null},"other":5}'
    assert parsed(body, CUSTOM, validation="Strict").object == {
        "metadata": {"name": "g", "labels": {"a": ""}},
        "spec": {"any": [1, None]},
        "other": 5,
    }


@pytest.mark.parametrize(
    "obj",
    [
        {"metadata": 5},
        {"metadata": "x"},
        {"metadata": {"labels": "x"}},
        {"metadata": {"ownerReferences": ["x"]}},
        {"metadata": {"finalizers": [{}]}},
        {"spec": "x"},
        {"spec": []},
        {"status": 5},
    ],
)
def test_but_its_parts_are_checked(obj: dict[str, Any]) -> None:
    assert refused(json.dumps(obj), CUSTOM).code == 400


def test_checking_leaves_the_value_as_it_is() -> None:
    value = {"metadata": {"name": "c", "foo": 1}, "bar": None}
    before = json.dumps(value)
    assert checked(value, CONFIG, "Warn").object == {"metadata": {"name": "c"}}
    assert json.dumps(value) == before


# ---- anything ----


@given(st.binary(max_size=60), st.sampled_from([JSON, YAML, PROTOBUF]))
def test_any_bytes_are_read_or_refused(body: bytes, content_type: str) -> None:
    _parse_or_refuse(body, content_type)


@given(st.text(st.sampled_from("abz019 \n\t:-?[]{}#&*!|>%@`'\",._~<="), max_size=40))
def test_any_yaml_is_read_or_refused(text: str) -> None:
    _parse_or_refuse(text.encode(), YAML)


@given(st.binary(max_size=60))
def test_any_protobuf_is_read_or_refused(body: bytes) -> None:
    _parse_or_refuse(protobuf.MAGIC + body, PROTOBUF)


def _parse_or_refuse(body: bytes, content_type: str) -> None:
    try:
        result = parse_object(body, content_type, CONFIG, "")
    except StatusError as error:
        code = error.code
    else:
        code = 200
        json.dumps(result.object)
    assert code in (200, 400)
