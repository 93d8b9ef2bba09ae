"""What a world says of itself, and how its owner moves it: FastAPI under ``/_fakeapi/``, with OpenAPI pages.

Every handler is ``async`` on purpose: FastAPI would run others in threads, and a world
belongs to the thread of its event loop.
"""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Awaitable, Callable
from enum import Enum
from importlib.metadata import version as installed_version
from typing import Annotated, Final

from fastapi import FastAPI, HTTPException
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from fakeapi.cluster.annotations import MAX_DURATION
from fakeapi.kernel.clock import VirtualClock
from fakeapi.kernel.time import Instant, format_duration, format_instant, parse_duration
from fakeapi.machinery.resources import PODS
from fakeapi.world import World

PREFIX: Final = "/_fakeapi"
DISTRIBUTION: Final = "scheduler-evaluator"
MAX_EVENTS: Final = 1_000_000
"""Events that one request runs at most: about a minute of work."""
_MAX_DURATION_TEXT: Final = 64


class Steering(Enum):
    """Who moves the world's clock."""

    REAL = "real"
    """It runs with the machine's clock, ``speed`` times as fast."""
    MANUAL = "manual"
    """It stands still until somebody posts to ``/_fakeapi/clock/advance``."""
    DRIVEN = "driven"
    """It stands still until the program around the server moves it; nobody else may."""


class ClockState(BaseModel):
    """The world's time and what will happen next."""

    now: str = Field(description="The current instant, RFC 3339 in whole seconds.")
    now_ns: int = Field(description="The same in nanoseconds since the Unix epoch, exact.")
    steering: Steering = Field(description="Who moves the clock: real, manual or driven.")
    speed: float | None = Field(
        description="Virtual seconds for a real one; null where the clock is steered."
    )
    next_event: str | None = Field(
        description="Instant of the next event; null when nothing is left to happen."
    )
    next_event_in: str | None = Field(description="From now until then, such as 1h30m.")
    pending_events: int = Field(description="Events that wait in the queue.")


class WorldState(BaseModel):
    """What the world holds."""

    revision: int = Field(description="The newest resourceVersion.")
    digest: str = Field(description="SHA-256 over all objects: equal for equal worlds.")
    objects: dict[str, int] = Field(description="How many objects there are, by group/resource.")
    pods: dict[str, int] = Field(description="How many pods there are, by phase.")


class Version(BaseModel):
    """What serves."""

    name: str
    version: str


def _readable(text: str) -> str:
    duration = parse_duration(text)
    if not 0 <= duration <= MAX_DURATION:
        raise ValueError(f"must be 0s to {format_duration(MAX_DURATION)}")
    return text


class Advance(BaseModel):
    """How far to move the clock."""

    model_config = ConfigDict(extra="forbid")

    by: Annotated[
        str,
        Field(
            max_length=_MAX_DURATION_TEXT, description="A duration such as 90s, 1.5h or 2d.", examples=["90m"]
        ),
        AfterValidator(_readable),
    ]
    max_events: int = Field(
        default=MAX_EVENTS, ge=1, le=MAX_EVENTS, description="Stop early once this many events have run."
    )


class Advanced(BaseModel):
    """What moving the clock did."""

    now: str = Field(description="The instant that was reached.")
    now_ns: int
    moved: str = Field(description="How far the clock was moved.")
    events: int = Field(description="Events that ran.")
    complete: bool = Field(description="False when max_events was met first: call again to go on.")


def control_app(world: World, steering: Steering, speed: float | None = None) -> FastAPI:
    """The control side of a world whose clock is steered that way."""
    app = FastAPI(
        title="fakeapi control",
        summary="The world behind this API server: its time and its state.",
        version=installed_version(DISTRIBUTION),
        docs_url=f"{PREFIX}/docs",
        redoc_url=None,
        openapi_url=f"{PREFIX}/openapi.json",
    )

    @app.get(f"{PREFIX}/clock", summary="The world's time")
    async def clock() -> ClockState:
        return _clock_state(world, steering, speed)

    @app.get(f"{PREFIX}/state", summary="What the world holds")
    async def state() -> WorldState:
        return _world_state(world)

    @app.get(f"{PREFIX}/version", summary="What serves")
    async def version() -> Version:
        return Version(name=DISTRIBUTION, version=app.version)

    app.post(
        f"{PREFIX}/clock/advance",
        summary="Move the clock, and let everything happen on the way, in order",
        responses={409: {"description": "The clock is not steered by hand."}},
    )(_advance_handler(world, steering))
    return app


def _clock_state(world: World, steering: Steering, speed: float | None) -> ClockState:
    now, upcoming = world.clock.now(), world.queue.peek()
    return ClockState(
        now=format_instant(now),
        now_ns=now,
        steering=steering,
        speed=speed if steering is Steering.REAL else None,
        next_event=None if upcoming is None else format_instant(upcoming),
        next_event_in=None if upcoming is None else format_duration(max(0, upcoming - now)),
        pending_events=len(world.queue),
    )


def _world_state(world: World) -> WorldState:
    keys = sorted({resource.storage_key for resource in world.table})
    phases = Counter(
        (version.object.get("status") or {}).get("phase", "Unknown")
        for version in world.store.iterate(PODS.storage_key)
    )
    return WorldState(
        revision=world.store.revision,
        digest=state_digest(world),
        objects={key.lstrip("/"): count for key in keys if (count := world.store.count(key))},
        pods=dict(sorted(phases.items())),
    )


def state_digest(world: World) -> str:
    """SHA-256 over every object, by collection and key: two runs that went alike have the same."""
    digest = hashlib.sha256()
    for key in sorted({resource.storage_key for resource in world.table}):
        for version in world.store.iterate(key):
            digest.update(b"%s\n%s\n" % (key.encode(), version.json))
    return digest.hexdigest()


def _advance_handler(world: World, steering: Steering) -> Callable[[Advance], Awaitable[Advanced]]:
    moving = asyncio.Lock()

    async def advance(request: Advance) -> Advanced:
        clock = world.clock
        if steering is not Steering.MANUAL or not isinstance(clock, VirtualClock):
            raise HTTPException(409, _NOT_BY_HAND[steering])
        async with moving:  # two at once would pass each other's instants
            begun = clock.now()
            events = await _advance(world, clock, begun + parse_duration(request.by), request.max_events)
            return Advanced(
                now=format_instant(clock.now()),
                now_ns=clock.now(),
                moved=format_duration(clock.now() - begun),
                events=events,
                complete=clock.now() - begun == parse_duration(request.by),
            )

    return advance


_NOT_BY_HAND: Final = {
    Steering.REAL: "this clock runs by itself: start the server with --clock manual to move it",
    Steering.DRIVEN: "this clock is moved by the program that runs the server",
    Steering.MANUAL: "this clock cannot be moved",
}


async def _advance(world: World, clock: VirtualClock, until: Instant, max_events: int) -> int:
    """Instant by instant, giving way between them so that watchers hear of each before the next."""
    events = world.run_due()
    while (at := world.queue.peek()) is not None and at <= until:
        if events >= max_events:
            return events
        clock.advance_to(at)
        events += world.run_due()
        await asyncio.sleep(0)
    clock.advance_to(until)
    return events
