"""One pass over a timeline makes one row for each job, and refuses what cannot have happened."""

import pytest

from evaluator.errors import FileFormatError
from evaluator.metrics.ledger import read_ledger
from evaluator.timeline import Event, NodeChanged, NodeRemoved, Outcome, PodUnschedulable
from fakeapi.kernel.time import SECOND
from tests.support.stories import (
    began,
    bound,
    cut,
    ended,
    job_ended,
    job_submitted,
    ledger,
    node,
    ran,
    run_ended,
    started,
    submitted,
)


def test_a_job_is_followed_from_submission_to_end() -> None:
    story = ledger(
        submitted("d/a", 1, chips=2, deadline=100, user="ann"),
        PodUnschedulable(at_ns=2 * SECOND, pod="d/a", message="0/1 nodes"),
        bound("d/a", 3),
        began("d/a", 4),
        ended("d/a", 64),
        end=70,
    )
    (job,) = story.jobs
    assert (job.submitted_ns, job.bound_ns, job.started_ns, job.ended_ns) == (
        1 * SECOND,
        3 * SECOND,
        4 * SECOND,
        64 * SECOND,
    )
    assert (job.name, job.chips, job.user, job.outcome) == ("d/a", 2, "ann", "succeeded")
    assert [(pod.pod, pod.node) for pod in job.pods] == [("d/a", "n")]
    assert (job.deadline_ns, job.unschedulable) == (100 * SECOND, "0/1 nodes")
    assert story.end_ns == 70 * SECOND


def test_a_job_waits_then_runs_then_does_neither() -> None:
    waiting = ledger(submitted("d/a", 0)).jobs[0]
    running = ledger(submitted("d/a", 0), bound("d/a", 1)).jobs[0]
    done = ledger(ran("d/a", 0, start=1, end=2)).jobs[0]
    assert [(job.pending, job.running) for job in (waiting, running, done)] == [
        (True, False),
        (False, True),
        (False, False),
    ]


@pytest.mark.parametrize(
    ("outcome", "finished"), [("succeeded", True), ("failed", True), ("evicted", False), ("deleted", False)]
)
def test_only_an_end_of_its_own_is_a_finish(outcome: Outcome, finished: bool) -> None:
    (job,) = ledger(ran("d/a", 0, start=0, end=9, outcome=outcome)).jobs
    assert (job.finished_ns is not None) == finished


