"""What kubectl looks for in the documents, and that every reference in them leads somewhere."""

from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from fakeapi.machinery.resources import BUILTIN, Resource, ResourceTable, builtin_table
from fakeapi.machinery.status import StatusError
from fakeapi.rest.openapi import V2_PROTOBUF, V2_PROTOBUF_OLD, document

POD = {"group": "", "version": "v1", "kind": "Pod"}
TABLE = ResourceTable(
    [
        Resource("", "v1", "pods", "Pod", True, subresources=("binding", "status")),
        Resource("", "v1", "nodes", "Node", False),
        Resource("apps", "v1", "deployments", "Deployment", True, subresources=("scale",)),
        Resource("widgets.example.com", "v1alpha1", "widgets", "Widget", True),
        Resource("authentication.k8s.io", "v1", "tokenreviews", "TokenReview", False, verbs=("create",)),
    ]
)


def read(path: str, accept: str = "application/json", table: ResourceTable = TABLE) -> dict[str, Any]:
    found = document(table, path, accept)
    assert found is not None
    body, content_type = found
    assert content_type == b"application/json"
    loaded: dict[str, Any] = orjson.loads(body)
    return loaded


def parameters(operation: dict[str, Any]) -> set[str]:
    return {one["name"] for one in operation["parameters"] if one["in"] == "query"}


def test_the_index_leads_to_a_document_for_every_api_version() -> None:
    index = read("/openapi/v3")["paths"]
    assert list(index) == [
        "api/v1",
        "apis/apps/v1",
        "apis/authentication.k8s.io/v1",
        "apis/widgets.example.com/v1alpha1",
    ]
    for path, entry in index.items():
        address, _, query = entry["serverRelativeURL"].partition("?")
        assert address == f"/openapi/v3/{path}"
        assert query.startswith("hash=")
        assert read(address)["openapi"] == "3.0.0"


def test_the_hash_in_the_index_changes_with_the_document_and_only_then() -> None:
    table = builtin_table()
    before = read("/openapi/v3", table=table)["paths"]
    table.add(Resource("apps", "v1", "gadgets", "Gadget", True))
    after = read("/openapi/v3", table=table)["paths"]
    assert {path for path in after if after[path] != before[path]} == {"apis/apps/v1"}


@pytest.mark.parametrize("path", ["/openapi", "/openapi/v1", "/openapi/v3/apis/none/v1", "/openapi/v3/api"])
def test_there_is_no_document_at_other_paths(path: str) -> None:
    assert document(TABLE, path, "application/json") is None


def test_a_patch_takes_field_validation_and_dry_runs_and_says_of_which_kind_it_is() -> None:
    patch = read("/openapi/v3/api/v1")["paths"]["/api/v1/namespaces/{namespace}/pods/{name}"]["patch"]
    assert patch["x-kubernetes-group-version-kind"] == POD
    assert patch["x-kubernetes-action"] == "patch"
    assert parameters(patch) == {"dryRun", "fieldManager", "fieldValidation", "force"}
    assert "application/strategic-merge-patch+json" in patch["requestBody"]["content"]


def test_a_kind_that_kubernetes_does_not_define_takes_no_strategic_merge() -> None:
    paths = read("/openapi/v3/apis/widgets.example.com/v1alpha1")["paths"]
    patch = paths["/apis/widgets.example.com/v1alpha1/namespaces/{namespace}/widgets/{name}"]["patch"]
    assert "application/strategic-merge-patch+json" not in patch["requestBody"]["content"]
    assert "application/merge-patch+json" in patch["requestBody"]["content"]


def test_paths_of_a_resource_and_what_can_be_done_there() -> None:
    paths = read("/openapi/v3/api/v1")["paths"]
    methods = {path: set(entry) - {"parameters"} for path, entry in paths.items()}
    assert methods == {
        "/api/v1/pods": {"get"},
        "/api/v1/namespaces/{namespace}/pods": {"get", "post", "delete"},
        "/api/v1/namespaces/{namespace}/pods/{name}": {"get", "put", "patch", "delete"},
        "/api/v1/namespaces/{namespace}/pods/{name}/binding": {"post"},
        "/api/v1/namespaces/{namespace}/pods/{name}/status": {"get", "put", "patch"},
        "/api/v1/nodes": {"get", "post", "delete"},
        "/api/v1/nodes/{name}": {"get", "put", "patch", "delete"},
    }
    assert [one["name"] for one in paths["/api/v1/nodes/{name}"]["parameters"]] == ["name"]
    assert {"watch", "labelSelector", "fieldSelector", "limit"} <= parameters(paths["/api/v1/pods"]["get"])


