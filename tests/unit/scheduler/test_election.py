"""Leader election on a clock of the test's: who may take the Lease when, and when a holder gives up."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scheduler.config import JITTER, ElectionSettings
from scheduler.election import TOLERATED, Elector
from scheduler.kube.errors import ApiError, RequestError, UnreachableError
from scheduler.kube.leases import LeaseLock, LeaseRecord
from scheduler.timetext import MILLISECOND, SECOND, format_microsecond
from tests.unit.scheduler.builders import START

SETTINGS = ElectionSettings(enabled=True)


class TestTime:
    """Time that passes only while somebody sleeps."""

    __test__ = False

    def __init__(self) -> None:
        self.since = 0
        self.slept: list[int] = []
        self.limits: list[int] = []
        self.wake: Callable[[], None] = lambda: None
        """What happens meanwhile, at the end of each sleep."""

    def now(self) -> int:
        return START + self.since

    def elapsed(self) -> int:
        return self.since

    async def pause(self, span: int) -> None:
        self.slept.append(span)
        self.since += span
        self.wake()

    @asynccontextmanager
    async def limit(self, span: int) -> AsyncIterator[None]:
        self.limits.append(span)
        yield


@dataclass
class Server:
    """One Lease, with versions."""

    record: LeaseRecord | None = None
    version: int = 0
    failures: list[Exception] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def ask(self, what: str) -> None:
        self.asked.append(what)
        if self.failures:
            raise self.failures.pop(0)


class Lock(LeaseLock):
    """A process's view of the server's Lease."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.name = "kube-system/lst-scheduler"
        self.known = -1

    async def get(self) -> LeaseRecord:
        self.server.ask("get")
        if self.server.record is None:
            raise ApiError(404, "NotFound", "")
        self.known = self.server.version
        return self.server.record

    async def create(self, record: LeaseRecord) -> None:
        self.server.ask("create")
        if self.server.record is not None:
            raise ApiError(409, "AlreadyExists", "")
        self._write(record)

    async def update(self, record: LeaseRecord) -> None:
        self.server.ask("update")
        if self.known != self.server.version:
            raise ApiError(409, "Conflict", "")
        self._write(record)

    def _write(self, record: LeaseRecord) -> None:
        self.server.record = record
        self.server.version += 1
        self.known = self.server.version


def elector(server: Server, time: TestTime, identity: str = "me") -> Elector:
    return Elector(Lock(server), SETTINGS, identity, time)


def held_by(name: str, renewed: int = START) -> Server:
    return Server(LeaseRecord.taken(name, SETTINGS.lease_duration, renewed), version=1)


def run(work: Coroutine[Any, Any, None] | Awaitable[None]) -> None:
    async def bounded() -> None:
        await asyncio.wait_for(work, 20)

    asyncio.run(bounded())


def test_the_first_one_creates_the_lease() -> None:
    server, time = Server(), TestTime()
    run(elector(server, time).acquire())
    at = format_microsecond(START)
    assert server.record == LeaseRecord("me", 15 * SECOND, at, at, 0)
    assert (server.asked, time.slept) == (["get", "create"], [])


def test_a_lease_that_was_given_back_is_taken_at_once() -> None:
    server, time = Server(LeaseRecord.taken("", SECOND, START, transitions=3), version=1), TestTime()
    run(elector(server, time).acquire())
    assert server.record is not None
    assert (server.record.holder, server.record.transitions) == ("me", 4)
    assert time.slept == []


def test_a_lease_is_taken_when_it_was_not_renewed_for_its_duration() -> None:
    """Measured from when it was first seen: what the other's clock says counts for nothing."""
    server, time = held_by("other", renewed=START - 10**18), TestTime()
    run(elector(server, time).acquire())
    assert server.record is not None
    assert (server.record.holder, server.record.transitions) == ("me", 1)
    assert server.record.acquired == format_microsecond(time.now())
    before_last = time.since - time.slept[-1]
    assert before_last < SETTINGS.lease_duration <= time.since


def test_a_holder_that_renews_keeps_it() -> None:
    server, time = held_by("other"), TestTime()
    renewals: list[int] = []

    def renew_for_an_hour() -> None:
        assert server.record is not None
        if time.since < 3600 * SECOND:
            renewals.append(time.since)
            server.record = replace(server.record, renewed=format_microsecond(time.now()))
            server.version += 1

    time.wake = renew_for_an_hour
    run(elector(server, time).acquire())
    assert len(renewals) > 800
    assert renewals[-1] + SETTINGS.lease_duration <= time.since < 3700 * SECOND


