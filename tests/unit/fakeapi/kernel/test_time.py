from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.kernel.time import (
    DAY,
    HOUR,
    MICROSECOND,
    MILLISECOND,
    MINUTE,
    SECOND,
    format_duration,
    format_instant,
    format_instant_micro,
    parse_duration,
    parse_instant,
)

LONGEST = 200 * 365 * DAY
LAST_INSTANT = parse_instant("2262-04-11T23:47:16Z")
"""The last second of Go's 64-bit nanoseconds."""


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("500ms", 500 * MILLISECOND),
        ("90s", 90 * SECOND),
        ("90m", 90 * MINUTE),
        ("1.5h", 90 * MINUTE),
        ("2d", 2 * DAY),
        ("1h30m", 90 * MINUTE),
        ("1m30s", 90 * SECOND),
        ("7us", 7 * MICROSECOND),
        ("7µs", 7 * MICROSECOND),
        ("1ns", 1),
        ("0s", 0),
        ("-90s", -90 * SECOND),
        (" 90s ", 90 * SECOND),
        ("0.0000000001s", 0),
        ("0.999999999s", 999_999_999),
    ],
)
def test_durations_are_read_exactly(text: str, duration: int) -> None:
    assert parse_duration(text) == duration


@pytest.mark.parametrize(
    "text", ["", "90", "s", "-", "1h 30m", "1.h", ".5h", "1h30", "1x", "h1", "1e3s", "+1s", "--1s", "٣s", "∞"]
)
def test_what_is_no_duration_is_refused_with_an_example_of_one(text: str) -> None:
    with pytest.raises(ValueError, match="is not a duration: write a number with a unit, such as 90s"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("duration", "text"),
    [
        (0, "0s"),
        (90 * MINUTE, "1h30m"),
        (250 * MILLISECOND, "250ms"),
        (DAY + SECOND, "1d1s"),
        (1, "1ns"),
        (-90 * SECOND, "-1m30s"),
        (MICROSECOND, "1000ns"),
    ],
)
def test_durations_are_written_in_the_fewest_whole_units(duration: int, text: str) -> None:
    assert format_duration(duration) == text


@given(duration=st.integers(-LONGEST, LONGEST))
def test_a_duration_survives_being_written_and_read(duration: int) -> None:
    assert parse_duration(format_duration(duration)) == duration


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:01.5Z", 1_500 * MILLISECOND),
        ("1970-01-01t00:00:00.000000001z", 1),
        ("1970-01-01T00:00:00.0000000019Z", 1),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1969-12-31T19:00:00-05:00", 0),
        ("2026-01-05T00:00:00Z", 1_767_571_200 * SECOND),
        ("1969-12-31T23:59:59.5Z", -500 * MILLISECOND),
        (" 2026-01-05T00:00:00Z\n", 1_767_571_200 * SECOND),
    ],
)
def test_instants_are_read_exactly(text: str, instant: int) -> None:
    assert parse_instant(text) == instant


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-01-05",
        "2026-01-05T00:00:00",
        "2026-01-05 00:00:00Z",
        "2026-01-05T00:00Z",
        "2026-1-5T00:00:00Z",
        "2026-01-05T00:00:00+0100",
        "now",
        "٢٠٢٦-01-05T00:00:00Z",
    ],
)
def test_what_is_no_instant_is_refused_with_an_example_of_one(text: str) -> None:
    with pytest.raises(ValueError, match="is not an instant: write RFC 3339 with a zone"):
        parse_instant(text)


@pytest.mark.parametrize(
    "text", ["2026-02-30T00:00:00Z", "2026-01-05T24:30:00Z", "2026-01-05T00:00:00+99:00"]
)
def test_an_instant_that_no_calendar_has_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        parse_instant(text)


def test_instants_are_cut_to_what_kubernetes_writes() -> None:
    instant = parse_instant("2026-01-05T08:00:00.123456789Z")
    assert format_instant(instant) == "2026-01-05T08:00:00Z"
    assert format_instant_micro(instant) == "2026-01-05T08:00:00.123456Z"
    assert format_instant(-1) == "1969-12-31T23:59:59Z"
    assert format_instant_micro(-1) == "1969-12-31T23:59:59.999999Z"


@given(instant=st.integers(0, LAST_INSTANT))
def test_an_instant_survives_in_its_whole_seconds_and_microseconds(instant: int) -> None:
    assert parse_instant(format_instant(instant)) == instant - instant % SECOND
    assert parse_instant(format_instant_micro(instant)) == instant - instant % MICROSECOND


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
microseconds = st.integers(0, (LAST_INSTANT - SECOND) // MICROSECOND).map(lambda n: timedelta(microseconds=n))


@given(elapsed=microseconds)
def test_instants_agree_with_the_calendar(elapsed: timedelta) -> None:
    written = (EPOCH + elapsed).isoformat()
    assert parse_instant(written) == elapsed // timedelta(microseconds=1) * MICROSECOND


@given(hours=st.integers(-23, 23), minutes=st.integers(0, 59))
def test_zones_are_taken_into_account(hours: int, minutes: int) -> None:
    sign = "-" if hours < 0 else "+"
    local = parse_instant(f"2026-01-05T00:00:00{sign}{abs(hours):02}:{minutes:02}")
    offset = abs(hours) * HOUR + minutes * MINUTE
    assert local == parse_instant("2026-01-05T00:00:00Z") - (offset if sign == "+" else -offset)
