"""Values that the real server puts where a client left a field out, kind by kind.

Follows ``pkg/apis/*/v1/defaults.go``, and the fields that Go always writes where a client would stumble
over their absence. Every function fills a fresh object in place and may be run again without effect.
Pods and their templates have a module of their own, :mod:`~fakeapi.registry.poddefaults`.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from fakeapi.registry.poddefaults import (
    DEFAULT_GRACE_S,
    canonical_quantities,
    fill_pod,
    fill_template,
    part,
)

__all__ = ["DEFAULT_GRACE_S", "JsonObject", "fill_defaults", "fill_status"]

JsonObject = dict[str, Any]

_REVISION_LIMIT: Final = 10
_PROGRESS_DEADLINE_S: Final = 600
_BACKOFF_LIMIT: Final = 6
_NO_BACKOFF_LIMIT: Final = 2**31 - 1
"""What stands there when each index of a job has a limit of its own."""
_AFFINITY_TIMEOUT_S: Final = 10_800


def fill_defaults(group: str, kind: str, obj: JsonObject) -> None:
    """Fill the defaults of the object's kind, its status included; kinds without any are left alone."""
    fill = _BY_KIND.get((group, kind))
    if fill is not None:
        fill(obj)
    fill_status(group, kind, obj)


def fill_status(group: str, kind: str, obj: JsonObject) -> None:
    """Fill the defaults of the object's status alone."""
    fill = _STATUS.get((group, kind))
    if fill is not None:
        fill(part(obj, "status"))


def _fill(holder: JsonObject, values: Iterable[tuple[str, Any]]) -> None:
    """Set what is missing or empty text; zero and false are values."""
    for name, value in values:
        if holder.get(name) in (None, ""):
            holder[name] = value


def _fill_missing(holder: JsonObject, values: Iterable[tuple[str, Any]]) -> None:
    """Set what is missing; behind a pointer empty text is a value, and a wrong one."""
    for name, value in values:
        if holder.get(name) is None:
            holder[name] = value


# ---- core ------------------------------------------------------------------------------------


def _node(obj: JsonObject) -> None:
    spec = part(obj, "spec")
    first, every = spec.get("podCIDR"), spec.get("podCIDRs")
    if first and (not every or every[0] != first):  # the older field has the say
        spec["podCIDRs"] = [first]
    elif every:
        spec["podCIDR"] = every[0]


def _node_status(status: JsonObject) -> None:
    canonical_quantities(status, "capacity", "allocatable")
    if not status.get("allocatable") and status.get("capacity") is not None:
        status["allocatable"] = dict(status["capacity"])


def name_namespace(obj: JsonObject) -> None:
    """Say a namespace's name in a label, by which selectors find it."""
    metadata = obj["metadata"]
    if name := metadata.get("name"):
        metadata["labels"] = {**(metadata.get("labels") or {}), "kubernetes.io/metadata.name": name}


def _service(obj: JsonObject) -> None:
    spec = part(obj, "spec")
    _fill(spec, (("type", "ClusterIP"), ("sessionAffinity", "None")))
    if spec["sessionAffinity"] == "ClientIP":
        client = part(part(spec, "sessionAffinityConfig"), "clientIP")
        _fill(client, (("timeoutSeconds", _AFFINITY_TIMEOUT_S),))
    for port in spec.get("ports") or ():
        _fill(port, (("protocol", "TCP"),))
        port["targetPort"] = port.get("targetPort") or port.get("port")
    if spec["type"] in ("NodePort", "LoadBalancer"):
        _fill(spec, (("externalTrafficPolicy", "Cluster"),))
    if spec["type"] == "LoadBalancer":
        _fill(spec, (("allocateLoadBalancerNodePorts", True),))
    if spec["type"] != "ExternalName":
        _fill(spec, (("internalTrafficPolicy", "Cluster"),))


def _secret(obj: JsonObject) -> None:
    _fill(obj, (("type", "Opaque"),))


def _endpoints(obj: JsonObject) -> None:
    for subset in obj.get("subsets") or ():
        for port in subset.get("ports") or ():
            _fill(port, (("protocol", "TCP"),))


def _volume_claim_spec(spec: JsonObject) -> None:
    _fill(spec, (("volumeMode", "Filesystem"),))
    canonical_quantities(part(spec, "resources"), "requests", "limits")


def _volume_claim(obj: JsonObject) -> None:
    _volume_claim_spec(part(obj, "spec"))


