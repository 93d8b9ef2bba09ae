"""The few ASGI shapes that the Kubernetes side uses, and how answers are written."""

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, Final, TypeAlias

import orjson

from fakeapi.machinery.status import StatusError, too_large

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers: TypeAlias = Iterable[tuple[bytes, bytes]]

JSON: Final = b"application/json"
TEXT: Final = b"text/plain; charset=utf-8"


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


async def send_bytes(
    send: Send, body: bytes, code: int = 200, content_type: bytes = JSON, headers: Headers = ()
) -> None:
    """One whole answer."""
    head = [(b"content-type", content_type), (b"content-length", b"%d" % len(body)), *headers]
    await send({"type": "http.response.start", "status": code, "headers": head})
    await send({"type": "http.response.body", "body": body})


async def send_json(send: Send, value: Any, code: int = 200, headers: Headers = ()) -> None:
    """One whole answer in JSON."""
    await send_bytes(send, orjson.dumps(value), code, JSON, headers)


async def send_status(send: Send, error: StatusError) -> None:
    """A refusal."""
    await send_json(send, error.to_json(), error.code, error.headers)


def header(scope: Scope, name: bytes) -> str:
    """The value of a request header, or an empty string; ``name`` in lower case."""
    for key, value in scope["headers"]:
        if key == name:
            return bytes(value).decode("latin-1")
    return ""
