"""Durations, instants and amounts as scenarios write them, and the integers behind them.

A scenario writes text with a unit (``"90m"``, ``"500m"``, ``"2Gi"``), a :class:`datetime.timedelta` (see
:func:`minutes` and its siblings) or an RFC 3339 instant. A bare number says nothing about its unit and is
refused. Inside, everything is an integer: nanoseconds, thousandths of a core, bytes.
"""

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TypeAlias

from fakeapi.cluster.annotations import MAX_DURATION
from fakeapi.kernel import time as kernel
from fakeapi.kernel.time import MICROSECOND, SECOND
from fakeapi.machinery import quantity

MAX_AMOUNT = 2**63 - 1
"""Greatest amount that the Kubernetes API can carry in whole base units."""

MAX_TEXT = 64
"""Characters of a duration, instant or amount; longer text is not one."""

_CACHED_TEXTS = 4_096
"""Texts whose values are kept: a scenario of a hundred thousand pods repeats a handful."""

_BARE_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d", re.ASCII)


class Duration(int):
    """A length of virtual time in nanoseconds, already parsed."""


class CpuMilli(int):
    """An amount of CPU in thousandths of a core, already parsed."""


class Bytes(int):
    """An amount of memory in bytes, already parsed."""


@dataclass(frozen=True, slots=True)
class Instant:
    """A point in virtual time, already parsed: relative to some origin, or absolute."""

    ns: int
    """Nanoseconds since the origin, or since 1970-01-01T00:00:00Z if absolute."""
    absolute: bool = False

    def since(self, start_ns: int, *, origin_ns: int = 0) -> int:
        """Nanoseconds since the start of the run, which is ``start_ns`` in Unix time.

        :param origin_ns: what a relative instant counts from, in nanoseconds since the start of the run.
        """
        return self.ns - start_ns if self.absolute else origin_ns + self.ns


def seconds(number: float) -> timedelta:
    """A duration of ``number`` seconds."""
    return timedelta(seconds=number)


def minutes(number: float) -> timedelta:
    """A duration of ``number`` minutes."""
    return timedelta(minutes=number)


def hours(number: float) -> timedelta:
    """A duration of ``number`` hours."""
    return timedelta(hours=number)


def days(number: float) -> timedelta:
    """A duration of ``number`` days of 24 hours."""
    return timedelta(days=number)


def parse_duration(value: object) -> Duration:
    """The duration written as text with units (``"1h30m"``) or as a ``timedelta``.

    :raises ValueError: saying what is wrong: no unit, negative, unreadable.
    """
    match value:
        case Duration():
            return value
        case timedelta():
            return _bounded(value // timedelta(microseconds=1) * MICROSECOND)
        case bool():
            raise ValueError('not a duration; write text such as "90m"')
        case int() | float():
            raise ValueError(f'a number without a unit; write "{value}s", "{value}m" or "{value}h"')
        case str():
            return _bounded(_duration_from_text(value))
        case _:
            raise ValueError('not a duration; write text such as "90m"')


@lru_cache(_CACHED_TEXTS)
def _duration_from_text(text: str) -> int:
    stripped = text.strip()
    if stripped == "0":
        return 0
    if _BARE_NUMBER.fullmatch(stripped[:MAX_TEXT]):
        raise ValueError(f'a number without a unit; write "{stripped}s", "{stripped}m" or "{stripped}h"')
    if len(stripped) > MAX_TEXT:
        raise ValueError('not a duration; write text such as "90m"')
    try:
        return kernel.parse_duration(stripped)
    except ValueError:
        raise ValueError('not a duration; write numbers with d, h, m, s or ms, such as "1h30m"') from None


def _bounded(ns: int) -> Duration:
    if ns < 0:
        raise ValueError("a duration cannot be negative")
    if ns > MAX_DURATION:
        raise ValueError("longer than 100 years")
    return Duration(ns)


def format_duration(ns: int) -> str:
    """The duration as text that :func:`parse_duration` reads back, largest units first: ``"1h30m"``."""
    return kernel.format_duration(ns)


def parse_instant(value: object) -> Instant:
    """The instant written as a duration since some origin, as RFC 3339 text, or as an aware ``datetime``.

    :raises ValueError: saying what is wrong.
    """
    match value:
        case Instant():
            return value
        case datetime():
            return Instant(_unix_ns(value), absolute=True)
        case str() if _DATE.match(value.strip()):
            return Instant(parse_rfc3339(value), absolute=True)
        case _:
            return Instant(parse_duration(value))


def _unix_ns(moment: datetime) -> int:
    if moment.tzinfo is None:
        raise ValueError("an instant without a time zone; give tzinfo=UTC")
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) * MICROSECOND


