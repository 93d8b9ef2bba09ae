"""What must hold of the metrics of any run, whatever became of its pods.

Chip-time that was held is work that counts, work that was lost, and the rest; shares are between 0 and 1; and
events of one instant that do not follow from one another may be told in any order.
"""

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.metrics import measure
from evaluator.metrics.ledger import Ledger, read_ledger
from evaluator.timeline import Cause, Event
from fakeapi.kernel.time import HOUR, SECOND
from tests.support.stories import began, bound, cut, ended, node, run_ended, started, submitted

CAUSES: Final[tuple[Cause, ...]] = ("preemption", "chip_failure", "node_failure", "peer")
SHARES: Final = ("utilization", "utilization_nominal", "goodput", "fairness_users", "deadline_miss_rate")
CHIPS_OF_A_POD: Final = 4
LONGEST_S: Final = 20
"""Of each part of a pod's life; short, so that many events fall on one instant."""

seconds = st.integers(0, LONGEST_S)


@st.composite
def lives(draw: st.DrawFn, name: str) -> list[Event]:
    """All events of one pod, in their order: it may never be bound, never end, or be cut short."""
    at = draw(seconds)
    deadline = draw(st.none() | st.integers(0, 5 * LONGEST_S))
    user = draw(st.sampled_from(["ann", "bob"]))
    chips = draw(st.integers(1, CHIPS_OF_A_POD))
    told: list[Event] = [submitted(name, at, chips=chips, deadline=deadline, user=user)]
    if not draw(st.booleans()):
        return told
    place = at + draw(seconds)
    work = place + draw(seconds)
    told += [bound(name, place), began(name, work)]
    kept, lost, stopping = draw(seconds), draw(seconds), draw(seconds)
    match draw(st.sampled_from(["runs", "ends", "cut"])):
        case "ends":
            told.append(ended(name, work + kept, kept=kept))
        case "cut":
            cause = draw(st.sampled_from(CAUSES))
            told.append(cut(name, work + kept + lost + stopping, cause, kept=kept, lost=lost))
    return told


@st.composite
def runs(draw: st.DrawFn) -> list[list[Event]]:
    """The lives of the pods of one run."""
    return [draw(lives(f"d/{number}")) for number in range(draw(st.integers(1, 8)))]


def told(stories: list[list[Event]]) -> Ledger:
    """The ledger of lives, on a node that has a place for all of them; pods of one instant as they come."""
    events = sorted((event for story in stories for event in story), key=lambda event: event.at_ns)
    machine = node(chips=CHIPS_OF_A_POD * len(stories))
    end = max(event.at_ns for event in events) // SECOND + 1
    return read_ledger([started(), machine, *events, run_ended(end)])


def value(ledger: Ledger, name: str) -> float:
    found = measure(ledger)[name].value
    assert found is not None, name
    return found


@given(runs())
def test_what_was_held_is_what_counts_and_what_was_lost_and_the_rest(stories: list[list[Event]]) -> None:
    ledger = told(stories)
    held = sum(pod.chips * pod.held_ns for pod in ledger.pods) / HOUR
    lost, overhead = value(ledger, "chip_hours_lost"), value(ledger, "chip_hours_overhead")
    useful = held * value(ledger, "goodput") if held else 0.0
    assert useful + lost + overhead == pytest.approx(held)
    parts = value(ledger, "chip_hours_lost_to_preemption") + value(ledger, "chip_hours_lost_to_failures")
    assert parts == pytest.approx(lost)


@given(runs())
def test_shares_are_between_nothing_and_all(stories: list[list[Event]]) -> None:
    metrics = measure(told(stories))
    for name in SHARES:
        share = metrics[name].value
        assert share is None or 0 <= share <= 1 + 1e-12, name


@given(runs(), st.data())
def test_pods_of_one_instant_may_be_told_in_any_order(
    stories: list[list[Event]], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(stories))
    before, after = measure(told(stories)), measure(told(shuffled))
    for name, metric in before.items():
        assert after[name].value == pytest.approx(metric.value), name
