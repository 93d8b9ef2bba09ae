"""Asking ``/proc/PID/net/tcp`` about one TCP socket: where sock_diag is not offered, or does not see it.

A process's own view: it also works for a process in another network namespace, whose sockets ours does not
know. It reads the table of all sockets, so that it costs more the more there are.
"""

import socket
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from evaluator.pace.netlink import Endpoints, SocketState

_TABLES: Final = {socket.AF_INET: "tcp", socket.AF_INET6: "tcp6"}
_WORD: Final = 4
_HEX: Final = 16

# Fields of a line, split at blanks: number, local address, remote address, state, queues, …, inode.
_LOCAL: Final = 1
_REMOTE: Final = 2
_STATE: Final = 3
_QUEUES: Final = 4
_INODE: Final = 9

_WANTED: Final = frozenset({"01", "02"})
"""States of a connection that its end takes for open, or is opening."""

MAPPED_PREFIX: Final = b"\0" * 10 + b"\xff\xff"
"""Begin of an IPv6 address that stands for an IPv4 one, as sockets that serve both kinds show it."""


def lookup(pid: int, endpoints: Endpoints) -> SocketState | None:
    """The state of the end that ``endpoints`` names, as the process sees it; None when it sees none."""
    wanted = {
        (name(seen.address, seen.port), name(seen.other_address, seen.other_port)): seen
        for seen in _spellings(endpoints)
    }
    for family in {seen.family for seen in wanted.values()}:
        for fields in _rows(pid, family):
            if (fields[_LOCAL], fields[_REMOTE]) in wanted:
                unread = int(fields[_QUEUES].partition(":")[2], _HEX)
                return SocketState(int(fields[_INODE]), unread, None)
    return None


def clients_of(pid: int, port: int) -> dict[int, int]:
    """Ends of connections to ``port``, open or being opened, as a process sees them: own port by inode."""
    return {
        int(fields[_INODE]): int(fields[_LOCAL].partition(":")[2], _HEX)
        for family in _TABLES
        for fields in _rows(pid, family)
        if fields[_STATE] in _WANTED and fields[_REMOTE].endswith(f":{port:04X}")
    }


def _spellings(endpoints: Endpoints) -> Iterator[Endpoints]:
    """A connection over IPv4 may stand in either table, depending on the kind of its socket."""
    yield endpoints
    if endpoints.family == socket.AF_INET:
        yield Endpoints(
            socket.AF_INET6,
            MAPPED_PREFIX + endpoints.address,
            endpoints.port,
            MAPPED_PREFIX + endpoints.other_address,
            endpoints.other_port,
        )


def _rows(pid: int, family: int) -> Iterator[list[str]]:
    with (
        suppress(OSError),
        open(f"/proc/{pid}/net/{_TABLES[socket.AddressFamily(family)]}", encoding="ascii") as file,
    ):
        next(file)
        for line in file:
            yield line.split()


def name(address: bytes, port: int) -> str:
    """An address and port as these tables write them: 4 bytes at a time as numbers of the machine."""
    words = (address[at : at + _WORD][::-1].hex().upper() for at in range(0, len(address), _WORD))
    return f"{''.join(words)}:{port:04X}"
