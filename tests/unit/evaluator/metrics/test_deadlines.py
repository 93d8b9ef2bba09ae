"""Which deadlines are judged, which are missed, and by how much; all figures computed by hand."""

import pytest

from evaluator.metrics import measure
from evaluator.metrics.ledger import Ledger
from evaluator.timeline import Outcome
from tests.support.stories import bound, ledger, ran, submitted


def values(story: Ledger, *names: str) -> list[float | None]:
    metrics = measure(story)
    return [metrics[name].value for name in names]


def test_three_of_five_due_jobs_are_late() -> None:
    story = ledger(
        ran("d/on-time", 0, start=0, end=50, deadline=60),
        ran("d/exactly", 0, start=0, end=60, deadline=60),
        ran("d/late", 0, start=40, end=90, deadline=60),
        ran("d/no-deadline", 0, start=0, end=99),
        submitted("d/never-started", 0, deadline=80),
        [submitted("d/still-runs", 0, deadline=95), bound("d/still-runs", 90)],
        submitted("d/not-due", 0, deadline=200),
        end=100,
    )
    assert values(story, "deadline_miss_rate", "deadlines_due", "deadlines_missed", "deadlines_not_due") == [
        3 / 5,
        5,
        3,
        1,
    ]
    # Tardiness: 0, 0, 30, 20 (unfinished at 100), 5 (unfinished at 100).
    assert values(
        story, "tardiness_mean", "tardiness_p50", "tardiness_p95", "tardiness_p99", "tardiness_max"
    ) == [11, 5, 30, 30, 30]


def test_a_run_that_ends_early_because_all_is_done_judges_every_deadline() -> None:
    story = ledger(
        ran("d/a", 0, start=0, end=10, deadline=500), ran("d/b", 0, start=10, end=20, deadline=15), end=20
    )
    assert values(story, "deadline_miss_rate", "deadlines_due", "deadlines_not_due") == [1 / 2, 2, 0]


def test_a_job_that_waits_leaves_far_deadlines_unjudged() -> None:
    story = ledger(ran("d/a", 0, start=0, end=10, deadline=500), submitted("d/b", 0, deadline=600), end=20)
    assert values(story, "deadline_miss_rate", "deadlines_due", "deadlines_not_due") == [None, 0, 2]


def test_without_deadlines_there_is_no_miss_rate() -> None:
    story = ledger(ran("d/a", 0, start=0, end=10), end=20)
    assert values(story, "deadline_miss_rate", "tardiness_p99", "deadlines_missed") == [None, None, 0]


@pytest.mark.parametrize(("outcome", "missed"), [("failed", 0), ("evicted", 1), ("deleted", 1)])
def test_a_job_that_lost_its_place_missed_its_deadline(outcome: Outcome, missed: int) -> None:
    story = ledger(ran("d/a", 0, start=0, end=10, deadline=30, outcome=outcome), end=50)
    assert values(story, "deadlines_missed", "tardiness_max") == [missed, 20 * missed]
