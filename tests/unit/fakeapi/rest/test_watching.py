"""Watches: what they begin with, what they are refused for, and what they tell."""

import json

import pytest

from fakeapi.machinery.resources import CORE_EVENTS
from fakeapi.rest.asgi import Message
from fakeapi.rest.watching import INITIAL_EVENTS_END
from tests.unit.fakeapi.rest.client import CONFIGS, PODS, TABLE, Client, settle, status_of
from tests.unit.fakeapi.rest.scenes import config, create, label, open_watch, play, remove, watchers

# ---- how a watch begins ----


@pytest.mark.parametrize("query", ["", "&resourceVersion=0", "&resourceVersion="])
def test_from_nowhere_a_watch_begins_with_what_there_is(client: Client, query: str) -> None:
    async def scene() -> None:
        for name in ("b", "a"):
            config(client, name)
        stream = await client.watch(f"{CONFIGS}?watch=1{query}")
        assert stream.code == 200
        assert stream.told == [("ADDED", "a"), ("ADDED", "b")]
        config(client, "c")
        await settle()
        assert stream.told[2:] == [("ADDED", "c")]
        await stream.leave()

    play(client, scene())


def test_from_a_version_a_watch_tells_what_came_after_it(client: Client) -> None:
    async def scene() -> None:
        since = config(client, "a")["metadata"]["resourceVersion"]
        config(client, "b")
        label(client, "a", x="1")
        remove(client, "b")
        stream = await client.watch(f"{CONFIGS}?watch=1&resourceVersion={since}")
        assert stream.told == [("ADDED", "b"), ("MODIFIED", "a"), ("DELETED", "b")]
        versions = [int(obj["metadata"]["resourceVersion"]) for _, obj in stream.events]
        assert versions == sorted(versions)
        assert versions[0] > int(since)
        await stream.leave()

    play(client, scene())


def test_from_now_a_watch_tells_what_comes(client: Client) -> None:
    async def scene() -> None:
        config(client, "a")
        stream = await client.watch(f"{CONFIGS}?watch=1&resourceVersion={client.revision}")
        assert (stream.code, stream.events) == (200, [])
        label(client, "a", x="1")
        await settle()
        assert stream.told == [("MODIFIED", "a")]
        await stream.leave()

    play(client, scene())


@pytest.mark.parametrize("query", ["", "&resourceVersion=0"])
def test_a_watch_may_do_without_initial_events(client: Client, query: str) -> None:
    async def scene() -> None:
        config(client, "a")
        without = "sendInitialEvents=false&resourceVersionMatch=NotOlderThan"
        stream = await client.watch(f"{CONFIGS}?watch=1&{without}{query}")
        assert stream.events == []
        config(client, "b")
        await settle()
        assert stream.told == [("ADDED", "b")]
        await stream.leave()

    play(client, scene())


def test_without_initial_events_a_watch_may_still_name_its_version(client: Client) -> None:
    async def scene() -> None:
        since = config(client, "a")["metadata"]["resourceVersion"]
        config(client, "b")
        without = "sendInitialEvents=false&resourceVersionMatch=NotOlderThan"
        stream = await client.watch(f"{CONFIGS}?watch=1&{without}&resourceVersion={since}")
        assert stream.told == [("ADDED", "b")]
        await stream.leave()

    play(client, scene())


INITIAL = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan"


@pytest.mark.parametrize("query", [INITIAL, f"{INITIAL}&resourceVersion=1", ""])
def test_initial_events_end_with_a_bookmark_that_says_so(client: Client, query: str) -> None:
    async def scene() -> None:
        for name in ("a", "b"):
            config(client, name)
        stream = await client.watch(f"{CONFIGS}?watch=1&allowWatchBookmarks=true&{query}")
        assert stream.told == [("ADDED", "a"), ("ADDED", "b"), ("BOOKMARK", "")]
        mark = stream.events[-1][1]
        assert mark["metadata"]["annotations"] == {INITIAL_EVENTS_END: "true"}
        assert mark["metadata"]["resourceVersion"] == str(client.revision)
        assert (mark["kind"], mark["apiVersion"]) == ("ConfigMap", "v1")
        await stream.leave()

    play(client, scene())


