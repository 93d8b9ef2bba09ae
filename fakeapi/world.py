"""A cluster in one process: clock, queue, store, rules and the kubelets behind them."""

from typing import Final

from fakeapi.cluster import annotations
from fakeapi.cluster.failures import Failures
from fakeapi.cluster.kubelet import Kubelet
from fakeapi.cluster.machines import Machines
from fakeapi.cluster.nodes import CHIP_RESOURCE
from fakeapi.controllers.evictions import Evictions
from fakeapi.controllers.garbage import GarbageCollector
from fakeapi.controllers.jobs import JobController
from fakeapi.kernel.chance import Chance
from fakeapi.kernel.clock import Clock
from fakeapi.kernel.events import EventQueue
from fakeapi.machinery.resources import (
    NAMESPACES,
    PODS,
    PRIORITY_CLASSES,
    Resource,
    ResourceTable,
    builtin,
    builtin_table,
)
from fakeapi.machinery.status import Cause
from fakeapi.registry.admission import SYSTEM_PRIORITY_CLASSES
from fakeapi.registry.defaults import JsonObject
from fakeapi.registry.expiry import EventExpiry
from fakeapi.registry.pods import evict
from fakeapi.registry.registry import Registry
from fakeapi.storage.objects import Key
from fakeapi.storage.store import DEFAULT_HISTORY_LIMIT, Store

_NAMESPACES: Final = ("default", "kube-node-lease", "kube-public", "kube-system")


class World:
    """Everything behind the HTTP side; nothing in here knows HTTP."""

    def __init__(
        self,
        clock: Clock,
        seed: int = 0,
        history_limit: int = DEFAULT_HISTORY_LIMIT,
        chip_resource: str = CHIP_RESOURCE,
        *,
        controllers: bool = True,
    ) -> None:
        """``controllers``: whether Jobs make pods, garbage is collected, tainted nodes are left."""
        self.clock: Final = clock
        self.chance: Final = Chance(seed)
        self.queue: Final = EventQueue(clock.now())
        self.store: Final = Store(history_limit)
        self.table: Final[ResourceTable] = builtin_table()
        self.registry: Final = Registry(self.store, clock, self.chance, self.table)
        self.registry.add_check(_check_annotations)
        self.registry.add_mutation(self._report_progress)
        self.kubelet: Final = Kubelet(self.store, self.queue, clock, chip_resource=chip_resource)
        self.kubelet.attach()
        self.machines: Final = Machines(self.store, self.queue, clock, self.kubelet, self._evict)
        self.machines.attach()
        self.failures: Final = Failures(self.machines, self.store, self.queue, clock, self.chance)
        EventExpiry(self.store, clock).attach()
        if controllers:
            JobController(self.registry, self.queue, clock).attach()
            GarbageCollector(self.registry, self.queue, clock).attach()
            Evictions(self.registry, self.queue, clock, self.kubelet.holders).attach()
        self._bootstrap()

    def run_due(self) -> int:
        """Let everything happen that is due by now; return how many events that were."""
        return self.queue.run_due(self.clock.now())

    def _evict(self, pod: Key) -> None:
        evict(self.registry, *pod, {"metadata": {"name": pod[1]}})

    def _report_progress(self, resource: Resource, obj: JsonObject) -> None:
        if resource == PODS:
            self.kubelet.ledger.pieces.report(obj, self.clock.now())

    def _bootstrap(self) -> None:
        # What a cluster has before anybody uses it, as far as clients ask for it.
        for name in _NAMESPACES:
            self.registry.create(NAMESPACES, "", {"metadata": {"name": name}})
        for name, value in SYSTEM_PRIORITY_CLASSES.items():
            self._create_system_class(name, value)
        # kube-scheduler reads this at its start, for how to authenticate its own clients.
        authentication = {"metadata": {"name": "extension-apiserver-authentication"}, "data": {}}
        self.registry.create(builtin("configmaps"), "kube-system", authentication)

    def _create_system_class(self, name: str, value: int) -> None:
        # Straight into the store: the rules refuse such names and values to everybody else.
        obj = {
            "kind": PRIORITY_CLASSES.kind,
            "apiVersion": PRIORITY_CLASSES.api_version,
            "metadata": {
                "name": name,
                "uid": self.chance.uid(),
                "creationTimestamp": self.registry.now_text(),
                "generation": 1,
            },
            "value": value,
            "description": "Used for system critical pods.",
            "preemptionPolicy": "PreemptLowerPriority",
        }
        self.store.create(PRIORITY_CLASSES.storage_key, ("", name), obj)


def _check_annotations(resource: Resource, obj: JsonObject) -> list[Cause]:
    return annotations.check(obj) if resource == PODS else []
