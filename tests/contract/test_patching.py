"""JSON, merge and strategic-merge patches, and what each refuses."""

from typing import Any

import pytest

from tests.support.api import MERGE_PATCH, Api, JsonObject, assert_refused, refused

JSON_PATCH = "application/json-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"


def _patch_config(api: Api, body: Any, content_type: str, **options: Any) -> Any:
    return api.core.patch_namespaced_config_map(
        "config", api.namespace, body, _content_type=content_type, **options
    )


def _patch_pod(api: Api, body: Any, content_type: str) -> Any:
    return api.core.patch_namespaced_pod("pod", api.namespace, body, _content_type=content_type)


def test_json_patch(api: Api) -> None:
    api.create_config()
    patched = _patch_config(
        api,
        [
            {"op": "test", "path": "/data/key", "value": "value"},
            {"op": "replace", "path": "/data/key", "value": "new"},
            {"op": "add", "path": "/data/more", "value": "1"},
            {"op": "add", "path": "/metadata/labels", "value": {"app": "train"}},
        ],
        JSON_PATCH,
    )
    assert patched.data == {"key": "new", "more": "1"}
    assert patched.metadata.labels == {"app": "train"}


def test_a_failed_test_of_a_json_patch_changes_nothing(api: Api) -> None:
    api.create_config()
    steps = [
        {"op": "add", "path": "/data/more", "value": "1"},
        {"op": "test", "path": "/data/key", "value": "other"},
    ]
    with refused(422, "Invalid"):
        _patch_config(api, steps, JSON_PATCH)
    assert api.core.read_namespaced_config_map("config", api.namespace).data == {"key": "value"}


def test_merge_patch_sets_and_removes(api: Api) -> None:
    api.create_config(labels={"app": "train", "tier": "gold"})
    patched = _patch_config(api, {"metadata": {"labels": {"tier": None}}, "data": {"more": "1"}}, MERGE_PATCH)
    assert patched.metadata.labels == {"app": "train"}
    assert patched.data == {"key": "value", "more": "1"}


def test_merge_patch_replaces_lists(api: Api) -> None:
    api.create_config(finalizers=["example.com/a"])
    patched = _patch_config(api, {"metadata": {"finalizers": ["example.com/b"]}}, MERGE_PATCH)
    assert patched.metadata.finalizers == ["example.com/b"]


def test_strategic_merge_patch_merges_lists_by_their_key(api: Api) -> None:
    api.create_pod()
    patched = _patch_pod(
        api,
        {"spec": {"containers": [{"name": "main", "image": "registry.example/train:2"}]}},
        STRATEGIC_PATCH,
    )
    assert len(patched.spec.containers) == 1
    assert patched.spec.containers[0].image == "registry.example/train:2"
    assert patched.spec.containers[0].resources.requests == {"cpu": "100m", "memory": "64Mi"}


def test_strategic_merge_patch_of_conditions_merges_by_type(api: Api) -> None:
    """How a scheduler says why a pod waits."""
    api.create_pod()

    def say(condition: JsonObject) -> Any:
        body = {"status": {"conditions": [condition]}}
        return api.core.patch_namespaced_pod_status("pod", api.namespace, body, _content_type=STRATEGIC_PATCH)

    waiting = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "no room"}
    say({"type": "Own", "status": "True"})
    say(waiting)
    patched = say({"type": "PodScheduled", "status": "False", "message": "still no room"})
    found = {condition.type: condition for condition in patched.status.conditions}
    assert found["Own"].status == "True"
    assert (found["PodScheduled"].reason, found["PodScheduled"].message) == ("Unschedulable", "still no room")


def test_strategic_merge_patch_removes_a_list_entry_by_directive(api: Api) -> None:
    api.create_pod(finalizers=["example.com/a", "example.com/b"])
    body = {"metadata": {"$deleteFromPrimitiveList/finalizers": ["example.com/a"]}}
    assert _patch_pod(api, body, STRATEGIC_PATCH).metadata.finalizers == ["example.com/b"]


def test_strategic_merge_patch_replaces_a_map_by_directive(api: Api) -> None:
    api.create_pod(labels={"app": "train"})
    body = {"metadata": {"labels": {"$patch": "replace", "tier": "gold"}}}
    assert _patch_pod(api, body, STRATEGIC_PATCH).metadata.labels == {"tier": "gold"}


def test_tolerations_may_be_added_by_a_patch(api: Api) -> None:
    created = api.create_pod()
    tolerations = [
        *({k: v for k, v in t.to_dict(serialize=True).items() if v} for t in created.spec.tolerations),
        {"key": "extra", "operator": "Exists"},
    ]
    patched = _patch_pod(api, {"spec": {"tolerations": tolerations}}, MERGE_PATCH)
    assert [toleration.key for toleration in patched.spec.tolerations][-1] == "extra"


def test_a_patch_with_an_old_version_is_a_conflict(api: Api) -> None:
    created = api.create_config()
    _patch_config(api, {"data": {"more": "1"}}, MERGE_PATCH)
    body = {"metadata": {"resourceVersion": created.metadata.resource_version}, "data": {"key": "mine"}}
    with refused(409, "Conflict"):
        _patch_config(api, body, MERGE_PATCH)


def test_a_patch_that_changes_nothing_keeps_the_version(api: Api) -> None:
    created = api.create_config()
    patched = _patch_config(api, {"data": {"key": "value"}}, MERGE_PATCH)
    assert patched.metadata.resource_version == created.metadata.resource_version


def test_a_dry_run_of_a_patch_keeps_the_old_object(api: Api) -> None:
    api.create_config()
    assert _patch_config(api, {"data": {"key": "new"}}, MERGE_PATCH, dry_run="All").data == {"key": "new"}
    assert api.core.read_namespaced_config_map("config", api.namespace).data == {"key": "value"}


def test_a_patch_of_an_unknown_name_is_not_found(api: Api) -> None:
    with refused(404, "NotFound"):
        _patch_config(api, {"data": {}}, MERGE_PATCH)


def test_a_patch_may_not_make_an_object_invalid(api: Api) -> None:
    api.create_pod()
    with refused(422, "Invalid"):
        _patch_pod(api, {"metadata": {"labels": {"app": "not a label!"}}}, MERGE_PATCH)


@pytest.mark.parametrize(
    ("content_type", "body", "code", "reason"),
    [
        ("application/json", b"{}", 415, "UnsupportedMediaType"),
        ("text/plain", b"{}", 415, "UnsupportedMediaType"),
        (JSON_PATCH, b"{}", 400, "BadRequest"),
        (JSON_PATCH, b'[{"op": "leap"}]', 422, "Invalid"),
        (JSON_PATCH, b'[{"op": "remove", "path": "/data/nothing"}]', 422, "Invalid"),
        (MERGE_PATCH, b"{", 400, "BadRequest"),
        (MERGE_PATCH, b"[]", 400, "BadRequest"),
        (STRATEGIC_PATCH, b"{", 400, "BadRequest"),
        (STRATEGIC_PATCH, b'"text"', 400, "BadRequest"),
    ],
)
def test_an_unreadable_patch_is_refused(
    api: Api, content_type: str, body: bytes, code: int, reason: str
) -> None:
    api.create_config()
    path, headers = api.path("configmaps", "config"), {"content-type": content_type}
    assert_refused(api.raw.patch(path, content=body, headers=headers), code, reason)
    assert api.core.read_namespaced_config_map("config", api.namespace).data == {"key": "value"}
