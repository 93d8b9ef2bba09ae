"""Makespan, throughput and evictions, computed by hand."""

from evaluator.metrics import measure
from evaluator.metrics.ledger import Ledger
from tests.support.stories import bound, ledger, ran, submitted


def values(story: Ledger, *names: str) -> list[float | None]:
    metrics = measure(story)
    return [metrics[name].value for name in names]


def test_makespan_lasts_from_the_first_submission_to_the_last_end() -> None:
    story = ledger(ran("d/a", 100, start=100, end=200), ran("d/b", 150, start=200, end=1900), end=5000)
    assert values(story, "makespan", "throughput", "evictions") == [1800, 4, 0]


def test_a_job_that_is_left_draws_the_makespan_to_the_end_of_the_run() -> None:
    story = ledger(ran("d/a", 0, start=0, end=10), submitted("d/b", 0), end=3600)
    assert values(story, "makespan", "throughput") == [3600, 1]


def test_a_service_does_not_draw_it_out() -> None:
    story = ledger(
        ran("d/a", 0, start=0, end=10),
        [submitted("d/s", 0, run=None), bound("d/s", 0)],
        end=3600,
    )
    assert values(story, "makespan") == [10]


def test_evictions_are_counted() -> None:
    assert values(ledger(ran("d/a", 0, start=0, end=1, outcome="evicted")), "evictions") == [1]
