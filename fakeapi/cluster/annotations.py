"""How a pod will live, written on the pod: the annotations that only the simulated world reads.

No scheduler knows them, as no scheduler knows how long a real job will take.

Its life:

- ``fakeapi.world/run-time``: the whole useful work of its piece of work; without it it runs for ever.
- ``fakeapi.world/start-delay``: from binding to running on a node that lacks its image (pull, volumes).
- ``fakeapi.world/warm-start-delay``: the same where a pod with its images ran before; as above without it.
- ``fakeapi.world/stop-time``: how long the containers need to stop once they are asked to.
- ``fakeapi.world/exit-code``: what the containers exit with when their work is done; 0 without it.

Its work (:mod:`fakeapi.cluster.work`):

- ``fakeapi.world/checkpoint-interval``: work is saved each time that much further work is done; without it
  nothing is saved before the end.
- ``fakeapi.world/checkpoint-on-stop``: ``"true"``: a stop that ends within its grace period saves all work.
- ``fakeapi.world/restart-cost``: extra time at each start of the same work but the first.
- ``fakeapi.world/work``: which piece of work this is, within the namespace. Without it: the controller's uid
  with the completion index, or with the lowest free slot; a pod without controller is its own work.
- ``fakeapi.world/report-progress``: the annotation in which a new pod is told how much of its work is saved.

Its gang (:mod:`fakeapi.cluster.gangs`):

- ``fakeapi.world/gang``, ``fakeapi.world/gang-size``: pods of one namespace that name the same gang work only
  while that many of them run.

Durations are texts such as ``90s``, ``1.5h`` or ``1h30m``.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from fakeapi.kernel.time import DAY, Duration, format_duration, parse_duration
from fakeapi.machinery.status import Cause, invalid_value, unsupported_value
from fakeapi.machinery.validation import qualified_name

PREFIX: Final = "fakeapi.world/"
RUN_TIME: Final = PREFIX + "run-time"
START_DELAY: Final = PREFIX + "start-delay"
WARM_START_DELAY: Final = PREFIX + "warm-start-delay"
STOP_TIME: Final = PREFIX + "stop-time"
EXIT_CODE: Final = PREFIX + "exit-code"
CHECKPOINT_INTERVAL: Final = PREFIX + "checkpoint-interval"
CHECKPOINT_ON_STOP: Final = PREFIX + "checkpoint-on-stop"
RESTART_COST: Final = PREFIX + "restart-cost"
WORK: Final = PREFIX + "work"
REPORT_PROGRESS: Final = PREFIX + "report-progress"
GANG: Final = PREFIX + "gang"
GANG_SIZE: Final = PREFIX + "gang-size"
KNOWN: Final = (
    RUN_TIME,
    START_DELAY,
    WARM_START_DELAY,
    STOP_TIME,
    EXIT_CODE,
    CHECKPOINT_INTERVAL,
    CHECKPOINT_ON_STOP,
    RESTART_COST,
    WORK,
    REPORT_PROGRESS,
    GANG,
    GANG_SIZE,
)

MAX_DURATION: Final[Duration] = 100 * 365 * DAY
"""A century: longer is a slip of the keyboard, and its end would leave the calendar (year 9999)."""
MAX_EXIT_CODE: Final = 255
"""What POSIX keeps of an exit status."""
MAX_GANG: Final = 100_000
"""Members of a gang; as many as the largest cluster has pods for."""
_EXIT_CODE: Final = re.compile(r"[0-9]{1,3}")
_GANG_SIZE: Final = re.compile(r"[0-9]{1,6}")
_CACHED_LIVES: Final = 65_536
"""Distinct lives kept parsed: more than any trace replayed so far has pods."""


class BadAnnotation(ValueError):
    """An annotation of the world cannot be read; the message is the reason without the field."""

    def __init__(self, name: str, value: str, why: str) -> None:
        super().__init__(f"{name}={value!r}: {why}")
        self.name: Final = name
        self.value: Final = value
        self.why: Final = why


@dataclass(frozen=True, slots=True)
class Life:
    """What will become of a pod's containers; None where the pod leaves it to the world's defaults."""

    run_time: Duration | None = None
    """The whole of its work, once it works; None: it runs for ever."""
    start_delay: Duration | None = None
    stop_time: Duration | None = None
    exit_code: int = 0
    warm_start_delay: Duration | None = None
    checkpoint_interval: Duration | None = None
    checkpoint_on_stop: bool = False
    restart_cost: Duration = 0
    work: str | None = None
    report_progress: str | None = None
    gang: str | None = None
    gang_size: int = 1


def life_of(annotations: Mapping[str, str] | None) -> Life:
    """The life that a pod's annotations tell.

    Raises:
        BadAnnotation: one of them cannot be read.
    """
    if not annotations:
        return _EVERLASTING
    return _parse(*map(annotations.get, KNOWN))


_EVERLASTING: Final = Life()


@lru_cache(_CACHED_LIVES)
def _parse(*texts: str | None) -> Life:
    """The life of these texts, in the order of :data:`KNOWN`."""
    read = dict(zip(KNOWN, texts, strict=True))
    gang, size = read[GANG], _gang_size(read[GANG_SIZE])
    if size is not None and gang is None:
        raise BadAnnotation(GANG_SIZE, read[GANG_SIZE] or "", f"needs {GANG} beside it")
    if gang is not None and size is None:
        raise BadAnnotation(GANG, gang, f"needs {GANG_SIZE} beside it")
    return Life(
        run_time=_duration(RUN_TIME, read[RUN_TIME], allow_zero=False),
        start_delay=_duration(START_DELAY, read[START_DELAY]),
        warm_start_delay=_duration(WARM_START_DELAY, read[WARM_START_DELAY]),
        stop_time=_duration(STOP_TIME, read[STOP_TIME]),
        exit_code=_exit_code(read[EXIT_CODE]),
        checkpoint_interval=_duration(CHECKPOINT_INTERVAL, read[CHECKPOINT_INTERVAL], allow_zero=False),
        checkpoint_on_stop=_flag(CHECKPOINT_ON_STOP, read[CHECKPOINT_ON_STOP]),
        restart_cost=_duration(RESTART_COST, read[RESTART_COST]) or 0,
        work=_name(WORK, read[WORK]),
        report_progress=_key(read[REPORT_PROGRESS]),
        gang=_name(GANG, gang),
        gang_size=size or 1,
    )


def _duration(name: str, text: str | None, *, allow_zero: bool = True) -> Duration | None:
    if text is None:
        return None
    try:
        duration = parse_duration(text)
    except ValueError as wrong:
        raise BadAnnotation(name, text, str(wrong)) from wrong
    if duration < 0 or (duration == 0 and not allow_zero):
        raise BadAnnotation(name, text, "must be 0s or longer" if allow_zero else "must be longer than 0s")
    if duration > MAX_DURATION:
        raise BadAnnotation(name, text, f"must be at most {format_duration(MAX_DURATION)}")
    return duration


def _exit_code(text: str | None) -> int:
    if text is None:
        return 0
    if not _EXIT_CODE.fullmatch(text) or int(text) > MAX_EXIT_CODE:
        raise BadAnnotation(EXIT_CODE, text, f"must be a whole number from 0 to {MAX_EXIT_CODE}")
    return int(text)


def _gang_size(text: str | None) -> int | None:
    if text is None:
        return None
    if not _GANG_SIZE.fullmatch(text) or not 1 <= int(text) <= MAX_GANG:
        raise BadAnnotation(GANG_SIZE, text, f"must be a whole number from 1 to {MAX_GANG}")
    return int(text)


def _flag(name: str, text: str | None) -> bool:
    if text not in (None, "true", "false"):
        raise BadAnnotation(name, text, 'must be "true" or "false"')
    return text == "true"


def _name(name: str, text: str | None) -> str | None:
    if text is not None and not text.strip():
        raise BadAnnotation(name, text, "must name something, or be left out")
    return text


def _key(text: str | None) -> str | None:
    """The annotation that progress is reported in; never one of the world's own."""
    if text is None:
        return None
    if wrong := qualified_name(text.lower()):
        raise BadAnnotation(REPORT_PROGRESS, text, f"must be the key of an annotation: {wrong}")
    if text.startswith(PREFIX):
        raise BadAnnotation(REPORT_PROGRESS, text, f"must not begin with {PREFIX}")
    return text


