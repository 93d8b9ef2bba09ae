"""The processes of a scenario, played on the world's queue: each step is an event of its own.

What happens in the cluster only wakes a process: its next step is queued at the same instant, after all that
happens there, so that no user's code runs within a change of the store. The same run wakes the same processes
in the same order.
"""

import itertools
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from types import FrameType, GeneratorType
from typing import Final, Literal

from evaluator.arriving import Arrivals
from evaluator.board import Board, JobKey
from evaluator.errors import ScenarioError, shown
from evaluator.scenario.assemble import arrivals_from
from evaluator.scenario.blame import blamed
from evaluator.scenario.checks import Placed
from evaluator.scenario.happenings import Happening
from evaluator.scenario.model import Job, Pod, PriorityClass
from evaluator.scenario.plan import Arrival, LoadedScenario, Story
from evaluator.scenario.processes import Process, Start, Wait
from evaluator.scenario.units import parse_instant
from evaluator.timeline import Event, Timeline
from fakeapi.cluster.annotations import MAX_DURATION
from fakeapi.kernel.events import Event as Queued
from fakeapi.kernel.events import Rank
from fakeapi.kernel.time import format_duration
from fakeapi.machinery.resources import PRIORITY_CLASSES
from fakeapi.world import World

MAX_STEPS_AT_ONCE: Final = 100_000
"""Steps of all processes at one instant: as many as the largest cluster has pods. More never end."""


@dataclass(slots=True, eq=False)
class _Live:
    """A process that has not ended."""

    process: Process
    name: str
    where: str
    waits_for: Happening | Callable[[], bool] | None = None
    step: Queued | None = None
    """Its next step, if that is known: an event of the world's queue."""


@dataclass(slots=True)
class _Busy:
    """How many steps there have been at the present instant."""

    now_ns: int = -1
    steps: int = 0


