"""A registry over an empty store in a clock that stands still, and the manifests that its tests write."""

from collections.abc import Callable
from typing import Any, Final

import pytest

from fakeapi.kernel.chance import Chance
from fakeapi.kernel.clock import VirtualClock
from fakeapi.kernel.time import SECOND, Duration
from fakeapi.machinery.resources import NAMESPACES, NODES, PODS, Resource, builtin, builtin_table
from fakeapi.machinery.status import StatusError
from fakeapi.registry.options import NO_OPTIONS, WriteOptions
from fakeapi.registry.pods import bind
from fakeapi.registry.registry import Registry
from fakeapi.storage.objects import Change, Version
from fakeapi.storage.store import Store

Json = dict[str, Any]

NOW: Final = "2026-01-05T00:00:00Z"
"""The instant at which every bench begins, as timestamps say it."""
CONFIG_MAPS: Final = builtin("configmaps")
DEPLOYMENTS: Final = builtin("deployments", "apps")
JOBS: Final = builtin("jobs", "batch")
LEASES: Final = builtin("leases", "coordination.k8s.io")


class Bench:
    """What tests do to a registry, and what they see of it."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.store = Store()
        self.registry = Registry(self.store, self.clock, Chance(1), builtin_table())
        self.changes: list[tuple[str, Change]] = []
        self.store.listen(lambda collection, change: self.changes.append((collection, change)))
        self.registry.create(NAMESPACES, "", {"metadata": {"name": "default"}})

    def wait(self, duration: Duration) -> None:
        self.clock.advance_to(self.clock.now() + duration)

    # ---- writing ----

    def create(
        self,
        resource: Resource,
        obj: Json,
        namespace: str = "default",
        options: WriteOptions = NO_OPTIONS,
    ) -> Json:
        home = namespace if resource.namespaced else ""
        return self.registry.create(resource, home, obj, options).object

    def pod(self, name: str = "pod", **spec: Any) -> Json:
        """Create a pod; the created object."""
        return self.create(PODS, pod(name, **spec))

    def node(self, name: str = "n1", **labels: str) -> Json:
        return self.create(NODES, {"metadata": {"name": name, "labels": labels}})

    def bound(self, name: str = "pod", **spec: Any) -> Json:
        """Create a pod and bind it to ``n1``; the bound object."""
        self.pod(name, **spec)
        return bind(self.registry, "default", name, binding(name)).object

    def modify(
        self,
        resource: Resource,
        name: str,
        change: Callable[[Json], Json],
        subresource: str = "",
        options: WriteOptions = NO_OPTIONS,
        namespace: str = "default",
    ) -> Version:
        home = namespace if resource.namespaced else ""
        return self.registry.modify(resource, home, name, change, options, subresource)

    def status(self, resource: Resource, name: str, **fields: Any) -> Json:
        """Write fields into an object's status."""

        def change(obj: Json) -> Json:
            return {**obj, "status": {**obj.get("status", {}), **fields}}

        return self.modify(resource, name, change, "status").object

    # ---- looking ----

    def get(self, resource: Resource, name: str, namespace: str = "default") -> Json:
        return self.registry.get(resource, namespace if resource.namespaced else "", name).object

    def exists(self, resource: Resource, name: str, namespace: str = "default") -> bool:
        key = (namespace if resource.namespaced else "", name)
        return self.store.find(resource.storage_key, key) is not None

    def events(self, resource: Resource) -> list[str]:
        """The kinds of all changes of that resource so far."""
        return [
            change.kind.value for collection, change in self.changes if collection == resource.storage_key
        ]


def pod(name: str = "pod", container: Json | None = None, **spec: Any) -> Json:
    """The manifest of a small pod; ``container`` changes its container, the rest its spec."""
    main = {
        "name": "main",
        "image": "registry.example/train:1",
        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}},
        **(container or {}),
    }
    return {"metadata": {"name": name}, "spec": {"containers": [main], **spec}}


def binding(name: str, node: str = "n1", **metadata: Any) -> Json:
    """A Binding of a pod."""
    return {"metadata": {"name": name, **metadata}, "target": {"kind": "Node", "name": node}}


def template(**spec: Any) -> Json:
    """A pod template with the label ``a: b``."""
    containers = [{"name": "main", "image": "registry.example/serve:1"}]
    return {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": containers, **spec}}


def workload(name: str = "work", **spec: Any) -> Json:
    """A Deployment, ReplicaSet, StatefulSet or DaemonSet."""
    selector = {"matchLabels": {"a": "b"}}
    return {"metadata": {"name": name}, "spec": {"selector": selector, "template": template(), **spec}}


def job(name: str = "job", **spec: Any) -> Json:
    """A Job whose pods do not restart."""
    pods = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "i:1"}]}}
    return {"metadata": {"name": name}, "spec": {"template": pods, **spec}}


def refusal(call: Callable[[], object]) -> StatusError:
    """The refusal that a call is answered with."""
    with pytest.raises(StatusError) as caught:
        call()
    return caught.value


def causes(error: StatusError) -> dict[str, str]:
    """Field → message of each cause of a refusal."""
    assert error.code == 422, error.message
    assert error.details is not None
    return {cause["field"]: cause["message"] for cause in error.details["causes"]}


def hours(count: float) -> Duration:
    return int(count * 3600 * SECOND)
