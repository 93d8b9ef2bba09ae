"""The node lifecycle controller: what the cluster is told of machines that fell silent.

Follows ``pkg/controller/nodelifecycle/node_lifecycle_controller.go``. A machine that goes down says
nothing. :data:`GRACE` later its node becomes Ready=Unknown with a NoSchedule taint, and its pods not
ready; then the NoExecute taint comes, upon which pods are evicted: at once for one node, and for several
nodes of a zone one each :data:`EVICT_EVERY`. When most of a zone is silent the taints come more slowly,
or not at all in a small zone; and when all zones of the cluster are silent as a whole none comes, and
those that are there are taken away, since then the fault is taken to be the controller's.

Two differences. A real controller looks every 5 s, and a kubelet tells of itself every 10 s, so that a
real node is found silent 40 to 55 s after the crash; here it always takes 50 s. And there are no node
leases: nothing that a scheduler sees depends on them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeAlias

from fakeapi.cluster.nodestates import (
    UNREACHABLE,
    UNSCHEDULABLE,
    cordoned,
    is_ready,
    uncordoned,
    unknown,
    with_taint,
    without_taint,
    zone_of,
)
from fakeapi.kernel.clock import Clock
from fakeapi.kernel.events import Event, EventQueue, Rank
from fakeapi.kernel.time import SECOND, Duration, Instant, format_instant
from fakeapi.machinery.resources import NODES, PODS
from fakeapi.storage.objects import Change, Key, Kind, Object
from fakeapi.storage.store import Store

GRACE: Final[Duration] = 50 * SECOND
"""Silence after which a node is Unknown (``NodeMonitorGracePeriod``, ``config/v1alpha1/defaults.go``)."""
EVICT_EVERY: Final[Duration] = 10 * SECOND
"""Between two nodes of a zone (``--node-eviction-rate`` 0.1 a second)."""
EVICT_SELDOM: Final[Duration] = 100 * SECOND
"""The same while most of the zone is silent (``--secondary-node-eviction-rate`` 0.01 a second)."""
SMALL_ZONE: Final = 50
"""Nodes up to which none is evicted then (``--large-cluster-size-threshold``)."""
_MOST: Final = (55, 100)
"""Share of a zone that counts as most of it (``--unhealthy-zone-threshold`` 0.55)."""
_FEW: Final = 2
"""So many silent nodes are never most of a zone."""

_NODES: Final = NODES.storage_key
_PODS: Final = PODS.storage_key
Zone: TypeAlias = tuple[str, ...]


@dataclass(slots=True, eq=False)
class _ZoneState:
    nodes: int = 0
    silent: int = 0
    waiting: dict[str, None] = field(default_factory=dict)
    """Silent nodes without the NoExecute taint, in the order in which they fell silent."""
    free_at: Instant = 0
    """When the next taint may be put."""
    event: Event | None = None

    @property
    def pause(self) -> Duration | None:
        """Between two taints; None while none is put. All of it silent counts as a zone like any other."""
        most = self.silent * _MOST[1] >= self.nodes * _MOST[0]
        if self.silent == self.nodes or self.silent <= _FEW or not most:
            return EVICT_EVERY
        return EVICT_SELDOM if self.nodes > SMALL_ZONE else None


class NodeMonitor:
    """Watches over nodes that fall silent, and keeps the taint of cordoned ones.

    Args:
        pods_of: the pods that hold a node.
    """

    def __init__(
        self, store: Store, queue: EventQueue, clock: Clock, pods_of: Callable[[str], tuple[Key, ...]]
    ) -> None:
        self._store = store
        self._queue = queue
        self._clock = clock
        self._pods_of = pods_of
        self._zones: dict[Zone, _ZoneState] = {}
        self._known: dict[str, tuple[Zone, bool]] = {}
        """Node → its zone, and whether it is ready."""
        self._watched: dict[str, Event] = {}
        """Machines that went down and whose nodes are not Unknown yet."""

    def attach(self) -> None:
        """Take up the nodes that exist, and listen from now on."""
        self._store.listen(self._hear)
        for version in self._store.iterate(_NODES):
            self._count(version.key[1], version.object)

    def fell_silent(self, node: str) -> None:
        """A machine went down just now."""
        at = self._clock.now() + GRACE
        self._watched[node] = self._queue.schedule(
            at, Rank.CONTROLLER, partial(self._declare, node, at), "node unknown"
        )

    def heard_from(self, node: str) -> None:
        """The machine is up again, or is no more."""
        event = self._watched.pop(node, None)
        if event is not None:
            event.cancel()

    # ---- listening -----------------------------------------------------------------------------

    def _hear(self, collection: str, change: Change) -> None:
        if collection != _NODES:
            return
        name, node = change.after.key[1], change.after.object
        if change.kind is Kind.DELETED:
            self._forget(name)
            return
        self._count(name, node)
        if bool((node.get("spec") or {}).get("unschedulable")) != _has_taint(node, UNSCHEDULABLE):
            now = self._clock.now()
            self._queue.schedule(now, Rank.CONTROLLER, partial(self._match_cordon, name, now), "cordon taint")

    def _match_cordon(self, name: str, at: Instant) -> None:
        """Somebody else wrote ``unschedulable``: its taint follows."""
        version = self._store.find(_NODES, ("", name))
        if version is None:
            return
        node = version.object
        wanted = cordoned(node, at) if (node.get("spec") or {}).get("unschedulable") else uncordoned(node)
        if wanted != node:
            self._store.update(_NODES, version.key, wanted)

    def _count(self, name: str, node: Object) -> None:
        now = (zone_of(node), is_ready(node))
        before = self._known.get(name)
        if before == now:
            return
        waits = before is not None and name in self._zones[before[0]].waiting
        self._forget(name)
        zone = self._zones.setdefault(now[0], _ZoneState())
        self._known[name] = now
        zone.nodes += 1
        if not now[1]:
            zone.silent += 1
            if waits:  # in another zone now
                zone.waiting[name] = None
        if before is not None or not now[1]:
            self._plan_all()

    def _forget(self, name: str) -> None:
        known = self._known.pop(name, None)
        if known is None:
            return
        zone = self._zones[known[0]]
        zone.nodes -= 1
        zone.silent -= not known[1]
        zone.waiting.pop(name, None)
        if not zone.nodes:
            if zone.event is not None:
                zone.event.cancel()
            del self._zones[known[0]]

    # ---- what falls due ----------------------------------------------------------------------------

    def _declare(self, name: str, at: Instant) -> None:
        """The silence has lasted: the node is Unknown, its pods are not ready."""
        del self._watched[name]
        version = self._store.find(_NODES, ("", name))
        if version is None:
            return
        self._store.update(
            _NODES, version.key, with_taint(unknown(version.object, at), UNREACHABLE, "NoSchedule", at)
        )
        for key in self._pods_of(name):
            self._mark_unready(key, at)
        if name in self._known:
            self._zones[self._known[name][0]].waiting[name] = None
            if self._all_silent():
                self._pardon(at)
            self._plan_all()

    def _mark_unready(self, key: Key, at: Instant) -> None:
        """``MarkPodsNotReady`` of ``pkg/controller/util/node/controller_utils.go``."""
        pod = self._store.get(_PODS, key).object
        status = pod.get("status") or {}
        conditions = [
            {**found, "status": "False", "lastTransitionTime": format_instant(at)}
            if found["type"] == "Ready" and found.get("status") == "True"
            else found
            for found in status.get("conditions") or ()
        ]
        if conditions != (status.get("conditions") or []):
            self._store.update(_PODS, key, {**pod, "status": {**status, "conditions": conditions}})

    def _all_silent(self) -> bool:
        return all(zone.silent == zone.nodes for zone in self._zones.values())

    def _pardon(self, at: Instant) -> None:
        """The whole cluster is silent: nobody is evicted (``handleDisruption``)."""
        for name, (zone, _) in self._known.items():
            node = self._store.get(_NODES, ("", name)).object
            if _has_taint(node, UNREACHABLE, "NoExecute"):
                bare = with_taint(without_taint(node, UNREACHABLE), UNREACHABLE, "NoSchedule", at)
                self._store.update(_NODES, ("", name), bare)
                self._zones[zone].waiting[name] = None

    def _plan_all(self) -> None:
        stopped = self._all_silent()
        for zone in self._zones.values():
            if zone.event is not None:
                zone.event.cancel()
                zone.event = None
            pause = None if stopped else zone.pause
            if zone.waiting and pause is not None:
                at = max(self._clock.now(), zone.free_at)
                zone.event = self._queue.schedule(
                    at, Rank.CONTROLLER, partial(self._evict_next, zone, at, pause), "unreachable taint"
                )

    def _evict_next(self, zone: _ZoneState, at: Instant, pause: Duration) -> None:
        zone.event = None
        name = next(iter(zone.waiting), None)
        if name is None:  # it was removed, or is back
            return
        zone.free_at = at + pause
        del zone.waiting[name]
        node = self._store.get(_NODES, ("", name)).object
        if not is_ready(node):
            self._store.update(_NODES, ("", name), with_taint(node, UNREACHABLE, "NoExecute", at))
        self._plan_all()


def _has_taint(node: Object, key: str, effect: str | None = None) -> bool:
    return any(
        taint["key"] == key and effect in (None, taint["effect"])
        for taint in (node.get("spec") or {}).get("taints") or ()
    )