def test_those_who_wait_do_not_ask_in_step() -> None:
    pauses = {}
    for name in ("a", "b"):
        time = TestTime()
        run(elector(held_by("other"), time, name).acquire())
        pauses[name] = time.slept
        longest = round(SETTINGS.retry_period * (1 + JITTER))
        assert all(SETTINGS.retry_period <= pause <= longest for pause in time.slept)
    assert len({*pauses["a"], *pauses["b"]}) == len(pauses["a"]) + len(pauses["b"])


def holding() -> tuple[Server, TestTime, Elector]:
    server, time = Server(), TestTime()
    mine = elector(server, time)
    run(mine.acquire())
    server.asked.clear()
    return server, time, mine


def test_a_holder_renews_in_every_period_by_one_write() -> None:
    server, time, mine = holding()

    def end_after_a_minute() -> None:
        if time.since >= 60 * SECOND:
            server.failures += [ApiError(403, "Forbidden", "")] * 100

    time.wake = end_after_a_minute
    run(mine.hold())
    assert server.asked[:30] == ["update"] * 30
    assert server.record is not None
    assert server.record.acquired == format_microsecond(START)
    assert server.record.renewed == format_microsecond(START + 58 * SECOND)
    assert server.record.transitions == 0


@pytest.mark.parametrize("failure", [UnreachableError("gone"), TimeoutError(), ApiError(500, "", "")])
def test_a_holder_gives_up_after_the_deadline_and_before_others_may_take_it(failure: Exception) -> None:
    server, time, mine = holding()
    server.failures += [failure] * 100
    run(mine.hold())
    assert time.since == SETTINGS.renew_deadline < SETTINGS.lease_duration
    assert time.slept == [SETTINGS.retry_period] * 5


def test_no_request_may_take_more_than_half_of_the_deadline_nor_go_beyond_it() -> None:
    server, time, mine = holding()
    time.limits.clear()
    server.failures += [UnreachableError("gone")] * 100
    run(mine.hold())
    assert time.limits == [5 * SECOND, 5 * SECOND, 5 * SECOND, 4 * SECOND, 2 * SECOND]


def test_trouble_that_passes_costs_nothing() -> None:
    server, time, mine = holding()
    server.failures += [UnreachableError("gone"), ApiError(503, "", ""), ApiError(429, "", "")]
    tries = len(server.failures)

    def end() -> None:
        if time.since >= 30 * SECOND:
            server.failures += [UnreachableError("gone")] * 100

    time.wake = end
    run(mine.hold())
    assert time.since > 30 * SECOND
    assert len(server.asked) > tries


def test_a_holder_whose_lease_another_one_took_looks_and_gives_up() -> None:
    server, time, mine = holding()
    server.record = LeaseRecord.taken("other", SETTINGS.lease_duration, START, transitions=1)
    server.version += 1
    run(mine.hold())
    assert server.record.holder == "other"
    assert mine.holder == "other"
    assert time.since == SETTINGS.renew_deadline


def test_a_write_that_worked_without_an_answer_is_found_to_be_ours() -> None:
    server, time, mine = holding()
    server.version += 1  # as if the last renewal had come through
    ends = [False]

    def end() -> None:
        if ends[0]:
            server.failures += [UnreachableError("gone")] * 100
        ends[0] = True

    time.wake = end
    run(mine.hold())
    assert server.asked[:3] == ["update", "get", "update"]
    assert server.record is not None
    assert server.record.transitions == 0


def test_an_orderly_end_gives_the_lease_back() -> None:
    server, time, mine = holding()
    time.since = 7 * SECOND
    run(mine.release())
    at = format_microsecond(START + 7 * SECOND)
    assert server.record == LeaseRecord("", SECOND, at, at, 0)


def test_what_another_one_holds_is_not_given_back() -> None:
    server, _, mine = holding()
    server.record = LeaseRecord.taken("other", SETTINGS.lease_duration, START)
    run(mine.release())
    assert server.record.holder == "other"
    assert server.asked == ["get"]


def test_giving_back_is_tried_again_on_a_conflict() -> None:
    server, _, mine = holding()

    class Racing(Lock):
        races = 2

        async def get(self) -> LeaseRecord:
            record = await super().get()
            if self.races:
                self.races -= 1
                self.server.version += 1
            return record

    mine._lock = Racing(server)
    run(mine.release())
    assert server.record is not None
    assert server.record.holder == ""


