"""What Go says of a text that is no instant."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery.gotime import time_error

SECONDS = 'as "2006-01-02T15:04:05Z07:00": cannot parse'
MICRO = 'as "2006-01-02T15:04:05.000000Z07:00": cannot parse'


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-05T00:00:00Z",
        "2026-01-05T00:00:00.5Z",
        "2026-01-05T00:00:00,123456789012Z",
        "2026-01-05T00:00:00+02:00",
        "2026-01-05T7:00:00-24:60",
        "2024-02-29T23:59:59Z",
        "0000-02-29T00:00:00Z",
        "9999-12-31T23:59:59Z",
    ],
)
def test_instants(text: str) -> None:
    assert time_error(text) is None


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", f'{SECONDS} "" as "2006"'),
        ("now", f'{SECONDS} "now" as "2006"'),
        ("2026", f'{SECONDS} "" as "-"'),
        ("2026-1-05", f'{SECONDS} "1-05" as "01"'),
        ("2026-01-05 00:00:00Z", f'{SECONDS} " 00:00:00Z" as "T"'),
        ("2026-01-05T00:00:00", f'{SECONDS} "" as "Z07:00"'),
        ("2026-01-05T00:00:00z", f'{SECONDS} "z" as "Z07:00"'),
        ("2026-13-05T00:00:00Z", ": month out of range"),
        ("2026-01-05T24:00:00Z", ": hour out of range"),
        ("2026-01-05T00:60:00Z", ": minute out of range"),
        ("2026-01-05T00:00:60Z", ": second out of range"),
        ("2026-01-05T00:00:00+25:00", ": time zone offset hour out of range"),
        ("2026-01-05T00:00:00+00:61", ": time zone offset minute out of range"),
        ("2026-02-29T00:00:00Z", ": day out of range"),
        ("2026-01-00T00:00:00Z", ": day out of range"),
        ("2026-01-05T00:00:00Z!", ': extra text: "!"'),
    ],
)
def test_other_texts(text: str, error: str) -> None:
    separator = " " if error.startswith("as ") else ""
    assert time_error(text) == f'parsing time "{text}"{separator}{error}'


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("2026-01-05T00:00:00Z", "Z"),
        ("2026-01-05T00:00:00.123Z", ".123Z"),
        ("2026-01-05T00:00:00", ""),
    ],
)
def test_instants_of_events_need_microseconds(text: str, rest: str) -> None:
    assert time_error(text, micro=True) == f'parsing time "{text}" {MICRO} "{rest}" as ".000000"'


def test_instants_of_events_have_no_more_than_microseconds() -> None:
    text = "2026-01-05T00:00:00.1234567Z"
    assert time_error(text, micro=True) == f'parsing time "{text}" {MICRO} "7Z" as "Z07:00"'
    assert time_error("2026-01-05T00:00:00.123456Z", micro=True) is None


def test_letters_outside_of_ascii_are_shown_as_bytes() -> None:
    assert time_error('é"') == rf'parsing time "\xc3\xa9\"" {SECONDS} "\xc3\xa9\"" as "2006"'


@given(st.datetimes(min_value=datetime(1000, 1, 1)))  # noqa: DTZ001 - hypothesis wants bounds without a zone
def test_every_instant_is_one(instant: datetime) -> None:
    assert time_error(instant.isoformat(timespec="seconds") + "Z") is None
    assert time_error(instant.isoformat(timespec="microseconds") + "Z", micro=True) is None
