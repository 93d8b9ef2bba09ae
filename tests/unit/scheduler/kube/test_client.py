"""What the typed calls put on the wire."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest

from scheduler.kube.access import Access, BearerToken
from scheduler.kube.client import NODES, NOTE_LIMIT, PODS, Client, Collection
from scheduler.kube.connection import Connection
from scheduler.kube.errors import ApiError
from scheduler.messages import Announce, MarkUnschedulable
from scheduler.model import PodRef
from tests.unit.scheduler.builders import START, pod_object, ref
from tests.unit.scheduler.fake_server import FakeApi


def calling(play: Callable[[FakeApi, Client], Awaitable[None]]) -> None:
    async def run() -> None:
        async with (
            FakeApi() as api,
            Connection(Access(api.url, None, None, BearerToken()), "me") as connection,
        ):
            api.put("pods", pod_object("a"))
            await play(api, Client(connection, "me"))

    asyncio.run(run())


def test_queries() -> None:
    path = PODS.query({"limit": 5, "continue": ""})
    assert urlsplit(path).path == "/api/v1/pods"
    assert parse_qs(urlsplit(path).query) == {
        "fieldSelector": ["status.phase!=Succeeded,status.phase!=Failed"],
        "limit": ["5"],
    }
    assert Collection("/x").query({"a": "b c"}) == "/x?a=b+c"


def test_a_watch_asks_for_bookmarks_and_for_no_end() -> None:
    async def play(api: FakeApi, client: Client) -> None:
        async with client.watch(NODES, "7"):
            pass
        assert api.sent("") == ["GET /api/v1/nodes?watch=true&allowWatchBookmarks=true&resourceVersion=7"]

    calling(play)


def test_a_binding() -> None:
    async def play(api: FakeApi, client: Client) -> None:
        await client.bind(ref("a"), "n")
        assert api.requests[-1] == (
            "POST",
            "/api/v1/namespaces/default/pods/a/binding",
            {
                "apiVersion": "v1",
                "kind": "Binding",
                "metadata": {"namespace": "default", "name": "a", "uid": "uid-a"},
                "target": {"apiVersion": "v1", "kind": "Node", "name": "n"},
            },
        )
        with pytest.raises(ApiError, match="409"):
            await client.bind(ref("a"), "n")

    calling(play)


def test_the_time_of_a_transition_is_set_once() -> None:
    async def play(api: FakeApi, client: Client) -> None:
        await client.mark_unschedulable(MarkUnschedulable(ref("a"), "one", first=True), START)
        await client.mark_unschedulable(MarkUnschedulable(ref("a"), "two", first=False), START + 10**10)
        assert api.objects["pods"]["a"]["status"]["conditions"] == [
            {
                "type": "PodScheduled",
                "status": "False",
                "reason": "Unschedulable",
                "message": "two",
                "lastTransitionTime": "2026-01-05T00:00:00Z",
            }
        ]

    calling(play)


def note(text: str, pod: PodRef = ref("a")) -> Announce:  # noqa: B008  # a frozen value
    return Announce(pod, "Warning", "FailedScheduling", "Scheduling", text)


def test_an_event_names_the_other_pod_that_it_is_about() -> None:
    async def play(api: FakeApi, client: Client) -> None:
        await client.record(replace(note("x"), related=ref("b", "other")), START)
        await client.record(note("y"), START)
        about, alone = api.events.values()
        kind = {"apiVersion": "v1", "kind": "Pod"}
        assert about["related"] == {**kind, "namespace": "other", "name": "b", "uid": "uid-b"}
        assert "related" not in alone

    calling(play)


def test_the_same_event_is_refused_and_another_is_not() -> None:
    async def play(api: FakeApi, client: Client) -> None:
        await client.record(note("x"), START)
        with pytest.raises(ApiError, match="409"):
            await client.record(note("x"), START + 1)
        await client.record(note("y"), START)
        await client.record(note("x", PodRef("default", "a", "another uid")), START)
        assert len(api.events) == 3

    calling(play)


@pytest.mark.parametrize("letter", ["x", "ä", "€"])
def test_long_notes_and_names_are_cut(letter: str) -> None:
    async def play(api: FakeApi, client: Client) -> None:
        await client.record(note(letter * NOTE_LIMIT * 2, ref("p" * 253)), START)
        ((name, event),) = api.events.items()
        assert len(event["note"].encode()) <= NOTE_LIMIT
        assert event["note"].endswith(letter + "…")
        assert len(name) <= 253

    calling(play)
