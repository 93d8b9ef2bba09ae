"""Lists and watches of an API server, with patience that has an end."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final, TypeAlias

import httpx

from evaluator.errors import TraceError, shown
from evaluator.record.kubeconfig import Access
from fakeapi.kernel.clock import wall_ns
from fakeapi.kernel.time import SECOND

PAGE: Final = 500
"""Objects of one page of a list: what kubectl asks for."""

WATCH_S: Final = 300
"""Seconds after which the server is asked to end a watch, so that a dead connection is found."""

CONNECT_S: Final = 10.0
"""Seconds for a connection, and for the first byte of an answer that is no watch."""

MAX_FAILURES: Final = 8
"""Failures in a row after which a resource is given up: with their pauses, about two minutes."""

LONGEST_PAUSE_S: Final = 30.0
MAX_LINE: Final = 8 * 2**20
"""Bytes of one watch event; etcd keeps no object of more than 1.5 MiB."""

_GONE: Final = 410
_FORBIDDEN: Final = (401, 403)
_MISSING: Final = 404

Object: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All objects of a resource at one instant."""

    objects: list[Object]


@dataclass(frozen=True, slots=True)
class Change:
    """One object that came, changed or went."""

    gone: bool
    object: Object


class Expired(Exception):
    """The history that a watch needs is gone: list again."""


class Client:
    """One API server.

    :param transport: carries requests; the network unless told otherwise.
    :param pause: waits so many seconds before another try.
    """

    def __init__(
        self,
        access: Access,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._server = access.server
        self._pause = pause
        self._http = httpx.AsyncClient(
            base_url=access.server,
            headers=dict(access.headers),
            verify=access.tls,
            timeout=httpx.Timeout(CONNECT_S, read=WATCH_S + CONNECT_S),
            trust_env=False,
            transport=transport,
        )

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(self, *_failure: object) -> None:
        await self._http.aclose()

    async def now(self) -> int:
        """The server's wall clock in whole seconds, in Unix nanoseconds; this machine's if it tells none.

        :raises TraceError: if the server cannot be reached, or refuses.
        """
        try:
            answer = await self._http.get("/version")
        except httpx.HTTPError as error:
            raise self._unreachable(error) from error
        self._refuse(answer.status_code, "/version", answer.text)
        try:
            moment: datetime | None = parsedate_to_datetime(answer.headers["date"])
        except (KeyError, ValueError):
            moment = None
        # In whole seconds either way, as objects tell their times: else what comes now would lie before.
        return wall_ns() // SECOND * SECOND if moment is None else int(moment.timestamp()) * SECOND

    async def follow(self, path: str, *, optional: bool = False) -> AsyncIterator[Snapshot | Change]:
        """A snapshot of a resource and every change since; a new snapshot whenever the history is lost.

        :param path: path of the resource, such as ``/api/v1/pods``.
        :param optional: give an empty snapshot and end if the server has no such resource.
        :raises TraceError: if the server refuses, or fails :data:`MAX_FAILURES` times in a row.
        """
        version, failures = "", 0
        while True:
            try:
                if not version:
                    snapshot, version = await self._list(path)
                    yield snapshot
                async for change, seen in self._watch(path, version):
                    failures, version = 0, seen
                    if change is not None:
                        yield change
            except Expired:
                version = ""
            except _NoSuchResource:
                if optional:
                    yield Snapshot([])
                    return
                raise TraceError(f"the server has no {path}", where=self._server) from None
            except (httpx.HTTPError, _Garbled) as error:
                failures += 1
                if failures >= MAX_FAILURES:
                    raise self._unreachable(error) from error
                await self._pause(min(2.0 ** (failures - 1), LONGEST_PAUSE_S))

    async def _list(self, path: str) -> tuple[Snapshot, str]:
        objects: list[Object] = []
        proceed = ""
        while True:
            answer = await self._http.get(path, params={"limit": PAGE, "continue": proceed})
            self._refuse(answer.status_code, path, answer.text)
            page = _parsed(answer.content)
            objects += [item for item in page.get("items") or () if isinstance(item, Mapping)]
            metadata = page.get("metadata") or {}
            proceed = str(metadata.get("continue") or "")
            if not proceed:
                return Snapshot(objects), str(metadata.get("resourceVersion") or "")

    async def _watch(self, path: str, version: str) -> AsyncIterator[tuple[Change | None, str]]:
        query = {
            "watch": "true",
            "allowWatchBookmarks": "true",
            "resourceVersion": version,
            "timeoutSeconds": str(WATCH_S),
        }
        async with self._http.stream("GET", path, params=query) as answer:
            if answer.status_code != httpx.codes.OK:
                self._refuse(answer.status_code, path, (await answer.aread()).decode(errors="replace"))
            async for line in _lines(answer.aiter_bytes()):
                event = _parsed(line)
                kind, item = event.get("type"), event.get("object")
                if not isinstance(item, Mapping):
                    raise _Garbled("a watch event without an object")
                if kind == "ERROR":
                    raise Expired if item.get("code") == _GONE else _Garbled(str(item.get("message")))
                version = str((item.get("metadata") or {}).get("resourceVersion") or version)
                yield None if kind == "BOOKMARK" else Change(kind == "DELETED", item), version

    def _refuse(self, status: int, path: str, text: str) -> None:
        if status == _GONE:
            raise Expired
        if status == _MISSING:
            raise _NoSuchResource
        if status in _FORBIDDEN:
            raise TraceError(
                f"{path}: refused with {status}: {shown(text)}",
                where=self._server,
                next_step="The recorder must be allowed to list and watch pods, nodes and jobs everywhere.",
            )
        if status >= httpx.codes.BAD_REQUEST:
            raise _Garbled(f"{path}: status {status}")

    def _unreachable(self, error: Exception) -> TraceError:
        return TraceError(
            f"cannot be reached: {str(error) or type(error).__name__}",
            where=self._server,
            next_step="Is it up, and the one of the kubeconfig? kubectl get --raw /version tells.",
        )


class _NoSuchResource(Exception):
    """The server does not know the resource."""


class _Garbled(Exception):
    """An answer that is none."""


async def _lines(parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    rest = b""
    async for part in parts:
        rest += part
        *whole, rest = rest.split(b"\n")
        for line in whole:
            if line.strip():
                yield line
        if len(rest) > MAX_LINE:
            raise _Garbled(f"a watch event of more than {MAX_LINE:,} bytes")


def _parsed(content: bytes) -> Object:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise _Garbled(f"not JSON: {error}") from error
    if not isinstance(document, Mapping):
        raise _Garbled("not a JSON object")
    return document
