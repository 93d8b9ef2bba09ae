"""What makes a pod's spec invalid, in a pod and in a template.

Follows ``ValidatePodSpec`` of ``pkg/apis/core/validation``, in its order, for what a scheduler or a
person with kubectl meets. Not checked: what only a kubelet would read (security contexts, probes,
the sources of volumes and environment variables).
"""

from collections.abc import Sequence
from typing import Final

from fakeapi.machinery import validation
from fakeapi.machinery.quantity import parse
from fakeapi.machinery.status import (
    Cause,
    duplicate_value,
    forbidden_value,
    invalid_value,
    required_value,
)
from fakeapi.registry import amounts
from fakeapi.registry.affinityrules import affinity_causes, spread_causes
from fakeapi.registry.causes import (
    JsonObject,
    dns_label,
    dns_subdomain,
    label_key,
    not_found_value,
    not_supported,
)
from fakeapi.registry.taintrules import toleration_causes

RESTART_POLICIES: Final = ("Always", "OnFailure", "Never")
PREEMPTION_POLICIES: Final = ("PreemptLowerPriority", "Never")
MAX_INT32: Final = 2**31 - 1
_DNS_POLICIES: Final = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_CONTAINER_POLICIES: Final = ("Always", "Never", "OnFailure")
_PULL_POLICIES: Final = ("Always", "IfNotPresent", "Never")
_MESSAGE_POLICIES: Final = ("File", "FallbackToLogsOnError")
_PROTOCOLS: Final = ("SCTP", "TCP", "UDP")
_GREATEST_PORT: Final = 65535


def pod_causes(pod: JsonObject) -> list[Cause]:
    """Broken rules of a pod, at creation and at every later change."""
    return pod_spec_causes(pod["spec"], "spec")


def pod_creation_causes(pod: JsonObject) -> list[Cause]:
    """Broken rules of a pod that is created."""
    causes, spec = pod_causes(pod), pod["spec"]
    if spec.get("ephemeralContainers"):
        causes.append(forbidden_value("spec.ephemeralContainers", "cannot be set on create"))
    if spec.get("nodeName") and spec.get("schedulingGates"):
        why = "cannot be set until all schedulingGates have been cleared"
        causes.append(forbidden_value("spec.nodeName", why))
    return causes


def pod_spec_causes(spec: JsonObject, path: str) -> list[Cause]:
    """Broken rules of a pod's spec, in a pod or in a template."""
    causes: list[Cause] = []
    claims = _NO_NAMES
    if declared := spec.get("resourceClaims"):
        claims = frozenset(claim.get("name", "") for claim in declared)
        causes += _resource_claims(declared, f"{path}.resourceClaims")
    causes += _volumes(spec.get("volumes") or (), f"{path}.volumes")
    causes += _containers(spec, path, claims)
    if resources := spec.get("resources"):
        causes += amounts.requirements(resources, f"{path}.resources")
    if spec["restartPolicy"] not in RESTART_POLICIES:
        causes.append(not_supported(f"{path}.restartPolicy", spec["restartPolicy"], RESTART_POLICIES))
    if spec["dnsPolicy"] not in _DNS_POLICIES:
        causes.append(not_supported(f"{path}.dnsPolicy", spec["dnsPolicy"], _DNS_POLICIES))
    return causes + _placement(spec, path) + _identity(spec, path)


_NO_NAMES: Final[frozenset[str]] = frozenset()


def _resource_claims(claims: Sequence[JsonObject], path: str) -> list[Cause]:
    causes, seen = [], set()
    for index, claim in enumerate(claims):
        name, field = claim.get("name", ""), f"{path}[{index}]"
        if not name:
            causes.append(required_value(f"{field}.name"))
        elif name in seen:
            causes.append(duplicate_value(f"{field}.name", name))
        else:
            causes += dns_label(name, f"{field}.name")
        seen.add(name)
        sources = [claim.get("resourceClaimName"), claim.get("resourceClaimTemplateName")]
        if None not in sources:
            why = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
            causes.append(invalid_value(field, claim, why))
        elif sources == [None, None]:
            why = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
            causes.append(invalid_value(field, claim, why))
        for source, given in zip(("resourceClaimName", "resourceClaimTemplateName"), sources, strict=True):
            if given is not None:
                causes += dns_subdomain(given, f"{field}.{source}")
    return causes


def _volumes(volumes: Sequence[JsonObject], path: str) -> list[Cause]:
    causes, seen = [], set()
    for index, volume in enumerate(volumes):
        name, field = volume.get("name", ""), f"{path}[{index}].name"
        if not name:
            causes.append(required_value(field))
        elif name in seen:
            causes.append(duplicate_value(field, name))
        else:
            causes += dns_label(name, field)
        seen.add(name)
        size = (volume.get("emptyDir") or {}).get("sizeLimit")
        if size is not None and parse(size) < 0:
            why = "SizeLimit field must be a valid resource quantity"
            causes.append(forbidden_value(f"{path}[{index}].emptyDir.sizeLimit", why))
    return causes


# ---- containers -----------------------------------------------------------------------------


def _containers(spec: JsonObject, path: str, claims: frozenset[str]) -> list[Cause]:
    containers = spec.get("containers")
    if not containers:
        return [required_value(f"{path}.containers")]
    volumes = frozenset(volume["name"] for volume in spec.get("volumes") or () if volume.get("name"))
    causes: list[Cause] = []
    seen: set[str] = set()
    for field in ("containers", "initContainers"):
        for index, container in enumerate(spec.get(field) or ()):
            where = f"{path}.{field}[{index}]"
            causes += _container(container, where, claims, volumes)
            name = container.get("name", "")
            if name in seen:
                causes.append(duplicate_value(f"{where}.name", name))
            if name:
                seen.add(name)
    return causes