def _persistent_volume(obj: JsonObject) -> None:
    spec = part(obj, "spec")
    _fill(spec, (("persistentVolumeReclaimPolicy", "Retain"), ("volumeMode", "Filesystem")))
    canonical_quantities(spec, "capacity")
    if (host := spec.get("hostPath")) is not None:
        host.setdefault("type", "")


def _resource_quota(obj: JsonObject) -> None:
    canonical_quantities(part(obj, "spec"), "hard")


def _pod_template(obj: JsonObject) -> None:
    fill_template(obj)


# ---- workloads -------------------------------------------------------------------------------


def _replicated(obj: JsonObject) -> JsonObject:
    spec = part(obj, "spec")
    _fill(spec, (("replicas", 1),))
    fill_template(spec)
    return spec


def _replica_set(obj: JsonObject) -> None:
    _replicated(obj)


def _replication_controller(obj: JsonObject) -> None:
    spec = _replicated(obj)
    labels = spec["template"]["metadata"].get("labels")
    if labels:
        spec["selector"] = spec.get("selector") or dict(labels)
        obj["metadata"]["labels"] = obj["metadata"].get("labels") or dict(labels)


def _deployment(obj: JsonObject) -> None:
    spec = _replicated(obj)
    strategy = part(spec, "strategy")
    _fill(strategy, (("type", "RollingUpdate"),))
    if strategy["type"] == "RollingUpdate":
        _fill(part(strategy, "rollingUpdate"), (("maxUnavailable", "25%"), ("maxSurge", "25%")))
    limits = (("revisionHistoryLimit", _REVISION_LIMIT), ("progressDeadlineSeconds", _PROGRESS_DEADLINE_S))
    _fill(spec, limits)


def _stateful_set(obj: JsonObject) -> None:
    spec = _replicated(obj)
    spec.setdefault("serviceName", "")
    _fill(spec, (("podManagementPolicy", "OrderedReady"), ("revisionHistoryLimit", _REVISION_LIMIT)))
    strategy = part(spec, "updateStrategy")
    if not strategy.get("type"):
        strategy["type"] = "RollingUpdate"
        part(strategy, "rollingUpdate")
    if strategy["type"] == "RollingUpdate" and (rolling := strategy.get("rollingUpdate")) is not None:
        _fill(rolling, (("partition", 0), ("maxUnavailable", 1)))
    retention = part(spec, "persistentVolumeClaimRetentionPolicy")
    _fill(retention, (("whenDeleted", "Retain"), ("whenScaled", "Retain")))
    for claim in spec.get("volumeClaimTemplates") or ():
        claim["kind"], claim["apiVersion"] = "PersistentVolumeClaim", "v1"
        _volume_claim_spec(part(claim, "spec"))
        part(claim, "status").setdefault("phase", "Pending")


def _daemon_set(obj: JsonObject) -> None:
    spec = part(obj, "spec")
    fill_template(spec)
    strategy = part(spec, "updateStrategy")
    _fill(strategy, (("type", "RollingUpdate"),))
    if strategy["type"] == "RollingUpdate":
        _fill(part(strategy, "rollingUpdate"), (("maxUnavailable", 1), ("maxSurge", 0)))
    _fill(spec, (("revisionHistoryLimit", _REVISION_LIMIT),))


def _job(obj: JsonObject) -> None:
    spec = part(obj, "spec")
    if spec.get("completions") is None and spec.get("parallelism") is None:
        spec["completions"] = 1
    limit = _BACKOFF_LIMIT if spec.get("backoffLimitPerIndex") is None else _NO_BACKOFF_LIMIT
    replacement = "TerminatingOrFailed" if spec.get("podFailurePolicy") is None else "Failed"
    _fill(
        spec,
        (
            ("parallelism", 1),
            ("backoffLimit", limit),
            ("completionMode", "NonIndexed"),
            ("suspend", False),
            ("podReplacementPolicy", replacement),
            ("manualSelector", False),
        ),
    )
    _job_spec(spec)
    labels = spec["template"]["metadata"].get("labels")
    if labels and not obj["metadata"].get("labels"):
        obj["metadata"]["labels"] = dict(labels)


def _job_spec(spec: JsonObject) -> None:
    fill_template(spec)
    for rule in (spec.get("podFailurePolicy") or {}).get("rules") or ():
        for pattern in rule.get("onPodConditions") or ():
            _fill(pattern, (("status", "True"),))


