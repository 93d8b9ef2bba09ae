"""A server that stands on its own: its world, its pace, its signals."""

import asyncio
import signal
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from fakeapi.app import create_app
from fakeapi.cluster.nodes import NodeShape, build_node
from fakeapi.collector import spare_the_collector
from fakeapi.config import ClusterSettings, ServerConfig
from fakeapi.kernel.chance import fresh_seed
from fakeapi.kernel.clock import Clock, ScaledClock, VirtualClock, wall_ns
from fakeapi.kernel.time import Instant
from fakeapi.machinery.resources import NODES
from fakeapi.rest.control import Steering
from fakeapi.serve import Server
from fakeapi.storage.objects import Change
from fakeapi.world import World

_LONGEST_SLEEP_S: Final = 3600.0
"""Real seconds after which a far event is looked at again: no event loop has timers for centuries."""

Announce: TypeAlias = Callable[[Server], None]


def build_world(config: ServerConfig) -> World:
    """The world that a configuration describes, with its clock running from now on."""
    seed = fresh_seed() if config.seed is None else config.seed
    world = World(_build_clock(config), seed, config.limits.history, controllers=config.cluster.controllers)
    _add_nodes(world, config.cluster)
    return world


def _build_clock(config: ServerConfig) -> Clock:
    start = wall_ns() if config.time.start is None else config.time.start
    if config.time.steering is Steering.REAL:
        return ScaledClock(start, config.time.speed)
    return VirtualClock(start)


def _add_nodes(world: World, cluster: ClusterSettings) -> None:
    for number in range(cluster.nodes):
        shape = NodeShape(f"node-{number}", chips=cluster.chips, chip_resource=cluster.chip_resource)
        world.registry.create(NODES, "", build_node(shape, number, world.clock.now()))


def build_server(config: ServerConfig, world: World) -> Server:
    """The server of a world.

    Raises:
        ConfigError: the address cannot be listened on, or the TLS files cannot be used.
    """
    app = create_app(
        world,
        token=config.network.token,
        body_limit=config.limits.body,
        steering=config.time.steering,
        speed=config.time.speed,
    )
    return Server(app, config.network)


class Pacer:
    """Lets events happen when they are due: on time where the clock runs, at once where it is steered."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._changed = asyncio.Event()
        self._next: Instant | None = None
        """The event that is slept towards."""
        self._looking = False
        # Events are scheduled by those who listen to the store: any change may bring an earlier one.
        world.store.listen(self._hear)

    async def run(self) -> None:
        """Go on until cancelled."""
        while True:
            self._changed.clear()
            self._world.run_due()
            self._next = self._world.queue.peek()
            await asyncio.sleep(0)  # events that bring others of the same instant must not shut clients out
            if not self._changed.is_set():
                await self._sleep()

    def _hear(self, _collection: str, _change: Change) -> None:
        if not self._looking:  # once for all changes of a request, when the last of them has been heard of
            self._looking = True
            asyncio.get_running_loop().call_soon(self._look)

    def _look(self) -> None:
        self._looking = False
        if self._world.queue.peek() != self._next:
            self._changed.set()

    async def _sleep(self) -> None:
        try:
            async with asyncio.timeout(self._delay()):
                await self._changed.wait()
        except TimeoutError:
            return

    def _delay(self) -> float | None:
        at, clock = self._next, self._world.clock
        if at is None or not isinstance(clock, ScaledClock):
            return None
        return min(clock.real_delay(at), _LONGEST_SLEEP_S)


async def serve_forever(config: ServerConfig, announce: Announce) -> None:
    """Serve until SIGINT or SIGTERM; a second one does not wait for requests in flight.

    ``announce`` is called once the server accepts connections.

    Raises:
        ConfigError: the address cannot be listened on, or the TLS files cannot be used.
    """
    world = build_world(config)
    server = build_server(config, world)
    interruptions = _Interruptions()
    spare_the_collector()
    pacing = asyncio.create_task(Pacer(world).run(), name="fakeapi-pacer")
    try:
        await server.start()
        announce(server)
        await _first_of(asyncio.ensure_future(interruptions.first.wait()), pacing, server.task)
        await _first_of(
            asyncio.ensure_future(server.stop()), asyncio.ensure_future(interruptions.second.wait())
        )
    finally:
        pacing.cancel()
        await asyncio.gather(pacing, server.stop(quick=True), return_exceptions=True)
        interruptions.release()


async def _first_of(*waits: "asyncio.Future[Any]") -> None:
    """Wait for one of them; raise what it raised; the others go on."""
    done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for wait in done:
        wait.result()


class _Interruptions:
    """SIGINT and SIGTERM as events: the first asks to stop, the second to hurry."""

    SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)

    def __init__(self) -> None:
        self.first = asyncio.Event()
        self.second = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in self.SIGNALS:
            loop.add_signal_handler(number, self._interrupt)

    def _interrupt(self) -> None:
        (self.second if self.first.is_set() else self.first).set()

    def release(self) -> None:
        """Give the signals back."""
        loop = asyncio.get_running_loop()
        for number in self.SIGNALS:
            loop.remove_signal_handler(number)
