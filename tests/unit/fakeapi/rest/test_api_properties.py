"""Whatever is asked: an answer, never a crash; and a refusal changes nothing."""

import json
import logging
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.kernel.time import SECOND
from fakeapi.machinery.resources import builtin_table
from tests.unit.fakeapi.rest.client import (
    JSON,
    JSON_PATCH,
    MERGE_PATCH,
    PODS,
    STRATEGIC_PATCH,
    TABLE,
    YAML,
    Answer,
    Client,
    Json,
    status_of,
)
from tests.unit.fakeapi.rest.manifests import MANIFESTS, manifest, spoiled

_REFUSED: Final = 400
_NOT_HERE: Final = (501, 504)


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Keep what a failing server would log out of hypothesis' way; the answers say it too."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def ask(client: Client, *request: Any) -> Answer:
    """The answer, which is no crash, and has changed nothing if it is a refusal."""
    before = client.revision
    answer = client.ask(*request)
    if answer.code >= _REFUSED and answer.header(b"content-type") == b"application/json":
        message = status_of(answer)["message"]
        assert not message.startswith("Internal error occurred"), (request, message)
        assert client.revision == before, request
    return answer


# ---- any request ----

_PLURALS: Final = sorted({row.plural for row in builtin_table()})
_PIECE: Final = (
    st.sampled_from(
        (
            "api",
            "apis",
            "v1",
            "apps",
            "namespaces",
            "default",
            "status",
            "scale",
            "binding",
            "eviction",
            "watch",
        )
    )
    | st.sampled_from(_PLURALS)
    | st.text(max_size=4)
)
_PATH: Final = st.builds(
    lambda root, pieces: root + "/".join(quote(piece, safe="") for piece in pieces),
    st.sampled_from(("/", "/api/v1/", "/apis/", "/apis/apps/v1/", "/api/v1/namespaces/default/")),
    st.lists(_PIECE, max_size=5),
)
_PARAMETER: Final = st.sampled_from(
    (
        "allowWatchBookmarks", "continue", "dryRun", "fieldManager", "fieldSelector", "fieldValidation",
        "force", "gracePeriodSeconds", "includeObject", "labelSelector", "limit", "orphanDependents",
        "pretty", "propagationPolicy", "resourceVersion", "resourceVersionMatch", "sendInitialEvents",
        "timeoutSeconds", "watch",
    )
)  # fmt: skip
_ARGUMENT: Final = (
    st.sampled_from(
        (
            "", "0", "1", "-1", "5", "true", "false", "All", "Exact", "NotOlderThan", "Strict", "Foreground",
            "a=b", "a in (b)", "metadata.name=x", "9223372036854775808", "18446744073709551616",
        )
    )
    | st.text(max_size=6)
)  # fmt: skip
_QUERY: Final = st.lists(st.tuples(_PARAMETER, _ARGUMENT), max_size=4).map(urlencode) | st.text(
    st.sampled_from("a=&%;+0f?"), max_size=12
)
_MEDIA: Final = st.sampled_from(
    (
        *(JSON, YAML, JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, "application/vnd.kubernetes.protobuf"),
        *("", "text/plain", "application/apply-patch+yaml"),
    )
)
_METHOD: Final = st.sampled_from(("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "BREW"))
_VALUE: Final = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
_BODY: Final = st.binary(max_size=30) | _VALUE.map(lambda value: json.dumps(value).encode())
_ACCEPT: Final = st.sampled_from(
    ("", "*/*", JSON, TABLE, "text/html", "application/json;as=PartialObjectMetadata")
)


@settings(max_examples=400, deadline=None)
@given(_METHOD, _PATH, _QUERY, _BODY, _MEDIA, _ACCEPT)
def test_any_request_is_answered(
    method: str, path: str, query: str, body: bytes, media: str, accept: str
) -> None:
    answer = ask(Client(), method, f"{path}?{query}", body, media, accept)
    assert answer.code < 500 or answer.code in _NOT_HERE


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(sorted(MANIFESTS)),
    st.sampled_from(("", "/x", "/x/status")),
    _METHOD,
    _QUERY,
    _BODY,
    _MEDIA,
)
def test_any_request_about_an_object_is_answered(
    collection: str, rest: str, method: str, query: str, body: bytes, media: str
) -> None:
    client = Client()
    assert client.post(collection, manifest(collection)).code == 201
    answer = ask(client, method, f"{collection}{rest}?{query}", body, media)
    assert answer.code < 500 or answer.code in _NOT_HERE


# ---- objects that are almost right ----


@pytest.mark.parametrize("collection", sorted(MANIFESTS))
def test_the_manifests_are_right(collection: str) -> None:
    client = Client()
    assert client.post(f"{collection}?fieldValidation=Strict", manifest(collection)).code == 201


@settings(max_examples=400, deadline=None)
@given(st.data(), st.sampled_from(sorted(MANIFESTS)))
def test_any_object_is_taken_or_refused(data: st.DataObject, collection: str) -> None:
    client = Client()
    validation = data.draw(st.sampled_from(("", "?fieldValidation=Strict", "?fieldValidation=Ignore")))
    body = data.draw(spoiled(manifest(collection)))
    media = data.draw(st.sampled_from((JSON, YAML)))
    answer = ask(client, "POST", f"{collection}{validation}", body, media)
    if answer.code == 201:
        assert client.get(f"{collection}/x").json == answer.json
        assert ask(client, "GET", collection, None, JSON, TABLE).code == 200


_STEPS: Final = (
    "PUT",
    "MERGE",
    "STRATEGIC",
    "STATUS",
    "STATUS PATCH",
    "SCALE",
    "BIND",
    "EVICT",
    "DELETE",
    "WAIT",
)


@settings(max_examples=400, deadline=None)
@given(
    st.data(), st.sampled_from(sorted(MANIFESTS)), st.lists(st.sampled_from(_STEPS), min_size=1, max_size=4)
)
def test_any_change_is_made_or_refused(data: st.DataObject, collection: str, steps: list[str]) -> None:
    client = Client()
    stored = client.post(collection, manifest(collection)).json
    uid = stored["metadata"]["uid"]
    for step in steps:
        _take(client, data, collection, stored, step)
        answer = client.get(f"{collection}/x")
        if answer.code == 200:
            assert answer.json["metadata"]["uid"] == uid
    assert ask(client, "GET", collection, None, JSON, TABLE).code == 200


def _take(client: Client, data: st.DataObject, collection: str, stored: Json, step: str) -> None:
    url = f"{collection}/x"
    # A merge does not repeat the version, so that it meets the object as earlier steps left it.
    changes = {**stored, "metadata": {"labels": {"a": "c"}}}
    match step:
        case "PUT":
            ask(client, "PUT", url, data.draw(spoiled(stored)))
        case "MERGE":
            ask(client, "PATCH", url, data.draw(spoiled(changes)), MERGE_PATCH)
        case "STRATEGIC":
            ask(client, "PATCH", url, data.draw(spoiled(changes)), STRATEGIC_PATCH)
        case "STATUS":
            ask(client, "PUT", f"{url}/status", data.draw(spoiled(stored)))
        case "STATUS PATCH":
            ask(client, "PATCH", f"{url}/status", data.draw(spoiled(changes)), STRATEGIC_PATCH)
        case "SCALE":
            scale = {"metadata": {"name": "x"}, "spec": {"replicas": 5}}
            ask(client, "PUT", f"{url}/scale", data.draw(spoiled(scale)))
        case "BIND":
            binding = {"metadata": {"name": "x"}, "target": {"kind": "Node", "name": "n"}}
            ask(client, "POST", f"{PODS}/x/binding", data.draw(spoiled(binding)))
        case "EVICT":
            eviction = {"metadata": {"name": "x"}, "deleteOptions": {"gracePeriodSeconds": 5}}
            ask(client, "POST", f"{PODS}/x/eviction", data.draw(spoiled(eviction)))
        case "DELETE":
            options = {
                "gracePeriodSeconds": 5,
                "propagationPolicy": "Foreground",
                "preconditions": {"uid": None},
            }
            ask(client, "DELETE", url, data.draw(spoiled(options)))
        case "WAIT":
            client.clock.advance_to(client.clock.now() + data.draw(st.integers(1, 10_000)) * SECOND)
            client.world.run_due()
