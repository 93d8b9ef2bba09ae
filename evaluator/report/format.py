"""Metrics as people read them: short, with a unit, and never more exact than is useful."""

from evaluator.metrics.metric import Metric
from evaluator.words import count_text, duration_text

__all__ = ["NOTHING", "count_text", "duration_text", "metric_text", "share_text", "sparkline"]

NOTHING = "–"
"""Shown where there was nothing to measure."""

_BLOCKS = "▁▂▃▄▅▆▇█"
"""Eight heights of a sparkline; even nothing leaves a line, so that the axis is seen."""


def share_text(share: float) -> str:
    """A share of one as per cent, with one decimal."""
    return f"{100 * share:.1f} %"


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
        case "jobs" | "pods":
            return count_text(value) if value == int(value) else f"{value:,.1f}"
        case "h":
            return f"{value:,.1f} h"
        case "1/h":
            return f"{value:,.1f} /h"
        case "times":
            return f"{value:,.2f}"
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
