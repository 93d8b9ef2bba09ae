"""Free chips of no use, computed by hand."""

import pytest

from evaluator.metrics import measure
from evaluator.metrics.ledger import Ledger
from evaluator.timeline import Event, NodeChanged
from fakeapi.kernel.time import SECOND
from tests.support.stories import bound, ended, ledger, node, ran, submitted


def shares(story: Ledger) -> tuple[float | None, float | None]:
    metrics = measure(story)
    return metrics["stranded_chips"].value, metrics["fragmentation"].value


def on(where: str, pod: str, since: int, until: int, chips: int) -> list[Event]:
    return [submitted(pod, since, chips=chips), bound(pod, since, where), ended(pod, until, node=where)]


def test_chips_are_stranded_where_nobody_fits_who_waits() -> None:
    story = ledger(
        node("m", chips=4),
        node("n", chips=4),
        on("m", "d/a", 0, 100, 3),
        on("n", "d/b", 0, 100, 2),
        # From 20 to 100 one waits for 2 chips: it would fit on n. From 50 to 100 one waits for 4 alone.
        submitted("d/c", 50, chips=4),
        bound("d/c", 100, "m"),
        ended("d/c", 101, node="m"),
    )
    # Nobody waits before 50 s; then 1 chip of m and 2 of n are of no use until 100 s: 3 × 50 of 8 × 101.
    stranded, fragmentation = shares(story)
    assert stranded == pytest.approx(3 * 50 / (8 * 101))
    # The mix is 3, 2 and 4 chips. For 100 s: m's one chip is of no use to 3 of 3, n's two to 2 of 3. For 1 s:
    # n's four are of use to all.
    assert fragmentation == pytest.approx((1 * 1 + 2 * 2 / 3) * 100 / (8 * 101))


def test_one_that_fits_somewhere_strands_smaller_rooms_alone() -> None:
    story = ledger(
        node("m", chips=4),
        node("n", chips=4),
        on("m", "d/a", 0, 100, 3),
        on("n", "d/b", 0, 100, 2),
        submitted("d/c", 0, chips=2),
        bound("d/c", 100, "n"),
        ended("d/c", 100, node="n"),
    )
    assert shares(story)[0] == pytest.approx(1 * 100 / (8 * 100))


def test_failed_chips_are_neither_free_nor_of_use() -> None:
    failed = NodeChanged(
        at_ns=0, node="n", chips=3, cpu_milli=1, memory_bytes=1, ready=True, schedulable=True
    )
    story = ledger(node("n", chips=8), failed, submitted("d/a", 0, chips=4), end=10)
    assert shares(story) == (1.0, 1.0)
    down = NodeChanged(at_ns=0, node="n", chips=3, cpu_milli=1, memory_bytes=1, ready=False, schedulable=True)
    assert shares(ledger(node("n"), down, submitted("d/a", 0, chips=4), end=10 * SECOND)) == (None, None)


def test_without_requests_there_is_nothing_to_measure() -> None:
    assert shares(ledger(end=10)) == (None, None)
    assert shares(ledger(ran("d/a", 0, start=0, end=5, chips=8))) == (0, 0)
