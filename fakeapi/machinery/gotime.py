"""What Go's ``time.Parse`` says of a text that is to be an RFC 3339 instant: nothing, or why it is none."""

import calendar
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_CACHE: Final = 4096
"""Instants that are remembered: those of one virtual moment come again and again."""

_SECONDS: Final = "2006-01-02T15:04:05Z07:00"
_MICROSECONDS: Final = "2006-01-02T15:04:05.000000Z07:00"
_LAST_ASCII: Final = 0x7F
_FIRST_PRINTABLE: Final = 0x20


@dataclass(frozen=True, slots=True)
class _Element:
    """One element of a layout: the text before it, its name in the layout, what fits, and its bounds."""

    before: str
    layout: str
    pattern: re.Pattern[str]
    name: str = ""
    least: int = 0
    most: int = 99


def _element(
    before: str, layout: str, pattern: str, name: str = "", least: int = 0, most: int = 99
) -> _Element:
    return _Element(before, layout, re.compile(pattern, re.ASCII), name, least, most)


_DATE_AND_TIME: Final = (
    _element("", "2006", r"\d{4}", most=9999),
    _element("-", "01", r"\d\d", "month", 1, 12),
    _element("-", "02", r"\d\d"),
    _element("T", "15", r"\d\d?", "hour", most=23),
    _element(":", "04", r"\d\d", "minute", most=59),
    _element(":", "05", r"\d\d", "second", most=59),
)
_FRACTION: Final = re.compile(r"\A[.,]\d+", re.ASCII)
_MICRO_FRACTION: Final = re.compile(r"\A[.,]\d{6}", re.ASCII)
_ZONE: Final = re.compile(r"Z|[+-](\d\d):(\d\d)", re.ASCII)
_MOST_ZONE_HOURS: Final = 24
_MOST_ZONE_MINUTES: Final = 60
"""Go takes both bounds themselves, as some people write offsets of a whole day or hour."""


class _Wrong(Exception):
    """What follows the text in the message of a ``time.ParseError``."""


_PLAIN: Final = r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d"
_ORDINARY: Final = re.compile(_PLAIN + r"(?:\.\d+)?Z", re.ASCII)
_ORDINARY_MICRO: Final = re.compile(_PLAIN + r"\.\d{6}Z", re.ASCII)
"""What programs write nearly always, and what needs no closer look: the days that every month has, in UTC."""


@lru_cache(_CACHE)
def time_error(text: str, *, micro: bool = False) -> str | None:
    """Return Go's message for a text that is no instant, or None.

    Args:
        text: what should be RFC 3339.
        micro: six digits of a second are demanded, as ``MicroTime`` does; else any number may be there.
    """
    if (_ORDINARY_MICRO if micro else _ORDINARY).fullmatch(text):
        return None
    try:
        _check(text, _MICROSECONDS if micro else _SECONDS)
    except _Wrong as wrong:
        return f"parsing time {_quote(text)}{wrong}"
    return None


def _check(text: str, layout: str) -> None:
    rest, numbers = text, []
    for element in _DATE_AND_TIME:
        if not rest.startswith(element.before):
            raise _mismatch(layout, rest, element.before)
        match, rest = _take(element.pattern, rest.removeprefix(element.before), layout, element.layout)
        numbers.append(int(match[0]))
        if not element.least <= numbers[-1] <= element.most:
            raise _Wrong(f": {element.name} out of range")
    if layout is _MICROSECONDS:
        _, rest = _take(_MICRO_FRACTION, rest, layout, ".000000")
    else:
        rest = _FRACTION.sub("", rest, count=1)
    zone, rest = _take(_ZONE, rest, layout, "Z07:00")
    for name, number, most in (("hour", zone[1], _MOST_ZONE_HOURS), ("minute", zone[2], _MOST_ZONE_MINUTES)):
        if number and int(number) > most:
            raise _Wrong(f": time zone offset {name} out of range")
    if rest:
        raise _Wrong(f": extra text: {_quote(rest)}")
    year, month, day = numbers[:3]
    # The year 0, which Python does not have, is a leap year like the year 4.
    if not 1 <= day <= calendar.monthrange(year or 4, month)[1]:
        raise _Wrong(": day out of range")


def _take(pattern: re.Pattern[str], rest: str, layout: str, element: str) -> tuple[re.Match[str], str]:
    match = pattern.match(rest)
    if match is None:
        raise _mismatch(layout, rest, element)
    return match, rest[match.end() :]


def _mismatch(layout: str, rest: str, element: str) -> _Wrong:
    return _Wrong(f" as {_quote(layout)}: cannot parse {_quote(rest)} as {_quote(element)}")


def _quote(text: str) -> str:
    return f'"{"".join(map(_quoted, text))}"'


def _quoted(letter: str) -> str:
    """The time package escapes bytes, unlike ``strconv.Quote``."""
    if not _FIRST_PRINTABLE <= ord(letter) <= _LAST_ASCII:
        return "".join(f"\\x{byte:02x}" for byte in letter.encode())
    return f"\\{letter}" if letter in '"\\' else letter
