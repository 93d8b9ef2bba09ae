"""Stories of jobs, held to small timelines made by hand."""

from typing import TypeVar

from hypothesis import given
from hypothesis import strategies as st

from evaluator.story.steps import (
    Bound,
    CutShort,
    Finished,
    HeldBack,
    LeftOver,
    Reason,
    Started,
    Story,
    Waited,
)
from evaluator.story.telling import stories
from evaluator.timeline import Timeline
from tests.support.happenings import (
    at,
    bound,
    changed,
    disrupted,
    end,
    ended,
    failed,
    job,
    job_ended,
    node,
    nominated,
    pod,
    refused,
    started,
    told,
)


def story_of(timeline: Timeline, name: str) -> Story:
    return stories(timeline, [name])[name]


StepKind = TypeVar("StepKind")


def only(story: Story, kind: type[StepKind]) -> StepKind:
    (found,) = [step for step in story.steps if isinstance(step, kind)]
    return found


BEHIND = told(
    node("a"),
    pod(0, "ns/big", 8, run=30),
    bound(0, "ns/big", "a"),
    started(0, "ns/big", "a"),
    pod(10, "ns/late", 4, due=70, run=30),
    refused(10, "ns/late", "0/1 nodes are available: 1 Insufficient nvidia.com/gpu."),
    pod(20, "ns/rival", 8, run=60),
    ended(30, "ns/big", "a"),
    bound(30, "ns/rival", "a"),
    started(30, "ns/rival", "a"),
    ended(90, "ns/rival", "a"),
    bound(90, "ns/late", "a"),
    started(91, "ns/late", "a"),
    ended(121, "ns/late", "a"),
    end(121),
)
"""A job waits for a full node, sees its place given to another, and is late for it."""


def test_a_wait_is_told_with_its_reasons_and_with_those_ahead() -> None:
    waited = only(story_of(BEHIND, "ns/late"), Waited)
    assert (waited.at_ns, waited.until_ns) == (at(10), at(90))
    assert waited.spent_ns == {Reason.CAPACITY: at(80)}
    assert [rival.job for rival in waited.ahead] == ["ns/rival"]
    assert (waited.started_meanwhile, waited.overtaken_by) == (1, 1)
    assert waited.message == "0/1 nodes are available: 1 Insufficient nvidia.com/gpu."


def test_the_first_instant_with_room_is_found_though_another_took_it_at_once() -> None:
    verdict = story_of(BEHIND, "ns/late").verdict
    assert verdict.first_room is not None
    assert (verdict.first_room.at_ns, verdict.first_room.until_ns) == (at(30), at(30))
    assert verdict.first_room.nodes == ["a"]
    assert [rival.job for rival in verdict.first_room.taken_by] == ["ns/rival"]
    assert verdict.latest_start_ns == at(40)
    assert not verdict.hopeless


def test_who_could_have_waited_longer_is_named_at_the_latest_start() -> None:
    verdict = story_of(BEHIND, "ns/late").verdict
    assert [rival.job for rival in verdict.yielding] == ["ns/rival"]
    assert (verdict.yielding_count, verdict.yielding_chips) == (1, 8)


def test_the_start_and_the_end_are_told_with_place_and_lateness() -> None:
    story = story_of(BEHIND, "ns/late")
    choice = only(story, Bound).choice
    assert choice is not None
    assert (choice.free_chips, choice.chips, choice.alternatives, choice.tighter) == (8, 8, 1, 0)
    assert only(story, Started).startup_ns == at(1)
    assert only(story, Finished).late_ns == story.late_ns == at(51)
    assert [step.kind for step in story.steps] == ["submitted", "waited", "bound", "started", "finished"]


def test_a_choice_is_compared_with_the_other_nodes_that_had_room() -> None:
    story = story_of(
        told(node("a"), node("b", 4), node("c", 2), pod(0, "ns/x", 4), bound(0, "ns/x", "a"), end(1)), "ns/x"
    )
    choice = only(story, Bound).choice
    assert choice is not None
    assert (choice.free_chips, choice.alternatives, choice.tighter) == (8, 2, 1)
    assert not [step for step in story.steps if isinstance(step, Waited)]