def test_who_wants_no_bookmarks_gets_none(client: Client) -> None:
    async def scene() -> None:
        config(client, "a")
        stream = await client.watch(f"{CONFIGS}?watch=1&{INITIAL}")
        assert stream.told == [("ADDED", "a")]
        await stream.leave()

    play(client, scene())


def test_nothing_at_all_still_has_an_end(client: Client) -> None:
    async def scene() -> None:
        stream = await client.watch(f"{CONFIGS}?watch=1&allowWatchBookmarks=true&{INITIAL}")
        assert stream.told == [("BOOKMARK", "")]
        await stream.leave()

    play(client, scene())


def test_nothing_is_lost_between_the_beginning_and_what_follows(client: Client) -> None:
    """A write that comes while the headers are sent is told once, after the initial events."""

    async def scene() -> None:
        config(client, "a")
        scope, exchange = client.exchange("GET", f"{CONFIGS}?watch=1", accept=TABLE)
        sent = exchange.send

        async def slow(message: Message) -> None:
            if message["type"] == "http.response.start":
                config(client, "b")
            await sent(message)

        stream = open_watch(client, scope, exchange, slow)
        await settle()
        rows = [[row["cells"][0] for row in table["rows"]] for _, table in stream.events]
        assert rows == [["a"], ["b"]]
        # Only the first table of a watch names the columns.
        assert [bool(table["columnDefinitions"]) for _, table in stream.events] == [True, False]
        await stream.leave()

    play(client, scene())


def test_headers_leave_before_the_first_event(client: Client) -> None:
    async def scene() -> None:
        scope, exchange = client.exchange("GET", f"{CONFIGS}?watch=1&resourceVersion={client.revision}")
        stream = open_watch(client, scope, exchange, exchange.send)
        await settle()
        assert [message["type"] for message in exchange.sent] == [
            "http.response.start",
            "http.response.body",
        ]
        assert exchange.sent[1] == {"type": "http.response.body", "body": b"", "more_body": True}
        assert client.api.traffic.in_flight == 0, "an open watch owes nothing"
        await stream.leave()

    play(client, scene())


# ---- what a watch is not begun with ----


def forgetful() -> tuple[Client, int]:
    client = Client(history_limit=4)
    config(client, "a")
    since = client.revision
    for number in range(6):
        label(client, "a", n=str(number))
    return client, since


def test_a_forgotten_version_is_told_as_the_only_event() -> None:
    client, since = forgetful()
    answer = client.get(f"{CONFIGS}?watch=1&resourceVersion={since}")
    assert answer.code == 200
    ((kind, status),) = answer.events
    assert (kind, status["code"], status["reason"]) == ("ERROR", 410, "Expired")
    assert status["message"].startswith(f"too old resource version: {since} (")
    assert watchers(client) == 0


@pytest.mark.parametrize("query", ["", f"&{INITIAL}"])
def test_so_is_a_version_of_the_future(client: Client, query: str) -> None:
    answer = client.get(f"{CONFIGS}?watch=1&resourceVersion={client.revision + 1}{query}")
    assert answer.code == 200
    ((kind, status),) = answer.events
    assert (kind, status["code"], status["reason"]) == ("ERROR", 504, "Timeout")
    assert status["details"]["causes"][0]["reason"] == "ResourceVersionTooLarge"
    assert watchers(client) == 0


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("resourceVersion=x", 400),
        ("timeoutSeconds=x", 400),
        ("timeoutSeconds=-1", 400),
        ("labelSelector=!!", 400),
        ("fieldSelector=spec.nothing%3D1", 400),
        ("resourceVersionMatch=Exact&resourceVersion=1", 422),
        ("sendInitialEvents=true", 422),
        ("continue=x", 422),
    ],
)
def test_bad_parameters(client: Client, query: str, code: int) -> None:
    client.refused(code, "GET", f"{CONFIGS}?watch=1&{query}")
    assert watchers(client) == 0


