"""The shell around the decision core: feeds it what happens, performs what it decides, and waits in between.

It has no periodic work. While nothing is pending, or nothing changed that could help, no timer exists and the
process sleeps until the API server says something.
"""

import asyncio
from typing import TYPE_CHECKING

from scheduler.clock import Clock
from scheduler.config import Settings
from scheduler.intake import Intake
from scheduler.kube.client import Client
from scheduler.kube.pauses import Pauses
from scheduler.messages import (
    Action,
    BackOff,
    BackOffOver,
    Gather,
    Happening,
    Wake,
    WindowOver,
    Woken,
)
from scheduler.standby import Standby
from scheduler.state import Core
from scheduler.timetext import SECOND
from scheduler.trail import Trail
from scheduler.witness import Witness
from scheduler.writer import Writer

if TYPE_CHECKING:
    from scheduler.census import Census

QUIET_TURNS = 3
"""Turns of the event loop to feed what has arrived: one reads the socket, one wakes the reader, one spare."""

MOST_LOOKS = 10_000
"""Bounds the reading before a round, so that a flood of changes cannot put it off for ever."""


class Runtime:
    """A running scheduler."""

    def __init__(
        self,
        settings: Settings,
        client: Client,
        clock: Clock,
        pauses: Pauses,
        *,
        witness: Witness | None = None,
        leading: bool = True,
    ) -> None:
        """``pauses``: how long to wait after failed requests; ``leading``: it decides from the beginning."""
        self._clock = clock
        self._gather_s = settings.gather / SECOND
        self._core = Core(settings.policy, settings.chip_kinds, settings.packing, settings.preemption)
        self._intake = Intake(settings, client, self._feed, pauses)
        self._witness = witness or Witness()
        self._trail = Trail(
            settings.annotation_keys.decision if settings.record_decisions else None, self._witness
        )
        self._standby = Standby(self._perform, leading=leading)
        self._writer = Writer(
            client,
            self._feed,
            self._intake.pod_read,
            pauses,
            clock.now,
            limit=settings.concurrent_writes,
            annotations=self._trail.annotations,
            witness=self._witness,
        )
        self._timed: asyncio.Queue[Happening] = asyncio.Queue()
        self._alarm: asyncio.TimerHandle | None = None
        """The timer that the core has asked for, of which there is at most one."""

    async def run(self) -> None:
        """Schedule until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for work in (self._intake.run, self._writer.run, self._feed_timed):
                tasks.create_task(work())

    def lead(self) -> None:
        """Decide from now on."""
        self._standby.lead(self._clock.now())

    @property
    def informed(self) -> bool:
        """Whether it was told of all pods and nodes there are."""
        return self._core.informed

    def census(self) -> "Census":
        """Who waits at this moment."""
        return self._core.census(self._clock.now())

    def _feed(self, event: Happening) -> None:
        now = self._clock.now()
        self._trail.settle(event)
        self._standby.settle(event)
        if not self._standby.leading:
            self._core.tidy(now)
        for action in self._core.handle(event, now):
            self._standby.pass_on(action, now)

    def _perform(self, action: Action, now: int) -> None:
        self._trail.follow(action)
        if isinstance(action, Gather):
            self._feed_after(self._gather_s, WindowOver())
        elif isinstance(action, BackOff):
            self._feed_after(action.pause / SECOND, BackOffOver(action.uid))
        elif isinstance(action, Wake):
            self._set_alarm(action.at, now)
        else:
            self._writer.submit(action, now)

    def _set_alarm(self, at: int | None, now: int) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm = None if at is None else self._feed_after(max(0, at - now) / SECOND, Woken())

    def _feed_after(self, seconds: float, event: Happening) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(seconds, self._timed.put_nowait, event)

    async def _feed_timed(self) -> None:
        while True:
            event = await self._timed.get()
            if isinstance(event, WindowOver):
                await self._read_what_has_arrived()
                with self._witness.deciding():
                    self._feed(event)
            else:
                self._feed(event)

    async def _read_what_has_arrived(self) -> None:
        """Let the reflectors finish what the network has already delivered.

        The window is over, but in a burst it ends somewhere within the burst, where depends on this machine's
        speed. Deciding over all that is here keeps the decisions apart from that.
        """
        for _ in range(MOST_LOOKS):
            received = self._intake.received
            for _ in range(QUIET_TURNS):
                await asyncio.sleep(0)
            if self._intake.received == received:
                return
