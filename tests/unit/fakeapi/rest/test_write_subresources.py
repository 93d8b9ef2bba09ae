"""Sub-resources over HTTP: binding, eviction, scale; and reviews, which keep nothing."""

from typing import Any, Final

import pytest

from tests.unit.fakeapi.registry.bench import pod, workload
from tests.unit.fakeapi.rest.client import (
    DEPLOYMENTS,
    JSON_PATCH,
    MERGE_PATCH,
    PODS,
    STRATEGIC_PATCH,
    Client,
    Json,
    fine,
    running,
)

BUDGETS: Final = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
DONE: Final[Json] = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


def to(node: str = "n1", name: str = "pod", **metadata: str) -> Json:
    return {"metadata": {"name": name, **metadata}, "target": {"kind": "Node", "name": node}}


@pytest.mark.parametrize("url", [f"{PODS}/pod/binding", "/api/v1/namespaces/default/bindings"])
def test_binding(client: Client, url: str) -> None:
    client.post(PODS, pod())
    assert fine(client.post(url, to()), 201) == DONE
    assert client.get(f"{PODS}/pod").json["spec"]["nodeName"] == "n1"
    assert client.refused(409, "POST", url, to("n2"))["reason"] == "Conflict"


@pytest.mark.parametrize("url", [f"{PODS}/pod/binding", "/api/v1/namespaces/default/bindings"])
@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", 400),
        ({"kind": "Pod"}, 400),
        ({"metadata": {"name": "pod"}}, 422),
        ({"metadata": {"name": "pod"}, "target": "n1"}, 400),
        ({"metadata": {"name": "pod", "namespace": "elsewhere"}, "target": {"name": "n1"}}, 400),
        (to(uid="another"), 409),
    ],
)
def test_bindings_that_are_refused(client: Client, url: str, body: Any, code: int) -> None:
    client.post(PODS, pod())
    client.refused(code, "POST", url, body)


def test_a_binding_of_nobody(client: Client) -> None:
    client.refused(404, "POST", f"{PODS}/nobody/binding", to(name="nobody"))


def test_a_dry_run_of_a_binding(client: Client) -> None:
    client.post(PODS, pod())
    before = client.revision
    assert client.post(f"{PODS}/pod/binding?dryRun=All", to()).code == 201
    assert client.revision == before


def test_eviction(client: Client) -> None:
    running(client)
    assert fine(client.post(f"{PODS}/pod/eviction", {"metadata": {"name": "pod"}}), 201) == DONE
    assert "deletionTimestamp" in client.get(f"{PODS}/pod").json["metadata"]


def test_an_eviction_that_a_budget_forbids(client: Client) -> None:
    body = pod(nodeName="n1")
    body["metadata"]["labels"] = {"a": "b"}
    client.post(PODS, body)
    fine(client.patch(f"{PODS}/pod/status", {"status": {"phase": "Running"}}))
    selector = {"matchLabels": {"a": "b"}}
    client.post(BUDGETS, {"metadata": {"name": "b"}, "spec": {"minAvailable": 1, "selector": selector}})
    status = client.refused(429, "POST", f"{PODS}/pod/eviction", {"metadata": {"name": "pod"}})
    assert status["reason"] == "TooManyRequests"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", 400),
        ({"kind": "Binding"}, 400),
        ({"metadata": {"name": "other"}}, 400),
        ({"metadata": {"name": "pod", "namespace": "elsewhere"}}, 400),
        ({"metadata": {"name": "pod"}, "deleteOptions": {"preconditions": {"uid": "another"}}}, 409),
    ],
)
def test_evictions_that_are_refused(client: Client, body: Any, code: int) -> None:
    client.post(PODS, pod(nodeName="n1"))
    client.refused(code, "POST", f"{PODS}/pod/eviction", body)


def test_scale(client: Client) -> None:
    client.post(DEPLOYMENTS, workload("d", replicas=2))
    scale = fine(client.get(f"{DEPLOYMENTS}/d/scale"))
    assert (scale["kind"], scale["apiVersion"], scale["spec"]) == (
        "Scale",
        "autoscaling/v1",
        {"replicas": 2},
    )
    assert fine(client.put(f"{DEPLOYMENTS}/d/scale", {**scale, "spec": {"replicas": 3}}))["spec"] == {
        "replicas": 3
    }
    for content_type, body in (
        (MERGE_PATCH, {"spec": {"replicas": 4}}),
        (STRATEGIC_PATCH, {"spec": {"replicas": 5}}),
        (JSON_PATCH, [{"op": "replace", "path": "/spec/replicas", "value": 6}]),
    ):
        fine(client.patch(f"{DEPLOYMENTS}/d/scale", body, content_type))
    assert client.get(f"{DEPLOYMENTS}/d").json["spec"]["replicas"] == 6


@pytest.mark.parametrize(
    ("method", "body", "content_type", "code"),
    [
        ("PUT", {"metadata": {"name": "d"}, "spec": {"replicas": -1}}, "application/json", 422),
        ("PUT", {"metadata": {"name": "e"}, "spec": {"replicas": 1}}, "application/json", 400),
        ("PUT", {"kind": "Deployment", "metadata": {"name": "d"}}, "application/json", 400),
        (
            "PUT",
            {"metadata": {"name": "d", "resourceVersion": "1"}, "spec": {"replicas": 1}},
            "application/json",
            409,
        ),
        ("PATCH", {"spec": {"replicas": -1}}, MERGE_PATCH, 422),
        ("PATCH", {"spec": {"replicas": "x"}}, MERGE_PATCH, 422),
        ("PATCH", {"metadata": {"name": "e"}}, MERGE_PATCH, 400),
    ],
)
def test_scales_that_are_refused(
    client: Client, method: str, body: Any, content_type: str, code: int
) -> None:
    client.post(DEPLOYMENTS, workload("d", replicas=2))
    client.refused(code, method, f"{DEPLOYMENTS}/d/scale", body, content_type)


def test_reviews_answer_and_keep_nothing(client: Client) -> None:
    before = client.revision
    url = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    answer = fine(client.post(url, {"spec": {"resourceAttributes": {"verb": "get"}}}), 201)
    assert answer["status"]["allowed"] is True
    assert client.revision == before
