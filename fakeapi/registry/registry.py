"""Create, read, replace and delete objects by the rules of their kinds.

Everything that writes goes through here: clients by way of HTTP, scenarios by a call.
Objects given to :class:`Registry` become its own; objects it returns are frozen.
"""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from fakeapi.kernel.chance import Chance
from fakeapi.kernel.clock import Clock
from fakeapi.kernel.time import format_instant
from fakeapi.machinery.resources import NAMESPACES, NODES, PODS, Resource, ResourceTable
from fakeapi.machinery.status import (
    OBJECT_MODIFIED,
    Cause,
    bad_request,
    conflict,
    invalid,
    not_found,
    required_value,
)
from fakeapi.registry import views
from fakeapi.registry.admission import admit_pod, require_namespace
from fakeapi.registry.defaults import JsonObject, fill_defaults
from fakeapi.registry.options import NO_OPTIONS, WriteOptions
from fakeapi.registry.qos import qos_class
from fakeapi.registry.rules import creation_causes, update_causes
from fakeapi.storage.errors import KeyExists, KeyNotFound
from fakeapi.storage.objects import Key, Version
from fakeapi.storage.store import Store

Check: TypeAlias = Callable[[Resource, JsonObject], list[Cause]]
"""A rule from outside, run on every object that is created or replaced."""
Edit: TypeAlias = Callable[[JsonObject], JsonObject]
"""Makes the wanted object out of the current one, without changing it."""

_GENERATED_LENGTH: Final = 5
_GENERATED_BASE_LIMIT: Final = 63 - _GENERATED_LENGTH
"""Characters of ``generateName`` that are kept, so that a generated name is a DNS label."""
_GENERATE_TRIES: Final = 8


