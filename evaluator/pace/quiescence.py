"""The proof that a scheduler has nothing to do."""

import asyncio
import select
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from evaluator.pace.backlog import Backlog
from evaluator.pace.errors import NotQuiescent
from evaluator.pace.pace import Proof, SocketLike, Traffic
from evaluator.pace.timerslack import sleep_precisely
from evaluator.pace.tree import ProcessTree, TreeGone
from evaluator.pace.unread import Deliveries
from fakeapi.kernel.clock import monotonic_ns
from fakeapi.kernel.time import MICROSECOND, MILLISECOND, SECOND, Duration

DEFAULT_LIMIT: Final[Duration] = 30 * SECOND
"""How long to wait for a proof: far above the think time of any scheduler, below a person's patience."""

_GAP: Final[Duration] = 60 * MICROSECOND
"""Between two readings of the CPU-time clock that must be equal: several times what waking a thread takes."""

_PUMPS: Final = 3
"""Turns of the event loop before each look. A connection accepted, a request read: each is visible to us
after at most two turns, by a socket to read or by the server's counters."""

_REST_S: Final = 100e-6
"""How long to leave the processors to a busy scheduler before looking again; a request ends it at once."""

_ALIVE_FOR: Final[Duration] = 10 * MILLISECOND
"""How long a process seen alive is taken to be: asking costs more than the rest of a look."""

_OWN_WORK_PATIENCE: Final[Duration] = MILLISECOND
"""How long the server's own unfinished work is waited for by turning the loop without resting."""

_SEEN_LINES: Final = 20
"""Lines of a message: enough for the threads of most programs."""


@dataclass(frozen=True, slots=True)
class _Sample:
    """What must be the same twice."""

    cpu: Duration
    requests: int
    connections: int


@dataclass(frozen=True, slots=True)
class _Obstacle:
    """Why there is no proof yet: a condition of :class:`NotQuiescent`, and what was seen."""

    condition: str
    seen: str
    own_work: bool = False
    """Whether the server's loop has to act; the scheduler otherwise."""


_UNSTABLE: Final = _Obstacle("processor time", "the processes of the scheduler used processor time all along")