def parse_rfc3339(text: str) -> int:
    """Nanoseconds since 1970-01-01T00:00:00Z of an RFC 3339 instant.

    :raises ValueError: if ``text`` is not one.
    """
    try:
        return kernel.parse_instant(text[:MAX_TEXT])
    except ValueError:
        raise ValueError(
            'not an instant; write RFC 3339 with a zone, such as "2026-01-05T09:00:00Z"'
        ) from None


def format_rfc3339(unix_ns: int) -> str:
    """The instant as RFC 3339 in UTC, with as many decimals as it needs and none if it needs none."""
    fraction = unix_ns % SECOND
    decimals = f".{fraction:09d}".rstrip("0") if fraction else ""
    return f"{kernel.format_instant(unix_ns).removesuffix('Z')}{decimals}Z"


def format_moment(moment: Instant) -> str:
    """The instant as text that :func:`parse_instant` reads back."""
    return format_rfc3339(moment.ns) if moment.absolute else format_duration(moment.ns)


def parse_cpu(value: object) -> CpuMilli:
    """The amount of CPU as a Kubernetes quantity (``"500m"``) or a number of cores, rounded up to 1/1000.

    :raises ValueError: saying what is wrong.
    """
    match value:
        case CpuMilli():
            return value
        case bool():
            raise ValueError('not an amount of CPU; write a number of cores, or text such as "500m"')
        case int() | float():
            return CpuMilli(parse_quantity(str(value), scale=1000))
        case str():
            return CpuMilli(parse_quantity(value, scale=1000))
        case _:
            raise ValueError('not an amount of CPU; write a number of cores, or text such as "500m"')


def parse_bytes(value: object) -> Bytes:
    """The amount of memory as a Kubernetes quantity, such as ``"2Gi"``. Rounded up to a byte.

    :raises ValueError: saying what is wrong; a bare number is refused, since it could mean any unit.
    """
    match value:
        case Bytes():
            return value
        case str() if re.fullmatch(r"0*[1-9]\d*", value.strip(), re.ASCII):
            raise ValueError(f'a number without a unit; write "{value}Gi", "{value}Mi" or "{value}k"')
        case str():
            return Bytes(parse_quantity(value))
        case int() | float() if not isinstance(value, bool):
            raise ValueError(f'a number without a unit; write "{value}Gi" or "{value}Mi"')
        case _:
            raise ValueError('not an amount of memory; write text such as "2Gi"')


@lru_cache(_CACHED_TEXTS)
def parse_quantity(text: str, *, scale: int = 1) -> int:
    """A Kubernetes quantity in units of 1/``scale``, rounded up.

    :raises ValueError: saying what is wrong.
    """
    try:
        exact = quantity.parse(text.strip()) * scale
    except quantity.QuantityError:
        raise ValueError(
            'not a Kubernetes quantity; write a number with a suffix, such as "500m" or "2Gi"'
        ) from None
    if exact < 0:
        raise ValueError("an amount cannot be negative")
    if exact > MAX_AMOUNT:
        raise ValueError("greater than the API can carry")
    return math.ceil(exact)


def format_cpu(milli: int) -> str:
    """The amount of CPU as the API server would write it: whole cores where it can, else ``"1500m"``."""
    whole, rest = divmod(milli, 1000)
    return f"{milli}m" if rest else str(whole)


def format_bytes(number: int) -> str:
    """The amount of memory in the greatest binary unit that divides it: ``"2Gi"``."""
    for power, suffix in ((60, "Ei"), (50, "Pi"), (40, "Ti"), (30, "Gi"), (20, "Mi"), (10, "Ki")):
        if number and number % 2**power == 0:
            return f"{number >> power}{suffix}"
    return str(number)


Span: TypeAlias = str | timedelta | Duration
"""A length of time: ``"90m"``, ``"1h30m"``, ``minutes(90)`` or a ``timedelta``."""

Moment: TypeAlias = str | timedelta | datetime | Duration | Instant
"""A point in time: a duration since the start (``"90m"``), or RFC 3339 (``"2026-01-05T09:00:00Z"``)."""

Cpu: TypeAlias = str | float | CpuMilli
"""A number of cores, or ``"500m"``."""

Memory: TypeAlias = str | Bytes
"""Bytes as text with a unit: ``"2Gi"``."""
