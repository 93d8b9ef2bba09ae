"""The columns of every kind's table: name, type and meaning as data, and the cell as a function.

They are those of ``pkg/printers/internalversion`` of ``k8s.io/kubernetes``, and for pod
groups of ``scheduling.x-k8s.io`` those of that kind's own definition. A kind that is not
listed shows its name and age.
"""

from dataclasses import dataclass
from typing import Any, Final

from fakeapi.machinery.resources import Resource
from fakeapi.rest import cells, kindcells, podsummary
from fakeapi.rest.cells import (
    NONE,
    UNKNOWN,
    UNSET,
    Cell,
    bare_selector,
    container_fields,
    count,
    field,
    label_map,
    number,
    ratio,
    selector,
    truth,
)


@dataclass(frozen=True, slots=True)
class Column:
    """One column: how it is announced, and its cell for an object at an instant."""

    name: str
    cell: Cell
    description: str = ""
    type: str = "string"
    format: str = ""
    wide: bool = False
    """Shown only in wide output."""

    def definition(self) -> dict[str, Any]:
        """The ``TableColumnDefinition``."""
        return {
            "name": self.name,
            "type": self.type,
            "format": self.format,
            "description": self.description or f"{self.name} of the object.",
            "priority": int(self.wide),
        }


def columns_of(resource: Resource) -> tuple[Column, ...]:
    """The columns of a resource's table."""
    return _COLUMNS.get((resource.group, resource.plural), _DEFAULT)


_NAME: Final = Column("Name", cells.name, "Name of the object, unique within its namespace.", format="name")
_AGE: Final = Column("Age", cells.age, "Time since the server created the object.")
_DEFAULT: Final = (_NAME, _AGE)


def _integer(name: str, path: str, description: str = "") -> Column:
    return Column(name, number(path), description, type="integer")


def _containers(path: str) -> tuple[Column, Column]:
    return (
        Column(
            "Containers",
            container_fields(path, "name"),
            "Names of the containers in the template.",
            wide=True,
        ),
        Column(
            "Images", container_fields(path, "image"), "Images of the containers in the template.", wide=True
        ),
    )


