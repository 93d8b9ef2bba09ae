"""Whether the scheduler has read every byte that the server sent to it.

The send queue of our own socket is no proof: over loopback it also counts bytes that were delivered and whose
acknowledgement is delayed, up to 40 ms. So the other end is asked: its receive queue must be empty and it
must have received as many bytes as ours has sent.
"""

import fcntl
import socket
import struct
import termios
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from evaluator.pace import procnet
from evaluator.pace.borrowed import BorrowedSocket
from evaluator.pace.netlink import Endpoints, SockDiag, SocketState
from evaluator.pace.pace import Address, SocketLike

BY_SOCK_DIAG: Final = "sock_diag"
BY_PROC_NET: Final = "proc_net"
BY_UNACKED: Final = "unacked"

_TCP_INFO_SIZE: Final = 216
"""Bytes of ``struct tcp_info`` up to and including the last field used here (Linux 4.19)."""
_STATE_OFFSET: Final = 0
_NOT_SENT: Final = struct.Struct("=I")
_NOT_SENT_OFFSET: Final = 144
_SENT: Final = struct.Struct("=QQ")
_SENT_OFFSET: Final = 200
"""Bytes sent, repetitions included, and bytes repeated."""

_ESTABLISHED: Final = 1
_INTERNET: Final = (socket.AF_INET, socket.AF_INET6)
_INT: Final = struct.Struct("=i")


class SentState(NamedTuple):
    """What our own end of a TCP connection says about the bytes it was given."""

    sent: int
    """Bytes that left for the other end, each counted once."""

    not_sent: int
    """Bytes that the kernel still holds back, as the other end has no room for them."""

    established: bool


def sent_state(sock: socket.socket) -> SentState | None:
    """Look at our end of a connection; None when it was closed a moment ago."""
    try:
        info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_SIZE)
    except OSError:
        return None
    sent, repeated = _SENT.unpack_from(info, _SENT_OFFSET)
    not_sent = _NOT_SENT.unpack_from(info, _NOT_SENT_OFFSET)[0]
    return SentState(sent - repeated, not_sent, info[_STATE_OFFSET] == _ESTABLISHED)


@dataclass(slots=True)
class _Connection:
    """The server's end of one connection."""

    source: SocketLike
    """The server's own object; another one stands for another connection, even with the same number."""

    view: BorrowedSocket
    client: Address
    other_end: Endpoints | None
    """None for anything but TCP."""

    ours: bool | None = None
    """Whether the other end belongs to the scheduler; None until it was looked up."""

    proven: int = -1
    """Bytes sent when the other end was last seen to have read them all."""


