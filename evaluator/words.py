"""Amounts and instants as people read them: short, with a unit, and never more exact than is useful."""

from typing import Final

from fakeapi.kernel.time import SECOND

_MINUTE_S: Final = 60
_HOUR_S: Final = 3600
_DAY_S: Final = 86_400


def duration_text(seconds: float) -> str:
    """A duration in its two largest units: ``1h 05m``, ``3d 04h``, ``12.5s``, ``250ms``."""
    if seconds < 0:
        return f"-{duration_text(-seconds)}"
    if seconds == 0:
        return "0s"
    if seconds < 1:
        return f"{seconds * 1000:.3g}ms"
    if seconds < _MINUTE_S:
        return f"{seconds:.3g}s"
    if seconds < _HOUR_S:
        return _pair(seconds, _MINUTE_S, "m", 1, "s")
    if seconds < _DAY_S:
        return _pair(seconds, _HOUR_S, "h", _MINUTE_S, "m")
    return _pair(seconds, _DAY_S, "d", _HOUR_S, "h")


def _pair(seconds: float, large: int, large_unit: str, small: int, small_unit: str) -> str:
    whole, rest = divmod(round(seconds / small), large // small)
    return f"{whole:,}{large_unit} {rest:02}{small_unit}" if rest else f"{whole:,}{large_unit}"


def span_text(ns: int) -> str:
    """A duration given in nanoseconds, in its two largest units."""
    return duration_text(ns / SECOND)


def count_text(number: float) -> str:
    """A number of things, with separators."""
    return f"{number:,.0f}"


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number of things with their name: ``1 chip``, ``8 chips``."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