def check(pod: Mapping[str, Any]) -> list[Cause]:
    """Everything that is wrong with a pod's annotations of the world, for admission; empty when all is well.

    A name with the world's prefix that the world does not know is wrong too: a pod with
    a misspelt run time would silently run for ever.
    """
    annotations = pod["metadata"].get("annotations")
    if not annotations:
        return []
    found = {name: text for name, text in annotations.items() if name.startswith(PREFIX)}
    causes = [cause for name, text in found.items() if (cause := _wrong(name, text)) is not None]
    return causes or _wrong_together(found)


def _wrong(name: str, text: str) -> Cause | None:
    if name not in KNOWN:
        return unsupported_value("metadata.annotations", name, KNOWN)
    # Each alone, so that every mistake is told at once; a gang and its size go together.
    beside = {GANG: {GANG_SIZE: "1"}, GANG_SIZE: {GANG: "any"}}.get(name, {})
    return _told({name: text, **beside})


def _wrong_together(found: Mapping[str, str]) -> list[Cause]:
    cause = _told(found)
    return [] if cause is None else [cause]


def _told(annotations: Mapping[str, str]) -> Cause | None:
    try:
        life_of(annotations)
    except BadAnnotation as wrong:
        return invalid_value(f"metadata.annotations[{wrong.name}]", wrong.value, wrong.why)
    return None
