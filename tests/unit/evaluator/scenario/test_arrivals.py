"""Arrival processes have the mean, the spread and the profile that they promise."""

import math
from itertools import pairwise
from statistics import fmean, pstdev

import pytest

from evaluator.scenario import Pod
from evaluator.scenario.arrivals import bursts, poisson, profile
from evaluator.scenario.units import Instant
from fakeapi.kernel.chance import Chance
from fakeapi.kernel.time import HOUR, MINUTE

SIGMAS = 5
"""Standard errors that an estimate may be off; a right generator passes this with any seed worth the name."""
HOURS = 5_000


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("cv", [1.0, 3.0])
def test_gaps_have_the_mean_and_the_spread_asked_for(seed: int, cv: float) -> None:
    arrivals = list(bursts(Chance(seed).stream("arrivals"), every="1m", cv=cv, until="2000h"))
    gaps = [later - earlier for earlier, later in pairwise(arrivals)]
    error = SIGMAS * cv / math.sqrt(len(gaps))
    assert fmean(gaps) == pytest.approx(MINUTE, rel=error)
    # The standard error of a gamma's coefficient of variation grows with its fourth moment.
    assert pstdev(gaps) / fmean(gaps) == pytest.approx(cv, rel=SIGMAS * (1 + cv**2) / math.sqrt(len(gaps)))


@pytest.mark.parametrize("seed", range(3))
def test_poisson_counts_are_those_of_its_rate(seed: int) -> None:
    count = sum(1 for _ in poisson(Chance(seed).stream("arrivals"), every="6m", until=f"{HOURS}h"))
    assert count == pytest.approx(10 * HOURS, abs=SIGMAS * math.sqrt(10 * HOURS))


def test_a_profile_follows_the_hours_and_the_weekdays() -> None:
    day = [0.0] * 8 + [20.0] * 10 + [0.0] * 6
    week = (1.0,) * 5 + (0.0, 0.5)
    hours = [
        at // HOUR for at in profile(Chance(1).stream("arrivals"), per_hour=day, weekdays=week, until="1680h")
    ]
    assert {hour % 24 for hour in hours} == set(range(8, 18))
    days = [hour // 24 % 7 for hour in hours]
    assert days.count(5) == 0
    assert days.count(0) == pytest.approx(2_000, abs=SIGMAS * math.sqrt(2_000))
    assert days.count(6) == pytest.approx(1_000, abs=SIGMAS * math.sqrt(1_000))


def test_a_run_that_starts_later_in_the_week_sees_the_later_hours() -> None:
    day = [0.0] * 23 + [100.0]
    first = next(profile(Chance(1).stream("arrivals"), per_hour=day, until="48h", start_hour=23))
    assert first < HOUR


def test_arrivals_are_in_order_before_the_end_and_the_same_with_the_same_seed() -> None:
    runs = [list(bursts(Chance(7).stream("arrivals"), every="1m", cv=5, until="10h")) for _ in range(2)]
    assert runs[0] == runs[1] == sorted(runs[0])
    assert 0 <= runs[0][0] <= runs[0][-1] < 10 * HOUR


def test_what_makes_no_sense_is_refused() -> None:
    rng = Chance(0).stream("arrivals")
    with pytest.raises(ValueError, match="mean gap"):
        poisson(rng, every="0s", until="1h")
    with pytest.raises(ValueError, match="cv = 0"):
        bursts(rng, every="1m", cv=0, until="1h")
    with pytest.raises(ValueError, match="24 rates"):
        profile(rng, per_hour=[1.0], until="1h")
    with pytest.raises(ValueError, match="some rate is more"):
        profile(rng, per_hour=[0.0] * 24, until="1h")


def test_an_arrival_is_an_instant_of_an_item() -> None:
    at = next(poisson(Chance(0).stream("arrivals"), every="1m", until="1d"))
    assert Pod.model_validate({"name": "a", "at": at}).at == Instant(at, absolute=False)
