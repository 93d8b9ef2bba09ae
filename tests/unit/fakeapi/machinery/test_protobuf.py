"""Protobuf bodies: each kind of field, what Go leaves out, and that bad bytes are one error only."""

import struct
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fakeapi.machinery import wire
from fakeapi.machinery.protobuf import MAGIC, MOST_BYTES, MalformedBody, decode


def varint(value: int) -> bytes:
    value %= 2**64
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))


def number(field: int, value: int) -> bytes:
    """A field with a varint."""
    return varint(field << 3) + varint(value)


def held(field: int, *parts: bytes | str) -> bytes:
    """A field with a string, bytes or a message."""
    content = b"".join(part.encode() if isinstance(part, str) else part for part in parts)
    return varint(field << 3 | 2) + varint(len(content)) + content


def body(api_version: str, kind: str, *fields: bytes) -> bytes:
    """A whole body."""
    return MAGIC + held(1, held(1, api_version), held(2, kind)) + held(2, *fields) + held(3) + held(4)


def decoded(api_version: str, kind: str, *fields: bytes) -> dict[str, Any]:
    """The object of a body, without the kind and apiVersion that it has to have."""
    document = decode(body(api_version, kind, *fields))
    assert document.pop("apiVersion") == api_version
    assert document.pop("kind") == kind
    return document


def pod_spec(*fields: bytes) -> dict[str, Any]:
    spec: dict[str, Any] = decoded("v1", "Pod", held(2, *fields))["spec"]
    return spec


def container(*fields: bytes) -> dict[str, Any]:
    one: dict[str, Any] = pod_spec(held(2, *fields))["containers"][0]
    return one


def test_a_binding_as_a_scheduler_sends_it() -> None:
    meta = held(1, held(1, "pod"), held(3, "default"), held(5, "u-1"), held(4, ""), number(7, 0))
    target = held(2, held(1, "Node"), held(2, ""), held(3, "node-1"))
    assert decoded("v1", "Binding", meta, target) == {
        "metadata": {"name": "pod", "namespace": "default", "uid": "u-1"},
        "target": {"kind": "Node", "name": "node-1"},
    }


def test_nothing_sent_is_what_go_writes_for_a_zero_value() -> None:
    assert decoded("v1", "Pod") == {"metadata": {}, "spec": {"containers": None}, "status": {}}
    assert decoded("v1", "Event") == {
        "metadata": {},
        "involvedObject": {},
        "source": {},
        "firstTimestamp": None,
        "lastTimestamp": None,
        "eventTime": None,
        "reportingComponent": "",
        "reportingInstance": "",
    }


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param([], {}, id="absent"),
        pytest.param([number(11, 0)], {}, id="zero of a field with omitempty"),
        pytest.param([number(11, 1)], {"hostNetwork": True}, id="set"),
        pytest.param([number(11, 1), number(11, 0)], {}, id="the last value counts"),
        pytest.param([number(4, 0)], {"terminationGracePeriodSeconds": 0}, id="zero behind a pointer"),
        pytest.param([number(4, -1)], {"terminationGracePeriodSeconds": -1}, id="negative"),
        pytest.param([held(8, "")], {}, id="empty string"),
        pytest.param([held(8, "x")], {"serviceAccountName": "x"}, id="string"),
        pytest.param([held(29, "")], {"runtimeClassName": ""}, id="empty string behind a pointer"),
        pytest.param([held(999, "x"), number(998, 1)], {}, id="unknown fields"),
    ],
)
def test_empty_and_zero_values(fields: list[bytes], expected: dict[str, Any]) -> None:
    assert pod_spec(*fields) == {"containers": None} | expected


def test_lists_and_maps_gather_what_is_repeated() -> None:
    spec = pod_spec(
        held(2, held(1, "a")),
        held(2, held(1, "b")),
        held(7, held(1, "k"), held(2, "v")),
        held(7, held(1, "l")),
    )
    assert [one["name"] for one in spec["containers"]] == ["a", "b"]
    assert spec["nodeSelector"] == {"k": "v", "l": ""}


