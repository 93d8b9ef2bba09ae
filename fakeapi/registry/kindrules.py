"""Rules of the kinds that neither are pods nor make them."""

import re
from collections.abc import Sequence
from ipaddress import ip_network
from typing import Final

from fakeapi.machinery import validation
from fakeapi.machinery.status import (
    Cause,
    duplicate_value,
    forbidden_value,
    invalid_value,
    required_value,
)
from fakeapi.registry import amounts
from fakeapi.registry.causes import (
    NOT_NEGATIVE,
    JsonObject,
    at_most_whole,
    condition_causes,
    dns_label,
    immutable,
    label_key,
    label_selector,
    negatives,
    not_supported,
    number_or_percent,
)
from fakeapi.registry.podrules import PREEMPTION_POLICIES
from fakeapi.registry.taintrules import taint_causes, toleration_causes

SYSTEM_PRIORITY_CLASSES: Final = {
    "system-cluster-critical": 2_000_000_000,
    "system-node-critical": 2_000_001_000,
}
"""Built into every cluster; values from ``pkg/apis/scheduling/types.go``."""
_MAX_PRIORITY: Final = 1_000_000_000
"""Highest value of a priority class that a user makes (``HighestUserDefinablePriority``)."""


# ---- nodes -----------------------------------------------------------------------------------


def node_causes(node: JsonObject) -> list[Cause]:
    """Broken rules of a Node."""
    causes = taint_causes(node["spec"].get("taints") or (), "metadata.taints")  # so says the real server
    status = node["status"]
    for field in ("capacity", "allocatable"):
        causes += amounts.node_amounts(status.get(field) or {}, f"status.{field}")
    return causes + _networks(node["spec"].get("podCIDRs") or ())


def _networks(networks: Sequence[str]) -> list[Cause]:
    why, field = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)", "spec.podCIDRs"
    families = [_family(network) for network in networks]
    causes = [
        invalid_value(f"{field}[{index}]", networks[index], why)
        for index, family in enumerate(families)
        if not family
    ]
    if not causes and len(set(families)) != len(families):
        one_each = "may specify no more than one CIDR for each IP family"
        causes.append(invalid_value(field, list(networks), one_each))
    return causes


def _family(network: str) -> int:
    """4 or 6; 0 for what is no network."""
    try:
        return ip_network(network, strict=False).version if "/" in network else 0
    except ValueError:
        return 0


def node_update(new: JsonObject, old: JsonObject) -> list[Cause]:
    """What may not change in a Node."""
    causes, seen = [], []
    for index, address in enumerate(new["status"].get("addresses") or ()):
        if address in seen:
            causes.append(duplicate_value(f"status.addresses[{index}]", address))
        seen.append(address)
    before, after = old["spec"], new["spec"]
    if before.get("podCIDRs") and before["podCIDRs"] != after.get("podCIDRs"):
        why = 'node updates may not change podCIDR except from "" to valid'
        causes.append(forbidden_value("spec.podCIDRs", why))
    if before.get("providerID") and before["providerID"] != after.get("providerID"):
        verb = "modified" if after.get("providerID") else "cleared"
        why = f"field cannot be {verb} once set"
        causes.append(invalid_value("spec.providerID", None, why))
    return causes


# ---- namespaces ------------------------------------------------------------------------------


def namespace_causes(obj: JsonObject) -> list[Cause]:
    """Broken rules of a Namespace: what it waits for at its end has a name."""
    return finalizer_causes((obj.get("spec") or {}).get("finalizers") or (), "spec.finalizers")


def finalizer_causes(names: Sequence[str], path: str) -> list[Cause]:
    """What is wrong with names of finalizers, which are well known or have a domain."""
    why = "name is neither a standard finalizer name nor is it fully qualified"
    return validation.finalizers(list(names), path) + [
        invalid_value(path, name, why) for name in names if "/" not in name and name not in OWN_FINALIZERS
    ]


OWN_FINALIZERS: Final = frozenset(("orphan", "foregroundDeletion", "kubernetes"))
"""Finalizers that Kubernetes itself knows."""


def namespace_status(new: JsonObject, old: JsonObject) -> list[Cause]:
    """Broken rules of a namespace's status: its phase says whether it ends."""
    ends = "deletionTimestamp" in old["metadata"]
    phase, wanted = new["status"].get("phase"), "Terminating" if ends else "Active"
    if phase == wanted:
        return []
    why = f"may only be '{wanted}' if `deletionTimestamp` is {'not ' if ends else ''}empty"
    return [invalid_value("status.Phase", phase, why)]


# ---- priority classes ------------------------------------------------------------------------


def priority_class_causes(obj: JsonObject) -> list[Cause]:
    """Broken rules of a PriorityClass."""
    name, value, causes = obj["metadata"].get("name", ""), obj.get("value", 0), []
    if name.startswith("system-"):
        if why := _not_a_system_class(obj):
            reserved = "priority class names with 'system-' prefix are reserved for system use only"
            causes.append(forbidden_value("metadata.name", f"{reserved}. error: {why}"))
    elif value > _MAX_PRIORITY:
        why = f"maximum allowed value of a user defined priority is {_MAX_PRIORITY}"
        causes.append(forbidden_value("value", why))
    if (policy := obj["preemptionPolicy"]) not in PREEMPTION_POLICIES:
        wrong = not_supported("preemptionPolicy", policy, PREEMPTION_POLICIES)
        causes.append(wrong if policy else required_value("preemptionPolicy"))
    return causes


def _not_a_system_class(obj: JsonObject) -> str:
    name, value = obj["metadata"]["name"], obj["value"]
    known = SYSTEM_PRIORITY_CLASSES.get(name)
    if known is None:
        return f"{name} is not a known system priority class"
    if value != known:
        return f"value of {name} PriorityClass must be {known}"
    return f"globalDefault of {name} PriorityClass must be false" if obj.get("globalDefault") else ""


