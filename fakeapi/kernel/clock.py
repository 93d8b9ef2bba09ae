"""Clocks: the virtual one that only moves when told, and the only door to the real one.

Everything that needs the time asks for the narrow :class:`Clock`. The machine's own
clock is read through the functions at the end of this file and nowhere else.
"""

import time
from collections.abc import Callable
from typing import Final, Protocol

from fakeapi.kernel.time import SECOND, Duration, Instant, format_instant

DEFAULT_START: Final[Instant] = 1_767_571_200 * SECOND
"""2026-01-05T00:00:00Z, a Monday: runs start there so that the same run has the same timestamps anywhere."""


class Clock(Protocol):
    """What most code needs of a clock: the current instant."""

    def now(self) -> Instant:
        """The current instant, nanoseconds since the Unix epoch."""
        ...


class TimeWentBack(AssertionError):
    """A bug: somebody tried to move virtual time into the past."""


class VirtualClock:
    """A clock that stands still until :meth:`advance_to` moves it."""

    def __init__(self, start: Instant = DEFAULT_START) -> None:
        self._now = start
        self.start: Final = start

    def now(self) -> Instant:
        """The current virtual instant."""
        return self._now

    def advance_to(self, instant: Instant) -> None:
        """Move to ``instant``; staying where it is is allowed.

        Raises:
            TimeWentBack: ``instant`` lies before now.
        """
        if instant < self._now:
            raise TimeWentBack(f"from {format_instant(self._now)} to {format_instant(instant)}")
        self._now = instant


class ScaledClock:
    """Runs with the machine's clock, ``speed`` times as fast, from ``start`` on.

    Serves an API server that stands on its own, where nobody proves idleness.
    """

    def __init__(
        self, start: Instant, speed: float = 1.0, monotonic: Callable[[], int] | None = None
    ) -> None:
        if speed <= 0:
            raise ValueError(f"speed must be greater than 0, not {speed}")
        self._monotonic = monotonic or monotonic_ns
        self._origin = self._monotonic()
        self._start = start
        self._speed = speed

    def now(self) -> Instant:
        """The current instant of this clock."""
        return self._start + int((self._monotonic() - self._origin) * self._speed)

    def real_delay(self, until: Instant) -> float:
        """Real seconds until this clock shows ``until``; 0 when it has passed."""
        return max(0.0, (until - self.now()) / self._speed / SECOND)


def wall_ns() -> Instant:
    """The machine's wall clock. For start-up stamps and file names, never for a decision."""
    return time.time_ns()


def monotonic_ns() -> Duration:
    """The machine's monotonic clock, for measuring real waits."""
    return time.monotonic_ns()


def process_cpu_ns(clock_id: int) -> Duration:
    """CPU time of the process behind a POSIX CPU-time clock id, all threads, in nanoseconds.

    Raises:
        OSError: the process is gone.
    """
    return time.clock_gettime_ns(clock_id)


def own_cpu_ns() -> Duration:
    """CPU time that this process has used, user and system, all threads."""
    return time.process_time_ns()


def real_sleep(seconds: float) -> None:
    """Block this thread for real. Only where a foreign process needs the processor meanwhile."""
    time.sleep(seconds)
