"""A server beside other work in one event loop: started, looked into, stopped, with watches open or not."""

import asyncio
import contextlib
import errno
import socket
import ssl
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Final

import uvicorn

from fakeapi.app import Application
from fakeapi.config import ConfigError, NetworkSettings, Problem
from fakeapi.connection import Connection

BACKLOG: Final = 2048
"""Connections that may wait to be accepted: thousands of clients starting at one instant are fine."""
KEEP_ALIVE_S: Final = 3600
"""Idle connections stay: in virtual time a scheduler idles for days between two requests, and a
connection that closes as it is taken up again would cost it an error and a retry."""
DRAIN_S: Final = 5.0
"""Real seconds that requests in flight have to finish at a graceful stop."""
CLOSE_S: Final = 1.0
"""Real seconds that a client has to take what is left to send before its connection is cut."""
_POLL_S: Final = 0.005
_WILDCARDS: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  what they are called, not a binding


class Server:
    """Serves an application on a socket that is bound before it starts, so that its URL is known.

    Raises:
        ConfigError: the address cannot be listened on, or the TLS files cannot be used.
    """

    def __init__(self, app: Application, network: NetworkSettings | None = None) -> None:
        self.app: Final = app
        self._network = network or NetworkSettings()
        self._uvicorn = _Uvicorn(_uvicorn_config(app, self._network))
        self.listener: Final = _bind(self._network)
        """The socket that connections are accepted on."""
        self.port: Final[int] = self.listener.getsockname()[1]
        """The TCP port, the chosen one where any was asked for."""
        self._task: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        """Where clients find the server."""
        host = self._network.advertise or _WILDCARDS.get(self._network.host, self._network.host)
        scheme = "https" if self._network.secure else "http"
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{self.port}"

    @property
    def task(self) -> "asyncio.Task[None]":
        """The task that serves, for whoever must notice that it ends."""
        assert self._task is not None, "the server was not started"
        return self._task

    async def start(self) -> None:
        """Accept connections from now on."""
        self._task = asyncio.create_task(self._uvicorn.serve(sockets=[self.listener]), name="fakeapi-server")
        accepting = asyncio.create_task(self._uvicorn.accepting.wait())
        await asyncio.wait((self._task, accepting), return_when=asyncio.FIRST_COMPLETED)
        accepting.cancel()
        if self._task.done():
            await self._task  # raises what went wrong

    def connections(self) -> list[asyncio.Transport]:
        """The transports of all open connections."""
        protocols = self._uvicorn.server_state.connections
        return [protocol.transport for protocol in protocols]

    def protocols(self) -> AbstractSet[object]:
        """The open connections as the server keeps them: cheap to compare with what they were."""
        return self._uvicorn.server_state.connections

    def unsent(self) -> int:
        """Bytes that wait in the transports' buffers for clients to take them."""
        return sum(transport.get_write_buffer_size() for transport in self.connections())

    async def stop(self, *, quick: bool = False) -> None:
        """Stop: accept nothing more, let requests finish, then end the watches; ``quick`` cuts them all.

        Stopping twice, and stopping what never started, is allowed.
        """
        if self._task is None:
            self.listener.close()
            return
        self._uvicorn.leave()
        for server in self._uvicorn.servers:
            server.close()
        if not quick:
            await self._until_idle()
            await self._close_connections()
        self._uvicorn.force_exit = True
        for transport in self.connections():
            transport.abort()
        await asyncio.wait((self._task,))
        await self._task

    async def _until_idle(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_S):
                while self.app.kube.traffic.in_flight:
                    await asyncio.sleep(_POLL_S)

    async def _close_connections(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                while transports := self.connections():
                    for transport in transports:
                        transport.close()  # what is buffered is still sent
                    await asyncio.sleep(_POLL_S)

    async def __aenter__(self) -> "Server":
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop(quick=True)


class _Uvicorn(uvicorn.Server):
    """uvicorn as a guest: signals belong to the program around it, and nothing ticks while it serves."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.accepting = asyncio.Event()
        self._leaving = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.accepting.set()

    async def main_loop(self) -> None:
        # Once, for the headers of answers; what uvicorn does at each later tick is not in use here.
        await self.on_tick(0)
        await self._leaving.wait()

    def leave(self) -> None:
        """Go on from serving to shutting down."""
        self.should_exit = True
        self._leaving.set()


def _uvicorn_config(app: Application, network: NetworkSettings) -> uvicorn.Config:
    config = uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        lifespan="off",
        interface="asgi3",
        access_log=False,
        proxy_headers=False,
        log_config=None,
        # The server's own clock and name would differ between runs that are otherwise the same.
        date_header=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_S,
        ssl_certfile=network.tls_cert,
        ssl_keyfile=network.tls_key,
    )
    try:
        config.load()
    except (OSError, ssl.SSLError) as error:
        advice = f"TLS cannot be set up with it: {error}"
        raise ConfigError(Problem("tls_cert", str(network.tls_cert), advice)) from error
    return config


def _bind(network: NetworkSettings) -> socket.socket:
    try:
        found = socket.getaddrinfo(
            network.host, network.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except OSError as error:
        advice = f"it is no address of this machine ({error}): try 127.0.0.1"
        raise ConfigError(Problem("host", network.host, advice)) from error
    family, kind, protocol, _, address = found[0]
    listener = socket.socket(family, kind, protocol)
    try:
        # Lets a restarted server have its port back while connections of the last one linger.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        raise ConfigError(_unbound(network, error)) from error
    return listener


def _unbound(network: NetworkSettings, error: OSError) -> Problem:
    if error.errno == errno.EADDRNOTAVAIL:
        return Problem("host", network.host, f"it is no address of this machine ({error.strerror})")
    advice = f"cannot listen on it at {network.host} ({error.strerror}): give another port, or 0 for any"
    return Problem("port", network.port, advice)
