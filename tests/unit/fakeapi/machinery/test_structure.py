"""The structure of a body: types and names, in Go's words."""

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery import schema
from fakeapi.machinery.complaints import MOST_UNKNOWN, Mistyped
from fakeapi.machinery.schema import Message
from fakeapi.machinery.structure import NOTHING, inspect
from tests.support.schema_objects import objects

PREFIX = "json: cannot unmarshal"
META_ERROR = f"couldn't get version/kind; json parse error: {PREFIX} "
META_STRUCT = (
    r'struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }'
)


def kind(group: str, name: str) -> Message:
    message = schema.message_for(group, "v1", name)
    assert message is not None
    return message


POD, EVENT, CRD = (
    kind("", "Pod"),
    kind("events.k8s.io", "Event"),
    kind("apiextensions.k8s.io", "CustomResourceDefinition"),
)


def pod(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}


def container(**fields: Any) -> dict[str, Any]:
    return pod(containers=[{"name": "c", **fields}])


def crd(**schema_fields: Any) -> dict[str, Any]:
    return {"spec": {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": schema_fields}}]}}


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(None, id="null"),
        pytest.param({}, id="empty"),
        pytest.param(pod(containers=[]), id="kind and apiVersion"),
        pytest.param(dict.fromkeys(("metadata", "spec", "status", "kind", "apiVersion")), id="nulls"),
        pytest.param(
            {"metadata": {"labels": {"a": None}, "finalizers": [None], "generation": None}}, id="more nulls"
        ),
        pytest.param(container(image="i", stdin=True, ports=[{"containerPort": 80}]), id="scalars"),
        pytest.param(
            container(resources={"requests": {"cpu": "500m", "memory": 5, "x/y": 0.5}}), id="quantities"
        ),
        pytest.param(
            container(livenessProbe={"httpGet": {"port": "http"}, "periodSeconds": 2}), id="port name"
        ),
        pytest.param(container(livenessProbe={"tcpSocket": {"port": 80}}), id="port number"),
        pytest.param({"metadata": {"creationTimestamp": "2026-01-05T00:00:00.5Z"}}, id="instant"),
        pytest.param({"metadata": {"managedFields": [{"fieldsV1": {"f:any": [{}]}}]}}, id="raw JSON"),
        pytest.param(pod(volumes=[{"name": "v", "configMap": {"name": "n"}}]), id="embedded"),
    ],
)
def test_bodies_that_are_in_order(document: Any) -> None:
    assert inspect(document, POD) is NOTHING
    assert NOTHING.error is None