def test_numbers_in_a_list_may_be_packed_or_not() -> None:
    context = held(14, number(4, 1), held(4, varint(2), varint(3)), number(4, 2**62))
    assert pod_spec(context)["securityContext"]["supplementalGroups"] == [1, 2, 3, 2**62]


def test_embedded_messages_are_merged_into_their_owner() -> None:
    volume = held(1, held(1, "v"), held(2, held(19, held(1, held(1, "settings")))))
    assert pod_spec(volume)["volumes"] == [{"name": "v", "configMap": {"name": "settings"}}]
    probe = held(
        10, held(1, held(2, held(1, "/healthz"), held(2, number(1, 0), number(2, 80)))), number(2, 5)
    )
    assert container(probe)["livenessProbe"] == {
        "httpGet": {"path": "/healthz", "port": 80},
        "initialDelaySeconds": 5,
    }


def test_a_message_that_is_sent_in_parts_is_one() -> None:
    parts = (held(1, held(1, "a")), held(1, held(3, "b")))
    assert decoded("v1", "Pod", *parts)["metadata"] == {"name": "a", "namespace": "b"}


def test_quantities_are_canonical() -> None:
    requests = [
        held(2, held(1, name), held(2, held(1, text))) for name, text in (("cpu", "0.5"), ("gpu", "2"))
    ]
    limits = held(1, held(1, "memory"), held(2))
    assert container(held(8, limits, *requests))["resources"] == {
        "limits": {"memory": "0"},
        "requests": {"cpu": "500m", "gpu": "2"},
    }


@pytest.mark.parametrize(
    ("stamp", "expected"),
    [
        pytest.param(number(1, 1_767_571_200), "2026-01-05T00:00:00Z", id="instant"),
        pytest.param(number(1, 1_767_571_200) + number(2, 999_999_999), "2026-01-05T00:00:00Z", id="cut"),
        pytest.param(number(1, 0), "1970-01-01T00:00:00Z", id="epoch"),
        pytest.param(number(1, -1), "1969-12-31T23:59:59Z", id="before the epoch"),
        pytest.param(b"", None, id="nothing"),
        pytest.param(number(1, -62_135_596_800), None, id="go's zero"),
    ],
)
def test_instants_have_whole_seconds(stamp: bytes, expected: str | None) -> None:
    assert decoded("v1", "Pod", held(1, held(9, stamp)))["metadata"]["deletionTimestamp"] == expected


def test_an_unset_creation_time_is_left_out() -> None:
    assert decoded("v1", "Pod", held(1, held(8)))["metadata"] == {}


@pytest.mark.parametrize(
    ("nanos", "expected"),
    [
        (0, "2026-01-05T00:00:00.000000Z"),
        (1_999, "2026-01-05T00:00:00.000001Z"),
        (999_999_999, "2026-01-05T00:00:00.999999Z"),
        (-1_000, "2026-01-04T23:59:59.999999Z"),
        (1_500_000_000, "2026-01-05T00:00:01.500000Z"),
    ],
)
def test_instants_of_events_have_microseconds(nanos: int, expected: str) -> None:
    stamp = held(2, number(1, 1_767_571_200), number(2, nanos))
    assert decoded("events.k8s.io/v1", "Event", stamp)["eventTime"] == expected


@pytest.mark.parametrize("seconds", [-62_135_596_801, 253_402_300_800, 2**63 - 1, -(2**63)])
def test_instants_outside_of_the_calendar_are_refused(seconds: int) -> None:
    with pytest.raises(MalformedBody, match="outside of the years 1 to 9999"):
        decode(body("v1", "Pod", held(1, held(8, number(1, seconds)))))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b"", 0),
        (number(1, 0) + number(2, 8080) + held(3, ""), 8080),
        (number(1, 1) + held(3, "http"), "http"),
        (number(1, 0) + number(2, -1) + held(3, "left over"), -1),
    ],
)
def test_a_port_is_a_number_or_a_name(value: bytes, expected: int | str) -> None:
    probe = container(held(10, held(1, held(3, held(1, value)))))["livenessProbe"]
    assert probe["tcpSocket"] == {"port": expected}


def test_bytes_are_base64() -> None:
    data = [held(2, held(1, "a"), held(2, b"\x00\xff")), held(2, held(1, "b"))]
    assert decoded("v1", "Secret", *data)["data"] == {"a": "AP8=", "b": ""}


