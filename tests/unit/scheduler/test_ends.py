"""When pods free their room by themselves."""

import pytest

from scheduler.ends import Ends, expected_end
from scheduler.model import Task, Timing
from scheduler.timetext import HOUR, MINUTE
from tests.unit.scheduler.builders import START
from tests.unit.scheduler.table import job

NOW = START + 2 * HOUR


@pytest.mark.parametrize(
    ("pod", "end"),
    [
        (job("a", 1, hours=3, runs_on="n"), START + 3 * HOUR),
        (job("a", 1, hours=3), NOW + 3 * HOUR),  # about to start
        (job("a", 1, hours=1.5, runs_on="n"), NOW + 30 * MINUTE),  # overdue by half an hour
        (job("a", 1, hours=9, runs_on="n", deleting=NOW + MINUTE), NOW + MINUTE),
        (job("a", 1, hours=9, runs_on="n", deleting=NOW - MINUTE), NOW),
    ],
)
def test_expected_ends(pod: Task, end: int) -> None:
    assert expected_end(pod, NOW) == end


def names(ends: Ends, by: int) -> list[str]:
    return sorted(task.ref.name for _, task in ends.until(by, NOW))


def test_those_that_end_by_an_instant() -> None:
    ends = Ends()
    for pod in (
        job("soon", 1, hours=2.1, runs_on="n"),
        job("later", 1, hours=3, runs_on="n"),
        job("overdue", 1, hours=1.95, runs_on="n"),
        job("long-overdue", 1, hours=1, runs_on="n"),
        job("deleted", 1, hours=9, runs_on="n", deleting=NOW + MINUTE),
    ):
        ends.put(pod.ref.uid, "n", pod, NOW)
        ends.validate()
    assert names(ends, NOW) == []
    assert names(ends, NOW + 10 * MINUTE) == ["deleted", "overdue", "soon"]
    assert names(ends, NOW + HOUR) == ["deleted", "later", "long-overdue", "overdue", "soon"]
    assert [task.ref.name for _, task in ends.ending()] == ["deleted"]
    ends.drop("uid-soon")
    ends.drop("uid-unknown")
    ends.put("uid-later", "n", job("later", 1, hours=2.05, runs_on="n"), NOW)
    ends.validate()
    assert names(ends, NOW + 10 * MINUTE) == ["deleted", "later", "overdue"]


def test_expected_ends_come_in_their_order() -> None:
    ends = Ends()
    for pod in (
        job("later", 1, hours=3, runs_on="n"),
        job("soon", 1, hours=2.1, runs_on="n"),
        job("overdue", 1, hours=1.5, runs_on="n"),
        job("deleted", 1, hours=9, runs_on="n", deleting=NOW - MINUTE),
        job("unknown", 1, runs_on="n", timing=Timing()),
    ):
        ends.put(pod.ref.uid, "n", pod, NOW)
    ends.put("uid-gone", "n", job("gone", 1, runs_on="n", deleting=START), NOW)

    def coming(by: int) -> list[tuple[int, str]]:
        return [(at, task.ref.name) for at, task in ends.coming(by, NOW)]

    assert coming(NOW + 29 * MINUTE) == [(NOW, "deleted"), (NOW, "gone"), (NOW + 6 * MINUTE, "soon")]
    assert coming(NOW + HOUR) == [
        (NOW, "deleted"),
        (NOW, "gone"),
        (NOW + 6 * MINUTE, "soon"),
        (NOW + 30 * MINUTE, "overdue"),
        (NOW + HOUR, "later"),
    ]
