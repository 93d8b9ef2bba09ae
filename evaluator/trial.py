"""One run: a scenario, a scheduler, a seed; virtual time moves from event to event while the scheduler rests.

The loop is the whole idea: find the next instant at which anything happens (an event of the
world, or a timer of the scheduler while pods wait), go there, let everything of that instant
happen, wait for proof that the scheduler has nothing left to do, repeat.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from evaluator.arriving import Arrivals
from evaluator.pace.pace import Pace
from evaluator.processes import Processes
from evaluator.recorder import Help, Recorder
from evaluator.scenario.plan import LoadedScenario
from evaluator.timeline import RunEnded, RunStarted, Timeline
from evaluator.wakeups import WakeupPlan, WakeupRules
from evaluator.words import counted
from fakeapi.kernel.clock import VirtualClock, monotonic_ns
from fakeapi.kernel.time import DAY, SECOND, Duration, Instant, format_instant
from fakeapi.machinery.resources import PODS
from fakeapi.world import World

_PROGRESS_EVERY: Final[Duration] = SECOND // 4
"""Real time between two reports of progress: often enough to look alive, too seldom to cost anything."""
_PATIENCE: Final[Duration] = 30 * DAY
"""How long pods may wait for a repair when nothing else happens: nine in ten take less than two weeks."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run is."""

    virtual: Duration
    until: Duration | None
    """The instant of the last arrival, or of the scenario's end if it has one: what there is to reach."""
    submitted: int
    finished: int
    failed: int
    running: int
    pending: int
    total: int
    """Jobs that the scenario will submit."""


