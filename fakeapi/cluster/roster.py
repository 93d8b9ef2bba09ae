"""The nodes that exist, so that one can be drawn without looking at all of them."""

from collections.abc import Callable
from typing import Final

from fakeapi.machinery.resources import NODES
from fakeapi.storage.objects import Change, Kind, Object
from fakeapi.storage.store import Store

_NODES: Final = NODES.storage_key


class _Names:
    """Names in an order of their own, any of which is found by its index at once."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._places: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, index: int) -> str:
        return self._names[index]

    def add(self, name: str) -> None:
        if name not in self._places:
            self._places[name] = len(self._names)
            self._names.append(name)

    def remove(self, name: str) -> None:
        """The last one takes its place."""
        place, last = self._places.pop(name), self._names.pop()
        if last != name:
            self._names[place], self._places[last] = last, place


class Roster:
    """The names of all nodes, and which of them belong together.

    Args:
        store: where the nodes are.
        topology: label of nodes; those with the same value belong together. None: all do.
    """

    def __init__(self, store: Store, topology: str | None = None) -> None:
        self._store = store
        self._topology = topology
        self._all = _Names()
        self._groups: dict[str, _Names] = {}
        self._group_of: dict[str, str] = {}
        self.on_change: Callable[[], None] = _nothing
        """Called when a node joined or left."""

    def __len__(self) -> int:
        return len(self._all)

    def attach(self) -> None:
        """Take up the nodes that exist, and listen from now on."""
        self._store.listen(self._hear)
        for version in self._store.iterate(_NODES):
            self._join(version.key[1], version.object)

    def pick(self, size: int, index: Callable[[int], int]) -> list[str]:
        """So many nodes that belong together, fewer where there are no more.

        Args:
            size: how many.
            index: draws one of so many.
        """
        first = self._all[index(len(self._all))]
        group = self._groups[self._group_of[first]]
        picked = {first: None}
        while len(picked) < min(size, len(group)):
            picked[group[index(len(group))]] = None
        return list(picked)

    def _hear(self, collection: str, change: Change) -> None:
        if collection != _NODES:
            return
        name = change.after.key[1]
        if change.kind is Kind.DELETED:
            self._leave(name)
            self.on_change()
        elif change.kind is Kind.ADDED:
            self._join(name, change.after.object)
            self.on_change()

    def _join(self, name: str, node: Object) -> None:
        labels = node["metadata"].get("labels") or {}
        # A node without the label stands in no rack, so that nothing fails with it.
        group = "" if self._topology is None else labels.get(self._topology) or f"alone/{name}"
        self._all.add(name)
        self._group_of[name] = group
        self._groups.setdefault(group, _Names()).add(name)

    def _leave(self, name: str) -> None:
        group = self._group_of.pop(name, None)
        if group is not None:
            self._all.remove(name)
            self._groups[group].remove(name)
            if not len(self._groups[group]):
                del self._groups[group]


def _nothing() -> None:
    pass
