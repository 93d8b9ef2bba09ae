"""HTTP to one API server, and failures told apart.

No wait here depends on how long the process believes to have been idle. Connections are kept without an
expiry of our own, watches have no time-out, and a peer that vanished is noticed by the kernel (TCP keep-alive
and user time-out): so neither a suspended machine nor a clock that is set forward by days makes a healthy
connection fail. A time limit exists only while a request is under way.
"""

import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Self

import aiohttp
import orjson
from yarl import URL

from scheduler.kube.access import Access
from scheduler.kube.errors import ApiError, UnreachableError

JSON = "application/json"

REQUEST_LIMIT_S = 60.0
"""Longest wait for an answer: API servers give up requests themselves after 60 s (--request-timeout)."""

KEEP_ALIVE_IDLE_S = 30
KEEP_ALIVE_INTERVAL_S = 10
KEEP_ALIVE_PROBES = 3
"""A silent peer is given up after 30 + 3 × 10 s, about what client-go's HTTP/2 pings allow (30 + 15 s)."""

UNACKNOWLEDGED_LIMIT_MS = 60_000
"""How long sent bytes may stay unacknowledged before the kernel gives the connection up."""

READ_BUFFER = 1 << 20
"""Bytes taken from a socket before the reader is asked to catch up: a watch in a burst carries some MB/s."""

NO_ANSWER = 0
"""What stands for a status where none came."""

_FIRST_ERROR = 400
_FAILURES = (aiohttp.ClientError, ssl.SSLError, OSError, TimeoutError)


def _new_socket(address: tuple[Any, ...]) -> socket.socket:
    family, kind, protocol, *_ = address
    made = socket.socket(family, kind, protocol)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (
        ("TCP_KEEPIDLE", KEEP_ALIVE_IDLE_S),
        ("TCP_KEEPINTVL", KEEP_ALIVE_INTERVAL_S),
        ("TCP_KEEPCNT", KEEP_ALIVE_PROBES),
        ("TCP_USER_TIMEOUT", UNACKNOWLEDGED_LIMIT_MS),
    ):
        option = getattr(socket, name, None)  # not every system has them
        if option is not None:
            made.setsockopt(socket.IPPROTO_TCP, option, value)
    return made


class Connection:
    """Requests to one API server. Use it as an asynchronous context manager."""

    def __init__(
        self, access: Access, user_agent: str, failed: Callable[[str, int], None] = lambda *_: None
    ) -> None:
        """``user_agent``: how we name ourselves to the server.

        ``failed`` is told of each request that fails: its method, and the status or 0 for no answer.
        """
        self._access = access
        self._base = access.server
        self._user_agent = user_agent
        self._failed = failed
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        tls: ssl.SSLContext | bool = self._access.tls if self._access.tls is not None else True
        connector = aiohttp.TCPConnector(
            ssl=tls,
            limit=0,
            keepalive_timeout=None,
            ttl_dns_cache=None,
            happy_eyeballs_delay=None,
            socket_factory=_new_socket,
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            headers={"Accept": JSON, "User-Agent": self._user_agent, "Accept-Encoding": "identity"},
            cookie_jar=aiohttp.DummyCookieJar(),
            read_bufsize=READ_BUFFER,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()

    async def request(self, method: str, path: str, body: object = None, content_type: str = JSON) -> Any:
        """Send a request and return the decoded answer.

        Raises:
            ApiError: the server answered with an error.
            UnreachableError: no answer came.
        """
        data = None if body is None else orjson.dumps(body)
        limit = aiohttp.ClientTimeout(total=REQUEST_LIMIT_S)
        async with self._open(method, path, data, content_type, limit) as response:
            return orjson.loads(await response.read())

    @asynccontextmanager
    async def stream(self, path: str) -> AsyncIterator[AsyncIterator[bytes]]:
        """Open a response that goes on, and yield its bytes as they come.

        Raises:
            ApiError: the server answered with an error.
            UnreachableError: no answer came, or the stream broke off.
        """
        async with self._open("GET", path, None, JSON, aiohttp.ClientTimeout(total=None)) as response:
            yield response.content.iter_any()

    @asynccontextmanager
    async def _open(
        self, method: str, path: str, data: bytes | None, content_type: str, limit: aiohttp.ClientTimeout
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        assert self._session is not None, "the connection is used outside of its context"
        try:
            headers = self._access.token.headers()
            if data is not None:
                headers["Content-Type"] = content_type
            async with self._session.request(
                method,
                URL(self._base + path, encoded=True),
                data=data,
                headers=headers,
                timeout=limit,
                allow_redirects=False,
                server_hostname=self._access.tls_name,
            ) as response:
                if response.status >= _FIRST_ERROR:
                    self._failed(method, response.status)
                    raise _error(response.status, await response.read())
                yield response
        except _FAILURES as error:
            self._failed(method, NO_ANSWER)
            raise UnreachableError(
                f"{method} {self._base}{path}: {str(error) or type(error).__name__}"
            ) from error
        except orjson.JSONDecodeError as error:
            self._failed(method, NO_ANSWER)
            raise UnreachableError(f"{method} {self._base}{path}: the answer is not JSON: {error}") from error


def _error(code: int, body: bytes) -> ApiError:
    try:
        status = orjson.loads(body)
        return ApiError(code, str(status.get("reason", "")), str(status.get("message", "")))
    except (orjson.JSONDecodeError, AttributeError):
        return ApiError(code, "", body[:_QUOTED_BYTES].decode("utf-8", "replace"))


_QUOTED_BYTES = 300
"""How much of an answer that is no Status is quoted: enough to see which proxy or program sent it."""
