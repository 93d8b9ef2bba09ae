"""Instants and durations as integers, and their text at the edges.

An *instant* is nanoseconds since the Unix epoch in UTC, a *duration* is
nanoseconds; both are plain ``int`` so that arithmetic stays exact and cheap.
"""

import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, TypeAlias

Instant: TypeAlias = int
Duration: TypeAlias = int

NANOSECOND: Final[Duration] = 1
MICROSECOND: Final[Duration] = 1_000
MILLISECOND: Final[Duration] = 1_000_000
SECOND: Final[Duration] = 1_000_000_000
MINUTE: Final[Duration] = 60 * SECOND
HOUR: Final[Duration] = 60 * MINUTE
DAY: Final[Duration] = 24 * HOUR

_UNITS: Final = {
    "ns": NANOSECOND,
    "us": MICROSECOND,
    "µs": MICROSECOND,
    "ms": MILLISECOND,
    "s": SECOND,
    "m": MINUTE,
    "h": HOUR,
    "d": DAY,
}
_DURATION_PART: Final = re.compile(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h|d)", re.ASCII)
_RFC3339: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)
_NANOSECOND_DIGITS: Final = 9
_MICROSECOND_DIGITS: Final = 6


def parse_duration(text: str) -> Duration:
    """The nanoseconds of a duration such as ``90s``, ``1.5h``, ``1h30m`` or ``2d``.

    Raises:
        ValueError: the text is not a duration; a number without a unit is not one.
    """
    stripped = text.strip()
    sign, digits = (-1, stripped[1:]) if stripped.startswith("-") else (1, stripped)
    total, position = 0, 0
    for part in _DURATION_PART.finditer(digits):
        if part.start() != position:
            break
        whole, _, fraction = part[1].partition(".")
        unit = _UNITS[part[2]]
        total += int(whole) * unit
        if fraction:
            total += int(fraction) * unit // 10 ** len(fraction)
        position = part.end()
    if position != len(digits) or not digits:
        raise ValueError(
            f"{text!r} is not a duration: write a number with a unit, such as 90s, 1.5h or 1h30m"
        )
    return sign * total


def format_duration(duration: Duration) -> str:
    """The shortest exact text of a duration in Go's and our own notation, such as ``1h30m`` or ``250ms``."""
    if duration == 0:
        return "0s"
    rest, parts = abs(duration), []
    for unit, size in (("d", DAY), ("h", HOUR), ("m", MINUTE), ("s", SECOND), ("ms", MILLISECOND)):
        count, rest = divmod(rest, size)
        if count:
            parts.append(f"{count}{unit}")
    if rest:
        parts.append(f"{rest}ns")
    return ("-" if duration < 0 else "") + "".join(parts)


def parse_instant(text: str) -> Instant:
    """The instant of an RFC 3339 text such as ``2026-01-05T08:00:00Z``; digits past nanoseconds are cut.

    Raises:
        ValueError: the text is not RFC 3339 with a zone.
    """
    match = _RFC3339.fullmatch(text.strip())
    if match is None:
        raise ValueError(
            f"{text!r} is not an instant: write RFC 3339 with a zone, such as 2026-01-05T08:00:00Z"
        )
    zone = "+00:00" if match[4] in "Zz" else match[4]
    whole = datetime.fromisoformat(f"{match[1]}T{match[2]}{zone}")
    fraction = int((match[3] or "").ljust(_NANOSECOND_DIGITS, "0"))
    return int(whole.timestamp()) * SECOND + fraction


@lru_cache(maxsize=4096)
def _format_seconds(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def format_instant(instant: Instant) -> str:
    """RFC 3339 in whole seconds, as Kubernetes' ``metav1.Time`` writes it (parts of a second are cut)."""
    return _format_seconds(instant // SECOND) + "Z"


def format_instant_micro(instant: Instant) -> str:
    """RFC 3339 with microseconds, as Kubernetes' ``metav1.MicroTime`` writes it."""
    fraction = (instant % SECOND) // MICROSECOND
    return f"{_format_seconds(instant // SECOND)}.{fraction:0{_MICROSECOND_DIGITS}d}Z"
