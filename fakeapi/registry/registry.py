"""Create, read, replace and delete objects by the rules of their kinds.

Everything that writes goes through here: clients by way of HTTP, scenarios by a call.
Objects given to :class:`Registry` become its own; objects it returns are frozen.
"""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import orjson

from fakeapi.kernel.chance import Chance
from fakeapi.kernel.clock import Clock
from fakeapi.kernel.time import Instant, format_instant
from fakeapi.machinery.resources import CORE_EVENTS, EVENTS, NAMESPACES, Resource, ResourceTable
from fakeapi.machinery.status import (
    OBJECT_MODIFIED,
    Cause,
    StatusError,
    already_exists,
    bad_request,
    conflict,
    invalid,
    invalid_value,
    not_found,
    required_value,
)
from fakeapi.registry import traits, views
from fakeapi.registry.admission import admit_creation, admit_update, require_namespace
from fakeapi.registry.defaults import JsonObject, fill_defaults, fill_status
from fakeapi.registry.equality import same_object
from fakeapi.registry.namespaces import NamespaceEnds
from fakeapi.registry.options import NO_OPTIONS, WriteOptions
from fakeapi.registry.prepare import prepare_creation, prepare_status, prepare_update
from fakeapi.registry.rules import creation_causes, status_causes, update_causes
from fakeapi.storage.errors import KeyExists, KeyNotFound
from fakeapi.storage.objects import Key, Version
from fakeapi.storage.store import Store

Check: TypeAlias = Callable[[Resource, JsonObject], list[Cause]]
"""A rule from outside, run on every object that is created or replaced."""
Mutation: TypeAlias = Callable[[Resource, JsonObject], None]
"""A webhook from outside: changes an object that is about to be created, in place."""
Edit: TypeAlias = Callable[[JsonObject], JsonObject]
"""Makes the wanted object out of the current one, without changing it."""

_GENERATED_LENGTH: Final = 5
_GENERATED_BASE_LIMIT: Final = 63 - _GENERATED_LENGTH
"""Characters of ``generateName`` that are kept, so that a generated name is a DNS label."""
_GENERATE_TRIES: Final = 8
_NAME_TAKEN_RETRY_S: Final = 1
"""Seconds after which a client may ask for a generated name again."""


