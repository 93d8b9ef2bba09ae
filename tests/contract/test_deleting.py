"""Deletion: what is answered, preconditions, grace, finalizers, propagation, whole collections."""

import pytest

from tests.support.api import MERGE_PATCH, Api, assert_refused, refused


def _bound_pod(api: Api, name: str = "pod") -> str:
    """Create a pod on a node of its own; the pod's name."""
    api.create_pod(name, spec={"nodeName": api.create_node()})
    return name


def test_a_pod_without_a_node_is_gone_at_once(api: Api) -> None:
    created = api.create_pod("a")
    deleted = api.core.delete_namespaced_pod("a", api.namespace)
    assert deleted.metadata.uid == created.metadata.uid
    with refused(404, "NotFound"):
        api.core.read_namespaced_pod("a", api.namespace)


def test_a_deletion_answers_a_status_that_names_what_is_gone(api: Api) -> None:
    created = api.create_config()
    status = api.raw.delete(api.path("configmaps", "config")).json()
    assert (status["kind"], status["status"]) == ("Status", "Success")
    assert status["details"] == {"name": "config", "kind": "configmaps", "uid": created.metadata.uid}
    with refused(404, "NotFound"):
        api.core.delete_namespaced_config_map("config", api.namespace)


def test_a_name_is_free_again_and_its_next_owner_another_object(api: Api) -> None:
    first = api.create_config()
    api.core.delete_namespaced_config_map("config", api.namespace)
    assert api.create_config().metadata.uid != first.metadata.uid


def test_a_pod_on_a_node_ends_gracefully(api: Api) -> None:
    deleted = api.core.delete_namespaced_pod(_bound_pod(api), api.namespace)
    assert deleted.metadata.deletion_timestamp
    assert deleted.metadata.deletion_grace_period_seconds == 30
    assert api.core.read_namespaced_pod("pod", api.namespace).metadata.deletion_timestamp


def test_a_chosen_grace_is_kept(api: Api) -> None:
    deleted = api.core.delete_namespaced_pod(_bound_pod(api), api.namespace, grace_period_seconds=3600)
    assert deleted.metadata.deletion_grace_period_seconds == 3600


def test_grace_can_be_shortened_but_not_lengthened(api: Api) -> None:
    name = _bound_pod(api)
    api.core.delete_namespaced_pod(name, api.namespace, grace_period_seconds=600)
    longer = api.core.delete_namespaced_pod(name, api.namespace, grace_period_seconds=3600)
    assert longer.metadata.deletion_grace_period_seconds == 600
    shorter = api.core.delete_namespaced_pod(name, api.namespace, grace_period_seconds=300)
    assert shorter.metadata.deletion_grace_period_seconds == 300


def test_no_grace_removes_a_pod_on_a_node_at_once(api: Api) -> None:
    api.core.delete_namespaced_pod(_bound_pod(api), api.namespace, grace_period_seconds=0)
    assert api.names() == []


def test_options_may_come_in_the_body(api: Api) -> None:
    body = {"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0}
    api.core.delete_namespaced_pod(_bound_pod(api), api.namespace, body=body)
    assert api.names() == []


@pytest.mark.parametrize("field", ["uid", "resourceVersion"])
def test_a_precondition_that_does_not_hold_is_a_conflict(api: Api, field: str) -> None:
    api.create_config()
    with refused(409, "Conflict"):
        api.core.delete_namespaced_config_map("config", api.namespace, body={"preconditions": {field: "7"}})
    api.core.read_namespaced_config_map("config", api.namespace)


def test_preconditions_that_hold(api: Api) -> None:
    created = api.create_config().metadata
    body = {"preconditions": {"uid": created.uid, "resourceVersion": created.resource_version}}
    api.core.delete_namespaced_config_map("config", api.namespace, body=body)
    assert api.core.list_namespaced_config_map(api.namespace).items == []


def test_a_finalizer_holds_the_object_until_it_is_removed(api: Api) -> None:
    api.create_config(finalizers=["example.com/hold"])
    api.core.delete_namespaced_config_map("config", api.namespace)
    held = api.core.read_namespaced_config_map("config", api.namespace)
    assert held.metadata.deletion_timestamp
    api.core.patch_namespaced_config_map(
        "config",
        api.namespace,
        {"metadata": {"finalizers": None}},
        _content_type=MERGE_PATCH,
    )
    with refused(404, "NotFound"):
        api.core.read_namespaced_config_map("config", api.namespace)


def test_no_finalizer_can_be_added_to_an_ending_object(api: Api) -> None:
    api.create_config(finalizers=["example.com/hold"])
    api.core.delete_namespaced_config_map("config", api.namespace)
    with refused(422, "Invalid"):
        api.core.patch_namespaced_config_map(
            "config", api.namespace, {"metadata": {"finalizers": ["example.com/hold", "example.com/more"]}}
        )


@pytest.mark.parametrize(
    ("policy", "finalizer"), [("Foreground", "foregroundDeletion"), ("Orphan", "orphan")]
)
def test_propagation_that_waits_is_a_finalizer(api: Api, policy: str, finalizer: str) -> None:
    api.create_config(finalizers=["example.com/hold"])
    path = f"{api.path('configmaps', 'config')}?propagationPolicy={policy}"
    deleted = api.raw.delete(path).json()
    assert sorted(deleted["metadata"]["finalizers"]) == sorted(["example.com/hold", finalizer])


def test_an_unknown_propagation_is_refused(api: Api) -> None:
    api.create_config()
    response = api.raw.delete(f"{api.path('configmaps', 'config')}?propagationPolicy=Sideways")
    assert response.status_code in {400, 422}
    assert response.json()["kind"] == "Status"
    api.core.read_namespaced_config_map("config", api.namespace)


def test_a_dry_run_deletes_nothing(api: Api) -> None:
    api.create_config()
    api.core.delete_namespaced_config_map("config", api.namespace, dry_run="All")
    api.core.read_namespaced_config_map("config", api.namespace)


def test_a_collection_is_deleted_by_selector(api: Api) -> None:
    for name, app in (("a", "train"), ("b", "train"), ("c", "serve")):
        api.create_pod(name, labels={"app": app})
    deleted = api.raw.delete(f"{api.path('pods')}?labelSelector=app%3Dtrain").json()
    assert deleted["kind"] == "PodList"
    assert [item["metadata"]["name"] for item in deleted["items"]] == ["a", "b"]
    assert api.names() == ["c"]


def test_a_collection_ends_gracefully_where_its_objects_do(api: Api) -> None:
    _bound_pod(api, "a")
    api.core.delete_collection_namespaced_pod(api.namespace, grace_period_seconds=3600)
    (ending,) = api.core.list_namespaced_pod(api.namespace).items
    assert ending.metadata.deletion_grace_period_seconds == 3600


def test_a_namespace_ends(api: Api) -> None:
    api.create_config()
    answered = api.raw.delete(f"/api/v1/namespaces/{api.namespace}").json()
    assert answered["kind"] in {"Namespace", "Status"}
    response = api.raw.post(api.path("configmaps"), json={"metadata": {"name": "late"}})
    assert response.status_code in {403, 404}, "nothing new in a namespace that ends"
    assert_refused(response, response.status_code, {403: "Forbidden", 404: "NotFound"}[response.status_code])


def test_the_default_namespace_stays(api: Api) -> None:
    with refused(403, "Forbidden") as refusal:
        api.core.delete_namespace("default")
    assert "may not be deleted" in refusal.message
