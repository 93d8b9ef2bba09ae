"""Every metric of two sides: the difference, its interval, its size, and what may be said of it. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from evaluator.compare.bootstrap import (
    LEAST_SEEDS,
    RESAMPLES,
    Interval,
    generator,
    job_weights,
    mean_interval,
    percentile_interval,
    supports,
    weighted,
)
from evaluator.compare.effect import rank_biserial
from evaluator.compare.jobs import JOB_METRICS, Floats
from evaluator.compare.pairing import Pair, Pairing
from evaluator.metrics.metric import Better, Metric
from evaluator.modes import TwoGroups, two_groups, value_step

Verdict = Literal["A better", "B better", "no difference seen", "they differ", "not judged"]

WHOLE_RUN: Final = f"a figure of the whole run: needs {LEAST_SEEDS} paired seeds"
EXTREME: Final = "too few jobs lie beyond it for the bootstrap to hold"
OTHER_JOBS: Final = f"the jobs are not the same: needs {LEAST_SEEDS} paired seeds"
UNMEASURED: Final = "there was nothing to measure on one side"


@dataclass(frozen=True, slots=True)
class Difference:
    """One metric of both sides; means over the pairs."""

    metric: Metric
    """Unit, direction and definition; its value is that of A."""
    name: str
    a: float | None
    b: float | None
    interval: Interval | None
    """Of b − a, at 95 %."""
    drawn: Literal["jobs", "seeds"] | None
    """What was resampled for the interval."""
    why_none: str
    """Why there is no interval; empty where there is one."""
    groups: tuple[TwoGroups | None, TwoGroups | None]
    """The two groups that the runs of A, and of B, fall into over the seeds, if they do."""
    effect: float | None
    """Matched-pairs rank-biserial correlation; above 0 where B is better, or greater if neither way is."""

    @property
    def difference(self) -> float | None:
        """B − a."""
        return None if self.a is None or self.b is None else self.b - self.a

    @property
    def verdict(self) -> Verdict:
        """What may be said: nothing without an interval, and no winner where it holds 0."""
        if self.interval is None:
            return "not judged"
        low, high = self.interval
        if low <= 0 <= high:
            return "no difference seen"
        if self.metric.better == "none":
            return "they differ"
        return "B better" if (low > 0) == (self.metric.better == "higher") else "A better"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sides, and how they differ."""

    a: str
    b: str
    seeds: tuple[int, ...]
    jobs: int
    """Paired jobs of all pairs."""
    differences: tuple[Difference, ...]
    notes: tuple[str, ...]

    def of(self, name: str) -> Difference:
        """The difference in one metric.

        :raises KeyError: neither side knows it.
        """
        return next((one for one in self.differences if one.name == name), None) or _missing(name)


def _missing(name: str) -> Difference:
    raise KeyError(name)


def compare(pairing: Pairing, a: str, b: str) -> Comparison:
    """All differences between two sides.

    :param a: what the first side is called; ``b`` the second.
    """
    pairs = pairing.pairs
    names = [name for name in pairs[0].a.result.metrics if all(_known(pair, name) for pair in pairs)]
    by_jobs = _job_intervals(pairs, names) if len(pairs) < LEAST_SEEDS and _same_jobs(pairs) else {}
    return Comparison(
        a,
        b,
        tuple(pair.a.result.seed for pair in pairs),
        sum(len(pair.a.jobs.keys) for pair in pairs if pair.same_jobs),
        tuple(_difference(pairs, name, by_jobs.get(name)) for name in names),
        pairing.notes,
    )


def _known(pair: Pair, name: str) -> bool:
    return name in pair.a.result.metrics and name in pair.b.result.metrics


def _same_jobs(pairs: Sequence[Pair]) -> bool:
    return all(pair.same_jobs for pair in pairs)


def _difference(pairs: Sequence[Pair], name: str, by_jobs: Interval | None) -> Difference:
    metric = pairs[0].a.result.metrics[name]
    left = [pair.a.result.metrics[name].value for pair in pairs]
    right = [pair.b.result.metrics[name].value for pair in pairs]
    measured = [(a, b) for a, b in zip(left, right, strict=True) if a is not None and b is not None]
    if len(measured) < len(pairs):
        return Difference(metric, name, _mean(left), _mean(right), None, None, UNMEASURED, (None, None), None)
    by_seed = np.array([b - a for a, b in measured])
    interval: Interval | None = by_jobs
    drawn: Literal["jobs", "seeds"] = "jobs"
    if len(pairs) >= LEAST_SEEDS:
        interval, drawn = mean_interval(by_seed), "seeds"
    effect = _effect(pairs, name, by_seed, metric.better)
    why = "" if interval is not None else _why_none(pairs, name)
    step = value_step(name, metric, [run.result for pair in pairs for run in (pair.a, pair.b)])
    groups = two_groups([a for a, _ in measured], step), two_groups([b for _, b in measured], step)
    return Difference(
        metric, name, _mean(left), _mean(right), interval, drawn if interval else None, why, groups, effect
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if len(known) == len(values) else None


def _why_none(pairs: Sequence[Pair], name: str) -> str:
    if name not in JOB_METRICS:
        return WHOLE_RUN
    return EXTREME if _same_jobs(pairs) else OTHER_JOBS


def _effect(pairs: Sequence[Pair], name: str, by_seed: Floats, better: Better) -> float | None:
    """Over paired jobs where the metric is of jobs, else over paired seeds."""
    if name in JOB_METRICS and _same_jobs(pairs):
        column, _ = JOB_METRICS[name]
        differences = np.concatenate(
            [pair.b.jobs.columns[column] - pair.a.jobs.columns[column] for pair in pairs]
        )
    elif len(pairs) >= LEAST_SEEDS:
        differences = by_seed
    else:
        return None
    found = rank_biserial(differences)
    return -found if found is not None and better == "lower" else found


def _job_intervals(pairs: Sequence[Pair], names: Sequence[str]) -> dict[str, Interval | None]:
    """Intervals of metrics of jobs: jobs are drawn anew within each pair, the same for both of its runs."""
    chosen = [name for name in names if name in JOB_METRICS and _supported(pairs, name)]
    totals = {name: np.zeros(RESAMPLES) for name in chosen}
    chance = generator()
    for pair in pairs:
        for name, resampled in _resampled(pair, chosen, chance):
            totals[name] += resampled
    return {name: percentile_interval(total / len(pairs)) for name, total in totals.items()}


def _supported(pairs: Sequence[Pair], name: str) -> bool:
    column, statistic = JOB_METRICS[name]
    return all(supports(run.jobs.columns[column], statistic) for pair in pairs for run in (pair.a, pair.b))


def _resampled(pair: Pair, names: Sequence[str], chance: np.random.Generator) -> Iterator[tuple[str, Floats]]:
    parts: dict[str, list[Floats]] = {name: [] for name in names}
    for weights in job_weights(len(pair.a.jobs.keys), chance):
        for name in names:
            column, statistic = JOB_METRICS[name]
            after = weighted(pair.b.jobs.columns[column], weights, statistic)
            parts[name].append(after - weighted(pair.a.jobs.columns[column], weights, statistic))
    for name, found in parts.items():
        yield name, np.concatenate(found)
