"""A world with its controllers, and a scheduler that binds everything to one node at a time."""

from collections.abc import Mapping
from typing import Any

import pytest

from fakeapi.cluster.annotations import PREFIX
from fakeapi.cluster.nodes import NodeShape, build_node
from fakeapi.kernel.clock import VirtualClock
from fakeapi.kernel.time import Duration, Instant
from fakeapi.machinery.resources import NODES, PODS, Resource, builtin
from fakeapi.registry.deletion import delete
from fakeapi.registry.options import DeleteOptions
from fakeapi.registry.pods import bind
from fakeapi.storage.objects import Object, Version
from fakeapi.world import World

Json = dict[str, Any]
JOBS = builtin("jobs", "batch")


class Cluster:
    """What tests do to a world, and what they see of it."""

    def __init__(self, *, controllers: bool = True) -> None:
        self.clock = VirtualClock()
        self.world = World(self.clock, controllers=controllers)
        self.registry = self.world.registry
        self.store = self.world.store
        self.add_node("n")
        self.binds = True
        self.binds_to = "n"

    # ---- what clients do ----

    def add_node(self, name: str) -> None:
        self.registry.create(NODES, "", build_node(NodeShape(name, chips=64), 1, self.clock.now()))

    def create(self, resource: Resource, obj: Json, namespace: str = "default") -> Object:
        return self.registry.create(resource, namespace if resource.namespaced else "", obj).object

    def job(
        self, name: str = "train", *, run: str = "1h", exit_code: int = 0, restart: str = "Never", **spec: Any
    ) -> Object:
        """Create a Job whose pods run for so long."""
        annotations = {f"{PREFIX}run-time": run, f"{PREFIX}exit-code": str(exit_code)}
        template = {
            "metadata": {"annotations": annotations},
            "spec": {"restartPolicy": restart, "containers": [{"name": "main", "image": "train"}]},
        }
        return self.create(JOBS, {"metadata": {"name": name}, "spec": {"template": template, **spec}})

    def change(self, resource: Resource, name: str, namespace: str = "default", /, **spec: Any) -> None:
        """Change fields of an object's specification."""

        def edit(obj: Json) -> Json:
            return {**obj, "spec": {**obj["spec"], **spec}}

        self.registry.modify(resource, namespace, name, edit)

    def delete(
        self,
        resource: Resource,
        name: str,
        namespace: str = "default",
        *,
        propagation: str | None = None,
        grace: int | None = None,
    ) -> None:
        options = DeleteOptions(propagation=propagation, grace_s=grace)
        delete(self.registry, resource, namespace, name, options)

    # ---- time ----

    def run(self, duration: Duration = 0) -> None:
        """Let time pass, event by event; what waits for a node gets it at once."""
        until = self.clock.now() + duration
        self._settle()
        while (at := self._next()) is not None and at <= until:
            self.clock.advance_to(at)
            self._settle()
        self.clock.advance_to(until)
        self._settle()

    def _next(self) -> Instant | None:
        instants = (self.world.queue.peek(), self.world.queue.peek_background())
        return min((at for at in instants if at is not None), default=None)

    def _settle(self) -> None:
        while self.world.run_due() or self._bind_all():
            pass

    def _bind_all(self) -> bool:
        waiting = [pod for pod in self.pods() if self.binds and not pod["spec"].get("nodeName")]
        for pod in waiting:
            name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
            target = {"kind": "Node", "name": self.binds_to}
            bind(self.registry, namespace, name, {"metadata": {"name": name}, "target": target})
        return bool(waiting)

    # ---- what can be seen ----

    def find(self, resource: Resource, name: str, namespace: str = "default") -> Object | None:
        found = self.store.find(resource.storage_key, (namespace if resource.namespaced else "", name))
        return None if found is None else found.object

    def pods(self, phase: str = "") -> list[Object]:
        """The pods in the order of their creation; with a phase only those in it."""
        found: list[Version] = sorted(self.store.iterate(PODS.storage_key), key=lambda each: each.created)
        return [each.object for each in found if phase in ("", each.object["status"].get("phase"))]

    def status(self, name: str = "train") -> Json:
        found = self.find(JOBS, name)
        assert found is not None
        status: Json = found["status"]
        return status

    def counts(self, name: str = "train") -> Mapping[str, int]:
        """The numbers of a Job's status that are not 0."""
        names = ("active", "ready", "terminating", "succeeded", "failed")
        return {each: self.status(name)[each] for each in names if self.status(name).get(each)}

    def conditions(self, name: str = "train") -> dict[str, str]:
        """The reasons of a Job's conditions that are true."""
        found = self.status(name).get("conditions") or ()
        return {each["type"]: each["reason"] for each in found if each["status"] == "True"}


@pytest.fixture
def cluster() -> Cluster:
    """A cluster of one node."""
    return Cluster()
