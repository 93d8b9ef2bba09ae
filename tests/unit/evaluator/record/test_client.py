"""Lists and watches: pages, bookmarks, lost history, and servers that fail."""

import asyncio
import json
import ssl
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from evaluator.errors import TraceError
from evaluator.record import client as module
from evaluator.record.client import Change, Client, Snapshot
from evaluator.record.kubeconfig import Access
from fakeapi.kernel.time import format_instant

PODS = "/api/v1/pods"


def item(name: str, version: int) -> dict[str, Any]:
    return {"metadata": {"name": name, "resourceVersion": str(version)}}


def listed(version: int, *names: str, proceed: str = "") -> httpx.Response:
    metadata = {"resourceVersion": str(version), "continue": proceed}
    return httpx.Response(200, json={"items": [item(name, version) for name in names], "metadata": metadata})


def watched(*events: tuple[str, dict[str, Any]]) -> httpx.Response:
    lines = [json.dumps({"type": kind, "object": thing}) for kind, thing in events]
    return httpx.Response(200, text="\n".join([*lines, ""]))


class Server:
    """Gives prepared answers, and remembers what was asked."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self._answers: Iterator[httpx.Response | Exception] = iter(answers)
        self.asked: list[dict[str, str]] = []
        self.pauses: list[float] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(dict(request.url.params))
        answer = next(self._answers, httpx.ConnectError("no answer is left"))
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)


def follow(server: Server, *, optional: bool = False) -> list[str]:
    """What is seen until the server is given up, or has no such resource."""
    seen: list[str] = []
    take = seen.append  # at once: what was seen stays when the server is given up

    async def run() -> None:
        access = Access("http://server", {}, ssl.create_default_context())
        async with Client(access, transport=httpx.MockTransport(server), pause=server.pause) as client:
            async for what in client.follow(PODS, optional=optional):
                take(_shown(what))

    try:
        asyncio.run(run())
    except TraceError as error:
        seen.append(str(error))
    return seen


def _shown(what: Snapshot | Change) -> str:
    if isinstance(what, Snapshot):
        return ",".join(["all:", *(thing["metadata"]["name"] for thing in what.objects)])
    return f"{'-' if what.gone else '+'}{what.object['metadata']['name']}"


def test_pages_are_one_snapshot_and_the_watch_goes_on_from_it() -> None:
    server = Server(
        listed(5, "a", proceed="more"),
        listed(5, "b"),
        watched(("ADDED", item("c", 6)), ("BOOKMARK", item("", 9)), ("DELETED", item("a", 10))),
        watched(("MODIFIED", item("b", 11))),
    )
    assert follow(server)[:-1] == ["all:,a,b", "+c", "-a", "+b"]
    assert [asked.get("continue") for asked in server.asked[:2]] == ["", "more"]
    assert [asked.get("resourceVersion") for asked in server.asked[2:4]] == ["5", "10"]


@pytest.mark.parametrize(
    "lost",
    [httpx.Response(410), watched(("ERROR", {"code": 410, "message": "too old"}))],
)
def test_a_lost_history_is_listed_anew(lost: httpx.Response) -> None:
    server = Server(listed(5, "a"), lost, listed(9, "b"))
    assert follow(server)[:2] == ["all:,a", "all:,b"]
    assert server.pauses[:1] == [1]  # only of the failures after


def test_a_server_that_fails_is_given_up_in_the_end_and_one_that_recovers_is_not() -> None:
    failures: list[httpx.Response | Exception] = [httpx.ConnectError("refused"), httpx.Response(503)]
    server = Server(listed(5, "a"), *failures, watched(("ADDED", item("b", 6))))
    *seen, last = follow(server)
    assert seen == ["all:,a", "+b"]
    assert "cannot be reached" in last
    assert server.pauses[:2] == [1, 2]
    assert server.pauses[2:] == [1, 2, 4, 8, 16, 30, 30]
    assert len(server.pauses) == 2 + module.MAX_FAILURES - 1


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (httpx.Response(403, text="pods is forbidden"), "must be allowed to list and watch"),
        (httpx.Response(404), "the server has no /api/v1/pods"),
    ],
)
def test_a_refusal_is_told_at_once(answer: httpx.Response, message: str) -> None:
    server = Server(answer)
    assert message in follow(server)[0]
    assert server.pauses == []


def test_a_resource_that_need_not_be_there_is_empty() -> None:
    assert follow(Server(httpx.Response(404)), optional=True) == ["all:"]


@pytest.mark.parametrize(
    "garbled",
    [
        httpx.Response(200, text="{"),
        httpx.Response(200, text="[]\n"),
        watched(("ERROR", {"code": 500, "message": "sick"})),
        httpx.Response(200, text='{"type":"ADDED","object":1}\n'),
    ],
)
def test_what_is_no_answer_is_tried_again(garbled: httpx.Response) -> None:
    server = Server(listed(5, "a"), garbled, watched(("ADDED", item("b", 6))))
    assert follow(server)[:2] == ["all:,a", "+b"]
    assert server.pauses[0] == 1


def test_an_event_without_end_is_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_LINE", 100)
    server = Server(listed(5, "a"), httpx.Response(200, text="x" * 1000))
    assert follow(server)[0] == "all:,a"
    assert server.pauses


def clock(answer: Callable[[httpx.Request], httpx.Response]) -> int:
    async def run() -> int:
        access = Access("http://server", {}, ssl.create_default_context())
        async with Client(access, transport=httpx.MockTransport(answer)) as client:
            return await client.now()

    return asyncio.run(run())


def test_the_clock_is_the_servers() -> None:
    headers = {"date": "Mon, 05 Jan 2026 08:00:00 GMT"}
    assert format_instant(clock(lambda _: httpx.Response(200, headers=headers))) == "2026-01-05T08:00:00Z"
    assert clock(lambda _: httpx.Response(200, headers={"date": "now"})) % 10**9 == 0
