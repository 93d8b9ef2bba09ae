"""Who owns what: references between objects, and the objects that they name."""

from typing import Any, Final

from fakeapi.machinery.resources import Resource, ResourceTable
from fakeapi.storage.objects import Key, Object, Version
from fakeapi.storage.store import Store

Json = dict[str, Any]
Place = tuple[str, Key]
"""Collection and key of an object."""

NO_REFERENCES: Final[tuple[Json, ...]] = ()


def references(obj: Object) -> tuple[Json, ...]:
    """The owner references of an object."""
    found = obj["metadata"].get("ownerReferences")
    return tuple(found) if found else NO_REFERENCES


def controller_of(obj: Object) -> Json | None:
    """The reference to the object's controller; None without one."""
    return next((each for each in references(obj) if each.get("controller")), None)


def is_controlled_by(obj: Object, kind: str, uid: str) -> bool:
    """Whether an object's controller is this one."""
    found = controller_of(obj)
    return found is not None and found.get("kind") == kind and found.get("uid") == uid


def controller_reference(resource: Resource, owner: Object) -> Json:
    """The reference by which ``owner``'s controller marks what it makes (``metav1.NewControllerRef``)."""
    return {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


class OwnerLookup:
    """Finds the objects that references name."""

    def __init__(self, store: Store, table: ResourceTable) -> None:
        self._store = store
        self._table = table

    def owner(self, reference: Json, namespace: str) -> tuple[Resource, Version] | None:
        """The owner that a reference names, seen from a namespace; None where it does not exist."""
        group, _, version = str(reference.get("apiVersion", "")).rpartition("/")
        resource = self._table.by_kind(group, version, str(reference.get("kind", "")))
        if resource is None:
            return None
        key = (namespace if resource.namespaced else "", str(reference.get("name", "")))
        found = self._store.find(resource.storage_key, key)
        if found is None or found.object["metadata"]["uid"] != reference.get("uid"):
            return None
        return resource, found
