"""The words of stories."""

import pytest

from evaluator.story.telling import stories
from evaluator.story.wording import step_text, verdict_texts
from evaluator.timeline import Timeline
from tests.support.happenings import (
    bound,
    changed,
    end,
    ended,
    job,
    node,
    pod,
    started,
    told,
)
from tests.unit.evaluator.story.test_telling import BEHIND, GANG, PREEMPTED


def words(timeline: Timeline, name: str) -> str:
    story = stories(timeline, [name])[name]
    return "\n".join([*map(step_text, story.steps), *verdict_texts(story)])


@pytest.mark.parametrize(
    ("timeline", "name", "expected"),
    [
        (BEHIND, "ns/late", "submitted: asks for 4 chips, 1 CPU, 1 GiB; runs 30m, due 1h after its"),
        (BEHIND, "ns/late", "waited 1h 20m: with too little free in the cluster."),
        (BEHIND, "ns/late", "1 pod of other jobs started meanwhile, 1 of them submitted later: ns/rival"),
        (BEHIND, "ns/late", "Room for it opened 1 time before it was given it"),
        (BEHIND, "ns/late", "given a: it had 8 of 8 chips free, the only node with room"),
        (BEHIND, "ns/late", "began its work after 1m of start-up"),
        (BEHIND, "ns/late", "finished, 51m late"),
        (BEHIND, "ns/late", "it had to start within 30m of its submission"),
        (BEHIND, "ns/late", "started 20m after its submission, on a: 1h before it did, in time with 10m"),
        (BEHIND, "ns/late", "Started there instead: ns/rival (8 chips, no deadline)."),
        (BEHIND, "ns/late", "1 pod with 8 chips ran that could wait longer: ns/rival"),
        (GANG, "ns/g", "Job of 2 pods, all or none; asks for 4 chips, 1 CPU, 1 GiB for each pod"),
        (GANG, "ns/g", "none of its pods was created for 5m: held back"),
        (GANG, "ns/g", "with room for a part of its gang only"),
        (GANG, "ns/g", "2 pods given a, b: a had 4 of 4 chips free"),
        (GANG, "ns/g", "It started at the first instant with room for it."),
        (PREEMPTED, "ns/victim", "preempted on a for ns/urgent; 11m of work lost, 20m kept (preempted by"),
        (PREEMPTED, "ns/victim", "began its work again after 1m of start-up, with 20m taken up from a"),
        (PREEMPTED, "ns/victim", "been cut short the first time, it would have finished in time with 40m"),
    ],
)  # fmt: skip
def test_what_happened_is_said(timeline: Timeline, name: str, expected: str) -> None:
    assert expected in words(timeline, name)


def test_a_job_that_never_started_says_what_it_waited_for() -> None:
    said = words(told(node("a", 1), pod(0, "ns/x", 2, due=90, run=60), end(60, pending=1)), "ns/x")
    assert "still waiting after 1h: with no node that could ever take it" in said
    assert "There was never room for it as it waited" in said
    assert "the run ended with 1 waiting and 0 running, 30m before its deadline" in said


def test_room_that_nobody_used_is_said() -> None:
    timeline = told(
        node("a"), pod(0, "ns/x", due=61), bound(10, "ns/x", "a"), ended(70, "ns/x", "a"), end(70)
    )
    said = words(timeline, "ns/x")
    assert (
        "It could have started at its submission, on a: 10m before it did, in time with 1m to spare." in said
    )
    assert "The room was there for 10m, and nobody else was given it." in said


def test_a_place_that_the_account_does_not_know_is_said_to_have_been_made() -> None:
    timeline = told(node("a", 1), changed(0, "a", 0), pod(0, "ns/x"), bound(1, "ns/x", "a"), end(2))
    assert "it had no room left by the timeline's account" in words(timeline, "ns/x")


def test_a_hopeless_deadline_is_called_so() -> None:
    timeline = told(node("a"), pod(0, "ns/x", due=10), bound(0, "ns/x", "a"), started(0, "ns/x", "a"),
                    ended(60, "ns/x", "a"), end(60))  # fmt: skip
    assert "No scheduler could have met its deadline" in words(timeline, "ns/x")


def test_a_job_without_pods_is_said_to_have_had_none() -> None:
    assert "None of its pods was there to be started." in words(told(job(0, "ns/j"), end(60)), "ns/j")