class Deliveries:
    """The connections of the server, and which of them hold bytes that the scheduler has not read.

    ``pid`` is a process of the scheduler; ``inodes`` lists the sockets that all of its processes hold open.
    """

    def __init__(self, pid: int, inodes: Callable[[], set[int]]) -> None:
        self._pid = pid
        self._inodes = inodes
        self._known_inodes: set[int] = set()
        self._suspects: set[Address] = set()
        self._connections: dict[int, _Connection] = {}
        self._diag = _open_diag()
        self.method = BY_SOCK_DIAG if self._diag else BY_PROC_NET
        """How the last bytes were looked for; it falls back for good when a way turns out closed."""

    def update(self, sockets: Iterable[SocketLike]) -> None:
        """Take note of connections opened and closed."""
        known, self._connections = self._connections, {}
        for sock in sockets:
            descriptor = sock.fileno()
            if descriptor < 0:
                continue
            old = known.get(descriptor)
            connection = old if old is not None and old.source is sock else _connection(sock)
            if connection is not None:
                self._connections[descriptor] = connection

    def outstanding(self, written: set[Address] | None = None) -> str | None:
        """Describe a connection with bytes that the scheduler has not read; None when it has read all.

        ``written`` are the clients that anything was written to since the last question: only those, and
        those that had not read everything then, are looked at; without it, all are.
        """
        self._suspects |= self.clients() if written is None else written
        for connection in self._connections.values():
            if connection.client not in self._suspects:
                continue
            problem = None if connection.ours is False else self._outstanding(connection)
            if problem is not None:
                return problem
        # Nothing can have been written meanwhile: the server has no turn during this look.
        self._suspects.clear()
        return None

    def clients(self) -> set[Address]:
        """The addresses of all clients."""
        return {connection.client for connection in self._connections.values()}

    def client_ports(self) -> set[int]:
        """The ports of all clients."""
        return {port for _, port in self.clients()}

    def unsent(self, waiting: Mapping[Address, int]) -> str | None:
        """Describe a client of the scheduler's for which bytes wait in user space; None if there is none."""
        if not waiting:
            return None
        foreign = {
            connection.client for connection in self._connections.values() if not self._is_ours(connection)
        }
        for client, size in waiting.items():
            if size and client not in foreign:
                return f"{size} bytes wait in the server for {_shown(client)}"
        return None

    def close(self) -> None:
        """Let go of the channel to the kernel."""
        if self._diag is not None:
            self._diag.close()

    def _outstanding(self, connection: _Connection) -> str | None:
        if connection.other_end is None:
            return self._unacked(connection)
        ours = sent_state(connection.view)
        if ours is None or (ours.sent == connection.proven and not ours.not_sent):
            return None
        theirs = self._other_end(connection.other_end)
        if theirs is None:
            # Not to be seen from here; or closed from the other end, where nothing more will be read then.
            return self._unacked(connection) if ours.established else None
        if not self._learn_owner(connection, theirs):
            return None
        if ours.not_sent:
            return f"{ours.not_sent} bytes wait in the kernel for {_shown(connection.client)}"
        on_the_way = 0 if theirs.received is None else max(0, ours.sent - theirs.received)
        if theirs.unread or on_the_way:
            return f"{theirs.unread + on_the_way} bytes not read by {_shown(connection.client)}"
        connection.proven = ours.sent
        return None

    def _is_ours(self, connection: _Connection) -> bool:
        if connection.ours is None and connection.other_end is not None:
            state = self._other_end(connection.other_end)
            if state is not None:
                self._learn_owner(connection, state)
        return connection.ours is not False

    def _learn_owner(self, connection: _Connection, state: SocketState) -> bool:
        """Whether the other end is the scheduler's; found out once, as sockets do not change hands."""
        if connection.ours is None:
            if not state.inode:  # nobody holds it any more
                return False
            if state.inode not in self._known_inodes:
                self._known_inodes = self._inodes()
            connection.ours = state.inode in self._known_inodes
        return connection.ours

    def _other_end(self, endpoints: Endpoints) -> SocketState | None:
        if self._diag is not None:
            try:
                state = self._diag.lookup(endpoints)
            except OSError:
                self._diag.close()
                self._diag = None
            else:
                if state is not None:
                    self.method = BY_SOCK_DIAG
                    return state
        state = procnet.lookup(self._pid, endpoints)
        if state is not None:
            self.method = BY_PROC_NET
        return state

    def _unacked(self, connection: _Connection) -> str | None:
        """The last resort: bytes in our send queue, the unacknowledged included."""
        self.method = BY_UNACKED
        try:
            queued = _INT.unpack(fcntl.ioctl(connection.view, termios.TIOCOUTQ, bytes(_INT.size)))[0]
        except OSError:
            return None
        return f"{queued} bytes not acknowledged by {_shown(connection.client)}" if queued else None


def _open_diag() -> SockDiag | None:
    try:
        return SockDiag()
    except OSError:
        return None


def _connection(sock: SocketLike) -> _Connection | None:
    """Read a connection's addresses; None when it has just been closed."""
    try:
        view = BorrowedSocket.of(sock)
        theirs = view.getpeername()
        other_end = endpoints_of(view).reversed() if view.family in _INTERNET else None
    except OSError:
        return None
    return _Connection(sock, view, client_of(theirs), other_end)


def client_of(name: Any) -> Address:
    """The address by which a client is told apart, from the name of its end; kinds without a port have 0."""
    return (name[0], name[1]) if isinstance(name, tuple) else (str(name), 0)


def endpoints_of(sock: socket.socket) -> Endpoints:
    """A TCP connection as this end of it names it; IPv4 over an IPv6 socket as plain IPv4.

    Raises:
        OSError: it is not connected.
    """
    family: int = sock.family
    ours, theirs = sock.getsockname(), sock.getpeername()
    packed = [socket.inet_pton(family, end[0].partition("%")[0]) for end in (ours, theirs)]
    if all(address.startswith(procnet.MAPPED_PREFIX) for address in packed):
        family = socket.AF_INET
        packed = [address[len(procnet.MAPPED_PREFIX) :] for address in packed]
    return Endpoints(family, packed[0], ours[1], packed[1], theirs[1])


def _shown(client: Address) -> str:
    return f"{client[0]}:{client[1]}"
