"""Which of a scheduler's own timers a run visits: those that may give a waiting pod its place.

An idle process tells the kernel when it will wake, but not what for. While pods wait, its
wake-ups are visited for a while after each change that may help one; a visit that leads to
nothing doubles the distance to the next, so that a timer that ticks ten times a second costs
a handful of visits and not a hundred.
"""

from dataclasses import dataclass
from typing import Final

from fakeapi.kernel.time import MILLISECOND, SECOND, Duration, Instant

_LEAST_MOVE: Final[Duration] = MILLISECOND
"""Least move to a timer: kernels tell time-outs in milliseconds."""


@dataclass(frozen=True, slots=True)
class WakeupRules:
    """What is known of a kind of scheduler's timers; part of its launch profile."""

    horizon: Duration = 10 * SECOND
    """How long after a helpful change a timer may still matter: the scheduler's longest back-off."""
    step: Duration = 100 * MILLISECOND
    """Least distance between the first two visits; it doubles with each visit that leads to nothing.
    A timer that falls between two visits fires late, by less than the distance. 0: every one is visited."""
    after_arrivals: bool = True
    """Whether a new pod, too, may have to wait for a timer (a gathering window, a periodic session)."""
    tick: Duration | None = None
    """For decisions that depend on time alone: visit at least this often while pods wait."""


class WakeupPlan:
    """When to visit next, following the rules."""

    def __init__(self, rules: WakeupRules, start: Instant) -> None:
        self._rules = rules
        self._until = start
        self._step = rules.step

    def help_came(self, now: Instant, *, arrival: bool) -> None:
        """A change at ``now`` may give a waiting pod its place."""
        if arrival and not self._rules.after_arrivals:
            return
        self._until = now + self._rules.horizon
        self._step = self._rules.step

    def visited(self, *, fruitless: bool) -> None:
        """A wake-up was visited; ``fruitless`` if the scheduler asked for nothing."""
        self._step = 2 * self._step if fruitless else self._rules.step

    def is_due(self, now: Instant) -> bool:
        """Whether timers can matter at all now."""
        return now < self._until

    def next_visit(self, now: Instant, timer: Instant | None) -> Instant | None:
        """The instant to visit, given the scheduler's next timer; None when no event but help can matter."""
        candidates = []
        if timer is not None and now < self._until:
            at = max(timer, now + max(self._step, _LEAST_MOVE))
            if at <= self._until:
                candidates.append(at)
            elif timer <= self._until and self._step > _LEAST_MOVE:
                candidates.append(self._until)  # one last look: the longest back-off is over
        if self._rules.tick is not None:
            candidates.append(now + self._rules.tick)
        return min(candidates, default=None)
