"""The Kubernetes side as one ASGI callable: parse, look up, run the verb, answer; refusals in one place."""

import logging
from collections.abc import Awaitable, Callable
from typing import Final

import orjson

from fakeapi.machinery.status import StatusError, internal
from fakeapi.registry.failures import translate
from fakeapi.rest import read, write
from fakeapi.rest.asgi import (
    Disconnected,
    Message,
    Receive,
    Scope,
    Send,
    header,
    read_body,
    send_bytes,
    send_status,
)
from fakeapi.rest.formats import presenter_for
from fakeapi.rest.nonresource import NonResource
from fakeapi.rest.request import RequestInfo, parse_request
from fakeapi.rest.traffic import Traffic
from fakeapi.rest.watching import WatchTimes, watch
from fakeapi.rest.write import Outcome
from fakeapi.storage.errors import StoreError
from fakeapi.storage.objects import Version
from fakeapi.world import World

_log = logging.getLogger(__name__)

BODY_LIMIT: Final = 3 * 1024 * 1024
"""Bytes of a request body that are read, as in the real server."""
_CORE_DEPTH: Final = 3
_GROUP_DEPTH: Final = 4
"""Slashes in the shortest path of a resource: ``/api/v1/pods`` and ``/apis/apps/v1/deployments``."""

_Writer = Callable[..., Outcome]
_WRITERS: Final[dict[str, _Writer]] = {
    "create": write.create,
    "update": write.update,
    "patch": write.patch,
    "delete": write.remove,
}


class KubeApi:
    """Serves every Kubernetes path of a world; ``traffic`` counts what it still owes."""

    def __init__(self, world: World, body_limit: int = BODY_LIMIT, times: WatchTimes | None = None) -> None:
        self.traffic: Final = Traffic()
        self._world = world
        self._registry = world.registry
        self._body_limit = body_limit
        self._times = times or WatchTimes()
        self._other = NonResource(world)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        self.traffic.begin()
        try:
            await self._refusing(self._dispatch(scope), scope, receive, _Answer(send))
        finally:
            self.traffic.end()

    async def _refusing(
        self,
        handler: Callable[[Scope, Receive, Send], Awaitable[None]],
        scope: Scope,
        receive: Receive,
        send: "_Answer",
    ) -> None:
        try:
            await handler(scope, receive, send)
        except StatusError as error:
            await send_status(send, error)
        except (Disconnected, OSError):
            return  # nobody is there to be answered; servers say so by an OSError from ``send``
        except Exception as error:  # a bug of ours: the client gets a Status, the log the traceback
            _log.exception("%s %s failed", scope["method"], scope["path"])
            if not send.begun:  # else the answer stays incomplete, which the client notices
                await send_status(send, internal(f"{type(error).__name__}: {error}"))

    def _dispatch(self, scope: Scope) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
        path: str = scope["path"]
        depth = path.rstrip("/").count("/")
        if path.startswith("/api/") and depth >= _CORE_DEPTH:
            return self._resource
        if path.startswith("/apis/") and depth >= _GROUP_DEPTH:
            return self._resource
        return self._other.answer

    async def _resource(self, scope: Scope, receive: Receive, send: Send) -> None:
        info = parse_request(self._world.table, scope["method"], scope["path"], scope["query_string"])
        try:
            await self._verb(info, scope, receive, send)
        except StoreError as error:
            raise translate(error, info.resource, info.name) from None

    async def _verb(self, info: RequestInfo, scope: Scope, receive: Receive, send: Send) -> None:
        presenter = presenter_for(header(scope, b"accept"), info, self._world.clock)
        if info.verb == "watch":
            client = tuple(scope.get("client") or ("", 0))
            await watch(self._registry, info, presenter, receive, send, self.traffic, client, self._times)
            return
        if info.verb == "list":
            await send_bytes(send, read.list_page(self._registry, info, presenter))
            return
        if info.verb == "get" and info.subresource != "scale":
            await send_bytes(send, read.get(self._registry, info, presenter))
            return
        if info.verb == "get":
            outcome = write.get_scale(self._registry, info)
        else:
            body = await read_body(receive, self._body_limit)
            content_type = header(scope, b"content-type")
            if info.verb == "deletecollection":
                page = write.remove_collection(self._registry, info, body, content_type)
                self._world.run_due()
                await send_bytes(send, presenter.many(page))
                return
            writer = write.create_subresource if info.subresource and info.verb == "create" else None
            outcome = (writer or _WRITERS[info.verb])(self._registry, info, body, content_type)
            # What that sets in motion at this very instant (a bound pod starts) happens before the answer.
            self._world.run_due()
        result = outcome.result
        answer = presenter.one(result) if isinstance(result, Version) else orjson.dumps(result)
        await send_bytes(send, answer, outcome.code, headers=_warning_headers(outcome.warnings))


class _Answer:
    """What is sent for one request, and whether that has begun."""

    __slots__ = ("_send", "begun")

    def __init__(self, send: Send) -> None:
        self._send = send
        self.begun = False

    async def __call__(self, message: Message) -> None:
        self.begun = True
        await self._send(message)


def _warning_headers(warnings: tuple[str, ...]) -> list[tuple[bytes, bytes]]:
    # RFC 7234: code 299, an unknown agent, the text quoted.
    quoted = (text.replace("\\", "\\\\").replace('"', '\\"') for text in warnings)
    return [(b"warning", f'299 - "{text}"'.encode("ascii", "backslashreplace")) for text in quoted]
