"""A world without an API server: store, queue, clock and kubelet, with the registry's part played by hand."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fakeapi.cluster.annotations import PREFIX
from fakeapi.cluster.kubelet import Kubelet
from fakeapi.cluster.ledger import WorkEnded, WorkStarted
from fakeapi.cluster.machines import HardwareEvent, Machines
from fakeapi.cluster.nodes import CHIP_RESOURCE, NodeShape, build_node
from fakeapi.cluster.podrecord import PodDefaults
from fakeapi.kernel.clock import VirtualClock
from fakeapi.kernel.events import EventQueue, Rank
from fakeapi.kernel.time import SECOND, Duration, Instant, format_instant
from fakeapi.machinery.resources import NODES, PODS
from fakeapi.machinery.status import StatusError
from fakeapi.storage.objects import Change, Key, Object
from fakeapi.storage.store import Store

Json = dict[str, Any]


class Bench:
    """What tests do to a kubelet, and what they see of it."""

    def __init__(self, defaults: PodDefaults | None = None) -> None:
        self.clock = VirtualClock()
        self.queue = EventQueue(self.clock.now())
        self.store = Store()
        self.kubelet = Kubelet(self.store, self.queue, self.clock, defaults)
        self.kubelet.attach()
        self.work: list[WorkStarted | WorkEnded] = []
        self.kubelet.ledger.listen(self.work.append)
        self.machines = Machines(self.store, self.queue, self.clock, self.kubelet, self._evict)
        self.machines.attach()
        self.hardware: list[HardwareEvent] = []
        self.machines.listen(self.hardware.append)
        self.protected: set[Key] = set()
        """Pods that no budget lets go."""
        self.store.listen(self._note)
        self.last: dict[Key, Change] = {}
        """The newest change of each pod, of those that are gone too."""
        self._uids = 0

    def _note(self, collection: str, change: Change) -> None:
        if collection == PODS.storage_key:
            self.last[change.after.key] = change

    def _evict(self, key: Key) -> None:
        if not self.exists(key):
            raise StatusError(404, "NotFound", "gone")
        if key in self.protected:
            raise StatusError(429, "TooManyRequests", "no room")
        self.ask_deletion(key)

    # ---- what clients do ----

    def machine(self, name: str = "n1", chips: int = 4, **shape: Any) -> None:
        """A node of a whole machine, with chips and everything that a kubelet tells."""
        node = build_node(NodeShape(name, chips=chips, **shape), 1, self.clock.now())
        self.store.create(NODES.storage_key, ("", name), node)

    def get_node(self, name: str = "n1") -> Object:
        return self.store.get(NODES.storage_key, ("", name)).object

    def ready(self, name: str = "n1") -> Json:
        """The node's Ready condition."""
        conditions: list[Json] = self.get_node(name)["status"]["conditions"]
        return next(each for each in conditions if each["type"] == "Ready")

    def taints(self, name: str = "n1") -> list[tuple[str, str]]:
        return [(each["key"], each["effect"]) for each in self.get_node(name)["spec"].get("taints", ())]

    def after(self, duration: Duration, action: Callable[[], object]) -> None:
        """Let something happen to hardware, in its place among the events of the instant."""

        def act() -> None:
            action()

        self.queue.schedule(self.clock.now() + duration, Rank.FAILURE, act)

    def accounts(self) -> dict[str, WorkEnded]:
        """Pod's name → what became of its work, of those that ended."""
        return {event.pod[1]: event for event in self.work if isinstance(event, WorkEnded)}

    def node(self, name: str = "n1", address: str | None = "172.16.0.1") -> None:
        addresses = [] if address is None else [{"type": "InternalIP", "address": address}]
        obj = {"metadata": {"name": name}, "spec": {}, "status": {"addresses": addresses}}
        self.store.create(NODES.storage_key, ("", name), obj)

    def pod(
        self,
        name: str = "job",
        *,
        node: str | None = None,
        life: dict[str, str] | None = None,
        restart: str = "Never",
        finalizers: tuple[str, ...] = (),
        chips: int = 0,
        **spec: Any,
    ) -> Key:
        self._uids += 1
        metadata: Json = {
            "name": name,
            "namespace": "default",
            "uid": f"00000000-0000-4000-8000-{self._uids:012x}",
            "generation": 1,
            "creationTimestamp": format_instant(self.clock.now()),
            "annotations": {PREFIX + word: text for word, text in (life or {}).items()},
        }
        if finalizers:
            metadata["finalizers"] = list(finalizers)
        container: Json = {"name": "main", "image": "example.org/train:1.0"}
        if chips:
            container["resources"] = {"limits": {CHIP_RESOURCE: str(chips)}}
        spec.setdefault("containers", [container])
        spec["restartPolicy"] = restart
        if node is not None:
            spec["nodeName"] = node
        obj = {"metadata": metadata, "spec": spec, "status": {"phase": "Pending", "qosClass": "Burstable"}}
        self.store.create(PODS.storage_key, ("default", name), obj)
        return ("default", name)

    def bind(self, key: Key, node: str = "n1") -> None:
        pod = self.get(key)
        bound = {
            "type": "PodScheduled",
            "status": "True",
            "lastTransitionTime": format_instant(self.clock.now()),
        }
        conditions = [*pod["status"].get("conditions", ()), bound]
        self.change(
            key,
            spec={**pod["spec"], "nodeName": node},
            status={**pod["status"], "conditions": conditions},
        )

    def ask_deletion(self, key: Key, grace_s: int = 30) -> None:
        """What the registry writes for a graceful deletion."""
        ends = format_instant(self.clock.now() + grace_s * SECOND)
        self.change_metadata(key, deletionTimestamp=ends, deletionGracePeriodSeconds=grace_s)

    def remove(self, key: Key) -> None:
        self.store.delete(PODS.storage_key, key)

    def change(self, key: Key, **parts: Any) -> None:
        self.store.update(PODS.storage_key, key, {**self.get(key), **parts})

    def change_metadata(self, key: Key, **fields: Any) -> None:
        self.change(key, metadata={**self.get(key)["metadata"], **fields})

    def relive(self, key: Key, **life: str) -> None:
        said = {PREFIX + word.replace("_", "-"): text for word, text in life.items()}
        self.change_metadata(key, annotations={**self.get(key)["metadata"]["annotations"], **said})

    # ---- time ----

    @property
    def elapsed(self) -> Duration:
        return self.clock.now() - self.clock.start

    def run_until(self, instant: Instant) -> None:
        while (at := self._next()) is not None and at <= instant:
            self.clock.advance_to(at)
            self.queue.run_due(at)
            self.machines.validate()
        self.clock.advance_to(instant)
        self.queue.run_due(instant)

    def _next(self) -> Instant | None:
        instants = (self.queue.peek(), self.queue.peek_background())
        return min((at for at in instants if at is not None), default=None)

    def settle(self) -> None:
        """Everything that is due at this instant happens."""
        self.run_until(self.clock.now())

    def wait(self, duration: Duration) -> None:
        self.run_until(self.clock.now() + duration)

    # ---- what can be seen ----

    def exists(self, key: Key) -> bool:
        return self.store.find(PODS.storage_key, key) is not None

    def get(self, key: Key) -> Object:
        return self.store.get(PODS.storage_key, key).object

    def status(self, key: Key) -> Json:
        status: Json = self.get(key)["status"]
        return status

    def phase(self, key: Key) -> str:
        return str(self.status(key)["phase"])

    def container(self, key: Key, index: int = 0) -> Json:
        status: Json = self.status(key)["containerStatuses"][index]
        return status

    def conditions(self, key: Key) -> dict[str, Json]:
        return {condition["type"]: condition for condition in self.status(key)["conditions"]}


@pytest.fixture
def make_bench() -> Callable[[], Bench]:
    """Makes benches, for tests that need more than one."""
    return Bench


@pytest.fixture
def bench() -> Iterator[Bench]:
    """A bench with one node, checked once more after the test."""
    made = Bench()
    made.node()
    yield made
    made.settle()
    made.kubelet.validate()
