"""The queue of what will happen: ordered by (time, rank, sequence), a total order.

Two things at one instant need a stated order, or a node shows more than it has.
The ranks below are that order.
"""

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TypeAlias

from fakeapi.kernel.time import Instant, format_instant

Action: TypeAlias = Callable[[], None]


class Rank(IntEnum):
    """What comes first among events of one instant, least first."""

    POD_ENDS = 0
    """First of all: what ends gives its capacity back before anything may take it."""
    FAILURE = 1
    """After endings: work that is complete at the instant its node fails is complete."""
    REPAIR = 2
    """After failures, so that a failure and a repair at one instant leave the node working."""
    POD_PROGRESSES = 3
    """A start delay is over: after failures, so that no pod starts on a node that has just died."""
    CONTROLLER = 4
    """Controllers see the outcome of all of the above, as a real one would see the last state."""
    DELETION = 5
    """Somebody deletes a workload: before arrivals, for the room it leaves."""
    ARRIVAL = 6
    """New work comes last and meets the cluster as it then is."""


class EventInPast(AssertionError):
    """A bug: an event was asked for before the queue's present."""


@dataclass(slots=True, eq=False)
class Event:
    """One thing that will happen; :meth:`cancel` makes it not happen."""

    at: Instant
    rank: Rank
    action: Action
    label: str
    cancelled: bool = field(default=False, init=False)

    def cancel(self) -> None:
        """Make this event a no-op; its place in the queue is dropped lazily."""
        self.cancelled = True


class EventQueue:
    """Pending events and the instant up to which they have been taken."""

    def __init__(self, start: Instant) -> None:
        self._heap: list[tuple[Instant, int, int, Event]] = []
        self._sequence = itertools.count()
        self._present = start

    def __len__(self) -> int:
        return sum(not entry[-1].cancelled for entry in self._heap)

    def schedule(self, at: Instant, rank: Rank, action: Action, label: str = "") -> Event:
        """Put an event into the queue and return its handle.

        Raises:
            EventInPast: ``at`` lies before what has already been taken.
        """
        if at < self._present:
            raise EventInPast(
                f"{label or rank.name} at {format_instant(at)}, now {format_instant(self._present)}"
            )
        event = Event(at, rank, action, label)
        heapq.heappush(self._heap, (at, rank, next(self._sequence), event))
        return event

    def peek(self) -> Instant | None:
        """The instant of the next event, or None when nothing is left to happen."""
        while self._heap and self._heap[0][-1].cancelled:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def run_due(self, now: Instant) -> int:
        """Run every event up to and including ``now`` in order, those they add too; return how many ran."""
        count = 0
        while (at := self.peek()) is not None and at <= now:
            event = heapq.heappop(self._heap)[-1]
            self._present = event.at
            event.action()
            count += 1
        self._present = max(self._present, now)
        return count
