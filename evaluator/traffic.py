"""What the in-process API server tells a pace about its connections and what it still owes to each."""

import socket
from collections.abc import Mapping, Sequence
from typing import Final

from evaluator.pace.pace import Address, SocketLike
from fakeapi.serve import Server


class ServerTraffic:
    """The :class:`~evaluator.pace.pace.Traffic` of one server; read in the server's own loop."""

    def __init__(self, server: Server) -> None:
        self._server: Final = server
        self._api: Final = server.app.kube.traffic
        self._known: set[object] = set()
        self._changes = 0
        self._sockets: dict[object, SocketLike] = {}

    @property
    def requests(self) -> int:
        """Requests begun so far, watches included."""
        return self._api.requests

    @property
    def in_flight(self) -> int:
        """Requests begun and not yet answered in whole."""
        return self._api.in_flight

    @property
    def connections(self) -> int:
        """Grows whenever the set of open connections has changed."""
        present = self._server.protocols()
        if present != self._known:
            self._known = set(present)
            self._changes += 1
        return self._changes

    def take_written(self) -> set[Address]:
        """The clients that anything was written to since the last question."""
        return self._api.take_written()

    def unsent(self) -> Mapping[Address, int]:
        """Watch events and bytes that wait in user space, by client."""
        waiting = self._api.queued()
        for transport in self._server.connections():
            if size := transport.get_write_buffer_size():
                host, port = transport.get_extra_info("peername")[:2]
                waiting[host, port] = waiting.get((host, port), 0) + size
        return waiting

    def sockets(self) -> Sequence[SocketLike]:
        """The server's ends of all open connections; the same object for as long as one is open."""
        known, self._sockets = self._sockets, {}
        for transport in self._server.connections():
            sock = known.get(transport) or transport.get_extra_info("socket")
            if sock is not None:
                self._sockets[transport] = sock
        return list(self._sockets.values())

    def listeners(self) -> Sequence[socket.socket]:
        """The socket on which the server accepts."""
        return [self._server.listener]
