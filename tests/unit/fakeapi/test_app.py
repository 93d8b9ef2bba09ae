"""Who may ask, and which side answers; without a socket."""

import asyncio
from typing import Any

import httpx
import pytest

from fakeapi.app import Application, create_app
from fakeapi.kernel.clock import VirtualClock
from fakeapi.world import World

TOKEN = "a-token-long-enough"


def ask(app: Application, path: str, method: str = "GET", **request: Any) -> httpx.Response:
    async def once() -> httpx.Response:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://world") as client:
            return await client.request(method, path, **request)

    return asyncio.run(once())


@pytest.fixture
def app() -> Application:
    return create_app(World(VirtualClock()))


@pytest.fixture
def guarded() -> Application:
    return create_app(World(VirtualClock()), token=TOKEN)


@pytest.mark.parametrize(
    "path", ["/api", "/apis", "/version", "/healthz", "/livez", "/readyz", "/api/v1/nodes"]
)
def test_kubernetes_paths_are_answered_by_the_kubernetes_side(app: Application, path: str) -> None:
    before = app.kube.traffic.requests
    assert ask(app, path).status_code == 200
    assert app.kube.traffic.requests == before + 1
    assert app.kube.traffic.in_flight == 0


def test_an_unknown_path_gets_the_status_of_the_real_server(app: Application) -> None:
    answer = ask(app, "/nowhere")
    assert answer.status_code == 404
    assert answer.json()["kind"] == "Status"
    assert answer.json()["reason"] == "NotFound"


def test_the_control_side_is_ordinary_fastapi_with_its_pages(app: Application) -> None:
    before = app.kube.traffic.requests
    assert ask(app, "/_fakeapi/clock").json()["now"] == "2026-01-05T00:00:00Z"
    assert "/_fakeapi/clock" in ask(app, "/_fakeapi/openapi.json").json()["paths"]
    assert "text/html" in ask(app, "/_fakeapi/docs").headers["content-type"]
    assert app.kube.traffic.requests == before


def test_a_path_that_only_begins_like_the_control_side_is_not_its(app: Application) -> None:
    assert ask(app, "/_fakeapiary").json()["kind"] == "Status"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer another-token-entirely"},
        {"authorization": f"Basic {TOKEN}"},
        {"authorization": TOKEN},
        {"authorization": "Bearer"},
        {"authorization": "Bearer schlüssel".encode("latin-1")},
    ],
)
@pytest.mark.parametrize("path", ["/api/v1/nodes", "/_fakeapi/clock", "/version"])
def test_without_the_token_nothing_is_told(guarded: Application, headers: dict[str, Any], path: str) -> None:
    answer = ask(guarded, path, headers=headers)
    assert answer.status_code == 401
    assert answer.json()["reason"] == "Unauthorized"


@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
def test_with_the_token_everything_is(guarded: Application, scheme: str) -> None:
    for path in ("/api/v1/nodes", "/_fakeapi/clock"):
        assert ask(guarded, path, headers={"authorization": f"{scheme} {TOKEN}"}).status_code == 200


def test_health_is_told_to_everybody(guarded: Application) -> None:
    for path in ("/healthz", "/livez", "/readyz"):
        assert ask(guarded, path).status_code == 200


def test_a_body_over_the_limit_is_refused() -> None:
    app = create_app(World(VirtualClock()), body_limit=2048)
    namespace = {"metadata": {"name": "a", "annotations": {"long": "x" * 2048}}}
    answer = ask(app, "/api/v1/namespaces", "POST", json=namespace)
    assert answer.status_code == 413
    assert ask(app, "/api/v1/namespaces/a").status_code == 404


def test_a_servers_life_is_followed(app: Application) -> None:
    incoming = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]
    sent: list[Any] = []

    async def receive() -> Any:
        return incoming.pop(0)

    async def send(message: Any) -> None:
        sent.append(message["type"])

    asyncio.run(app({"type": "lifespan"}, receive, send))
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


def test_websockets_are_turned_away(app: Application) -> None:
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message["type"])

    asyncio.run(app({"type": "websocket", "path": "/api/v1/pods"}, receive, send))
    assert sent == ["websocket.close"]