_TEMPLATE: Final = _containers("spec.template.spec")
_SELECTOR: Final = Column(
    "Selector", selector("spec.selector"), "Labels of the pods that belong to it.", wide=True
)
_REPLICAS: Final = (
    _NAME,
    _integer("Desired", "spec.replicas", "Replicas that are wanted."),
    _integer("Current", "status.replicas", "Replicas that exist."),
    _integer("Ready", "status.readyReplicas", "Replicas that are ready."),
    _AGE,
    *_TEMPLATE,
)
_EVENT: Final = (
    Column("Last Seen", kindcells.event_last_seen, "Time since it happened last."),
    Column("Type", field("type"), "Normal or Warning."),
    Column("Reason", field("reason"), "Why, in a word."),
    Column("Object", kindcells.event_object, "What it is about."),
    Column("Subobject", kindcells.event_subobject, "Which part of the object it is about.", wide=True),
    Column("Source", kindcells.event_source, "Who reported it.", wide=True),
    Column("Message", kindcells.event_message, "What happened."),
    Column("First Seen", kindcells.event_first_seen, "Time since it happened first.", wide=True),
    Column("Count", kindcells.event_count, "How often it happened.", wide=True),
    Column("Name", cells.name, "Name of the event.", format="name", wide=True),
)
_CORE: Final[dict[str, tuple[Column, ...]]] = {
    "pods": (
        _NAME,
        Column("Ready", podsummary.ready, "Containers that are ready, of all."),
        Column("Status", podsummary.status, "State of the containers in a word."),
        Column("Restarts", podsummary.restarts, "How often containers were restarted, and when last."),
        _AGE,
        Column("IP", podsummary.ip, "First address of the pod.", wide=True),
        Column("Node", field("spec.nodeName", NONE), "Node that the pod is bound to.", wide=True),
        Column(
            "Nominated Node",
            field("status.nominatedNodeName", NONE),
            "Node on which room is being made for the pod.",
            wide=True,
        ),
        Column("Readiness Gates", podsummary.readiness_gates, "Gates that are passed, of all.", wide=True),
    ),
    "nodes": (
        _NAME,
        Column("Status", kindcells.node_status, "Whether the node is ready and takes pods."),
        Column("Roles", kindcells.node_roles, "Roles from the node's labels."),
        _AGE,
        Column("Version", field("status.nodeInfo.kubeletVersion"), "Version of the kubelet."),
        Column("Internal-IP", kindcells.node_address("InternalIP"), "Address inside the cluster.", wide=True),
        Column(
            "External-IP", kindcells.node_address("ExternalIP"), "Address outside of the cluster.", wide=True
        ),
        Column("OS-Image", field("status.nodeInfo.osImage", UNKNOWN), "Operating system.", wide=True),
        Column("Kernel-Version", kindcells.kernel, "Kernel and architecture.", wide=True),
        Column(
            "Container-Runtime",
            field("status.nodeInfo.containerRuntimeVersion", UNKNOWN),
            "Container runtime.",
            wide=True,
        ),
    ),
    "namespaces": (_NAME, Column("Status", field("status.phase"), "Phase of the namespace."), _AGE),
    "events": _EVENT,
    "configmaps": (_NAME, Column("Data", count("data", "binaryData"), "Number of entries."), _AGE),
    "secrets": (
        _NAME,
        Column("Type", field("type"), "What the secret is for."),
        Column("Data", count("data"), "Number of entries."),
        _AGE,
    ),
    "services": (
        _NAME,
        Column("Type", field("spec.type"), "How the service is reached."),
        Column("Cluster-IP", kindcells.service_address, "Address inside the cluster."),
        Column("External-IP", kindcells.external_address, "Addresses outside of the cluster."),
        Column("Port(s)", kindcells.service_ports, "Ports."),
        _AGE,
        Column("Selector", label_map("spec.selector"), "Labels of the pods that serve it.", wide=True),
    ),
    "replicationcontrollers": (
        *_REPLICAS,
        Column("Selector", label_map("spec.selector"), "Labels of the pods that belong to it.", wide=True),
    ),
    "persistentvolumes": (
        _NAME,
        Column("Capacity", field("spec.capacity.storage", "0"), "Size."),
        Column("Access Modes", kindcells.access_modes("spec.accessModes")),
        Column("Reclaim Policy", field("spec.persistentVolumeReclaimPolicy")),
        Column("Status", kindcells.phase_or_terminating, "Phase of the volume."),
        Column("Claim", kindcells.claim, "Claim that holds the volume."),
        Column("StorageClass", field("spec.storageClassName")),
        Column("VolumeAttributesClass", field("spec.volumeAttributesClassName", UNSET)),
        Column("Reason", field("status.reason")),
        _AGE,
        Column("VolumeMode", field("spec.volumeMode", UNSET), wide=True),
    ),
    "persistentvolumeclaims": (
        _NAME,
        Column("Status", kindcells.phase_or_terminating, "Phase of the claim."),
        Column("Volume", field("spec.volumeName"), "Volume that the claim holds."),
        Column("Capacity", kindcells.when_bound(field("status.capacity.storage", "0")), "Size."),
        Column(
            "Access Modes",
            kindcells.when_bound(kindcells.access_modes("status.accessModes")),
        ),
        Column("StorageClass", field("spec.storageClassName")),
        Column("VolumeAttributesClass", field("spec.volumeAttributesClassName", UNSET)),
        _AGE,
        Column("VolumeMode", field("spec.volumeMode", UNSET), wide=True),
    ),
}
_APPS: Final[dict[str, tuple[Column, ...]]] = {
    "deployments": (
        _NAME,
        Column("Ready", ratio("status.readyReplicas", "spec.replicas"), "Replicas that are ready, of all."),
        Column("Up-to-date", number("status.updatedReplicas"), "Replicas of the current template."),
        Column(
            "Available", number("status.availableReplicas"), "Replicas that have been ready for long enough."
        ),
        _AGE,
        *_TEMPLATE,
        Column(
            "Selector", bare_selector("spec.selector"), "Labels of the pods that belong to it.", wide=True
        ),
    ),
    "replicasets": (*_REPLICAS, _SELECTOR),
    "statefulsets": (
        _NAME,
        Column("Ready", ratio("status.readyReplicas", "spec.replicas"), "Replicas that are ready, of all."),
        _AGE,
        *_TEMPLATE,
    ),
    "daemonsets": (
        _NAME,
        _integer("Desired", "status.desiredNumberScheduled", "Nodes that should run it."),
        _integer("Current", "status.currentNumberScheduled", "Nodes that run it."),
        _integer("Ready", "status.numberReady", "Nodes on which it is ready."),
        _integer("Up-to-date", "status.updatedNumberScheduled", "Nodes that run the current template."),
        _integer("Available", "status.numberAvailable", "Nodes on which it has been ready for long enough."),
        Column("Node Selector", label_map("spec.template.spec.nodeSelector"), "Labels of its nodes."),
        _AGE,
        *_TEMPLATE,
        _SELECTOR,
    ),
}
_BATCH: Final[dict[str, tuple[Column, ...]]] = {
    "jobs": (
        _NAME,
        Column("Status", kindcells.job_status, "State of the job in a word."),
        Column("Completions", kindcells.job_completions, "Pods that succeeded, of those wanted."),
        Column("Duration", kindcells.job_duration, "Time from its start to its completion, or to now."),
        _AGE,
        *_TEMPLATE,
        _SELECTOR,
    ),
    "cronjobs": (
        _NAME,
        Column("Schedule", field("spec.schedule"), "When it starts jobs."),
        Column("Timezone", field("spec.timeZone", NONE), "Time zone of the schedule."),
        Column("Suspend", kindcells.suspended, "Whether it starts no jobs.", type="boolean"),
        Column("Active", count("status.active"), "Jobs that run.", type="integer"),
        Column("Last Schedule", cells.ago("status.lastScheduleTime", NONE), "Time since its last start."),
        _AGE,
        *_containers("spec.jobTemplate.spec.template.spec"),
        Column("Selector", selector("spec.jobTemplate.spec.selector"), "Labels of its pods.", wide=True),
    ),
}
_SCHEDULING_X: Final[dict[str, tuple[Column, ...]]] = {
    "podgroups": (
        _NAME,
        Column("Phase", field("status.phase", None), "Phase of the group."),
        Column("MinMember", field("spec.minMember", None), "Pods that must run together.", type="integer"),
        Column("Running", field("status.running", None), "Pods that run.", type="integer"),
        Column("Succeeded", field("status.succeeded", None), "Pods that succeeded.", type="integer"),
        Column("Failed", field("status.failed", None), "Pods that failed.", type="integer"),
        Column("Age", cells.age, "Time since the server created the object.", type="date"),
    ),
}
_OTHERS: Final[dict[tuple[str, str], tuple[Column, ...]]] = {
    ("events.k8s.io", "events"): _EVENT,
    ("policy", "poddisruptionbudgets"): (
        _NAME,
        Column("Min Available", kindcells.budget("spec.minAvailable"), "Pods that must be available."),
        Column("Max Unavailable", kindcells.budget("spec.maxUnavailable"), "Pods that may be unavailable."),
        _integer("Allowed Disruptions", "status.disruptionsAllowed", "Pods that may be evicted now."),
        _AGE,
    ),
    ("scheduling.k8s.io", "priorityclasses"): (
        _NAME,
        _integer("Value", "value", "Priority of pods of this class."),
        Column(
            "Global-Default", truth("globalDefault"), "Whether pods without a class get it.", type="boolean"
        ),
        _AGE,
        Column("PreemptionPolicy", field("preemptionPolicy"), "Whether its pods may evict others."),
    ),
    ("scheduling.k8s.io", "podgroups"): (
        _NAME,
        Column("Policy", kindcells.native_pod_group_policy, "How its pods are scheduled."),
        Column("Workload", field("spec.workloadRef.workloadName", NONE), "Workload that it belongs to."),
        Column("Status", kindcells.native_pod_group_status, "Whether it is scheduled."),
        _AGE,
    ),
    ("coordination.k8s.io", "leases"): (
        _NAME,
        Column("Holder", field("spec.holderIdentity"), "Who holds the lease."),
        _AGE,
    ),
    ("node.k8s.io", "runtimeclasses"): (_NAME, Column("Handler", field("handler")), _AGE),
    ("storage.k8s.io", "csinodes"): (
        _NAME,
        Column("Drivers", count("spec.drivers"), "CSI drivers on the node.", type="integer"),
        _AGE,
    ),
    ("resource.k8s.io", "resourceclaims"): (
        _NAME,
        Column("State", kindcells.claim_state, "Pending, allocated, …"),
        _AGE,
    ),
    ("resource.k8s.io", "resourceslices"): (
        _NAME,
        Column("Node", field("spec.nodeName"), "Node of the devices."),
        Column("Driver", field("spec.driver"), "Driver of the devices."),
        Column("Pool", field("spec.pool.name"), "Pool of the devices."),
        _AGE,
    ),
}


def _by_resource(
    group: str, tables: dict[str, tuple[Column, ...]]
) -> dict[tuple[str, str], tuple[Column, ...]]:
    return {(group, plural): columns for plural, columns in tables.items()}


_COLUMNS: Final[dict[tuple[str, str], tuple[Column, ...]]] = {
    **_by_resource("", _CORE),
    **_by_resource("apps", _APPS),
    **_by_resource("batch", _BATCH),
    **_by_resource("scheduling.x-k8s.io", _SCHEDULING_X),
    **_OTHERS,
}
