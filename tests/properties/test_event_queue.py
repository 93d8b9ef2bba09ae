"""The event queue against a sorted list, with events that add and cancel others while they run."""

from dataclasses import dataclass
from typing import Final

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from fakeapi.kernel.events import Event, EventInPast, EventQueue, Rank

ranks: Final = st.sampled_from(Rank)
delays: Final = st.integers(0, 20)


@dataclass(frozen=True)
class Planned:
    """The model's event: sorted as it should run."""

    at: int
    rank: Rank
    number: int
    adds: tuple[int, Rank] | None
    """Delay and rank of an event that this one schedules when it runs."""
    cancels: int | None
    """Number of an event that this one cancels when it runs."""

    def order(self) -> tuple[int, int, int]:
        return (self.at, self.rank, self.number)


class QueueAgainstList(RuleBasedStateMachine):
    """The model is a plain list; the next event is its least one."""

    def __init__(self) -> None:
        super().__init__()
        self.queue = EventQueue(0)
        self.now = 0
        self.numbers = 0
        self.handles: dict[int, Event] = {}
        self.pending: list[Planned] = []
        self.ran: list[int] = []

    def _plan(self, at: int, rank: Rank, adds: tuple[int, Rank] | None, cancels: int | None) -> None:
        planned = Planned(at, rank, self.numbers, adds, cancels)
        self.numbers += 1
        self.pending.append(planned)
        self.handles[planned.number] = self.queue.schedule(
            at, rank, lambda: self._happen(planned), label=str(planned.number)
        )

    def _happen(self, planned: Planned) -> None:
        assert planned == min(self.pending, key=Planned.order), "the least of all that is pending runs next"
        self.pending.remove(planned)
        self.ran.append(planned.number)
        if planned.adds is not None:
            delay, rank = planned.adds
            self._plan(planned.at + delay, rank, None, None)
        if planned.cancels is not None:
            self._cancel(planned.cancels)

    def _cancel(self, number: int) -> None:
        if number in self.handles:
            self.handles[number].cancel()
            self.pending = [planned for planned in self.pending if planned.number != number]

    @rule(
        delay=delays,
        rank=ranks,
        adds=st.none() | st.tuples(delays, ranks),
        cancels=st.none() | st.integers(0, 30),
    )
    def schedule(self, delay: int, rank: Rank, adds: tuple[int, Rank] | None, cancels: int | None) -> None:
        self._plan(self.now + delay, rank, adds, cancels)

    @rule(number=st.integers(0, 30))
    def cancel(self, number: int) -> None:
        self._cancel(number)

    @precondition(lambda self: self.now > 0)
    @rule(rank=ranks, data=st.data())
    def look_back(self, rank: Rank, data: st.DataObject) -> None:
        at = data.draw(st.integers(0, self.now - 1))
        with pytest.raises(EventInPast):
            self.queue.schedule(at, rank, lambda: None)

    @rule(step=delays)
    def run(self, step: int) -> None:
        self.now += step
        before = len(self.ran)
        assert self.queue.run_due(self.now) == len(self.ran) - before
        assert all(planned.at > self.now for planned in self.pending), "all that was due has run"

    @invariant()
    def the_queue_knows_what_is_left_and_when_it_comes(self) -> None:
        assert len(self.queue) == len(self.pending)
        assert self.queue.peek() == min((planned.at for planned in self.pending), default=None)

    @invariant()
    def nothing_runs_twice(self) -> None:
        assert len(self.ran) == len(set(self.ran))


TestEventQueue = QueueAgainstList.TestCase