def test_a_resource_that_is_only_created_has_no_other_operation() -> None:
    paths = read("/openapi/v3/apis/authentication.k8s.io/v1")["paths"]
    assert set(paths["/apis/authentication.k8s.io/v1/tokenreviews"]) == {"post", "parameters"}


def test_a_sub_resource_has_the_kind_that_it_exchanges() -> None:
    paths = read("/openapi/v3/apis/apps/v1")["paths"]
    scale = paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale"]["get"]
    kind = {"group": "autoscaling", "version": "v1", "kind": "Scale"}
    assert scale["x-kubernetes-group-version-kind"] == kind


def references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "$ref":
                yield inner
            else:
                yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def test_every_reference_leads_to_a_schema_and_every_operation_has_its_own_identifier() -> None:
    for path in read("/openapi/v3", table=BUILTIN)["paths"]:
        found = read(f"/openapi/v3/{path}", table=BUILTIN)
        schemas = {f"#/components/schemas/{name}" for name in found["components"]["schemas"]}
        assert set(references(found)) <= schemas
        identifiers = [
            operation["operationId"]
            for entry in found["paths"].values()
            for method, operation in entry.items()
            if method != "parameters"
        ]
        assert len(identifiers) == len(set(identifiers))


def test_schemas_carry_what_a_strategic_merge_needs() -> None:
    schemas = read("/openapi/v3/api/v1")["components"]["schemas"]
    pod = schemas["io.k8s.api.core.v1.Pod"]
    assert pod["x-kubernetes-group-version-kind"] == [POD]
    assert set(pod["properties"]) == {"apiVersion", "kind", "metadata", "spec", "status"}
    containers = schemas["io.k8s.api.core.v1.PodSpec"]["properties"]["containers"]
    assert containers["x-kubernetes-patch-merge-key"] == "name"
    assert containers["x-kubernetes-patch-strategy"] == "merge"
    assert containers["items"] == {"$ref": "#/components/schemas/io.k8s.api.core.v1.Container"}
    assert schemas["io.k8s.api.core.v1.PodSpec"]["required"] == ["containers"]
    quantity = schemas["io.k8s.apimachinery.pkg.api.resource.Quantity"]
    assert quantity == {"oneOf": [{"type": "string"}, {"type": "number"}]}
    deployments = read("/openapi/v3/apis/apps/v1")["components"]["schemas"]
    strategy = deployments["io.k8s.api.apps.v1.DeploymentSpec"]["properties"]["strategy"]
    assert strategy == {
        "allOf": [{"$ref": "#/components/schemas/io.k8s.api.apps.v1.DeploymentStrategy"}],
        "x-kubernetes-patch-strategy": "retainKeys",
    }


def test_an_unknown_kind_has_a_schema_that_leaves_it_open() -> None:
    schemas = read("/openapi/v3/apis/widgets.example.com/v1alpha1")["components"]["schemas"]
    widget = schemas["com.example.widgets.v1alpha1.Widget"]
    assert widget["x-kubernetes-preserve-unknown-fields"] is True
    kind = {"group": "widgets.example.com", "version": "v1alpha1", "kind": "Widget"}
    assert widget["x-kubernetes-group-version-kind"] == [kind]


def test_version_2_has_the_same_operations_and_no_definitions() -> None:
    swagger = read("/openapi/v2", "")
    assert (swagger["swagger"], swagger["definitions"]) == ("2.0", {})
    patch = swagger["paths"]["/api/v1/namespaces/{namespace}/pods/{name}"]["patch"]
    assert parameters(patch) == {"dryRun", "fieldManager", "fieldValidation", "force"}
    assert patch["x-kubernetes-group-version-kind"] == POD
    assert "application/strategic-merge-patch+json" in patch["consumes"]
    every_path = {
        path for entry in read("/openapi/v3")["paths"] for path in read(f"/openapi/v3/{entry}")["paths"]
    }
    assert set(swagger["paths"]) == every_path


