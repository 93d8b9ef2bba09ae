"""Events in order of time, from files that are not.

A stream that is in order stays a stream. One that is not is sorted in memory: stably, so that rows of one
instant keep the order of the file. Memory is then one record per row that is kept (some 500 bytes), bounded
by
:data:`~evaluator.traces.table.MAX_ROWS`.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Final, TypeVar

from evaluator.errors import TraceError
from evaluator.traces.account import ImportReport

SORTED: Final = "comes after a later one in the file; sorted by time"

Timed = TypeVar("Timed")


def in_order(
    stream: Callable[[ImportReport], Iterator[Timed]], instant: Callable[[Timed], int], noun: str
) -> Callable[[ImportReport], Iterator[Timed]]:
    """The stream in order of time; steps back in the file are counted in the report."""

    def ordered(report: ImportReport) -> Iterator[Timed]:
        if _is_ordered(stream, instant):
            yield from stream(report)
            return
        items = list(stream(report))
        steps = sum(instant(later) < instant(item) for item, later in pairwise(items))
        report.section(noun).changed[SORTED] += steps
        yield from sorted(items, key=instant)

    return ordered


def _is_ordered(stream: Callable[[ImportReport], Iterator[Timed]], instant: Callable[[Timed], int]) -> bool:
    """Whether no item comes after a later one; looks no further than to the first that does."""
    last: int | None = None
    try:
        for item in stream(ImportReport()):
            if last is not None and instant(item) < last:
                return False
            last = instant(item)
    except TraceError:
        return True  # the pass that counts meets the same row, and tells
    return True
