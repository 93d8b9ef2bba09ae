"""The whole scheduler, short of its process, played against a small API server."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from scheduler.config import Settings
from scheduler.kube.access import Access, BearerToken
from scheduler.kube.client import Client
from scheduler.kube.connection import Connection
from scheduler.kube.pauses import Pauses
from scheduler.runtime import Runtime
from scheduler.timetext import MILLISECOND
from tests.unit.scheduler.builders import GPU, START, node_object
from tests.unit.scheduler.fake_server import FakeApi

QUICK = Pauses(first_s=0.001, longest_s=0.002)


class StoppedClock:
    """It is always the beginning."""

    def now(self) -> int:
        return START


@asynccontextmanager
async def scheduling(api: FakeApi, settings: Settings | None = None) -> AsyncIterator[asyncio.Task[None]]:
    access = Access(api.url, None, None, BearerToken())
    async with Connection(access, "lst-scheduler") as connection:
        client = Client(connection, "lst-scheduler")
        runtime = Runtime(settings or Settings(gather=MILLISECOND), client, StoppedClock(), QUICK)
        running = asyncio.create_task(runtime.run())
        try:
            yield running
        finally:
            assert not running.done(), running
            running.cancel()
            await asyncio.wait((running,))


@dataclass
class Case:
    """A scenario over a cluster with one node of 8 chips."""

    play: Callable[[FakeApi], Awaitable[None]]

    def __call__(self) -> None:
        async def run() -> None:
            async with FakeApi() as api:
                api.put("nodes", node_object("n", 8))
                await self.play(api)

        asyncio.run(run())


def played(play: Callable[[FakeApi], Awaitable[None]]) -> Callable[[], None]:
    """Make a test of a coroutine."""

    def test() -> None:
        Case(play)()

    test.__name__, test.__doc__ = play.__name__, play.__doc__
    return test


def gpus(count: int) -> dict[str, str]:
    return {GPU: str(count)}


async def bound(api: FakeApi, *names: str) -> None:
    await api.until(lambda: all(api.node_of(name) for name in names))
