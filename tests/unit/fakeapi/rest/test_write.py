"""create, update, patch, delete and the sub-resources, over HTTP."""

from typing import Any

import pytest

from tests.support import protobuf
from tests.unit.fakeapi.registry.bench import pod
from tests.unit.fakeapi.rest.client import (
    CONFIGS,
    DEPLOYMENTS,
    JSON_PATCH,
    LEASES,
    MERGE_PATCH,
    NODES,
    PODS,
    STRATEGIC_PATCH,
    YAML,
    Client,
    Json,
    created,
    fine,
)

UNNAMED = "the name of the object (a based on URL) was undeterminable: name must be provided"
MISNAMED = "the name of the object (b) does not match the name on the URL (a)"
ELSEWHERE = "the namespace of the provided object does not match the namespace sent on the request"


def config(name: str = "a", **data: str) -> Json:
    return {"metadata": {"name": name}, "data": data}


# ---- create ----


def test_create_answers_the_stored_object(client: Client) -> None:
    made = created(client.post(CONFIGS, config(k="v")))
    assert made["metadata"]["resourceVersion"] == str(client.revision)
    assert made["metadata"]["namespace"] == "default"
    assert client.get(f"{CONFIGS}/a").json == made


def test_create_from_yaml_and_protobuf(client: Client) -> None:
    created(client.post(CONFIGS, b"metadata: {name: y}\ndata: {k: v}\n", YAML))
    raw = protobuf.body("v1", "ConfigMap", [(1, [(1, "p")]), (2, [(1, "k"), (2, "v")])])
    created(client.post(CONFIGS, raw, protobuf.CONTENT_TYPE))
    assert [item["data"] for item in client.get(CONFIGS).json["items"]] == [{"k": "v"}] * 2


def test_create_with_a_generated_name(client: Client) -> None:
    made = created(client.post(CONFIGS, {"metadata": {"generateName": "c-"}}))
    assert made["metadata"]["name"].startswith("c-")
    assert len(made["metadata"]["name"]) == len("c-") + 5


@pytest.mark.parametrize(
    ("url", "body", "code", "reason"),
    [
        (CONFIGS, b"{", 400, "BadRequest"),
        (CONFIGS, b"", 400, "BadRequest"),
        (CONFIGS, [], 400, "BadRequest"),
        (CONFIGS, {"kind": "Pod", "apiVersion": "v1"}, 400, "BadRequest"),
        (CONFIGS, {"apiVersion": "v9"}, 400, "BadRequest"),
        (CONFIGS, {"data": {"a": 5}}, 400, "BadRequest"),
        (CONFIGS, {}, 422, "Invalid"),
        (CONFIGS, config("UPPER"), 422, "Invalid"),
        (CONFIGS, {"metadata": {"name": "a", "namespace": "elsewhere"}}, 400, "BadRequest"),
        (f"{CONFIGS}?dryRun=Some", config(), 422, "Invalid"),
        (f"{CONFIGS}?fieldValidation=Perhaps", config(), 422, "Invalid"),
        (f"{CONFIGS}?fieldValidation=Strict", {**config(), "foo": 1}, 400, "BadRequest"),
        ("/api/v1/namespaces/nowhere/configmaps", config(), 404, "NotFound"),
        ("/api/v1/configmaps", config(), 405, "MethodNotAllowed"),
        (f"{CONFIGS}/a", config(), 405, "MethodNotAllowed"),
    ],
)
def test_creations_that_are_refused(client: Client, url: str, body: Any, code: int, reason: str) -> None:
    assert client.refused(code, "POST", url, body)["reason"] == reason


def test_a_name_is_taken_once(client: Client) -> None:
    client.config("a")
    assert client.refused(409, "POST", CONFIGS, config())["reason"] == "AlreadyExists"


def test_another_namespace_is_named(client: Client) -> None:
    body = {"metadata": {"name": "a", "namespace": "elsewhere"}}
    assert client.refused(400, "POST", CONFIGS, body)["message"] == ELSEWHERE


def test_the_namespace_of_a_cluster_wide_object_does_not_matter(client: Client) -> None:
    made = created(client.post(NODES, {"metadata": {"name": "n", "namespace": "default"}}))
    assert "namespace" not in made["metadata"]


def test_options_are_called_by_the_verb(client: Client) -> None:
    client.config("a")
    for method, url, content_type, kind in (
        ("POST", CONFIGS, "application/json", "CreateOptions"),
        ("PUT", f"{CONFIGS}/a", "application/json", "UpdateOptions"),
        ("PATCH", f"{CONFIGS}/a", MERGE_PATCH, "PatchOptions"),
        ("DELETE", f"{CONFIGS}/a", "application/json", "DeleteOptions"),
    ):
        body = None if method == "DELETE" else config()
        status = client.refused(422, method, f"{url}?dryRun=Some", body, content_type)
        assert status["details"]["kind"] == kind


