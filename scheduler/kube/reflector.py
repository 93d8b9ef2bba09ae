"""Follow a collection: list it once, then watch what changes, for ever.

A watch that ends is taken up at once where it ended. Only when the server no longer knows that point (410) is
the collection listed anew, and only after failures is there a pause.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import orjson

from scheduler.kube.client import Client, Collection
from scheduler.kube.errors import HTTP_GONE, ApiError, RequestError, UnreachableError
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
        listed: Callable[[list[Object]], None],
        changed: Callable[[str, Object], None],
        pauses: Pauses,
    ) -> None:
        """``listed`` gets all objects after a list, ``changed`` a watch event's type and object."""
        self._client = client
        self._collection = collection
        self._listed = listed
        self._changed = changed
        self._pauses = pauses
        self._version = ""
        self._failures = 0
        self._taken = 0
        self.received = 0
        """Pieces of input read from the watch so far: tells whether anything came between two looks."""

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
                _log.warning("%s", error)
                await self._pause()

    async def _pause(self) -> None:
        self._failures += 1
        pause = self._pauses.after(self._failures)
        _log.info("%s: trying again in %.1f s", self._collection.path, pause)
        await asyncio.sleep(pause)

    async def _list(self) -> None:
        objects: list[Object] = []
        continuation = version = ""
        while continuation or not version:
            page = await self._page(continuation)
            try:
                items, version = page.get("items") or (), str(page["metadata"]["resourceVersion"])
                continuation = page["metadata"].get("continue") or ""
            except _MISSHAPEN as error:
                raise self._nonsense("the list", error) from error
            objects += items
        self._listed(objects)
        self._version = version

    async def _page(self, continuation: str) -> Any:
        try:
            return await self._client.page(self._collection, continuation)
        except ApiError as error:
            raise _translated(error) from error

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
            raise self._nonsense("the watch", error) from error
        self._taken += 1
        self._failures = 0
        if kind != "BOOKMARK":
            self._changed(kind, found)
        self._version = version

    def _nonsense(self, where: str, error: Exception) -> UnreachableError:
        what = f"{type(error).__name__}: {error}"
        return UnreachableError(
            f"{self._collection.path}: {where} brought something that is no API object ({what})"
        )


_MISSHAPEN = (KeyError, TypeError, ValueError, AttributeError)
"""What reading fails with when an answer is JSON of another shape, or (a ValueError) no JSON."""


def _translated(error: ApiError) -> Exception:
    return _HistoryGoneError() if error.code == HTTP_GONE else error