def test_a_name_that_is_used_again_is_another_job() -> None:
    story = ledger(ran("d/a", 0, start=1, end=2), ran("d/a", 5, start=6, end=9))
    assert [(job.submitted_ns // SECOND, job.ended_ns) for job in story.jobs] == [
        (0, 2 * SECOND),
        (5, 9 * SECOND),
    ]


def test_usable_chips_follow_allocatable_and_readiness_while_nominal_ones_stay() -> None:
    def changed(at: int, chips: int, *, ready: bool) -> NodeChanged:
        return NodeChanged(
            at_ns=at * SECOND,
            node="n",
            chips=chips,
            cpu_milli=64_000,
            memory_bytes=1,
            ready=ready,
            schedulable=True,
        )

    story = ledger(node(), changed(1, 6, ready=True), changed(2, 6, ready=False), changed(3, 8, ready=True))
    assert [value for _, value in story.usable_chips] == [8, 6, 0, 8]
    assert [value for _, value in story.nominal_chips] == [8, 8, 8, 8]
    assert [value for _, value in story.usable_cpu_milli] == [64_000, 64_000, 0, 64_000]


def test_a_removed_node_takes_its_capacity_away() -> None:
    story = ledger(node("a"), node("b", at=1), NodeRemoved(at_ns=2 * SECOND, node="a"))
    assert story.usable_chips == ((0, 8), (SECOND, 16), (2 * SECOND, 8))
    assert story.nominal_chips == story.usable_chips


def test_a_timeline_cut_short_ends_with_what_is_known() -> None:
    assert ledger(submitted("d/a", 5)).end_ns == 5 * SECOND


def test_the_window_closes_with_the_last_job_that_can_end() -> None:
    service: list[Event] = [submitted("d/service", 0, run=None), bound("d/service", 0)]
    assert ledger(service, ran("d/a", 2, start=3, end=9), end=50).last_end_ns == 9 * SECOND
    assert ledger(service, submitted("d/a", 2), end=50).last_end_ns == 50 * SECOND
    assert ledger(service, end=50).last_end_ns == 50 * SECOND
    assert ledger(end=50).first_submission_ns == 0


@pytest.mark.parametrize(
    ("events", "complaint"),
    [
        pytest.param([bound("d/a", 1)], "never submitted", id="bound before submission"),
        pytest.param([*ran("d/a", 0, start=0, end=1), ended("d/a", 2)], "has ended", id="ends twice"),
        pytest.param([submitted("d/a", 0), submitted("d/a", 1)], "submitted again", id="submitted twice"),
        pytest.param([node(), node(at=1)], "joins twice", id="node twice"),
        pytest.param([NodeRemoved(at_ns=0, node="x")], "never joined", id="unknown node"),
    ],
)
def test_what_cannot_have_happened_is_refused(events: list[Event], complaint: str) -> None:
    with pytest.raises(FileFormatError, match=complaint):
        read_ledger([started(), *events, run_ended(9)])


# Jobs of several pods -----------------------------------------------------------------------------


def test_a_pod_that_replaces_another_is_another_attempt_at_the_same_job() -> None:
    story = ledger(
        job_submitted("d/train", 0, chips=2, deadline=100),
        submitted("d/train-1", 0, chips=2, job="d/train"),
        bound("d/train-1", 1),
        began("d/train-1", 2),
        cut("d/train-1", 30, "preemption", kept=20, lost=8),
        submitted("d/train-2", 40, chips=2, job="d/train"),
        bound("d/train-2", 50),
        began("d/train-2", 50),
        ended("d/train-2", 90),
        job_ended("d/train", 91),
    )
    (job,) = story.jobs
    assert [pod.pod for pod in job.pods] == ["d/train-1", "d/train-2"]
    assert (job.name, job.chips, job.deadline_ns) == ("d/train", 2, 100 * SECOND)
    assert (job.bound_ns, job.started_ns, job.finished_ns) == (1 * SECOND, 2 * SECOND, 91 * SECOND)
    assert (story.pods[0].cause, story.pods[0].kept_ns, story.pods[0].lost_ns) == (
        "preemption",
        20 * SECOND,
        8 * SECOND,
    )


def test_a_gang_is_bound_when_all_that_it_needs_are() -> None:
    members = [
        event
        for name, at in (("a", 1), ("b", 7))
        for event in (
            submitted(f"d/{name}", 0, job="d/g"),
            bound(f"d/{name}", at),
            began(f"d/{name}", at + 1),
        )
    ]
    (gang,) = ledger(job_submitted("d/g", 0, pods=2, gang=True), members).jobs
    assert (gang.bound_ns, gang.started_ns) == (7 * SECOND, 8 * SECOND)
    (loose,) = ledger(job_submitted("d/g", 0, pods=2), members).jobs
    assert (loose.bound_ns, loose.started_ns) == (1 * SECOND, 2 * SECOND)


def test_a_gang_whose_members_are_never_there_at_once_is_not_bound() -> None:
    (gang,) = ledger(
        job_submitted("d/g", 0, pods=2, gang=True),
        submitted("d/a", 0, job="d/g"),
        bound("d/a", 1),
        ended("d/a", 5),
        submitted("d/b", 0, job="d/g"),
        bound("d/b", 5),
    ).jobs
    assert gang.bound_ns is None
    assert (gang.running, gang.pending) == (True, False)


def test_the_work_of_a_job_takes_all_its_stages() -> None:
    (job,) = ledger(job_submitted("d/j", 0, pods=5, parallel=2, run=60)).jobs
    assert job.work_ns == 3 * 60 * SECOND
    assert (job.pending, job.unschedulable) == (True, "")


@pytest.mark.parametrize("event", [job_ended("d/j", 1), submitted("d/a", 1, job="d/j")])
def test_a_job_that_was_never_submitted_is_refused(event: Event) -> None:
    with pytest.raises(FileFormatError, match="never submitted"):
        read_ledger([started(), event, run_ended(9)])
