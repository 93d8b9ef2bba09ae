"""Figures as people read them."""

import pytest

from evaluator.metrics.metric import Metric
from evaluator.report.format import NOTHING, metric_text, share_text, sparkline


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