@dataclass(slots=True, eq=False)
class Processes:
    """Everybody who acts while a run goes on."""

    scenario: LoadedScenario
    world: World
    arrivals: Arrivals
    timeline: Timeline
    _story: Story = field(init=False)
    _board: Board = field(init=False, default_factory=Board)
    _living: dict[_Live, None] = field(init=False, default_factory=dict)
    _for_jobs: dict[Happening, list[_Live]] = field(init=False, default_factory=dict)
    _for_questions: dict[_Live, None] = field(init=False, default_factory=dict)
    _asking: bool = field(init=False, default=False)
    _busy: _Busy = field(init=False, default_factory=_Busy)
    _numbers: "itertools.count[int]" = field(init=False)

    def __post_init__(self) -> None:
        """Tell the story anew, for processes that nobody has played yet."""
        assert self.scenario.retell is not None, "a scenario with processes"
        self._story = self.scenario.retell()
        self._numbers = itertools.count(len(self.scenario.arrivals))

    def plan(self) -> None:
        """Queue the first step of each."""
        self.timeline.follow(self._hear)
        self._story.enter(self)
        for start in self._story.starts:
            self.begin(start)

    @property
    def waiting(self) -> int:
        """How many have not come to their end."""
        return len(self._living)

    def close(self) -> None:
        """End those that are left, where they wait; what they do in ``finally`` changes nothing any more.

        Raises:
            ScenarioError: one does not end.
        """
        self._story.enter(None)
        living, self._living = list(self._living), {}
        for live in living:
            where = self._line(live)
            with blamed(self.scenario.path):
                try:
                    live.process.close()
                except RuntimeError as error:
                    raise ScenarioError(
                        f"process {live.name} yields when it is told to end",
                        where=where,
                        next_step="Do not catch GeneratorExit, and do not yield in finally.",
                    ) from error

    # ---- what the words of a scenario ask (evaluator.scenario.processes.Present) ----------------------

    @property
    def now_ns(self) -> int:
        """Nanoseconds since the start of the run."""
        return self.world.clock.now() - self.scenario.start_ns

    @property
    def start_ns(self) -> int:
        """Start of the run, nanoseconds since 1970-01-01T00:00:00Z."""
        return self.scenario.start_ns

    def add(self, placed: Placed) -> None:
        """Let an item happen: now, or at its instant if that is later."""
        for found in arrivals_from(placed, self._story.placed, self.scenario.settings, self.now_ns):
            arrival = replace(found, number=next(self._numbers))
            if isinstance(arrival.item, PriorityClass) and not arrival.where and self._is_there(arrival):
                continue
            if isinstance(arrival.item, Pod | Job):
                self._board.forget((arrival.item.kind, arrival.item.key))
            if arrival.at_ns > self.now_ns:
                self.arrivals.schedule(arrival)
            else:
                self.arrivals.happen(arrival)

    def begin(self, start: Start) -> None:
        """Let another process begin."""
        live = _Live(start.process, start.name, start.where)
        self._living[live] = None
        at_ns = parse_instant(start.at).since(self.start_ns)
        self._step_at(live, max(self.start_ns + at_ns, self.world.clock.now()))

    def outcome(self, kind: str, key: str) -> str | None:
        """How a pod or Job ended."""
        return self._board.outcome(("job" if kind == "job" else "pod", key))

    def count(self, *, waiting: bool, user: str | None, queue: str | None) -> int:
        """How many pods wait for a node, or hold one."""
        return self._board.count(waiting=waiting, user=user, queue=queue)

    def _is_there(self, arrival: Arrival) -> bool:
        assert isinstance(arrival.item, PriorityClass)
        return self.world.store.find(PRIORITY_CLASSES.storage_key, ("", arrival.item.name)) is not None

    # ---- steps -------------------------------------------------------------------------------------

    def _step_at(self, live: _Live, at: int) -> None:
        live.step = self.world.queue.schedule(at, Rank.ARRIVAL, partial(self._step, live), live.name)

    def _step(self, live: _Live) -> None:
        self._forget_wait(live)
        self._check_that_time_goes_on(live)
        with blamed(self.scenario.path):
            try:
                wait = next(live.process)
            except StopIteration:
                del self._living[live]
                return
        if not isinstance(wait, Wait):
            raise ScenarioError(
                f"process {live.name} yields {shown(wait)}",
                where=self._line(live),
                next_step="Yield s.after(…), s.until(…) or s.until_time(…).",
            )
        self._wait(live, wait)

    def _wait(self, live: _Live, wait: Wait) -> None:
        now, condition = self.world.clock.now(), wait.condition
        if wait.at_most_ns is not None:
            self._step_at(live, now + wait.at_most_ns)
        live.waits_for = condition
        if isinstance(condition, Happening):
            self._for_jobs.setdefault(condition, []).append(live)
            if self._board.is_past(_key(condition), condition.what):
                self._wake(live)
        elif condition is not None:
            self._for_questions[live] = None
            if self._holds(live):
                self._wake(live)

    def _wake(self, live: _Live) -> None:
        """Its next step is now, after all that happens at this instant."""
        self._forget_wait(live)
        self._step_at(live, self.world.clock.now())

    def _forget_wait(self, live: _Live) -> None:
        if live.step is not None:
            live.step.cancel()
            live.step = None
        condition, live.waits_for = live.waits_for, None
        if isinstance(condition, Happening):
            waiting = self._for_jobs[condition]
            waiting.remove(live)
            if not waiting:
                del self._for_jobs[condition]
        elif condition is not None:
            with suppress(KeyError):
                del self._for_questions[live]

    def _check_that_time_goes_on(self, live: _Live) -> None:
        if self.now_ns > MAX_DURATION:
            raise ScenarioError(
                f"process {live.name} still goes on after {format_duration(MAX_DURATION)}",
                where=self._line(live),
                next_step="Does its loop never end? Give it an end, or the run: s.settings(until=…).",
            )
        if self._busy.now_ns != self.now_ns:
            self._busy = _Busy(self.now_ns)
        self._busy.steps += 1
        if self._busy.steps > MAX_STEPS_AT_ONCE:
            raise ScenarioError(
                f"process {live.name} never lets time go on",
                where=self._line(live),
                next_step="Yield s.after(…) in its loop.",
            )

    def _line(self, live: _Live) -> str:
        """Where a process waits; where it was added, if it has not begun or its file is another's."""
        inner: object = live.process
        frame: FrameType | None = None
        while isinstance(inner, GeneratorType):
            frame, inner = inner.gi_frame, inner.gi_yieldfrom
        return live.where if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"

    # ---- what happens in the cluster ------------------------------------------------------------------

    def _hear(self, event: Event) -> None:
        for key, what in self._board.follow(event):
            for live in tuple(self._for_jobs.get(Happening(*key, what), ())):
                self._wake(live)
            if what == "finished":  # what ended without a start will not start any more
                for live in tuple(self._for_jobs.get(Happening(*key, "started"), ())):
                    self._wake(live)
        if self._for_questions and not self._asking:
            self._asking = True
            self.world.queue.schedule(self.world.clock.now(), Rank.ARRIVAL, self._ask, "questions")

    def _ask(self) -> None:
        self._asking = False
        for live in tuple(self._for_questions):
            if self._holds(live):
                self._wake(live)

    def _holds(self, live: _Live) -> bool:
        question = live.waits_for
        assert question is not None
        assert not isinstance(question, Happening)
        with blamed(self.scenario.path):
            return bool(question())


def _key(happening: Happening) -> JobKey:
    kind: Literal["pod", "job"] = happening.kind
    return kind, happening.key
