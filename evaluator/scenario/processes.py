"""The words of a scenario for closed loops: people who wait, look and act while a run goes on.

A process is a generator that yields what it waits for. Between two yields no time passes, and what it says to
``s`` happens then::

    def person(s: Scenario[Parameters], name: str) -> Process:
        yield s.until_time("09:00")
        job = s.job(f"{name}-1", chips=8, run_time="2h")
        yield s.until(job.finished)
        if s.outcome(job) != "succeeded":
            ...
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import GeneratorType
from typing import Final, Protocol, TypeAlias

from evaluator.errors import ScenarioError, shown
from evaluator.scenario.checks import Placed
from evaluator.scenario.happenings import Happening
from evaluator.scenario.units import Moment, Span, parse_duration, parse_instant
from evaluator.scenario.work import Work
from fakeapi.kernel.time import DAY, MICROSECOND, MINUTE

Condition: TypeAlias = Happening | Callable[[], bool]
"""What is waited for: something that becomes of a job, or a question that is asked at each change."""

_TIME_OF_DAY: Final = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Wait:
    """What a process yields."""

    condition: Condition | None = None
    """None: time alone."""
    at_most_ns: int | None = None
    """After which it goes on in any case, nanoseconds; None: never."""


Process: TypeAlias = Generator[Wait, None, None]
"""The steps of somebody who acts while the run goes on."""


@dataclass(frozen=True, slots=True)
class Start:
    """A process and when it begins."""

    process: Process
    at: Moment
    where: str
    """The line that added it, ``file:line``."""

    @property
    def name(self) -> str:
        """What its function is called."""
        return str(getattr(self.process, "__qualname__", "process"))


class Present(Protocol):
    """The run that processes live in."""

    @property
    def now_ns(self) -> int:
        """Nanoseconds since the start of the run."""

    @property
    def start_ns(self) -> int:
        """Start of the run, nanoseconds since 1970-01-01T00:00:00Z."""

    def add(self, placed: Placed) -> None:
        """Let an item happen: now, or at its instant if that is later."""

    def begin(self, start: Start) -> None:
        """Let another process begin."""

    def outcome(self, kind: str, key: str) -> str | None:
        """How a pod or Job ended."""

    def count(self, *, waiting: bool, user: str | None, queue: str | None) -> int:
        """How many pods wait for a node, or hold one."""


class ProcessWords(ABC):
    """Somebody waits, looks at the cluster, and acts."""

    def __init__(self) -> None:
        """Begin with nobody."""
        self._starts: list[Start] = []
        self._present: Present | None = None

    @abstractmethod
    def where(self) -> str:
        """File and line of the scenario's statement that is running."""

    # ---- for whoever plays the run --------------------------------------------------------------

    @property
    def starts(self) -> Sequence[Start]:
        """The processes, in the order in which they were added."""
        return self._starts

    def enter(self, present: Present | None) -> None:
        """From now on what is said happens in this run; with None, no longer."""
        self._present = present

    # ---- words ----------------------------------------------------------------------------------

    def process(self, process: Process, *, at: Moment = "0s") -> None:
        """Somebody acts while the run goes on: ``s.process(person(s, "ada"), at="8h")``.

        :param process: the generator that a function with ``yield`` returns when it is called.
        :param at: when it takes its first step; in a process, now, unless that is later.
        :raises ScenarioError: if it is no generator, or the instant cannot be read.
        """
        if not isinstance(process, GeneratorType):  # a function that was not called, most of the time
            raise ScenarioError(
                f"{shown(process)} is no process",
                where=self.where(),
                next_step="Call a function that yields: s.process(person(s)).",
            )
        try:
            parse_instant(at)
        except ValueError as error:
            raise ScenarioError(f"at = {shown(at)}: {error}", where=self.where()) from error
        start = Start(process, at, self.where())
        if self._present is None:
            self._starts.append(start)
        else:
            self._present.begin(start)

    def after(self, span: Span) -> Wait:
        """To be yielded: go on after so long.

        :raises ScenarioError: if it is no duration.
        """
        return Wait(at_most_ns=self._span(span))

    def until(self, condition: Condition, *, timeout: Span | None = None) -> Wait:
        """To be yielded: go on when something has happened.

        :param condition: ``job.finished`` or ``job.started``, or a function without arguments that is asked
            whenever something happened to a pod, such as ``lambda: s.waiting() < 5``.
        :param timeout: go on after so long in any case; ``s.outcome`` tells what happened.
        :raises ScenarioError: if it is no condition.
        """
        if not isinstance(condition, Happening) and not callable(condition):
            raise ScenarioError(
                f"{shown(condition)} is nothing to wait for",
                where=self.where(),
                next_step="Write s.until(job.finished), or s.until(lambda: …).",
            )
        return Wait(condition, None if timeout is None else self._span(timeout))

    def until_time(self, time_of_day: str) -> Wait:
        """To be yielded: go on when it is next that time of the day, UTC: ``"09:00"``.

        :raises ScenarioError: if it is no time of the day.
        """
        match = _TIME_OF_DAY.fullmatch(time_of_day)
        if match is None:
            raise ScenarioError(
                f"{shown(time_of_day)} is no time of the day", where=self.where(), next_step='Write "09:00".'
            )
        wanted = (int(match[1]) * 60 + int(match[2])) * MINUTE
        present = self._running()
        ahead = (wanted - present.start_ns - present.now_ns) % DAY
        return Wait(at_most_ns=ahead or DAY)

    @property
    def now(self) -> timedelta:
        """Time since the start of the run; for processes."""
        return timedelta(microseconds=self._running().now_ns // MICROSECOND)

    @property
    def date(self) -> datetime:
        """What the calendar shows, UTC; for processes."""
        present = self._running()
        microseconds = (present.start_ns + present.now_ns) // MICROSECOND
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)

    def outcome(self, work: Work) -> str | None:
        """How a pod or Job ended: succeeded, failed, evicted or deleted; None as long as it has not."""
        return self._running().outcome(work.kind, work.key)

    def waiting(self, *, user: str | None = None, queue: str | None = None) -> int:
        """How many pods wait for a node now, of all or of a user or queue."""
        return self._running().count(waiting=True, user=user, queue=queue)

    def running(self, *, user: str | None = None, queue: str | None = None) -> int:
        """How many pods hold a node now, of all or of a user or queue."""
        return self._running().count(waiting=False, user=user, queue=queue)

    def _running(self) -> Present:
        if self._present is None:
            raise ScenarioError(
                "nothing runs yet",
                where=self.where(),
                next_step="Ask in a process: s.process(person(s)), where person yields.",
            )
        return self._present

    def _span(self, span: Span) -> int:
        try:
            return int(parse_duration(span))
        except ValueError as error:
            raise ScenarioError(f"{shown(span)}: {error}", where=self.where()) from error
