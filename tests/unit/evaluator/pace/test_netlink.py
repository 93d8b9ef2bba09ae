"""Asking about one TCP socket: by sock_diag and by /proc/PID/net/tcp, which must agree."""

import errno
import os
import socket
import struct
from collections.abc import Callable, Iterator

import pytest

from evaluator.pace import procnet
from evaluator.pace.netlink import Endpoints, SockDiag, SocketState
from evaluator.pace.unread import endpoints_of
from tests.support.polling import eventually


def by_sock_diag(endpoints: Endpoints) -> SocketState | None:
    """Ask by netlink."""
    diag = SockDiag()
    try:
        return diag.lookup(endpoints)
    finally:
        diag.close()


def by_proc_net(endpoints: Endpoints) -> SocketState | None:
    """Ask by the table of this process."""
    return procnet.lookup(os.getpid(), endpoints)


Lookup = Callable[[Endpoints], SocketState | None]
both_ways = pytest.mark.parametrize("lookup", [by_sock_diag, by_proc_net])


@pytest.fixture(params=["IPv4", "IPv6", "IPv4 to a listener of both"])
def pair(request: pytest.FixtureRequest) -> Iterator[tuple[socket.socket, socket.socket]]:
    """A connection: the client's end and the server's end."""
    host = "127.0.0.1" if "IPv4" in request.param else "::1"
    family = socket.AF_INET if request.param == "IPv4" else socket.AF_INET6
    with socket.socket(family) as listener:
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        listener.bind(("" if "both" in request.param else host, 0))
        listener.listen()
        with socket.create_connection((host, listener.getsockname()[1])) as client:
            server, _ = listener.accept()
            with server:
                yield client, server


def inode(sock: socket.socket) -> int:
    """The inode of one of our sockets."""
    return os.fstat(sock.fileno()).st_ino


@both_ways
def test_either_end_is_found_and_known_by_its_inode(
    pair: tuple[socket.socket, socket.socket], lookup: Lookup
) -> None:
    client, server = pair
    other_end = endpoints_of(server).reversed()
    for endpoints, sock in ((other_end, client), (other_end.reversed(), server)):
        state = lookup(endpoints)
        assert state is not None
        assert (state.inode, state.unread) == (inode(sock), 0)


@both_ways
def test_unread_bytes_are_counted_until_they_are_read(
    pair: tuple[socket.socket, socket.socket], lookup: Lookup
) -> None:
    client, server = pair
    endpoints = endpoints_of(server).reversed()
    server.sendall(b"x" * 1000)

    def unread() -> int:
        state = lookup(endpoints)
        assert state is not None
        return state.unread

    eventually(lambda: unread() == 1000)
    client.recv(400)
    assert unread() == 600
    client.recv(600)
    assert unread() == 0


def test_sock_diag_counts_what_was_received(pair: tuple[socket.socket, socket.socket]) -> None:
    client, server = pair
    endpoints = endpoints_of(server).reversed()
    server.sendall(b"x" * 1000)
    client.recv(1000, socket.MSG_WAITALL)
    state = by_sock_diag(endpoints)
    assert state is not None
    assert state.received == 1000


@both_ways
def test_a_socket_that_there_is_not(lookup: Lookup) -> None:
    nobody = Endpoints(socket.AF_INET, bytes([127, 0, 0, 1]), 1, bytes([127, 0, 0, 1]), 2)
    assert lookup(nobody) is None


def test_a_kernel_that_does_not_answer_such_questions_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Refusing(socket.socket):
        def recv(self, *_: int) -> bytes:
            return struct.pack("=IHHIIi", 36, 2, 0, 0, 0, -errno.EOPNOTSUPP) + bytes(16)

    monkeypatch.setattr(socket, "socket", Refusing)
    with pytest.raises(OSError, match="not supported"):
        by_sock_diag(Endpoints(socket.AF_INET, bytes(4), 1, bytes(4), 2))


def test_addresses_are_written_as_the_tables_do() -> None:
    assert procnet.name(bytes([127, 0, 0, 1]), 8080) == "0100007F:1F90"
    assert procnet.name(bytes(15) + b"\1", 443) == "00000000000000000000000001000000:01BB"


def test_a_connection_being_opened_is_seen() -> None:
    with socket.socket() as listener, socket.socket() as first, socket.socket() as second:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        port = listener.getsockname()[1]
        clients = [first, second]
        for client in clients:
            client.setblocking(False)
            with pytest.raises(BlockingIOError):
                client.connect(("127.0.0.1", port))
        # The queue holds one connection; the other's first packet was dropped.
        ports = {inode(client): client.getsockname()[1] for client in clients}
        assert procnet.clients_of(os.getpid(), port) == ports
        assert not ports.keys() & procnet.clients_of(os.getpid(), port + 1).keys()