class Quiescence:
    """Proves idleness: no request in flight, no byte on its way to or fro, no work, no thread running.

    Runs in the event loop of the server whose ``traffic`` it reads. ``is_alive`` tells whether the
    scheduler's first process has not ended; ``oversee`` is called with all of its processes before each look
    at them; ``hint`` ends the message of a failure.
    """

    def __init__(
        self,
        tree: ProcessTree,
        traffic: Traffic,
        *,
        is_alive: Callable[[], bool],
        oversee: Callable[[Sequence[int]], None] = lambda _: None,
        limit: Duration = DEFAULT_LIMIT,
        hint: str = "",
    ) -> None:
        self._tree = tree
        self._traffic = traffic
        self._is_alive = is_alive
        self._seen_alive: Duration = 0
        self._oversee = oversee
        self.limit = limit
        """How long to wait for a proof; may be changed between two."""
        self._hint = hint
        self._deliveries = Deliveries(tree.root, tree.socket_inodes)
        self._backlog = Backlog(tree.root, tree.socket_inodes, self._deliveries.client_ports)
        self._readable = select.epoll()
        self._registered: dict[int, SocketLike] = {}
        self._connections = -1
        sleep_precisely()
        self.idle_since: Duration = 0
        """When, on the machine's monotonic clock, the last proof first saw the state that it proved."""

    async def prove(self) -> Proof:
        """Wait until the scheduler is idle.

        Raises:
            NotQuiescent: no proof within the limit.
            TreeGone: its first process ended.
        """
        begun = own_since = monotonic_ns()
        while True:
            await self._while_it_works(begun)
            for _ in range(_PUMPS):
                await asyncio.sleep(0)
            self._notice_changes()
            self.idle_since, sample = monotonic_ns(), self._sample()
            obstacle = self._traffic_obstacle() or await self._second_look(sample)
            now = monotonic_ns()
            if obstacle is None:
                return Proof(False, now - begun, sample.cpu, self._deliveries.method)
            if not obstacle.own_work:
                own_since = now
            self._give_up_if_late(begun, now, obstacle)
            if obstacle is not _UNSTABLE:
                self._rest(obstacle, now - own_since)

    async def _second_look(self, sample: _Sample) -> _Obstacle | None:
        """What stands against a proof after a first look that found nothing; both looks must be clean.

        What costs more is looked at in between: most of the gap passes with it.
        """
        obstacle = self._last_look(sample)
        if obstacle is not None:
            return obstacle
        await asyncio.sleep(0)
        while monotonic_ns() - self.idle_since < _GAP:
            await asyncio.sleep(0)
        if self._sample() != sample:
            return _UNSTABLE
        unread = self._deliveries.outstanding(self._traffic.take_written())
        return _Obstacle("unread bytes", unread) if unread is not None else self._traffic_obstacle()

    async def _while_it_works(self, begun: Duration) -> None:
        """Serve it, and look at nothing but whether a thread of it runs, as long as one does.

        Most of a wait is this; each look takes processor time from a scheduler that may use all processors.
        """
        while True:
            await asyncio.sleep(0)
            self._notice_changes()  # a child that is born, or changes its program, must not see another time
            if not self._tree.runs():
                return
            self._give_up_if_late(begun, monotonic_ns(), _UNSTABLE)
            self._rest(_UNSTABLE, 0)

    def _notice_changes(self) -> None:
        self._tree.refresh()
        self._oversee(self._tree.members)
        if self._traffic.connections != self._connections:
            self._connections = self._traffic.connections
            sockets = self._traffic.sockets()
            listeners = self._traffic.listeners()
            self._deliveries.update(sockets)
            self._backlog.update(listeners)
            self._register((*sockets, *listeners))

    def _register(self, sockets: Iterable[SocketLike]) -> None:
        """Watch only these for reading; a number that means another socket now is registered anew."""
        wanted = {sock.fileno(): sock for sock in sockets if sock.fileno() >= 0}
        for descriptor, sock in self._registered.items():
            if wanted.get(descriptor) is not sock:
                with suppress(OSError, ValueError):
                    self._readable.unregister(descriptor)
        for descriptor, sock in wanted.items():
            if self._registered.get(descriptor) is not sock:
                with suppress(OSError):
                    self._readable.register(descriptor, select.EPOLLIN)
        self._registered = wanted

    def _sample(self) -> _Sample:
        return _Sample(self._tree.cpu(), self._traffic.requests, self._traffic.connections)

    def _traffic_obstacle(self) -> _Obstacle | None:
        if self._traffic.in_flight:
            seen = f"{self._traffic.in_flight} requests begun and not answered"
            return _Obstacle("requests in flight", seen, own_work=True)
        unsent = self._deliveries.unsent(self._traffic.unsent())
        if unsent is not None:
            return _Obstacle("unsent bytes", unsent, own_work=True)
        if self._readable.poll(0, 1):
            return _Obstacle("unaccepted requests", "the server has not read all it was sent", own_work=True)
        return None

    def _last_look(self, sample: _Sample) -> _Obstacle | None:
        """Look at what costs more once all else is quiet; threads last, as a byte that arrives wakes one."""
        unread = self._deliveries.outstanding(self._traffic.take_written())
        if unread is not None:
            return _Obstacle("unread bytes", unread)
        turned_away = self._backlog.waiting()
        if turned_away is not None:
            return _Obstacle("unaccepted requests", turned_away)
        busy = self._tree.busy()
        if busy is not None:
            return _Obstacle("running threads", busy)
        # While the threads were looked at one after the other, one not yet looked at could have woken one
        # that was: it would have used processor time.
        return None if self._tree.cpu() == sample.cpu else _UNSTABLE

    def _rest(self, obstacle: _Obstacle, own_for: Duration) -> None:
        """Leave the processors to the scheduler for a moment, unless the server itself has work."""
        now = monotonic_ns()
        if now - self._seen_alive >= _ALIVE_FOR:
            if not self._is_alive():
                raise TreeGone
            self._seen_alive = now
        if not obstacle.own_work or own_for > _OWN_WORK_PATIENCE:
            # select, as epoll counts whole milliseconds; an epoll file is readable when one it watches is.
            select.select([self._readable], [], [], _REST_S)

    def _give_up_if_late(self, begun: Duration, now: Duration, obstacle: _Obstacle) -> None:
        if now - begun > self.limit:
            seen = [
                obstacle.seen,
                *self._tree.describe()[:_SEEN_LINES],
                *([self._hint] if self._hint else []),
            ]
            raise NotQuiescent(obstacle.condition, self.limit / SECOND, seen)

    def close(self) -> None:
        """Let go of files. The tree belongs to the caller."""
        self._readable.close()
        self._deliveries.close()
