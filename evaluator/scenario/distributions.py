"""How large, how long, how soon: streams of values to take one after the other.

All take a seeded generator (``rng.stream("name")``) and never end, so that they go together with arrivals::

    arrivals = poisson(rng.stream("arrivals"), every="5m", until="8h")
    lengths = lognormal(rng.stream("lengths"), median="40m", p90="6h")
    sizes = choice(rng.stream("sizes"), {1: 70, 2: 20, 8: 10})
    factors = chronus(rng.stream("deadlines"))
    for number, (at, length, chips, factor) in enumerate(zip(arrivals, lengths, sizes, factors)):
        s.pod(f"p-{number}", at=at, chips=chips, run_time=length, deadline=scaled(length, factor))
"""

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Final, Protocol, TypeVar

from evaluator.scenario.units import Duration, Span, parse_duration
from fakeapi.cluster.annotations import MAX_DURATION

CHRONUS_FACTORS: Final = ((0.0, 1.10), (0.5, 1.97), (0.9, 3.12), (0.99, 4.2), (1.0, 5.0))
"""Points (probability, deadline after submission / run time) of the jobs with deadlines that Chronus recorded
(Gao et al., SoCC 2021). Each can be met by a job that starts at once."""

Z90: Final = 1.2815515655446004
"""The 90th percentile of the standard normal distribution."""

T = TypeVar("T")


class Source(Protocol):
    """What is drawn from: ``rng.stream("name")`` is one."""

    def random(self) -> float:
        """A number of [0, 1)."""

    def gauss(self, mu: float, sigma: float, /) -> float:
        """A normally distributed number."""

    def expovariate(self, lambd: float, /) -> float:
        """An exponentially distributed number with that rate."""


# ---- times ------------------------------------------------------------------------------------------


def lognormal(
    rng: Source, *, median: Span, p90: Span, least: Span = "1s", most: Span = "365d"
) -> Iterator[Duration]:
    """Times with a long tail, as the run times of training have it: one in ten is longer than ``p90``.

    :param least: shorter ones are made so long.
    :param most: longer ones are made so long.
    :raises ValueError: if not ``0 < median <= p90`` and ``least <= most``.
    """
    middle, high = parse_duration(median), parse_duration(p90)
    if not 0 < middle <= high:
        raise ValueError(f"median = {median!r}, p90 = {p90!r}: 0 < median <= p90 has to hold")
    sigma = math.log(high / middle) / Z90
    return _within(_lognormals(rng, math.log(middle), sigma), least, most)


def exponential(rng: Source, *, mean: Span, least: Span = "1s", most: Span = "365d") -> Iterator[Duration]:
    """Times without a memory.

    :raises ValueError: if not ``0 < mean`` and ``least <= most``.
    """
    average = parse_duration(mean)
    if average <= 0:
        raise ValueError(f"mean = {mean!r}: a mean is positive")
    return _within((rng.expovariate(1.0) * average for _ in _ever()), least, most)


def uniform(rng: Source, low: Span, high: Span) -> Iterator[Duration]:
    """Times between two, each as likely as any other.

    :raises ValueError: if not ``low <= high``.
    """
    return empirical(rng, {0: low, 100: high})


def empirical(rng: Source, percentiles: Mapping[float, Span]) -> Iterator[Duration]:
    """Times with these percentiles, linear between them: ``{0: "1m", 50: "20m", 90: "4h", 100: "2d"}``.

    :raises ValueError: if percentiles do not begin at 0 and end at 100, or times do not grow with them.
    """
    points = [(percent / 100, float(parse_duration(span))) for percent, span in percentiles.items()]
    _check_points(points)
    return (Duration(round(quantile(points, rng.random()))) for _ in _ever())


def scaled(span: Span, factor: float) -> Duration:
    """``factor`` times as long, rounded up to a nanosecond: a deadline or an estimate from a run time.

    :raises ValueError: if the factor is not positive, or the result is longer than 100 years.
    """
    if not 0 < factor < math.inf:
        raise ValueError(f"factor = {factor!r}: a factor is positive")
    return parse_duration(Duration(math.ceil(_bounded(parse_duration(span) * factor))))


# ---- numbers ----------------------------------------------------------------------------------------


def choice(rng: Source, weights: Mapping[T, float]) -> Iterator[T]:
    """Values as often as their weights say: ``{1: 70, 2: 20, 8: 10}``.

    :raises ValueError: if there is none, or a weight is negative, or all are 0.
    """
    values, sums = list(weights), list(accumulate(weights.values()))
    if not values or min(weights.values()) < 0 or not 0 < sums[-1] < math.inf:
        raise ValueError(f"weights = {dict(weights)!r}: weights are at least 0, and some weight is more")
    last = len(values) - 1  # where rounding makes a draw the sum itself
    return (values[bisect_right(sums, rng.random() * sums[-1], hi=last)] for _ in _ever())


def chronus(rng: Source) -> Iterator[float]:
    """Deadlines as multiples of the run time, as a published record has them: 1.1 to 5, half below 2."""
    return (quantile(CHRONUS_FACTORS, rng.random()) for _ in _ever())


def misjudged(rng: Source, *, sigma: float) -> Iterator[float]:
    """Estimates as multiples of the run time: log-normal, half too short, half too long.

    :param sigma: standard deviation of the logarithm; at 0.5 two in three lie between 0.6 and 1.65 times.
    :raises ValueError: if it is negative.
    """
    if not 0 <= sigma < math.inf:
        raise ValueError(f"sigma = {sigma!r}: a standard deviation is at least 0")
    return _lognormals(rng, 0.0, sigma)


def quantile(points: Sequence[tuple[float, float]], probability: float) -> float:
    """The value below which that share lies: linear between points (probability, value) from 0 to 1."""
    index = min(bisect_right(points, (probability, math.inf)), len(points) - 1)
    (low, start), (high, end) = points[index - 1], points[index]
    return start + (end - start) * (probability - low) / (high - low)


def _check_points(points: Sequence[tuple[float, float]]) -> None:
    probabilities = [probability for probability, _ in points]
    if len(points) < 2 or probabilities[0] != 0 or probabilities[-1] != 1:
        raise ValueError("percentiles begin at 0 and end at 100")
    if any(before[0] >= after[0] or before[1] > after[1] for before, after in pairwise(points)):
        raise ValueError("percentiles are given in order, and their times do not fall")


def _lognormals(rng: Source, mu: float, sigma: float) -> Iterator[float]:
    return (math.exp(rng.gauss(mu, sigma)) for _ in _ever())


def _within(values: Iterator[float], least: Span, most: Span) -> Iterator[Duration]:
    low, high = parse_duration(least), parse_duration(most)
    if low > high:
        raise ValueError(f"least = {least!r} is longer than most = {most!r}")
    return (Duration(round(min(max(value, low), high))) for value in values)


def _bounded(ns: float) -> float:
    if ns > MAX_DURATION:
        raise ValueError("longer than 100 years")
    return ns


def _ever() -> Iterator[None]:
    while True:
        yield None
