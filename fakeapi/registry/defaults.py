"""Values that the real server puts where a client left a field out, kind by kind.

Follows ``pkg/apis/*/v1/defaults.go`` for what a scheduler, a controller or kubectl can
see. Every function fills a fresh object in place and may be run again without effect.
"""

from collections.abc import Callable
from typing import Any, Final

from fakeapi.machinery.quantity import canonical

JsonObject = dict[str, Any]

DEFAULT_GRACE_S: Final = 30
"""Seconds a pod is given to stop when it does not say (``terminationGracePeriodSeconds``)."""
_REVISION_LIMIT: Final = 10
_PROGRESS_DEADLINE_S: Final = 600
_BACKOFF_LIMIT: Final = 6


def fill_defaults(group: str, kind: str, obj: JsonObject) -> None:
    """Fill the defaults of the object's kind; kinds without any are left alone."""
    fill = _BY_KIND.get((group, kind))
    if fill is not None:
        fill(obj)


def canonical_quantities(holder: JsonObject, *names: str) -> None:
    """Write the quantities of the named resource lists as the real server writes them back.

    A malformed quantity stays as it is, for validation to find.
    """
    for name in names:
        amounts = holder.get(name)
        if isinstance(amounts, dict):
            holder[name] = {resource: _canonical_or_same(amount) for resource, amount in amounts.items()}


def _canonical_or_same(amount: Any) -> Any:
    try:
        return canonical(str(amount))
    except ValueError:
        return amount


def _pull_policy(image: str) -> str:
    _, _, tag = image.rpartition("/")[2].partition(":")
    return "Always" if tag in ("", "latest") and "@" not in image else "IfNotPresent"


def _container(container: JsonObject) -> None:
    resources = container.setdefault("resources", {})
    canonical_quantities(resources, "limits", "requests")
    limits = resources.get("limits")
    if limits:
        resources["requests"] = {**limits, **resources.get("requests", {})}
    container.setdefault("terminationMessagePath", "/dev/termination-log")
    container.setdefault("terminationMessagePolicy", "File")
    if container.get("image"):
        container.setdefault("imagePullPolicy", _pull_policy(container["image"]))
    for port in container.get("ports", ()):
        port.setdefault("protocol", "TCP")
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        if name in container:
            _probe(container[name])


def _probe(probe: JsonObject) -> None:
    for name, value in (("timeoutSeconds", 1), ("periodSeconds", 10), ("successThreshold", 1)):
        probe.setdefault(name, value)
    probe.setdefault("failureThreshold", 3)
    if "httpGet" in probe:
        probe["httpGet"].setdefault("path", "/")
        probe["httpGet"].setdefault("scheme", "HTTP")


_VOLUME_MODES: Final = ("secret", "configMap", "downwardAPI", "projected")
_FILE_MODE: Final = 0o644


def _volume(volume: JsonObject) -> None:
    if len(volume) == 1:
        volume["emptyDir"] = {}
    for name in _VOLUME_MODES:
        if name in volume:
            volume[name].setdefault("defaultMode", _FILE_MODE)
    if "hostPath" in volume:
        volume["hostPath"].setdefault("type", "")


def fill_pod_spec(spec: JsonObject) -> None:
    """Defaults of a pod's spec, in a pod or in a template."""
    for container in spec.get("containers", ()):
        _container(container)
    for container in spec.get("initContainers", ()):
        _container(container)
    for volume in spec.get("volumes", ()):
        _volume(volume)
    spec.setdefault("restartPolicy", "Always")
    spec.setdefault("terminationGracePeriodSeconds", DEFAULT_GRACE_S)
    spec.setdefault("dnsPolicy", "ClusterFirst")
    spec.setdefault("securityContext", {})
    spec.setdefault("schedulerName", "default-scheduler")
    if "overhead" in spec:
        canonical_quantities(spec, "overhead")


def _pod(obj: JsonObject) -> None:
    spec = obj.setdefault("spec", {})
    fill_pod_spec(spec)
    spec.setdefault("enableServiceLinks", True)


def _template(spec: JsonObject) -> None:
    template = spec.get("template")
    if isinstance(template, dict):
        template.setdefault("metadata", {}).setdefault("creationTimestamp", None)
        fill_pod_spec(template.setdefault("spec", {}))


def _node(obj: JsonObject) -> None:
    obj.setdefault("spec", {})
    status = obj.setdefault("status", {})
    canonical_quantities(status, "capacity", "allocatable")
    if "capacity" in status:
        status.setdefault("allocatable", dict(status["capacity"]))


def _namespace(obj: JsonObject) -> None:
    metadata = obj["metadata"]
    if metadata.get("name"):
        labels = {**metadata.get("labels", {}), "kubernetes.io/metadata.name": metadata["name"]}
        metadata["labels"] = labels
    obj.setdefault("spec", {}).setdefault("finalizers", ["kubernetes"])
    obj.setdefault("status", {}).setdefault("phase", "Active")


def _service(obj: JsonObject) -> None:
    spec = obj.setdefault("spec", {})
    spec.setdefault("type", "ClusterIP")
    spec.setdefault("sessionAffinity", "None")
    spec.setdefault("internalTrafficPolicy", "Cluster")
    for port in spec.get("ports", ()):
        port.setdefault("protocol", "TCP")
        port.setdefault("targetPort", port.get("port"))
    obj.setdefault("status", {}).setdefault("loadBalancer", {})