def test_warnings_come_in_headers(client: Client) -> None:
    answer = client.post(CONFIGS, {**config(), "foo": 1, "metadata": {"name": "a", 'b"\\': 2}})
    assert answer.code == 201
    assert answer.warnings == [
        r'299 - "unknown field \"metadata.b\\\"\\\\\""',
        r'299 - "unknown field \"foo\""',
    ]
    assert client.post(f"{CONFIGS}?fieldValidation=Ignore", {**config("b"), "foo": 1}).warnings == []


def test_warnings_stay_in_their_line(client: Client) -> None:
    answer = client.post(CONFIGS, {**config(), "x\r\nset-cookie: y\u00e9\U0001f600": 1})
    (warning,) = answer.warnings
    assert answer.code == 201
    assert warning.isascii()
    assert warning.isprintable()


# ---- dry runs ----


def test_dry_runs_change_nothing_and_answer_as_if(client: Client) -> None:
    client.config("a")
    before = client.revision
    dry = "?dryRun=All"
    assert fine(client.post(f"{CONFIGS}{dry}", config("b")), 201)["metadata"]["name"] == "b"
    assert fine(client.put(f"{CONFIGS}/a{dry}", config(k="v")))["data"] == {"k": "v"}
    assert fine(client.patch(f"{CONFIGS}/a{dry}", {"data": {"k": "w"}}))["data"] == {"k": "w"}
    assert fine(client.delete(f"{CONFIGS}/a{dry}"))["status"] == "Success"
    assert fine(client.delete(f"{CONFIGS}/a", {"dryRun": ["All"]}))["status"] == "Success"
    assert fine(client.delete(f"{CONFIGS}{dry}"))["items"] != []
    assert fine(client.put(f"{LEASES}/l{dry}", {"metadata": {"name": "l"}}), 201)["kind"] == "Lease"
    assert client.revision == before
    assert client.get(CONFIGS).names == ["a"]


# ---- update ----


def test_update_replaces(client: Client) -> None:
    before = client.config("a", app="x")
    after = fine(client.put(f"{CONFIGS}/a", config(k="v")))
    assert after["data"] == {"k": "v"}
    assert "labels" not in after["metadata"]
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert int(after["metadata"]["resourceVersion"]) > int(before["metadata"]["resourceVersion"])


def test_an_update_that_changes_nothing_is_none(client: Client) -> None:
    before = client.config("a", app="x")
    assert fine(client.put(f"{CONFIGS}/a", before)) == before
    assert client.revision == int(before["metadata"]["resourceVersion"])


@pytest.mark.parametrize(
    ("metadata", "code", "message"),
    [
        ({}, 400, UNNAMED),
        ({"name": ""}, 400, UNNAMED),
        ({"name": "b"}, 400, MISNAMED),
        ({"name": "a", "namespace": "elsewhere"}, 400, ELSEWHERE),
        ({"name": "a", "resourceVersion": "1"}, 409, "the object has been modified"),
        ({"name": "a", "uid": "another"}, 409, "Precondition failed: UID in precondition: another"),
    ],
)
def test_an_update_of_another_object(client: Client, metadata: Json, code: int, message: str) -> None:
    client.config("a")
    assert message in client.refused(code, "PUT", f"{CONFIGS}/a", {"metadata": metadata})["message"]
    assert message in client.refused(code, "PUT", f"{CONFIGS}/a", {"metadata": metadata})["message"]


def test_names_are_looked_at_before_the_object(client: Client) -> None:
    assert client.refused(400, "PUT", f"{CONFIGS}/a", {"data": {}})["message"] == UNNAMED
    assert client.refused(400, "PUT", f"{CONFIGS}/a", config("b"))["message"] == MISNAMED
    assert client.refused(404, "PUT", f"{CONFIGS}/a", config("a"))["reason"] == "NotFound"
    assert client.refused(400, "PUT", f"{PODS}/a/status", {"status": {}})["message"] == UNNAMED
    assert client.refused(400, "PUT", f"{DEPLOYMENTS}/a/scale", {"spec": {}})["message"] == UNNAMED


def test_some_kinds_are_born_by_an_update(client: Client) -> None:
    lease = {"metadata": {"name": "l", "resourceVersion": "7"}, "spec": {"holderIdentity": "me"}}
    made = fine(client.put(f"{LEASES}/l", lease), 201)
    assert made["metadata"]["resourceVersion"] == str(client.revision)
    again = fine(client.put(f"{LEASES}/l", made))
    assert again == made


