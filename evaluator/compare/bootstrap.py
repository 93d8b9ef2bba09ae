"""Confidence intervals by the bootstrap: jobs or seeds are drawn anew, in pairs. Pure and seeded.

Drawing n jobs with replacement is the same as giving each a weight, how often it was drawn. So one sorted
column serves all resamples, and both runs of a pair get the same weights, which is what makes it paired.

Sources: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13 for percentile intervals
and chapter 14 for BCa; Bickel and Freedman, Some Asymptotic Theory for the Bootstrap (1981), for why the
extremes of a sample have no such interval.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evaluator.compare.jobs import MEAN, TOTAL, Floats, Statistic

RESAMPLES: Final = 2000
"""Resamples for an interval: the ends of a 95 % interval then vary little between seeds of the bootstrap."""

CONFIDENCE: Final = 0.95

SEED: Final = 20_261_201
"""Of the bootstrap's own draws: the same runs give the same interval."""

LEAST_SEEDS: Final = 5
"""Paired seeds from which intervals are over seeds. Of four, one resample in 256 is a single run four times
over, and no interval of 95 % reaches its name; then jobs are resampled within each seed."""

LEAST_BEYOND: Final = 5
"""Values that have to lie beyond a percentile: with fewer it is an extreme, for which the bootstrap fails."""

_CHUNK_VALUES: Final = 2_000_000
"""Weights held at a time (16 MB)."""

Weights = NDArray[np.int64]
Interval = tuple[float, float]


def generator() -> np.random.Generator:
    """The bootstrap's own chance, from its beginning."""
    return np.random.default_rng(SEED)


def job_weights(count: int, chance: np.random.Generator, resamples: int = RESAMPLES) -> Iterator[Weights]:
    """How often each of ``count`` jobs is drawn, a row for each resample, some rows at a time."""
    rows = max(1, _CHUNK_VALUES // count)
    for first in range(0, resamples, rows):
        yield chance.multinomial(count, np.full(count, 1 / count), size=min(rows, resamples - first))


def weighted(values: Floats, weights: Weights, statistic: Statistic) -> Floats:
    """The statistic of each resample; NaN values do not count, and a resample without any other is NaN.

    :param values: one for each job, shape (n,).
    :param weights: how often each was drawn, shape (resamples, n).
    """
    valid = ~np.isnan(values)
    kept, drawn = values[valid], weights[:, valid]
    if not kept.size:
        return np.full(len(weights), np.nan)
    if isinstance(statistic, int):
        return _percentile(kept, drawn, statistic)
    total: Floats = np.asarray(drawn @ kept, dtype=np.float64)
    if statistic == TOTAL:
        return total
    assert statistic == MEAN
    count = drawn.sum(axis=1)
    means: Floats = np.divide(total, count, out=np.full(len(weights), np.nan), where=count > 0)
    return means


def _percentile(values: Floats, weights: Weights, percent: int) -> Floats:
    """Nearest-rank, as in every metric: the first value up to which so many percent of the draws lie."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[:, order], axis=1)
    count = reached[:, -1]
    rank = np.maximum(-(-percent * count // 100), 1)
    found = values[order][np.argmax(reached >= rank[:, None], axis=1)]
    return np.where(count > 0, found, np.nan)


def supports(values: Floats, statistic: Statistic) -> bool:
    """Whether enough values lie beyond the statistic for its bootstrap to mean something."""
    if not isinstance(statistic, int):
        return True
    beyond = min(statistic, 100 - statistic) / 100
    return int(np.count_nonzero(~np.isnan(values))) * beyond >= LEAST_BEYOND


def percentile_interval(resampled: Floats) -> Interval | None:
    """The middle of what resampling gave; none where a resample could not be measured."""
    if not resampled.size or np.isnan(resampled).any():
        return None
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(resampled, [tail, 1 - tail])
    return float(low), float(high)


def mean_interval(differences: Floats) -> Interval | None:
    """BCa interval for the mean of differences, one for each seed; none for fewer than are needed."""
    if len(differences) < LEAST_SEEDS or np.isnan(differences).any():
        return None
    if np.ptp(differences) == 0:
        return float(differences[0]), float(differences[0])
    from scipy.stats import bootstrap  # slow to import, and only some comparisons need it

    for method in ("BCa", "percentile"):  # BCa is undefined where all resamples lie on one side
        found = bootstrap(
            (differences,),
            np.mean,
            n_resamples=RESAMPLES,
            confidence_level=CONFIDENCE,
            method=method,
            rng=generator(),
        ).confidence_interval
        if not np.isnan([found.low, found.high]).any():
            return float(found.low), float(found.high)
    return None
