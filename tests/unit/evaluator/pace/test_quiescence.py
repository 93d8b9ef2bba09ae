"""Each condition of a proof alone, with a sleeping process and made-up traffic."""

import asyncio
import signal
import socket
import subprocess
from collections.abc import Iterator

import pytest

from evaluator.pace.errors import NotQuiescent
from evaluator.pace.pace import Proof
from evaluator.pace.quiescence import Quiescence
from evaluator.pace.tree import ProcessTree, TreeGone
from fakeapi.kernel.clock import monotonic_ns
from fakeapi.kernel.time import MICROSECOND, MILLISECOND, SECOND, Duration
from tests.support.polling import eventually
from tests.unit.evaluator.pace.fakes import FakeTraffic

SHORT: Duration = 30 * MILLISECOND
"""A limit for proofs that must fail."""


class Sleeper:
    """A process that does nothing, and proofs of it."""

    def __init__(self) -> None:
        self.popen = subprocess.Popen(["/bin/sleep", "1000"])
        self.tree = ProcessTree(self.popen.pid)
        self.overseen: list[tuple[int, ...]] = []
        eventually(lambda: self.tree.refresh() or self.tree.busy() is None)

    def prove(self, traffic: FakeTraffic, limit: Duration = 20 * SECOND, hint: str = "") -> Proof:
        """One proof, in a loop of its own."""

        async def run() -> Proof:
            quiescence = Quiescence(
                self.tree,
                traffic,
                is_alive=lambda: self.popen.poll() is None,
                oversee=lambda pids: self.overseen.append(tuple(pids)),
                limit=limit,
                hint=hint,
            )
            try:
                proof = await quiescence.prove()
                assert 0 < quiescence.idle_since < monotonic_ns()
                return proof
            finally:
                quiescence.close()

        return asyncio.run(run())

    def fails(self, traffic: FakeTraffic, hint: str = "") -> NotQuiescent:
        """The failure of a proof."""
        with pytest.raises(NotQuiescent) as failure:
            self.prove(traffic, SHORT, hint)
        return failure.value


@pytest.fixture
def sleeper() -> Iterator[Sleeper]:
    """A process that does nothing."""
    made = Sleeper()
    yield made
    made.tree.close()
    made.popen.kill()
    made.popen.wait()


def test_nothing_going_on_is_proven(sleeper: Sleeper) -> None:
    proof = sleeper.prove(FakeTraffic())
    assert not proof.guessed
    assert proof.waited >= 60 * MICROSECOND
    assert proof.cpu == sleeper.tree.cpu() > 0
    assert proof.method == "sock_diag"
    assert set(sleeper.overseen) == {(sleeper.popen.pid,)}


def test_a_request_in_flight_is_no_idleness(sleeper: Sleeper) -> None:
    failure = sleeper.fails(FakeTraffic(flying=2), hint="a hint")
    assert failure.condition == "requests in flight"
    assert "within 0.03 s of real time" in str(failure)
    assert "2 requests begun and not answered" in failure.seen[0]
    assert f"process {sleeper.popen.pid} (sleep)" in failure.seen[1]
    assert failure.seen[-1] == "a hint"


def test_bytes_in_user_space_are_no_idleness(sleeper: Sleeper) -> None:
    failure = sleeper.fails(FakeTraffic(waiting={("127.0.0.1", 9): 5}))
    assert failure.condition == "unsent bytes"
    assert failure.seen[0] == "5 bytes wait in the server for 127.0.0.1:9"


def test_a_connection_not_accepted_is_no_idleness(sleeper: Sleeper) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        traffic = FakeTraffic(doors=[door], connections=1)
        sleeper.prove(traffic)
        with socket.create_connection(door.getsockname()):
            assert sleeper.fails(traffic).condition == "unaccepted requests"
            door.accept()[0].close()


def test_a_request_not_read_is_no_idleness(sleeper: Sleeper) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        traffic = FakeTraffic(ends=[ours], connections=1)
        sleeper.prove(traffic)
        theirs.send(b"GET / HTTP/1.1\r\n")
        assert sleeper.fails(traffic).condition == "unaccepted requests"


def test_an_answer_not_read_is_no_idleness(sleeper: Sleeper) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        traffic = FakeTraffic(ends=[ours], connections=1)
        ours.send(b"HTTP/1.1 200 OK\r\n")
        assert sleeper.fails(traffic).condition == "unread bytes"


def test_a_request_between_two_looks_begins_the_proof_anew(sleeper: Sleeper) -> None:
    left = 30

    def another(traffic: FakeTraffic) -> None:
        nonlocal left
        if left:
            left -= 1
            traffic.requests += 1

    sleeper.prove(FakeTraffic(on_look=another))
    assert left == 0


def test_requests_without_end_are_no_idleness(sleeper: Sleeper) -> None:
    def another(traffic: FakeTraffic) -> None:
        traffic.requests += 1

    assert sleeper.fails(FakeTraffic(on_look=another)).condition == "processor time"


def test_what_was_in_sight_once_needs_two_clean_looks_after(sleeper: Sleeper) -> None:
    looks: list[int] = []

    def look(traffic: FakeTraffic) -> None:
        looks.append(1)
        traffic.flying = len(looks) % 2 if len(looks) < 40 else 0

    sleeper.prove(FakeTraffic(on_look=look))
    assert len(looks) > 40


def test_a_closed_connection_is_forgotten(sleeper: Sleeper) -> None:
    ours, theirs = socket.socketpair()
    traffic = FakeTraffic(ends=[ours], connections=1)
    sleeper.prove(traffic)
    ours.close()
    theirs.close()
    traffic.ends.clear()
    traffic.connections += 1
    sleeper.prove(traffic)


def test_a_stopped_process_is_no_idleness(sleeper: Sleeper) -> None:
    sleeper.popen.send_signal(signal.SIGSTOP)
    failure = sleeper.fails(FakeTraffic())
    assert failure.condition == "running threads"
    assert "is stopped (state T)" in failure.seen[0]


@pytest.mark.parametrize("flying", [0, 1])
def test_an_end_is_noticed(sleeper: Sleeper, flying: int) -> None:
    sleeper.popen.kill()
    with pytest.raises(TreeGone):
        sleeper.prove(FakeTraffic(flying=flying))
