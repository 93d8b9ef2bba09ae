"""The books of all nodes: one look-up from a node's name to what is taken of it."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from fakeapi.cluster.admission import Book
from fakeapi.cluster.podrecord import PodRecord
from fakeapi.cluster.podstatus import NO_DEVICES, Devices
from fakeapi.storage.objects import Object


class Books:
    """A :class:`Book` for each node that exists, or that pods are bound to."""

    def __init__(self, chip_resource: str) -> None:
        self.chip_resource: Final = chip_resource
        self._books: dict[str, Book] = {}

    def __iter__(self) -> Iterator[tuple[str, Book]]:
        return iter(self._books.items())

    def of(self, node: str) -> Book:
        """The book of that node."""
        book = self._books.get(node)
        if book is None:
            book = self._books[node] = Book(node, self.chip_resource)
        return book

    def read(self, node: Object) -> None:
        """The node was created or changed."""
        self.of(node["metadata"]["name"]).read(node)

    def drop(self, node: str) -> None:
        """The node is gone, and nobody holds anything of it."""
        self._books.pop(node, None)

    def devices(self, record: PodRecord, pod: Mapping[str, Any]) -> Devices:
        """Container → its ``allocatedResourcesStatus``."""
        return self.of(record.node).devices(record, pod["spec"]) if record.chips else NO_DEVICES
