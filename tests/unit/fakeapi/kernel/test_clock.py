import os

import pytest

from fakeapi.kernel import clock as clocks
from fakeapi.kernel.clock import DEFAULT_START, Clock, ScaledClock, TimeWentBack, VirtualClock
from fakeapi.kernel.time import HOUR, MILLISECOND, SECOND, format_instant


class Ticker:
    """A monotonic clock in the hands of the test."""

    def __init__(self, start: int = 5_000) -> None:
        self.reading = start

    def __call__(self) -> int:
        return self.reading


def test_virtual_time_starts_on_a_monday_and_stands_still() -> None:
    clock = VirtualClock()
    assert format_instant(clock.now()) == "2026-01-05T00:00:00Z"
    assert clock.now() == clock.now() == clock.start == DEFAULT_START


def test_a_virtual_clock_moves_to_where_it_is_told_and_may_stay() -> None:
    clock = VirtualClock(start=100)
    clock.advance_to(250)
    clock.advance_to(250)
    assert (clock.now(), clock.start) == (250, 100)


def test_a_virtual_clock_never_goes_back_and_says_from_where_to_where() -> None:
    clock = VirtualClock()
    clock.advance_to(DEFAULT_START + HOUR)
    with pytest.raises(TimeWentBack, match="from 2026-01-05T01:00:00Z to 2026-01-05T00:00:00Z"):
        clock.advance_to(DEFAULT_START)
    assert clock.now() == DEFAULT_START + HOUR


@pytest.mark.parametrize(("speed", "elapsed", "shown"), [(1.0, SECOND, SECOND), (60.0, SECOND, 60 * SECOND)])
def test_a_scaled_clock_runs_with_the_machine(speed: float, elapsed: int, shown: int) -> None:
    ticker = Ticker()
    clock = ScaledClock(DEFAULT_START, speed, ticker)
    assert clock.now() == DEFAULT_START
    ticker.reading += elapsed
    assert clock.now() == DEFAULT_START + shown


def test_a_scaled_clock_says_how_long_to_wait_for_an_instant() -> None:
    ticker = Ticker()
    clock = ScaledClock(DEFAULT_START, 10.0, ticker)
    assert clock.real_delay(DEFAULT_START + 20 * SECOND) == pytest.approx(2.0)
    ticker.reading += SECOND
    assert clock.real_delay(DEFAULT_START + 20 * SECOND) == pytest.approx(1.0)
    assert clock.real_delay(DEFAULT_START) == 0.0


@pytest.mark.parametrize("speed", [0, -1.0])
def test_a_clock_must_run_forward(speed: float) -> None:
    with pytest.raises(ValueError, match=f"speed must be greater than 0, not {speed}"):
        ScaledClock(DEFAULT_START, speed)


def test_without_another_reading_a_scaled_clock_uses_the_machines() -> None:
    clock: Clock = ScaledClock(DEFAULT_START)
    first = clock.now()
    assert DEFAULT_START <= first <= clock.now()


def test_the_doors_to_the_machines_clocks() -> None:
    assert clocks.monotonic_ns() <= clocks.monotonic_ns()
    assert clocks.wall_ns() > DEFAULT_START - 50 * 365 * 24 * HOUR
    before = clocks.own_cpu_ns()
    clocks.real_sleep(0.0)
    assert clocks.own_cpu_ns() >= before


def test_the_processor_time_of_a_process_is_read_by_its_clock_id() -> None:
    own = ((~os.getpid()) << 3) | 2
    assert abs(clocks.process_cpu_ns(own) - clocks.own_cpu_ns()) < 500 * MILLISECOND


def test_a_process_that_is_gone_has_no_clock() -> None:
    child = os.posix_spawn("/bin/true", ["true"], {})
    os.waitpid(child, 0)
    with pytest.raises(OSError, match=r"\S"):
        clocks.process_cpu_ns(((~child) << 3) | 2)
