"""One callable for every path: where requests go, and how their failures are told."""

import asyncio
from typing import Any

import pytest

from fakeapi.rest.asgi import Message
from tests.unit.fakeapi.registry.bench import pod
from tests.unit.fakeapi.rest.client import (
    CONFIGS,
    MERGE_PATCH,
    PODS,
    TABLE,
    Client,
    run,
    settle,
    status_of,
)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/api", 200),
        ("/api/", 200),
        ("/apis", 200),
        ("/api/v1", 200),
        ("/api/v1/", 200),
        ("/apis/apps", 200),
        ("/apis/apps/v1", 200),
        ("/version", 200),
        ("/healthz", 200),
        ("/readyz", 200),
        ("/api/v1/pods", 200),
        ("/apis/apps/v1/deployments", 200),
        ("/apis/apps/v1/deployments/", 200),
        ("/", 200),
        ("/nothing", 404),
        ("/apis/nothing", 404),
        ("/apis/apps/v7", 404),
        ("/api/v1/nothing", 404),
        ("/apis/apps/v1/nothing", 404),
        ("//api/v1/pods", 404),
        ("/api//v1/pods", 404),
        ("/apis//v1/deployments", 404),
        ("/apis////", 200),
        ("/apis////x", 404),
    ],
)
def test_every_path_leads_somewhere(client: Client, path: str, code: int) -> None:
    assert client.get(path).code == code


def test_bodies_have_a_limit() -> None:
    client = Client(body_limit=1000)
    fits = {"metadata": {"name": "a"}, "data": {"k": "x" * 900}}
    assert client.post(CONFIGS, fits).code == 201
    for method, url, content_type in (
        ("POST", CONFIGS, "application/json"),
        ("PUT", f"{CONFIGS}/a", "application/json"),
        ("PATCH", f"{CONFIGS}/a", MERGE_PATCH),
        ("DELETE", f"{CONFIGS}/a", "application/json"),
        ("DELETE", CONFIGS, "application/json"),
    ):
        status = client.refused(413, method, url, b" " * 1001, content_type)
        assert status["reason"] == "RequestEntityTooLarge"


def test_the_usual_limit_is_three_megabytes(client: Client) -> None:
    client.refused(413, "POST", CONFIGS, b" " * (3 * 1024 * 1024 + 1))


def test_writes_are_answered_in_the_wanted_form(client: Client) -> None:
    made = client.ask("POST", CONFIGS, {"metadata": {"name": "a"}}, accept=TABLE)
    assert (made.code, made.json["kind"]) == (201, "Table")
    answer = client.ask("DELETE", CONFIGS, accept=TABLE)
    assert [row["cells"][0] for row in answer.json["rows"]] == ["a"]


def test_a_form_that_nobody_offers_is_refused_before_anything_is_done(client: Client) -> None:
    before = client.revision
    answer = client.ask("POST", CONFIGS, {"metadata": {"name": "a"}}, accept="text/html")
    assert (answer.code, status_of(answer)["reason"]) == (406, "NotAcceptable")
    assert client.revision == before


def test_every_request_is_counted(client: Client) -> None:
    client.get(CONFIGS)
    client.get("/healthz")
    client.get("/nothing")
    assert (client.api.traffic.requests, client.api.traffic.in_flight) == (3, 0)


def test_a_request_is_owed_until_its_body_has_come(client: Client) -> None:
    async def scene() -> None:
        scope, exchange = client.exchange("POST", CONFIGS, {"metadata": {"name": "a"}})
        body = exchange.requests.pop()
        came = asyncio.Event()

        async def receive() -> Message:
            await came.wait()
            return body

        task = asyncio.create_task(_serve(client, scope, receive, exchange.send))
        await settle()
        assert client.api.traffic.in_flight == 1
        came.set()
        await task
        assert client.api.traffic.in_flight == 0
        assert exchange.answer().code == 201

    run(scene())


async def _serve(client: Client, scope: Any, receive: Any, send: Any) -> None:
    await client.api(scope, receive, send)


def test_who_leaves_before_the_end_of_the_body_has_asked_for_nothing(client: Client) -> None:
    async def scene() -> None:
        scope, exchange = client.exchange("POST", CONFIGS, {"metadata": {"name": "a"}})
        exchange.requests[0]["more_body"] = True
        exchange.left.set()
        before = client.revision
        await client.api(scope, exchange.receive, exchange.send)
        assert exchange.sent == []
        assert client.revision == before
        assert client.api.traffic.in_flight == 0

    run(scene())


def test_who_leaves_before_the_answer_is_not_a_failure(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    async def scene() -> None:
        scope, exchange = client.exchange("GET", CONFIGS)

        async def broken(_: Message) -> None:
            raise OSError("the connection is gone")

        await client.api(scope, exchange.receive, broken)
        assert client.api.traffic.in_flight == 0

    run(scene())
    assert caplog.text == ""


def _fail(*_: object) -> Any:
    raise RuntimeError("a bug")


def test_a_bug_is_told_to_the_client_and_to_the_log(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("fakeapi.rest.read.list_page", _fail)
    answer = client.get(CONFIGS)
    assert (answer.code, status_of(answer)["reason"]) == (500, "InternalError")
    assert answer.json["message"] == "Internal error occurred: RuntimeError: a bug"
    assert f"GET {CONFIGS} failed" in caplog.text
    assert "Traceback" in caplog.text
    assert client.get(PODS.replace("pods", "pods/p")).code == 404, "the next request is served"


def test_a_scope_without_a_client_is_served(client: Client) -> None:
    async def scene() -> int:
        scope, exchange = client.exchange("GET", f"{CONFIGS}?watch=1&timeoutSeconds=1")
        scope["client"] = None
        await client.api(scope, exchange.receive, exchange.send)
        return exchange.answer().code

    assert run(scene()) == 200


def test_refusals_of_the_rules_keep_their_details(client: Client) -> None:
    status = client.refused(422, "POST", PODS, pod("UPPER"))
    assert status["details"]["kind"] == "Pod"
    assert status["details"]["causes"][0]["field"] == "metadata.name"


def test_a_wait_is_asked_for_in_a_header(client: Client) -> None:
    answer = client.get(f"{CONFIGS}?resourceVersion={client.revision + 5}")
    assert (answer.code, answer.header(b"retry-after")) == (504, b"1")
