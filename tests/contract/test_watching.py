"""Watches through the Python client: what is told, in which order, from where on, and how a watch ends."""

import json
from typing import Any

from tests.support.api import Api, JsonObject


def _told(changes: list[tuple[str, Any]]) -> list[tuple[str, str]]:
    return [(kind, changed.metadata.name) for kind, changed in changes]


def _delete(api: Api, name: str) -> None:
    api.core.delete_namespaced_pod(name, api.namespace, grace_period_seconds=0)


def _now(api: Api) -> str:
    version: str = api.core.list_namespaced_pod(api.namespace).metadata.resource_version
    return version


def test_a_watch_tells_each_change_since_its_version_in_order(api: Api) -> None:
    start = _now(api)
    api.create_pod("a")
    api.create_pod("b")
    api.core.patch_namespaced_pod("a", api.namespace, {"metadata": {"labels": {"app": "train"}}})
    _delete(api, "b")
    changes = api.changes(start)
    marked, deleted = ("MODIFIED", "b"), ("DELETED", "b")
    assert _told(changes) == [("ADDED", "a"), ("ADDED", "b"), ("MODIFIED", "a"), marked, deleted]
    versions = [int(changed.metadata.resource_version) for _, changed in changes]
    assert versions == sorted(set(versions))
    assert changes[2][1].metadata.labels == {"app": "train"}


def test_a_watch_resumes_where_another_ended(api: Api) -> None:
    start = _now(api)
    api.create_pod("a")
    first = api.changes(start)
    api.create_pod("b")
    assert _told(api.changes(first[-1][1].metadata.resource_version)) == [("ADDED", "b")]


def test_a_watch_without_a_version_starts_with_what_exists(api: Api) -> None:
    api.create_pod("a")
    api.create_pod("b")
    assert sorted(_told(api.changes(""))) == [("ADDED", "a"), ("ADDED", "b")]


def test_a_watch_from_version_zero_starts_with_what_exists(api: Api) -> None:
    api.create_pod("a")
    assert _told(api.changes("0")) == [("ADDED", "a")]


def test_a_watch_of_another_namespace_hears_nothing(api: Api) -> None:
    start = _now(api)
    other = api.create_namespace()
    api.core.create_namespaced_config_map(other, {"metadata": {"name": "a"}})
    assert api.changes(start) == []


def test_an_object_that_leaves_the_selection_is_told_as_deleted(api: Api) -> None:
    start = _now(api)
    api.create_pod("a", labels={"app": "train"})
    api.create_pod("other")
    api.core.patch_namespaced_pod("a", api.namespace, {"metadata": {"labels": {"app": "done"}}})
    api.core.patch_namespaced_pod("a", api.namespace, {"metadata": {"labels": {"app": "train"}}})
    told = _told(api.changes(start, label_selector="app=train"))
    assert told == [("ADDED", "a"), ("DELETED", "a"), ("ADDED", "a")]


def test_a_pod_that_finishes_leaves_a_scheduler_s_watch(api: Api) -> None:
    start = _now(api)
    api.create_pod("a")
    api.core.patch_namespaced_pod_status("a", api.namespace, {"status": {"phase": "Failed"}})
    running = "status.phase!=Succeeded,status.phase!=Failed"
    assert _told(api.changes(start, field_selector=running)) == [("ADDED", "a"), ("DELETED", "a")]


def test_a_deleted_pod_is_first_marked_as_ending_and_then_gone(api: Api) -> None:
    created = api.create_pod("a")
    _delete(api, "a")
    changes = api.changes(created.metadata.resource_version)
    assert _told(changes) == [("MODIFIED", "a"), ("DELETED", "a")]
    for _, ending in changes:
        assert ending.metadata.deletion_timestamp
        assert ending.metadata.deletion_grace_period_seconds == 0
    versions = [int(ending.metadata.resource_version) for _, ending in changes]
    assert int(created.metadata.resource_version) < versions[0] < versions[1]


def test_a_watch_of_one_object_by_its_name(api: Api) -> None:
    start = _now(api)
    api.create_pod("a")
    api.create_pod("b")
    assert _told(api.changes(start, field_selector="metadata.name=b")) == [("ADDED", "b")]


def test_a_watch_ends_by_itself_when_its_time_is_over(api: Api) -> None:
    assert api.changes(_now(api), seconds=1) == []


def test_an_unreadable_version_is_refused(api: Api) -> None:
    response = api.raw.get(f"{api.path('pods')}?watch=1&resourceVersion=soon&timeoutSeconds=1")
    assert response.status_code >= 400
    assert response.json()["kind"] == "Status"
    assert "soon" in response.json()["message"]


def test_bookmarks_come_only_when_asked_for(api: Api) -> None:
    start = _now(api)
    api.create_config()
    assert api.changes(start) == []


def _initial_events(api: Api, *, bookmarks: bool = True, version: str = "") -> list[JsonObject]:
    query = {
        "watch": "1",
        "sendInitialEvents": "true",
        "resourceVersionMatch": "NotOlderThan",
        "allowWatchBookmarks": "true" if bookmarks else "false",
        "resourceVersion": version,
        "timeoutSeconds": "1",
    }
    response = api.raw.get(api.path("pods"), params=query)
    assert response.status_code == 200, response.text
    return [json.loads(line) for line in response.text.splitlines()]


def test_initial_events_end_with_the_annotated_bookmark(api: Api) -> None:
    """Informers of current clients open this way and wait for this bookmark."""
    created = [api.create_pod(name) for name in ("a", "b")]
    events = _initial_events(api)
    kinds = [event["type"] for event in events]
    assert kinds[:3] == ["ADDED", "ADDED", "BOOKMARK"]
    assert {event["object"]["metadata"]["name"] for event in events[:2]} == {"a", "b"}
    bookmark = events[2]["object"]
    assert bookmark["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
    assert (bookmark["kind"], bookmark["apiVersion"]) == ("Pod", "v1")
    assert int(bookmark["metadata"]["resourceVersion"]) >= int(created[1].metadata.resource_version)


def test_initial_events_of_an_empty_namespace_are_the_bookmark_alone(api: Api) -> None:
    assert [event["type"] for event in _initial_events(api)][:1] == ["BOOKMARK"]


def test_what_follows_the_initial_events_has_later_versions(api: Api) -> None:
    api.create_pod("a")
    bookmark = next(event for event in _initial_events(api) if event["type"] == "BOOKMARK")
    api.create_pod("b")
    assert _told(api.changes(bookmark["object"]["metadata"]["resourceVersion"])) == [("ADDED", "b")]
