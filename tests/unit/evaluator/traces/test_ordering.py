"""Events come in order of time; those of one instant in the order of the file."""

from collections.abc import Iterator
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from evaluator.errors import TraceError
from evaluator.traces.account import ImportReport, RowAccount
from evaluator.traces.ordering import SORTED, in_order


def ordered(instants: list[int]) -> tuple[list[tuple[int, int]], ImportReport]:
    def stream(report: ImportReport) -> Iterator[tuple[int, int]]:
        for place, instant in enumerate(instants):
            report.section("jobs").settle(RowAccount())
            yield instant, place

    report = ImportReport()
    return list(in_order(stream, lambda item: item[0], "jobs")(report)), report


@given(st.lists(st.integers(0, 5), max_size=20))
def test_the_order_is_that_of_a_stable_sort(instants: list[int]) -> None:
    items, report = ordered(instants)
    assert items == sorted((instant, place) for place, instant in enumerate(instants))
    steps = sum(later < earlier for earlier, later in pairwise(instants))
    assert report.section("jobs").changed[SORTED] == steps
    assert report.section("jobs").rows == len(instants)


def test_what_is_in_order_is_not_held() -> None:
    taken = 0

    def stream(_report: ImportReport) -> Iterator[int]:
        nonlocal taken
        for instant in range(100):
            taken += 1
            yield instant

    items = in_order(stream, lambda instant: instant, "jobs")(ImportReport())
    assert next(items) == 0
    assert taken == 100 + 1  # once to see that it is in order, and the first


def test_a_row_that_cannot_be_read_is_told_by_the_pass_that_counts() -> None:
    def stream(_report: ImportReport) -> Iterator[int]:
        yield 1
        raise TraceError("broken")

    items = in_order(stream, lambda instant: instant, "jobs")(ImportReport())
    assert next(items) == 1
