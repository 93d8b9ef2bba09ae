"""Leader election: of several processes the one that holds a Lease decides.

The protocol is that of client-go (``tools/leaderelection``), so that the processes of a Deployment hand over
as those of kube-scheduler do. A Lease is valid for its duration after *we* saw its last change: the clocks of
two machines are never compared. The holder renews it and gives up some time before the others may take it.
"""

import asyncio
import hashlib
import logging
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from scheduler.clock import Clock
from scheduler.config import JITTER, ElectionSettings
from scheduler.kube.errors import HTTP_CONFLICT, HTTP_NOT_FOUND, ApiError, RequestError
from scheduler.kube.leases import LeaseLock, LeaseRecord
from scheduler.timetext import SECOND

_log = logging.getLogger(__name__)

TOLERATED = 20 * SECOND
"""How long after its Lease has run out a holder that is still here counts as healthy (kube-scheduler's)."""

RELEASED_FOR = 1 * SECOND
"""The duration of a Lease that nobody holds: the API wants one of at least a second."""


class Time(Protocol):
    """The time as an election needs it. Spans are nanoseconds."""

    def now(self) -> int:
        """The present instant, for people who read the Lease."""
        ...

    def elapsed(self) -> int:
        """A span since some fixed moment, which no setting of a clock changes."""
        ...

    async def pause(self, span: int) -> None:
        """Wait so long."""
        ...

    def limit(self, span: int) -> AbstractAsyncContextManager[object]:
        """A context that is broken off by ``TimeoutError`` after so long."""
        ...


class MachineTime:
    """The machine's time, within an event loop."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def now(self) -> int:
        """The present instant."""
        return self._clock.now()

    def elapsed(self) -> int:
        """The event loop's time, which is monotonic."""
        return round(asyncio.get_running_loop().time() * SECOND)

    async def pause(self, span: int) -> None:
        """Wait so long."""
        await asyncio.sleep(span / SECOND)

    def limit(self, span: int) -> AbstractAsyncContextManager[object]:
        """A context that ends so long from now at the latest."""
        return asyncio.timeout(span / SECOND)


