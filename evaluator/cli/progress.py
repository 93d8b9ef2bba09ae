"""A line that lives while a run goes on: virtual time, speed, jobs done and pending."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

from evaluator.trial import Progress as Position
from fakeapi.kernel.clock import monotonic_ns
from fakeapi.kernel.time import DAY, HOUR, SECOND

_REFRESHES: Final = 8
"""Times a second that the line is drawn; a trial reports some four times a second."""


@contextmanager
def progress_line(
    console: Console, title: str, *, quiet: bool
) -> Iterator[Callable[[Position], None] | None]:
    """Show a run's progress while inside; nothing when ``quiet`` or where nobody looks (no terminal)."""
    if quiet or not console.is_terminal:
        yield None
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[told]}"),
    )
    with Progress(*columns, console=console, transient=True, refresh_per_second=_REFRESHES) as line:
        task = line.add_task(title, total=1.0, told="starting")
        began = monotonic_ns()

        def report(position: Position) -> None:
            real = max(monotonic_ns() - began, 1)
            total = position.until or 1
            line.update(
                task,
                completed=min(1.0, position.virtual / total),
                told=describe(position, position.virtual / real),
            )

        yield report


def describe(position: Position, speed: float) -> str:
    """A position in words: how far, how fast, how many."""
    return (
        f"{_clock(position.virtual)} ×{speed:,.0f}  "
        f"done {position.finished + position.failed}/{position.total}  "
        f"running {position.running}  pending {position.pending}"
    )


def _clock(virtual: int) -> str:
    days, rest = divmod(virtual, DAY)
    hours, rest = divmod(rest, HOUR)
    minutes = rest // (60 * SECOND)
    return f"{days}d {hours:02}:{minutes:02}"
