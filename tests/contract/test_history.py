"""When the past is gone: a client that was away too long is told so, lists again and goes on.

Only against fakeapi, with a short history: a real server forgets after minutes.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from kubernetes.client import ApiException

from tests.support.api import Api, assert_refused
from tests.support.fakeapi import running_fakeapi

KEPT = 20
"""Changes that the server keeps of each collection."""

LARGE = "x" * 500_000
"""Some hundred of these are far more than sockets and watch queues hold."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A server that forgets soon, in place of the suite's own."""
    with running_fakeapi(tmp_path_factory.mktemp("forgetful"), "--history", str(KEPT)) as forgetful:
        yield forgetful


def _move_on(api: Api) -> None:
    """Make more changes than the server keeps."""
    for number in range(KEPT + 5):
        api.core.patch_namespaced_pod("a", api.namespace, {"metadata": {"labels": {"n": str(number)}}})


def test_a_watch_from_a_forgotten_version_is_told_that_it_expired(api: Api) -> None:
    start = api.create_pod("a").metadata.resource_version
    _move_on(api)
    query = f"?watch=1&resourceVersion={start}&timeoutSeconds=5"
    response = api.raw.get(api.path("pods") + query)
    told = response.json() if response.status_code == 410 else json.loads(response.text)["object"]
    assert (told["code"], told["reason"]) == (410, "Expired")
    assert told["message"].startswith(f"too old resource version: {start}")


def test_the_python_client_sees_the_expiry_and_recovers(api: Api) -> None:
    start = api.create_pod("a").metadata.resource_version
    _move_on(api)
    with pytest.raises(ApiException) as raised:
        api.changes(start)
    assert raised.value.status == 410
    again = api.core.list_namespaced_pod(api.namespace).metadata.resource_version
    api.create_pod("b")
    assert [changed.metadata.name for _, changed in api.changes(again)] == ["b"]


def test_a_list_of_a_forgotten_version_has_expired(api: Api) -> None:
    start = api.create_pod("a").metadata.resource_version
    _move_on(api)
    query = f"?resourceVersion={start}&resourceVersionMatch=Exact"
    assert_refused(api.raw.get(api.path("pods") + query), 410, "Expired")


def test_a_page_of_a_forgotten_snapshot_has_expired(api: Api) -> None:
    for name in ("a", "b"):
        api.create_pod(name)
    first = api.core.list_namespaced_pod(api.namespace, limit=1)
    _move_on(api)
    with pytest.raises(ApiException) as raised:
        api.core.list_namespaced_pod(api.namespace, limit=1, _continue=first.metadata._continue)
    assert raised.value.status == 410


def test_a_watcher_that_does_not_read_harms_nobody(api: Api) -> None:
    start = api.create_config().metadata.resource_version
    query = f"?watch=1&resourceVersion={start}"
    with api.raw.stream("GET", api.path("configmaps") + query) as unread:
        assert unread.status_code == 200
        for number in range(60):
            body = {"metadata": {"name": f"c{number}"}, "data": {"pad": LARGE}}
            assert api.raw.post(api.path("configmaps"), json=body).status_code == 201
        assert len(api.core.list_namespaced_config_map(api.namespace).items) == 61
