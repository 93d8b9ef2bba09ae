"""What may not change in a pod: by an update of the pod, and by one of its status.

Follows ``ValidatePodUpdate`` and ``ValidatePodStatusUpdate`` of ``pkg/apis/core/validation``.
"""

import ipaddress
from collections.abc import Sequence
from typing import Final

from fakeapi.machinery.status import (
    Cause,
    forbidden_value,
    invalid_value,
)
from fakeapi.registry.causes import JsonObject, dns_subdomain, immutable, label_key
from fakeapi.registry.equality import POD_SPEC, alike, same_part
from fakeapi.registry.podrules import MAX_INT32, pod_causes

_UPDATABLE: Final = (
    "pod updates may not change fields other than `spec.containers[*].image`,"
    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_SYSTEM_CONDITIONS: Final = ("PodScheduled", "Ready", "Initialized")


def pod_update_causes(new: JsonObject, old: JsonObject) -> list[Cause]:
    """Broken rules of a pod that replaces another."""
    causes, before, after = pod_causes(new), old["spec"], new["spec"]
    if before == after:
        return causes
    for field in ("containers", "initContainers"):
        found = _images(after.get(field) or (), before.get(field) or (), f"spec.{field}")
        if found is None:
            return [*causes, forbidden_value(f"spec.{field}", "pod updates may not add or remove containers")]
        causes += found
    causes += _deadline(after.get("activeDeadlineSeconds"), before.get("activeDeadlineSeconds"))
    causes += _added_tolerations(after.get("tolerations") or (), before.get("tolerations") or ())
    causes += _deleted_gates(after.get("schedulingGates") or (), before.get("schedulingGates") or ())
    gated = bool(before.get("schedulingGates"))
    if gated:
        causes += _narrowed(after, before)
    if not same_part(_frozen(after, gated=gated), _frozen(before, gated=gated), POD_SPEC):
        causes.append(forbidden_value("spec", _UPDATABLE))
    return causes


def _images(new: Sequence[JsonObject], old: Sequence[JsonObject], path: str) -> list[Cause] | None:
    """What is wrong with the containers' images; None when their number changed."""
    if len(new) != len(old):
        return None
    causes = []
    for index, container in enumerate(new):
        image, field = container.get("image", ""), f"{path}[{index}].image"
        if image.strip() != image:
            causes.append(invalid_value(field, image, "must not have leading or trailing whitespace"))
    return causes


def _deadline(new: int | None, old: int | None) -> list[Cause]:
    field = "spec.activeDeadlineSeconds"
    if new is None:
        why = "must not update from a positive integer to nil value"
        return [] if old is None else [invalid_value(field, new, why)]
    if not 0 <= new <= MAX_INT32:
        return [invalid_value(field, new, f"must be between 0 and {MAX_INT32}, inclusive")]
    if old is not None and old < new:
        return [invalid_value(field, new, "must be less than or equal to previous value")]
    return []


def _added_tolerations(new: Sequence[JsonObject], old: Sequence[JsonObject]) -> list[Cause]:
    for toleration in old:
        wanted = _without_seconds(toleration)
        if not any(alike(wanted, _without_seconds(other)) for other in new):
            why = "existing toleration can not be modified except its tolerationSeconds"
            return [forbidden_value("spec.tolerations", why)]
    return []


def _without_seconds(toleration: JsonObject) -> JsonObject:
    return {name: value for name, value in toleration.items() if name != "tolerationSeconds"}


def _deleted_gates(new: Sequence[JsonObject], old: Sequence[JsonObject]) -> list[Cause]:
    known = [gate.get("name") for gate in old]
    return [
        forbidden_value(
            f"spec.schedulingGates[{index}].name",
            f"only deletion is allowed, but found new scheduling gate '{gate.get('name')}'",
        )
        for index, gate in enumerate(new)
        if gate.get("name") not in known
    ]


def _narrowed(new: JsonObject, old: JsonObject) -> list[Cause]:
    """A pod behind gates may be told more of where it must go, and nothing may be taken back."""
    causes = []
    after, before = new.get("nodeSelector") or {}, old.get("nodeSelector") or {}
    if any(after.get(key) != value for key, value in before.items()):
        why = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
        causes.append(invalid_value("spec.nodeSelector", after, why))
    terms, kept = _terms(new), _terms(old)
    field = f"spec.affinity.nodeAffinity.{_REQUIRED}.nodeSelectorTerms"
    if kept and len(kept) != len(terms):
        why = "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
        return [*causes, invalid_value(field, terms or None, why)]
    return causes + [
        invalid_value(
            f"{field}[{index}]", terms[index], "only additions are allowed (no mutations or deletions)"
        )
        for index, term in enumerate(kept)
        if not _only_adds(terms[index], term)
    ]


def _terms(spec: JsonObject) -> list[JsonObject]:
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    terms: list[JsonObject] = (affinity.get(_REQUIRED) or {}).get("nodeSelectorTerms") or []
    return terms


def _only_adds(new: JsonObject, old: JsonObject) -> bool:
    parts = ("matchExpressions", "matchFields")
    if not any(old.get(part) for part in parts):
        return not any(new.get(part) for part in parts)
    return all(
        alike((new.get(part) or [])[: len(old.get(part) or ())], old.get(part) or []) for part in parts
    )


def _frozen(spec: JsonObject, *, gated: bool) -> JsonObject:
    """The part of a spec that no update may change."""
    mutable = {"tolerations", "activeDeadlineSeconds", "schedulingGates"}
    if gated:  # checked by _narrowed
        mutable.add("nodeSelector")
    frozen = {name: value for name, value in spec.items() if name not in mutable}
    for field in ("containers", "initContainers"):
        frozen[field] = [
            {name: value for name, value in container.items() if name != "image"}
            for container in spec.get(field) or ()
        ]
    if gated:
        affinity = frozen.pop("affinity", None) or {}
        if others := {name: value for name, value in affinity.items() if name != "nodeAffinity"}:
            frozen["affinity"] = others
    return frozen


# ---- status ---------------------------------------------------------------------------------


def pod_status_causes(new: JsonObject, old: JsonObject) -> list[Cause]:
    """Broken rules of a pod's status that replaces another."""
    before, after = old["status"], new["status"]
    causes = _conditions(after.get("conditions") or ())
    causes += _nomination(after.get("nominatedNodeName") or "", before.get("nominatedNodeName") or "", old)
    if (generation := after.get("observedGeneration") or 0) < 0:
        causes.append(
            invalid_value("status.observedGeneration", generation, "must be a non-negative integer")
        )
    quality = after.get("qosClass")
    causes += immutable("status.qosClass", quality, changed=quality != before.get("qosClass"))
    for field in ("containerStatuses", "initContainerStatuses"):
        if (were := before.get(field)) and (are := after.get(field)) and were != are:
            causes += _revived(are, were, f"status.{field}", old["spec"])
    return causes + _addresses(after, before)


def _conditions(conditions: Sequence[JsonObject]) -> list[Cause]:
    return [
        cause
        for index, condition in enumerate(conditions)
        if condition.get("type") not in _SYSTEM_CONDITIONS
        for cause in label_key(condition.get("type", ""), f"status.conditions[{index}].Type")
    ]


def _nomination(new: str, old: str, pod: JsonObject) -> list[Cause]:
    if not new or new == old:
        return []
    causes = dns_subdomain(new, "status.nominatedNodeName")
    if pod["spec"].get("nodeName"):
        why = "may not be set on pods that are already bound to a node"
        causes.append(forbidden_value("status.nominatedNodeName", why))
    return causes


def _revived(
    new: Sequence[JsonObject], old: Sequence[JsonObject], path: str, spec: JsonObject
) -> list[Cause]:
    """Containers that have ended for good and are shown as if they had not."""
    now_ended = {status.get("name"): _ended(status) is not None for status in new}
    policies = _restart_policies(spec)
    causes = []
    for index, status in enumerate(old):
        name, ended = status.get("name"), _ended(status)
        if ended is None or now_ended.get(name, True):
            continue
        policy = policies.get(name)
        if policy != "Always" and not (policy == "OnFailure" and ended.get("exitCode")):
            why = "may not be transitioned to non-terminated state"
            causes.append(forbidden_value(f"{path}[{index}].state", why))
    return causes


def _ended(status: JsonObject) -> JsonObject | None:
    ended: JsonObject | None = (status.get("state") or {}).get("terminated")
    return ended


def _restart_policies(spec: JsonObject) -> dict[str | None, str]:
    """Container → its restart policy, the pod's own where it has none."""
    return {
        container.get("name"): container.get("restartPolicy") or spec["restartPolicy"]
        for field in ("containers", "initContainers")
        for container in spec.get(field) or ()
    }


def _addresses(new: JsonObject, old: JsonObject) -> list[Cause]:
    causes: list[Cause] = []
    for field in ("podIPs", "hostIPs"):
        addresses = new.get(field) or ()
        if addresses == old.get(field):
            continue
        causes += [
            invalid_value(
                f"status.{field}[{index}]",
                address.get("ip", ""),
                "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
            )
            for index, address in enumerate(addresses)
            if not _is_address(address.get("ip", ""))
        ]
    return causes


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
