"""Pods that have to leave their node: it is tainted against them, or it is no more.

Taint eviction follows ``pkg/controller/tainteviction``: pods that do not tolerate a node's ``NoExecute``
taints are deleted at once, those that tolerate them for a time when that is over; the API server lets every
pod tolerate ``not-ready`` and ``unreachable`` for 300 s. A pod on a machine that is down stays in its
deletion until the machine is back, since nobody confirms its end.

The pod garbage collector follows ``pkg/controller/podgc``: pods of a node that was deleted are failed and
removed by force. The real one looks each 20 s and waits 40 s for the node to come back, so that it takes 40
to 80 s; here it always takes 40 s. Pods that have ended are kept however many there are.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from fakeapi.controllers.pods import has_ended, is_ending
from fakeapi.controllers.worklist import WorkList
from fakeapi.kernel.clock import Clock
from fakeapi.kernel.events import EventQueue
from fakeapi.kernel.time import SECOND, Duration, Instant
from fakeapi.machinery.resources import NODES, PODS
from fakeapi.machinery.status import StatusError
from fakeapi.registry.conditions import with_condition
from fakeapi.registry.deletion import delete
from fakeapi.registry.options import DeleteOptions
from fakeapi.registry.registry import Registry
from fakeapi.storage.objects import Change, Key, Kind, Object, Version

QUARANTINE: Final[Duration] = 40 * SECOND
"""How long a deleted node may come back before its pods are removed (``quarantineTime``)."""
_NODES: Final = NODES.storage_key
_PODS: Final = PODS.storage_key
_NO_EXECUTE: Final = "NoExecute"
_BY_TAINT: Final = {
    "type": "DisruptionTarget",
    "status": "True",
    "reason": "DeletionByTaintManager",
    "message": "Taint manager: deleting due to NoExecute taint",
}
_BY_PODGC: Final = {
    "type": "DisruptionTarget",
    "status": "True",
    "reason": "DeletionByPodGC",
    "message": "PodGC: node no longer exists",
}
_GONE: Final = (404, 409)
"""Refusals that leave nothing to do: the pod is gone, or another by now."""

Json = dict[str, Any]


class Evictions:
    """Watches the taints of nodes, and nodes that are deleted."""

    def __init__(
        self,
        registry: Registry,
        queue: EventQueue,
        clock: Clock,
        pods_of: Callable[[str], Iterable[Key]],
    ) -> None:
        """``pods_of``: the pods that hold a node."""
        self._registry = registry
        self._store = registry.store
        self._clock = clock
        self._pods_of = pods_of
        self._tainted: dict[str, list[Json]] = {}
        """Node → its ``NoExecute`` taints."""
        self._evictions: WorkList[Key] = WorkList(queue, clock, self._evict, "taint eviction")
        self._orphans: WorkList[str] = WorkList(queue, clock, self._collect, "pods of a deleted node")

    def attach(self) -> None:
        """Take up what exists, and listen from now on."""
        self._store.listen(self._hear)
        for version in self._store.iterate(_NODES):
            self._hear_node(Change(Kind.ADDED, version.revision, None, version))

    # ---- listening -----------------------------------------------------------------------------

    def _hear(self, collection: str, change: Change) -> None:
        if collection == _NODES:
            self._hear_node(change)
        elif collection == _PODS and (self._tainted or change.kind is Kind.DELETED):
            self._hear_pod(change)

    def _hear_node(self, change: Change) -> None:
        name = change.after.key[1]
        if change.kind is Kind.DELETED:
            self._tainted.pop(name, None)
            self._orphans.add(name, after=QUARANTINE)
            return
        taints = _no_execute(change.after.object)
        if taints == self._tainted.get(name, []):
            return
        if taints:
            self._tainted[name] = taints
        else:
            self._tainted.pop(name, None)
        for key in self._pods_of(name):
            self._plan(self._store.get(_PODS, key), taints)

    def _hear_pod(self, change: Change) -> None:
        pod = change.after
        if change.kind is Kind.DELETED or has_ended(pod.object) or is_ending(pod.object):
            self._evictions.forget(pod.key)
            return
        node = pod.object["spec"].get("nodeName")
        before = None if change.before is None else change.before.object["spec"]
        if node in self._tainted and before != pod.object["spec"]:
            self._plan(pod, self._tainted[node])

    def _plan(self, pod: Version, taints: list[Json]) -> None:
        """Have a pod evicted as its tolerations say; the time that it has counts from the first taint."""
        after = tolerated_for(pod.object, taints)
        if after is None or is_ending(pod.object) or has_ended(pod.object):
            self._evictions.forget(pod.key)
        else:
            self._evictions.add(pod.key, after=after)

    # ---- what falls due ----------------------------------------------------------------------------

    def _evict(self, key: Key, _: Instant) -> None:
        pod = self._store.find(_PODS, key)
        if pod is None or pod.object["spec"].get("nodeName") not in self._tainted:
            return
        self._mark(pod, _BY_TAINT)
        self._delete(pod, DeleteOptions(uid=pod.object["metadata"]["uid"]))

    def _collect(self, node: str, _: Instant) -> None:
        if self._store.find(_NODES, ("", node)) is not None:
            return  # it came back
        for key in tuple(self._pods_of(node)):
            pod = self._store.find(_PODS, key)
            if pod is None:
                continue
            if not has_ended(pod.object):
                self._mark(pod, _BY_PODGC, phase="Failed")
            self._delete(pod, DeleteOptions(uid=pod.object["metadata"]["uid"], grace_s=0))

    def _mark(self, pod: Version, condition: Json, *, phase: str | None = None) -> None:
        marked = with_condition(pod.object, condition, self._registry.now_text())
        if phase is not None:
            marked = {**marked, "status": {**marked["status"], "phase": phase}}
        self._store.update(_PODS, pod.key, marked)

    def _delete(self, pod: Version, options: DeleteOptions) -> None:
        try:
            delete(self._registry, PODS, *pod.key, options)
        except StatusError as error:
            if error.code not in _GONE:
                raise


def _no_execute(node: Object) -> list[Json]:
    taints = (node.get("spec") or {}).get("taints") or ()
    return [taint for taint in taints if taint.get("effect") == _NO_EXECUTE]


def tolerated_for(pod: Object, taints: Iterable[Json]) -> Duration | None:
    """How long a pod may stay beside these ``NoExecute`` taints: 0 for not at all, None for ever."""
    used: list[Json] = []
    for taint in taints:
        found = next((each for each in pod["spec"].get("tolerations") or () if _tolerates(each, taint)), None)
        if found is None:
            return 0
        used.append(found)
    limits = [max(0, each["tolerationSeconds"]) for each in used if each.get("tolerationSeconds") is not None]
    return min(limits) * SECOND if limits else None


def _tolerates(toleration: Json, taint: Json) -> bool:
    """``Toleration.ToleratesTaint``."""
    if toleration.get("effect") not in (None, "", taint["effect"]):
        return False
    if toleration.get("key") and toleration["key"] != taint["key"]:
        return False
    if toleration.get("operator") == "Exists":
        return True
    return bool(toleration.get("key")) and toleration.get("value", "") == taint.get("value", "")
