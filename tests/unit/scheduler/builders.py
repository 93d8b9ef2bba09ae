"""Short ways to write down tasks, nodes and API objects for the scheduler's tests."""

from typing import Any

from scheduler.model import Demand, Node, PodRef, Task, Timing
from scheduler.timetext import HOUR, parse_instant

GPU = "nvidia.com/gpu"
START_TEXT = "2026-01-05T00:00:00Z"
START = parse_instant(START_TEXT)
GIB = 1 << 30

Object = dict[str, Any]


def ref(name: str, namespace: str = "default") -> PodRef:
    return PodRef(namespace, name, f"uid-{name}")


def demand(gpus: int = 0, cpu: int = 0, memory: int = 0, **others: Any) -> Demand:
    return Demand(cpu=cpu, memory=memory, others=((GPU, gpus),) if gpus else (), **others)


def task(
    name: str,
    gpus: int = 0,
    *,
    node: str = "",
    start_by: int | None = None,
    created: int = START,
    asks: Demand | None = None,
    told: str | None = None,
) -> Task:
    """A pod; ``start_by`` is its latest start, an hour's work before its deadline, None for no deadline."""
    timing = Timing() if start_by is None else Timing(start_by + HOUR, HOUR, stated=True)
    return Task(ref(name), asks or demand(gpus), timing, created, node, told=told)


def node(name: str, gpus: int = 0, **fields: Any) -> Node:
    given: dict[str, Any] = {"cpu": 64_000, "memory": 512 * GIB, "pods": 110, **fields}
    return Node(name, others=((GPU, gpus),) if gpus else (), **given)


def pod_object(name: str, requests: Object | None = None, **changes: Any) -> Object:
    """A pod as the API serves it, waiting for ``lst-scheduler``; ``changes`` go into its parts by name."""
    container: Object = {"name": "main", "image": "busybox", "resources": {"requests": requests or {}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "namespace": "default",
            "name": name,
            "uid": f"uid-{name}",
            "creationTimestamp": START_TEXT,
            **changes.get("metadata", {}),
        },
        "spec": {"schedulerName": "lst-scheduler", "containers": [container], **changes.get("spec", {})},
        "status": {"phase": "Pending", **changes.get("status", {})},
    }


def node_object(name: str, gpus: int = 0, **changes: Any) -> Object:
    allocatable = {"cpu": "64", "memory": "512Gi", "pods": "110", **({GPU: str(gpus)} if gpus else {})}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {}, **changes.get("metadata", {})},
        "spec": changes.get("spec", {}),
        "status": {"allocatable": allocatable, **changes.get("status", {})},
    }
