"""Rules of events, in the form in which they are stored (``pkg/apis/core/validation/events.go``)."""

from typing import Final

from fakeapi.machinery.status import Cause, invalid_value, required_value
from fakeapi.registry.causes import JsonObject, immutable, label_key
from fakeapi.registry.equality import alike

_LIMITS: Final = (("action", "action", 128), ("reason", "reason", 128))
_NOTE_LIMIT: Final = 1024
"""Characters of an event's text."""
_FIXED: Final = (
    ("regarding", "involvedObject"),
    ("reason", "reason"),
    ("note", "message"),
    ("type", "type"),
    ("action", "action"),
    ("related", "related"),
    ("reportingController", "reportingController"),
    ("reportingInstance", "reportingInstance"),
)
"""Fields of an event as it is stored, and the names that messages call them."""


def core_event_causes(event: JsonObject) -> list[Cause]:
    """Broken rules of an event of the core group, in its stored form."""
    return _event(event, "reportingComponent")


def event_causes(event: JsonObject) -> list[Cause]:
    """Broken rules of an event of ``events.k8s.io``, which is stricter."""
    causes = _event(event, "reportingController") + _series(event.get("series"))
    if not event.get("eventTime"):
        causes.append(required_value("eventTime"))
    if (kind := event.get("type", "")) not in ("Normal", "Warning"):
        causes.append(invalid_value("type", "", f"has invalid value: {kind}"))
    stored = (
        ("deprecatedFirstTimestamp", "firstTimestamp"),
        ("deprecatedLastTimestamp", "lastTimestamp"),
        ("deprecatedCount", "count"),
        ("deprecatedSource", "source"),
    )
    return causes + [
        invalid_value(shown, "", "needs to be unset") for name, shown in stored if event.get(name)
    ]


def _event(event: JsonObject, controller_field: str) -> list[Cause]:
    own = event["metadata"].get("namespace", "")
    about = (event.get("regarding") or {}).get("namespace", "")
    homes = ("default", "kube-system") if event.get("eventTime") else ("default",)
    causes = []
    if (about and about != own and not event.get("eventTime")) or (not about and own not in homes):
        why = "does not match event.namespace"
        causes.append(invalid_value("involvedObject.namespace", about, why))
    return causes + (_new_event(event, controller_field) if event.get("eventTime") else [])


def _new_event(event: JsonObject, controller_field: str) -> list[Cause]:
    controller, causes = event.get("reportingController", ""), []
    if not controller:
        causes.append(required_value(controller_field))
    causes += label_key(controller, controller_field)
    if not event.get("reportingInstance"):
        causes.append(required_value("reportingInstance"))
    for name, shown, limit in _LIMITS:
        if not event.get(name):
            causes.append(required_value(shown))
        elif len(event[name]) > limit:
            causes.append(invalid_value(shown, "", f"can have at most {limit} characters"))
    if len(event.get("note") or "") > _NOTE_LIMIT:
        causes.append(invalid_value("message", "", f"can have at most {_NOTE_LIMIT} characters"))
    return causes


def event_update(new: JsonObject, old: JsonObject) -> list[Cause]:
    """What may not change in an event of ``events.k8s.io``: all but its series."""
    causes = _event(new, "reportingController")
    if not alike(new.get("series"), old.get("series")):
        causes += _series(new.get("series"))
    for name, shown in _FIXED:
        after = new.get(name)
        causes += immutable(shown, after, changed=not alike(after, old.get(name)))
    return causes


_LEAST_SERIES: Final = 2


def _series(series: JsonObject | None) -> list[Cause]:
    if series is None:
        return []
    causes = []
    if (series.get("count") or 0) < _LEAST_SERIES:
        causes.append(invalid_value("series.count", "", f"should be at least {_LEAST_SERIES}"))
    if not series.get("lastObservedTime"):
        causes.append(required_value("series.lastObservedTime"))
    return causes
