"""Answers with whole objects in JSON: the format that nearly every request asks for.

Other formats are variations of :class:`Presenter`, chosen by the ``Accept`` header.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from fakeapi.machinery.resources import Resource
from fakeapi.registry import views
from fakeapi.registry.defaults import JsonObject
from fakeapi.storage.objects import Change, Kind, Version, event_line
from fakeapi.storage.watch import Renderer


@dataclass(frozen=True, slots=True)
class Page:
    """One answer to a list: the objects, and where the next page starts."""

    revision: int
    versions: Sequence[Version]
    continues: str = ""
    remaining: int | None = None

    def metadata(self) -> JsonObject:
        """The ``ListMeta`` of the answer."""
        metadata: JsonObject = {"resourceVersion": str(self.revision)}
        if self.continues:
            metadata["continue"] = self.continues
        if self.remaining is not None:
            metadata["remainingItemCount"] = self.remaining
        return metadata


class Presenter:
    """Whole objects of one resource, as the store's JSON."""

    content_type = b"application/json"

    def __init__(self, resource: Resource) -> None:
        self.resource: Final = resource
        self._is_view = views.is_view(resource)

    def one(self, version: Version) -> bytes:
        """The answer that is one object."""
        return self.json_of(version)

    def many(self, page: Page) -> bytes:
        """The answer that is a page of a list."""
        head = orjson.dumps(
            {
                "kind": self.resource.list_kind,
                "apiVersion": self.resource.api_version,
                "metadata": page.metadata(),
            }
        )
        items = b",".join([self.json_of(version) for version in page.versions])
        return b'%s,"items":[%s]}' % (head[:-1], items)

    def added(self, version: Version) -> bytes:
        """The watch event of an object that was there when the watch began."""
        return event_line(Kind.ADDED.value, self.event_object(version))

    def bookmark(self, revision: int, annotations: Mapping[str, str] | None) -> bytes:
        """A watch event that only says how far the watch has come."""
        metadata = self.bookmark_metadata(revision, annotations)
        obj = {"kind": self.resource.kind, "apiVersion": self.resource.api_version, "metadata": metadata}
        return event_line("BOOKMARK", orjson.dumps(obj))

    @staticmethod
    def bookmark_metadata(revision: int, annotations: Mapping[str, str] | None) -> JsonObject:
        """The metadata of a bookmark's object."""
        metadata: JsonObject = {"resourceVersion": str(revision), "creationTimestamp": None}
        if annotations:
            metadata["annotations"] = dict(annotations)
        return metadata

    def renderer(self) -> Renderer:
        """How changes become lines: all watchers of whole objects share the change's own line."""
        if type(self) is Presenter and not self._is_view:
            return Change.line
        return self._line

    def _line(self, change: Change, kind: Kind) -> bytes:
        return event_line(kind.value, self.event_object(change.seen_as(kind)))

    def event_object(self, version: Version) -> bytes:
        """An object as an event of this format carries it."""
        return self.json_of(version)

    def json_of(self, version: Version) -> bytes:
        """A whole object as this resource shows it."""
        if self._is_view:
            return orjson.dumps(views.shown(self.resource, version.object))
        return version.json
