"""Cells of tables: small functions from an object and an instant to what kubectl prints.

Wordings and rounding follow ``pkg/printers/internalversion`` of ``k8s.io/kubernetes``.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, TypeAlias

from fakeapi.kernel.time import DAY, HOUR, MINUTE, SECOND, Duration, Instant, parse_instant
from fakeapi.machinery.selectors import Selector, SelectorError, label_selector_of

Object: TypeAlias = dict[str, Any]
Value: TypeAlias = str | int | bool | None
Cell: TypeAlias = Callable[[Object, Instant], Value]

NONE: Final = "<none>"
UNKNOWN: Final = "<unknown>"
UNSET: Final = "<unset>"

_YEAR: Final[Duration] = 365 * DAY
_TIMES: Final = 4096
_MANY: Final = 3
"""Entries of a list that are shown before the rest is only counted."""


def at(obj: object, path: str) -> Any:
    """The value at a dotted path, or None where a step is missing."""
    value: Any = obj
    for step in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(step)
    return value


def field(path: str, missing: Value = "") -> Cell:
    """The value at a path; ``missing`` where there is none, or an empty text."""

    def cell(obj: Object, _: Instant) -> Value:
        value: Value = at(obj, path)
        return missing if value is None or value == "" else value

    return cell


def number(path: str) -> Cell:
    """The number at a path, 0 where there is none."""
    return field(path, 0)


def truth(path: str) -> Cell:
    """The truth value at a path, false where there is none."""
    return field(path, False)


def count(*paths: str) -> Cell:
    """How many entries the lists or maps at the paths have together."""
    return lambda obj, _: sum(len(at(obj, path) or ()) for path in paths)


def ratio(part: str, whole: str) -> Cell:
    """``part/whole``, as of ready and wanted replicas."""
    return lambda obj, _: f"{at(obj, part) or 0}/{at(obj, whole) or 0}"


def name(obj: Object, _: Instant) -> str:
    """The object's name."""
    return str(obj["metadata"].get("name") or "")


# ---- time -------------------------------------------------------------------------------------


@lru_cache(_TIMES)
def instant_of(text: str) -> Instant | None:
    """The instant of a timestamp, or None for a text that is none."""
    try:
        return parse_instant(text)
    except ValueError:
        return None


def since(timestamp: str | None, now: Instant) -> str:
    """How long ago a timestamp was, for people."""
    instant = instant_of(timestamp) if timestamp else None
    return UNKNOWN if instant is None else human_duration(now - instant)


def age(obj: Object, now: Instant) -> str:
    """How long ago the object was created."""
    return since(obj["metadata"].get("creationTimestamp"), now)


def ago(path: str, missing: str) -> Cell:
    """How long ago the timestamp at a path was."""

    def cell(obj: Object, now: Instant) -> str:
        timestamp = at(obj, path)
        return since(timestamp, now) if timestamp else missing

    return cell


def human_duration(duration: Duration) -> str:
    """A duration in two or three significant figures: ``45s``, ``5m30s``, ``3h7m``, ``2d4h``, ``3y``."""
    seconds = abs(duration) // SECOND * (1 if duration >= 0 else -1)
    if seconds < -1:
        return "<invalid>"
    if duration < 2 * MINUTE:
        return f"{max(seconds, 0)}s"
    if duration < 10 * MINUTE:
        return _two_units(duration, MINUTE, "m", SECOND, "s")
    if duration < 3 * HOUR:
        return f"{duration // MINUTE}m"
    if duration < 8 * HOUR:
        return _two_units(duration, HOUR, "h", MINUTE, "m")
    if duration < 2 * DAY:
        return f"{duration // HOUR}h"
    if duration < 8 * DAY:
        return _two_units(duration, DAY, "d", HOUR, "h")
    if duration < 2 * _YEAR:
        return f"{duration // DAY}d"
    if duration < 8 * _YEAR:
        return _two_units(duration, _YEAR, "y", DAY, "d")
    return f"{duration // _YEAR}y"


def _two_units(duration: Duration, unit: Duration, letter: str, part: Duration, part_letter: str) -> str:
    whole, rest = divmod(duration, unit)
    parts = rest // part
    return f"{whole}{letter}{parts}{part_letter}" if parts else f"{whole}{letter}"


# ---- labels and containers --------------------------------------------------------------------


def labels_text(labels: Mapping[str, str] | None) -> str:
    """``key=value`` pairs in order."""
    return ",".join(f"{key}={value}" for key, value in sorted((labels or {}).items())) or NONE


def label_map(path: str) -> Cell:
    """The labels at a path."""
    return lambda obj, _: labels_text(at(obj, path))


def selector(path: str) -> Cell:
    """The LabelSelector at a path."""

    def cell(obj: Object, _: Instant) -> str:
        found = _selector_at(obj, path)
        return "<error>" if found is None else str(found) or NONE

    return cell


def bare_selector(path: str) -> Cell:
    """The LabelSelector at a path, in the variant of deployments: an empty one is an empty text."""

    def cell(obj: Object, _: Instant) -> str:
        found = _selector_at(obj, path)
        return "<invalid>" if found is None else str(found)

    return cell


def _selector_at(obj: Object, path: str) -> Selector | None:
    try:
        return label_selector_of(at(obj, path))
    except SelectorError:
        return None


def container_fields(path: str, wanted: str) -> Cell:
    """One field of all containers of the pod spec at a path."""
    return lambda obj, _: ",".join(str(one.get(wanted, "")) for one in at(obj, f"{path}.containers") or ())


def joined(values: Iterable[str]) -> str:
    """The first few of a list of texts and the number of those that are left out."""
    texts = list(values)
    shown = ",".join(texts[:_MANY])
    return f"{shown} + {len(texts) - _MANY} more..." if len(texts) > _MANY else shown


def condition(obj: Object, wanted: str) -> Object | None:
    """The last condition of a type in an object's status."""
    found = [one for one in at(obj, "status.conditions") or () if one.get("type") == wanted]
    return found[-1] if found else None
