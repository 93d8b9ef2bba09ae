"""Where on the line of usable chips hardware failed."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from evaluator.metrics.steps import Steps
from evaluator.timeline import Event, HardwareFailed
from evaluator.words import counted

MAX_MARKS: Final = 300
"""Marks of one line: more would hide it."""

MAX_NAMED: Final = 3
"""Failures that a mark of several names."""


@dataclass(frozen=True, slots=True)
class FailureMark:
    """One or several failures at about one instant."""

    at_ns: int
    usable: int
    """Usable chips after it."""
    text: str


def failure_marks(events: Iterable[Event], usable: Steps) -> list[FailureMark]:
    """A mark for each failure; where they are many, for all of one of ``MAX_MARKS`` parts of time."""
    failures = [event for event in events if isinstance(event, HardwareFailed)]
    if not failures:
        return []
    first, last = failures[0].at_ns, failures[-1].at_ns
    part = 1 if len(failures) <= MAX_MARKS else (last - first) // MAX_MARKS + 1
    parts: defaultdict[int, list[HardwareFailed]] = defaultdict(list)
    for event in failures:
        parts[(event.at_ns - first) // part].append(event)
    instants = [at_ns for at_ns, _ in usable]
    return [_mark(members, instants, usable) for members in parts.values()]


def _mark(members: list[HardwareFailed], instants: list[int], usable: Steps) -> FailureMark:
    at_ns = members[0].at_ns
    place = bisect_right(instants, at_ns) - 1
    value = usable[place][1] if place >= 0 else 0
    named = [_text(event) for event in members[:MAX_NAMED]]
    more = len(members) - len(named)
    return FailureMark(at_ns, value, "; ".join(named) + (f" and {more:,} more" if more else ""))


def _text(event: HardwareFailed) -> str:
    what = "the whole node" if event.what == "node" else counted(event.chips, "chip")
    return f"{event.node}: {what} failed" + (f" ({event.group})" if event.group else "")
