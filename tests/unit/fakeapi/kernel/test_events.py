import pytest

from fakeapi.kernel.clock import DEFAULT_START
from fakeapi.kernel.events import EventInPast, EventQueue, Rank
from fakeapi.kernel.time import SECOND


class Log:
    """Notes what ran, in order."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, line: str) -> None:
        self.lines.append(line)


@pytest.fixture
def log() -> Log:
    return Log()


@pytest.fixture
def queue() -> EventQueue:
    return EventQueue(start=0)


def test_events_run_by_time_then_rank_then_the_order_they_were_asked_for(queue: EventQueue, log: Log) -> None:
    queue.schedule(20, Rank.POD_ENDS, lambda: log.note("late"))
    queue.schedule(10, Rank.ARRIVAL, lambda: log.note("arrival"))
    queue.schedule(10, Rank.POD_ENDS, lambda: log.note("end 1"))
    queue.schedule(10, Rank.FAILURE, lambda: log.note("failure"))
    queue.schedule(10, Rank.POD_ENDS, lambda: log.note("end 2"))
    assert queue.run_due(20) == 5
    assert log.lines == ["end 1", "end 2", "failure", "arrival", "late"]


def test_ranks_let_capacity_go_before_it_is_taken_and_failures_come_before_what_starts() -> None:
    assert list(Rank) == [
        Rank.POD_ENDS,
        Rank.FAILURE,
        Rank.REPAIR,
        Rank.POD_PROGRESSES,
        Rank.CONTROLLER,
        Rank.DELETION,
        Rank.ARRIVAL,
    ]
    assert [int(rank) for rank in Rank] == sorted(rank for rank in Rank)


def test_only_what_is_due_runs(queue: EventQueue, log: Log) -> None:
    queue.schedule(10, Rank.ARRIVAL, lambda: log.note("10"))
    queue.schedule(11, Rank.ARRIVAL, lambda: log.note("11"))
    assert queue.run_due(10) == 1
    assert queue.peek() == 11
    assert queue.run_due(10) == 0
    assert log.lines == ["10"]


def test_what_an_event_adds_at_its_own_instant_runs_before_time_moves(queue: EventQueue, log: Log) -> None:
    def chain(left: int) -> None:
        log.note(f"at 10, {left} left")
        if left:
            queue.schedule(10, Rank.CONTROLLER, lambda: chain(left - 1))

    queue.schedule(11, Rank.POD_ENDS, lambda: log.note("at 11"))
    queue.schedule(10, Rank.CONTROLLER, lambda: chain(2))
    assert queue.run_due(11) == 4
    assert log.lines == ["at 10, 2 left", "at 10, 1 left", "at 10, 0 left", "at 11"]


def test_a_cancelled_event_neither_runs_nor_counts_nor_is_waited_for(queue: EventQueue, log: Log) -> None:
    event = queue.schedule(10, Rank.ARRIVAL, lambda: log.note("never"), label="job-1")
    queue.schedule(20, Rank.ARRIVAL, lambda: log.note("kept"))
    assert (event.at, event.rank, event.label) == (10, Rank.ARRIVAL, "job-1")
    event.cancel()
    event.cancel()
    assert len(queue) == 1
    assert queue.peek() == 20
    assert queue.run_due(30) == 1
    assert log.lines == ["kept"]


def test_an_event_may_cancel_another_of_the_same_instant(queue: EventQueue, log: Log) -> None:
    victim = queue.schedule(10, Rank.ARRIVAL, lambda: log.note("victim"))
    queue.schedule(10, Rank.FAILURE, victim.cancel)
    assert queue.run_due(10) == 1
    assert log.lines == []
    assert queue.peek() is None


def test_an_empty_queue_has_no_next_instant(queue: EventQueue) -> None:
    assert queue.peek() is None
    assert len(queue) == 0
    assert queue.run_due(1_000) == 0


def test_nothing_can_be_asked_for_in_the_past() -> None:
    queue = EventQueue(start=DEFAULT_START)
    queue.run_due(DEFAULT_START + 10 * SECOND)
    with pytest.raises(EventInPast, match="job-7 at 2026-01-05T00:00:09Z, now 2026-01-05T00:00:10Z"):
        queue.schedule(DEFAULT_START + 9 * SECOND, Rank.ARRIVAL, lambda: None, label="job-7")
    with pytest.raises(EventInPast, match=r"^ARRIVAL at"):
        queue.schedule(DEFAULT_START, Rank.ARRIVAL, lambda: None)
    queue.schedule(DEFAULT_START + 10 * SECOND, Rank.ARRIVAL, lambda: None)
    assert len(queue) == 1


def test_an_event_cannot_add_one_before_itself(queue: EventQueue) -> None:
    def look_back() -> None:
        queue.schedule(9, Rank.ARRIVAL, lambda: None)

    queue.schedule(10, Rank.ARRIVAL, look_back)
    with pytest.raises(EventInPast):
        queue.run_due(20)


def test_an_action_that_fails_stops_the_run_and_the_rest_stays(queue: EventQueue, log: Log) -> None:
    def fail() -> None:
        raise RuntimeError("broken")

    queue.schedule(10, Rank.FAILURE, fail)
    queue.schedule(10, Rank.ARRIVAL, lambda: log.note("rest"))
    with pytest.raises(RuntimeError, match="broken"):
        queue.run_due(10)
    assert queue.run_due(10) == 1
    assert log.lines == ["rest"]


def test_background_is_no_reason_to_go_on(queue: EventQueue, log: Log) -> None:
    queue.schedule(5, Rank.FAILURE, lambda: log.note("failure"), background=True)
    assert (queue.peek(), queue.peek_background(), len(queue)) == (None, 5, 1)
    queue.schedule(10, Rank.ARRIVAL, lambda: log.note("arrival"))
    assert queue.peek() == 5
    assert queue.run_due(10) == 2
    assert log.lines == ["failure", "arrival"]
    assert queue.peek_background() is None


def test_background_has_its_place_among_the_events_of_an_instant(queue: EventQueue, log: Log) -> None:
    queue.schedule(10, Rank.REPAIR, lambda: log.note("repair"))
    queue.schedule(10, Rank.FAILURE, lambda: log.note("failure"), background=True)
    queue.schedule(10, Rank.FAILURE, lambda: log.note("another"))
    queue.schedule(10, Rank.POD_ENDS, lambda: log.note("end"))
    assert queue.run_due(10) == 4
    assert log.lines == ["end", "failure", "another", "repair"]


def test_background_alone_runs_when_time_is_moved_past_it(queue: EventQueue, log: Log) -> None:
    cancelled = queue.schedule(4, Rank.FAILURE, lambda: log.note("never"), background=True)
    queue.schedule(5, Rank.FAILURE, lambda: log.note("failure"), background=True)
    cancelled.cancel()
    assert queue.peek_background() == 5
    assert queue.run_due(9) == 1
    assert log.lines == ["failure"]
