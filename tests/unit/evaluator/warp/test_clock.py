"""The moved clock as arithmetic."""

from hypothesis import given
from hypothesis import strategies as st

from evaluator.warp.clock import FRESH_MONOTONIC, ClockMode, MovedClock, monotonic_of
from evaluator.warp.code import unpack_data
from fakeapi.kernel.clock import DEFAULT_START
from fakeapi.kernel.time import DAY, HOUR, SECOND

instants = st.integers(0, 2**61)
uptimes = st.integers(0, 3000 * DAY)
steps = st.lists(st.tuples(st.integers(0, 10 * DAY), st.integers(-DAY, 100 * DAY)), max_size=20)
"""Real time that passes, and how far the next jump goes from the clock's reading."""

modes = st.sampled_from(ClockMode)


@given(mode=modes, now=instants, real=uptimes)
def test_it_begins_at_the_instant_asked_for(mode: ClockMode, now: int, real: int) -> None:
    assert MovedClock.begin(mode, now, real).reading(real) == now


@given(now=instants, real=uptimes)
def test_a_fresh_running_clock_keeps_the_machines_monotonic_one(now: int, real: int) -> None:
    clock = MovedClock.begin(ClockMode.RUNNING, now, real)
    assert clock.monotonic(real) == real
    assert not clock.moved


@given(real=uptimes)
def test_a_fresh_frozen_clock_begins_above_the_machines_uptime(real: int) -> None:
    shown = MovedClock.begin(ClockMode.FROZEN, 0, real).monotonic(real)
    assert shown > real
    assert shown % FRESH_MONOTONIC == 0


def test_a_fresh_frozen_clock_does_not_depend_on_a_usual_uptime() -> None:
    shown = {MovedClock.begin(ClockMode.FROZEN, 0, days * DAY).monotonic(0) for days in range(0, 380, 20)}
    assert shown == {FRESH_MONOTONIC}


@given(mode=modes, seen=uptimes, real=uptimes)
def test_a_clock_taken_over_goes_on_from_what_was_seen(mode: ClockMode, seen: int, real: int) -> None:
    assert MovedClock.begin(mode, 0, real, seen).monotonic(real) == seen


@given(mode=modes, now=instants, real=uptimes, steps=steps)
def test_neither_clock_ever_goes_back(
    mode: ClockMode, now: int, real: int, steps: list[tuple[int, int]]
) -> None:
    clock = MovedClock.begin(mode, now, real)
    shown = (clock.reading(real), clock.monotonic(real))
    for passed, ahead in steps:
        real += passed
        target = clock.reading(real) + ahead
        shift = clock.move(target, real)
        assert (shift is None) == (ahead <= 0)
        if shift is not None:
            assert clock.reading(real) == target
        after = (clock.reading(real), clock.monotonic(real))
        assert after >= shown
        assert after[1] >= shown[1]
        shown = after


@given(mode=modes, now=instants, real=uptimes, ahead=st.integers(1, 1000 * DAY))
def test_both_clocks_make_the_same_jump(mode: ClockMode, now: int, real: int, ahead: int) -> None:
    clock = MovedClock.begin(mode, now, real)
    before = clock.monotonic(real)
    clock.move(now + ahead, real)
    assert clock.monotonic(real) - before == ahead


def test_a_frozen_clock_stands_and_a_running_one_runs() -> None:
    frozen = MovedClock.begin(ClockMode.FROZEN, DEFAULT_START, HOUR)
    running = MovedClock.begin(ClockMode.RUNNING, DEFAULT_START, HOUR)
    assert frozen.reading(HOUR + SECOND) == DEFAULT_START
    assert running.reading(HOUR + SECOND) == DEFAULT_START + SECOND


@given(mode=modes, now=instants, real=uptimes, jump=st.integers(0, 100 * DAY), later=st.integers(0, DAY))
def test_let_go_it_runs_on_from_where_it_is(
    mode: ClockMode, now: int, real: int, jump: int, later: int
) -> None:
    clock = MovedClock.begin(mode, now, real)
    clock.move(now + jump, real)
    on = clock.running_on(real)
    assert on.mode is ClockMode.RUNNING
    assert on.reading(real + later) == clock.reading(real) + later
    assert on.monotonic(real + later) == clock.monotonic(real) + later


@given(mode=modes, now=instants, real=uptimes, jump=st.integers(0, 100 * DAY))
def test_the_words_say_what_the_clock_says(mode: ClockMode, now: int, real: int, jump: int) -> None:
    clock = MovedClock.begin(mode, now, real)
    clock.move(now + jump, real)
    words = unpack_data(clock.data())
    assert monotonic_of(words, real) == clock.monotonic(real)
    assert clock.matches(words)
    assert not MovedClock.begin(mode, now + jump + 1, real).matches(words)
