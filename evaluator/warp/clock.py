"""The moved clock as arithmetic: what a process's clocks show, and what a jump changes."""

from enum import Enum
from typing import Final, Self

from evaluator.warp.code import ClockWords, pack_data, unpack_data
from fakeapi.kernel.time import SECOND, Duration, Instant

FRESH_MONOTONIC: Final[Duration] = 2**25 * SECOND
"""What the monotonic clock of a frozen process shows at its start: about 388 days.

A constant, so that a run's decisions do not depend on the machine's uptime (asyncio computes its timers in
floating point from this clock). Above any usual uptime, because the kernel compares absolute time-outs with
its own clock: from a smaller value they would end at once, before their time, from a greater one they end
late, which is noticed. A power of two, so that whole seconds added to it stay exact in floating point.
"""


class ClockMode(Enum):
    """What a process's clock does between two jumps."""

    RUNNING = "running"
    """It runs with the real one. For Go, whose runtime spins when time stands still."""

    FROZEN = "frozen"
    """It stands still, so that what the process decides depends on virtual time alone. For asyncio programs:
    a timer whose real time-out has passed finds the clock unmoved and is waited for again."""


class MovedClock:
    """The clocks of one process: real time, if running, plus a base, plus the shift that jumps enlarge.

    The monotonic clock and the real-time clock keep apart (the date of a run may lie before or after the
    machine's) but share the shift, so that both make the same jumps.
    """

    def __init__(
        self, mode: ClockMode, realtime_base: Duration, monotonic_base: Duration, shift: Duration = 0
    ) -> None:
        self.mode: Final = mode
        self._realtime_base = realtime_base
        self._monotonic_base = monotonic_base
        self._shift = shift

    @classmethod
    def begin(cls, mode: ClockMode, now: Instant, real: Duration, monotonic: Duration | None = None) -> Self:
        """A clock that shows ``now`` at the moment at which the machine's monotonic clock shows ``real``.

        ``monotonic`` is what the process's monotonic clock has shown so far; None for a process that has not
        looked at it yet.
        """
        if mode is ClockMode.RUNNING:
            # A fresh process starts from the machine's own monotonic clock: the kernel compares absolute
            # time-outs with it, and no base could serve them better.
            return cls(mode, now - real, 0 if monotonic is None else monotonic - real)
        return cls(mode, now, _above(real) if monotonic is None else monotonic)

    def reading(self, real: Duration) -> Instant:
        """What the process's real-time clock shows when the machine's monotonic clock shows ``real``."""
        return self._running(real) + self._realtime_base + self._shift

    def monotonic(self, real: Duration) -> Duration:
        """What the process's monotonic clock shows when the machine's shows ``real``."""
        return self._running(real) + self._monotonic_base + self._shift

    def move(self, to: Instant, real: Duration) -> Duration | None:
        """Move to ``to``; the new shift, or None when the clock is there or beyond already and stays."""
        ahead = to - self.reading(real)
        if ahead <= 0:
            return None
        self._shift += ahead
        return self._shift

    def running_on(self, real: Duration) -> "MovedClock":
        """The same clock, running with the real one from where it is."""
        return MovedClock(
            ClockMode.RUNNING, self.reading(real) - real - self._shift, self._offset(real), self._shift
        )

    def data(self) -> bytes:
        """The words that the process reads."""
        return pack_data(
            shift=self._shift,
            realtime_base=self._realtime_base,
            monotonic_base=self._monotonic_base,
            frozen=self.mode is ClockMode.FROZEN,
        )

    def matches(self, words: ClockWords) -> bool:
        """Whether ``words`` are those of this clock, whichever slot they use."""
        mine = unpack_data(self.data())
        return (words.shift, *words[2:4], words.frozen) == (mine.shift, *mine[2:4], mine.frozen)

    @property
    def moved(self) -> bool:
        """Whether the monotonic clock differs from the machine's own."""
        return self.mode is ClockMode.FROZEN or self._shift + self._monotonic_base != 0

    def _running(self, real: Duration) -> Duration:
        return real if self.mode is ClockMode.RUNNING else 0

    def _offset(self, real: Duration) -> Duration:
        return self.monotonic(real) - real - self._shift


def monotonic_of(words: ClockWords, real: Duration) -> Duration:
    """What the monotonic clock behind ``words`` shows when the machine's shows ``real``."""
    return (0 if words.frozen else real) + words.monotonic_base + words.shift


def _above(real: Duration) -> Duration:
    base = FRESH_MONOTONIC
    while base <= real:
        base *= 2
    return base
