"""Waits, turnarounds and slowdowns, computed by hand."""

from evaluator.metrics import measure
from evaluator.metrics.ledger import Ledger
from tests.support.stories import began, bound, ended, ledger, ran, submitted


def values(story: Ledger, *names: str) -> list[float | None]:
    metrics = measure(story)
    return [metrics[name].value for name in names]


def test_a_wait_lasts_from_submission_to_binding() -> None:
    story = ledger(
        ran("d/a", 0, start=0, end=60),
        ran("d/b", 10, start=40, end=100),
        ran("d/c", 20, start=100, end=160),
        end=160,
    )
    assert values(story, "wait_mean", "wait_p50", "wait_p90", "wait_p99", "wait_max") == [
        110 / 3,
        30,
        80,
        80,
        80,
    ]
    assert values(story, "turnaround_mean", "turnaround_p50", "turnaround_max") == [290 / 3, 90, 140]


def test_a_job_that_never_got_a_node_counts_with_the_time_it_waited() -> None:
    story = ledger(
        submitted("d/forgotten", 10),
        [submitted("d/withdrawn", 20), ended("d/withdrawn", 50, "deleted", None)],
        end=100,
    )
    assert values(story, "wait_p50", "wait_max") == [30, 90]
    assert values(story, "turnaround_p50", "bounded_slowdown") == [None, None]


def test_the_start_delay_is_no_wait_but_counts_in_turnaround_and_slowdown() -> None:
    story = ledger(
        submitted("d/a", 0, run=100), bound("d/a", 10), began("d/a", 40), ended("d/a", 140), end=140
    )
    assert values(story, "wait_p50", "turnaround_p50", "bounded_slowdown") == [10, 140, 1.4]


def test_slowdown_is_bounded_below_ten_seconds_of_run_time() -> None:
    # Waited 40 s for 2 s of work: 42 ÷ 10 instead of 42 ÷ 2; waited 0 s for 2 s of work: 1 instead of 0.2.
    story = ledger(ran("d/a", 0, start=40, end=42), ran("d/b", 0, start=0, end=2), end=42)
    assert values(story, "bounded_slowdown", "bounded_slowdown_p99") == [(4.2 + 1) / 2, 4.2]