class Elector:
    """Takes part in an election."""

    def __init__(self, lock: LeaseLock, settings: ElectionSettings, identity: str, time: Time) -> None:
        """``identity``: the name of this process, no other's."""
        self._lock = lock
        self._settings = settings
        self._identity = identity
        self._time = time
        self._seen: LeaseRecord | None = None
        """The Lease as it was last seen or written."""
        self._seen_at = 0
        self._pauses = 0

    @property
    def holder(self) -> str:
        """Who holds the Lease as far as is known; empty for nobody."""
        return "" if self._seen is None else self._seen.holder

    @property
    def ailment(self) -> str:
        """What is wrong with this process: it is a holder whose Lease ran out long ago. Empty: nothing is."""
        since = self._time.elapsed() - self._seen_at
        if self._is_ours() and since > self._settings.lease_duration + TOLERATED:
            return f"the lease {self._lock.name} ran out, and this process has not ended"
        return ""

    async def acquire(self) -> None:
        """Return once this process holds the Lease."""
        _log.info("waiting for the lease %s as %s", self._lock.name, self._identity)
        while not await self._try():
            await self._time.pause(self._pause())
        _log.info("this process leads: it holds the lease %s", self._lock.name)

    async def hold(self) -> None:
        """Renew the Lease; return once it could not be renewed within the deadline."""
        while await self._renew():
            await self._time.pause(self._settings.retry_period)
        _log.error("the lease %s could not be renewed in time: this process leads no more", self._lock.name)

    async def release(self) -> None:
        """Give the Lease to whoever comes first, if it is ours: nobody has to wait until it runs out.

        Nothing that the Lease protects may be under way any more.
        """
        try:
            async with self._time.limit(self._settings.renew_deadline):
                while not await self._released():
                    pass
        except (RequestError, TimeoutError) as error:
            _log.warning("the lease %s could not be released: %s", self._lock.name, _said(error))

    # One try --------------------------------------------------------------------------------------

    async def _renew(self) -> bool:
        """Try for as long as the deadline allows."""
        until = self._time.elapsed() + self._settings.renew_deadline
        while True:
            if await self._try(until):
                return True
            left = until - self._time.elapsed()
            await self._time.pause(max(0, min(self._settings.retry_period, left)))
            if self._time.elapsed() >= until:
                return False

    async def _try(self, until: int | None = None) -> bool:
        """Take or renew the Lease. Returns whether it is ours then.

        A hanging request must not cost the Lease: each has half of the deadline, as in client-go.
        """
        span = max(SECOND, self._settings.renew_deadline // 2)
        if until is not None:
            span = min(span, until - self._time.elapsed())
        held_by = self.holder
        try:
            async with self._time.limit(span):
                return await self._take_or_renew()
        except (RequestError, TimeoutError) as error:
            _log.warning("the lease %s: %s", self._lock.name, _said(error))
            return False
        finally:
            if self.holder != held_by and self.holder != self._identity:
                _log.info("the lease %s is held by %s", self._lock.name, self.holder or "nobody")

    async def _take_or_renew(self) -> bool:
        settings, started = self._settings, self._time.elapsed()
        wanted = LeaseRecord.taken(self._identity, settings.lease_duration, self._time.now())
        if self._is_ours() and self._is_valid(started) and await self._renewed_blindly(wanted):
            return True
        try:
            found = await self._lock.get()
        except ApiError as error:
            if error.code != HTTP_NOT_FOUND:
                raise
            await self._lock.create(wanted)
            self._see(wanted)
            return True
        if found != self._seen:
            self._see(found)
        if found.holder and not self._is_ours() and self._is_valid(started):
            return False
        wanted = self._continued(wanted)
        await self._lock.update(wanted)
        self._see(wanted)
        return True

    async def _renewed_blindly(self, wanted: LeaseRecord) -> bool:
        """Write without looking: nobody else writes while the Lease is ours and valid."""
        wanted = self._continued(wanted)
        try:
            await self._lock.update(wanted)
        except ApiError:
            return False  # it is looked at then
        self._see(wanted)
        return True

    def _continued(self, wanted: LeaseRecord) -> LeaseRecord:
        seen = self._seen
        assert seen is not None, "nothing is known that could be continued"
        acquired = seen.acquired if self._is_ours() else wanted.acquired
        transitions = seen.transitions if self._is_ours() else seen.transitions + 1
        return LeaseRecord(wanted.holder, wanted.duration, acquired, wanted.renewed, transitions)

    async def _released(self) -> bool:
        """Returns whether there is nothing left to release."""
        try:
            found = await self._lock.get()
        except ApiError as error:
            if error.code == HTTP_NOT_FOUND:
                return True
            raise
        if found.holder != self._identity:
            return True
        free = LeaseRecord.taken("", RELEASED_FOR, self._time.now(), found.transitions)
        try:
            await self._lock.update(free)
        except ApiError as error:
            if error.code == HTTP_CONFLICT:
                return False
            raise
        self._see(free)
        _log.info("released the lease %s", self._lock.name)
        return True

    # What is known --------------------------------------------------------------------------------

    def _see(self, record: LeaseRecord) -> None:
        self._seen, self._seen_at = record, self._time.elapsed()

    def _is_ours(self) -> bool:
        return self.holder == self._identity

    def _is_valid(self, at: int) -> bool:
        return self._seen is not None and self._seen_at + self._seen.duration > at

    def _pause(self) -> int:
        """The retry period and up to 1.2 of it more, so that those who wait do not ask in step.

        It follows from the identity: different for each process, and the same whenever a run is repeated.
        """
        self._pauses += 1
        digest = hashlib.blake2b(
            f"{self._identity} {self._pauses}".encode(), digest_size=_DRAWN_BYTES
        ).digest()
        share = int.from_bytes(digest) / (1 << 8 * _DRAWN_BYTES)
        return round(self._settings.retry_period * (1 + JITTER * share))


_DRAWN_BYTES = 8


def _said(error: Exception) -> str:
    return "no answer in time" if isinstance(error, TimeoutError) else str(error)
