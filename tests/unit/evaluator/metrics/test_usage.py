"""How much of the cluster is in use: by hand, and within bounds for any history that can be."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.metrics import measure
from evaluator.metrics.ledger import Ledger
from evaluator.metrics.usage import held_chips, pending_pods
from evaluator.timeline import Event, NodeChanged, PodSubmitted
from fakeapi.kernel.time import SECOND
from tests.support.stories import bound, ended, ledger, node, ran, submitted


def values(story: Ledger, *names: str) -> list[float | None]:
    metrics = measure(story)
    return [metrics[name].value for name in names]


def test_utilization_is_chips_held_over_usable_chips_between_first_submission_and_last_end() -> None:
    story = ledger(
        node(chips=8, cores=10),
        ran("d/a", 10, start=10, end=30, chips=4, cores=5),
        ran("d/b", 10, start=20, end=50, chips=8, cores=1),
        end=400,
    )
    # 4 × 20 s + 8 × 30 s of 8 × 40 s; 5 × 20 s + 1 × 30 s of 10 × 40 s.
    assert values(story, "utilization", "utilization_nominal", "cpu_utilization") == [1, 1, 130 / 400]
    assert values(story, "chip_hours") == [320 / 3600]


def test_a_failed_chip_is_not_usable_but_stays_nominal() -> None:
    half = NodeChanged(
        at_ns=0,
        node="n",
        chips=4,
        cpu_milli=64_000,
        memory_bytes=1,
        ready=True,
        schedulable=True,
    )
    story = ledger(node(chips=8), half, ran("d/a", 0, start=0, end=10, chips=2), end=10)
    assert values(story, "utilization", "utilization_nominal") == [1 / 2, 1 / 4]


def test_a_job_holds_its_chips_until_the_run_ends_if_it_does_not_end_before() -> None:
    story = ledger(submitted("d/a", 0, chips=8), bound("d/a", 50), end=100)
    assert values(story, "utilization") == [1 / 2]


def test_jobs_without_chips_hold_none() -> None:
    story = ledger(ran("d/a", 0, start=0, end=10, chips=0, cores=32), end=10)
    assert values(story, "utilization", "cpu_utilization") == [0, 1 / 2]


def test_a_cluster_without_chips_has_no_utilization() -> None:
    story = ledger(node(chips=0), ran("d/a", 0, start=0, end=10, chips=0), end=10)
    assert values(story, "utilization", "cpu_utilization") == [None, 1 / 64]


def test_nothing_submitted_leaves_nothing_to_measure() -> None:
    story = ledger(end=0)
    assert values(story, "utilization", "makespan", "throughput", "wait_p50", "pending_mean") == [None] * 5
    assert values(story, "pending_end", "pending_max", "chip_hours") == [0, 0, 0]


def test_pending_pods_are_counted_over_time_and_at_the_end() -> None:
    story = ledger(
        ran("d/a", 0, start=10, end=20),
        submitted("d/b", 5),
        [submitted("d/c", 5), ended("d/c", 15, "deleted", None)],
        end=20,
    )
    assert [(at // SECOND, value) for at, value in pending_pods(story)] == [
        (0, 1),
        (5, 3),
        (10, 2),
        (15, 1),
    ]
    assert values(story, "pending_end", "pending_max", "pending_mean") == [1, 3, (5 + 15 + 10 + 5) / 20]


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    """Jobs on one chip each, one after the other, so that they never hold more than there is."""
    chips = draw(st.integers(1, 4))
    events: list[Event] = [node(chips=chips, cores=chips)]
    free_at = [0] * chips
    number = 0
    for lane in range(chips):
        for _ in range(draw(st.integers(0, 4))):
            start = free_at[lane] + draw(st.integers(0, 50))
            end = start + draw(st.integers(1, 100))
            at = draw(st.integers(0, start))
            deadline = draw(st.none() | st.integers(0, 400))
            events.extend(ran(f"d/{number}", at, start=start, end=end, deadline=deadline))
            free_at[lane] = end
            number += 1
    return events


@given(histories(), st.integers(0, 300))
def test_shares_lie_between_nothing_and_everything(events: list[Event], tail: int) -> None:
    last = max(event.at_ns for event in events) // SECOND
    story = ledger(events, end=last + tail)
    metrics = measure(story)
    for name in ("utilization", "utilization_nominal", "cpu_utilization", "deadline_miss_rate"):
        value = metrics[name].value
        assert value is None or 0 <= value <= 1
    for name, metric in metrics.items():
        assert metric.value is None or metric.value >= 0 or name.startswith("slack")
    for name in ("goodput", "stranded_chips", "fragmentation"):
        value = metrics[name].value
        assert value is None or 0 <= value <= 1


@given(histories())
def test_counts_agree_with_each_other(events: list[Event]) -> None:
    story = ledger(events)
    due, missed, later, rate = values(
        story, "deadlines_due", "deadlines_missed", "deadlines_not_due", "deadline_miss_rate"
    )
    assert due is not None
    assert missed is not None
    assert later is not None
    assert due + later == sum(job.deadline_ns is not None for job in story.jobs)
    assert rate == (pytest.approx(missed / due) if due else None)


@given(histories())
def test_chips_held_are_those_of_the_jobs_and_end_at_none(events: list[Event]) -> None:
    story = ledger(events)
    steps = held_chips(story)
    assert not steps or steps[-1][1] == 0
    assert max((value for _, value in steps), default=0) <= story.usable_chips[-1][1]
    run = sum(job.ended_ns - job.bound_ns for job in story.jobs if job.ended_ns and job.bound_ns is not None)
    assert measure(story)["chip_hours"].value == pytest.approx(run / SECOND / 3600)


@given(histories(), st.integers(1, 9))
def test_figures_of_time_scale_with_time(events: list[Event], factor: int) -> None:
    """The same story told ``factor`` times as slowly has the same shares and ``factor`` times the waits."""
    slow = ledger(_slowed(events, factor))
    told = ledger(events)
    assert values(slow, "utilization", "deadline_miss_rate") == values(
        told, "utilization", "deadline_miss_rate"
    )
    for name in ("wait_p50", "wait_max", "makespan"):
        (before,), (after,) = values(told, name), values(slow, name)
        assert after == (None if before is None else pytest.approx(before * factor))


def _slowed(events: list[Event], factor: int) -> list[Event]:
    slowed: list[Event] = []
    for event in events:
        later = replace(event, at_ns=event.at_ns * factor)
        if isinstance(later, PodSubmitted) and later.deadline_ns is not None:
            later = replace(later, deadline_ns=later.deadline_ns * factor)
        slowed.append(later)
    return slowed
