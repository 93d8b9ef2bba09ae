"""How much the server has been asked and still owes: the counters that idleness is judged by."""

from collections.abc import Sized
from typing import Final, TypeAlias

Address: TypeAlias = tuple[str, int]
"""Host and port of a client's end of a connection, as in ASGI's ``scope["client"]``."""


class Traffic:
    """Requests begun and requests that still wait for the whole of their answer."""

    def __init__(self) -> None:
        self.requests = 0
        """Requests begun so far, watches included. It never falls."""
        self.in_flight = 0
        """Requests begun and not yet answered in whole; an open watch counts until its headers are sent."""
        self.watches: Final[dict[Sized, Address]] = {}
        """The queues of open watches, each with the client that reads it."""
        self._written: set[Address] = set()

    def writing_to(self, client: Address) -> None:
        """Something is about to be written to that client."""
        self._written.add(client)

    def take_written(self) -> set[Address]:
        """The clients that anything was written to since the last question."""
        taken, self._written = self._written, set()
        return taken

    def queued(self) -> dict[Address, int]:
        """Watch events that wait to be written, by client; clients without any are left out."""
        waiting: dict[Address, int] = {}
        for queue, client in self.watches.items():
            if length := len(queue):
                waiting[client] = waiting.get(client, 0) + length
        return waiting

    def begin(self) -> None:
        """A request has come."""
        self.requests += 1
        self.in_flight += 1

    def end(self) -> None:
        """A request has its answer, or was given up."""
        self.in_flight -= 1
