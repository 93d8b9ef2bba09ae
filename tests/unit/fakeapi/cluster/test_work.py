"""The arithmetic of sessions: what is saved, kept and lost, in exact nanoseconds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.cluster.annotations import Life
from fakeapi.cluster.work import Ending, Piece, Session, Terms
from fakeapi.kernel.time import HOUR, MINUTE

HOURLY = Terms(total=10 * HOUR, interval=HOUR, restart_cost=5 * MINUTE)


def test_a_first_session_pays_nothing_and_saves_at_each_interval() -> None:
    session = Session(Piece(), HOURLY, 0)
    assert (session.base, session.began, session.end) == (0, 0, 10 * HOUR)
    assert session.checkpoint(session.progress(2 * HOUR - 1)) == HOUR
    assert session.checkpoint(session.progress(2 * HOUR)) == 2 * HOUR


def test_the_next_session_pays_the_restart_and_goes_on_from_what_was_saved() -> None:
    piece = Piece()
    first = Session(piece, HOURLY, 0)
    first.settle(3 * HOUR + MINUTE, Ending.CUT_SHORT)
    assert first.shares(0) == (3 * HOUR, MINUTE)
    second = Session(piece, HOURLY, 4 * HOUR)
    assert (second.base, second.began) == (3 * HOUR, 4 * HOUR + 5 * MINUTE)
    assert second.end == 4 * HOUR + 5 * MINUTE + 7 * HOUR
    second.settle(4 * HOUR + MINUTE, Ending.CUT_SHORT)  # while it restarts
    assert second.shares(second.base) == (0, 0)
    assert piece.saved == 3 * HOUR


def test_finished_work_is_kept_and_the_piece_begins_anew_when_it_is_done_again() -> None:
    piece = Piece()
    Session(piece, HOURLY, 0).settle(HOUR, Ending.CUT_SHORT)
    last = Session(piece, HOURLY, HOUR)
    assert last.end is not None
    last.settle(last.end, Ending.FINISHED)
    assert last.shares(last.base) == (9 * HOUR, 0)
    assert last.end == HOUR + 5 * MINUTE + 9 * HOUR
    again = Session(piece, HOURLY, 20 * HOUR)
    assert (again.base, again.began) == (0, 20 * HOUR)


def test_what_fails_at_its_end_is_not_taken_up_there() -> None:
    piece = Piece()
    session = Session(piece, HOURLY, 0)
    session.settle(10 * HOUR, Ending.FAILED)
    assert piece.saved == 9 * HOUR
    assert session.shares(0) == (9 * HOUR, HOUR)


def test_a_stop_that_saves_keeps_what_was_done_when_it_was_asked() -> None:
    piece = Piece()
    session = Session(piece, HOURLY, 0)
    session.halt(90 * MINUTE)
    session.halt(100 * MINUTE)
    assert session.end is None
    session.settle(95 * MINUTE, Ending.SAVED)
    assert (piece.saved, session.shares(0)) == (90 * MINUTE, (90 * MINUTE, 0))


def test_checkpoints_count_from_what_was_taken_up() -> None:
    piece = Piece(saved=90 * MINUTE)
    session = Session(piece, HOURLY, 0)
    session.settle(70 * MINUTE, Ending.CUT_SHORT)
    assert piece.saved == 150 * MINUTE


def test_without_checkpoints_all_is_lost_and_without_an_end_nothing_is() -> None:
    lost = Session(Piece(), Terms(HOUR, None, 0), 0)
    lost.settle(59 * MINUTE, Ending.CUT_SHORT)
    assert lost.shares(0) == (0, 59 * MINUTE)
    service = Session(Piece(), Terms(None, None, 0), 0)
    assert service.end is None
    service.settle(59 * MINUTE, Ending.CUT_SHORT)
    assert service.shares(0) == (59 * MINUTE, 0)
    assert service.piece.saved == 0


def test_two_who_do_the_same_keep_it_once() -> None:
    piece = Piece()
    terms = Terms(10 * HOUR, HOUR, restart_cost=0)
    one, two = Session(piece, terms, 0), Session(piece, terms, 0)
    assert piece.saved_at(2 * HOUR) == 2 * HOUR
    one.settle(2 * HOUR, Ending.CUT_SHORT)
    two.settle(3 * HOUR, Ending.CUT_SHORT)
    assert (one.shares(0), two.shares(0)) == ((2 * HOUR, 0), (HOUR, 2 * HOUR))


def test_who_joined_later_did_less() -> None:
    session = Session(Piece(), HOURLY, 0)
    session.settle(150 * MINUTE, Ending.CUT_SHORT)
    assert session.shares(0) == (2 * HOUR, 30 * MINUTE)
    assert session.shares(90 * MINUTE) == (30 * MINUTE, 30 * MINUTE)
    assert session.shares(130 * MINUTE) == (0, 20 * MINUTE)


def test_a_session_cannot_be_shared_before_its_end() -> None:
    with pytest.raises(AssertionError):
        Session(Piece(), HOURLY, 0).shares(0)


def test_together_they_work_as_the_slowest_of_them() -> None:
    lives = (Life(run_time=HOUR, checkpoint_interval=MINUTE), Life(run_time=2 * HOUR, restart_cost=3))
    assert Terms.of(lives) == Terms(total=2 * HOUR, interval=None, restart_cost=3)
    assert Terms.of((lives[0],)) == Terms(HOUR, MINUTE, 0)
    assert Terms.of((*lives, Life())).total is None


def test_less_work_than_is_done_ends_at_once() -> None:
    session = Session(Piece(saved=HOUR), HOURLY, 0)
    session.change(Terms(30 * MINUTE, None, 0))
    assert session.end == 0
    assert session.progress(HOUR) == HOUR


durations = st.integers(0, 20 * HOUR)


@given(
    saved=durations,
    interval=st.none() | st.integers(1, 5 * HOUR),
    cost=durations,
    total=st.none() | st.integers(1, 20 * HOUR),
    lengths=st.lists(durations, min_size=1, max_size=6),
    endings=st.lists(st.sampled_from((Ending.CUT_SHORT, Ending.SAVED)), min_size=6, max_size=6),
)
def test_kept_and_lost_are_what_was_worked_and_saved_work_never_shrinks(
    saved: int,
    interval: int | None,
    cost: int,
    total: int | None,
    lengths: list[int],
    endings: list[Ending],
) -> None:
    piece, now = Piece(saved=saved), 0
    terms = Terms(total, interval, cost)
    for length, ending in zip(lengths, endings, strict=False):
        before = piece.saved
        session = Session(piece, terms, now)
        now += length
        worked = session.progress(now) - session.base
        session.settle(now, ending)
        kept, lost = session.shares(session.base)
        assert kept + lost == worked <= length
        assert min(kept, lost) >= 0
        assert piece.saved == before + (kept if total is not None else 0)
