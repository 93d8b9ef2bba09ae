"""What becomes of a ``Node`` object when its machine fails, comes back, or is cordoned.

Pure functions from a node and a moment to a new node; nothing given is changed.
"""

from collections.abc import Mapping
from typing import Any, Final
from uuid import NAMESPACE_DNS, uuid5

from fakeapi.cluster.nodes import READY_CONDITIONS
from fakeapi.cluster.podconditions import Json
from fakeapi.kernel.time import Instant, format_instant
from fakeapi.storage.objects import Object

UNREACHABLE: Final = "node.kubernetes.io/unreachable"
UNSCHEDULABLE: Final = "node.kubernetes.io/unschedulable"
_ZONE: Final = ("topology.kubernetes.io/region", "topology.kubernetes.io/zone")


def condition_of(obj: Mapping[str, Any], kind: str) -> Json:
    """The condition of that type; empty where there is none."""
    for found in (obj.get("status") or {}).get("conditions") or ():
        if found.get("type") == kind:
            return dict(found)
    return {}


def is_ready(node: Object) -> bool:
    """Whether the node's Ready condition is true."""
    return bool(condition_of(node, "Ready").get("status") == "True")


def zone_of(node: Object) -> tuple[str, ...]:
    """The region and zone by which the node controller counts (``GetZoneKey``)."""
    labels = node["metadata"].get("labels") or {}
    return tuple(labels.get(name, "") for name in _ZONE)


def unknown(node: Object, at: Instant) -> Object:
    """No word came from its kubelet: ``tryUpdateNodeHealth`` of the node lifecycle controller."""
    told = {found["type"]: found for found in (node.get("status") or {}).get("conditions") or ()}
    for kind, *_ in READY_CONDITIONS:
        told[kind] = _silent(told.get(kind), kind, node, format_instant(at))
    return _with_status(node, conditions=list(told.values()))


def _silent(condition: Json | None, kind: str, node: Object, now: str) -> Json:
    if condition is None:
        return {
            "type": kind,
            "status": "Unknown",
            "reason": "NodeStatusNeverUpdated",
            "message": "Kubelet never posted node status.",
            "lastHeartbeatTime": node["metadata"].get("creationTimestamp"),
            "lastTransitionTime": now,
        }
    if condition.get("status") == "Unknown":
        return condition
    return {
        **condition,
        "status": "Unknown",
        "reason": "NodeStatusUnknown",
        "message": "Kubelet stopped posting node status.",
        "lastTransitionTime": now,
    }


def answering(node: Object, at: Instant, boots: int) -> Object:
    """Its kubelet is back, on a machine that has booted ``boots`` times since it joined."""
    now = format_instant(at)
    told = {found["type"]: found for found in (node.get("status") or {}).get("conditions") or ()}
    for kind, status, reason, message in READY_CONDITIONS:
        before = told.get(kind) or {}
        same = before.get("status") == status
        told[kind] = {
            "type": kind,
            "status": status,
            "lastHeartbeatTime": now,
            "lastTransitionTime": before.get("lastTransitionTime", now) if same else now,
            "reason": reason,
            "message": message,
        }
    info = (node.get("status") or {}).get("nodeInfo") or {}
    boot = str(uuid5(NAMESPACE_DNS, f"bootID.{boots}.{node['metadata']['name']}"))
    return _with_status(node, conditions=list(told.values()), nodeInfo={**info, "bootID": boot})


def with_allocatable(node: Object, resource: str, count: int) -> Object:
    """Another number of a resource is allocatable; its capacity stays."""
    allocatable = (node.get("status") or {}).get("allocatable") or {}
    return _with_status(node, allocatable={**allocatable, resource: str(count)})


def cordoned(node: Object, at: Instant) -> Object:
    """Nothing more is to be placed on it: what ``kubectl cordon`` and the node controller write."""
    spec = {**(node.get("spec") or {}), "unschedulable": True}
    return with_taint({**node, "spec": spec}, UNSCHEDULABLE, "NoSchedule", at)


def uncordoned(node: Object) -> Object:
    """Pods may be placed on it again."""
    spec = {name: value for name, value in (node.get("spec") or {}).items() if name != "unschedulable"}
    return without_taint({**node, "spec": spec}, UNSCHEDULABLE)


def with_taint(node: Object, key: str, effect: str, at: Instant) -> Object:
    """The node with a taint of the node controller, added now unless it is there."""
    spec: Mapping[str, Any] = node.get("spec") or {}
    taints = list(spec.get("taints") or ())
    if any(taint["key"] == key and taint["effect"] == effect for taint in taints):
        return node
    taints.append({"key": key, "effect": effect, "timeAdded": format_instant(at)})
    return {**node, "spec": {**spec, "taints": taints}}


def without_taint(node: Object, key: str) -> Object:
    """The node without the taints of that key."""
    spec: Mapping[str, Any] = node.get("spec") or {}
    taints = [taint for taint in spec.get("taints") or () if taint["key"] != key]
    rest = {name: value for name, value in spec.items() if name != "taints"}
    return {**node, "spec": {**rest, "taints": taints} if taints else rest}


def _with_status(node: Object, **fields: Any) -> Object:
    return {**node, "status": {**(node.get("status") or {}), **fields}}
