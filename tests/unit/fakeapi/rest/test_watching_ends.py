"""Watches end: by time, by the client, by not keeping up; and none leaves anything behind."""

import asyncio

import pytest

from fakeapi.rest.asgi import Message
from fakeapi.rest.watching import WatchTimes
from tests.unit.fakeapi.rest.client import CONFIGS, Client, settle
from tests.unit.fakeapi.rest.scenes import config, open_watch, play, watchers


def test_a_client_that_leaves_is_forgotten(client: Client) -> None:
    async def scene() -> None:
        stream = await client.watch(f"{CONFIGS}?watch=1")
        assert watchers(client) == 1
        assert list(client.api.traffic.watches.values()) == [("127.0.0.1", 1)]
        await stream.leave()
        assert stream.over
        assert watchers(client) == 0

    play(client, scene())


def test_a_client_that_breaks_off_is_forgotten_too(client: Client) -> None:
    async def scene() -> None:
        scope, exchange = client.exchange("GET", f"{CONFIGS}?watch=1")

        async def broken(message: Message) -> None:
            if message.get("body"):
                raise OSError("the connection is gone")
            await exchange.send(message)

        stream = open_watch(client, scope, exchange, broken)
        await settle()
        config(client, "a")
        await settle()
        assert stream.over

    play(client, scene())


def test_a_watch_that_is_cancelled_is_forgotten_too(client: Client) -> None:
    async def scene() -> None:
        stream = await client.watch(f"{CONFIGS}?watch=1")
        stream.cancel()
        await settle()
        assert stream.over

    play(client, scene())


@pytest.mark.parametrize(
    ("query", "lasts"), [("timeoutSeconds=7", 7.0), ("timeoutSeconds=0", 90.0), ("", 90.0)]
)
def test_a_watch_ends_by_itself(query: str, lasts: float) -> None:
    client = Client(times=WatchTimes(default_timeout_s=90.0))

    async def scene() -> None:
        began = asyncio.get_running_loop().time()
        stream = await client.watch(f"{CONFIGS}?watch=1&{query}")
        answer = await stream.end()
        assert (answer.code, answer.body) == (200, b"")
        assert asyncio.get_running_loop().time() - began == pytest.approx(lasts)

    play(client, scene())


def test_the_last_thing_is_a_bookmark_for_who_wants_one(client: Client) -> None:
    config(client, "a")
    quiet = f"{CONFIGS}?watch=1&timeoutSeconds=5&resourceVersion={client.revision}"
    assert client.get(quiet).events == []
    ((kind, mark),) = client.get(f"{quiet}&allowWatchBookmarks=1").events
    assert (kind, mark["metadata"]["resourceVersion"]) == ("BOOKMARK", str(client.revision))
    assert "annotations" not in mark["metadata"]


def test_a_quiet_watch_gets_a_bookmark_now_and_then() -> None:
    client = Client(times=WatchTimes(bookmark_every_s=10.0))

    async def scene() -> None:
        since = client.revision
        stream = await client.watch(
            f"{CONFIGS}?watch=1&allowWatchBookmarks=1&timeoutSeconds=35&resourceVersion={since}"
        )
        config(client, "a")  # before the first bookmark is due
        await settle()
        answer = await stream.end()
        kinds = [kind for kind, _ in answer.events]
        assert kinds == ["ADDED", "BOOKMARK", "BOOKMARK", "BOOKMARK", "BOOKMARK"]
        versions = {obj["metadata"]["resourceVersion"] for kind, obj in answer.events if kind == "BOOKMARK"}
        assert versions == {str(since + 1)}

    play(client, scene())


def test_a_bookmark_also_speaks_for_what_was_not_selected(client: Client) -> None:
    async def scene() -> None:
        query = "watch=1&allowWatchBookmarks=1&timeoutSeconds=5&labelSelector=app%3Dx"
        stream = await client.watch(f"{CONFIGS}?{query}&resourceVersion={client.revision}")
        config(client, "a", app="y")
        ((_, mark),) = (await stream.end()).events
        assert mark["metadata"]["resourceVersion"] == str(client.revision)

    play(client, scene())


def test_a_client_that_does_not_keep_up_is_cut_off() -> None:
    client = Client()
    client.world.store._queue_limit = 3

    async def scene() -> None:
        reading = asyncio.Event()
        scope, exchange = client.exchange("GET", f"{CONFIGS}?watch=1&allowWatchBookmarks=1")

        async def slow(message: Message) -> None:
            if message.get("body"):
                await reading.wait()
            await exchange.send(message)

        stream = open_watch(client, scope, exchange, slow)
        await settle()
        for number in range(10):
            config(client, f"c{number}")
        assert client.api.traffic.queued() == {}, "nothing is kept for who does not read"
        reading.set()
        kinds = [kind for kind, _ in (await stream.end()).events]
        assert kinds == ["BOOKMARK"], "the initial one; a bookmark at the end would hide the loss"

    play(client, scene())


def test_what_waits_to_be_read_is_counted_by_client(client: Client) -> None:
    async def scene() -> None:
        reading = asyncio.Event()
        scope, exchange = client.exchange("GET", f"{CONFIGS}?watch=1")

        async def slow(message: Message) -> None:
            if message.get("body"):
                await reading.wait()
            await exchange.send(message)

        stream = open_watch(client, scope, exchange, slow)
        await settle()
        for name in ("a", "b", "c"):
            config(client, name)
            await settle()
        assert client.api.traffic.queued() == {("127.0.0.1", 1): 2}, "one is on its way"
        reading.set()
        await settle()
        assert client.api.traffic.queued() == {}
        assert stream.told == [("ADDED", "a"), ("ADDED", "b"), ("ADDED", "c")]
        await stream.leave()

    play(client, scene())


def test_a_failure_in_the_middle_ends_the_answer_and_not_the_server(
    client: Client, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene() -> None:
        monkeypatch.setattr("fakeapi.rest.present.Presenter.bookmark", _fail)
        stream = await client.watch(
            f"{CONFIGS}?watch=1&allowWatchBookmarks=1&timeoutSeconds=5&resourceVersion={client.revision}"
        )
        with pytest.raises(AssertionError):
            await stream.end()  # the answer was never finished
        assert stream.over

    play(client, scene())
    assert "failed" in caplog.text
    assert client.get(CONFIGS).code == 200


def _fail(*_: object) -> bytes:
    raise RuntimeError("no bookmark")
