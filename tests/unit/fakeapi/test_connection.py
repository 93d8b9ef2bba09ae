"""Requests over a real connection, on the short way and on uvicorn's: the same answers, the same accounts."""

import asyncio
from collections.abc import Awaitable, Callable

import orjson
import pytest
import uvloop

from fakeapi.app import create_app
from fakeapi.connection import Connection
from fakeapi.kernel.clock import VirtualClock
from fakeapi.rest.asgi import Request, Response
from fakeapi.serve import Server
from fakeapi.world import World
from tests.support.polling import until

WITHIN_S = 20.0
MAPS = "/api/v1/namespaces/default/configmaps"
TOKEN = "a-token-long-enough"
Exchange = tuple[int, dict[bytes, bytes], bytes]


class Talk:
    """One connection to a server, and what went over it."""

    def __init__(self, server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.server = server
        self.reader = reader
        self.writer = writer

    @property
    def in_flight(self) -> int:
        return self.server.app.kube.traffic.in_flight

    @property
    def requests(self) -> int:
        return self.server.app.kube.traffic.requests

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    async def answer(self) -> Exchange:
        head = await self.reader.readuntil(b"\r\n\r\n")
        first, *lines = head.rstrip().split(b"\r\n")
        headers = dict(line.split(b": ", 1) for line in lines)
        body = await self.reader.readexactly(int(headers[b"content-length"]))
        return int(first.split()[1]), headers, body

    async def ask(self, data: bytes) -> Exchange:
        self.send(data)
        return await self.answer()


def request(method: str, path: str, body: bytes = b"", headers: str = "", *, version: str = "1.1") -> bytes:
    head = f"{method} {path} HTTP/{version}\r\nHost: world\r\nContent-Type: application/json\r\n{headers}"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def config_map(name: str) -> bytes:
    return orjson.dumps({"metadata": {"name": name}})


def talking(scenario: Callable[[Talk], Awaitable[None]], *, token: str = "", body_limit: int = 1000) -> None:
    """Run the scenario over one connection to a server of its own."""

    async def run() -> None:
        app = create_app(World(VirtualClock()), token=token, body_limit=body_limit)
        async with Server(app) as server, asyncio.timeout(WITHIN_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            try:
                await scenario(Talk(server, reader, writer))
            finally:
                writer.close()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run())


@pytest.fixture
def uvicorns_way(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Called, it makes every request go uvicorn's way."""
    return lambda: monkeypatch.setattr(Connection, "_is_short", lambda _: False)


REQUESTS = {
    "create": request("POST", MAPS, config_map("a")),
    "create again": request("POST", MAPS, config_map("first")),
    "get": request("GET", f"{MAPS}/first"),
    "get a name with an escape": request("GET", f"{MAPS}/fir%73t"),
    "list": request("GET", f"{MAPS}?limit=5"),
    "delete": request("DELETE", f"{MAPS}/first"),
    "no such kind": request("GET", "/api/v1/nonsense"),
    "no such method": request("PROPFIND", MAPS),
    "not JSON": request("POST", MAPS, b"{"),
    "a warning": request("POST", MAPS, b'{"metadata":{"name":"w"},"a\\nb\\"c":1}'),
    "a query that cannot be read": request("GET", f"{MAPS}?limit=x"),
    "too large": request("POST", MAPS, b"x" * 2000),
    "no answer of this type": request("GET", MAPS, headers="Accept: image/png\r\n"),
    "a path that is not ASCII": request("GET", "/api/v1/nodes/%C3%A9"),
}


@pytest.mark.parametrize("asked", REQUESTS.values(), ids=REQUESTS.keys())
def test_both_ways_give_the_same_answer(asked: bytes, uvicorns_way: Callable[[], None]) -> None:
    answers: list[Exchange] = []

    async def once(talk: Talk) -> None:
        await talk.ask(request("POST", MAPS, config_map("first")))
        answers.append(await talk.ask(asked))
        assert talk.requests == 2
        assert talk.in_flight == 0

    talking(once)
    uvicorns_way()
    talking(once)
    assert answers[0] == answers[1]


def test_a_create_goes_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("it went uvicorn's way")

    async def scenario(talk: Talk) -> None:
        await talk.ask(request("GET", "/version"))
        monkeypatch.setattr(Connection, "_start_asgi_task", refuse)
        assert (await talk.ask(request("POST", MAPS, config_map("a"))))[0] == 201

    talking(scenario)


@pytest.mark.parametrize("path", [MAPS, "/version"])
def test_requests_that_follow_each_other_at_once_are_answered_in_order(path: str) -> None:
    async def scenario(talk: Talk) -> None:
        talk.send(request("POST", MAPS, config_map("a")) + request("GET", path) + request("GET", f"{MAPS}/a"))
        codes = [(await talk.answer())[0] for _ in range(3)]
        assert codes == [201, 200, 200]
        assert talk.in_flight == 0

    talking(scenario)


def test_a_request_is_in_flight_until_its_body_is_there() -> None:
    whole = request("POST", MAPS, config_map("a"))

    async def scenario(talk: Talk) -> None:
        talk.send(whole[:-5])
        await until(lambda: talk.in_flight == 1)
        talk.send(whole[-5:])
        assert (await talk.answer())[0] == 201
        assert talk.in_flight == 0

    talking(scenario)


def test_a_client_that_leaves_in_the_middle_of_a_body_leaves_nothing_behind() -> None:
    async def scenario(talk: Talk) -> None:
        talk.send(request("POST", MAPS, config_map("a"))[:-5])
        await until(lambda: talk.in_flight == 1)
        talk.writer.close()
        await until(lambda: talk.in_flight == 0)
        assert not talk.server.connections()

    talking(scenario)


def test_a_body_that_is_too_large_is_not_kept_and_the_connection_goes_on() -> None:
    async def scenario(talk: Talk) -> None:
        code, _, body = await talk.ask(request("POST", MAPS, b"x" * 5_000_000))
        assert (code, orjson.loads(body)["reason"]) == (413, "RequestEntityTooLarge")
        assert (await talk.ask(request("POST", MAPS, config_map("a"))))[0] == 201

    talking(scenario)


@pytest.mark.parametrize(("headers", "version"), [("Connection: close\r\n", "1.1"), ("", "1.0")])
def test_a_client_that_wants_the_connection_closed_has_it_closed(headers: str, version: str) -> None:
    async def scenario(talk: Talk) -> None:
        _, told, _ = await talk.ask(request("GET", MAPS, headers=headers, version=version))
        assert told[b"connection"] == b"close"
        assert await talk.reader.read() == b""

    talking(scenario)


def test_a_body_that_waits_to_be_asked_for_is_asked_for() -> None:
    asked = request("POST", MAPS, config_map("a"), headers="Expect: 100-continue\r\n")
    head, _, body = asked.partition(b"\r\n\r\n")

    async def scenario(talk: Talk) -> None:
        talk.send(head + b"\r\n\r\n")
        assert await talk.reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        talk.send(body)
        assert (await talk.answer())[0] == 201

    talking(scenario)


@pytest.mark.parametrize(("given", "code"), [("", 401), ("wrong", 401), (TOKEN, 201)])
def test_a_token_is_asked_for(given: str, code: int) -> None:
    asked = request(
        "POST", MAPS, config_map("a"), headers=f"Authorization: Bearer {given}\r\n" if given else ""
    )

    async def scenario(talk: Talk) -> None:
        assert (await talk.ask(asked))[0] == code

    talking(scenario, token=TOKEN)


def test_a_client_that_reads_nothing_does_not_fill_the_memory() -> None:
    """Its answers wait in the kernel and in one buffer; further requests wait to be read."""

    async def scenario(talk: Talk) -> None:
        big = orjson.dumps({"metadata": {"name": "big"}, "data": {"k": "x" * 200_000}})
        await talk.ask(request("POST", MAPS, big))
        asked = 400
        talk.send(request("GET", f"{MAPS}/big") * asked)
        await until(lambda: talk.server.unsent() > 0)
        for _ in range(100):
            await asyncio.sleep(0)
        assert talk.server.unsent() < asked * len(big) / 4
        for _ in range(asked):
            assert (await talk.answer())[0] == 200

    talking(scenario, body_limit=1_000_000)


def test_a_bug_of_ours_is_a_status(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> Response:
        raise ZeroDivisionError("once")

    async def scenario(talk: Talk) -> None:
        monkeypatch.setattr(type(talk.server.app.kube), "_resource", fail)
        code, _, body = await talk.ask(request("GET", MAPS))
        assert (code, orjson.loads(body)["message"]) == (
            500,
            "Internal error occurred: ZeroDivisionError: once",
        )
        assert talk.in_flight == 0

    talking(scenario)


def test_a_request_knows_the_address_it_came_to() -> None:
    app = create_app(World(VirtualClock()))
    answer = app.respond(Request("GET", "/api", b"", [], server="world:80"))
    assert b"world:80" in answer.body
