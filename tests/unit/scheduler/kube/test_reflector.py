"""Following one collection: lists, watches, pauses. (How failures are survived is tested in the runtime.)"""

import asyncio

import pytest

from scheduler.kube.access import Access, BearerToken
from scheduler.kube.client import NODES, Client
from scheduler.kube.connection import Connection
from scheduler.kube.pauses import Pauses
from scheduler.kube.reflector import Object, Reflector
from tests.unit.scheduler.builders import node_object
from tests.unit.scheduler.fake_server import FakeApi


@pytest.mark.parametrize(
    ("failures", "pause"), [(1, 0.5), (2, 1.0), (3, 2.0), (5, 8.0), (6, 10.0), (1000, 10.0)]
)
def test_pauses_double_up_to_a_limit(failures: int, pause: float) -> None:
    assert Pauses(0.5, 10.0).after(failures) == pause


class Seen:
    """What a reflector told, in order."""

    def __init__(self) -> None:
        self.told: list[str] = []

    async def listed(self, objects: list[Object]) -> None:
        self.told.append("listed " + " ".join(each["metadata"]["name"] for each in objects))

    def changed(self, kind: str, found: Object) -> None:
        self.told.append(f"{kind} {found['metadata']['name']}")


def following(play: object, pauses: Pauses) -> list[str]:
    seen = Seen()

    async def run() -> None:
        async with (
            FakeApi() as api,
            Connection(Access(api.url, None, None, BearerToken()), "me") as connection,
        ):
            api.put("nodes", node_object("a"))
            reflector = Reflector(Client(connection, "me"), NODES, seen.listed, seen.changed, pauses)
            running = asyncio.create_task(reflector.run())
            try:
                await play(api)  # type: ignore[operator]  # a coroutine function
            finally:
                running.cancel()
                await asyncio.wait((running,))

    asyncio.run(run())
    return seen.told


NEVER = Pauses(first_s=3600.0, longest_s=3600.0)
"""A test in which there is a pause does not end."""


def test_a_list_and_then_what_changes() -> None:
    async def play(api: FakeApi) -> None:
        await api.until(lambda: api.watching("nodes"))
        api.put("nodes", node_object("b"))
        api.put("nodes", node_object("a", 1))
        api.remove("nodes", "b")
        api.end_watches()
        await api.until(lambda: not api.watching("nodes"))
        api.put("nodes", node_object("c"))
        await api.until(lambda: api.watching("nodes"))
        api.put("nodes", node_object("d"))
        api.end_watches()
        await api.until(lambda: not api.watching("nodes"))
        await api.until(lambda: api.watching("nodes"))

    assert following(play, NEVER) == ["listed a", "ADDED b", "MODIFIED a", "DELETED b", "ADDED c", "ADDED d"]


def test_a_server_that_ends_each_watch_at_once_is_not_asked_in_a_tight_loop() -> None:
    async def play(api: FakeApi) -> None:
        await api.until(lambda: api.watching("nodes"))
        api.end_watches()
        await api.until(lambda: not api.watching("nodes"))
        for _ in range(1000):
            await asyncio.sleep(0)
        assert len(api.sent("watch=true")) == 1

    following(play, NEVER)


def test_a_server_that_knows_no_history_at_all_is_not_asked_in_a_tight_loop() -> None:
    async def play(api: FakeApi) -> None:
        api.fail("watch=true", 410, times=10)
        await api.until(lambda: api.sent("watch=true"))
        for _ in range(1000):
            await asyncio.sleep(0)
        assert len(api.sent("nodes")) == 2

    following(play, NEVER)


def test_a_list_that_fails_midway_begins_anew() -> None:
    async def play(api: FakeApi) -> None:
        await api.until(lambda: api.watching("nodes"))

    async def failing(api: FakeApi) -> None:
        api.fail("GET /api/v1/nodes", 410)
        api.fail("GET /api/v1/nodes", 500)
        await play(api)

    assert following(failing, Pauses(0.001, 0.001)) == ["listed a"]
