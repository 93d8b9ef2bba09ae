"""What scenes with open watches are made of: changes from within the loop, and a clean end."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from fakeapi.machinery.resources import Resource, builtin
from tests.unit.fakeapi.rest.client import Client, Exchange, Json, Stream, run, settle

_CONFIGS = builtin("configmaps")


def config(client: Client, name: str, **labels: str) -> Json:
    """Create a ConfigMap; the created object."""
    return create(client, _CONFIGS, {"metadata": {"name": name, "labels": labels}})


def create(client: Client, resource: Resource, obj: Json) -> Json:
    """Create an object in the namespace ``default``."""
    return client.world.registry.create(resource, "default", obj).object


def label(client: Client, name: str, **labels: str) -> None:
    """Give a ConfigMap other labels."""

    def relabelled(obj: Json) -> Json:
        return {**obj, "metadata": {**obj["metadata"], "labels": labels}}

    client.world.registry.modify(_CONFIGS, "default", name, relabelled)


def remove(client: Client, name: str) -> None:
    """Remove a ConfigMap."""
    client.world.store.delete(_CONFIGS.storage_key, ("default", name))


def watchers(client: Client) -> int:
    """Subscriptions in the store, of any kind."""
    return sum(len(home.watchers) for home in client.world.store._collections.values())


def open_watch(client: Client, scope: Json, exchange: Exchange, send: Any) -> Stream:
    """Begin a watch whose messages go through ``send``."""

    async def serve() -> None:
        await client.api(scope, exchange.receive, send)

    return Stream(exchange, asyncio.create_task(serve()))


def play(client: Client, scene: Coroutine[Any, Any, None]) -> None:
    """Play a scene to its end, after which nobody watches any more."""

    async def played() -> None:
        await scene
        await settle()

    run(played())
    assert client.api.traffic.in_flight == 0
    assert not client.api.traffic.watches
    assert watchers(client) == 0
