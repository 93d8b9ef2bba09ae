"""The little server for probes and Prometheus."""

import asyncio

import aiohttp
import pytest

from scheduler.errors import ConfigurationError
from scheduler.listener import Listener


def listener(listen: tuple[str, int] = ("127.0.0.1", 0), ailment: str = "", obstacle: str = "") -> Listener:
    return Listener(listen, lambda: ailment, lambda: obstacle, lambda: b"some_metric 1.0\n")


async def fetched(port: int, path: str) -> tuple[int, str, str]:
    async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{port}{path}") as answer:
        return answer.status, answer.headers["Content-Type"], await answer.text()


def answers(one: Listener, *paths: str) -> list[tuple[int, str, str]]:
    async def ask() -> list[tuple[int, str, str]]:
        async with one:
            return [await fetched(one.port, path) for path in paths]

    return asyncio.run(ask())


def test_all_is_well() -> None:
    plain = "text/plain; charset=utf-8"
    found = answers(listener(), "/healthz", "/livez", "/readyz", "/metrics", "/other")
    assert found[:3] == [(200, plain, "ok")] * 3
    assert found[3] == (200, "text/plain; version=0.0.4; charset=utf-8", "some_metric 1.0\n")
    assert found[4][0] == 404


def test_what_is_in_the_way_is_told() -> None:
    found = answers(listener(ailment="it is ill", obstacle="not yet"), "/healthz", "/readyz")
    assert [(status, text) for status, _, text in found] == [(503, "it is ill"), (503, "not yet")]


def test_an_address_that_is_taken() -> None:
    async def both() -> None:
        async with listener() as first:
            with pytest.raises(ConfigurationError, match=f"127.0.0.1:{first.port}.*--listen"):
                await listener(("127.0.0.1", first.port)).__aenter__()
            assert (await fetched(first.port, "/healthz"))[0] == 200

    asyncio.run(both())
