"""Streams of values have the shape that they promise, for any seed, and mistakes are told at once."""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from statistics import fmean, quantiles

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.scenario.distributions import (
    CHRONUS_FACTORS,
    choice,
    chronus,
    empirical,
    exponential,
    lognormal,
    misjudged,
    quantile,
    scaled,
    uniform,
)
from evaluator.scenario.units import Duration, hours, minutes
from fakeapi.kernel.chance import Chance
from fakeapi.kernel.time import HOUR, MINUTE, SECOND

DRAWS = 20_000
SIGMAS = 5
"""Standard errors that an estimate may be off."""
OFF = SIGMAS * math.sqrt(0.25 / DRAWS)
"""How far a share of so many draws may be off."""


def drawn(stream: Iterator[Duration]) -> list[Duration]:
    return list(islice(stream, DRAWS))


def share_below(values: list[Duration], limit: float) -> float:
    return sum(value < limit for value in values) / len(values)


@pytest.mark.parametrize("seed", range(3))
def test_lognormal_times_have_the_median_and_the_tail_asked_for(seed: int) -> None:
    times = drawn(lognormal(Chance(seed).stream("t"), median="40m", p90="6h"))
    assert share_below(times, 40 * MINUTE) == pytest.approx(0.5, abs=OFF)
    assert share_below(times, 6 * HOUR) == pytest.approx(0.9, abs=OFF)


def test_times_keep_to_their_bounds() -> None:
    rng = Chance(1).stream("t")
    times = drawn(lognormal(rng, median="40m", p90="6h", least="5m", most="8h"))
    assert (min(times), max(times)) == (5 * MINUTE, 8 * HOUR)
    assert min(drawn(exponential(rng, mean="1m", least="30s"))) == 30 * SECOND


def test_a_median_that_is_the_ninetieth_percentile_is_a_constant() -> None:
    times = lognormal(Chance(1).stream("t"), median="1h", p90="1h")
    assert next(times) == pytest.approx(HOUR, abs=1000)


@pytest.mark.parametrize("seed", range(3))
def test_exponential_times_have_their_mean(seed: int) -> None:
    times = drawn(exponential(Chance(seed).stream("t"), mean="10m"))
    assert fmean(times) == pytest.approx(10 * MINUTE, rel=SIGMAS / math.sqrt(DRAWS))


@pytest.mark.parametrize("seed", range(3))
def test_empirical_times_have_the_percentiles_told(seed: int) -> None:
    told: dict[float, str] = {0: "1m", 50: "20m", 90: "4h", 100: "2d"}
    times = drawn(empirical(Chance(seed).stream("t"), told))
    assert share_below(times, 20 * MINUTE) == pytest.approx(0.5, abs=OFF)
    assert share_below(times, 4 * HOUR) == pytest.approx(0.9, abs=OFF)
    assert MINUTE <= min(times) <= max(times) <= 48 * HOUR


def test_uniform_times_are_spread_evenly() -> None:
    cuts = quantiles(drawn(uniform(Chance(1).stream("t"), minutes(10), minutes(50))), n=4)
    assert cuts == pytest.approx([20 * MINUTE, 30 * MINUTE, 40 * MINUTE], rel=0.05)


@pytest.mark.parametrize("seed", range(3))
def test_values_come_as_often_as_their_weights_say(seed: int) -> None:
    counts = Counter(islice(choice(Chance(seed).stream("c"), {1: 70, 2: 0, 8: 30}), DRAWS))
    assert set(counts) == {1, 8}
    assert counts[1] / DRAWS == pytest.approx(0.7, abs=OFF)


def test_deadlines_can_be_met_and_half_are_within_twice_the_run_time() -> None:
    factors = list(islice(chronus(Chance(1).stream("d")), DRAWS))
    assert 1.1 <= min(factors) <= max(factors) <= 5.0
    assert sum(factor < 1.97 for factor in factors) / DRAWS == pytest.approx(0.5, abs=OFF)


@pytest.mark.parametrize(("probability", "factor"), [*CHRONUS_FACTORS, (0.25, 1.535), (0.7, 2.545)])
def test_a_quantile_passes_through_the_points_told(probability: float, factor: float) -> None:
    assert quantile(CHRONUS_FACTORS, probability) == pytest.approx(factor)


@given(st.floats(0, 1), st.floats(0, 1))
def test_quantiles_rise(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 1.10 <= quantile(CHRONUS_FACTORS, low) <= quantile(CHRONUS_FACTORS, high) <= 5.0


def test_estimates_are_half_too_long() -> None:
    errors = list(islice(misjudged(Chance(1).stream("e"), sigma=0.5), DRAWS))
    assert sum(error > 1 for error in errors) / DRAWS == pytest.approx(0.5, abs=OFF)
    assert next(misjudged(Chance(1).stream("e"), sigma=0.0)) == 1.0


@given(st.integers(1, 10**15), st.floats(1, 5))
def test_a_deadline_by_a_factor_can_be_met(run_ns: int, factor: float) -> None:
    assert scaled(Duration(run_ns), factor) >= run_ns


def test_scaling_takes_whatever_tells_a_time() -> None:
    assert scaled("1h", 1.5) == scaled(hours(1), 1.5) == 90 * MINUTE


def test_the_same_seed_gives_the_same_values() -> None:
    def values(seed: int) -> list[Duration]:
        return list(islice(lognormal(Chance(seed).stream("t"), median="1m", p90="1h"), 50))

    assert values(3) == values(3) != values(4)


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda rng: lognormal(rng, median="2h", p90="1h"), "0 < median <= p90"),
        (lambda rng: lognormal(rng, median="0s", p90="1h"), "0 < median <= p90"),
        (lambda rng: lognormal(rng, median="1h", p90="2h", least="2h", most="1h"), "longer than most"),
        (lambda rng: lognormal(rng, median="60", p90="2h"), "a number without a unit"),
        (lambda rng: exponential(rng, mean="0s"), "a mean is positive"),
        (lambda rng: uniform(rng, "2h", "1h"), "do not fall"),
        (lambda rng: empirical(rng, {0: "1m", 50: "2m"}), "begin at 0 and end at 100"),
        (lambda rng: empirical(rng, {0: "1m", 50: "20m", 20: "5m", 100: "1h"}), "in order"),
        (lambda rng: choice(rng, {}), "weights are at least 0"),
        (lambda rng: choice(rng, {1: 0}), "some weight is more"),
        (lambda rng: choice(rng, {1: -1, 2: 3}), "weights are at least 0"),
        (lambda rng: misjudged(rng, sigma=-1), "at least 0"),
        (lambda _: scaled("1h", 0), "a factor is positive"),
        (lambda _: scaled("1h", 1e9), "longer than 100 years"),
    ],
)
def test_mistakes_are_told_at_once(make: Callable[[object], object], what: str) -> None:
    with pytest.raises(ValueError, match=what):
        make(Chance(1).stream("t"))