def _secret(obj: JsonObject) -> None:
    obj.setdefault("type", "Opaque")


def _replicated(obj: JsonObject) -> None:
    spec = obj.setdefault("spec", {})
    spec.setdefault("replicas", 1)
    _template(spec)
    obj.setdefault("status", {}).setdefault("replicas", 0)


def _deployment(obj: JsonObject) -> None:
    spec = obj.setdefault("spec", {})
    spec.setdefault("replicas", 1)
    _template(spec)
    strategy = spec.setdefault("strategy", {})
    if strategy.setdefault("type", "RollingUpdate") == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", "25%")
        rolling.setdefault("maxSurge", "25%")
    spec.setdefault("revisionHistoryLimit", _REVISION_LIMIT)
    spec.setdefault("progressDeadlineSeconds", _PROGRESS_DEADLINE_S)
    obj.setdefault("status", {})


def _stateful_set(obj: JsonObject) -> None:
    _replicated(obj)
    spec = obj["spec"]
    spec.setdefault("podManagementPolicy", "OrderedReady")
    strategy = spec.setdefault("updateStrategy", {})
    if strategy.setdefault("type", "RollingUpdate") == "RollingUpdate":
        strategy.setdefault("rollingUpdate", {}).setdefault("partition", 0)
    spec.setdefault("revisionHistoryLimit", _REVISION_LIMIT)
    retention = spec.setdefault("persistentVolumeClaimRetentionPolicy", {})
    retention.setdefault("whenDeleted", "Retain")
    retention.setdefault("whenScaled", "Retain")


def _daemon_set(obj: JsonObject) -> None:
    spec = obj.setdefault("spec", {})
    _template(spec)
    strategy = spec.setdefault("updateStrategy", {})
    if strategy.setdefault("type", "RollingUpdate") == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", 1)
        rolling.setdefault("maxSurge", 0)
    spec.setdefault("revisionHistoryLimit", _REVISION_LIMIT)
    counts = ("currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady")
    status = obj.setdefault("status", {})
    for name in counts:
        status.setdefault(name, 0)


def _job_spec(spec: JsonObject) -> None:
    if "completions" not in spec and "parallelism" not in spec:
        spec["completions"] = 1
    spec.setdefault("parallelism", 1)
    spec.setdefault("backoffLimit", _BACKOFF_LIMIT)
    spec.setdefault("completionMode", "NonIndexed")
    spec.setdefault("suspend", False)
    spec.setdefault("podReplacementPolicy", "TerminatingOrFailed")
    _template(spec)


def _job(obj: JsonObject) -> None:
    _job_spec(obj.setdefault("spec", {}))
    obj.setdefault("status", {})


def _cron_job(obj: JsonObject) -> None:
    spec = obj.setdefault("spec", {})
    spec.setdefault("concurrencyPolicy", "Allow")
    spec.setdefault("suspend", False)
    spec.setdefault("successfulJobsHistoryLimit", 3)
    spec.setdefault("failedJobsHistoryLimit", 1)
    _job_spec(spec.setdefault("jobTemplate", {}).setdefault("spec", {}))
    obj.setdefault("status", {})


def _priority_class(obj: JsonObject) -> None:
    obj.setdefault("value", 0)
    obj.setdefault("preemptionPolicy", "PreemptLowerPriority")


def _storage_class(obj: JsonObject) -> None:
    obj.setdefault("reclaimPolicy", "Delete")
    obj.setdefault("volumeBindingMode", "Immediate")


def _volume_claim(obj: JsonObject) -> None:
    spec = obj.setdefault("spec", {})
    spec.setdefault("volumeMode", "Filesystem")
    canonical_quantities(spec.get("resources", {}), "requests", "limits")
    obj.setdefault("status", {}).setdefault("phase", "Pending")


def _persistent_volume(obj: JsonObject) -> None:
    spec = obj.setdefault("spec", {})
    spec.setdefault("persistentVolumeReclaimPolicy", "Retain")
    spec.setdefault("volumeMode", "Filesystem")
    canonical_quantities(spec, "capacity")
    obj.setdefault("status", {}).setdefault("phase", "Available")


_BY_KIND: Final[dict[tuple[str, str], Callable[[JsonObject], None]]] = {
    ("", "Pod"): _pod,
    ("", "Node"): _node,
    ("", "Namespace"): _namespace,
    ("", "Service"): _service,
    ("", "Secret"): _secret,
    ("", "ReplicationController"): _replicated,
    ("", "PersistentVolume"): _persistent_volume,
    ("", "PersistentVolumeClaim"): _volume_claim,
    ("apps", "ReplicaSet"): _replicated,
    ("apps", "Deployment"): _deployment,
    ("apps", "StatefulSet"): _stateful_set,
    ("apps", "DaemonSet"): _daemon_set,
    ("batch", "Job"): _job,
    ("batch", "CronJob"): _cron_job,
    ("scheduling.k8s.io", "PriorityClass"): _priority_class,
    ("storage.k8s.io", "StorageClass"): _storage_class,
}
