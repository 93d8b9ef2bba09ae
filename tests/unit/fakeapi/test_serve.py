"""A server over real sockets: its URL, its connections, and how it stops with watches open."""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

import httpx
import orjson
import pytest
import uvloop

from fakeapi.app import create_app
from fakeapi.config import ConfigError, NetworkSettings
from fakeapi.kernel.clock import VirtualClock
from fakeapi.serve import Server
from fakeapi.world import World
from tests.support.polling import until

TLS = Path(__file__).parent / "tls"
WITHIN_S = 20.0
"""How long anything here may take: reached only where something is broken."""

Client: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Scenario: TypeAlias = Callable[[Server, World], Awaitable[None]]


def serving(scenario: Scenario, network: NetworkSettings | None = None) -> None:
    """Run the scenario beside a started server, which is stopped afterwards."""

    async def run() -> None:
        world = World(VirtualClock())
        async with Server(create_app(world), network) as server, asyncio.timeout(WITHIN_S):
            await scenario(server, world)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run())


@contextlib.asynccontextmanager
async def connected(server: Server, request: str) -> AsyncIterator[Client]:
    """A raw connection on which that request, or the beginning of one, was sent."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    try:
        writer.write(request.encode())
        yield reader, writer
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


@contextlib.asynccontextmanager
async def watching(server: Server) -> AsyncIterator[Client]:
    """A watch of config maps whose headers have come; its events are in the reader."""
    request = "GET /api/v1/configmaps?watch=true&resourceVersion=0 HTTP/1.1\r\nHost: world\r\n\r\n"
    async with connected(server, request) as (reader, writer):
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        await reader.readuntil(b"\r\n\r\n")
        yield reader, writer


def post_head(length: int) -> str:
    """The head of a request that creates a config map."""
    return (
        "POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: world\r\n"
        f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    )


def config_map(name: str, size: int = 10) -> bytes:
    return orjson.dumps({"metadata": {"name": name}, "data": {"text": "x" * size}})


async def post(server: Server, body: bytes) -> httpx.Response:
    async with httpx.AsyncClient(base_url=server.url) as client:
        path = "/api/v1/namespaces/default/configmaps"
        return await client.post(path, content=body, headers={"content-type": "application/json"})


def test_the_url_is_known_before_it_starts_and_answers_after() -> None:
    async def scenario(server: Server, _: World) -> None:
        assert server.url == f"http://127.0.0.1:{server.port}"
        async with httpx.AsyncClient(base_url=server.url) as client:
            answer = await client.get("/readyz")
        assert (answer.status_code, answer.text) == (200, "ok")
        assert "date" not in answer.headers
        assert "server" not in answer.headers

    serving(scenario)


def test_two_servers_take_two_ports() -> None:
    first, second = (Server(create_app(World(VirtualClock()))) for _ in range(2))
    assert first.port != second.port
    asyncio.run(first.stop())
    asyncio.run(second.stop())


def test_a_port_in_use_is_told_with_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError) as raised:
            Server(create_app(World(VirtualClock())), NetworkSettings(port=port))
    assert str(raised.value) == (
        f"port: {port} cannot be used: cannot listen on it at 127.0.0.1 (Address already in use): "
        "give another port, or 0 for any"
    )


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid"])
def test_a_host_that_is_not_this_machine_is_told(host: str) -> None:
    with pytest.raises(ConfigError) as raised:
        Server(create_app(World(VirtualClock())), NetworkSettings(host=host))
    assert [problem.field for problem in raised.value.problems] == ["host"]


@pytest.mark.parametrize(
    ("host", "advertise", "shown"),
    [
        ("0.0.0.0", "", "127.0.0.1"),
        ("127.0.0.1", "api.example", "api.example"),
        ("::1", "", "[::1]"),
    ],
)
def test_clients_are_told_a_host_that_they_can_reach(host: str, advertise: str, shown: str) -> None:
    if host == "::1" and not socket.has_ipv6:
        pytest.skip("no IPv6 on this machine")
    try:
        server = Server(create_app(World(VirtualClock())), NetworkSettings(host=host, advertise=advertise))
    except ConfigError:
        if host == "::1":
            pytest.skip("no IPv6 loopback on this machine")
        raise
    assert server.url == f"http://{shown}:{server.port}"
    asyncio.run(server.stop())


def test_https_is_spoken_with_the_given_certificate() -> None:
    network = NetworkSettings(tls_cert=TLS / "cert.pem", tls_key=TLS / "key.pem")

    async def scenario(server: Server, _: World) -> None:
        trust = ssl.create_default_context(cafile=TLS / "cert.pem")
        async with httpx.AsyncClient(base_url=server.url, verify=trust) as client:
            assert (await client.get("/readyz")).status_code == 200

    serving(scenario, network)


def test_a_certificate_that_is_none_is_told() -> None:
    network = NetworkSettings(tls_cert=TLS / "key.pem", tls_key=TLS / "key.pem")
    with pytest.raises(ConfigError, match=r"tls_cert: .* cannot be used: TLS cannot be set up with it"):
        Server(create_app(World(VirtualClock())), network)


def test_connections_and_their_unsent_bytes_can_be_seen() -> None:
    async def scenario(server: Server, world: World) -> None:
        assert server.connections() == []
        async with watching(server) as (reader, _):  # which takes no more than its small buffer by itself
            assert len(server.connections()) == 1
            assert server.unsent() == 0
            for number in range(20):
                assert (await post(server, config_map(f"m{number}", 900_000))).status_code == 201
            await until(lambda: server.unsent() > 0)
            taking = asyncio.create_task(take_all(reader))
            await until(lambda: server.unsent() == 0)
            taking.cancel()
        await until(lambda: server.connections() == [])
        assert world.store.queued() == 0

    serving(scenario)


async def take_all(reader: asyncio.StreamReader) -> None:
    while await reader.read(1_000_000):
        pass


def test_a_graceful_stop_lets_a_request_finish_and_ends_watches() -> None:
    async def scenario(server: Server, _world: World) -> None:
        body = config_map("last")
        async with (
            watching(server) as (events, _),
            connected(server, post_head(len(body))) as (reader, writer),
        ):
            await until(lambda: server.app.kube.traffic.in_flight == 1)
            stopping = asyncio.create_task(server.stop())
            await asyncio.sleep(0)  # it has begun to stop before the body comes
            writer.write(body)
            assert (await reader.readline()).startswith(b"HTTP/1.1 201")
            assert b'"name":"last"' in await events.read(-1)
            await stopping
        with pytest.raises(ConnectionError):
            await asyncio.open_connection("127.0.0.1", server.port)

    serving(scenario)


def test_a_quick_stop_waits_for_nobody() -> None:
    async def scenario(server: Server, _world: World) -> None:
        async with watching(server) as (events, _), connected(server, post_head(1000)):
            await until(lambda: server.app.kube.traffic.in_flight == 1)
            await server.stop(quick=True)
            assert server.connections() == []
            assert server.task.done()
            with contextlib.suppress(ConnectionError):  # cut or ended, but over
                await events.read(-1)

    serving(scenario)


def test_stopping_twice_is_allowed() -> None:
    async def scenario(server: Server, _: World) -> None:
        await server.stop()
        await server.stop()

    serving(scenario)


def test_a_watch_whose_client_left_is_forgotten() -> None:
    async def scenario(server: Server, world: World) -> None:
        async with watching(server):
            pass
        await until(lambda: server.connections() == [])
        await post(server, config_map("later"))
        assert world.store.queued() == 0
        assert server.app.kube.traffic.in_flight == 0

    serving(scenario)
