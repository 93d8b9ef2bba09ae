"""One client's connection: uvicorn's own, with a short way for requests that are answered at once.

ASGI takes a task, a scope and four messages for a request; a create or a bind needs none of them, since its
answer is there as soon as its body is. Such requests are answered where their last byte is parsed, in one
write. Watches, documents, the control side, and whatever is unusual about a request (an upgrade, a body
announced by ``Expect``, a predecessor that is still being answered, a client that does not take its answers)
go uvicorn's way.
"""

from typing import Any, Final
from urllib.parse import unquote

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from fakeapi.app import Application
from fakeapi.machinery.status import too_large
from fakeapi.rest.asgi import Request, Response, refusal

_RESOURCES: Final = (b"/api/v1/", b"/apis/")
_WATCH: Final = b"watch"
_FRAGMENT: Final = b"#"
"""In a URL: a watch (or what only looks like one), and what no client of an API sends."""


class Connection(HttpToolsProtocol):
    """Parses requests and answers them, one after the other."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        served = self.config.app
        assert isinstance(served, Application)
        self._served: Final = served
        self._traffic: Final = served.kube.traffic
        self._limit: Final = served.kube.body_limit
        self._body: list[bytes] | None = None
        """What has come of the body of a request on the short way; None on uvicorn's."""
        self._length = 0

    def on_message_begin(self) -> None:
        """A request begins: its scope is made only where it is needed."""
        self.url = b""
        self.expect_100_continue = False
        self.headers = []

    def on_headers_complete(self) -> None:
        """Its head is there: choose the way."""
        if self._is_short():
            self._body, self._length = [], 0
            self._traffic.begin()
            return
        self._body = None
        url, headers, expected = self.url, self.headers, self.expect_100_continue
        super().on_message_begin()
        self.url, self.expect_100_continue = url, expected
        self.headers.extend(headers)
        super().on_headers_complete()

    def _is_short(self) -> bool:
        url = self.url
        return (
            url.startswith(_RESOURCES)
            and _WATCH not in url
            and _FRAGMENT not in url
            and not self._is_answering()
            and not self.flow.write_paused
            and not self.expect_100_continue
            and not self.parser.should_upgrade()
            and self.parser.get_http_version() == "1.1"
        )

    def _is_answering(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not cycle.response_complete

    def on_body(self, body: bytes) -> None:
        """A part of its body."""
        if self._body is None:
            super().on_body(body)
            return
        self._length += len(body)
        if self._length <= self._limit:
            self._body.append(body)
        else:
            self._body.clear()  # read to its end, so that the client reads its refusal, and not kept

    def on_message_complete(self) -> None:
        """All of it is there."""
        if self._body is None:
            super().on_message_complete()
            return
        parts, self._body = self._body, None
        try:
            self._write(self._answer(b"".join(parts)))
        finally:
            self._traffic.end()

    def _answer(self, body: bytes) -> Response:
        if self._length > self._limit:
            return refusal(too_large(self._limit))
        path, _, query = self.url.partition(b"?")
        text = path.decode("ascii", "replace")
        method = self.parser.get_method().decode("ascii")
        return self._served.respond(
            Request(method, unquote(text) if "%" in text else text, query, self.headers, body)
        )

    def _write(self, response: Response) -> None:
        keep_alive = self.parser.should_keep_alive()
        head = [
            STATUS_LINE[response.code],
            b"content-type: %b\r\ncontent-length: %d\r\n" % (response.content_type, len(response.body)),
            *(b"%b: %b\r\n" % pair for pair in response.headers),
            b"\r\n" if keep_alive else b"connection: close\r\n\r\n",
        ]
        assert self.client is not None
        self._traffic.writing_to(self.client)
        self.transport.write(b"".join((*head, response.body)))
        if not keep_alive:
            self.transport.close()
        self.on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone, and with it a request whose body never came in whole."""
        if self._body is not None:
            self._body = None
            self._traffic.end()
        super().connection_lost(exc)
