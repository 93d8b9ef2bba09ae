"""What the tests of this package drive: a tiny HTTP server, a program that watches it, a pace between."""

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from evaluator.pace.pace import Address, SocketLike
from evaluator.pace.proven import WarpPace
from evaluator.warp.clock import ClockMode
from evaluator.warp.launch import Launch
from evaluator.warp.process import WarpedProcess
from evaluator.warp.threads import Kick
from fakeapi.kernel.clock import DEFAULT_START
from fakeapi.kernel.time import SECOND, Duration, Instant

ASYNCIO_WORKER: Final = Path(__file__).parents[3] / "programs" / "asyncio_worker.py"

LIMIT: Final[Duration] = 20 * SECOND
"""How long a proof may take: only reached where something is broken."""


@dataclass
class Said:
    """An answer of the program: its words, what its clocks showed, and the simulation's time when it came."""

    words: str
    wall: Instant
    monotonic: Duration
    at: Instant


@dataclass
class TinyServer:
    """Serves ``GET /watch`` as a stream of lines and ``POST /say``; tells of its traffic as a server does."""

    requests: int = 0
    in_flight: int = 0
    connections: int = 0
    now: Instant = DEFAULT_START
    said: list[Said] = field(default_factory=list)
    watches: list[asyncio.Transport] = field(default_factory=list)
    ended_watches: int = 0
    hold: bool = False
    """Answer no ``POST`` until told to."""
    held: list["_Connection"] = field(default_factory=list)
    _open: set["_Connection"] = field(default_factory=set)
    _server: asyncio.Server | None = None

    async def start(self) -> str:
        """Listen; the address to reach it at."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self), "127.0.0.1", 0)
        self.connections += 1
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def stop(self) -> None:
        """Close all."""
        if self._server is not None:
            self._server.close()
        for connection in list(self._open):
            connection.transport.abort()
        await asyncio.sleep(0)

    def take_written(self) -> set[Address]:
        """See :class:`Traffic`."""
        return {connection.client for connection in self._open}

    def sockets(self) -> Sequence[SocketLike]:
        """See :class:`Traffic`."""
        return [connection.transport.get_extra_info("socket") for connection in self._open]

    def listeners(self) -> Sequence[SocketLike]:
        """See :class:`Traffic`."""
        return list(self._server.sockets) if self._server is not None else []

    def unsent(self) -> Mapping[Address, int]:
        """See :class:`Traffic`."""
        sizes = {connection.client: connection.transport.get_write_buffer_size() for connection in self._open}
        return {client: size for client, size in sizes.items() if size}

    def push(self, line: str) -> None:
        """Send a line to every watch."""
        for watch in self.watches:
            watch.write(line.encode() + b"\n")

    def answer_held(self) -> None:
        """Answer what :attr:`hold` kept back."""
        self.hold = False
        for connection in self.held:
            connection.answer()
        self.held.clear()

    def opened(self, connection: "_Connection") -> None:
        """Note a connection."""
        self._open.add(connection)
        self.connections += 1

    def closed(self, connection: "_Connection") -> None:
        """Note a connection's end."""
        self._open.discard(connection)
        self.connections += 1
        if connection.transport in self.watches:
            self.watches.remove(connection.transport)
            self.ended_watches += 1


class _Connection(asyncio.Protocol):
    """One connection: requests one after the other, each with a length."""

    def __init__(self, server: TinyServer) -> None:
        self.server = server
        self.buffer = b""
        self.transport: Any = None
        self.client: Address = ("", 0)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.client = transport.get_extra_info("peername")
        self.server.opened(self)

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self.server.closed(self)

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end].decode().lower().split("\r\n")
            lengths = [int(line.split(":")[1]) for line in head if line.startswith("content-length:")]
            size = end + 4 + (lengths[0] if lengths else 0)
            if len(self.buffer) < size:
                return
            body, self.buffer = self.buffer[end + 4 : size], self.buffer[size:]
            self.respond(head[0], body.decode())

    def respond(self, request: str, body: str) -> None:
        self.server.requests += 1
        if request.startswith("get /watch"):
            self.transport.write(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")
            self.server.watches.append(self.transport)
            return
        words, wall, monotonic = body.rsplit(" ", 2)
        self.server.said.append(Said(words, int(wall), int(monotonic), self.server.now))
        self.server.in_flight += 1
        if self.server.hold:
            self.server.held.append(self)
        else:
            self.answer()

    def answer(self) -> None:
        self.transport.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
        self.server.in_flight -= 1


@dataclass
class Rig:
    """A program under a pace, and the steps of a run loop."""

    server: TinyServer
    process: WarpedProcess
    pace: WarpPace

    @property
    def now(self) -> Instant:
        """The simulation's time."""
        return self.server.now

    async def at(self, instant: Instant, *lines: str) -> None:
        """Move to an instant, let its events happen, wait until the program has dealt with them."""
        await self.pace.begin_instant()
        self.pace.jump(instant)
        self.server.now = instant
        for line in lines:
            self.server.push(line)
        await self.pace.end_instant()
        await self.pace.idle()

    async def until(self, instant: Instant) -> None:
        """Move to an instant by way of every instant at which the program wakes by itself."""
        while (wakeup := self.pace.next_wakeup()) is not None and wakeup < instant:
            await self.at(wakeup)
        await self.at(instant)

    def words(self) -> list[str]:
        """What was said so far."""
        return [said.words for said in self.server.said]


@asynccontextmanager
async def rig(
    argv: Sequence[str], mode: ClockMode, kick: Kick, *, lead_in: Duration = 0
) -> AsyncIterator[Rig]:
    """Start a server and a program, wait until it watches; the simulation stands at the usual start.

    The program's clock begins ``lead_in`` earlier, so that what its start takes for real is no lead.
    """
    server = TinyServer()
    url = await server.start()
    now = DEFAULT_START - lead_in
    process = WarpedProcess.start(Launch([*argv, url]), mode=mode, kick=kick, now=now)
    try:
        pace = WarpPace(process, server, limit=LIMIT)
        try:
            while not server.watches:
                await pace.idle()
            yield Rig(server, process, pace)
        finally:
            pace.close()
    finally:
        if process.child is not None:
            process.child.kill()
        await server.stop()


def frozen_worker(**options: Any) -> Any:
    """The asyncio program under a frozen clock."""
    return rig([sys.executable, str(ASYNCIO_WORKER)], ClockMode.FROZEN, Kick.EPOLL, **options)


def running_worker(**options: Any) -> Any:
    """The asyncio program under a running clock."""
    return rig([sys.executable, str(ASYNCIO_WORKER)], ClockMode.RUNNING, Kick.EPOLL, **options)