@pytest.mark.parametrize(
    ("path", "accept"),
    [
        ("/openapi/v2", "application/vnd.kubernetes.protobuf"),
        ("/openapi/v2", "text/html"),
        ("/openapi/v3/api/v1", "application/com.github.proto-openapi.spec.v3@v1.0+protobuf"),
    ],
)
def test_an_encoding_that_is_not_offered_is_406(path: str, accept: str) -> None:
    with pytest.raises(StatusError) as caught:
        document(TABLE, path, accept)
    assert caught.value.code == 406


# ---- protobuf -------------------------------------------------------------------------------------


def varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, position


def fields(data: bytes) -> dict[int, list[Any]]:
    """The fields of a message, without knowing it: numbers for varints, bytes for all else."""
    found: dict[int, list[Any]] = {}
    position = 0
    while position < len(data):
        tag, position = varint(data, position)
        number, position = varint(data, position)
        value: int | bytes = number
        if tag & 7 == 2:
            value, position = data[position : position + number], position + number
        else:
            assert tag & 7 == 0
        found.setdefault(tag >> 3, []).append(value)
    assert position == len(data)
    return found


def protobuf_paths() -> dict[str, dict[int, list[Any]]]:
    found = document(TABLE, "/openapi/v2", V2_PROTOBUF)
    assert found is not None
    entries = [fields(entry) for entry in fields(fields(found[0])[8][0])[2]]
    return {entry[1][0].decode(): fields(entry[2][0]) for entry in entries}


@pytest.mark.parametrize("accept", [V2_PROTOBUF, V2_PROTOBUF_OLD])
def test_both_spellings_of_protobuf_are_answered_with_the_valid_one(accept: str) -> None:
    found = document(TABLE, "/openapi/v2", accept)
    assert found is not None
    assert found[1] == V2_PROTOBUF.encode()
    top = fields(found[0])
    assert top[1] == [b"2.0"]
    assert fields(top[2][0]) == {1: [b"Kubernetes"], 2: [b"1.37"]}
    assert 9 not in top, "no definitions"


def test_protobuf_has_every_path_and_method_of_the_json_document() -> None:
    methods = {"get": 2, "put": 3, "post": 4, "delete": 5, "patch": 8}
    in_json = {
        path: {methods[method] for method in entry if method in methods}
        for path, entry in read("/openapi/v2", "")["paths"].items()
    }
    in_protobuf = {path: set(item) & set(methods.values()) for path, item in protobuf_paths().items()}
    assert in_protobuf == in_json


def test_protobuf_says_of_a_patch_what_old_kubectls_look_for() -> None:
    item = protobuf_paths()["/api/v1/namespaces/{namespace}/pods/{name}"]
    patch = fields(item[8][0])
    assert patch[5] == [b"patchCoreV1NamespacedPod"]
    assert b"application/strategic-merge-patch+json" in patch[7]
    extensions = {fields(one)[1][0].decode(): fields(fields(one)[2][0])[2][0] for one in patch[13]}
    assert orjson.loads(extensions["x-kubernetes-group-version-kind"]) == POD
    kinds = [fields(fields(one)[1][0]) for one in patch[8]]
    queries = [fields(fields(kind[2][0])[3][0]) for kind in kinds if 2 in kind]
    assert {query[4][0] for query in queries} >= {b"dryRun", b"fieldValidation"}
    assert {query[2][0] for query in queries} == {b"query"}
    (body,) = (fields(kind[1][0]) for kind in kinds if 1 in kind)
    assert (body[2], body[3], body[4]) == ([b"body"], [b"body"], [1])
    place = [fields(fields(fields(fields(one)[1][0])[2][0])[4][0]) for one in item[9]]
    assert [(found[4][0], found[1][0]) for found in place] == [(b"name", 1), (b"namespace", 1)]