def test_carried_json_is_json_again() -> None:
    entry = held(17, held(1, "kubectl"), held(7, held(1, '{"f:spec":{}}')))
    assert decoded("v1", "Pod", held(1, entry))["metadata"]["managedFields"] == [
        {"manager": "kubectl", "fieldsV1": {"f:spec": {}}}
    ]
    data = held(2, held(1, b'{"a":"\xff"}'))
    assert decoded("apps/v1", "ControllerRevision", data)["data"] == {"a": "\ufffd"}
    assert decoded("apps/v1", "ControllerRevision", held(2)) == {"metadata": {}, "data": None, "revision": 0}


def test_a_list_of_strings_may_be_a_message() -> None:
    extra = [held(5, held(1, "k"), held(2, held(1, "a"), held(1, ""))), held(5, held(1, "none"))]
    review = decoded("authorization.k8s.io/v1", "SubjectAccessReview", held(2, *extra))
    assert review["spec"]["extra"] == {"k": ["a", ""], "none": []}


def schema_of(*fields: bytes) -> dict[str, Any]:
    """The JSON schema of a custom resource's one version."""
    version = held(7, held(4, held(1, *fields)))
    document = decoded("apiextensions.k8s.io/v1", "CustomResourceDefinition", held(2, version))
    schema: dict[str, Any] = document["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return schema


def double(field: int, value: float) -> bytes:
    return varint(field << 3 | 1) + struct.pack("<d", value)


def test_the_unions_of_a_json_schema() -> None:
    string = held(5, "string")
    assert schema_of(held(24, held(1, string)))["items"] == {"type": "string"}
    assert schema_of(held(24, held(2, string), held(2, string)))["items"] == [{"type": "string"}] * 2
    assert schema_of(held(24))["items"] is None
    assert schema_of(held(30, number(1, 1)))["additionalProperties"] is True
    assert schema_of(held(30))["additionalProperties"] is False
    assert schema_of(held(30, number(1, 1), held(2, string)))["additionalProperties"] == {"type": "string"}
    names = held(33 - 1, held(1, "k"), held(2, held(2, "a"), held(2, "b")))
    assert schema_of(names)["dependencies"] == {"k": ["a", "b"]}


def test_names_and_numbers_of_a_json_schema_are_those_of_json() -> None:
    schema = schema_of(double(9, 5.0), double(11, 0.5), held(8, held(1, '["x"]')), number(38, 1))
    assert schema == {
        "maximum": 5,
        "minimum": 0.5,
        "default": ["x"],
        "x-kubernetes-preserve-unknown-fields": True,
    }
    assert type(schema["maximum"]) is int
    assert schema_of(double(9, 1e22))["maximum"] == 1e22


def test_a_number_that_json_does_not_have_is_refused() -> None:
    with pytest.raises(MalformedBody, match="JSON has no number for nan"):
        schema_of(double(9, float("nan")))


def test_bytes_that_are_no_text_are_replaced_one_by_one() -> None:
    assert pod_spec(held(8, b"a\xff\xc3(\xe2\x82"))["serviceAccountName"] == "a\ufffd\ufffd(\ufffd\ufffd"


def test_the_path_says_what_the_body_does_not() -> None:
    nameless = MAGIC + held(2, held(1, held(1, "p")))
    assert decode(nameless, ("", "v1", "Namespace")) == {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "p"},
        "spec": {},
        "status": {},
    }
    assert decode(nameless, ("apps", "v1", "Deployment"))["apiVersion"] == "apps/v1"
    assert decode(body("v1", "Pod"), ("apps", "v1", "Deployment"))["kind"] == "Pod"


