"""The control side: what a world says of itself, and moving its clock by hand."""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from fakeapi.cluster.annotations import RUN_TIME
from fakeapi.cluster.nodes import NodeShape, build_node
from fakeapi.kernel.clock import Clock, ScaledClock, VirtualClock
from fakeapi.kernel.time import HOUR, MINUTE
from fakeapi.machinery.resources import NODES, PODS
from fakeapi.rest.control import Steering, control_app, state_digest
from fakeapi.world import World

Ask = Callable[..., httpx.Response]


def asker(world: World, steering: Steering, speed: float | None = None) -> Ask:
    app = control_app(world, steering, speed)

    async def once(method: str, path: str, body: object) -> httpx.Response:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://world") as client:
            return await client.request(method, f"/_fakeapi{path}", json=body)

    def ask(path: str, body: object = None) -> httpx.Response:
        return asyncio.run(once("GET" if body is None else "POST", path, body))

    return ask


def new_world(clock: Clock | None = None) -> World:
    world = World(clock or VirtualClock(), seed=1)
    world.registry.create(NODES, "", build_node(NodeShape("n1"), 0, world.clock.now()))
    return world


def add_pod(world: World, name: str, run_time: str) -> None:
    pod: dict[str, Any] = {
        "metadata": {"name": name, "annotations": {RUN_TIME: run_time}},
        "spec": {
            "nodeName": "n1",
            "restartPolicy": "Never",
            "containers": [{"name": "main", "image": "example.org/train:1"}],
        },
    }
    world.registry.create(PODS, "default", pod)


@pytest.fixture
def world() -> World:
    return new_world()


@pytest.fixture
def ask(world: World) -> Ask:
    return asker(world, Steering.MANUAL)


def phase(world: World, name: str) -> str:
    return str(world.store.get(PODS.storage_key, ("default", name)).object["status"]["phase"])


def test_the_clock_tells_its_time_and_what_comes_next(world: World, ask: Ask) -> None:
    add_pod(world, "job", "90m")
    world.run_due()
    assert ask("/clock").json() == {
        "now": "2026-01-05T00:00:00Z",
        "now_ns": world.clock.now(),
        "steering": "manual",
        "speed": None,
        "next_event": "2026-01-05T01:30:00Z",
        "next_event_in": "1h30m",
        "pending_events": 1,
    }


def test_nothing_to_come_is_null(ask: Ask) -> None:
    clock = ask("/clock").json()
    assert (clock["next_event"], clock["next_event_in"], clock["pending_events"]) == (None, None, 0)


def test_a_running_clock_tells_its_speed() -> None:
    ask = asker(new_world(ScaledClock(0, 60.0)), Steering.REAL, 60.0)
    assert ask("/clock").json()["speed"] == 60.0


def test_the_state_counts_objects_and_pods_by_phase(world: World, ask: Ask) -> None:
    add_pod(world, "short", "1m")
    add_pod(world, "long", "1h")
    add_pod(world, "other", "1h")
    ask("/clock/advance", {"by": "1m"})
    state = ask("/state").json()
    assert state["pods"] == {"Running": 2, "Succeeded": 1}
    assert state["objects"]["pods"] == 3
    assert state["objects"]["nodes"] == 1
    assert state["revision"] == world.store.revision
    assert state["digest"] == state_digest(world)


def test_equal_worlds_have_equal_digests_and_others_have_not() -> None:
    first, second = new_world(), new_world()
    assert state_digest(first) == state_digest(second)
    add_pod(second, "job", "1m")
    assert state_digest(first) != state_digest(second)


def test_moving_the_clock_lets_everything_happen_on_the_way_in_order(world: World, ask: Ask) -> None:
    add_pod(world, "first", "10m")
    add_pod(world, "second", "20m")
    seen: list[tuple[str, int]] = []
    start = world.clock.now()

    def note(_: str, change: Any) -> None:
        if change.after.object["status"].get("phase") == "Succeeded":
            seen.append((change.after.key[1], world.clock.now() - start))

    world.store.listen(note)
    answer = ask("/clock/advance", {"by": "1h"}).json()
    assert seen == [("first", 10 * MINUTE), ("second", 20 * MINUTE)]
    assert answer == {
        "now": "2026-01-05T01:00:00Z",
        "now_ns": start + HOUR,
        "moved": "1h",
        "events": 4,
        "complete": True,
    }


def test_an_event_at_the_instant_that_is_reached_happens(world: World, ask: Ask) -> None:
    add_pod(world, "job", "10m")
    ask("/clock/advance", {"by": "10m"})
    assert phase(world, "job") == "Succeeded"


def test_no_time_at_all_lets_happen_what_is_due(world: World, ask: Ask) -> None:
    add_pod(world, "job", "10m")
    assert ask("/clock/advance", {"by": "0s"}).json()["events"] == 1
    assert phase(world, "job") == "Running"


def test_a_bound_on_events_stops_early_and_can_be_gone_on_from(world: World, ask: Ask) -> None:
    add_pod(world, "first", "10m")
    add_pod(world, "second", "20m")
    answer = ask("/clock/advance", {"by": "1h", "max_events": 3}).json()
    assert (answer["complete"], answer["now"], answer["moved"]) == (False, "2026-01-05T00:10:00Z", "10m")
    assert phase(world, "second") == "Running"
    assert ask("/clock/advance", {"by": "50m"}).json()["now"] == "2026-01-05T01:00:00Z"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"by": "90"},
        {"by": "-1s"},
        {"by": "1000000d"},
        {"by": 5},
        {"by": "1" * 100 + "s"},
        {"by": "1s", "max_events": 0},
        {"by": "1s", "max_events": 10**9},
        {"by": "1s", "to": "tomorrow"},
    ],
)
def test_what_is_no_way_to_move_a_clock_changes_nothing(world: World, ask: Ask, body: object) -> None:
    before = world.clock.now()
    assert ask("/clock/advance", body).status_code == 422
    assert world.clock.now() == before


@pytest.mark.parametrize(
    ("steering", "why"),
    [
        (Steering.REAL, "this clock runs by itself: start the server with --clock manual to move it"),
        (Steering.DRIVEN, "this clock is moved by the program that runs the server"),
    ],
)
def test_a_clock_that_is_not_steered_by_hand_is_left_alone(
    world: World, steering: Steering, why: str
) -> None:
    before = world.clock.now()
    answer = asker(world, steering)("/clock/advance", {"by": "1h"})
    assert (answer.status_code, answer.json()["detail"]) == (409, why)
    assert world.clock.now() == before


def test_the_version_is_the_installed_one(ask: Ask) -> None:
    answer = ask("/version").json()
    assert answer["name"] == "scheduler-evaluator"
    assert answer["version"]
