"""Answers as tables (what kubectl prints) and as bare metadata, and the choice among the formats."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import orjson

from fakeapi.kernel.clock import Clock
from fakeapi.machinery.negotiation import Answer, Form, negotiate
from fakeapi.machinery.resources import Resource
from fakeapi.registry import views
from fakeapi.registry.defaults import JsonObject
from fakeapi.rest.present import Page, Presenter
from fakeapi.rest.request import RequestInfo
from fakeapi.rest.tables import IncludeObject, include_object_of, partial, partial_list, table
from fakeapi.storage.objects import Version, event_line


class PartialPresenter(Presenter):
    """Objects as ``PartialObjectMetadata``."""

    def __init__(self, resource: Resource, api_version: str) -> None:
        super().__init__(resource)
        self._api_version: Final = api_version

    def one(self, version: Version) -> bytes:
        """The metadata of one object."""
        return orjson.dumps(partial(version.object, self._api_version))

    def many(self, page: Page) -> bytes:
        """The metadata of a page's objects."""
        objects = [version.object for version in page.versions]
        return orjson.dumps(partial_list(objects, metadata=page.metadata(), api_version=self._api_version))

    def event_object(self, version: Version) -> bytes:
        """The metadata of an event's object."""
        return self.one(version)

    def bookmark(self, revision: int, annotations: Mapping[str, str] | None) -> bytes:
        """A bookmark whose object is bare metadata."""
        obj = {"metadata": self.bookmark_metadata(revision, annotations)}
        return event_line("BOOKMARK", orjson.dumps(partial(obj, self._api_version)))


class TablePresenter(Presenter):
    """Objects as rows of a ``Table``; only the first event of a watch defines the columns."""

    def __init__(self, resource: Resource, api_version: str, include: IncludeObject, clock: Clock) -> None:
        super().__init__(resource)
        self._api_version: Final = api_version
        self._include: Final = include
        self._clock = clock
        self._headers_sent = False

    def one(self, version: Version) -> bytes:
        """A table of one row."""
        metadata = {"resourceVersion": version.object["metadata"].get("resourceVersion", "")}
        return self._table([version], metadata, headers=True)

    def many(self, page: Page) -> bytes:
        """A table of a page's objects."""
        return self._table(page.versions, page.metadata(), headers=True)

    def event_object(self, version: Version) -> bytes:
        """The table of an event."""
        headers, self._headers_sent = not self._headers_sent, True
        metadata = {"resourceVersion": version.object["metadata"].get("resourceVersion", "")}
        return self._table([version], metadata, headers=headers)

    def bookmark(self, revision: int, annotations: Mapping[str, str] | None) -> bytes:
        """A bookmark as a table: its only row carries the annotations."""
        metadata = self.bookmark_metadata(revision, annotations)
        empty = table(
            self.resource, [], self._clock.now(),
            metadata={"resourceVersion": str(revision)}, api_version=self._api_version, headers=False,
        )  # fmt: skip
        obj = {"kind": self.resource.kind, "apiVersion": self.resource.api_version, "metadata": metadata}
        carried = partial(obj, self._api_version) if self._include is IncludeObject.METADATA else obj
        row: JsonObject = {"cells": [], "object": None if self._include is IncludeObject.NONE else carried}
        return event_line("BOOKMARK", orjson.dumps({**empty, "rows": [row]}))

    def _table(self, versions: Sequence[Version], metadata: JsonObject, *, headers: bool) -> bytes:
        objects = [views.shown(self.resource, version.object) for version in versions]
        return orjson.dumps(
            table(
                self.resource,
                objects,
                self._clock.now(),
                metadata=metadata,
                include=self._include,
                api_version=self._api_version,
                headers=headers,
            )
        )


def presenter_for(accept: str, info: RequestInfo, clock: Clock) -> Presenter:
    """The format that a request's ``Accept`` header asks for; writes answer with whole objects too.

    Raises:
        StatusError: 406 when nothing of it is offered, 400 for a wrong ``includeObject``.
    """
    answer = negotiate(accept)
    return _FORMATS[answer.form](answer, info, clock)


def _table_presenter(answer: Answer, info: RequestInfo, clock: Clock) -> Presenter:
    include = include_object_of(info.text("includeObject"))
    return TablePresenter(info.resource, answer.api_version, include, clock)


def _partial_presenter(answer: Answer, info: RequestInfo, clock: Clock) -> Presenter:
    del clock
    return PartialPresenter(info.resource, answer.api_version)


_FORMATS: Final[dict[Form, Callable[[Answer, RequestInfo, Clock], Presenter]]] = {
    Form.OBJECT: lambda _answer, info, _clock: Presenter(info.resource),
    Form.TABLE: _table_presenter,
    Form.PARTIAL: _partial_presenter,
    Form.PARTIAL_LIST: _partial_presenter,
}
