"""Instants and spans as text: RFC 3339 and ``1h30m``, to and from integer nanoseconds."""

import re
from datetime import UTC, datetime
from fractions import Fraction
from functools import lru_cache

MICROSECOND = 1_000
MILLISECOND = 1_000_000
SECOND = 1_000_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

_SPANS = {
    "ns": 1,
    "us": MICROSECOND,
    "µs": MICROSECOND,
    "ms": MILLISECOND,
    "s": SECOND,
    "m": MINUTE,
    "h": HOUR,
    "d": DAY,
}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h|d)", re.ASCII)
_SPAN = re.compile(rf"(?:{_PART.pattern})+", re.ASCII)
_INSTANT = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))", re.ASCII
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SUBSECOND_DIGITS = 9

_CACHE_SIZE = 4096
"""Distinct texts remembered: pods share times, and each change of a pod brings its own again."""


class TimeTextError(ValueError):
    """A text that is neither the instant nor the span that was expected."""


@lru_cache(_CACHE_SIZE)
def parse_span(text: str) -> int:
    """Nanoseconds of a span such as ``500ms``, ``90m``, ``1.5h``, ``2d`` or ``1h30m``.

    Raises:
        TimeTextError: not a span; a bare number is none, since its unit would be a guess.
    """
    if _SPAN.fullmatch(text) is None:
        raise TimeTextError(
            f"{text!r} is not a span of time: expected numbers with units, such as 90s, 1.5h, 2d or 1h30m"
        )
    return sum(round(Fraction(number) * _SPANS[unit]) for number, unit in _PART.findall(text))


@lru_cache(_CACHE_SIZE)
def parse_instant(text: str) -> int:
    """Nanoseconds since the epoch of an RFC 3339 instant such as ``2026-01-05T08:00:00Z``.

    Raises:
        TimeTextError: not such an instant; one without a zone is none.
    """
    match = _INSTANT.fullmatch(text)
    if match is None:
        raise TimeTextError(
            f"{text!r} is not an instant: expected RFC 3339 with a zone, such as 2026-01-05T08:00:00Z"
        )
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    try:
        since = datetime(year, month, day, hour, minute, second, tzinfo=UTC) - _EPOCH
    except ValueError as error:
        raise TimeTextError(f"{text!r} is not an instant: {error}") from error
    fraction = int((match[7] or "").ljust(_SUBSECOND_DIGITS, "0"))
    return since.days * DAY + since.seconds * SECOND + fraction - _zone(match[8], match[9], match[10])


def _zone(sign: str | None, hours: str, minutes: str) -> int:
    if sign is None:
        return 0
    return (1 if sign == "+" else -1) * (int(hours) * HOUR + int(minutes) * MINUTE)


def format_second(instant: int) -> str:
    """The instant as Kubernetes writes ``metav1.Time``: UTC, whole seconds, the rest cut off."""
    return datetime.fromtimestamp(instant // SECOND, UTC).isoformat().removesuffix("+00:00") + "Z"


def format_microsecond(instant: int) -> str:
    """The instant as Kubernetes writes ``metav1.MicroTime``: UTC, six digits, the rest cut off."""
    return f"{format_second(instant)[:-1]}.{instant % SECOND // MICROSECOND:06d}Z"


def format_span(span: int) -> str:
    """A span in the form that ``parse_span`` reads, largest units first; negative ones get a minus."""
    if span < 0:
        return f"-{format_span(-span)}"
    parts = []
    for unit in ("d", "h", "m", "s", "ms", "us", "ns"):
        count, span = divmod(span, _SPANS[unit])
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"
