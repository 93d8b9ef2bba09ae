"""Where two runs part."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from evaluator.story.difference import Decision, Difference, Side, compare
from evaluator.timeline import Event, Timeline
from tests.support.happenings import (
    at,
    begin,
    bound,
    disrupted,
    end,
    ended,
    node,
    nominated,
    pod,
    told,
)
from tests.unit.evaluator.story.test_telling import first_come_first_served

WORLD = (node("a"), node("b"), pod(0, "ns/x", 4, due=100), pod(0, "ns/y", 4), pod(0, "ns/z", 8))


def run(*events: Any, scheduler: str = "lst", digest: str = "d") -> Timeline:
    return Timeline([begin(scheduler, scenario_digest=digest), *WORLD, *events])


ONE = run(bound(0, "ns/x", "a"), bound(0, "ns/y", "a"), bound(0, "ns/z", "b"), end(60))


def sides(difference: Difference) -> tuple[Side, Side]:
    assert difference.sides is not None
    return difference.sides


def test_equal_runs_have_no_difference() -> None:
    difference = compare(ONE, ONE)
    assert difference.at_ns is None
    assert difference.sides is None
    assert difference.same_work


def test_the_order_within_an_instant_does_not_matter() -> None:
    other = run(bound(0, "ns/z", "b"), bound(0, "ns/y", "a"), bound(0, "ns/x", "a"), end(60))
    assert compare(ONE, other).at_ns is None


def test_the_first_decision_that_differs_is_found_with_what_became_of_its_pods() -> None:
    other = run(
        bound(0, "ns/x", "a"), bound(0, "ns/z", "b"), bound(5, "ns/y", "a"), end(60), scheduler="fifo"
    )
    difference = compare(ONE, other)
    first, second = sides(difference)
    assert difference.at_ns == 0
    assert (first.scheduler, second.scheduler) == ("lst", "fifo")
    assert first.first == [Decision("bound", "ns/y", "a", 0)]
    assert second.first == []
    assert (first.decisions, first.only_here, second.only_here) == (3, 1, 1)
    (fate,) = second.fates
    assert fate.pod == "ns/y"
    assert fate.bound == Decision("bound", "ns/y", "a", at(5))


def test_both_clusters_are_shown_as_they_were_just_before() -> None:
    other = run(bound(0, "ns/x", "b"), bound(0, "ns/y", "b"), bound(0, "ns/z", "a"), end(60))
    first, second = sides(compare(ONE, other))
    assert (first.state.free_chips, first.state.pending, first.state.running) == (16, 3, 0)
    assert [rival.pod for rival in first.state.waiting] == ["ns/x", "ns/y", "ns/z"]
    assert [(each.node, each.free_chips) for each in second.state.nodes] == [("a", 8), ("b", 8)]


def test_a_later_difference_shows_who_runs_on_the_nodes_that_it_names() -> None:
    one = run(bound(0, "ns/x", "a"), bound(5, "ns/y", "a"), end(60))
    other = run(bound(0, "ns/x", "a"), bound(5, "ns/y", "b"), end(60))
    first, _ = sides(compare(one, other))
    assert [(each.node, each.free_chips, [pod.pod for pod in each.pods]) for each in first.state.nodes] == [
        ("a", 4, ["ns/x"]),
        ("b", 8, []),
    ]


def test_preemptions_and_nominations_are_decisions() -> None:
    start = (bound(0, "ns/x", "a"), bound(0, "ns/y", "a"))
    one = run(*start, disrupted(9, "ns/x"), nominated(9, "ns/z", "a"), end(60))
    other = run(*start, disrupted(9, "ns/y"), nominated(9, "ns/z", "a"), end(60))
    first, second = sides(compare(one, other))
    assert first.first == [Decision("preempted", "ns/x", "a", at(9))]
    assert second.first == [Decision("preempted", "ns/y", "a", at(9))]
    assert first.fates[0].earlier == Decision("bound", "ns/y", "a", 0)


def test_a_decision_may_come_a_little_later_where_that_is_allowed() -> None:
    other = run(bound(0, "ns/x", "a"), bound(0, "ns/z", "b"), bound(1, "ns/y", "a"), end(60))
    assert compare(ONE, other, within_ns=at(1)).at_ns is None
    assert compare(ONE, other, within_ns=at(1) - 1).at_ns == 0


def test_a_decision_that_is_taken_twice_is_counted_twice() -> None:
    one = run(bound(0, "ns/x", "a"), ended(5, "ns/x", "a", "evicted"), pod(5, "ns/x", 4), end(60))
    again = Timeline([*list(one)[:-1], bound(6, "ns/x", "a"), end(60)])
    first, second = sides(compare(one, again))
    assert (first.first, second.first) == ([], [Decision("bound", "ns/x", "a", at(6))])


def test_work_that_is_not_the_same_is_said_to_differ() -> None:
    other = told(*WORLD, pod(0, "ns/more"), bound(0, "ns/more", "a"), end(60))
    difference = compare(ONE, other)
    assert difference.given == ["pod_submitted ns/more at 0 ns only in the second run"]
    assert not compare(ONE, run(end(60), digest="other")).same_work


ASKED = st.tuples(st.integers(1, 8), st.integers(0, 20), st.integers(1, 20))


@given(st.lists(ASKED, max_size=10), st.data())
def test_shuffling_decisions_of_an_instant_is_no_difference(
    jobs: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    timeline = first_come_first_served(jobs)
    shuffled: list[Event] = []
    for instant in sorted({event.at_ns for event in timeline}):
        events = [event for event in timeline if event.at_ns == instant]
        last = [event for event in events if event.kind == "run_ended"]
        shuffled += [*data.draw(st.permutations([each for each in events if each not in last])), *last]
    assert compare(timeline, Timeline(shuffled)).at_ns is None
