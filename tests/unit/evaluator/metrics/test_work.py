"""Chip-time that was held: what counted, what was lost and to whom, computed by hand."""

import pytest

from evaluator.metrics import measure
from evaluator.metrics.ledger import Ledger
from evaluator.timeline import Event
from tests.support.stories import (
    began,
    bound,
    cut,
    ended,
    job_ended,
    job_submitted,
    ledger,
    ran,
    submitted,
)

HOUR = 3600


def values(story: Ledger, *names: str) -> list[float | None]:
    metrics = measure(story)
    return [metrics[name].value for name in names]


def held(pod: str, since: int, end: Event, *, chips: int = 1, job: str | None = None) -> list[Event]:
    return [submitted(pod, since, chips=chips, job=job), bound(pod, since), began(pod, since), end]


def test_what_was_held_is_kept_lost_or_overhead() -> None:
    story = ledger(
        # 2 chips for 4 h: 3 h kept and half an hour lost to a preemption, the rest is overhead.
        held("d/a", 0, cut("d/a", 4 * HOUR, "preemption", kept=3 * HOUR, lost=HOUR // 2), chips=2),
        # 1 chip for 2 h: 1 h lost to a failed chip, half an hour to another member of the gang.
        held("d/b", 0, cut("d/b", HOUR, "chip_failure", lost=HOUR)),
        held("d/c", 0, cut("d/c", HOUR, "peer", kept=HOUR // 2, lost=HOUR // 2)),
        # 4 chips for 1 h, all of it kept.
        held("d/d", 0, ended("d/d", HOUR, kept=HOUR), chips=4),
    )
    kept, chip_time = 2 * 3 + 0 + 0.5 + 4, 2 * 4 + 1 + 1 + 4
    assert values(story, "goodput") == [pytest.approx(kept / chip_time)]
    assert values(
        story, "chip_hours_lost", "chip_hours_lost_to_preemption", "chip_hours_lost_to_failures"
    ) == [2 * 0.5 + 1 + 0.5, 1, 1.5]
    assert values(story, "chip_hours_overhead", "preemptions") == [2 * 0.5, 1]


def test_services_and_pods_that_run_on_are_left_out() -> None:
    service: list[Event] = [submitted("d/s", 0, run=None), bound("d/s", 0), began("d/s", 0)]
    story = ledger(service, submitted("d/w", 0), bound("d/w", 0), end=HOUR)
    assert values(story, "goodput", "chip_hours_lost", "chip_hours_overhead") == [None, 0, 0]


def test_a_gang_is_preempted_once_though_all_its_pods_are() -> None:
    story = ledger(
        job_submitted("d/g", 0, pods=2, gang=True),
        held("d/a", 0, cut("d/a", 9, "preemption"), job="d/g"),
        held("d/b", 0, cut("d/b", 9, "preemption"), job="d/g"),
        ran("d/alone", 0, start=1, end=2),
    )
    assert values(story, "preemptions", "preemptions_per_job", "preemptions_of_a_job_max") == [2, 0.5, 1]


def test_gangs_wait_until_all_are_bound() -> None:
    story = ledger(
        job_submitted("d/g", 0, pods=2, gang=True),
        held("d/a", 10, ended("d/a", 90), job="d/g"),
        held("d/b", 30, ended("d/b", 90), job="d/g"),
        job_ended("d/g", 91),
        job_submitted("d/h", 50, pods=2, gang=True),
        end=100,
    )
    # The first waited 30 s; the second never had its places and counts with 50 s.
    assert values(story, "gang_wait_p50", "gang_wait_p99") == [30, 50]
    assert values(ledger(end=1), "gang_wait_p50") == [None]


def test_slack_at_start_is_what_is_left_before_the_deadline_gets_out_of_reach() -> None:
    story = ledger(
        ran("d/a", 0, start=10, end=70, deadline=100),  # 100 − 60 − 10
        ran("d/b", 0, start=50, end=110, deadline=100),  # 100 − 60 − 50
        ran("d/c", 0, start=50, end=110),
    )
    assert values(story, "slack_at_start_p5", "slack_at_start_p50") == [-10, -10]
    assert values(ledger(ran("d/a", 0, start=0, end=60, deadline=90)), "slack_at_start_p50") == [30]
