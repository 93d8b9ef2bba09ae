"""Every row is kept or dropped, and what was done to it is told."""

import pytest

from evaluator.traces.account import MAX_EXAMPLES, ImportReport, RowAccount


def test_a_row_is_counted_once_it_is_through() -> None:
    report = ImportReport()
    section = report.section("jobs")
    kept, dropped = RowAccount(), RowAccount()
    kept.change("rounded")
    kept.invent("an id")
    kept.note("odd")
    dropped.change("rounded")
    dropped.drop("ran for no time")
    section.settle(kept)
    section.settle(dropped)
    report.check()
    assert dict(report.lines()) == {
        "jobs: rows read": 2,
        "jobs: rows kept": 1,
        "jobs dropped: ran for no time": 1,
        "jobs changed: rounded": 1,
        "jobs invented: an id": 1,
        "jobs noted: odd": 1,
    }


def test_a_row_that_is_withdrawn_is_no_longer_kept() -> None:
    report = ImportReport()
    section = report.section("jobs")
    for _ in range(3):
        section.settle(RowAccount())
    section.withdraw("outside the window", 2)
    report.check()
    assert (section.kept, section.dropped["outside the window"]) == (1, 2)


def test_a_row_that_is_lost_is_found() -> None:
    report = ImportReport()
    report.section("jobs").rows = 1
    with pytest.raises(AssertionError, match="0 kept or dropped of 1"):
        report.check()


def test_remarks_are_said_once_and_examples_are_bounded() -> None:
    report = ImportReport()
    report.remark("said")
    report.remark("said")
    for number in range(MAX_EXAMPLES + 3):
        report.example(f"row {number}")
    assert report.remarks == ["said", *(f"unreadable: row {number}" for number in range(MAX_EXAMPLES))]


def test_kinds_without_a_row_are_not_told() -> None:
    report = ImportReport()
    report.section("outages")
    assert list(report.lines()) == []
    assert report.document() == {"rows": {}, "remarks": []}
