"""Kinds that are another view of the same stored objects.

Events of the core group and of ``events.k8s.io`` are one collection in the real server,
as here; it is stored in the newer form. The two differ in names of fields only.
"""

from typing import Final

from fakeapi.machinery.resources import CORE_EVENTS, EVENTS, Resource
from fakeapi.registry.defaults import JsonObject
from fakeapi.storage.objects import Object

_NEW_NAMES: Final = {
    "involvedObject": "regarding",
    "message": "note",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
    "reportingComponent": "reportingController",
}
_OLD_NAMES: Final = {new: old for old, new in _NEW_NAMES.items()}


_ALWAYS_SHOWN: Final[JsonObject] = {"source": {}, "reportingComponent": "", "reportingInstance": ""}
"""Fields of the old form that Go always writes."""


def _renamed(obj: JsonObject, names: dict[str, str], resource: Resource) -> JsonObject:
    renamed = {names.get(field, field): value for field, value in obj.items()}
    return {**renamed, "kind": resource.kind, "apiVersion": resource.api_version}


def is_view(resource: Resource) -> bool:
    """Whether objects of this resource are stored in another resource's form."""
    return resource == CORE_EVENTS


def to_stored(resource: Resource, obj: JsonObject) -> JsonObject:
    """The object as it is stored."""
    return _renamed(obj, _NEW_NAMES, EVENTS) if is_view(resource) else obj


def shown(resource: Resource, obj: Object) -> JsonObject:
    """A stored object as this resource shows it."""
    return {**_ALWAYS_SHOWN, **_renamed(obj, _OLD_NAMES, CORE_EVENTS)} if is_view(resource) else obj
