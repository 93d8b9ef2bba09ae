"""Keys that wait to be looked at."""

import pytest

from fakeapi.controllers.worklist import WorkList
from fakeapi.kernel.clock import VirtualClock
from fakeapi.kernel.events import EventQueue
from fakeapi.kernel.time import MINUTE, SECOND, Instant
from fakeapi.machinery.status import StatusError


class Desk:
    """A work list whose looks are written down, in seconds since the start."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.queue = EventQueue(self.clock.now())
        self.work: WorkList[str] = WorkList(self.queue, self.clock, self.look, "a test")
        self.looks: list[tuple[str, int]] = []
        self.again: dict[str, Instant] = {}
        self.refuses = 0

    def look(self, key: str, at: Instant) -> Instant | None:
        self.looks.append((key, (at - self.clock.start) // SECOND))
        if self.refuses:
            self.refuses -= 1
            raise StatusError(403, "Forbidden", "no")
        return self.again.pop(key, None)

    def run(self, until: Instant) -> list[tuple[str, int]]:
        end = self.clock.start + until
        while (at := self.queue.peek() or self.queue.peek_background()) is not None and at <= end:
            self.clock.advance_to(at)
            self.queue.run_due(at)
        return self.looks


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_each_key_is_looked_at_once_at_the_earliest_instant(desk: Desk) -> None:
    desk.work.add("a", after=5 * SECOND)
    desk.work.add("a", after=2 * SECOND)
    desk.work.add("a", after=9 * SECOND)
    desk.work.add("b")
    assert desk.run(MINUTE) == [("b", 0), ("a", 2)]


def test_a_look_says_when_to_look_again(desk: Desk) -> None:
    desk.again["a"] = desk.clock.start + 7 * SECOND
    desk.work.add("a")
    assert desk.run(MINUTE) == [("a", 0), ("a", 7)]


def test_a_forgotten_key_is_not_looked_at(desk: Desk) -> None:
    desk.work.add("a", after=SECOND)
    desk.work.forget("a")
    desk.work.forget("b")
    assert desk.run(MINUTE) == []


def test_a_refused_look_is_tried_again_ever_later_in_the_background(desk: Desk) -> None:
    desk.refuses = 3
    desk.work.add("a")
    desk.queue.run_due(desk.clock.now())
    assert desk.queue.peek() is None
    assert desk.queue.peek_background() == desk.clock.start + SECOND
    assert desk.run(MINUTE) == [("a", 0), ("a", 1), ("a", 3), ("a", 7)]
    desk.refuses = 1
    desk.work.add("a", after=SECOND)
    desk.looks.clear()
    assert desk.run(MINUTE) == [("a", 8), ("a", 9)], "a success ends the row of refusals"
