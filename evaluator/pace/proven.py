"""The ``warp`` pace: the scheduler's clock is moved, and moved only when its idleness is proven."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from evaluator.pace.errors import ProcessGone, WrongMoment
from evaluator.pace.fidelity import Fidelity
from evaluator.pace.pace import Proof, Traffic
from evaluator.pace.quiescence import DEFAULT_LIMIT, Quiescence
from evaluator.pace.tree import ProcessTree, TreeGone
from evaluator.pace.wakeups import read_waits
from evaluator.warp.clock import ClockMode
from evaluator.warp.errors import ImageGone, ProcessVanished, WarpUnavailable
from evaluator.warp.process import WarpedProcess
from evaluator.warp.threads import Kick
from fakeapi.kernel.time import MILLISECOND, Duration, Instant

NAME: Final = "warp"

_CLOCK_USE: Final[Duration] = 50 * MILLISECOND
"""Processor time after which a program must have read its clock once: a runtime that starts an HTTP client
has done so many times by then."""

_STILL_TURNS: Final = 20
"""Turns of the event loop without a byte leaving, after which what is left does not fit into the kernel's
buffers of a stopped process and has to wait until it runs."""

_FROZEN_HINT: Final = (
    "its clock stands still between jumps: a program that waits for it to move without sleeping never "
    "becomes idle; such a program needs the running clock"
)


class WarpPace:
    """Moves the clock of a :class:`WarpedProcess` under the rules of :class:`evaluator.pace.pace.Pace`.

    The process's tree is followed: children that it starts get the same clock, and idleness is that of all.
    ``now`` is where the simulation stands, if the process's clock was begun elsewhere.
    """

    def __init__(
        self,
        process: WarpedProcess,
        traffic: Traffic,
        *,
        now: Instant | None = None,
        limit: Duration = DEFAULT_LIMIT,
    ) -> None:
        self._process = process
        self._traffic = traffic
        self._tree = ProcessTree(process.pid, go=process.kick is Kick.GO)
        self._quiescence = Quiescence(
            self._tree,
            traffic,
            is_alive=lambda: process.exit_status() is None,
            oversee=process.adopt,
            limit=limit,
            hint=_FROZEN_HINT if process.mode is ClockMode.FROZEN else "",
        )
        self._fidelity = Fidelity(NAME, takeover=process.taken_over)
        self._now = process.clock() if now is None else now
        self._idle_clock: Instant | None = None
        self._pollers: list[tuple[int, int]] = []
        self._held = False
        self._jumped = False
        """Whether the clock was moved in the instant that is being held."""
        self._clock_seen_read = False
        self._closed = False

    @property
    def name(self) -> str:
        """See :class:`Pace`."""
        return NAME

    @property
    def limit(self) -> Duration:
        """How long one proof may take for real; may be changed at any time."""
        return self._quiescence.limit

    @limit.setter
    def limit(self, limit: Duration) -> None:
        self._quiescence.limit = limit

    @property
    def fidelity(self) -> Fidelity:
        """See :class:`Pace`."""
        return self._fidelity

    async def idle(self) -> Proof:
        """See :class:`Pace`.

        Raises:
            NotQuiescent, ProcessGone: see :class:`Pace`.
            WarpUnavailable: the program turns out not to read its time where it can be moved.
            WrongMoment: the process is held by :meth:`begin_instant`.
        """
        if self._held:
            raise WrongMoment("idle() between begin_instant() and end_instant()")
        with self._watching():
            proof = await self._quiescence.prove()
        self._idle_clock = self._process.clock_at(self._quiescence.idle_since)
        self._account(proof)
        self._require_clock_use(proof.cpu)
        return proof

    async def begin_instant(self) -> None:
        """See :class:`Pace`: an epoll program is stopped, a Go program goes on.

        Raises:
            NotQuiescent, ProcessGone: see :class:`Pace`.
        """
        if self._held:
            raise WrongMoment("begin_instant() twice")
        if self._process.kick is Kick.EPOLL:
            with self._watching():
                await self._stop_asleep()
        self._held, self._jumped = True, False

    async def _stop_asleep(self) -> None:
        """Stop the program inside of its waits.

        A wait may end for real between the proof of idleness and the stop. Stopped after it has computed its
        next time-out and before it waits, the program would sleep by what it read before the clock moved.
        """
        self._process.pause()
        while self._idle_clock is not None and self._tree.is_outside_of_waits():
            self._process.resume()
            await self._quiescence.prove()
            self._idle_clock = self._process.clock_at(self._quiescence.idle_since)
            self._process.pause()

    def jump(self, to: Instant) -> None:
        """See :class:`Pace`."""
        with self._watching():
            if self._held:
                self._process.move(to)
                self._pollers, self._jumped = self._sleeping_pollers(), True
            elif self._process.kick is Kick.GO:
                self._process.move(to)
                self._process.wake(self._sleeping_pollers())
            else:
                self._process.jump(to)
        self._idle_clock = None
        self._fidelity.jumps += 1
        self._now = max(self._now, to)
        self._fidelity.clock_lead = self._process.lead(self._now)

    async def end_instant(self) -> None:
        """See :class:`Pace`."""
        if not self._held:
            raise WrongMoment("end_instant() without begin_instant()")
        if self._process.kick is Kick.EPOLL:
            await self._flush()
        self._held = False
        self._idle_clock = None
        with self._watching():
            if self._process.kick is Kick.EPOLL:
                self._process.resume()
            elif self._jumped:
                self._process.wake(self._pollers)

    def _sleeping_pollers(self) -> list[tuple[int, int]]:
        """The threads that are enough to wake after the clock was moved; none when that is not known.

        It is when no processor time was used since the last proof: then they slept in epoll at the moment of
        the move, and one that leaves it later, woken by a byte, finds the clock moved.
        """
        known = self._idle_clock is not None and self._tree.cpu() == self._fidelity.scheduler_cpu
        return self._tree.pollers() if known else []

    async def _flush(self) -> None:
        """Turn the event loop until the instant's bytes are in the kernel, or no more of them fit."""
        still, last = 0, -1
        while still < _STILL_TURNS:
            await asyncio.sleep(0)
            left = sum(self._traffic.unsent().values())
            if not left:
                return
            still = still + 1 if left == last else 0
            last = left

    def next_wakeup(self) -> Instant | None:
        """See :class:`Pace`.

        Late by at most the real time between the last jump and the moment at which the process fell asleep;
        a Go program's by one millisecond more, to which it rounds.

        Raises:
            WrongMoment: time was moved since the last :meth:`idle`.
        """
        if self._idle_clock is None:
            raise WrongMoment("next_wakeup() before idle()")
        with self._watching():
            waits = read_waits(self._tree.waits(), self._process.kick, self._process.read_memory)
        for timer in map(str, waits.unreachable):
            if timer not in self._fidelity.unreachable:
                self._fidelity.unreachable.append(timer)
        return None if waits.timeout is None else self._idle_clock + waits.timeout

    def close(self) -> None:
        """See :class:`Pace`. The process's clock runs on from where it is."""
        if self._closed:
            return
        self._closed = True
        self._held = False
        try:
            self._process.detach()
        finally:
            self._quiescence.close()
            self._tree.close()

    def _account(self, proof: Proof) -> None:
        figures = self._fidelity
        figures.proofs += 1
        figures.longest_wait = max(figures.longest_wait, proof.waited)
        figures.scheduler_cpu = proof.cpu
        figures.unread_method = proof.method
        figures.takeover = self._process.taken_over
        figures.clock_lead = self._process.lead(self._now)

    def _require_clock_use(self, cpu: Duration) -> None:
        """Find out, once, whether the program reads its time from the vDSO at all."""
        if self._clock_seen_read or cpu < _CLOCK_USE:
            return
        if self._process.clock_was_read() is False:
            raise WarpUnavailable(
                "it has worked for a while and never read its time from the vDSO "
                "(a static program without vDSO support?)"
            )
        self._clock_seen_read = True

    @contextmanager
    def _watching(self) -> Iterator[None]:
        try:
            yield
        except (ProcessVanished, ImageGone, TreeGone) as error:
            raise ProcessGone(self._process.pid, self._process.final_status()) from error
