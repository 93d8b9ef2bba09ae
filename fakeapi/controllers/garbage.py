"""The garbage collector: what belongs to objects that are gone goes as well.

Follows ``pkg/controller/garbagecollector``. Objects whose owners are all gone are deleted; with other owners
left they lose the references to those that are gone. ``Foreground``: an owner stays until the dependents that
block its deletion are gone. ``Orphan``: the dependents stay and lose their references. A real collector acts
within milliseconds of what it sees; here it does so in the same instant.
"""

from typing import Final, NamedTuple

from fakeapi.controllers.owners import Json, OwnerLookup, Place, references
from fakeapi.controllers.worklist import WorkList
from fakeapi.kernel.clock import Clock
from fakeapi.kernel.events import EventQueue
from fakeapi.kernel.time import Instant
from fakeapi.machinery.resources import Resource
from fakeapi.machinery.status import StatusError
from fakeapi.registry.deletion import delete
from fakeapi.registry.options import DeleteOptions
from fakeapi.registry.registry import Registry
from fakeapi.storage.objects import Change, Kind, Object, Version

FOREGROUND: Final = "foregroundDeletion"
ORPHAN: Final = "orphan"
_GONE: Final = (404, 409)
"""Refusals of a deletion that leave nothing to do: it is gone, or another by now."""


class _Owners(NamedTuple):
    """The references of an object, by what became of the owners."""

    solid: list[Json]
    gone: list[Json]
    waiting: list[Json]
    """Owners that are being deleted and wait for this object."""


