"""The jobs behind a figure, the worst first."""

import pytest

from evaluator.gates.culprits import MOST, culprits
from tests.support.stories import ledger, ran, submitted

LATE = ledger(
    ran("default/early", 0, start=0, end=10, deadline=60),
    ran("default/late", 0, start=30, end=90, deadline=60),
    ran("default/later", 0, start=50, end=110, deadline=60),
    submitted("default/waits", 100),
    end=200,
)


@pytest.mark.parametrize("metric", ["deadline_miss_rate", "deadlines_missed", "tardiness_p99"])
def test_late_jobs_stand_behind_a_missed_deadline(metric: str) -> None:
    assert culprits(metric, LATE) == ["default/later, late by 50s", "default/late, late by 30s"]


@pytest.mark.parametrize("metric", ["wait_p99", "pending_max", "turnaround_mean", "bounded_slowdown"])
def test_those_who_waited_longest_stand_behind_a_wait(metric: str) -> None:
    assert culprits(metric, LATE) == [
        "default/waits, waited 1m 40s",
        "default/later, waited 50s",
        "default/late, waited 30s",
    ]


def test_behind_a_share_of_chips_stands_no_job() -> None:
    assert culprits("utilization", LATE) == []


def test_only_the_worst_are_named() -> None:
    crowd = ledger(*(ran(f"default/{n}", 0, start=n + 1, end=n + 2) for n in range(2 * MOST)))
    assert culprits("wait_max", crowd)[0] == f"default/{2 * MOST - 1}, waited 10s"
    assert len(culprits("wait_max", crowd)) == MOST
