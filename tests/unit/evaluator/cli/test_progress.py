"""The line that lives while a run goes on."""

import io

from rich.console import Console

from evaluator.cli.progress import describe, progress_line
from evaluator.trial import Progress
from fakeapi.kernel.time import DAY, HOUR, MINUTE

POSITION = Progress(
    virtual=2 * DAY + 3 * HOUR + 4 * MINUTE,
    until=4 * DAY,
    submitted=50,
    finished=30,
    failed=1,
    running=9,
    pending=10,
    total=80,
)


def test_a_position_tells_how_far_how_fast_how_many() -> None:
    assert describe(POSITION, 12_345.6) == "2d 03:04 ×12,346  done 31/80  running 9  pending 10"


def test_nothing_is_shown_where_nobody_looks() -> None:
    seen = io.StringIO()
    with progress_line(Console(file=seen), "title", quiet=False) as report:
        assert report is None
    assert seen.getvalue() == ""


def test_quiet_is_quiet_on_a_terminal_too() -> None:
    seen = io.StringIO()
    with progress_line(Console(file=seen, force_terminal=True), "title", quiet=True) as report:
        assert report is None
    assert seen.getvalue() == ""


def test_a_terminal_is_told() -> None:
    seen = io.StringIO()
    with progress_line(
        Console(file=seen, force_terminal=True, width=100), "story · lst", quiet=False
    ) as report:
        assert report is not None
        report(POSITION)
    assert "story · lst" in seen.getvalue()
    assert "pending 10" in seen.getvalue()