class Registry:
    """The rules of all kinds over one store."""

    def __init__(self, store: Store, clock: Clock, chance: Chance, table: ResourceTable) -> None:
        self.store: Final = store
        self.table: Final = table
        self._clock = clock
        self._chance = chance
        self._checks: list[Check] = []

    def add_check(self, check: Check) -> None:
        """Run ``check`` on every object before it is stored; its causes refuse the object."""
        self._checks.append(check)

    def now_text(self) -> str:
        """The current instant as ``metav1.Time`` writes it."""
        return format_instant(self._clock.now())

    def get(self, resource: Resource, namespace: str, name: str) -> Version:
        """The current version, as stored (see :mod:`~fakeapi.registry.views`).

        Raises:
            StatusError: 404 when there is none.
        """
        try:
            return self.store.get(resource.storage_key, (namespace, name))
        except KeyNotFound:
            raise not_found(resource, name) from None

    # ---- create -----------------------------------------------------------------------------

    def create(
        self, resource: Resource, namespace: str, obj: JsonObject, options: WriteOptions = NO_OPTIONS
    ) -> Version:
        """Store a new object.

        Raises:
            StatusError: the object, its name or its namespace is refused.
            KeyExists: the name is taken.
        """
        obj = views.to_stored(resource, obj)
        metadata = self._new_metadata(resource, namespace, obj)
        if resource.namespaced:
            require_namespace(self.store, resource, namespace, metadata.get("name", ""))
        fill_defaults(resource.group, resource.kind, obj)
        self._prepare_creation(resource, obj)
        self._refuse(resource, obj, creation_causes(resource, obj))
        key = (namespace, metadata["name"])
        if options.dry_run:
            return self._not_created(resource, key, obj)
        return self.store.create(resource.storage_key, key, obj)

    def _new_metadata(self, resource: Resource, namespace: str, obj: JsonObject) -> JsonObject:
        given: JsonObject = obj.get("metadata") or {}
        if given.get("resourceVersion"):
            raise bad_request("resourceVersion should not be set on objects to be created")
        dropped = ("managedFields", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds")
        metadata = {name: value for name, value in given.items() if name not in dropped and value is not None}
        metadata.pop("resourceVersion", None)
        obj["metadata"] = metadata
        obj["kind"], obj["apiVersion"] = resource.kind, resource.api_version
        if views.is_view(resource):
            obj.update(views.to_stored(resource, {}))
        if resource.namespaced:
            metadata["namespace"] = namespace
        if not metadata.get("name") and metadata.get("generateName"):
            metadata["name"] = self._generate_name(resource, namespace, metadata["generateName"])
        metadata["uid"] = self._chance.uid()
        metadata["creationTimestamp"] = self.now_text()
        if "spec" in obj:
            metadata["generation"] = 1
        return metadata

    def _generate_name(self, resource: Resource, namespace: str, base: str) -> str:
        for _ in range(_GENERATE_TRIES):
            name = base[:_GENERATED_BASE_LIMIT] + self._chance.suffix(_GENERATED_LENGTH)
            if self.store.find(resource.storage_key, (namespace, name)) is None:
                return name
        return name  # taken, as every one before: the store's refusal tells the client to try again

    def _prepare_creation(self, resource: Resource, obj: JsonObject) -> None:
        if resource == PODS:
            admit_pod(self.store, resource, obj)
            obj["status"] = {"phase": "Pending", "qosClass": qos_class(obj["spec"])}
            obj["metadata"]["generation"] = 1
            if obj["spec"].get("schedulingGates"):
                obj["status"]["conditions"] = [_gated(self.now_text())]
        elif "status" in resource.subresources and resource not in _STATUS_AT_CREATION:
            # A client's status is not taken at creation; what defaulting put there is.
            obj.pop("status", None)
            fill_defaults(resource.group, resource.kind, obj)

    def _not_created(self, resource: Resource, key: Key, obj: JsonObject) -> Version:
        if self.store.find(resource.storage_key, key) is not None:
            raise KeyExists(key)
        return Version(key, self.store.revision, obj, self.store.revision)

    # ---- update -----------------------------------------------------------------------------

    def modify(
        self,
        resource: Resource,
        namespace: str,
        name: str,
        edit: Edit,
        options: WriteOptions = NO_OPTIONS,
        subresource: str = "",
    ) -> Version:
        """Replace an object by what ``edit`` makes of it; nothing is written when nothing changed.

        With the sub-resource ``status`` only the status is taken from the result,
        without it everything but the status.

        Raises:
            StatusError: 404, 409 for a stale ``resourceVersion`` or ``uid``, 422 for broken rules.
        """
        current = self.get(resource, namespace, name)
        wanted = views.to_stored(resource, edit(views.shown(resource, current.object)))
        self._require_same(resource, current, wanted)
        merged = self._merge(resource, current.object, wanted, subresource)
        if subresource != "status":
            fill_defaults(resource.group, resource.kind, merged)
            self._refuse(resource, merged, update_causes(resource, merged, current.object))
        return self._store(resource, current, merged, options)

    @staticmethod
    def _require_same(resource: Resource, current: Version, wanted: JsonObject) -> None:
        metadata, found = wanted.get("metadata") or {}, current.object["metadata"]
        if (name := metadata.get("name")) and name != found["name"]:
            why = f"the name of the object ({name}) does not match the name on the URL ({found['name']})"
            raise bad_request(why)
        namespace = metadata.get("namespace")
        if namespace and namespace != found.get("namespace"):
            where = found.get("namespace")
            raise bad_request(f"the namespace of the provided object ({namespace}) does not match ({where})")
        revision = metadata.get("resourceVersion")
        if revision and revision != found["resourceVersion"]:
            raise conflict(resource, found["name"], OBJECT_MODIFIED)
        if (uid := metadata.get("uid")) and uid != found["uid"]:
            why = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {found['uid']}"
            raise conflict(resource, found["name"], why)

    def _merge(self, resource: Resource, old: JsonObject, new: JsonObject, subresource: str) -> JsonObject:
        if subresource == "status":
            merged = {**old}
            if new.get("status") is not None:
                merged["status"] = new["status"]
            if resource in _METADATA_WITH_STATUS:
                merged["metadata"] = self._updated_metadata(old, new.get("metadata") or {})
            return merged
        merged = {**new, "kind": old["kind"], "apiVersion": old["apiVersion"]}
        merged["metadata"] = self._updated_metadata(old, new.get("metadata") or {})
        if "status" in resource.subresources:
            if "status" in old:
                merged["status"] = old["status"]
            else:
                merged.pop("status", None)
        if "generation" in old["metadata"] and merged.get("spec") != old.get("spec"):
            merged["metadata"]["generation"] = old["metadata"]["generation"] + 1
        return merged

    @staticmethod
    def _updated_metadata(old: JsonObject, new: JsonObject) -> JsonObject:
        before = old["metadata"]
        metadata = {name: value for name, value in new.items() if name in _CLIENT_METADATA and value}
        metadata.update({name: value for name, value in before.items() if name not in _CLIENT_METADATA})
        return metadata

    def _store(
        self, resource: Resource, current: Version, merged: JsonObject, options: WriteOptions
    ) -> Version:
        if merged == current.object:
            return current
        if options.dry_run:
            return Version(current.key, current.revision, merged, current.created)
        stored = self.store.update(resource.storage_key, current.key, merged, current.revision)
        metadata = stored.object["metadata"]
        if "deletionTimestamp" in metadata and not metadata.get("finalizers"):
            if not metadata.get("deletionGracePeriodSeconds"):
                return self.store.delete(resource.storage_key, current.key)
        return stored

    def _refuse(self, resource: Resource, obj: JsonObject, causes: list[Cause]) -> None:
        for check in self._checks:
            causes = causes + check(resource, obj)
        if causes:
            metadata = obj["metadata"]
            raise invalid(resource, metadata.get("name") or metadata.get("generateName", ""), causes)


_CLIENT_METADATA: Final = frozenset(("labels", "annotations", "finalizers", "ownerReferences"))
"""What a client may change in the metadata of an existing object."""
_METADATA_WITH_STATUS: Final = (PODS, NODES)
"""Kinds whose ``status`` sub-resource also takes labels and annotations."""
_STATUS_AT_CREATION: Final = (NODES, NAMESPACES)
"""Kinds whose status a client may give at creation: a node registers itself with its capacity."""


def _gated(now_text: str) -> dict[str, Any]:
    return {
        "type": "PodScheduled",
        "status": "False",
        "reason": "SchedulingGated",
        "message": "Scheduling is blocked due to non-empty scheduling gates",
        "lastProbeTime": None,
        "lastTransitionTime": now_text,
    }


def require_body_field(resource: Resource, obj: JsonObject, field: str) -> Any:
    """A field that the body of a sub-resource must have.

    Raises:
        StatusError: 422 naming the field.
    """
    value: Any = obj
    for name in field.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    if not value:
        raise invalid(resource, (obj.get("metadata") or {}).get("name", ""), [required_value(field)])
    return value