@pytest.mark.parametrize(
    ("document", "path", "found", "place", "go_type"),
    [
        pytest.param(
            {"metadata": {"labels": "a"}},
            "metadata.labels",
            "string",
            "ObjectMeta.metadata.labels",
            "map[string]string",
            id="map",
        ),
        pytest.param(
            {"metadata": {"labels": {"a": 1}}},
            "metadata.labels.a",
            "number",
            "ObjectMeta.metadata.labels",
            "string",
            id="value of a map",
        ),
        pytest.param(
            {"metadata": {"finalizers": ["a", {}]}},
            "metadata.finalizers[1]",
            "object",
            "ObjectMeta.metadata.finalizers",
            "string",
            id="item of strings",
        ),
        pytest.param(
            {"metadata": []},
            "metadata",
            "array",
            "Pod.metadata",
            "v1.ObjectMeta",
            id="struct",
        ),
        pytest.param(
            pod(containers={}),
            "spec.containers",
            "object",
            "PodSpec.spec.containers",
            "[]v1.Container",
            id="list",
        ),
        pytest.param(
            pod(containers=[5]),
            "spec.containers[0]",
            "number",
            "PodSpec.spec.containers",
            "v1.Container",
            id="item",
        ),
        pytest.param(
            container(image=True),
            "spec.containers[0].image",
            "bool",
            "Container.spec.containers.image",
            "string",
            id="string",
        ),
        pytest.param(
            container(stdin="yes"),
            "spec.containers[0].stdin",
            "string",
            "Container.spec.containers.stdin",
            "bool",
            id="bool",
        ),
        pytest.param(
            container(imagePullPolicy=[]),
            "spec.containers[0].imagePullPolicy",
            "array",
            "Container.spec.containers.imagePullPolicy",
            "v1.PullPolicy",
            id="named type",
        ),
        pytest.param(
            container(ports=[{"containerPort": "80"}]),
            "spec.containers[0].ports[0].containerPort",
            "string",
            "ContainerPort.spec.containers.ports.containerPort",
            "int32",
            id="number",
        ),
        pytest.param(
            container(ports=[{"containerPort": 2**31}]),
            "spec.containers[0].ports[0].containerPort",
            "number 2147483648",
            "ContainerPort.spec.containers.ports.containerPort",
            "int32",
            id="range",
        ),
        pytest.param(
            pod(terminationGracePeriodSeconds=1.5),
            "spec.terminationGracePeriodSeconds",
            "number 1.5",
            "PodSpec.spec.terminationGracePeriodSeconds",
            "int64",
            id="fraction",
        ),
        pytest.param(
            container(resources={"limits": [1]}),
            "spec.containers[0].resources.limits",
            "array",
            "ResourceRequirements.spec.containers.resources.limits",
            "v1.ResourceList",
            id="named map",
        ),
        pytest.param(
            pod(volumes=[{"configMap": {"name": 5}}]),
            "spec.volumes[0].configMap.name",
            "number",
            "ConfigMapVolumeSource.spec.volumes.VolumeSource.configMap.LocalObjectReference.name",
            "string",
            id="embedded",
        ),
        pytest.param(
            {"metadata": {"creationTimestamp": 5}},
            "metadata.creationTimestamp",
            "number",
            "ObjectMeta.metadata.creationTimestamp",
            "string",
            id="instant",
        ),
        pytest.param(
            container(livenessProbe={"tcpSocket": {"port": 1.5}}),
            "spec.containers[0].livenessProbe.tcpSocket.port",
            "number 1.5",
            "TCPSocketAction.spec.containers.livenessProbe.ProbeHandler.tcpSocket.port",
            "int32",
            id="port",
        ),
    ],
)
def test_wrong_types(document: Any, path: str, found: str, place: str, go_type: str) -> None:
    findings = inspect(document, POD)
    message = f"{PREFIX} {found} into Go struct field {place} of type {go_type}"
    assert findings.mistyped == (Mistyped(path, go_type, found, message),)
    assert findings.error == message


@pytest.mark.parametrize(
    ("document", "message"),
    [
        pytest.param(
            container(resources={"limits": {"cpu": "1x"}}),
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
            id="quantity",
        ),
        pytest.param(
            container(resources={"limits": {"cpu": True}}),
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
            id="no quantity at all",
        ),
        pytest.param(
            {"metadata": {"creationTimestamp": "today"}},
            'parsing time "today" as "2006-01-02T15:04:05Z07:00": cannot parse "today" as "2006"',
            id="instant",
        ),
        pytest.param(
            [],
            META_ERROR + f"array into Go value of type {META_STRUCT}",
            id="no object",
        ),
        pytest.param(
            {"spec": 5, "kind": 5},
            META_ERROR + "number into Go struct field .kind of type string",
            id="kind first",
        ),
    ],
)
def test_other_words(document: Any, message: str) -> None:
    assert inspect(document, POD).error == message


def test_instants_of_events_need_microseconds() -> None:
    assert inspect({"eventTime": "2026-01-05T00:00:00.000001Z"}, EVENT) is NOTHING
    assert 'as ".000000"' in str(inspect({"eventTime": "2026-01-05T00:00:00Z"}, EVENT).error)


def test_the_first_wrong_type_is_reported_unless_a_type_that_decodes_itself_refuses() -> None:
    document = container(image=1, name=2, resources={"limits": {"cpu": "x"}}, stdin=3)
    findings = inspect(document, POD)
    assert [one.path.rpartition(".")[2] for one in findings.mistyped] == ["cpu", "name", "image"]
    del document["spec"]["containers"][0]["resources"]
    assert [one.path.rpartition(".")[2] for one in inspect(document, POD).mistyped] == [
        "name",
        "image",
        "stdin",
    ]


