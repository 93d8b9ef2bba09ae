"""The table of jobs says the same as the metrics."""

import numpy as np
import pytest

from evaluator.compare.bootstrap import weighted
from evaluator.compare.jobs import JOB_METRICS, job_table
from evaluator.metrics import measure
from evaluator.metrics.ledger import Ledger
from tests.support.list_scheduling import arrival
from tests.support.reports import quickstart
from tests.support.stories import ended, ledger, ran, submitted


def mixed() -> Ledger:
    """Jobs in time, late, failed, deleted before they began, and still waiting."""
    return ledger(
        ran("in-time", 0, start=1, end=20, deadline=30),
        ran("late", 0, start=2, end=50, deadline=30),
        ran("failed", 3, start=4, end=9, outcome="failed"),
        [submitted("deleted", 5, deadline=7), ended("deleted", 8, "deleted", node=None)],
        submitted("waiting", 6, deadline=10),
        submitted("not-due", 6, deadline=1000),
        end=100,
    )


@pytest.mark.parametrize("told", [mixed(), quickstart(arrival, "fifo").ledger, ledger(end=5)])
@pytest.mark.parametrize("name", list(JOB_METRICS))
def test_a_statistic_of_the_table_is_the_metric(told: Ledger, name: str) -> None:
    column, statistic = JOB_METRICS[name]
    values = job_table(told).columns[column]
    (found,) = weighted(values, np.ones((1, len(values)), dtype=np.int64), statistic)
    expected = measure(told)[name].value
    if expected is None or (statistic == "total" and not values.size):
        assert np.isnan(found)
    else:
        assert found == pytest.approx(expected, rel=1e-12)


def test_a_name_that_comes_again_is_another_job() -> None:
    told = ledger(ran("a", 0, start=1, end=2), ran("a", 5, start=6, end=7))
    assert [key[:2] for key in job_table(told).keys] == [("a", 0), ("a", 1)]
