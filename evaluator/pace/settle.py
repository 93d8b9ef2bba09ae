"""The ``settle`` pace: for a scheduler that cannot be reached, silence is taken for idleness.

It works everywhere (another machine, another system, a program that sleeps in ways that no jump reaches) and
proves nothing. The scheduler's own clock stays real; what it decides by its clock is not to be trusted.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from evaluator.pace.errors import NotQuiescent, ProcessGone
from evaluator.pace.fidelity import Fidelity
from evaluator.pace.pace import Proof, Traffic
from evaluator.pace.quiescence import DEFAULT_LIMIT
from fakeapi.kernel.clock import monotonic_ns
from fakeapi.kernel.time import MILLISECOND, SECOND, Duration, Instant

NAME: Final = "settle"

DEFAULT_CUSHION: Final[Duration] = 50 * MILLISECOND
"""How long nothing may be asked before the scheduler is taken for idle: longer than most schedulers think
between two requests, and paid for in real time at every instant."""

SILENCE: Final = "silence"


class SettlePace:
    """Guesses idleness under the rules of :class:`evaluator.pace.pace.Pace`.

    ``exit_status`` tells whether a scheduler started here has ended; ``cpu`` reads its processor time, 0 for
    one elsewhere.
    """

    def __init__(
        self,
        traffic: Traffic,
        *,
        cushion: Duration = DEFAULT_CUSHION,
        limit: Duration = DEFAULT_LIMIT,
        pid: int = 0,
        exit_status: Callable[[], int | None] = lambda: None,
        cpu: Callable[[], Duration] = lambda: 0,
    ) -> None:
        if cushion <= 0:
            raise ValueError(f"the cushion must be longer than 0 ns, not {cushion}")
        self._traffic = traffic
        self._cushion = cushion
        self._limit = limit
        self._pid = pid
        self._exit_status = exit_status
        self._cpu = cpu
        self._fidelity = Fidelity(NAME, unread_method=SILENCE, takeover="never: its clock is its own")

    @property
    def name(self) -> str:
        """See :class:`Pace`."""
        return NAME

    @property
    def fidelity(self) -> Fidelity:
        """See :class:`Pace`."""
        return self._fidelity

    async def idle(self) -> Proof:
        """Wait until nothing was asked, answered or left to send for the length of the cushion.

        Raises:
            NotQuiescent: there was no such silence within the limit.
            ProcessGone: the scheduler was started here and has ended.
        """
        begun = quiet_since = monotonic_ns()
        requests = self._traffic.requests
        while True:
            self._require_alive()
            now = monotonic_ns()
            activity = self._activity(requests)
            if activity is not None:
                quiet_since, requests = now, self._traffic.requests
                if now - begun > self._limit:
                    raise NotQuiescent(activity[0], self._limit / SECOND, [activity[1]])
            left = self._cushion - (now - quiet_since)
            if left <= 0:
                return self._account(now - begun)
            await asyncio.sleep(left / SECOND)

    def _activity(self, requests: int) -> tuple[str, str] | None:
        """What spoke against idleness just now: a condition of :class:`NotQuiescent`, and what was seen."""
        if self._traffic.in_flight:
            return "requests in flight", f"{self._traffic.in_flight} requests begun and not answered"
        unsent = sum(self._traffic.unsent().values())
        if unsent:
            return "unsent bytes", f"{unsent} bytes wait in the server"
        if self._traffic.requests != requests:
            return "requests", f"{self._traffic.requests - requests} requests within {self._cushion} ns"
        return None

    def _require_alive(self) -> None:
        status = self._exit_status()
        if status is not None:
            raise ProcessGone(self._pid, status)

    def _account(self, waited: Duration) -> Proof:
        figures = self._fidelity
        figures.proofs += 1
        figures.guessed_moves += 1
        figures.longest_wait = max(figures.longest_wait, waited)
        figures.scheduler_cpu = self._cpu()
        return Proof(guessed=True, waited=waited, cpu=figures.scheduler_cpu, method=SILENCE)

    async def begin_instant(self) -> None:
        """See :class:`Pace`: this scheduler cannot be held."""

    def jump(self, to: Instant) -> None:
        """See :class:`Pace`: its clock cannot be moved, the move is counted."""
        del to
        self._fidelity.jumps += 1

    async def end_instant(self) -> None:
        """See :class:`Pace`."""

    def next_wakeup(self) -> Instant | None:
        """See :class:`Pace`: never known."""
        return None

    def close(self) -> None:
        """See :class:`Pace`."""
