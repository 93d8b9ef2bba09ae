"""Requests over real sockets: TLS, headers, and the two ways to fail."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from scheduler.kube.access import Access, BearerToken, from_kubeconfig
from scheduler.kube.connection import Connection
from scheduler.kube.errors import ApiError, UnreachableError
from tests.unit.scheduler.builders import node_object
from tests.unit.scheduler.fake_server import FakeApi
from tests.unit.scheduler.kube.test_access import CERTIFICATES, inline, kubeconfig

NODES = "/api/v1/nodes"


def plain(url: str, token: str = "") -> Access:
    return Access(url, None, None, BearerToken(token))


def server_tls() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATES / "server.pem", CERTIFICATES / "server.key")
    context.load_verify_locations(CERTIFICATES / "ca.pem")
    context.verify_mode = ssl.CERT_REQUIRED
    return context


def against(play: Callable[[FakeApi], Awaitable[None]], tls: ssl.SSLContext | None = None) -> None:
    async def run() -> None:
        async with FakeApi(tls=tls) as api:
            api.put("nodes", node_object("n", 8))
            await play(api)

    asyncio.run(run())


def test_what_is_sent_with_each_request() -> None:
    async def play(api: FakeApi) -> None:
        async with Connection(plain(api.url, "abc"), "me/1") as connection:
            answer = await connection.request("GET", NODES)
            with pytest.raises(ApiError):
                await connection.request("POST", "/apis/x", {"a": 1})
        assert [each["metadata"]["name"] for each in answer["items"]] == ["n"]
        sent, posted = api.headers
        assert sent["Authorization"] == "Bearer abc"
        assert (sent["Accept"], sent["User-Agent"]) == ("application/json", "me/1")
        assert "Content-Type" not in sent
        assert posted["Content-Type"] == "application/json"

    against(play)


def test_one_connection_serves_requests_one_after_the_other() -> None:
    async def play(api: FakeApi) -> None:
        async with Connection(plain(api.url), "me") as connection:
            for _ in range(3):
                await connection.request("GET", NODES)
        assert len(api.peers) == 1

    against(play)


def test_a_client_certificate_and_the_clusters_own_authority(tmp_path: Path) -> None:
    user = {"client-certificate-data": inline("client.pem"), "client-key-data": inline("client.key")}

    async def play(api: FakeApi) -> None:
        for name in ({}, {"tls-server-name": "api.test"}):
            cluster = {"server": api.url, "certificate-authority-data": inline("ca.pem"), **name}
            async with Connection(from_kubeconfig(kubeconfig(tmp_path, cluster, user)), "me") as connection:
                assert await connection.request("GET", NODES)

    against(play, server_tls())


@pytest.mark.parametrize(
    ("cluster", "user"),
    [
        pytest.param({}, {}, id="a server of unknown authority"),
        pytest.param(
            {"certificate-authority-data": inline("ca.pem"), "tls-server-name": "else.test"},
            {},
            id="another's name",
        ),
        pytest.param({"insecure-skip-tls-verify": True}, {}, id="no client certificate"),
    ],
)
def test_tls_that_does_not_come_about(
    tmp_path: Path, cluster: dict[str, object], user: dict[str, object]
) -> None:
    async def play(api: FakeApi) -> None:
        access = from_kubeconfig(kubeconfig(tmp_path, {"server": api.url, **cluster}, user))
        async with Connection(access, "me") as connection:
            with pytest.raises(UnreachableError, match=NODES):
                await connection.request("GET", NODES)

    against(play, server_tls())


def test_an_error_of_the_api() -> None:
    async def play(api: FakeApi) -> None:
        api.fail(NODES, 403)
        async with Connection(plain(api.url), "me") as connection:
            with pytest.raises(ApiError, match="403 OnDemand: on demand") as refusal:
                await connection.request("GET", NODES)
            assert (refusal.value.code, refusal.value.reason, refusal.value.passing) == (
                403,
                "OnDemand",
                False,
            )
            with pytest.raises(ApiError, match="404") as missing:
                await connection.request("GET", "/no/such/path")
            assert missing.value.reason == "", "what is no Status has no reason"

    against(play)


@pytest.mark.parametrize(
    ("code", "passing"), [(429, True), (500, True), (503, True), (400, False), (409, False)]
)
def test_which_errors_may_pass(code: int, passing: bool) -> None:
    assert ApiError(code, "", "").passing is passing


def test_a_connection_that_breaks_in_the_midst_of_a_request() -> None:
    async def play(api: FakeApi) -> None:
        api.fail(NODES, 0, times=2)
        async with Connection(plain(api.url), "me") as connection:
            with pytest.raises(UnreachableError, match=NODES):
                await connection.request("POST", NODES, {})
            assert await connection.request("GET", NODES), "a read is sent again by itself"

    against(play)


def test_nobody_there() -> None:
    async def run() -> None:
        async with FakeApi() as api:
            url = api.url
        async with Connection(plain(url), "me") as connection:
            with pytest.raises(UnreachableError, match=url):
                await connection.request("GET", NODES)
            with pytest.raises(UnreachableError, match=url):
                async with connection.stream(NODES):
                    raise AssertionError("nothing to read")

    asyncio.run(run())


def test_a_token_file_that_vanished(tmp_path: Path) -> None:
    async def play(api: FakeApi) -> None:
        access = Access(api.url, None, None, BearerToken(path=tmp_path / "token"))
        async with Connection(access, "me") as connection:
            with pytest.raises(UnreachableError, match="token"):
                await connection.request("GET", NODES)

    against(play)
