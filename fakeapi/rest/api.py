"""The Kubernetes side as one ASGI callable: parse, look up, run the verb, answer; refusals in one place."""

import logging
import re
from collections.abc import Callable
from typing import Final

import orjson

from fakeapi.machinery.status import StatusError, internal
from fakeapi.registry.failures import translate
from fakeapi.rest import read, write
from fakeapi.rest.asgi import (
    Disconnected,
    Message,
    Receive,
    Request,
    Response,
    Scope,
    Send,
    header,
    read_body,
    refusal,
    send_response,
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
        self.body_limit: Final = body_limit
        """Bytes of a request's body that are read at most."""
        self._times = times or WatchTimes()
        self._other = NonResource(world)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        self.traffic.begin()
        try:
            if _may_watch(scope):
                await self._stream(scope, receive, _Answer(send))
            else:
                await send_response(send, await self._whole(scope, receive))
        except (Disconnected, OSError):
            return  # nobody is there to be answered; servers say so by an OSError from ``send``
        finally:
            self.traffic.end()

    def respond(self, request: Request) -> Response:
        """The answer to any request but a watch: an object, a list, a document, or a refusal."""
        try:
            if _is_resource(request.path):
                return self._resource(request)
            return self._other.answer(request)
        except StatusError as error:
            return refusal(error)
        except Exception as error:  # a bug of ours: the client gets a Status, the log the traceback
            return _failure(request.method, request.path, error)

    async def _whole(self, scope: Scope, receive: Receive) -> Response:
        try:
            body = await read_body(receive, self.body_limit)
        except StatusError as error:
            return refusal(error)
        return self.respond(_request_of(scope, body))

    def _resource(self, request: Request) -> Response:
        info = parse_request(self._world.table, request.method, request.path, request.query)
        try:
            return self._verb(info, request)
        except StoreError as error:
            raise translate(error, info.resource, info.name) from None

    def _verb(self, info: RequestInfo, request: Request) -> Response:
        presenter = presenter_for(header(request.headers, b"accept"), info, self._world.clock)
        if info.verb == "list":
            return Response(read.list_page(self._registry, info, presenter))
        if info.verb == "get" and info.subresource != "scale":
            return Response(read.get(self._registry, info, presenter))
        if info.verb == "deletecollection":
            page = write.remove_collection(self._registry, info, request.body, _content_type(request))
            self._world.run_due()
            return Response(presenter.many(page))
        if info.verb == "get":
            outcome = write.get_scale(self._registry, info)
        else:
            outcome = _writer(info)(self._registry, info, request.body, _content_type(request))
            # What that sets in motion at this very instant (a bound pod starts) happens before the answer.
            self._world.run_due()
        result = outcome.result
        answer = presenter.one(result) if isinstance(result, Version) else orjson.dumps(result)
        return Response(answer, outcome.code, headers=_warning_headers(outcome.warnings))

    # ---- watches ----

    async def _stream(self, scope: Scope, receive: Receive, send: "_Answer") -> None:
        try:
            info = parse_request(self._world.table, scope["method"], scope["path"], scope["query_string"])
            if info.verb != "watch":
                await send_response(send, await self._whole(scope, receive))
                return
            presenter = presenter_for(header(scope["headers"], b"accept"), info, self._world.clock)
            client = tuple(scope.get("client") or ("", 0))
            await watch(self._registry, info, presenter, receive, send, self.traffic, client, self._times)
        except StatusError as error:
            await send_response(send, refusal(error))
        except (Disconnected, OSError):
            raise
        except Exception as error:  # as in ``respond``
            failure = _failure(scope["method"], scope["path"], error)
            if not send.begun:  # else the answer stays incomplete, which the client notices
                await send_response(send, failure)


def _is_resource(path: str) -> bool:
    if not path.startswith(("/api/", "/apis/")):
        return False
    depth = _GROUP_DEPTH if path.startswith("/apis/") else _CORE_DEPTH
    return path.rstrip("/").count("/") >= depth


def _may_watch(scope: Scope) -> bool:
    return b"watch" in scope["query_string"] and scope["method"] == "GET" and _is_resource(scope["path"])


def _request_of(scope: Scope, body: bytes) -> Request:
    host, port = scope.get("server") or ("127.0.0.1", 0)
    return Request(
        scope["method"], scope["path"], scope["query_string"], scope["headers"], body, f"{host}:{port}"
    )


def _content_type(request: Request) -> str:
    return header(request.headers, b"content-type")


def _writer(info: RequestInfo) -> _Writer:
    return write.create_subresource if info.subresource and info.verb == "create" else _WRITERS[info.verb]


def _failure(method: str, path: str, error: Exception) -> Response:
    _log.error("%s %s failed", method, path, exc_info=error)
    return refusal(internal(f"{type(error).__name__}: {error}"))


class _Answer:
    """What is sent for a watch, and whether that has begun."""

    __slots__ = ("_send", "begun")

    def __init__(self, send: Send) -> None:
        self._send = send
        self.begun = False

    async def __call__(self, message: Message) -> None:
        self.begun = True
        await self._send(message)


_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
"""What no header may hold; a client's field names come back in warnings."""


def _warning_headers(warnings: tuple[str, ...]) -> tuple[tuple[bytes, bytes], ...]:
    # RFC 7234: code 299, an unknown agent, the text quoted.
    return tuple(
        (b"warning", f'299 - "{_quoted(text)}"'.encode("ascii", "backslashreplace")) for text in warnings
    )


def _quoted(text: str) -> str:
    return _CONTROL.sub("?", text).replace("\\", "\\\\").replace('"', '\\"')
