"""The end of namespaces: all that is in them ends first, by the rules of each kind.

The part of the namespace controller that a client can see. Pods stop gracefully and finalizers hold
what they hold; the namespace goes with the last of its contents.
"""

from typing import Final

from fakeapi.machinery.resources import NAMESPACES, ResourceTable
from fakeapi.storage.objects import Change, Key, Kind
from fakeapi.storage.store import Store

_KEY: Final = NAMESPACES.storage_key


class NamespaceEnds:
    """Removes a namespace that ends when nothing is in it any more."""

    def __init__(self, store: Store, table: ResourceTable) -> None:
        self._store = store
        self._table = table
        self._left: dict[str, int] = {}
        """Namespaces that end → how many objects are still in them."""

    def attach(self) -> None:
        """Begin to listen to the store."""
        self._store.listen(self._hear)

    def contents(self, namespace: str) -> list[tuple[str, Key]]:
        """(storage key, key) of everything in a namespace, in the order of the resource table."""
        collections = dict.fromkeys(row.storage_key for row in self._table if row.namespaced)
        return [
            (collection, version.key)
            for collection in collections
            for version in self._store.iterate(collection, namespace)
        ]

    def expect(self, namespace: str) -> None:
        """Let a namespace go as soon as it is empty, which may be now. Nothing new may come into it."""
        self._left[namespace] = len(self.contents(namespace))
        self._finish_if_empty(namespace)

    def _hear(self, _: str, change: Change) -> None:
        namespace = change.after.key[0]
        if change.kind is Kind.DELETED and namespace in self._left:
            self._left[namespace] -= 1
            self._finish_if_empty(namespace)

    def _finish_if_empty(self, namespace: str) -> None:
        if self._left[namespace]:
            return
        del self._left[namespace]
        key = ("", namespace)
        found = self._store.find(_KEY, key)
        if found is None:
            return
        obj = found.object
        if obj["metadata"].get("finalizers"):  # whoever removes the last of these removes the namespace
            self._store.update(_KEY, key, {**obj, "spec": {**obj["spec"], "finalizers": []}})
        else:
            self._store.delete(_KEY, key)
