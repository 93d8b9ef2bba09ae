"""Asking the kernel about one TCP socket by its two addresses (sock_diag(7)).

An exact lookup, not a dump: some ten microseconds however many sockets there are.
"""

import errno
import os
import socket
import struct
from dataclasses import dataclass
from typing import Final

NETLINK_SOCK_DIAG: Final = 4
_SOCK_DIAG_BY_FAMILY: Final = 20
_NLM_F_REQUEST: Final = 1
_NLMSG_ERROR: Final = 2
_INET_DIAG_INFO: Final = 2
_NO_COOKIE: Final = 0xFFFF_FFFF
_ALL_STATES: Final = 0xFFFF_FFFF

_HEADER: Final = struct.Struct("=IHHII")
_REQUEST: Final = struct.Struct("=BBBxI")
_PORTS: Final = struct.Struct("!HH")
_INTERFACE_AND_COOKIE: Final = struct.Struct("=III")
_ADDRESS_SIZE: Final = 16
_ANSWER_QUEUES: Final = struct.Struct("=IIIII")
"""The end of an answer's fixed part: expires, bytes unread, bytes unsent or unacknowledged, user, inode."""
_ID_SIZE: Final = _PORTS.size + 2 * _ADDRESS_SIZE + _INTERFACE_AND_COOKIE.size
_FIXED_SIZE: Final = 4 + _ID_SIZE + _ANSWER_QUEUES.size
_ATTRIBUTE: Final = struct.Struct("=HH")
_BYTES_RECEIVED_OFFSET: Final = 128
"""Of ``tcpi_bytes_received`` in ``struct tcp_info``: bytes received in order, a FIN counted as one."""

_ANSWER_LIMIT: Final = 8192


@dataclass(frozen=True, slots=True)
class Endpoints:
    """A connection as one of its ends names it: its own address and port, then the other's."""

    family: int
    address: bytes
    port: int
    other_address: bytes
    other_port: int

    def reversed(self) -> "Endpoints":
        """The same connection as the other end names it."""
        return Endpoints(self.family, self.other_address, self.other_port, self.address, self.port)


@dataclass(frozen=True, slots=True)
class SocketState:
    """What the kernel says about one end of a connection."""

    inode: int
    """0 once no process holds it open."""

    unread: int
    """Bytes received and not yet read by its process."""

    received: int | None
    """Bytes received in order so far; None where that is not told."""


class SockDiag:
    """A channel to the kernel for such questions.

    Raises:
        OSError: from the constructor, where the kernel or a sandbox does not offer it.
    """

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, NETLINK_SOCK_DIAG)

    def lookup(self, endpoints: Endpoints) -> SocketState | None:
        """The state of the end that ``endpoints`` names; None when this network namespace has no such socket.

        Raises:
            OSError: the kernel does not answer such questions.
        """
        self._socket.send(_question(endpoints))
        answer = self._socket.recv(_ANSWER_LIMIT)
        kind = _HEADER.unpack_from(answer)[1]
        if kind == _NLMSG_ERROR:
            code = -int.from_bytes(answer[_HEADER.size : _HEADER.size + 4], "little", signed=True)
            if code == errno.ENOENT:
                return None
            raise OSError(code, os.strerror(code))
        return _state(answer)

    def close(self) -> None:
        """Close the channel."""
        self._socket.close()


def _question(endpoints: Endpoints) -> bytes:
    body = (
        _REQUEST.pack(endpoints.family, socket.IPPROTO_TCP, 1 << (_INET_DIAG_INFO - 1), _ALL_STATES)
        + _PORTS.pack(endpoints.port, endpoints.other_port)
        + endpoints.address.ljust(_ADDRESS_SIZE, b"\0")
        + endpoints.other_address.ljust(_ADDRESS_SIZE, b"\0")
        + _INTERFACE_AND_COOKIE.pack(0, _NO_COOKIE, _NO_COOKIE)
    )
    return _HEADER.pack(_HEADER.size + len(body), _SOCK_DIAG_BY_FAMILY, _NLM_F_REQUEST, 0, 0) + body


def _state(answer: bytes) -> SocketState:
    _expires, unread, _unsent, _user, inode = _ANSWER_QUEUES.unpack_from(answer, _HEADER.size + 4 + _ID_SIZE)
    return SocketState(inode, unread, _bytes_received(answer))


def _bytes_received(answer: bytes) -> int | None:
    offset = _HEADER.size + _FIXED_SIZE
    while offset + _ATTRIBUTE.size <= len(answer):
        size, kind = _ATTRIBUTE.unpack_from(answer, offset)
        if kind == _INET_DIAG_INFO:
            start = offset + _ATTRIBUTE.size + _BYTES_RECEIVED_OFFSET
            return int.from_bytes(answer[start : start + 8], "little")
        offset += max(-(-size // 4) * 4, _ATTRIBUTE.size)  # attributes are aligned to 4 bytes
    return None
