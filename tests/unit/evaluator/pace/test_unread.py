"""Which bytes the other end has not read, with sockets of this process in either role."""

import contextlib
import os
import socket
from collections.abc import Callable, Iterator

import pytest

from evaluator.pace import procnet
from evaluator.pace.borrowed import BorrowedSocket
from evaluator.pace.netlink import SockDiag
from evaluator.pace.unread import BY_PROC_NET, BY_SOCK_DIAG, BY_UNACKED, Deliveries
from tests.support.polling import eventually


class Connection:
    """A TCP connection within this process."""

    def __init__(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.client = socket.create_connection(listener.getsockname())
            self.server, _ = listener.accept()

    @property
    def inode(self) -> int:
        """Of the client's end, which stands for the scheduler's."""
        return os.fstat(self.client.fileno()).st_ino

    @property
    def address(self) -> tuple[str, int]:
        """Of the client's end."""
        host, port = self.client.getsockname()
        return host, port

    def close(self) -> None:
        """Close both ends."""
        self.client.close()
        self.server.close()


@pytest.fixture
def connection() -> Iterator[Connection]:
    """A connection."""
    made = Connection()
    yield made
    made.close()


@pytest.fixture(params=[BY_SOCK_DIAG, BY_PROC_NET, BY_UNACKED])
def method(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each way of looking, the better ones being closed."""
    if request.param != BY_SOCK_DIAG:

        def refuse(*_: object) -> None:
            raise OSError(1, "Operation not permitted")

        monkeypatch.setattr(SockDiag, "lookup", refuse)
    if request.param == BY_UNACKED:
        monkeypatch.setattr(procnet, "lookup", lambda *_: None)
    return str(request.param)


Look = Callable[..., Deliveries]


@pytest.fixture
def look() -> Iterator[Look]:
    """Makes what is tested, for the server's ends of connections; closed in the end.

    The clients' ends are the scheduler's unless told otherwise by ``inodes``.
    """
    made: list[Deliveries] = []

    def make(*connections: Connection, inodes: Callable[[], set[int]] | None = None) -> Deliveries:
        looked = Deliveries(os.getpid(), inodes or (lambda: {each.inode for each in connections}))
        looked.update([each.server for each in connections])
        made.append(looked)
        return looked

    yield make
    for looked in made:
        looked.close()


def found(looked: Deliveries) -> str:
    """What is outstanding, once something is."""
    return eventually(lambda: looked.outstanding() or "")


def test_what_was_sent_is_outstanding_until_it_is_read(
    connection: Connection, method: str, look: Look
) -> None:
    looked = look(connection)
    assert looked.outstanding() is None
    connection.server.sendall(b"x" * 500)
    if method != BY_UNACKED:  # which cannot tell, once the kernel has acknowledged
        seen = found(looked)
        assert seen == f"500 bytes not read by 127.0.0.1:{connection.address[1]}"
    connection.client.recv(500, socket.MSG_WAITALL)
    eventually(lambda: looked.outstanding() is None)
    assert looked.method == method


def test_more_than_fits_is_outstanding_in_the_kernel(connection: Connection, look: Look) -> None:
    connection.server.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        while True:
            connection.server.send(b"x" * 100_000)
    looked = look(connection)
    seen = looked.outstanding()
    assert seen is not None
    assert "bytes wait in the kernel for" in seen


def test_a_stranger_may_read_as_slowly_as_it_likes(connection: Connection, look: Look) -> None:
    looked = look(connection, inodes=set)
    connection.server.sendall(b"x" * 500)
    assert looked.outstanding() is None
    assert looked.unsent({connection.address: 10}) is None


def test_bytes_left_in_user_space_are_told(connection: Connection, look: Look) -> None:
    looked = look(connection)
    assert looked.unsent({}) is None
    assert looked.unsent({connection.address: 0}) is None
    seen = looked.unsent({connection.address: 7})
    assert seen == f"7 bytes wait in the server for 127.0.0.1:{connection.address[1]}"


def test_an_unknown_client_counts(look: Look) -> None:
    assert look().unsent({("192.0.2.1", 5): 3}) == "3 bytes wait in the server for 192.0.2.1:5"


def test_one_busy_connection_among_many_is_found(look: Look) -> None:
    many = [Connection() for _ in range(5)]
    looked = look(*many)
    assert looked.outstanding() is None
    many[3].server.sendall(b"x")
    seen = found(looked)
    assert str(many[3].address[1]) in seen
    many[3].client.recv(1)
    assert looked.outstanding() is None
    for connection in many:
        connection.close()


def test_an_owner_is_looked_up_once(connection: Connection, look: Look) -> None:
    asked: list[int] = []

    def inodes() -> set[int]:
        asked.append(1)
        return {connection.inode}

    looked = look(connection, inodes=inodes)
    for size in range(1, 20):
        connection.server.sendall(b"x" * size)
        connection.client.recv(size, socket.MSG_WAITALL)
        assert looked.outstanding() is None
    assert len(asked) == 1


def test_a_connection_closed_by_the_client_is_no_obstacle(connection: Connection, look: Look) -> None:
    looked = look(connection)
    connection.server.sendall(b"x" * 500)
    connection.client.close()
    eventually(lambda: looked.outstanding() is None)


def test_a_connection_closed_by_the_server_is_no_obstacle(connection: Connection, look: Look) -> None:
    looked = look(connection)
    connection.server.close()
    assert looked.outstanding() is None
    looked.update([connection.server])
    assert looked.outstanding() is None


def test_a_number_used_again_is_another_connection(connection: Connection, look: Look) -> None:
    other = Connection()
    looked = look(connection, inodes=lambda: {connection.inode, other.inode})
    connection.server.sendall(b"x")
    connection.client.recv(1)
    assert looked.outstanding() is None
    os.dup2(other.server.fileno(), connection.server.fileno())
    looked.update([BorrowedSocket.of(connection.server)])
    other.server.sendall(b"y")
    assert found(looked) == f"1 bytes not read by 127.0.0.1:{other.address[1]}"
    other.close()


def test_other_kinds_of_sockets_are_told_by_their_queue(look: Look) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        looked = look(inodes=set)
        looked.update([ours])
        assert looked.outstanding() is None
        ours.send(b"abc")
        seen = looked.outstanding()
        assert seen is not None
        assert "not acknowledged" in seen
        theirs.recv(3)
        assert looked.outstanding() is None


def test_without_the_channel_the_table_is_used(monkeypatch: pytest.MonkeyPatch, look: Look) -> None:
    def refuse(*_: object) -> None:
        raise OSError(93, "Protocol not supported")

    monkeypatch.setattr(SockDiag, "__init__", refuse)
    assert look(inodes=set).method == BY_PROC_NET


def test_looking_never_closes_the_servers_sockets(connection: Connection) -> None:
    looked = Deliveries(os.getpid(), set)
    looked.update([connection.server])
    looked.close()
    del looked
    connection.server.sendall(b"still open")
    assert connection.client.recv(10, socket.MSG_WAITALL) == b"still open"