def _container(
    container: JsonObject, path: str, claims: frozenset[str], volumes: frozenset[str]
) -> list[Cause]:
    causes: list[Cause] = []
    if not (name := container.get("name")):
        causes.append(required_value(f"{path}.name"))
    elif wrong := validation.dns_label(name):
        causes.append(invalid_value(f"{path}.name", name, wrong))
    if not container.get("image"):
        causes.append(required_value(f"{path}.image"))
    if (policy := container["terminationMessagePolicy"]) not in _MESSAGE_POLICIES:
        causes.append(not_supported(f"{path}.terminationMessagePolicy", policy, _MESSAGE_POLICIES))
    if ports := container.get("ports"):
        causes += _ports(ports, f"{path}.ports")
    for index, variable in enumerate(container.get("env") or ()):
        if not variable.get("name"):
            causes.append(required_value(f"{path}.env[{index}].name"))
    if mounts := container.get("volumeMounts"):
        causes += _mounts(mounts, f"{path}.volumeMounts", volumes)
    if (policy := container["imagePullPolicy"]) not in _PULL_POLICIES:
        causes.append(not_supported(f"{path}.imagePullPolicy", policy, _PULL_POLICIES))
    if resources := container.get("resources"):
        causes += amounts.requirements(resources, f"{path}.resources", claims)
    own = container.get("restartPolicy")
    if own is not None and own not in _CONTAINER_POLICIES:
        causes.append(not_supported(f"{path}.restartPolicy", own, _CONTAINER_POLICIES))
    return causes


def _ports(ports: Sequence[JsonObject], path: str) -> list[Cause]:
    causes = []
    for index, port in enumerate(ports):
        field = f"{path}[{index}]"
        if not port.get("containerPort"):
            causes.append(required_value(f"{field}.containerPort"))
        for name in ("containerPort", "hostPort"):
            number = port.get(name) or 0
            if number and not 0 < number <= _GREATEST_PORT:
                why = f"must be between 1 and {_GREATEST_PORT}, inclusive"
                causes.append(invalid_value(f"{field}.{name}", number, why))
        if port["protocol"] not in _PROTOCOLS:
            causes.append(not_supported(f"{field}.protocol", port["protocol"], _PROTOCOLS))
    return causes


def _mounts(mounts: Sequence[JsonObject], path: str, volumes: frozenset[str]) -> list[Cause]:
    causes, seen = [], set()
    for index, mount in enumerate(mounts):
        field, name, where = f"{path}[{index}]", mount.get("name", ""), mount.get("mountPath", "")
        if not name:
            causes.append(required_value(f"{field}.name"))
        if name not in volumes:
            causes.append(not_found_value(f"{field}.name", name))
        if not where:
            causes.append(required_value(f"{field}.mountPath"))
        if where in seen:
            causes.append(invalid_value(f"{field}.mountPath", where, "must be unique"))
        seen.add(where)
    return causes


# ---- where it may run -----------------------------------------------------------------------


def _placement(spec: JsonObject, path: str) -> list[Cause]:
    causes: list[Cause] = []
    if selector := spec.get("nodeSelector"):
        causes += validation.labels(selector, f"{path}.nodeSelector")
    if affinity := spec.get("affinity"):
        causes += affinity_causes(affinity, f"{path}.affinity")
    for index, gate in enumerate(spec.get("readinessGates") or ()):
        kind = gate.get("conditionType", "")
        causes += label_key(kind, f"{path}.readinessGates[{index}].conditionType")
    if gates := spec.get("schedulingGates"):
        causes += _gates(gates, f"{path}.schedulingGates")
    if constraints := spec.get("topologySpreadConstraints"):
        causes += spread_causes(constraints, f"{path}.topologySpreadConstraints")
    return causes


def _gates(gates: Sequence[JsonObject], path: str) -> list[Cause]:
    causes, seen = [], set()
    for index, gate in enumerate(gates):
        name = gate.get("name", "")
        causes += label_key(name, f"{path}[{index}]")
        if name in seen:
            causes.append(duplicate_value(f"{path}[{index}]", name))
        seen.add(name)
    return causes


def _identity(spec: JsonObject, path: str) -> list[Cause]:
    """Names and numbers at the end of the spec."""
    causes: list[Cause] = []
    for name in ("serviceAccountName", "nodeName"):
        if value := spec.get(name):
            causes += dns_subdomain(value, f"{path}.{name}")
    deadline = spec.get("activeDeadlineSeconds")
    if deadline is not None and not 1 <= deadline <= MAX_INT32:
        why = f"must be between 1 and {MAX_INT32}, inclusive"
        causes.append(invalid_value(f"{path}.activeDeadlineSeconds", deadline, why))
    for name in ("hostname", "subdomain"):
        if value := spec.get(name):
            causes += dns_label(value, f"{path}.{name}")
    if tolerations := spec.get("tolerations"):
        causes += toleration_causes(tolerations, f"{path}.tolerations")
    if value := spec.get("priorityClassName"):
        causes += dns_subdomain(value, f"{path}.priorityClassName")
    policy = spec.get("preemptionPolicy")
    if policy is not None and policy not in PREEMPTION_POLICIES:
        causes.append(not_supported(f"{path}.preemptionPolicy", policy, PREEMPTION_POLICIES))
    if overhead := spec.get("overhead"):
        causes += amounts.requirements({"limits": overhead}, f"{path}.overhead")
    return causes
