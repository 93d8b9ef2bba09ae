"""When things arrive: streams of instants since the start of the run.

All take a seeded generator (``rng.stream("name")``), so that the same seed gives the same arrivals.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol

from evaluator.scenario.units import Duration, Span, parse_duration
from fakeapi.kernel.time import HOUR

DAY_HOURS: Final = 24
WEEK_DAYS: Final = 7


class Generator(Protocol):
    """What is drawn from: ``rng.stream("name")`` is one."""

    def random(self) -> float:
        """A number of [0, 1)."""

    def expovariate(self, lambd: float, /) -> float:
        """An exponentially distributed number with that rate."""

    def gammavariate(self, alpha: float, beta: float, /) -> float:
        """A gamma-distributed number of that shape and scale."""


def poisson(rng: Generator, *, every: Span, until: Span) -> Iterator[Duration]:
    """Independent arrivals, one ``every`` so long on average, before ``until``.

    :raises ValueError: if ``every`` is not positive.
    """
    return _renewal(lambda: rng.expovariate(1.0), every, until)


def bursts(rng: Generator, *, every: Span, cv: float, until: Span) -> Iterator[Duration]:
    """Arrivals with gamma-distributed gaps whose coefficient of variation is ``cv``.

    A coefficient of 1 is :func:`poisson`; recorded clusters have 3 to 15. A gamma distribution of shape
    ``1 / cv²`` and scale ``cv²`` has mean 1 and that coefficient.

    :raises ValueError: if ``every`` or ``cv`` is not positive.
    """
    if not cv > 0:
        raise ValueError(f"cv = {cv}: a coefficient of variation is positive")
    return _renewal(lambda: rng.gammavariate(1 / cv**2, cv**2), every, until)


def profile(
    rng: Generator,
    *,
    per_hour: Sequence[float],
    until: Span,
    weekdays: Sequence[float] = (1.0,) * WEEK_DAYS,
    start_hour: int = 0,
) -> Iterator[Duration]:
    """Arrivals whose rate depends on the hour of the day and on the day of the week.

    A Poisson process of the greatest rate, thinned (Lewis and Shedler, 1979).

    :param per_hour: arrivals per hour in each of the 24 hours of a day.
    :param weekdays: factor of each day, Monday first.
    :param start_hour: hour of the week at which the run starts; 0 is Monday at midnight.
    :raises ValueError: if there are not 24 rates and 7 factors, one is negative, or all are 0.
    """
    if len(per_hour) != DAY_HOURS or len(weekdays) != WEEK_DAYS:
        raise ValueError("a profile has 24 rates, one an hour, and 7 factors, one a weekday")
    rates = [factor * rate for factor in weekdays for rate in per_hour]
    peak = max(rates)
    if not (min(*per_hour, *weekdays) >= 0 and 0 < peak < math.inf):
        raise ValueError("rates and factors are at least 0, and some rate is more")
    candidates = poisson(rng, every=Duration(max(round(HOUR / peak), 1)), until=until)
    return (at for at in candidates if rng.random() * peak < rates[(at // HOUR + start_hour) % len(rates)])


def _renewal(gap: Callable[[], float], every: Span, until: Span) -> Iterator[Duration]:
    mean_ns, end_ns = parse_duration(every), parse_duration(until)
    if mean_ns <= 0:
        raise ValueError("every = 0s: the mean gap between arrivals is positive")
    return _instants(gap, mean_ns, end_ns)


def _instants(gap: Callable[[], float], mean_ns: int, end_ns: int) -> Iterator[Duration]:
    at = gap() * mean_ns
    while at < end_ns:
        yield Duration(at)
        at += gap() * mean_ns
