"""Deletion of one object and of a collection, over HTTP."""

from typing import Any

import pytest

from fakeapi.machinery.resources import builtin
from tests.unit.fakeapi.registry.bench import pod
from tests.unit.fakeapi.rest.client import CONFIGS, PODS, Client, fine, running


def test_delete_answers_a_status_or_the_object(client: Client) -> None:
    made = client.config("a")
    assert fine(client.delete(f"{CONFIGS}/a")) == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {"name": "a", "kind": "configmaps", "uid": made["metadata"]["uid"]},
    }
    client.post(PODS, pod())
    gone = fine(client.delete(f"{PODS}/pod"))
    assert (gone["kind"], gone["metadata"]["deletionGracePeriodSeconds"]) == ("Pod", 0)
    for url in (f"{CONFIGS}/a", f"{PODS}/pod"):
        assert client.refused(404, "DELETE", url)["reason"] == "NotFound"


@pytest.mark.parametrize(
    ("query", "body"), [("?gracePeriodSeconds=7", None), ("", {"gracePeriodSeconds": 7}), ("", b"{}")]
)
def test_a_pod_on_a_node_ends_gracefully(client: Client, query: str, body: Any) -> None:
    running(client, terminationGracePeriodSeconds=7)
    ending = fine(client.delete(f"{PODS}/pod{query}", body))
    assert ending["metadata"]["deletionGracePeriodSeconds"] == 7
    assert client.get(f"{PODS}/pod").json == ending


@pytest.mark.parametrize(
    ("url", "body", "code", "reason"),
    [
        (f"{CONFIGS}/a?gracePeriodSeconds=x", None, 400, "BadRequest"),
        (f"{CONFIGS}/a?gracePeriodSeconds=", None, 400, "BadRequest"),
        (f"{CONFIGS}/a?propagationPolicy=Sideways", None, 422, "Invalid"),
        (f"{CONFIGS}/a?propagationPolicy=", None, 422, "Invalid"),
        (f"{CONFIGS}/a?propagationPolicy=Orphan&orphanDependents=true", None, 422, "Invalid"),
        (f"{CONFIGS}/a", b"{", 400, "BadRequest"),
        (f"{CONFIGS}/a", [], 400, "BadRequest"),
        (f"{CONFIGS}/a", {"kind": "Pod", "apiVersion": "v1"}, 400, "BadRequest"),
        (f"{CONFIGS}/a", {"gracePeriodSeconds": "5"}, 400, "BadRequest"),
        (f"{CONFIGS}/a", {"propagationPolicy": "Sideways"}, 422, "Invalid"),
        (f"{CONFIGS}/a", {"dryRun": ["Some"]}, 422, "Invalid"),
        (f"{CONFIGS}/a", {"preconditions": {"uid": "another"}}, 409, "Conflict"),
        (f"{CONFIGS}/a", {"preconditions": {"resourceVersion": "1"}}, 409, "Conflict"),
        ("/api/v1/namespaces/default", None, 403, "Forbidden"),
    ],
)
def test_deletions_that_are_refused(client: Client, url: str, body: Any, code: int, reason: str) -> None:
    client.config("a")
    assert client.refused(code, "DELETE", url, body)["reason"] == reason


def test_options_of_a_deletion_in_the_query(client: Client) -> None:
    client.config("a")
    assert fine(client.delete(f"{CONFIGS}/a?orphanDependents=false"))["status"] == "Success"
    client.config("b")
    ending = fine(client.delete(f"{CONFIGS}/b?propagationPolicy=Foreground"))
    assert ending["metadata"]["finalizers"] == ["foregroundDeletion"]


# ---- delete of a collection ----


def test_a_collection_is_deleted_by_its_selectors(client: Client) -> None:
    for name, app in (("a", "x"), ("b", "y"), ("c", "x")):
        client.config(name, app=app)
    before = client.get(f"{CONFIGS}?labelSelector=app%3Dx").json
    answer = fine(client.delete(f"{CONFIGS}?labelSelector=app%3Dx"))
    assert answer == before, "as they were when they were chosen"
    assert client.get(CONFIGS).names == ["b"]
    assert fine(client.delete(CONFIGS))["items"][0]["metadata"]["name"] == "b"
    assert client.get(CONFIGS).names == []


def test_a_limit_of_a_deletion_is_kept(client: Client) -> None:
    for name in ("a", "b", "c"):
        client.config(name)
    client.delete(f"{CONFIGS}?limit=2")
    assert client.get(CONFIGS).names == ["c"]


def test_what_is_gone_already_stops_nobody(client: Client) -> None:
    for name in ("a", "b", "c"):
        client.config(name)
    store, configs, keys = client.world.store, builtin("configmaps").storage_key, [("default", "b")]

    def also_b(collection: str, _: object) -> None:
        if collection == configs and keys:
            store.delete(collection, keys.pop())

    store.listen(also_b)
    assert fine(client.delete(CONFIGS))["items"]
    assert client.get(CONFIGS).names == []


@pytest.mark.parametrize(
    ("query", "body", "code"),
    [
        ("?labelSelector=!!", None, 400),
        ("?fieldSelector=spec.nothing%3D1", None, 400),
        ("?limit=x", None, 400),
        ("?sendInitialEvents=true", None, 422),
        ("?dryRun=Some", None, 422),
        ("", b"{", 400),
        ("", {"propagationPolicy": "Sideways"}, 422),
    ],
)
def test_collections_that_stay(client: Client, query: str, body: Any, code: int) -> None:
    client.config("a")
    client.refused(code, "DELETE", f"{CONFIGS}{query}", body)


def test_what_every_cluster_has_stays_in_any_case(client: Client) -> None:
    classes = "/apis/scheduling.k8s.io/v1/priorityclasses"
    assert client.refused(403, "DELETE", classes)["reason"] == "Forbidden"
    assert client.get(classes).names == ["system-cluster-critical", "system-node-critical"]