class Registry:
    """The rules of all kinds over one store."""

    def __init__(self, store: Store, clock: Clock, chance: Chance, table: ResourceTable) -> None:
        self.store: Final = store
        self.table: Final = table
        self.namespace_ends: Final = NamespaceEnds(store, table)
        self.namespace_ends.attach()
        self._clock = clock
        self._chance = chance
        self._checks: list[Check] = []
        self._mutations: list[Mutation] = []

    def add_check(self, check: Check) -> None:
        """Run ``check`` on every object before it is stored; its causes refuse the object."""
        self._checks.append(check)

    def add_mutation(self, mutation: Mutation) -> None:
        """Run ``mutation`` on every object that is created, before its rules are checked."""
        self._mutations.append(mutation)

    def now(self) -> Instant:
        """The current instant."""
        return self._clock.now()

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
        """Store a new object, which has the types of its kind.

        Raises:
            StatusError: the object or its namespace is refused, or its name is taken (409).
        """
        obj = views.to_stored(resource, obj)
        metadata = self._new_metadata(resource, namespace, obj)
        if resource.namespaced:
            require_namespace(self.store, resource, namespace, metadata.get("name", ""))
        fill_defaults(resource.group, resource.kind, obj)
        admit_creation(self.store, resource, obj)
        for mutate in self._mutations:
            mutate(resource, obj)
        prepare_creation(resource, obj, self.now_text())
        self.refuse(resource, obj, creation_causes(resource, obj))
        key = (namespace, metadata["name"])
        try:
            if options.dry_run:
                return self._not_created(resource, key, obj)
            return self.store.create(resource.storage_key, key, obj)
        except KeyExists:
            raise self._taken(resource, key, generated=bool(metadata.get("generateName"))) from None

    def _new_metadata(self, resource: Resource, namespace: str, obj: JsonObject) -> JsonObject:
        given: JsonObject = obj.get("metadata") or {}
        if given.get("resourceVersion"):
            raise bad_request("resourceVersion should not be set on objects to be created")
        metadata = {name: value for name, value in given.items() if name in _METADATA_OF_CLIENTS and value}
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
        return metadata

    def _generate_name(self, resource: Resource, namespace: str, base: str) -> str:
        for _ in range(_GENERATE_TRIES):
            name = base[:_GENERATED_BASE_LIMIT] + self._chance.suffix(_GENERATED_LENGTH)
            if self.store.find(resource.storage_key, (namespace, name)) is None:
                return name
        return name  # taken, as every one before: the store's refusal tells the client to try again

    def _not_created(self, resource: Resource, key: Key, obj: JsonObject) -> Version:
        if self.store.find(resource.storage_key, key) is not None:
            raise KeyExists(key)
        return Version(key, self.store.revision, obj, self.store.revision)

    def _taken(self, resource: Resource, key: Key, *, generated: bool) -> StatusError:
        refusal = already_exists(resource, key[1])
        message, details = refusal.message, dict(refusal.details or {})
        if generated:
            message += ", the server was not able to generate a unique name for the object"
            details["retryAfterSeconds"] = _NAME_TAKEN_RETRY_S
        if "deletionTimestamp" in self.store.get(resource.storage_key, key).object["metadata"]:
            message = f"object is being deleted: {message}"
        return StatusError(refusal.code, refusal.reason, message, details)

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

        With the sub-resource ``status`` only the status is taken from the result, and the metadata
        that the kind lets through with it; without it everything but the status.

        Raises:
            StatusError: 404, 409 for a stale ``resourceVersion`` or ``uid``, 422 for broken rules.
        """
        current = self.get(resource, namespace, name)
        wanted = views.to_stored(resource, edit(views.shown(resource, current.object)))
        _require_same(resource, current, wanted, options)
        if subresource == "status":
            merged = _with_status(resource, current.object, wanted)
            prepare_status(resource, merged, current.object)
            self.refuse(resource, merged, status_causes(resource, merged, current.object))
        else:
            merged = _replaced(resource, current.object, wanted)
            prepare_update(resource, merged, current.object)
            admit_update(self.store, resource, merged, current.object)
            _count_change(resource, merged, current.object)
            self.refuse(resource, merged, update_causes(resource, merged, current.object))
        return self._store(resource, current, merged, options)

    def _store(
        self, resource: Resource, current: Version, merged: JsonObject, options: WriteOptions
    ) -> Version:
        if same_object(merged, current.object, traits.message_of(resource)):
            return current
        ends = _ends(resource, merged, current.object["metadata"])
        if not options.dry_run and not ends:
            return self.store.update(resource.storage_key, current.key, merged, current.revision)
        if not options.dry_run:
            self.store.delete(resource.storage_key, current.key)
        return Version(current.key, current.revision, merged, current.created)

    def refuse(self, resource: Resource, obj: JsonObject, causes: list[Cause]) -> None:
        """Refuse an object for these causes, or for those that the checks find.

        Raises:
            StatusError: 422 with every cause; nothing when there is none.
        """
        for check in self._checks:
            causes = causes + check(resource, obj)
        if causes:
            metadata = obj["metadata"]
            named = CORE_EVENTS if resource == EVENTS else resource  # one kind, by its older name
            raise invalid(named, metadata.get("name") or metadata.get("generateName", ""), causes)


_CLIENT_METADATA: Final = frozenset(
    ("labels", "annotations", "finalizers", "ownerReferences", "generateName")
)
"""What a client may change in the metadata of an existing object."""
_METADATA_OF_CLIENTS: Final = _CLIENT_METADATA | {"name"}
"""What a client may say in the metadata of a new object; its namespace comes from the request."""
_COMPARED_METADATA: Final = ("uid", "deletionTimestamp", "deletionGracePeriodSeconds")
"""What a client may repeat in the metadata, and never change."""


def _require_same(resource: Resource, current: Version, wanted: JsonObject, options: WriteOptions) -> None:
    metadata, found = wanted.get("metadata") or {}, current.object["metadata"]
    if (name := metadata.get("name")) and name != found["name"]:
        why = f"the name of the object ({name}) does not match the name on the URL ({found['name']})"
        raise bad_request(why)
    namespace = metadata.get("namespace")
    if namespace and namespace != found.get("namespace", namespace):
        why = "the namespace of the provided object does not match the namespace sent on the request"
        raise bad_request(why)
    if options.uid is not None and options.uid != found["uid"]:
        why = f"Precondition failed: UID in precondition: {options.uid}, UID in object meta: {found['uid']}"
        raise conflict(resource, found["name"], why)
    revision = metadata.get("resourceVersion")
    if revision and revision != found["resourceVersion"]:
        raise conflict(resource, found["name"], OBJECT_MODIFIED)
    if not revision and traits.needs_version(resource):
        cause = invalid_value("metadata.resourceVersion", 0, "must be specified for an update")
        raise invalid(traits.named_by_plural(resource), found["name"], [cause])


def _with_status(resource: Resource, old: JsonObject, new: JsonObject) -> JsonObject:
    """The current object with the status of another, and the metadata that comes along."""
    merged = {**old, "status": {**(new.get("status") or {})}}
    metadata, kept = new.get("metadata") or {}, traits.metadata_kept_by_status(resource)
    taken = {name: value for name, value in metadata.items() if name not in kept}
    taken.update({name: old["metadata"][name] for name in kept if name in old["metadata"]})
    merged["metadata"] = _updated_metadata(old["metadata"], taken)
    fill_status(resource.group, resource.kind, merged)
    return merged


def _replaced(resource: Resource, old: JsonObject, new: JsonObject) -> JsonObject:
    """Another object in the place of the current one, with its defaults and without its status."""
    has_status = "status" in resource.subresources
    wanted = {name: value for name, value in new.items() if name != "status" or not has_status}
    merged: JsonObject = _private(wanted)
    merged["kind"], merged["apiVersion"] = old["kind"], old["apiVersion"]
    merged["metadata"] = _updated_metadata(old["metadata"], merged.get("metadata") or {})
    if has_status and "status" in old:
        merged["status"] = _private(old["status"])
    fill_defaults(resource.group, resource.kind, merged)
    return merged


def _private(value: Any) -> Any:
    """A copy at every depth: an edit shares what it did not touch with the stored object."""
    return orjson.loads(orjson.dumps(value))


def _updated_metadata(old: JsonObject, new: JsonObject) -> JsonObject:
    """The metadata of a client where it has the say, else the object's own; what it repeats is compared."""
    metadata = {name: value for name, value in new.items() if name in _CLIENT_METADATA and value}
    metadata.update({name: value for name, value in old.items() if name not in _CLIENT_METADATA})
    for name in _COMPARED_METADATA:
        if name not in old and new.get(name) is not None:
            metadata[name] = new[name]
    if uid := new.get("uid"):
        metadata["uid"] = uid
    return metadata


def _count_change(resource: Resource, new: JsonObject, old: JsonObject) -> None:
    generation = old["metadata"].get("generation")
    if not generation:
        return
    after, before = traits.counted_part(resource, new), traits.counted_part(resource, old)
    if not same_object(after, before, traits.message_of(resource)):
        new["metadata"]["generation"] = generation + 1


def _ends(resource: Resource, obj: JsonObject, before: JsonObject) -> bool:
    """Whether the object was only held by finalizers, and they are gone."""
    if obj["metadata"].get("finalizers") or "deletionTimestamp" not in before:
        return False
    if resource == NAMESPACES and (obj.get("spec") or {}).get("finalizers"):
        return False
    return not before.get("deletionGracePeriodSeconds")


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
