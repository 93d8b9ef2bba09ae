"""Figures as people read them: short, with a unit, and never more exact than is useful."""

from evaluator.metrics.metric import Metric

NOTHING = "–"
"""Shown where there was nothing to measure."""

_MINUTE_S = 60
_HOUR_S = 3600
_DAY_S = 86_400

_BLOCKS = "▁▂▃▄▅▆▇█"
"""Eight heights of a sparkline; even nothing leaves a line, so that the axis is seen."""


def duration_text(seconds: float) -> str:
    """A duration in its two largest units: ``1h 05m``, ``3d 4h``, ``12.5s``, ``250ms``."""
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


def share_text(share: float) -> str:
    """A share of one as per cent, with one decimal."""
    return f"{100 * share:.1f} %"


def count_text(number: float) -> str:
    """A number of things, with separators."""
    return f"{number:,.0f}"


def metric_text(metric: Metric | None) -> str:
    """The value of a metric in its unit."""
    if metric is None or metric.value is None:
        return NOTHING
    value = metric.value
    match metric.unit:
        case "s":
            return duration_text(value)
        case "ratio":
            return share_text(value)
        case "jobs":
            return count_text(value) if value == int(value) else f"{value:,.1f}"
        case "h":
            return f"{value:,.1f} h"
        case "1/h":
            return f"{value:,.1f} /h"
        case "factor":
            return f"{value:,.2f} ×"
        case _:
            return f"{value:,.3f}"


def sparkline(values: list[float], top: float) -> str:
    """The values as blocks of up to eight heights, ``top`` being the full height."""
    if top <= 0:
        return _BLOCKS[0] * len(values)
    last = len(_BLOCKS) - 1
    return "".join(_BLOCKS[min(last, max(0, round(value / top * last)))] for value in values)
