"""Marks where hardware failed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.metrics.ledger import read_ledger
from evaluator.report import failures
from evaluator.report.failures import MAX_MARKS, failure_marks
from evaluator.timeline import Timeline
from tests.support.happenings import at, changed, end, failed, node, told


def marks(timeline: Timeline) -> list[tuple[int, int, str]]:
    found = failure_marks(timeline, read_ledger(timeline).usable_chips)
    return [(mark.at_ns, mark.usable, mark.text) for mark in found]


def test_a_failure_is_marked_at_what_is_left() -> None:
    timeline = told(node("a"), failed(5, "a", 2, "rack-1"), changed(5, "a", 6), end(9))
    assert marks(timeline) == [(at(5), 6, "a: 2 chips failed (rack-1)")]
    assert marks(told(node("a"), end(9))) == []


def test_many_failures_share_marks_and_are_all_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failures, "MAX_MARKS", 2)
    timeline = told(node("a"), *(failed(minute, "a") for minute in range(10)), end(10))
    texts = [text for _, _, text in marks(timeline)]
    assert len(texts) == 2
    assert texts[0] == "a: 1 chip failed; a: 1 chip failed; a: 1 chip failed and 2 more"


@given(st.lists(st.integers(0, 10_000), max_size=2 * MAX_MARKS))
def test_there_are_never_too_many_marks(minutes: list[int]) -> None:
    timeline = told(node("a"), *(failed(minute, "a") for minute in sorted(minutes)), end(10_000))
    found = marks(timeline)
    assert len(found) <= MAX_MARKS + 1 if len(minutes) > MAX_MARKS else len(found) == len(set(minutes))