def test_bytes_are_base64_or_numbers() -> None:
    secret = kind("", "Secret")
    assert inspect({"data": {"a": "AP8="}}, secret) is NOTHING
    assert inspect({"data": {"a": [0, 255, None]}}, secret).error is None
    assert inspect({"data": {"a": "AP8"}}, secret).error == "illegal base64 data at input byte 0"
    assert str(inspect({"data": {"a": [256]}}, secret).error).endswith("field Secret.data of type uint8")
    assert str(inspect({"data": {"a": ["x"]}}, secret).error).startswith(f"{PREFIX} string into")


def test_a_list_of_strings_that_is_a_type() -> None:
    review = kind("authorization.k8s.io", "SubjectAccessReview")
    assert inspect({"spec": {"extra": {"a": ["b", None]}}}, review) is NOTHING
    where = "Go struct field SubjectAccessReviewSpec.spec.extra of type"
    assert (
        inspect({"spec": {"extra": {"a": "b"}}}, review).error
        == f"{PREFIX} string into {where} v1.ExtraValue"
    )
    assert inspect({"spec": {"extra": {"a": [1]}}}, review).error == f"{PREFIX} number into {where} string"


@pytest.mark.parametrize(
    "fields",
    [
        {"items": {"type": "string"}},
        {"items": [{"type": "string"}, None]},
        {"items": "ignored"},
        {"additionalProperties": True},
        {"additionalProperties": {"type": "string"}},
        {"dependencies": {"a": ["b"], "c": {"type": "string"}, "d": 5}},
        {"maximum": 5, "minimum": 0.5, "default": {"any": 1}, "x-kubernetes-list-map-keys": ["a"]},
        {"items": {"unknown": 1}},
    ],
)
def test_a_json_schema_and_what_may_stand_in_its_place(fields: dict[str, Any]) -> None:
    assert inspect(crd(**fields), CRD) == NOTHING


SCHEMA = "Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"items": {"type": 5}}, f"{PREFIX} number into {SCHEMA}.items.type of type string"),
        ({"items": [{"type": 5}]}, f"{PREFIX} number into {SCHEMA}.items.type of type string"),
        ({"items": [5]}, f"{PREFIX} number into {SCHEMA}.items of type v1.JSONSchemaProps"),
        ({"additionalProperties": "x"}, "boolean or JSON schema expected"),
        ({"dependencies": {"a": [5]}}, f"{PREFIX} number into {SCHEMA}.dependencies of type string"),
        (
            {"items": {"items": {"maximum": "x"}}},
            f"{PREFIX} string into {SCHEMA}.items.items.maximum of type float64",
        ),
    ],
)
def test_what_is_wrong_in_a_json_schema(fields: dict[str, Any], message: str) -> None:
    assert inspect(crd(**fields), CRD).error == message


def test_unknown_fields_are_no_error_and_are_not_looked_into() -> None:
    document = container(foo={"bar": 1}) | {"Spec": 1}
    document["metadata"] |= {"labels": {"any": "name"}, "x": None}
    findings = inspect(document, POD)
    assert findings.error is None
    assert findings.unknown == ("metadata.x", "spec.containers[0].foo", "Spec")


def test_not_more_unknown_fields_are_listed_than_the_real_server_lists() -> None:
    assert len(inspect({f"f{index}": 1 for index in range(MOST_UNKNOWN + 1)}, POD).unknown) == MOST_UNKNOWN


def test_nesting_without_end_is_a_finding() -> None:
    nested: dict[str, Any] = {}
    for _ in range(5000):
        nested = {"not": nested}
    assert inspect(crd(**nested), CRD).error == "exceeded max depth"


@pytest.mark.parametrize(
    "message", [POD, EVENT, CRD, kind("", "Node"), kind("resource.k8s.io", "ResourceClaim")]
)
@given(data=st.data())
def test_objects_of_the_type_are_in_order(message: Message, data: st.DataObject) -> None:
    assert inspect(data.draw(objects(message)), message) == NOTHING


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from([*POD.by_name, "name", "labels", "containers", "x"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)


@given(ANYTHING)
def test_any_json_has_findings_that_can_be_said(document: Any) -> None:
    for message in (POD, CRD):
        findings = inspect(document, message)
        assert all(one.message for one in findings.mistyped)
        assert (findings.error is None) == (not findings.mistyped)
        orjson.dumps([findings.error, *findings.unknown])
