"""Connections that the scheduler wants to open and the server's kernel has turned away for now.

When more clients connect at once than a listening socket may keep waiting, the kernel drops their packets and
they try again after a second of real time. Until then they sleep, and look idle. Such a client may even take
its connection for open and have sent a request, of which the server knows nothing yet.
"""

import socket
import struct
from collections.abc import Callable, Iterable
from typing import Final

from evaluator.pace import procnet
from evaluator.pace.borrowed import BorrowedSocket
from evaluator.pace.pace import SocketLike

_SO_MEMINFO: Final = 55
"""Linux on all common architectures; Python's :mod:`socket` has no name for it."""

_MEMINFO: Final = struct.Struct("=9I")
_DROPS: Final = 8
"""Place of the number of dropped packets among the figures."""


class Backlog:
    """The listening sockets, and whether the scheduler waits for room in their queues.

    ``pid`` is a process of the scheduler; ``inodes`` lists the sockets that all of its processes hold open;
    ``accepted`` lists the ports of the clients that the server knows.
    """

    def __init__(self, pid: int, inodes: Callable[[], set[int]], accepted: Callable[[], set[int]]) -> None:
        self._pid = pid
        self._inodes = inodes
        self._accepted = accepted
        self._listeners: list[BorrowedSocket] = []
        self._settled: dict[int, int] = {}

    def update(self, listeners: Iterable[SocketLike]) -> None:
        """Take note of the sockets on which the server accepts."""
        self._listeners = [BorrowedSocket.of(listener) for listener in listeners if listener.fileno() >= 0]

    def waiting(self) -> str | None:
        """Describe connections that were turned away and are still wanted; None when there are none.

        Costs one short call for each socket unless packets were dropped since the last time.
        """
        for listener in self._listeners:
            drops = _drops(listener)
            if drops == self._settled.setdefault(listener.fileno(), 0):
                continue
            port = listener.getsockname()[1]
            clients = procnet.clients_of(self._pid, port)
            ours = {clients[inode] for inode in clients.keys() & self._inodes()}
            waiting = ours - self._accepted()
            if waiting:
                return f"{len(waiting)} connections to port {port} were turned away and will be tried again"
            self._settled[listener.fileno()] = drops
        return None


def _drops(listener: socket.socket) -> int:
    if listener.family not in (socket.AF_INET, socket.AF_INET6):
        return 0
    figures = listener.getsockopt(socket.SOL_SOCKET, _SO_MEMINFO, _MEMINFO.size)
    return int(_MEMINFO.unpack(figures)[_DROPS]) if len(figures) == _MEMINFO.size else 0
