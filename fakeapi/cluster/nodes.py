"""Nodes as a kubelet would register them: capacity, conditions, addresses, information."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import NAMESPACE_DNS, uuid5

from fakeapi.cluster.addresses import NODE_NETWORK, numbered
from fakeapi.kernel.time import Instant, format_instant
from fakeapi.machinery.quantity import canonical
from fakeapi.storage.objects import Object

CHIP_RESOURCE: Final = "nvidia.com/gpu"
"""The extended resource that chips are, unless told otherwise."""
GIBIBYTE: Final = 2**30
TEBIBYTE: Final = 2**40
DEFAULT_MAX_PODS: Final = 110
"""What a kubelet allows unless it is told otherwise (``maxPods``)."""

NODE_VERSION: Final = "v1.37.2"
"""The release whose kubelet these nodes speak like; kubectl shows it."""
_INFO: Final = {
    "kernelVersion": "6.12.0",
    "osImage": "fakeapi (nothing runs here)",
    "containerRuntimeVersion": "containerd://2.1.0",
    "kubeletVersion": NODE_VERSION,
    "kubeProxyVersion": "",
    "operatingSystem": "linux",
    "architecture": "amd64",
}
_KIBI: Final = 1024
_KUBELET_PORT: Final = 10250


@dataclass(frozen=True, slots=True)
class Taint:
    """A taint: pods that do not tolerate it are kept away, or driven away."""

    key: str
    effect: str
    value: str = ""

    def to_json(self) -> dict[str, str]:
        """The ``Taint`` object."""
        value = {"value": self.value} if self.value else {}
        return {"key": self.key, **value, "effect": self.effect}


@dataclass(frozen=True, slots=True)
class NodeShape:
    """What a node is made of. The defaults are a common training machine with eight chips."""

    name: str
    chips: int = 8
    chip_resource: str = CHIP_RESOURCE
    cpu_milli: int = 128_000
    memory_bytes: int = TEBIBYTE
    ephemeral_bytes: int = TEBIBYTE
    """Local disk that pods may request."""
    max_pods: int = DEFAULT_MAX_PODS
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()

    def __post_init__(self) -> None:
        for name in ("chips", "cpu_milli", "memory_bytes", "ephemeral_bytes", "max_pods"):
            amount = getattr(self, name)
            if amount < 0:
                raise ValueError(f"node {self.name}: {name} must be 0 or more, not {amount}")


def build_node(shape: NodeShape, number: int, at: Instant) -> Object:
    """The ``Node`` object of that shape, ready since ``at``; ``number`` decides its address."""
    resources = _resources(shape)
    node: Object = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": shape.name,
            "labels": {
                "kubernetes.io/arch": "amd64",
                "kubernetes.io/hostname": shape.name,
                "kubernetes.io/os": "linux",
                **shape.labels,
            },
        },
        "spec": {},
        "status": {
            "capacity": resources,
            "allocatable": dict(resources),
            "conditions": _conditions(format_instant(at)),
            "addresses": [
                {"type": "InternalIP", "address": numbered(NODE_NETWORK, number)},
                {"type": "Hostname", "address": shape.name},
            ],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": _KUBELET_PORT}},
            "nodeInfo": {**_identity(shape.name), **_INFO},
        },
    }
    if shape.taints:
        node["spec"]["taints"] = [taint.to_json() for taint in shape.taints]
    return node


def _resources(shape: NodeShape) -> dict[str, str]:
    resources = {
        "cpu": canonical(f"{shape.cpu_milli}m"),
        "ephemeral-storage": _bytes(shape.ephemeral_bytes),
        "memory": _bytes(shape.memory_bytes),
        "pods": str(shape.max_pods),
    }
    if shape.chips:
        resources[shape.chip_resource] = str(shape.chips)
    return resources


def _bytes(amount: int) -> str:
    return str(amount) if amount % _KIBI else canonical(f"{amount // _KIBI}Ki")


READY_CONDITIONS: Final = (
    ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
)
"""(type, status, reason, message) of a node that is well.

In the order of a kubelet, which puts Ready last (``pkg/kubelet/nodestatus/setters.go``).
"""


def _conditions(since: str) -> list[dict[str, Any]]:
    return [
        {
            "type": name,
            "status": status,
            "lastHeartbeatTime": since,
            "lastTransitionTime": since,
            "reason": reason,
            "message": message,
        }
        for name, status, reason, message in READY_CONDITIONS
    ]


def _identity(name: str) -> dict[str, str]:
    """Ids that are the same for the same name everywhere."""
    return {
        field: str(uuid5(NAMESPACE_DNS, f"{field}.{name}")) for field in ("machineID", "systemUUID", "bootID")
    }
