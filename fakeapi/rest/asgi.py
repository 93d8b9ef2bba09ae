"""The few ASGI shapes that the Kubernetes side uses, and how answers are written."""

from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from fakeapi.machinery.status import StatusError, too_large

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers: TypeAlias = Sequence[tuple[bytes, bytes]]

JSON: Final = b"application/json"
TEXT: Final = b"text/plain; charset=utf-8"


class Request(NamedTuple):
    """A request that is there in whole; header names in lower case."""

    method: str
    path: str
    query: bytes
    headers: Headers
    body: bytes = b""
    server: str = "127.0.0.1:0"
    """The address at which the client found the server."""


class Response(NamedTuple):
    """An answer that is there in whole."""

    body: bytes
    code: int = 200
    content_type: bytes = JSON
    headers: Headers = ()


class Disconnected(Exception):
    """The client went away before its request was complete."""


async def read_body(receive: Receive, limit: int) -> bytes:
    """The whole body of a request.

    Raises:
        StatusError: 413 when it is longer than ``limit`` bytes.
        Disconnected: the client went away.
    """
    message = await receive()
    body: bytes = message.get("body", b"")
    if not message.get("more_body"):
        _require_whole(message, body, limit)
        return body
    parts, length = [body], len(body)
    while message.get("more_body"):
        message = await receive()
        part = message.get("body", b"")
        parts.append(part)
        length += len(part)
        if length > limit:
            raise too_large(limit)
    body = b"".join(parts)
    _require_whole(message, body, limit)
    return body


def _require_whole(message: Message, body: bytes, limit: int) -> None:
    if message["type"] == "http.disconnect":
        raise Disconnected
    if len(body) > limit:
        raise too_large(limit)


async def send_response(send: Send, response: Response) -> None:
    """One whole answer."""
    body = response.body
    head = [
        (b"content-type", response.content_type),
        (b"content-length", b"%d" % len(body)),
        *response.headers,
    ]
    await send({"type": "http.response.start", "status": response.code, "headers": head})
    await send({"type": "http.response.body", "body": body})


def refusal(error: StatusError) -> Response:
    """A refusal as an answer."""
    return Response(orjson.dumps(error.to_json()), error.code, JSON, error.headers)


def header(headers: Headers, name: bytes) -> str:
    """The value of a request header, or an empty string; ``name`` in lower case."""
    for key, value in headers:
        if key == name:
            return bytes(value).decode("latin-1")
    return ""
