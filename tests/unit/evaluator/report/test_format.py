"""Figures as people read them."""

import pytest

from evaluator.metrics.metric import Metric
from evaluator.report.format import NOTHING, duration_text, metric_text, share_text, sparkline


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (0.0041, "4.1ms"),
        (12.345, "12.3s"),
        (59.9, "59.9s"),
        (60, "1m"),
        (65, "1m 05s"),
        (3599.9, "60m"),
        (3600, "1h"),
        (3900, "1h 05m"),
        (86_400 * 3 + 3600 * 4, "3d 04h"),
        (86_400 * 1500, "1,500d"),
        (-65, "-1m 05s"),
    ],
)
def test_durations_are_told_in_two_units(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (90.0, "s", "1m 30s"),
        (0.1234, "ratio", "12.3 %"),
        (1234.0, "jobs", "1,234"),
        (1.25, "jobs", "1.2"),
        (59612.2, "h", "59,612.2 h"),
        (16.4, "1/h", "16.4 /h"),
        (1.9, "factor", "1.90 ×"),
        (0.9478, "index", "0.948"),
        (None, "s", NOTHING),
    ],
)
def test_metrics_are_told_in_their_unit(value: float | None, unit: str, text: str) -> None:
    assert metric_text(Metric(value=value, unit=unit, better="none")) == text


def test_what_is_not_there_is_a_dash() -> None:
    assert metric_text(None) == NOTHING


def test_shares_have_one_decimal() -> None:
    assert share_text(1) == "100.0 %"


def test_a_sparkline_reaches_from_nothing_to_the_top() -> None:
    assert sparkline([0, 0.5, 1, 2, -1], 1) == "▁▅██▁"
    assert sparkline([0, 3], 0) == "▁▁"
    assert sparkline([], 1) == ""
