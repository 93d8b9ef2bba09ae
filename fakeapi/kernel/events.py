"""The queue of what will happen: ordered by (time, rank, sequence), a total order.

Two things at one instant need a stated order, or a node shows more than it has.
The ranks below are that order.

Some events go on for ever and lead nowhere by themselves: hardware fails again and again, a drain
that is held up asks again. They are *background*: they happen in their place while anything else
will happen, and when they alone are left nothing is.
"""

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TypeAlias

from fakeapi.kernel.time import Instant, format_instant

Action: TypeAlias = Callable[[], None]
_Entry: TypeAlias = "tuple[Instant, int, int, Event]"


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
        self._heap: list[_Entry] = []
        self._background: list[_Entry] = []
        self._sequence = itertools.count()
        self._present = start

    def __len__(self) -> int:
        return sum(not entry[-1].cancelled for heap in (self._heap, self._background) for entry in heap)

    def schedule(
        self, at: Instant, rank: Rank, action: Action, label: str = "", *, background: bool = False
    ) -> Event:
        """Put an event into the queue and return its handle.

        Args:
            at: when it happens.
            rank: its place among the events of that instant.
            action: what happens.
            label: what it is, for messages.
            background: it is no reason to go on when nothing else will happen.

        Raises:
            EventInPast: ``at`` lies before what has already been taken.
        """
        if at < self._present:
            raise EventInPast(
                f"{label or rank.name} at {format_instant(at)}, now {format_instant(self._present)}"
            )
        event = Event(at, rank, action, label)
        heap = self._background if background else self._heap
        heapq.heappush(heap, (at, rank, next(self._sequence), event))
        return event

    def peek(self) -> Instant | None:
        """The instant of the next event, or None when nothing but background is left to happen."""
        heap = self._heap
        while heap and heap[0][-1].cancelled:
            heapq.heappop(heap)
        if not heap:
            return None
        return min(heap[0][0], self._background[0][0]) if self._trim_background() else heap[0][0]

    def peek_background(self) -> Instant | None:
        """The instant of the next background event, or None when there is none."""
        return self._background[0][0] if self._trim_background() else None

    def _trim_background(self) -> bool:
        """Drop cancelled events from the head; whether an event is left."""
        while self._background and self._background[0][-1].cancelled:
            heapq.heappop(self._background)
        return bool(self._background)

    def _pop_due(self, now: Instant) -> Event | None:
        """The next event up to ``now``, of either kind."""
        heap = self._heap
        while heap and heap[0][-1].cancelled:
            heapq.heappop(heap)
        if self._trim_background() and (not heap or self._background[0] < heap[0]):
            heap = self._background
        return heapq.heappop(heap)[-1] if heap and heap[0][0] <= now else None

    def run_due(self, now: Instant) -> int:
        """Run every event up to and including ``now`` in order, those they add too; return how many ran."""
        count = 0
        while (event := self._pop_due(now)) is not None:
            self._present = event.at
            event.action()
            count += 1
        self._present = max(self._present, now)
        return count