@pytest.mark.parametrize(
    ("raw", "reason", "offset"),
    [
        pytest.param(b"", "does not begin with", 0, id="empty"),
        pytest.param(b'{"kind":"Pod"}', "does not begin with", 0, id="JSON"),
        pytest.param(MAGIC, "apiVersion is missing", 4, id="no envelope"),
        pytest.param(MAGIC + held(1, held(1, "v1")), "kind is missing", 4, id="no kind"),
        pytest.param(
            body("v1", "Nonsense"), 'no kind "Nonsense" is registered for version "v1"', 4, id="kind"
        ),
        pytest.param(body("a/b/c", "Pod"), 'no kind "Pod" is registered', 4, id="version"),
        pytest.param(body("v1", "Pod", b"\x0a"), "in the middle of a value", 18, id="no length"),
        pytest.param(body("v1", "Pod", b"\x0a\x05ab"), "in the middle of a value", 21, id="short"),
        pytest.param(
            body("v1", "Pod", b"\x08\x01"), "wrong wire type 0 for the field 1 of Pod", 18, id="wire type"
        ),
        pytest.param(body("v1", "Pod", b"\x00\x01"), "illegal tag 0", 18, id="tag"),
        pytest.param(
            body("v1", "Pod") + held(3, "gzip"), "content encoding 'gzip' is not supported", 23, id="gzip"
        ),
        pytest.param(MAGIC + bytes(MOST_BYTES), "are the limit", MOST_BYTES, id="too long"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(raw: bytes, reason: str, offset: int) -> None:
    with pytest.raises(MalformedBody) as caught:
        decode(raw)
    assert reason in caught.value.reason
    assert caught.value.offset == offset
    assert str(caught.value) == f"malformed protobuf body at byte {offset}: {caught.value.reason}"


def test_values_that_go_refuses_are_refused() -> None:
    with pytest.raises(MalformedBody, match="quantities must match"):
        container(held(8, held(2, held(1, "cpu"), held(2, held(1, "x")))))
    with pytest.raises(MalformedBody, match="the JSON carried in it cannot be read"):
        decoded("v1", "Pod", held(1, held(17, held(7, held(1, "{")))))
    with pytest.raises(MalformedBody, match=r"2 is neither the number \(0\) nor the string \(1\)"):
        container(held(10, held(1, held(3, held(1, number(1, 2))))))


def test_nesting_is_bounded() -> None:
    schema = b""
    for _ in range(wire.DEEPEST):
        schema = held(24, held(1, schema))
    with pytest.raises(MalformedBody, match="nested more than 100 deep"):
        schema_of(schema)


def test_the_number_of_messages_is_bounded() -> None:
    with pytest.raises(MalformedBody, match="more than 100000 messages"):
        pod_spec(held(2) * (wire.MOST_MESSAGES + 1))


def object_or_offset(raw: bytes) -> dict[str, Any] | int:
    """What a body is decoded to, or where it is wrong."""
    try:
        return decode(raw)
    except MalformedBody as error:
        return error.offset


@given(st.binary(max_size=200))
@example(b"")
def test_arbitrary_bytes_are_an_object_or_one_error(raw: bytes) -> None:
    for whole in (raw, MAGIC + raw, body("v1", "Pod", raw)):
        result = object_or_offset(whole)
        assert isinstance(result, dict) or 0 <= result <= len(whole)


META = held(1, held(1, "p"), held(8, number(1, 1_767_571_200)), held(11, held(1, "a"), held(2, "b")))
REQUESTS = held(8, held(2, held(1, "cpu"), held(2, held(1, "1"))))
SPEC = held(2, held(2, held(1, "c"), REQUESTS, number(18, 1)), number(25, 7))
SAMPLE = body(
    "v1", "Pod", META, SPEC, held(3, held(1, "Running"), held(2, held(1, "Ready"), held(2, "True")))
)


@given(st.lists(st.tuples(st.integers(0, len(SAMPLE) - 1), st.integers(0, 255)), min_size=1, max_size=4))
def test_a_damaged_body_is_an_object_or_one_error(damage: list[tuple[int, int]]) -> None:
    raw = bytearray(SAMPLE)
    for place, value in damage:
        raw[place] = value
    result = object_or_offset(bytes(raw))
    assert isinstance(result, dict) or 0 <= result <= len(raw)


@pytest.mark.parametrize("length", range(len(SAMPLE)))
def test_a_body_that_was_cut_is_an_object_or_one_error(length: int) -> None:
    result = object_or_offset(SAMPLE[:length])
    assert isinstance(result, dict) or 0 <= result <= length
