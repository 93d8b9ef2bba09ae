"""How a pod will live, written on the pod: the annotations that only the simulated world reads.

No scheduler knows them, as no scheduler knows how long a real job will take.

- ``fakeapi.world/run-time``: how long its containers run; without it they run for ever.
- ``fakeapi.world/start-delay``: from binding to running (image pull, volumes).
- ``fakeapi.world/stop-time``: how long the containers need to stop once they are asked to.
- ``fakeapi.world/exit-code``: what the containers exit with when their run time is over; 0 without it.

Durations are texts such as ``90s``, ``1.5h`` or ``1h30m``.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from fakeapi.kernel.time import DAY, Duration, format_duration, parse_duration
from fakeapi.machinery.status import Cause, invalid_value, unsupported_value

PREFIX: Final = "fakeapi.world/"
RUN_TIME: Final = PREFIX + "run-time"
START_DELAY: Final = PREFIX + "start-delay"
STOP_TIME: Final = PREFIX + "stop-time"
EXIT_CODE: Final = PREFIX + "exit-code"
KNOWN: Final = (RUN_TIME, START_DELAY, STOP_TIME, EXIT_CODE)

MAX_DURATION: Final[Duration] = 100 * 365 * DAY
"""A century: longer is a slip of the keyboard, and its end would leave the calendar (year 9999)."""
MAX_EXIT_CODE: Final = 255
"""What POSIX keeps of an exit status."""
_EXIT_CODE: Final = re.compile(r"[0-9]{1,3}")
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
    """From the start of the containers to their end; None: they run for ever."""
    start_delay: Duration | None = None
    stop_time: Duration | None = None
    exit_code: int = 0


def life_of(annotations: Mapping[str, str] | None) -> Life:
    """The life that a pod's annotations tell.

    Raises:
        BadAnnotation: one of them cannot be read.
    """
    if not annotations:
        return _EVERLASTING
    read = annotations.get
    return _parse(read(RUN_TIME), read(START_DELAY), read(STOP_TIME), read(EXIT_CODE))


_EVERLASTING: Final = Life()


@lru_cache(_CACHED_LIVES)
def _parse(
    run_time: str | None, start_delay: str | None, stop_time: str | None, exit_code: str | None
) -> Life:
    return Life(
        run_time=_duration(RUN_TIME, run_time, allow_zero=False),
        start_delay=_duration(START_DELAY, start_delay),
        stop_time=_duration(STOP_TIME, stop_time),
        exit_code=_exit_code(exit_code),
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


def check(pod: Mapping[str, Any]) -> list[Cause]:
    """Everything that is wrong with a pod's annotations of the world, for admission; empty when all is well.

    A name with the world's prefix that the world does not know is wrong too: a pod with
    a misspelt run time would silently run for ever.
    """
    annotations = pod["metadata"].get("annotations")
    if not annotations:
        return []
    found = {name: text for name, text in annotations.items() if name.startswith(PREFIX)}
    return [cause for name, text in found.items() if (cause := _wrong(name, text)) is not None]


def _wrong(name: str, text: str) -> Cause | None:
    if name not in KNOWN:
        return unsupported_value("metadata.annotations", name, KNOWN)
    try:
        life_of({name: text})
    except BadAnnotation as wrong:
        return invalid_value(f"metadata.annotations[{name}]", text, wrong.why)
    return None
