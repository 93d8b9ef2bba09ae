"""Looking at sockets that belong to the server, whatever make its socket objects are."""

import socket
from typing import Self

from evaluator.pace.pace import SocketLike


class BorrowedSocket(socket.socket):
    """A view of somebody else's socket, which it never closes."""

    @classmethod
    def of(cls, sock: SocketLike) -> Self:
        """A view of an open socket.

        Raises:
            OSError: it is not open.
        """
        return cls(fileno=sock.fileno())

    def __del__(self) -> None:
        self.detach()