class GarbageCollector:
    """Collects for all kinds of objects."""

    def __init__(self, registry: Registry, queue: EventQueue, clock: Clock) -> None:
        self._registry = registry
        self._store = registry.store
        self._lookup = OwnerLookup(registry.store, registry.table)
        self._rows: dict[str, Resource] = {}
        self._dependents: dict[str, dict[Place, bool]] = {}
        """Owner's uid → its dependents, and whether each blocks its deletion."""
        self._garbage: WorkList[Place] = WorkList(queue, clock, self._collect, "garbage")

    def attach(self) -> None:
        """Take up what exists, and listen from now on."""
        self._store.listen(self._hear)
        for row in self._registry.table:
            if row.storage:
                continue
            for version in self._store.iterate(row.storage_key):
                self._hear(row.storage_key, Change(Kind.ADDED, version.revision, None, version))

    # ---- listening -----------------------------------------------------------------------------

    def _hear(self, collection: str, change: Change) -> None:
        before = () if change.before is None else references(change.before.object)
        deleted = change.kind is Kind.DELETED
        after = () if deleted else references(change.after.object)
        place = (collection, change.after.key)
        if before or after:
            self._index(place, before, after)
        metadata = change.after.object["metadata"]
        if deleted:
            for dependent in list(self._dependents.get(metadata.get("uid", ""), ())):
                self._garbage.add(dependent)
            self._garbage.forget(place)
            self._look_at_owners(before, change.after.key[0])
        elif "deletionTimestamp" in metadata and _policy_of(change.after.object) is not None:
            self._garbage.add(place)

    def _index(self, place: Place, before: tuple[Json, ...], after: tuple[Json, ...]) -> None:
        if before == after:
            return
        for each in before:
            known = self._dependents.get(each["uid"])
            if known is not None:
                known.pop(place, None)
                if not known:
                    del self._dependents[each["uid"]]
        for each in after:
            self._dependents.setdefault(each["uid"], {})[place] = bool(each.get("blockOwnerDeletion"))
            if self._lookup.owner(each, place[1][0]) is None:
                self._garbage.add(place)  # its owner was gone before it came

    def _look_at_owners(self, owners: tuple[Json, ...], namespace: str) -> None:
        """Owners may have waited for this object."""
        for each in owners:
            found = self._lookup.owner(each, namespace)
            if found is not None and _policy_of(found[1].object) is not None:
                self._garbage.add((found[0].storage_key, found[1].key))

    # ---- what falls due ----------------------------------------------------------------------------

    def _collect(self, place: Place, _: Instant) -> None:
        collection, key = place
        version = self._store.find(collection, key)
        if version is None:
            return
        resource = self._row(collection)
        policy = _policy_of(version.object)
        if policy == ORPHAN:
            self._orphan(resource, version)
        elif policy == FOREGROUND:
            self._finish_foreground(resource, version)
        elif references(version.object) and "deletionTimestamp" not in version.object["metadata"]:
            self._judge(resource, version)

    def _row(self, collection: str) -> Resource:
        if collection not in self._rows:
            self._rows = {row.storage_key: row for row in self._registry.table if not row.storage}
        return self._rows[collection]

    def _judge(self, resource: Resource, version: Version) -> None:
        """Delete an object without owners; take off references to those that are gone."""
        owners = self._owners(version)
        lost = owners.gone + owners.waiting
        if owners.solid:
            if lost:
                self._drop_references(resource, version, {each["uid"] for each in lost})
            return
        own = self._dependents.get(version.object["metadata"]["uid"])
        self._delete(resource, version, "Foreground" if owners.waiting and own else "Background")

    def _owners(self, version: Version) -> _Owners:
        owners = _Owners([], [], [])
        for each in references(version.object):
            found = self._lookup.owner(each, version.key[0])
            if found is None:
                owners.gone.append(each)
            elif _policy_of(found[1].object) == FOREGROUND and each.get("blockOwnerDeletion"):
                owners.waiting.append(each)
            else:
                owners.solid.append(each)
        return owners

    def _finish_foreground(self, resource: Resource, owner: Version) -> None:
        """Delete what blocks the owner; it goes when nothing does any more."""
        uid = owner.object["metadata"]["uid"]
        dependents = dict(self._dependents.get(uid, {}))
        if not any(dependents.values()):
            self._take_off(resource, owner, FOREGROUND)
            return
        for place, blocks in dependents.items():
            if blocks:
                self._garbage.add(place)

    def _orphan(self, resource: Resource, owner: Version) -> None:
        uid = owner.object["metadata"]["uid"]
        for collection, key in list(self._dependents.get(uid, ())):
            self._drop_references(self._row(collection), self._store.get(collection, key), {uid})
        self._take_off(resource, owner, ORPHAN)

    # ---- writing -----------------------------------------------------------------------------------

    def _delete(self, resource: Resource, version: Version, propagation: str) -> None:
        options = DeleteOptions(uid=version.object["metadata"]["uid"], propagation=propagation)
        try:
            delete(self._registry, resource, *version.key, options)
        except StatusError as error:
            if error.code not in _GONE:
                raise

    def _drop_references(self, resource: Resource, version: Version, uids: set[str]) -> None:
        def edit(obj: Json) -> Json:
            left = [each for each in references(obj) if each["uid"] not in uids]
            return {**obj, "metadata": _with(obj["metadata"], "ownerReferences", left)}

        self._registry.modify(resource, *version.key, edit)

    def _take_off(self, resource: Resource, version: Version, finalizer: str) -> None:
        def edit(obj: Json) -> Json:
            left = [each for each in obj["metadata"].get("finalizers") or () if each != finalizer]
            return {**obj, "metadata": _with(obj["metadata"], "finalizers", left)}

        self._registry.modify(resource, *version.key, edit)


def _policy_of(obj: Object) -> str | None:
    """How the dependents of an object that is being deleted are dealt with; None where nothing waits."""
    metadata = obj["metadata"]
    if "deletionTimestamp" not in metadata:
        return None
    held = metadata.get("finalizers") or ()
    return next((each for each in (ORPHAN, FOREGROUND) if each in held), None)


def _with(metadata: Json, name: str, values: list[Json] | list[str]) -> Json:
    """The metadata with a list in it, or without the list where it is empty."""
    rest = {key: value for key, value in metadata.items() if key != name}
    return {**rest, name: values} if values else rest
