"""What may be written as a duration, an instant or an amount, and what it becomes."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.scenario.units import (
    Bytes,
    CpuMilli,
    Duration,
    Instant,
    days,
    format_bytes,
    format_cpu,
    format_duration,
    format_moment,
    format_rfc3339,
    hours,
    minutes,
    parse_bytes,
    parse_cpu,
    parse_duration,
    parse_instant,
    parse_rfc3339,
    seconds,
)
from fakeapi.cluster.annotations import MAX_DURATION
from fakeapi.kernel.time import DAY, HOUR, MILLISECOND, MINUTE, SECOND

START = parse_rfc3339("2026-01-05T00:00:00Z")


@pytest.mark.parametrize(
    ("written", "ns"),
    [
        ("90m", 90 * MINUTE),
        ("1.5h", 90 * MINUTE),
        ("500ms", 500 * MILLISECOND),
        ("2d", 2 * DAY),
        ("1h30m", 90 * MINUTE),
        (" 3s ", 3 * SECOND),
        ("0", 0),
        (timedelta(hours=1, microseconds=1), HOUR + 1000),
        (Duration(7), 7),
    ],
)
def test_durations(written: object, ns: int) -> None:
    assert parse_duration(written) == ns


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        (90, 'without a unit; write "90s", "90m" or "90h"'),
        (1.5, "without a unit"),
        ("90", "without a unit"),
        ("1.5", "without a unit"),
        ("-5", "without a unit"),
        ("-5m", "cannot be negative"),
        (timedelta(seconds=-1), "cannot be negative"),
        ("90 minutes", "not a duration"),
        ("", "not a duration"),
        ("1h " * 99, "not a duration"),
        ("2000000d", "longer than 100 years"),
        (True, "not a duration"),
        (None, "not a duration"),
    ],
)
def test_what_is_no_duration_is_refused_with_advice(written: object, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        parse_duration(written)


@given(st.integers(0, MAX_DURATION))
def test_a_duration_survives_being_written(ns: int) -> None:
    assert parse_duration(format_duration(ns)) == ns


def test_numbers_with_units_are_timedeltas() -> None:
    assert [parse_duration(each) for each in (seconds(90), minutes(1.5), hours(0.025), days(1))] == [
        90 * SECOND,
        90 * SECOND,
        90 * SECOND,
        DAY,
    ]


def test_instants_are_relative_or_absolute() -> None:
    assert parse_instant("90m").since(START) == 90 * MINUTE
    assert parse_instant("90m").since(START, origin_ns=HOUR) == 150 * MINUTE
    nine = 9 * HOUR
    for written in ("2026-01-05T09:00:00Z", "2026-01-05T10:00:00+01:00", datetime(2026, 1, 5, 9, tzinfo=UTC)):
        assert parse_instant(written).since(START, origin_ns=HOUR) == nine


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ("2026-01-05", "RFC 3339 with a zone"),
        ("2026-01-05T09:00:00", "RFC 3339 with a zone"),
        ("2026-13-05T09:00:00Z", "RFC 3339 with a zone"),
        (datetime(2026, 1, 5, 9), "without a time zone"),  # noqa: DTZ001  that is what is refused
        (5, "without a unit"),
    ],
)
def test_what_is_no_instant_is_refused_with_advice(written: object, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        parse_instant(written)


@given(st.integers(0, 200 * 365 * DAY))
def test_an_instant_survives_being_written(ns: int) -> None:
    assert parse_rfc3339(format_rfc3339(ns)) == ns
    moment = Instant(ns, absolute=True)
    assert parse_instant(format_moment(moment)) == moment


def test_an_instant_is_written_with_as_few_decimals_as_it_needs() -> None:
    assert format_rfc3339(START) == "2026-01-05T00:00:00Z"
    assert format_rfc3339(START + 1_500_000_000) == "2026-01-05T00:00:01.5Z"
    assert format_rfc3339(START + 1) == "2026-01-05T00:00:00.000000001Z"


@pytest.mark.parametrize(
    ("written", "milli"),
    [
        ("500m", 500),
        (4, 4000),
        (0.5, 500),
        ("2", 2000),
        ("1.0001", 1001),
        ("1k", 1_000_000),
        (CpuMilli(7), 7),
    ],
)
def test_cpu(written: object, milli: int) -> None:
    assert parse_cpu(written) == milli


@pytest.mark.parametrize(
    ("written", "number"),
    [("2Gi", 2**31), ("1500M", 1_500_000_000), ("0.5Ki", 512), ("0", 0), ("1m", 1), (Bytes(7), 7)],
)
def test_memory(written: object, number: int) -> None:
    assert parse_bytes(written) == number


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        (64, 'without a unit; write "64Gi"'),
        ("64", 'without a unit; write "64Gi"'),
        ("-1Gi", "cannot be negative"),
        ("2GiB", "not a Kubernetes quantity"),
        ("99999E", "greater than the API can carry"),
        (None, "not an amount of memory"),
        (True, "not an amount of memory"),
    ],
)
def test_what_is_no_memory_is_refused_with_advice(written: object, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        parse_bytes(written)


@pytest.mark.parametrize("written", ["four", "-1", None, True, float("inf")])
def test_what_is_no_cpu_is_refused(written: object) -> None:
    with pytest.raises(ValueError, match=r"quantity|amount"):
        parse_cpu(written)


@given(st.integers(0, 10**12))
def test_amounts_survive_being_written(amount: int) -> None:
    assert parse_cpu(format_cpu(amount)) == amount
    if amount % 1024 == 0:
        assert parse_bytes(format_bytes(amount)) == amount
