"""Clocks never go back, whatever they are told and however the machine's own clock jumps forward."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.kernel.clock import DEFAULT_START, ScaledClock, TimeWentBack, VirtualClock
from fakeapi.kernel.time import DAY, SECOND

instants = st.integers(DEFAULT_START - DAY, DEFAULT_START + DAY)


@given(targets=st.lists(instants, max_size=30))
def test_a_virtual_clock_shows_the_greatest_instant_it_was_moved_to(targets: list[int]) -> None:
    clock = VirtualClock()
    shown = DEFAULT_START
    for target in targets:
        if target < shown:
            with pytest.raises(TimeWentBack):
                clock.advance_to(target)
        else:
            clock.advance_to(target)
            shown = target
        assert clock.now() == shown


@given(
    steps=st.lists(st.integers(0, DAY), max_size=30),
    speed=st.floats(0.001, 100_000, allow_nan=False),
    origin=st.integers(0, 400 * DAY),
)
def test_a_scaled_clock_moves_only_forward_and_its_waits_lead_to_the_wanted_instant(
    steps: list[int], speed: float, origin: int
) -> None:
    reading = origin
    clock = ScaledClock(DEFAULT_START, speed, lambda: reading)
    shown = clock.now()
    assert shown == DEFAULT_START
    for step in steps:
        reading += step
        assert clock.now() >= shown
        shown = clock.now()
    wanted = shown + 10 * SECOND
    reading += int(clock.real_delay(wanted) * SECOND) + 1
    # What a float of seconds and of scaled nanoseconds can be off by after a month at this speed.
    assert clock.now() >= wanted - max(SECOND // 1000, int(speed * 1000))
