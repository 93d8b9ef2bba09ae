"""Follow a collection: list it once, then watch what changes, for ever.

A watch that ends is taken up at once where it ended. Only when the server no longer knows that point (410) is
the collection listed anew, and only after failures is there a pause.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

import orjson

from scheduler.kube.client import Client, Collection
from scheduler.kube.errors import HTTP_GONE, HTTP_NOT_FOUND, ApiError, RequestError, UnreachableError
from scheduler.kube.pauses import Pauses

_log = logging.getLogger(__name__)

Object = Mapping[str, Any]


SHORT_WATCH_S = 1.0
"""A watch that brings nothing and ends sooner counts as failed, as in client-go: a server that closes each
one at once must not be asked in a tight loop."""


class _HistoryGoneError(Exception):
    """The server no longer has the changes since our last version."""


class Reflector:
    """Follows one collection and tells what it sees to two callbacks."""

    def __init__(
        self,
        client: Client,
        collection: Collection,
        listed: Callable[[list[Object]], Awaitable[None]],
        changed: Callable[[str, Object], None],
        pauses: Pauses,
        *,
        optional: bool = False,
    ) -> None:
        """``listed`` gets all objects after a list, ``changed`` a watch event's type and object.

        ``optional``: a server that does not serve the collection has none of its objects. It is asked again
        when they are ``wanted``.
        """
        self._client = client
        self._collection = collection
        self._listed = listed
        self._changed = changed
        self._pauses = pauses
        self._version = ""
        self._failures = 0
        self._taken = 0
        self._optional = optional
        self._listed_once = asyncio.Event()
        self._wanted = asyncio.Event()
        self.received = 0
        """Pieces of input read from the watch so far: tells whether anything came between two looks."""

    async def first_list(self) -> None:
        """Wait until the collection has been listed once, or turned out not to be served."""
        await self._listed_once.wait()

    def want(self) -> None:
        """Something refers to objects of this collection: it is worth looking whether it is served by now."""
        self._wanted.set()

    async def run(self) -> None:
        """Follow the collection until cancelled."""
        while True:
            taken = self._taken
            try:
                if not self._version:
                    await self._list()
                await self._watch()
            except _HistoryGoneError:
                self._version = ""
                _log.info("%s: the server's history has moved past us, listing again", self._collection.path)
                if self._taken == taken:
                    await self._pause()
            except RequestError as error:
                if self._optional and isinstance(error, ApiError) and error.code == HTTP_NOT_FOUND:
                    await self._not_served()
                    continue
                _log.warning("%s", error)
                await self._pause()

    async def _not_served(self) -> None:
        self._version = ""
        if not self._listed_once.is_set():
            _log.info("%s: the server does not have this API", self._collection.path)
        await self._tell_all([])
        await self._wanted.wait()
        await self._pause()

    async def _tell_all(self, objects: list[Object]) -> None:
        await self._listed(objects)
        self._listed_once.set()

    async def _pause(self) -> None:
        self._failures += 1
        pause = self._pauses.after(self._failures)
        _log.info("%s: trying again in %.1f s", self._collection.path, pause)
        await asyncio.sleep(pause)

    async def _list(self) -> None:
        try:
            objects, version = await list_all(self._client, self._collection)
            await self._tell_all(objects)
        except ApiError as error:
            raise _translated(error) from error
        self._version = version

    async def _watch(self) -> None:
        clock = asyncio.get_running_loop()
        taken, began = self._taken, clock.time()
        try:
            async with self._client.watch(self._collection, self._version) as pieces:
                await self._read(pieces)
        except ApiError as error:
            raise _translated(error) from error
        if self._taken == taken and clock.time() - began < SHORT_WATCH_S:
            raise UnreachableError(f"{self._collection.path}: the server ended the watch at once")

    async def _read(self, pieces: AsyncIterator[bytes]) -> None:
        unfinished = b""
        async for piece in pieces:
            self.received += 1
            *lines, unfinished = (unfinished + piece).split(b"\n")
            for line in lines:
                self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            event = orjson.loads(line)
            kind, found = event["type"], event["object"]
            if kind == "ERROR":
                raise ApiError(
                    int(found["code"]), str(found.get("reason", "")), str(found.get("message", ""))
                )
            version = str(found["metadata"]["resourceVersion"])
        except _MISSHAPEN as error:
            raise _nonsense(self._collection, "the watch", error) from error
        self._taken += 1
        self._failures = 0
        if kind != "BOOKMARK":
            self._changed(kind, found)
        self._version = version


async def list_all(client: Client, collection: Collection) -> tuple[list[Object], str]:
    """All objects of a collection, page by page, and the resource version to watch from.

    Raises:
        ApiError: the server answered with an error.
        UnreachableError: no answer came, or one that is no list.
    """
    objects: list[Object] = []
    continuation = version = ""
    while continuation or not version:
        page = await client.page(collection, continuation)
        try:
            items, version = page.get("items") or (), str(page["metadata"]["resourceVersion"])
            continuation = page["metadata"].get("continue") or ""
        except _MISSHAPEN as error:
            raise _nonsense(collection, "the list", error) from error
        objects += items
    return objects, version


def _nonsense(collection: Collection, where: str, error: Exception) -> UnreachableError:
    what = f"{type(error).__name__}: {error}"
    return UnreachableError(f"{collection.path}: {where} brought something that is no API object ({what})")


_MISSHAPEN = (KeyError, TypeError, ValueError, AttributeError)
"""What reading fails with when an answer is JSON of another shape, or (a ValueError) no JSON."""


def _translated(error: ApiError) -> Exception:
    return _HistoryGoneError() if error.code == HTTP_GONE else error
