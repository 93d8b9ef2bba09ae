"""The log itself: events in order, as lines in a file and back."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, NoReturn

import orjson
from pydantic import Field, TypeAdapter, ValidationError

from evaluator.errors import FileFormatError, describe_problems
from evaluator.files import write_atomically
from evaluator.timeline.events import Event, RunEnded

_READER: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="kind")])


def to_line(event: Event) -> bytes:
    """The event as one canonical line of JSON, newline included."""
    return orjson.dumps(event, option=orjson.OPT_APPEND_NEWLINE)


class Timeline:
    """Events in order. Grows at the end only; what is in it never changes."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._events: list[Event] = []
        self._followers: list[Callable[[Event], None]] = []
        for event in events:
            self.append(event)

    def append(self, event: Event) -> None:
        """Add what happened next.

        :raises ValueError: if it lies before the last event or after the end of the run.
        """
        if self._events:
            last, what = self._events[-1], f"{event.kind} at {event.at_ns} ns"
            if event.at_ns < last.at_ns:
                raise ValueError(f"{what} comes after {last.kind} at {last.at_ns} ns")
            if isinstance(last, RunEnded):
                raise ValueError(f"{what} comes after the end of the run")
        self._events.append(event)
        for follower in self._followers:
            follower(event)

    def follow(self, follower: Callable[[Event], None]) -> None:
        """Tell somebody of each event from now on, when it has been added."""
        self._followers.append(follower)

    def __iter__(self) -> Iterator[Event]:
        return iter(self._events)

    def __len__(self) -> int:
        return len(self._events)

    def __getitem__(self, index: int) -> Event:
        return self._events[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Timeline) and self._events == other._events

    __hash__ = None  # type: ignore[assignment]  # grows, so it has no lasting hash

    @property
    def end_ns(self) -> int:
        """Instant of the last event; 0 for an empty timeline."""
        return self._events[-1].at_ns if self._events else 0

    def lines(self) -> Iterator[bytes]:
        """Canonical lines, ready to be written."""
        return map(to_line, self._events)

    def digest(self) -> str:
        """SHA-256 of the canonical lines: equal for equal runs."""
        sha = hashlib.sha256()
        for line in self.lines():
            sha.update(line)
        return sha.hexdigest()

    def write(self, path: Path) -> None:
        """Write all lines to ``path``: whole, or not at all."""
        write_atomically(path, self.lines())


def read_timeline(path: Path) -> Timeline:
    """The timeline in a file.

    :raises FileFormatError: with file and line, if the file cannot be read or breaks the schema.
    """
    timeline = Timeline()
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                _append_line(timeline, line, f"{path}:{number}")
    except OSError as error:
        raise FileFormatError(
            f"cannot read the timeline: {error.strerror}",
            where=str(path),
            next_step="Give the timeline.jsonl of a run's output folder.",
        ) from error
    if not len(timeline):
        raise FileFormatError("the timeline is empty", where=str(path), next_step="Run the scenario again.")
    return timeline


def _append_line(timeline: Timeline, line: bytes, where: str) -> None:
    try:
        timeline.append(_READER.validate_json(line))
    except ValidationError as error:
        raise FileFormatError(
            "; ".join(describe_problems(error)),
            where=where,
            next_step="Was the file cut short, edited, or written by a newer version?",
        ) from error
    except ValueError as error:
        raise FileFormatError(
            str(error), where=where, next_step="Events must stand in the order of time."
        ) from error


def refuse(event: Event, what: str) -> NoReturn:
    """Say that an event cannot follow those before it.

    :raises FileFormatError: always.
    """
    raise FileFormatError(
        what,
        where=f"timeline at {event.at_ns} ns",
        next_step="The timeline is incomplete or was edited; run the scenario again.",
    )
