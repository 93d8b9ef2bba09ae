"""Percentiles by nearest rank, and figures that carry their meaning."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from evaluator.metrics import MEASURES
from evaluator.metrics.metric import Metric, mean, percentile


@pytest.mark.parametrize(
    ("percent", "expected"), [(50, 20), (90, 50), (99, 50), (100, 50), (60, 20), (61, 35), (1, 15)]
)
def test_percentiles_are_nearest_rank(percent: int, expected: int) -> None:
    assert percentile([50, 15, 35, 20, 20], percent) == expected


def test_nothing_has_no_percentile_and_no_mean() -> None:
    assert percentile([], 50) is None
    assert mean([]) is None


@given(st.lists(st.integers(), min_size=1), st.integers(1, 100))
def test_a_percentile_is_one_of_the_values_and_covers_its_share(values: list[int], percent: int) -> None:
    found = percentile(values, percent)
    assert found in values
    assert 100 * sum(value <= found for value in values) >= percent * len(values)
    assert 100 * sum(value < found for value in values) < percent * len(values)


def test_a_figure_is_a_number_or_nothing() -> None:
    with pytest.raises(ValidationError):
        Metric(value=float("nan"), unit="s", better="lower")


def test_every_measure_says_what_it_is() -> None:
    assert len({measure.name for measure in MEASURES}) == len(MEASURES)
    assert all(measure.unit and len(measure.definition) > len("jobs") for measure in MEASURES)