def test_a_format_that_nobody_offers(client: Client) -> None:
    answer = client.get(f"{CONFIGS}?watch=1", "text/html")
    assert (answer.code, status_of(answer)["reason"]) == (406, "NotAcceptable")


# ---- what a watch tells ----


def test_objects_enter_and_leave_the_selection(client: Client) -> None:
    async def scene() -> None:
        stream = await client.watch(f"{CONFIGS}?watch=1&labelSelector=app%3Dx")
        config(client, "other", app="y")
        config(client, "a", app="x")
        label(client, "a", app="x", more="1")
        label(client, "a", app="y")
        label(client, "a", app="y", more="2")
        label(client, "a", app="x")
        remove(client, "a")
        remove(client, "other")
        await settle()
        assert stream.told == [
            ("ADDED", "a"),
            ("MODIFIED", "a"),
            ("DELETED", "a"),
            ("ADDED", "a"),
            ("DELETED", "a"),
        ]
        left = stream.events[2][1]["metadata"]
        assert left["labels"] == {"app": "x", "more": "1"}, "shown as it last was inside"
        versions = [int(obj["metadata"]["resourceVersion"]) for _, obj in stream.events]
        assert versions == sorted(set(versions))
        await stream.leave()

    play(client, scene())


def test_other_namespaces_and_kinds_are_not_told(client: Client) -> None:
    async def scene() -> None:
        here = await client.watch(f"{CONFIGS}?watch=1")
        there = await client.watch("/api/v1/namespaces/kube-public/configmaps?watch=1")
        everywhere = await client.watch(f"/api/v1/configmaps?watch=1&resourceVersion={client.revision}")
        pods = await client.watch(f"{PODS}?watch=1")
        config(client, "a")
        await settle()
        assert here.told == everywhere.told == [("ADDED", "a")]
        assert there.told == pods.told == []
        for stream in (here, there, everywhere, pods):
            await stream.leave()

    play(client, scene())


def test_one_object_is_watched_by_its_name(client: Client) -> None:
    async def scene() -> None:
        stream = await client.watch(f"{CONFIGS}?watch=1&fieldSelector=metadata.name%3Da")
        config(client, "a")
        config(client, "b")
        await settle()
        assert stream.told == [("ADDED", "a")]
        await stream.leave()

    play(client, scene())


def test_events_are_told_in_the_words_of_the_group_that_was_asked(client: Client) -> None:
    async def scene() -> None:
        core = await client.watch("/api/v1/namespaces/default/events?watch=1")
        new = await client.watch("/apis/events.k8s.io/v1/namespaces/default/events?watch=1")
        regarding = {"kind": "Pod", "name": "p", "namespace": "default"}
        event = {"metadata": {"name": "e"}, "involvedObject": regarding, "message": "m"}
        create(client, CORE_EVENTS, event)
        await settle()
        assert core.events[0][1]["involvedObject"]["name"] == "p"
        assert new.events[0][1]["regarding"]["name"] == "p"
        for stream in (core, new):
            await stream.leave()

    play(client, scene())


def test_watches_of_two_worlds_do_not_meet() -> None:
    one, other = Client(), Client()

    async def scene() -> None:
        stream = await one.watch(f"{CONFIGS}?watch=1")
        config(other, "a")
        await settle()
        assert stream.events == []
        await stream.leave()

    play(one, scene())


def test_each_line_is_one_json_document(client: Client) -> None:
    config(client, "a", text="x")
    body = client.get(f"{CONFIGS}?watch=1&timeoutSeconds=1").body
    assert body.endswith(b"\n")
    assert set(json.loads(body)) == {"type", "object"}