def _cron_job(obj: JsonObject) -> None:
    spec = part(obj, "spec")
    _fill(
        spec,
        (
            ("concurrencyPolicy", "Allow"),
            ("suspend", False),
            ("successfulJobsHistoryLimit", 3),
            ("failedJobsHistoryLimit", 1),
        ),
    )
    template = part(spec, "jobTemplate")
    part(template, "metadata")
    _job_spec(part(template, "spec"))


# ---- others ----------------------------------------------------------------------------------


def _priority_class(obj: JsonObject) -> None:
    _fill_missing(obj, (("value", 0), ("preemptionPolicy", "PreemptLowerPriority")))


def _storage_class(obj: JsonObject) -> None:
    _fill_missing(obj, (("reclaimPolicy", "Delete"), ("volumeBindingMode", "Immediate")))


def _runtime_class(obj: JsonObject) -> None:
    if (overhead := obj.get("overhead")) is not None:
        canonical_quantities(overhead, "podFixed")


def _wanting(obj: JsonObject) -> None:
    """The spec is there, with nothing in it."""
    part(obj, "spec")


_BY_KIND: Final[dict[tuple[str, str], Callable[[JsonObject], None]]] = {
    ("", "Pod"): fill_pod,
    ("", "Node"): _node,
    ("", "Namespace"): name_namespace,
    ("", "Service"): _service,
    ("", "Secret"): _secret,
    ("", "Endpoints"): _endpoints,
    ("", "ReplicationController"): _replication_controller,
    ("", "PersistentVolume"): _persistent_volume,
    ("", "PersistentVolumeClaim"): _volume_claim,
    ("", "PodTemplate"): _pod_template,
    ("", "ResourceQuota"): _resource_quota,
    ("apps", "ReplicaSet"): _replica_set,
    ("apps", "Deployment"): _deployment,
    ("apps", "StatefulSet"): _stateful_set,
    ("apps", "DaemonSet"): _daemon_set,
    ("batch", "Job"): _job,
    ("batch", "CronJob"): _cron_job,
    ("node.k8s.io", "RuntimeClass"): _runtime_class,
    ("policy", "PodDisruptionBudget"): _wanting,
    ("coordination.k8s.io", "Lease"): _wanting,
    ("scheduling.k8s.io", "PriorityClass"): _priority_class,
    ("storage.k8s.io", "StorageClass"): _storage_class,
}


def _zeros(*names: str) -> Callable[[JsonObject], None]:
    """Numbers that Go always writes, and that typed clients demand."""

    def fill(status: JsonObject) -> None:
        for name in names:
            if status.get(name) is None:
                status[name] = 0

    return fill


def _phase(phase: str) -> Callable[[JsonObject], None]:
    return lambda status: _fill(status, (("phase", phase),))


def _nothing(_: JsonObject) -> None:
    """The status is there, with nothing in it."""


def _load_balancer(status: JsonObject) -> None:
    part(status, "loadBalancer")


def _pod_status(status: JsonObject) -> None:
    """Keep the pod's address and its list of addresses in step; the single one has the last word."""
    address, addresses = status.get("podIP"), status.get("podIPs")
    if address:
        if not addresses or addresses[0].get("ip") != address:
            status["podIPs"] = [{"ip": address}]
    elif addresses:
        status["podIP"] = addresses[0].get("ip", "")


_STATUS: Final[dict[tuple[str, str], Callable[[JsonObject], None]]] = {
    ("", "Pod"): _pod_status,
    ("", "Node"): _node_status,
    ("", "Namespace"): _phase("Active"),
    ("", "Service"): _load_balancer,
    ("", "ReplicationController"): _zeros("replicas"),
    ("", "PersistentVolume"): _phase("Pending"),
    ("", "PersistentVolumeClaim"): _phase("Pending"),
    ("", "ResourceQuota"): _nothing,
    ("apps", "ReplicaSet"): _zeros("replicas"),
    ("apps", "Deployment"): _nothing,
    ("apps", "StatefulSet"): _zeros("replicas", "availableReplicas"),
    ("apps", "DaemonSet"): _zeros(
        "currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady"
    ),
    ("batch", "Job"): _nothing,
    ("batch", "CronJob"): _nothing,
    ("networking.k8s.io", "Ingress"): _load_balancer,
    ("policy", "PodDisruptionBudget"): _zeros(
        "disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"
    ),
}
