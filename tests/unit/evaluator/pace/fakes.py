"""A server's traffic as a test wants it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from evaluator.pace.borrowed import BorrowedSocket
from evaluator.pace.pace import Address, SocketLike
from evaluator.pace.unread import client_of


@dataclass
class FakeTraffic:
    """Says what it is told to; ``on_look`` is called whenever somebody asks for the requests in flight."""

    requests: int = 0
    flying: int = 0
    connections: int = 0
    waiting: dict[Address, int] = field(default_factory=dict)
    ends: list[SocketLike] = field(default_factory=list)
    doors: list[SocketLike] = field(default_factory=list)
    on_look: Callable[["FakeTraffic"], None] = lambda _: None

    @property
    def in_flight(self) -> int:
        """See :class:`Traffic`."""
        self.on_look(self)
        return self.flying

    def unsent(self) -> Mapping[Address, int]:
        """See :class:`Traffic`."""
        return self.waiting

    def take_written(self) -> set[Address]:
        """See :class:`Traffic`: what a test writes goes past it, so anybody may have been written to."""
        views = [BorrowedSocket.of(end) for end in self.ends if end.fileno() >= 0]
        return {client_of(view.getpeername()) for view in views}

    def sockets(self) -> Sequence[SocketLike]:
        """See :class:`Traffic`."""
        return self.ends

    def listeners(self) -> Sequence[SocketLike]:
        """See :class:`Traffic`."""
        return self.doors
