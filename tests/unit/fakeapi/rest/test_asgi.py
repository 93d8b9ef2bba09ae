"""Bodies come in one piece or in many, and answers leave whole."""

import asyncio
import json
from collections.abc import Sequence

import pytest

from fakeapi.machinery.status import StatusError, bad_request, too_many_requests
from fakeapi.rest.asgi import (
    JSON,
    TEXT,
    Disconnected,
    Message,
    Receive,
    Response,
    header,
    read_body,
    refusal,
    send_response,
)


def receiving(*messages: Message) -> Receive:
    waiting = list(messages)

    async def receive() -> Message:
        return waiting.pop(0)

    return receive


def parts(pieces: Sequence[bytes]) -> Receive:
    last = len(pieces) - 1
    return receiving(
        *(
            {"type": "http.request", "body": piece, "more_body": index < last}
            for index, piece in enumerate(pieces)
        )
    )


LEFT: Message = {"type": "http.disconnect"}


@pytest.mark.parametrize("pieces", [[b""], [b"abc"], [b"a", b"bc"], [b"", b"a", b"", b"bc", b""]])
def test_a_body_is_what_its_pieces_make(pieces: list[bytes]) -> None:
    assert asyncio.run(read_body(parts(pieces), 3)) == b"".join(pieces)


def test_a_message_without_a_body_is_an_empty_one() -> None:
    assert asyncio.run(read_body(receiving({"type": "http.request"}), 3)) == b""


@pytest.mark.parametrize("pieces", [[b"abcd"], [b"ab", b"cd"], [b"abcd", b""], [b"a", b"b", b"cd"]])
def test_a_body_over_the_limit_is_refused(pieces: list[bytes]) -> None:
    with pytest.raises(StatusError) as refused:
        asyncio.run(read_body(parts(pieces), 3))
    assert (refused.value.code, refused.value.reason) == (413, "RequestEntityTooLarge")
    assert refused.value.message == "Request entity too large: limit is 3"


def test_the_rest_of_a_body_over_the_limit_is_not_read() -> None:
    endless = receiving(*({"type": "http.request", "body": b"ab", "more_body": True} for _ in range(2)))
    with pytest.raises(StatusError):
        asyncio.run(read_body(endless, 3))


@pytest.mark.parametrize(
    "messages",
    [[LEFT], [{"type": "http.request", "body": b"a", "more_body": True}, LEFT]],
)
def test_a_client_that_leaves_has_sent_no_body(messages: list[Message]) -> None:
    with pytest.raises(Disconnected):
        asyncio.run(read_body(receiving(*messages), 3))


class Sent:
    """Keeps what is sent."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    async def __call__(self, message: Message) -> None:
        self.messages.append(message)

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        return list(self.messages[0]["headers"])


def test_an_answer_says_its_length_and_type() -> None:
    sent = Sent()
    asyncio.run(send_response(sent, Response(b"hello", 201, TEXT, [(b"warning", b"w")])))
    assert sent.messages == [
        {
            "type": "http.response.start",
            "status": 201,
            "headers": [(b"content-type", TEXT), (b"content-length", b"5"), (b"warning", b"w")],
        },
        {"type": "http.response.body", "body": b"hello"},
    ]


def test_a_refusal_is_a_status() -> None:
    refused = refusal(bad_request("no"))
    assert (refused.code, refused.content_type) == (400, JSON)
    assert json.loads(refused.body) == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "no",
        "reason": "BadRequest",
        "code": 400,
    }


def test_a_refusal_takes_its_headers_along() -> None:
    assert (b"retry-after", b"10") in refusal(too_many_requests("later", 10)).headers


def test_headers_are_found_by_their_name() -> None:
    headers = [(b"accept", b"a"), (b"x", b"\xe9"), (b"accept", b"b")]
    assert header(headers, b"accept") == "a"
    assert header(headers, b"x") == "é"
    assert header(headers, b"y") == ""
