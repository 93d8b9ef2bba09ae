"""Values that fall into two groups: a median between them is of no run. Pure.

A scheduler that breaks ties at random may do well with one draw and badly with another. Two things have to
hold before that is said:

* Hartigan's dip test finds more than one mode at the 5 % level (Hartigan and Hartigan, The Dip Test of
  Unimodality, Annals of Statistics 1985; the package ``diptest`` has its table of critical values).
* There is a gap: both groups have two values or more, it is a third of the range or more, and more than one
  step where values are counts. The test is made for values without ties, and would call 0 and 1 late jobs
  two modes.

Simulated with eight to twenty values: normal values of one mode are taken for two groups in at most one case
of fifty, small counts (Poisson, mean 3) in up to one of ten; two normal groups twelve standard deviations
apart are found nearly always, six apart in about half of the cases. Silence proves nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

import numpy as np

from evaluator.metrics.metric import Metric
from evaluator.results import RunResult

LEAST_VALUES: Final = 8
"""Fewer values say nothing about modes."""

LEVEL: Final = 0.05
"""Of the test: how often it may find two modes where there is one."""

LEAST_GAP: Final = 1 / 3
"""Of the range: less is how values of one mode lie, too."""

LEAST_GROUP: Final = 2
"""Values of a group: one alone is an outlier."""


@dataclass(frozen=True, slots=True)
class TwoGroups:
    """How many values lie around which middles."""

    low: float
    low_count: int
    high: float
    high_count: int


def two_groups(values: Sequence[float], step: float = 0.0) -> TwoGroups | None:
    """The groups that values fall into; none if nothing speaks for two.

    :param step: the least difference that values can have, where they are counts or shares of counts.
    """
    if len(values) < LEAST_VALUES:
        return None
    ordered = sorted(values)
    gaps = np.diff(ordered)
    split = int(np.argmax(gaps)) + 1
    low, high = ordered[:split], ordered[split:]
    gap = high[0] - low[-1]
    far = gap >= LEAST_GAP * (ordered[-1] - ordered[0]) and gap > step * _A_LITTLE_MORE
    if not gap or not far or min(len(low), len(high)) < LEAST_GROUP:
        return None
    from diptest import diptest  # slow to import, and most values end above

    _, p = diptest(np.array(ordered, dtype=np.float64))
    return TwoGroups(median(low), len(low), median(high), len(high)) if p < LEVEL else None


_A_LITTLE_MORE: Final = 1 + 1e-9
"""Keeps rounding from making more than one step of one."""


def value_step(name: str, metric: Metric, results: Iterable[RunResult]) -> float:
    """The least difference that values of a metric can have: one job, one pod; 0 if there is none."""
    if name == "deadline_miss_rate":
        due = [result.metrics.get("deadlines_due") for result in results]
        return max((1 / count.value for count in due if count is not None and count.value), default=0.0)
    return 1.0 if metric.unit in {"jobs", "pods"} else 0.0