@pytest.mark.parametrize(
    "failure", [UnreachableError("gone"), TimeoutError(), ApiError(403, "Forbidden", "no"), None]
)
def test_an_end_does_not_fail_for_the_sake_of_the_lease(failure: RequestError | None) -> None:
    server, _, mine = holding()
    if failure is None:
        server.record = None
    else:
        server.failures.append(failure)
    run(mine.release())


def test_a_holder_that_has_not_ended_long_after_its_lease_ran_out_is_ill() -> None:
    _, time, mine = holding()
    time.since = SETTINGS.lease_duration + TOLERATED
    assert mine.ailment == ""
    time.since += 1
    assert "kube-system/lst-scheduler ran out" in mine.ailment


def test_one_that_stands_by_is_well_however_long() -> None:
    time = TestTime()
    time.since = 10**18
    assert elector(held_by("other"), time).ailment == ""


@dataclass(frozen=True)
class Life:
    """A process: when it starts, when it vanishes without a word, when it cannot reach the server."""

    starts: int
    dies: int
    blackouts: list[tuple[int, int]]


MILLISECONDS = st.integers(0, 60_000).map(lambda n: n * MILLISECOND)
LIVES = st.builds(
    Life,
    st.integers(0, 4000).map(lambda n: n * MILLISECOND),
    MILLISECONDS,
    st.lists(st.tuples(MILLISECONDS, MILLISECONDS), max_size=3),
)


@given(lives=st.lists(LIVES, min_size=2, max_size=4))
@example(lives=[Life(0, 60 * SECOND, [(3 * SECOND, 60 * SECOND)]), Life(SECOND, 60 * SECOND, [])])
def test_never_two_leaders(lives: list[Life]) -> None:
    """Processes that start, lose sight of the server and vanish at any time, on clocks without drift."""
    world = World()
    asyncio.run(world.play(lives))
    assert world.most_leaders <= 1


class World:
    """Several processes on one clock: an event queue of their sleeps."""

    def __init__(self) -> None:
        self.since = 0
        self.server = Server()
        self.sleepers: list[tuple[int, int, asyncio.Future[None]]] = []
        self.leaders: set[str] = set()
        self.most_leaders = 0
        self._count = count()

    async def pause(self, span: int) -> None:
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.sleepers.append((self.since + span, next(self._count), woken))
        await woken

    async def _live(self, name: str, life: Life) -> None:
        await self.pause(life.starts)
        mine = Elector(Lock(self.server), SETTINGS, name, View(self, life.blackouts))
        await mine.acquire()
        if self.since >= life.dies:
            return
        self.leaders.add(name)
        self.most_leaders = max(self.most_leaders, len(self.leaders))
        works = [
            asyncio.ensure_future(mine.hold()),
            asyncio.ensure_future(self.pause(life.dies - self.since)),
        ]
        await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
        self.leaders.discard(name)
        for each in works:
            each.cancel()
        await asyncio.wait(works)

    async def play(self, lives: list[Life]) -> None:
        processes = [asyncio.ensure_future(self._live(f"p{n}", life)) for n, life in enumerate(lives)]
        while not all(each.done() for each in processes) and self.since < LONGEST:
            for _ in range(TURNS):
                await asyncio.sleep(0)
            self.sleepers = sorted(each for each in self.sleepers if not each[2].done())
            if self.sleepers:
                self.since, _, woken = self.sleepers.pop(0)
                woken.set_result(None)
        for each in processes:
            each.cancel()
        for outcome in await asyncio.gather(*processes, return_exceptions=True):
            assert outcome is None or isinstance(outcome, asyncio.CancelledError), outcome


TURNS = 20
"""Turns of the event loop within which what is due at an instant has run: no process awaits so often."""

LONGEST = 200 * SECOND


class View:
    """A process's time and its sight of the server."""

    def __init__(self, world: World, blackouts: list[tuple[int, int]]) -> None:
        self._world = world
        self._blackouts = blackouts

    def now(self) -> int:
        return START + self._world.since

    def elapsed(self) -> int:
        return self._world.since

    async def pause(self, span: int) -> None:
        await self._world.pause(span)

    @asynccontextmanager
    async def limit(self, span: int) -> AsyncIterator[None]:
        del span
        if any(begin <= self._world.since < begin + long for begin, long in self._blackouts):
            raise UnreachableError("blackout")
        yield