class Trial:
    """A world with a scenario in it, and the loop that plays it against a scheduler."""

    def __init__(
        self,
        scenario: LoadedScenario,
        scheduler: str,
        scheduler_name: str,
        wakeups: WakeupRules,
        report: Callable[[Progress], None] | None = None,
    ) -> None:
        self.scenario: Final = scenario
        self.clock: Final = VirtualClock(scenario.start_ns)
        self.world: Final = World(self.clock, scenario.seed, chip_resource=scenario.settings.chip_resource)
        self.timeline: Final = Timeline()
        self.recorder: Final = Recorder(
            self.timeline, self.clock, scenario.start_ns, scenario.settings.chip_resource, scheduler_name
        )
        self._wakeups = WakeupPlan(wakeups, scenario.start_ns)
        self._report = report
        self._reported = 0
        self._last_event = scenario.start_ns
        self._began: Duration | None = None
        self._total = sum(1 for _ in scenario.work())
        self._last_arrival = max((arrival.at_ns for arrival in scenario.arrivals), default=0)
        self.recorder.attach(self.world)
        self.timeline.append(
            RunStarted(
                scenario=scenario.name,
                scenario_digest=scenario.digest,
                scheduler=scheduler,
                seed=scenario.seed,
                start=format_instant(scenario.start_ns),
            )
        )
        arrivals = Arrivals(scenario, self.world, scheduler_name)
        arrivals.plan()
        self._processes: Final = (
            Processes(scenario, self.world, arrivals, self.timeline) if scenario.processes else None
        )
        if self._processes is not None:
            self._processes.plan()

    # ---- the loop -----------------------------------------------------------------------------------

    async def play(self, pace: Pace, asked: Callable[[], int]) -> str:
        """Play the scenario to its end and return why it ended; ``asked`` counts the scheduler's requests.

        Raises:
            NotQuiescent: the scheduler did not rest, so time could not move.
            ProcessGone: the scheduler ended.
            RefusedArrival: the API server refused an object of the scenario.
            ScenarioError: a process of the scenario raised, or never ends.
        """
        try:
            return await self._play(pace, asked)
        finally:
            if self._processes is not None:
                self._processes.close()

    async def _play(self, pace: Pace, asked: Callable[[], int]) -> str:
        self._began = monotonic_ns()
        until = None if self.scenario.until_ns is None else self.scenario.start_ns + self.scenario.until_ns
        await pace.idle()
        self._note_help(self.clock.now())
        while True:
            event, wakeup = self._next_event(), self._next_wakeup(pace)
            instant = min((at for at in (event, wakeup) if at is not None), default=None)
            if instant is None:
                return self._why_nothing_is_left()
            if until is not None and instant > until:
                await self._enter(pace, until)
                return "the scenario's end was reached"
            before = asked()
            await self._enter(pace, instant)
            if instant == wakeup:
                pace.fidelity.wakeups += 1
                self._wakeups.visited(fruitless=asked() == before)
            self._tell_progress()

    async def _enter(self, pace: Pace, instant: Instant) -> None:
        """Go to an instant and let everything of it happen, answers to it included."""
        await pace.begin_instant()
        pace.jump(instant)
        self.clock.advance_to(instant)
        self.world.run_due()
        await pace.end_instant()
        await pace.idle()
        while self.world.queue.peek() == instant:  # what the scheduler did set more in motion, now
            await pace.begin_instant()
            self.world.run_due()
            await pace.end_instant()
            await pace.idle()
        self._note_help(instant)

    def _note_help(self, now: Instant) -> None:
        for kind in self.recorder.take_help():
            self._wakeups.help_came(now, arrival=kind is Help.ARRIVAL)

    def _next_event(self) -> Instant | None:
        """The world's next event.

        Repairs and failures alone are waited for while pods wait for a node, or for their machine to be back.
        """
        event = self.world.queue.peek()
        if event is not None:
            self._last_event = event
        elif self.recorder.pending or self._some_wait_for_a_machine():
            event = self.world.queue.peek_background()
            if event is not None and event - self._last_event > _PATIENCE:
                return None
        return event

    def _some_wait_for_a_machine(self) -> bool:
        """Whether a pod is on a machine that is down, so that nobody can say what became of it."""
        machines, store = self.world.machines, self.world.store
        nodes = {store.get(PODS.storage_key, key).object["spec"]["nodeName"] for key in self.recorder.running}
        return any(machines.exists(node) and not machines.is_up(node) for node in nodes)

    def _next_wakeup(self, pace: Pace) -> Instant | None:
        """The next visit to the scheduler's own timers; only while pods wait can one matter."""
        if not self.recorder.pending:
            return None
        now = self.clock.now()
        timer = pace.next_wakeup() if self._wakeups.is_due(now) else None
        visit = self._wakeups.next_visit(now, timer)
        # Time alone is no reason to go on when nothing else will ever happen.
        return visit if timer is not None or self.world.queue.peek() is not None else None

    def _why_nothing_is_left(self) -> str:
        processes = 0 if self._processes is None else self._processes.waiting
        left = f", {counted(processes, 'process', 'processes')} still waiting" if processes else ""
        if waiting := len(self.recorder.pending):
            return f"nothing is left to happen, {waiting} pods still wait for a node{left}"
        return f"everything is done{left}"

    # ---- the end --------------------------------------------------------------------------------------

    def close(self, why: str) -> None:
        """Write the last event; nothing may happen afterwards."""
        self.timeline.append(
            RunEnded(
                at_ns=self.clock.now() - self.scenario.start_ns,
                why=why,
                pending=len(self.recorder.pending),
                running=len(self.recorder.running),
            )
        )

    @property
    def virtual(self) -> Duration:
        """Virtual time since the start of the run."""
        return self.clock.now() - self.scenario.start_ns

    @property
    def played(self) -> Duration:
        """Real time since :meth:`play` began; 0 before."""
        return 0 if self._began is None else monotonic_ns() - self._began

    def progress(self) -> Progress:
        """Where the run is now."""
        counts = self.recorder.counts
        return Progress(
            virtual=self.virtual,
            until=self.scenario.until_ns or self._last_arrival,
            submitted=counts.submitted,
            finished=counts.finished,
            failed=counts.failed,
            running=len(self.recorder.running),
            pending=len(self.recorder.pending),
            total=max(self._total, counts.submitted),
        )

    def _tell_progress(self) -> None:
        if self._report is None:
            return
        now = monotonic_ns()
        if now - self._reported >= _PROGRESS_EVERY:
            self._reported = now
            self._report(self.progress())