@pytest.mark.parametrize(
    ("url", "metadata", "code", "message"),
    [
        (f"{LEASES}/a", {"name": "b"}, 400, MISNAMED),
        (f"{LEASES}/a", {"name": "a", "uid": "u"}, 409, "UID in precondition: u, UID in object meta: "),
        (f"{LEASES}/UPPER", {"name": "UPPER"}, 422, "metadata.name"),
        (
            "/apis/coordination.k8s.io/v1/namespaces/nowhere/leases/a",
            {"name": "a"},
            404,
            'namespaces "nowhere" not found',
        ),
    ],
)
def test_or_are_not(client: Client, url: str, metadata: Json, code: int, message: str) -> None:
    assert message in client.refused(code, "PUT", url, {"metadata": metadata})["message"]


def test_a_patch_gives_birth_to_nothing(client: Client) -> None:
    client.refused(404, "PATCH", f"{LEASES}/l", {"spec": {}}, MERGE_PATCH)


def test_the_status_is_replaced_alone(client: Client) -> None:
    client.post(PODS, pod())
    body = {"metadata": {"name": "pod"}, "spec": {"nodeName": "x"}, "status": {"phase": "Running"}}
    after = fine(client.put(f"{PODS}/pod/status", body))
    assert after["status"]["phase"] == "Running"
    assert "nodeName" not in after["spec"]


# ---- patch ----


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        (MERGE_PATCH, {"data": {"k": "v"}}),
        (STRATEGIC_PATCH, {"data": {"k": "v"}}),
        (JSON_PATCH, [{"op": "add", "path": "/data", "value": {"k": "v"}}]),
    ],
)
def test_patches(client: Client, content_type: str, body: Any) -> None:
    client.config("a")
    assert fine(client.patch(f"{CONFIGS}/a", body, content_type))["data"] == {"k": "v"}
    assert client.get(f"{CONFIGS}/a").json["data"] == {"k": "v"}


@pytest.mark.parametrize(
    ("body", "content_type", "code", "reason"),
    [
        (b"", MERGE_PATCH, 400, "BadRequest"),
        (b"{", STRATEGIC_PATCH, 400, "BadRequest"),
        ([], MERGE_PATCH, 400, "BadRequest"),
        ({}, JSON_PATCH, 400, "BadRequest"),
        ([{"op": "test", "path": "/data", "value": 1}], JSON_PATCH, 422, "Invalid"),
        ({"data": {"a": 5}}, MERGE_PATCH, 422, "Invalid"),
        ({"kind": "Pod"}, MERGE_PATCH, 422, "Invalid"),
        ({"metadata": None}, MERGE_PATCH, 400, "BadRequest"),
        ({"metadata": {"name": None}}, MERGE_PATCH, 400, "BadRequest"),
        ({"metadata": {"name": "b"}}, MERGE_PATCH, 400, "BadRequest"),
        ({"metadata": {"namespace": "b"}}, MERGE_PATCH, 400, "BadRequest"),
        ({"metadata": {"resourceVersion": "1"}}, MERGE_PATCH, 409, "Conflict"),
        ({"metadata": {"labels": {"a b": "c"}}}, MERGE_PATCH, 422, "Invalid"),
        ({}, "application/json", 415, "UnsupportedMediaType"),
        ({}, "", 415, "UnsupportedMediaType"),
        ({}, "application/apply-patch+yaml", 501, "NotImplemented"),
    ],
)
def test_patches_that_are_refused(
    client: Client, body: Any, content_type: str, code: int, reason: str
) -> None:
    client.config("a")
    assert client.refused(code, "PATCH", f"{CONFIGS}/a", body, content_type)["reason"] == reason


def test_a_patch_may_be_forced_only_by_apply(client: Client) -> None:
    client.config("a")
    status = client.refused(422, "PATCH", f"{CONFIGS}/a?force=true", {}, MERGE_PATCH)
    assert "force: Forbidden" in status["message"]


def test_warnings_of_a_patch(client: Client) -> None:
    client.config("a")
    assert client.patch(f"{CONFIGS}/a", {"foo": 1}).warnings == [r'299 - "unknown field \"foo\""']
    assert client.refused(422, "PATCH", f"{CONFIGS}/a?fieldValidation=Strict", {"foo": 1}, MERGE_PATCH)
    assert client.patch(f"{CONFIGS}/a?fieldValidation=Ignore", {"foo": 1}).warnings == []


def test_a_patch_of_nothing_is_none(client: Client) -> None:
    before = client.config("a")
    for body, content_type in (({}, MERGE_PATCH), ({}, STRATEGIC_PATCH), ([], JSON_PATCH)):
        assert fine(client.patch(f"{CONFIGS}/a", body, content_type)) == before


def test_a_scheduler_s_patch_of_a_pod_s_status(client: Client) -> None:
    client.post(PODS, pod())
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    body = {"status": {"conditions": [condition], "nominatedNodeName": "n1"}}
    after = fine(client.patch(f"{PODS}/pod/status", body, STRATEGIC_PATCH))
    assert after["status"]["nominatedNodeName"] == "n1"
    assert after["status"]["phase"] == "Pending"
    assert condition.items() <= after["status"]["conditions"][0].items()
