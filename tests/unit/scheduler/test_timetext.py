"""Instants and spans as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.timetext import (
    DAY,
    HOUR,
    MILLISECOND,
    MINUTE,
    SECOND,
    TimeTextError,
    format_microsecond,
    format_second,
    format_span,
    parse_instant,
    parse_span,
)


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("0s", 0),
        ("500ms", 500 * MILLISECOND),
        ("90s", 90 * SECOND),
        ("90m", 90 * MINUTE),
        ("1.5h", 90 * MINUTE),
        ("2d", 2 * DAY),
        ("1h30m", 90 * MINUTE),
        ("7ns", 7),
        ("3us", 3000),
        ("3µs", 3000),
    ],
)
def test_spans(text: str, span: int) -> None:
    assert parse_span(text) == span


@pytest.mark.parametrize("text", ["", "4", "h", "-4h", "4 h", "4h 3m", "4w", "1.h", "soon", "٤h"])
def test_what_is_no_span_is_refused_with_the_text(text: str) -> None:
    with pytest.raises(TimeTextError, match="is not a span of time") as refusal:
        parse_span(text)
    assert repr(text) in str(refusal.value)


@given(st.integers(min_value=-(10**18), max_value=10**18))
def test_spans_survive_being_written(span: int) -> None:
    text = format_span(span)
    assert (-parse_span(text[1:]) if text.startswith("-") else parse_span(text)) == span


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("2026-01-05T00:00:00Z", 1_767_571_200 * SECOND),
        ("2026-01-05T01:30:00+01:30", 1_767_571_200 * SECOND),
        ("2026-01-04T20:00:00-04:00", 1_767_571_200 * SECOND),
        ("2026-01-05t00:00:00.25z", 1_767_571_200 * SECOND + 250 * MILLISECOND),
        ("1970-01-01T00:00:00.000000001Z", 1),
        ("1969-12-31T23:59:59Z", -SECOND),
    ],
)
def test_instants(text: str, instant: int) -> None:
    assert parse_instant(text) == instant


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-01-05",
        "2026-01-05T00:00:00",
        "2026-13-05T00:00:00Z",
        "2026-01-05T24:00:00Z",
        "2026-01-05 00:00:00Z",
        "4h",
    ],
)
def test_what_is_no_instant_is_refused_with_the_text(text: str) -> None:
    with pytest.raises(TimeTextError, match="is not an instant") as refusal:
        parse_instant(text)
    assert repr(text) in str(refusal.value)


def test_instants_are_written_as_kubernetes_does() -> None:
    instant = parse_instant("2026-01-05T08:09:10.123456789Z")
    assert format_second(instant) == "2026-01-05T08:09:10Z"
    assert format_microsecond(instant) == "2026-01-05T08:09:10.123456Z"


@given(st.integers(min_value=0, max_value=4_000_000_000))
def test_whole_seconds_survive_being_written(seconds: int) -> None:
    assert parse_instant(format_second(seconds * SECOND)) == seconds * SECOND


def test_hours_are_hours() -> None:
    assert parse_instant("1970-01-02T03:00:00Z") == DAY + 3 * HOUR
