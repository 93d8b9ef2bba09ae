"""Waits, turnarounds and slowdowns of a published log, against the archive's own columns.

The archive's format gives for each job when it was submitted, how long it waited and how long it ran
(fields 2, 3 and 4); from these alone numpy computes the figures, with nothing of ours, by the definitions of
Feitelson, "Metrics for Parallel Job Scheduling and Their Convergence" (JSSPP 2001).
"""

import gzip
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from evaluator.metrics import measure
from evaluator.metrics.ledger import Ledger
from tests.support.stories import ledger, ran
from tests.support.traces import trace_file

LOG = "swf/KTH-SP2-1996-2.1-cln.swf.gz"
SUBMIT, WAIT, RUN = 1, 2, 3
"""Columns, counted from 0; seconds."""
BOUND_S = 10
"""Of the bounded slowdown, as in the source."""

Table = NDArray[np.float64]


@pytest.fixture(scope="module")
def log() -> Table:
    with gzip.open(trace_file(LOG), "rt", encoding="latin-1") as lines:
        rows: Table = np.loadtxt(lines, comments=";")
    told = rows[(rows[:, WAIT] >= 0) & (rows[:, RUN] > 0)]
    assert len(told) > 28_000
    return told


@pytest.fixture(scope="module")
def run(log: Table) -> Ledger:
    """The log as it happened, as a run of ours: every job a pod that is bound when the log says so."""
    first = int(log[0, SUBMIT])
    stories = []
    for number, row in enumerate(log):
        at = int(row[SUBMIT]) - first
        start = at + int(row[WAIT])
        stories.append(ran(f"d/{number}", at, start=start, end=start + int(row[RUN])))
    return ledger(*stories)


def test_waits_turnarounds_and_slowdowns_are_those_of_the_archive(log: Table, run: Ledger) -> None:
    wait, work = log[:, WAIT], log[:, RUN]
    turnaround = wait + work
    slowdown = np.maximum(1, turnaround / np.maximum(work, BOUND_S))
    expected: dict[str, Any] = {
        "wait_mean": wait.mean(),
        "wait_max": wait.max(),
        "turnaround_mean": turnaround.mean(),
        "turnaround_max": turnaround.max(),
        "bounded_slowdown": slowdown.mean(),
        "bounded_slowdown_p99": nearest_rank(slowdown, 99),
    }
    for percent in (50, 90, 99):
        expected[f"wait_p{percent}"] = nearest_rank(wait, percent)
        expected[f"turnaround_p{percent}"] = nearest_rank(turnaround, percent)
    measured = measure(run)
    assert {name: measured[name].value for name in expected} == pytest.approx(expected)


def nearest_rank(values: Table, percent: int) -> float:
    return float(np.percentile(values, percent, method="inverted_cdf"))
