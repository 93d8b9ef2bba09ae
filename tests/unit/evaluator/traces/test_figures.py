"""Figures that can be checked by hand."""

from evaluator.traces.figures import busiest_hour, gap_variation, peak, percentiles
from fakeapi.kernel.time import HOUR, SECOND


def test_what_ends_is_gone_before_what_begins() -> None:
    assert peak([(0, 3), (5, -3), (5, 2), (7, -2)]) == 3
    assert peak([]) == 0


def test_percentiles_are_nearest_rank() -> None:
    assert percentiles([4 * SECOND, SECOND, 3 * SECOND, 2 * SECOND], SECOND) == {
        "p50": 2,
        "p90": 4,
        "p99": 4,
        "max": 4,
    }
    assert percentiles([], 1) is None


def test_burstiness_is_one_for_gaps_as_varied_as_long_and_none_where_unknown() -> None:
    assert gap_variation([0, 10, 20, 30]) == 0
    assert gap_variation([0, 0, 20]) == 1
    assert gap_variation([0, 5]) is None
    assert gap_variation([5, 5, 5, 5]) is None


def test_the_busiest_hour_is_one_of_the_clock() -> None:
    assert busiest_hour([HOUR - 2, HOUR - 1, HOUR, HOUR + 1, HOUR + 2]) == 3
    assert busiest_hour([]) == 0