def test_free_chips_on_several_nodes_are_no_room_for_a_pod() -> None:
    timeline = told(
        node("a", 4), node("b", 4), node("c", 8), pod(0, "ns/full", 8), bound(0, "ns/full", "c"),
        pod(0, "ns/x", 6), end(60),
    )  # fmt: skip
    assert only(story_of(timeline, "ns/x"), Waited).spent_ns == {Reason.SCATTERED: at(60)}


def test_what_no_node_could_ever_take_is_said() -> None:
    timeline = told(node("a", 4, chip_type="A100"), pod(0, "ns/x", 2, chip_type="H100"), end(60))
    assert only(story_of(timeline, "ns/x"), Waited).spent_ns == {Reason.IMPOSSIBLE: at(60)}


def test_a_cordoned_or_unready_node_is_no_room() -> None:
    timeline = told(
        node("a"), changed(0, "a", schedulable=False), pod(0, "ns/x"), changed(5, "a", ready=False),
        changed(9, "a"), bound(10, "ns/x", "a"), end(20),
    )  # fmt: skip
    story = story_of(timeline, "ns/x")
    assert only(story, Waited).spent_ns == {Reason.CAPACITY: at(9), Reason.PASSED_OVER: at(1)}
    assert story.verdict.first_room is not None
    assert story.verdict.first_room.at_ns == at(9)


def test_a_message_about_a_quota_is_believed() -> None:
    timeline = told(node("a"), pod(0, "ns/x"), refused(0, "ns/x", "Quota of team-a is used up"), end(60))
    assert only(story_of(timeline, "ns/x"), Waited).spent_ns == {Reason.QUOTA: at(60)}


GANG = told(
    node("a", 4),
    node("b", 4),
    pod(0, "ns/old", 2),
    bound(0, "ns/old", "b"),
    job(0, "ns/g", 2, gang=True),
    pod(5, "ns/g-0", 4, job="ns/g"),
    pod(5, "ns/g-1", 4, job="ns/g"),
    ended(65, "ns/old", "b"),
    bound(65, "ns/g-0", "a"),
    bound(65, "ns/g-1", "b"),
    started(66, "ns/g-0", "a"),
    started(66, "ns/g-1", "b"),
    ended(126, "ns/g-0", "a"),
    ended(126, "ns/g-1", "b"),
    job_ended(126, "ns/g"),
    end(126),
)


def test_a_gang_waits_until_there_is_room_for_all() -> None:
    story = story_of(GANG, "ns/g")
    assert only(story, HeldBack).until_ns == at(5)
    waited = only(story, Waited)
    assert waited.spent_ns == {Reason.GANG: at(60)}
    assert waited.pods == 2
    assert waited.opportunities == 0
    assert only(story, Bound).pods == ["ns/g-0", "ns/g-1"]
    assert only(story, Bound).nodes == ["a", "b"]
    assert only(story, Started).pods == ["ns/g-0", "ns/g-1"]
    assert story.verdict.first_room is not None
    assert story.verdict.first_room.at_ns == story.verdict.started_ns == at(65)


PREEMPTED = told(
    node("a"),
    pod(0, "ns/victim", 8, due=100, run=60),
    bound(0, "ns/victim", "a"),
    started(0, "ns/victim", "a"),
    pod(30, "ns/urgent", 8, due=95, run=60, priority=5),
    disrupted(30, "ns/victim", message="preempted by urgent"),
    nominated(30, "ns/urgent", "a"),
    ended(31, "ns/victim", "a", "evicted", cause="preemption", kept=20, lost=11),
    pod(31, "ns/victim", 8, due=100, run=60),
    bound(31, "ns/urgent", "a"),
    ended(91, "ns/urgent", "a"),
    bound(91, "ns/victim", "a"),
    started(92, "ns/victim", "a", restored=20),
    ended(132, "ns/victim", "a", kept=40),
    end(132),
)


