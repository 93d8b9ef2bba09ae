"""Resampling by weights is resampling; intervals cover what they should."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.compare.bootstrap import (
    LEAST_SEEDS,
    RESAMPLES,
    generator,
    job_weights,
    mean_interval,
    percentile_interval,
    supports,
    weighted,
)
from evaluator.metrics.metric import mean, percentile

finite = st.floats(-1e6, 1e6)


@given(st.lists(st.tuples(st.one_of(finite, st.none()), st.integers(0, 4)), min_size=1, max_size=30))
def test_a_weighted_statistic_is_that_of_the_values_repeated(drawn: list[tuple[float | None, int]]) -> None:
    values = np.array([np.nan if value is None else value for value, _ in drawn])
    weights = np.array([[count for _, count in drawn]])
    repeated = [value for value, count in drawn if value is not None for _ in range(count)]
    for percent in (5, 50, 99, 100):
        expected = percentile(repeated, percent)
        (found,) = weighted(values, weights, percent)
        assert np.isnan(found) if expected is None else found == expected
    average = mean(repeated)
    (found,) = weighted(values, weights, "mean")
    assert np.isnan(found) if average is None else found == pytest.approx(average, abs=1e-6)


def test_each_resample_draws_as_many_jobs_as_there_are() -> None:
    weights = np.concatenate(list(job_weights(7, generator())))
    assert weights.shape == (RESAMPLES, 7)
    assert set(weights.sum(axis=1)) == {7}


def test_the_same_runs_give_the_same_interval() -> None:
    differences = np.arange(10.0) ** 2
    assert mean_interval(differences) == mean_interval(differences)


def test_an_interval_over_jobs_is_as_wide_as_theory_says() -> None:
    values = np.linspace(-1, 1, 400)
    resampled = np.concatenate([weighted(values, part, "mean") for part in job_weights(400, generator())])
    interval = percentile_interval(resampled)
    assert interval is not None
    error = values.std() / 20
    assert interval == pytest.approx((-1.96 * error, 1.96 * error), rel=0.08)


def test_intervals_over_seeds_cover_the_truth_about_as_often_as_they_say() -> None:
    chance = np.random.default_rng(1)
    hits = 0
    for _ in range(100):
        interval = mean_interval(chance.normal(3.0, 1.0, size=20))
        assert interval is not None
        hits += interval[0] <= 3.0 <= interval[1]
    assert 86 <= hits <= 99  # BCa covers somewhat less than 95 % at so few


def test_equal_differences_have_an_interval_without_width() -> None:
    assert mean_interval(np.full(6, 2.5)) == (2.5, 2.5)


@pytest.mark.parametrize("values", [[0.0] * 9 + [5.0], [1.0, 1.0, 1.0, 1.0, 9.0]])
def test_lopsided_differences_have_one_too(values: list[float]) -> None:
    interval = mean_interval(np.array(values))
    assert interval is not None
    assert interval[0] <= np.mean(values) <= interval[1]


def test_too_few_seeds_have_none() -> None:
    assert mean_interval(np.arange(LEAST_SEEDS - 1.0)) is None
    assert mean_interval(np.array([1.0, np.nan, 2.0, 3.0, 4.0])) is None


def test_percentiles_need_values_beyond_them() -> None:
    assert supports(np.arange(100.0), 95)
    assert not supports(np.arange(100.0), 99)
    assert not supports(np.arange(100.0), 100)
    assert supports(np.arange(3.0), "mean")
    assert not supports(np.append(np.arange(99.0), np.nan), 95)
