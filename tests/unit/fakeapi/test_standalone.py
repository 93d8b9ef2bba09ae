"""A world that keeps its own pace, and the program that serves it until it is asked to stop."""

import asyncio
import os
import signal
import socket
from collections.abc import Callable

import httpx
import pytest
import uvloop

from fakeapi.cluster.annotations import RUN_TIME
from fakeapi.config import ClusterSettings, ConfigError, NetworkSettings, ServerConfig, TimeSettings
from fakeapi.kernel.clock import ScaledClock, VirtualClock
from fakeapi.kernel.events import Rank
from fakeapi.kernel.time import DAY, HOUR
from fakeapi.machinery.resources import NODES, PODS
from fakeapi.rest.control import Steering
from fakeapi.serve import Server
from fakeapi.standalone import Pacer, build_world, serve_forever
from fakeapi.world import World
from tests.support.polling import until

WITHIN_S = 20.0


def add_pod(world: World, run_time: str) -> None:
    pod = {
        "metadata": {"name": "job", "annotations": {RUN_TIME: run_time}},
        "spec": {
            "nodeName": "node-0",
            "restartPolicy": "Never",
            "containers": [{"name": "main", "image": "example.org/train:1"}],
        },
    }
    world.registry.create(PODS, "default", pod)


def phase(world: World) -> str:
    return str(world.store.get(PODS.storage_key, ("default", "job")).object["status"]["phase"])


class TestWorld:
    def test_nodes_and_chips_are_there_from_the_beginning(self) -> None:
        config = ServerConfig(cluster=ClusterSettings(nodes=3, chips=4, chip_resource="amd.com/gpu"))
        nodes = list(build_world(config).store.iterate(NODES.storage_key))
        assert [node.key[1] for node in nodes] == ["node-0", "node-1", "node-2"]
        assert {node.object["status"]["allocatable"]["amd.com/gpu"] for node in nodes} == {"4"}

    def test_the_same_seed_and_start_make_the_same_world(self) -> None:
        time = TimeSettings(steering=Steering.MANUAL, start=DAY)
        config = ServerConfig(time=time, cluster=ClusterSettings(nodes=2), seed=7)
        first, second = (list(build_world(config).store.iterate(NODES.storage_key)) for _ in range(2))
        assert [node.json for node in first] == [node.json for node in second]

    def test_the_clock_is_the_one_that_was_asked_for(self) -> None:
        manual = ServerConfig(time=TimeSettings(steering=Steering.MANUAL, start=5))
        assert isinstance(build_world(manual).clock, VirtualClock)
        assert build_world(manual).clock.now() == 5
        assert isinstance(build_world(ServerConfig()).clock, ScaledClock)


class TestPacer:
    def world(self, time: TimeSettings) -> World:
        return build_world(ServerConfig(time=time, cluster=ClusterSettings(nodes=1)))

    def paced(self, world: World, check: Callable[[], bool]) -> None:
        async def run() -> None:
            pacing = asyncio.create_task(Pacer(world).run())
            await asyncio.sleep(0)  # the pacer sleeps before the pod is there
            add_pod(world, "1h")
            await until(check)
            pacing.cancel()

        asyncio.run(run())

    def test_with_a_running_clock_a_pod_lives_on_time(self) -> None:
        world = self.world(TimeSettings(speed=100_000.0))
        self.paced(world, lambda: phase(world) == "Succeeded")
        pod = world.store.get(PODS.storage_key, ("default", "job")).object
        (status,) = pod["status"]["containerStatuses"]
        assert status["state"]["terminated"]["startedAt"] < status["state"]["terminated"]["finishedAt"]
        assert world.queue.peek() is None

    def test_with_a_clock_that_stands_only_this_instant_happens(self) -> None:
        world = self.world(TimeSettings(steering=Steering.MANUAL))
        self.paced(world, lambda: phase(world) == "Running")
        assert world.queue.peek() == world.clock.now() + HOUR


class TestServing:
    def serve(self, config: ServerConfig, during: Callable[[Server], object]) -> None:
        async def run() -> None:
            background: list[asyncio.Task[None]] = []

            async def visit(server: Server) -> None:
                try:
                    async with httpx.AsyncClient(base_url=server.url) as client:
                        assert (await client.get("/readyz")).status_code == 200
                finally:
                    during(server)

            async with asyncio.timeout(WITHIN_S):
                await serve_forever(
                    config, lambda server: background.append(asyncio.create_task(visit(server)))
                )
            await background[0]

        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(run())

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_it_serves_until_a_signal_comes(self, number: signal.Signals) -> None:
        # As a program in a terminal has it: one in the background may begin with SIGINT ignored.
        usual = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        before = signal.signal(number, usual)
        try:
            self.serve(ServerConfig(), lambda _: os.kill(os.getpid(), number))
            assert signal.getsignal(number) == usual
        finally:
            signal.signal(number, before)

    def test_an_address_that_cannot_be_had_ends_it_at_once(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            network = NetworkSettings(port=taken.getsockname()[1])
            with pytest.raises(ConfigError):
                self.serve(ServerConfig(network=network), lambda _: None)

    def test_a_bug_in_the_world_ends_it_with_its_cause(self) -> None:
        def break_world(server: Server) -> None:
            world = server.app.kube._world

            def fail() -> None:
                raise AssertionError("a broken event")

            world.queue.schedule(world.clock.now(), Rank.CONTROLLER, fail)
            world.registry.create(NODES, "", {"metadata": {"name": "wakes-the-pacer"}})

        with pytest.raises(AssertionError, match="a broken event"):
            self.serve(ServerConfig(), break_world)