def test_a_preemption_is_told_with_whom_it_was_for_and_what_was_lost() -> None:
    story = story_of(PREEMPTED, "ns/victim")
    cut = only(story, CutShort)
    assert (cut.cause, cut.by, cut.message) == ("preemption", "ns/urgent", "preempted by urgent")
    assert (cut.kept_ns, cut.lost_ns) == (at(20), at(11))
    again = [step for step in story.steps if isinstance(step, Started)][1]
    assert (again.again, again.restored_ns, again.startup_ns) == (True, at(20), at(1))
    assert story.verdict.undisturbed_ns == at(60)
    assert story.late_ns == at(32)


def test_a_place_lost_without_a_nomination_is_traced_to_the_next_pod_there() -> None:
    without = [event for event in PREEMPTED if event.kind != "pod_nominated"]
    assert only(story_of(Timeline(without), "ns/victim"), CutShort).by == "ns/urgent"


def test_a_failed_chip_is_named() -> None:
    timeline = told(
        node("a"), pod(0, "ns/x", 8), bound(0, "ns/x", "a"), started(0, "ns/x", "a"),
        failed(30, "a", 2, "rack-1"),
        ended(30, "ns/x", "a", "failed", cause="chip_failure", lost=30), end(30),
    )  # fmt: skip
    cut = only(story_of(timeline, "ns/x"), CutShort)
    assert cut.failure == "2 of the chips of a failed, with others of rack-1"
    assert cut.lost_ns == at(30)


def test_a_job_that_the_run_leaves_is_told_to_the_end_of_the_run() -> None:
    story = story_of(told(node("a", 1), pod(0, "ns/x", 2, due=10), end(60, pending=1)), "ns/x")
    left = only(story, LeftOver)
    assert (left.waiting, left.running, left.late_ns) == (1, 0, at(50))
    assert not only(story, Waited).ended


def test_a_deadline_that_nobody_could_meet_is_hopeless() -> None:
    story = story_of(told(node("a"), pod(0, "ns/x", 1, due=10, run=60), end(60)), "ns/x")
    assert story.verdict.hopeless


def test_jobs_that_are_not_there_have_no_story() -> None:
    assert stories(BEHIND, ["ns/other"]) == {}


@given(
    st.lists(st.tuples(st.integers(1, 8), st.integers(0, 20), st.integers(1, 20)), min_size=1, max_size=12)
)
def test_reasons_account_for_every_moment_of_a_wait(jobs: list[tuple[int, int, int]]) -> None:
    timeline = first_come_first_served(jobs)
    names = [f"ns/{number}" for number in range(len(jobs))]
    for story in stories(timeline, names).values():
        for waited in (step for step in story.steps if isinstance(step, Waited)):
            assert sum(waited.spent_ns.values()) == waited.until_ns - waited.at_ns
        assert [step.at_ns for step in story.steps] == sorted(step.at_ns for step in story.steps)
        room, start = story.verdict.first_room, story.verdict.started_ns
        assert room is not None
        assert start is not None
        assert story.submitted.at_ns <= room.at_ns <= start


def first_come_first_served(jobs: list[tuple[int, int, int]]) -> Timeline:
    """One node; (chips, submission, run time) of each; one after the other in their order."""
    events = []
    free_at = 0
    for number, (chips, submitted, run) in enumerate(sorted(jobs, key=lambda each: each[1])):
        name, start = f"ns/{number}", max(free_at, submitted)
        free_at = start + run
        events += [
            (submitted, 2, pod(submitted, name, chips, run=run)),
            (start, 3, bound(start, name, "a")),
            (start, 4, started(start, name, "a")),
            (free_at, 1, ended(free_at, name, "a")),
        ]
    ordered = [event for _, _, event in sorted(events, key=lambda each: each[:2])]
    return told(node("a"), *ordered, end(free_at))