def priority_class_update(new: JsonObject, old: JsonObject) -> list[Cause]:
    """What may not change in a PriorityClass."""
    causes = []
    if new["value"] != old["value"]:
        causes.append(forbidden_value("value", "may not be changed in an update."))
    policy = new["preemptionPolicy"]
    return causes + immutable("preemptionPolicy", policy, changed=policy != old["preemptionPolicy"])


# ---- disruption budgets ----------------------------------------------------------------------

_UNHEALTHY_POLICIES: Final = ("AlwaysAllow", "IfHealthyBudget")


def budget_causes(obj: JsonObject) -> list[Cause]:
    """Broken rules of a PodDisruptionBudget."""
    spec, causes = obj["spec"], []
    names = ("minAvailable", "maxUnavailable")
    if all(spec.get(name) is not None for name in names):
        causes.append(invalid_value("spec", spec, "minAvailable and maxUnavailable cannot be both set"))
    for name in names:
        if (amount := spec.get(name)) is not None:
            causes += number_or_percent(amount, f"spec.{name}") + at_most_whole(amount, f"spec.{name}")
    causes += label_selector(spec.get("selector"), "spec.selector")
    policy = spec.get("unhealthyPodEvictionPolicy")
    if policy is not None and policy not in _UNHEALTHY_POLICIES:
        causes.append(not_supported("spec.unhealthyPodEvictionPolicy", policy, _UNHEALTHY_POLICIES))
    return causes


def budget_status(new: JsonObject, _: JsonObject) -> list[Cause]:
    """Broken rules of a budget's status."""
    names = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")
    conditions = new["status"].get("conditions") or ()
    return condition_causes(conditions, "status.conditions") + negatives(new["status"], "status", names)


# ---- configuration ---------------------------------------------------------------------------

_CONFIG_KEY: Final = re.compile(r"[-._a-zA-Z0-9]+")
_WHEN_IMMUTABLE: Final = "field is immutable when `immutable` is set"


def config_causes(obj: JsonObject) -> list[Cause]:
    """Broken rules of a ConfigMap or Secret."""
    binary = obj.get("binaryData") or {}
    causes = []
    for field in ("data", "binaryData"):
        for key in obj.get(field) or ():
            path = f"{field}[{key}]"
            if wrong := _config_key(key):
                causes.append(invalid_value(path, key, wrong))
            if field == "data" and key in binary:
                causes.append(invalid_value(path, key, "duplicate of key present in binaryData"))
    return causes


def _config_key(key: str) -> str:
    if len(key) > validation.SUBDOMAIN_LIMIT:
        return f"must be no more than {validation.SUBDOMAIN_LIMIT} characters"
    if _CONFIG_KEY.fullmatch(key):
        return "" if key not in (".", "..") else f"must not be '{key}'"
    return (
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' "
        "(e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
    )


def config_update(new: JsonObject, old: JsonObject) -> list[Cause]:
    """What may not change in a ConfigMap or Secret that calls itself immutable."""
    if not old.get("immutable"):
        return []
    causes = [] if new.get("immutable") else [forbidden_value("immutable", _WHEN_IMMUTABLE)]
    return causes + [
        forbidden_value(field, _WHEN_IMMUTABLE)
        for field in ("data", "binaryData")
        if (new.get(field) or {}) != (old.get(field) or {})
    ]


# ---- leases and storage ----------------------------------------------------------------------


def lease_causes(obj: JsonObject) -> list[Cause]:
    """Broken rules of a Lease."""
    spec, causes = obj.get("spec") or {}, []
    if (duration := spec.get("leaseDurationSeconds")) is not None and duration <= 0:
        causes.append(invalid_value("spec.leaseDurationSeconds", duration, "must be greater than 0"))
    if (transitions := spec.get("leaseTransitions")) is not None and transitions < 0:
        causes.append(invalid_value("spec.leaseTransitions", transitions, NOT_NEGATIVE))
    return causes


def storage_class_causes(obj: JsonObject) -> list[Cause]:
    """Broken rules of a StorageClass."""
    provisioner = obj.get("provisioner")
    causes = label_key(provisioner.lower(), "provisioner") if provisioner else [required_value("provisioner")]
    for name, supported in (
        ("reclaimPolicy", ("Delete", "Retain")),
        ("volumeBindingMode", ("Immediate", "WaitForFirstConsumer")),
    ):
        if obj[name] not in supported:
            causes.append(not_supported(name, obj[name], supported))
    return causes


def storage_class_update(new: JsonObject, old: JsonObject) -> list[Cause]:
    """What may not change in a StorageClass."""
    return [
        cause
        for name in ("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode")
        for cause in immutable(name, None, changed=(new.get(name) or None) != (old.get(name) or None))
    ]


def runtime_class_causes(obj: JsonObject) -> list[Cause]:
    """Broken rules of a RuntimeClass."""
    handler = obj.get("handler")
    causes = dns_label(handler, "handler") if handler else [required_value("handler")]
    if overhead := (obj.get("overhead") or {}).get("podFixed"):
        causes += amounts.requirements({"limits": overhead}, "overhead")
    scheduling = obj.get("scheduling") or {}
    causes += validation.labels(scheduling.get("nodeSelector") or {}, "scheduling.nodeSelector")
    return causes + toleration_causes(scheduling.get("tolerations") or (), "scheduling.tolerations")


def runtime_class_update(new: JsonObject, old: JsonObject) -> list[Cause]:
    """What may not change in a RuntimeClass."""
    handler = new.get("handler")
    return immutable("handler", handler, changed=handler != old.get("handler"))
