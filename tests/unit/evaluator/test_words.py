"""Amounts as people read them."""

import pytest

from evaluator.words import counted, duration_text, span_text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (0.0041, "4.1ms"),
        (12.345, "12.3s"),
        (59.9, "59.9s"),
        (60, "1m"),
        (65, "1m 05s"),
        (3599.9, "60m"),
        (3600, "1h"),
        (3900, "1h 05m"),
        (86_400 * 3 + 3600 * 4, "3d 04h"),
        (86_400 * 1500, "1,500d"),
        (-65, "-1m 05s"),
    ],
)
def test_durations_are_told_in_two_units(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


def test_nanoseconds_are_told_the_same_way() -> None:
    assert span_text(3_900 * 10**9) == "1h 05m"


def test_one_thing_is_not_told_as_many() -> None:
    assert (counted(1, "chip"), counted(2_000, "chip"), counted(0, "story", "stories")) == (
        "1 chip", "2,000 chips", "0 stories",
    )  # fmt: skip
