"""Figures of columns of numbers: percentiles, peaks, the busiest hour, burstiness."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import sqrt
from typing import Final

from evaluator.metrics.metric import percentile
from fakeapi.kernel.time import HOUR

PERCENTS: Final = (50, 90, 99, 100)


def percentiles(values: Sequence[float], unit: int) -> dict[str, float] | None:
    """p50, p90, p99 and maximum in ``unit``; none if there are no values."""
    if not values:
        return None
    ordered = sorted(values)
    return {
        "max" if percent == max(PERCENTS) else f"p{percent}": (percentile(ordered, percent) or 0) / unit
        for percent in PERCENTS
    }


def peak(changes: Iterable[tuple[int, int]]) -> int:
    """The greatest running sum; at one instant what is given back comes first."""
    level = highest = 0
    for _, change in sorted(changes):
        level += change
        highest = max(highest, level)
    return highest


def busiest_hour(submits: Sequence[int]) -> int:
    """Most submissions within one clock hour."""
    return max(Counter(submit // HOUR for submit in submits).values(), default=0)


def gap_variation(submits: Sequence[int]) -> float | None:
    """Coefficient of variation of the gaps between arrivals: 1 for Poisson arrivals; none for two or less."""
    gaps = [later - earlier for earlier, later in pairwise(submits)]
    if len(gaps) <= 1 or not any(gaps):
        return None
    average = sum(gaps) / len(gaps)
    variance = sum((gap - average) ** 2 for gap in gaps) / len(gaps)
    return sqrt(variance) / average
