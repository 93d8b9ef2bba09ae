"""Slack: how long a workload can still wait and yet meet its deadline.

``slack = deadline − now − remaining run time`` (least slack time, also called least laxity). A workload whose
slack has gone below zero misses its deadline even if it starts at once: it is hopeless.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import NamedTuple

from scheduler.model import Notice, Timing
from scheduler.timetext import TimeTextError, format_span, parse_instant, parse_span

DEFAULT_PREFIX = "lst.scheduler/"

MALFORMED_ANNOTATION = "MalformedAnnotation"
UNKNOWN_DURATION = "UnknownDuration"

_CACHE_SIZE = 4096
"""Distinct texts of deadlines remembered: each change of a pod brings its own again."""


def latest_start(timing: Timing) -> int | None:
    """The last instant to start at and still meet the deadline; None without a deadline.

    Where nothing tells how much is left to run, it counts as if nothing were.
    """
    return None if timing.deadline is None else timing.deadline - (timing.remaining or 0)


def slack(timing: Timing, now: int) -> int | None:
    """Nanoseconds of slack at ``now``, negative when it is too late; None without a deadline."""
    start = latest_start(timing)
    return None if start is None else start - now


def hopeless_after(timing: Timing) -> int | None:
    """The last instant at which a stated deadline can be met; None for what cannot become hopeless."""
    return latest_start(timing) if timing.stated else None


def hopeless(timing: Timing, now: int) -> bool:
    """Whether a stated deadline will be missed even by a start at ``now``."""
    last = hopeless_after(timing)
    return last is not None and last < now


@dataclass(frozen=True, slots=True)
class DefaultClass:
    """What holds for workloads that do not say it themselves.

    Attributes:
        deadline_after: a deadline so long after their creation, None for none.
        duration: the expected run time of those that state none, None for unknown.
    """

    deadline_after: int | None = None
    duration: int | None = None

    def timing(self, created: int, remaining: int | None = None) -> Timing:
        """The timing of a workload of this class."""
        if remaining is None:
            remaining = self.duration
        if self.deadline_after is None:
            return Timing(remaining=remaining)
        return Timing(created + self.deadline_after, remaining)


@dataclass(frozen=True, slots=True)
class AnnotationKeys:
    """The names of the annotations that carry a pod's timing and what is known of its work.

    ``decision`` is the one that the scheduler itself writes: why the pod was bound as it was.
    """

    deadline: str
    expected_duration: str
    checkpoint_interval: str = f"{DEFAULT_PREFIX}checkpoint-interval"
    restart_cost: str = f"{DEFAULT_PREFIX}restart-cost"
    progress: str = f"{DEFAULT_PREFIX}progress"
    gang: str = f"{DEFAULT_PREFIX}gang"
    gang_topology: str = f"{DEFAULT_PREFIX}gang-topology"
    decision: str = f"{DEFAULT_PREFIX}decision"

    @classmethod
    def under(cls, prefix: str) -> "AnnotationKeys":
        """The keys under a prefix such as ``lst.scheduler/``."""
        return cls(**{each.name: f"{prefix}{each.name.replace('_', '-')}" for each in fields(cls)})


class Work(NamedTuple):
    """What a pod's annotations say of its work, and what its author should be told about them.

    ``checkpoint_interval`` is None where nothing is saved before the end, ``progress`` None where nothing was
    said of earlier progress.
    """

    timing: Timing
    checkpoint_interval: int | None
    restart_cost: int
    progress: int | None
    notices: tuple[Notice, ...]


def read_work(
    annotations: Mapping[str, str], created: int, keys: AnnotationKeys, default: DefaultClass
) -> Work:
    """All that a pod's annotations state. What is malformed is told and counts as not stated."""
    timing, notices = read_timing(annotations, created, keys, default)
    interval, bad_interval = _value(annotations, keys.checkpoint_interval, parse_span, _LEFT_OUT)
    cost, bad_cost = _value(annotations, keys.restart_cost, parse_span, _LEFT_OUT)
    progress, bad_progress = _value(annotations, keys.progress, parse_span, _LEFT_OUT)
    malformed = [notice for notice in (bad_interval, bad_cost, bad_progress) if notice is not None]
    return Work(timing, interval or None, cost or 0, progress, (*notices, *malformed))


def read_timing(
    annotations: Mapping[str, str], created: int, keys: AnnotationKeys, default: DefaultClass
) -> tuple[Timing, tuple[Notice, ...]]:
    """The timing that a pod's annotations state, and what its author should be told about them.

    A malformed value is never guessed at: the pod counts in the default class, and the notice names field and
    value. Without an expected duration the default class's counts; without that one too, a deadline counts as
    if nothing were left to run until the run times of the same owner's pods are learned. That is said too.
    """
    deadline, bad_deadline = _value(annotations, keys.deadline, lambda text: parse_deadline(text, created))
    duration, bad_duration = _value(annotations, keys.expected_duration, parse_span)
    malformed = tuple(notice for notice in (bad_deadline, bad_duration) if notice is not None)
    if malformed:
        return default.timing(created), malformed
    if deadline is None:
        return default.timing(created, duration), ()
    told = () if duration is not None else (_no_duration(keys, default),)
    return Timing(deadline, default.duration if duration is None else duration, stated=True), told


def parse_deadline(text: str, created: int) -> int:
    """A deadline: an RFC 3339 instant, or a span since the pod's creation.

    Raises:
        TimeTextError: the text is neither.
    """
    since_creation, amount = _deadline(text)
    return created + amount if since_creation else amount


@lru_cache(_CACHE_SIZE)
def _deadline(text: str) -> tuple[bool, int]:
    """Whether the text is a span since creation, and the span or the instant."""
    for since_creation, parse in ((True, parse_span), (False, parse_instant)):
        try:
            return since_creation, parse(text)
        except TimeTextError:
            continue
    raise TimeTextError(
        f"{text!r} is neither an RFC 3339 instant such as 2026-01-05T08:00:00Z "
        "nor a span since creation such as 4h"
    )


_DEFAULTED = "the pod is scheduled in the default class"
_LEFT_OUT = "it is left out of account"


def _value(
    annotations: Mapping[str, str], key: str, parse: Callable[[str], int], consequence: str = _DEFAULTED
) -> tuple[int | None, Notice | None]:
    text = annotations.get(key)
    if text is None:
        return None, None
    try:
        return parse(text), None
    except TimeTextError as error:
        return None, Notice(MALFORMED_ANNOTATION, f"annotation {key}: {error}; {consequence}")


def _no_duration(keys: AnnotationKeys, default: DefaultClass) -> Notice:
    missing = f"annotation {keys.expected_duration} is missing beside {keys.deadline}"
    if default.duration is not None:
        return Notice(UNKNOWN_DURATION, f"{missing}: the default of {format_span(default.duration)} counts")
    return Notice(UNKNOWN_DURATION, f"{missing}: slack is counted as if nothing were left to run")
