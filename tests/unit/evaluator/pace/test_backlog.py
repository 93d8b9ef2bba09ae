"""Connections that a full queue has turned away."""

import contextlib
import os
import socket

import pytest

from evaluator.pace.backlog import Backlog


def connect(port: int) -> socket.socket:
    """Begin to connect and wait for nothing."""
    client = socket.socket()
    client.setblocking(False)
    with pytest.raises(BlockingIOError):
        client.connect(("127.0.0.1", port))
    return client


def test_a_client_turned_away_is_waited_for_until_it_is_let_in() -> None:
    with contextlib.ExitStack() as cleanup:
        listener = cleanup.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        listener.settimeout(20)
        port = listener.getsockname()[1]
        clients: list[socket.socket] = []
        accepted: list[socket.socket] = []
        backlog = Backlog(
            os.getpid(),
            lambda: {os.fstat(client.fileno()).st_ino for client in clients},
            lambda: {sock.getpeername()[1] for sock in accepted},
        )
        backlog.update([listener])
        assert backlog.waiting() is None
        clients += [cleanup.enter_context(connect(port)) for _ in range(2)]
        assert backlog.waiting() == f"2 connections to port {port} were turned away and will be tried again"
        accepted.append(cleanup.enter_context(listener.accept()[0]))
        assert backlog.waiting() == f"1 connections to port {port} were turned away and will be tried again"
        accepted.append(cleanup.enter_context(listener.accept()[0]))
        assert backlog.waiting() is None


def test_a_stranger_turned_away_is_nobodys_business() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        backlog = Backlog(os.getpid(), set, set)
        backlog.update([listener])
        clients = [connect(listener.getsockname()[1]) for _ in range(3)]
        assert backlog.waiting() is None
        for client in clients:
            client.close()


def test_listeners_of_other_kinds_have_no_such_trouble(tmp_path: os.PathLike[str]) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.join(tmp_path, "socket"))
        listener.listen()
        backlog = Backlog(os.getpid(), set, set)
        backlog.update([listener])
        assert backlog.waiting() is None


def test_a_closed_listener_is_passed_over() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    listener.close()
    backlog = Backlog(os.getpid(), set, set)
    backlog.update([listener])
    assert backlog.waiting() is None
