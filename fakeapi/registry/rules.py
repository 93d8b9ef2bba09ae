"""What makes an object of a kind invalid, at creation and at update.

Follows ``pkg/apis/*/validation`` where a scheduler, a controller or a person with
kubectl meets it: names, quantities, references between fields, and immutable fields.
All broken rules are reported together, each with its field.
"""

from collections.abc import Callable
from typing import Any, Final

from fakeapi.machinery import validation
from fakeapi.machinery.quantity import QuantityError, parse
from fakeapi.machinery.resources import Resource
from fakeapi.machinery.status import (
    Cause,
    duplicate_value,
    forbidden_value,
    invalid_value,
    required_value,
    unsupported_value,
)
from fakeapi.registry.defaults import JsonObject

IMMUTABLE: Final = "field is immutable"


def metadata_causes(resource: Resource, metadata: JsonObject) -> list[Cause]:
    """Broken rules of the metadata that every kind shares."""
    name = metadata.get("name", "")
    causes = []
    if not name:
        causes.append(required_value("metadata.name", "name or generateName is required"))
    elif wrong := validation.object_name(resource.group, resource.plural, name):
        causes.append(invalid_value("metadata.name", name, wrong))
    if labels := metadata.get("labels"):
        causes += validation.labels(labels, "metadata.labels")
    if annotations := metadata.get("annotations"):
        causes += validation.annotations(annotations, "metadata.annotations")
    if owners := metadata.get("ownerReferences"):
        causes += validation.owner_references(owners, "metadata.ownerReferences")
    if names := metadata.get("finalizers"):
        causes += validation.finalizers(names, "metadata.finalizers")
    return causes


def creation_causes(resource: Resource, obj: JsonObject) -> list[Cause]:
    """Broken rules of a new object: none means that it may be stored."""
    causes = metadata_causes(resource, obj["metadata"])
    rule = _CREATION.get((resource.group, resource.kind))
    return causes + rule(obj) if rule else causes


def update_causes(resource: Resource, new: JsonObject, old: JsonObject) -> list[Cause]:
    """Broken rules of an object that replaces another: the rules of creation and what may not change."""
    causes = creation_causes(resource, new)
    rule = _UPDATE.get((resource.group, resource.kind))
    return causes + rule(new, old) if rule else causes


# ---- quantities -------------------------------------------------------------------------------


def _quantity_causes(amounts: JsonObject, path: str) -> list[Cause]:
    causes = []
    for resource, amount in amounts.items():
        field = f"{path}[{resource}]"
        if wrong := validation.qualified_name(resource):
            causes.append(invalid_value(field, resource, wrong))
        try:
            if parse(str(amount)) < 0:
                causes.append(invalid_value(field, amount, "must be greater than or equal to 0"))
        except QuantityError as error:
            causes.append(invalid_value(field, amount, str(error)))
    return causes


def _is_extended(resource: str) -> bool:
    return "/" in resource and not resource.partition("/")[0].endswith("kubernetes.io")


def _container_resource_causes(resources: JsonObject, path: str) -> list[Cause]:
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    causes = _quantity_causes(limits, f"{path}.limits") + _quantity_causes(requests, f"{path}.requests")
    if causes or limits == requests:
        return causes + _whole_causes(limits, f"{path}.limits")
    for resource, request in requests.items():
        field = f"{path}.requests"
        limit = limits.get(resource)
        if limit is None:
            if _is_extended(resource):
                causes.append(
                    required_value(f"{path}.limits", "Limit must be set for non overcommitable resources")
                )
        elif _is_extended(resource) and parse(str(request)) != parse(str(limit)):
            causes.append(invalid_value(field, request, f"must be equal to {resource} limit of {limit}"))
        elif parse(str(request)) > parse(str(limit)):
            causes.append(
                invalid_value(field, request, f"must be less than or equal to {resource} limit of {limit}")
            )
    return causes + _whole_causes(requests, f"{path}.requests") + _whole_causes(limits, f"{path}.limits")


def _whole_causes(amounts: JsonObject, path: str) -> list[Cause]:
    return [
        invalid_value(f"{path}[{resource}]", amount, "must be an integer")
        for resource, amount in amounts.items()
        if _is_extended(resource) and not str(amount).isdigit() and parse(str(amount)).denominator != 1
    ]


# ---- pods -------------------------------------------------------------------------------------

_RESTART_POLICIES: Final = ("Always", "OnFailure", "Never")
_TOLERATION_OPERATORS: Final = ("Equal", "Exists", "Gt", "Lt")
_TAINT_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_MAX_PRIORITY: Final = 1_000_000_000
"""Highest value of a priority class that a user makes (``HighestUserDefinablePriority``)."""


def pod_spec_causes(spec: JsonObject, path: str) -> list[Cause]:
    """Broken rules of a pod's spec, in a pod or in a template."""
    causes = _containers_causes(spec, path)
    if spec.get("restartPolicy") not in _RESTART_POLICIES:
        causes.append(
            unsupported_value(f"{path}.restartPolicy", spec.get("restartPolicy"), _RESTART_POLICIES)
        )
    grace = spec.get("terminationGracePeriodSeconds", 0)
    if grace < 0:
        causes.append(
            invalid_value(
                f"{path}.terminationGracePeriodSeconds", grace, "must be greater than or equal to 0"
            )
        )
    if selector := spec.get("nodeSelector"):
        causes += validation.labels(selector, f"{path}.nodeSelector")
    for index, toleration in enumerate(spec.get("tolerations", ())):
        causes += _toleration_causes(toleration, f"{path}.tolerations[{index}]")
    if name := spec.get("nodeName"):
        if wrong := validation.dns_subdomain(name):
            causes.append(invalid_value(f"{path}.nodeName", name, wrong))
        if spec.get("schedulingGates"):
            causes.append(
                forbidden_value(
                    f"{path}.nodeName", "cannot be set until all schedulingGates have been cleared"
                )
            )
    return causes


def _containers_causes(spec: JsonObject, path: str) -> list[Cause]:
    containers = spec.get("containers") or []
    causes = [] if containers else [required_value(f"{path}.containers")]
    seen: set[str] = set()
    for field in ("containers", "initContainers"):
        for index, container in enumerate(spec.get(field) or ()):
            causes += _container_causes(container, f"{path}.{field}[{index}]", seen)
    return causes


def _container_causes(container: JsonObject, path: str, seen: set[str]) -> list[Cause]:
    name = container.get("name", "")
    causes = []
    if not name:
        causes.append(required_value(f"{path}.name"))
    elif wrong := validation.dns_label(name):
        causes.append(invalid_value(f"{path}.name", name, wrong))
    elif name in seen:
        causes.append(duplicate_value(f"{path}.name", name))
    seen.add(name)
    if not container.get("image"):
        causes.append(required_value(f"{path}.image"))
    return causes + _container_resource_causes(container["resources"], f"{path}.resources")


def _toleration_causes(toleration: JsonObject, path: str) -> list[Cause]:
    causes = []
    key, operator = toleration.get("key", ""), toleration.get("operator") or "Equal"
    if key and (wrong := validation.qualified_name(key)):
        causes.append(invalid_value(f"{path}.key", key, wrong))
    if not key and operator != "Exists":
        causes.append(
            invalid_value(
                f"{path}.operator",
                operator,
                'operator must be Exists when `key` is empty, which means "match all values and all keys"',
            )
        )
    if operator not in _TOLERATION_OPERATORS:
        causes.append(unsupported_value(f"{path}.operator", operator, _TOLERATION_OPERATORS))
    effect = toleration.get("effect", "")
    if effect and effect not in _TAINT_EFFECTS:
        causes.append(unsupported_value(f"{path}.effect", effect, _TAINT_EFFECTS))
    if toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
        causes.append(
            invalid_value(
                f"{path}.effect", effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"
            )
        )
    return causes


def _pod_creation(obj: JsonObject) -> list[Cause]:
    return pod_spec_causes(obj["spec"], "spec")


_POD_UPDATE_MESSAGE: Final = (
    "pod updates may not change fields other than `spec.containers[*].image`,"
    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing "
    "tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)


def _pod_update(new: JsonObject, old: JsonObject) -> list[Cause]:
    before, after = old["spec"], new["spec"]
    if before == after:
        return []
    causes = []
    kept = [
        toleration
        for toleration in before.get("tolerations", ())
        if toleration in after.get("tolerations", ())
    ]
    if len(kept) != len(before.get("tolerations", ())):
        causes.append(
            forbidden_value(
                "spec.tolerations", "existing toleration can not be modified except its tolerationSeconds"
            )
        )
    gates_before = [gate["name"] for gate in before.get("schedulingGates", ())]
    added = [gate["name"] for gate in after.get("schedulingGates", ()) if gate["name"] not in gates_before]
    if added:
        causes.append(
            forbidden_value(
                "spec.schedulingGates",
                f"only deletion is allowed, but found new scheduling gates: {', '.join(added)}",
            )
        )
    if _pod_frozen_part(before, gated=bool(gates_before)) != _pod_frozen_part(
        after, gated=bool(gates_before)
    ):
        causes.append(forbidden_value("spec", _POD_UPDATE_MESSAGE))
    return causes


def _pod_frozen_part(spec: JsonObject, *, gated: bool) -> JsonObject:
    mutable = {"tolerations", "activeDeadlineSeconds", "terminationGracePeriodSeconds", "schedulingGates"}
    if gated:  # a pod that waits behind gates may still be told where it may go
        mutable |= {"nodeSelector", "affinity"}
    frozen = {name: value for name, value in spec.items() if name not in mutable}
    for field in ("containers", "initContainers"):
        if field in frozen:
            frozen[field] = [
                {name: value for name, value in container.items() if name != "image"}
                for container in frozen[field]
            ]
    return frozen


# ---- other kinds --------------------------------------------------------------------------------


def _node_creation(obj: JsonObject) -> list[Cause]:
    status, causes = obj.get("status", {}), []
    for field in ("capacity", "allocatable"):
        causes += _quantity_causes(status.get(field) or {}, f"status.{field}")
    for index, taint in enumerate(obj.get("spec", {}).get("taints") or ()):
        path = f"spec.taints[{index}]"
        if wrong := validation.qualified_name(taint.get("key", "")):
            causes.append(invalid_value(f"{path}.key", taint.get("key", ""), wrong))
        if taint.get("effect") not in _TAINT_EFFECTS:
            causes.append(unsupported_value(f"{path}.effect", taint.get("effect"), _TAINT_EFFECTS))
    return causes


def _selector_labels(selector: Any) -> JsonObject:
    return (selector or {}).get("matchLabels") or {} if isinstance(selector, dict) else {}


def _workload_creation(obj: JsonObject) -> list[Cause]:
    spec, causes = obj["spec"], []
    template = spec.get("template")
    if not isinstance(template, dict):
        return [required_value("spec.template")]
    if spec.get("replicas", 0) < 0:
        causes.append(invalid_value("spec.replicas", spec["replicas"], "must be greater than or equal to 0"))
    selector = spec.get("selector")
    if not selector:
        causes.append(required_value("spec.selector"))
    else:
        labels = template.get("metadata", {}).get("labels") or {}
        wanted = _selector_labels(selector)
        if any(labels.get(key) != value for key, value in wanted.items()):
            causes.append(
                invalid_value(
                    "spec.template.metadata.labels", labels, "`selector` does not match template `labels`"
                )
            )
    return causes + pod_spec_causes(template["spec"], "spec.template.spec")


def _selector_is_fixed(new: JsonObject, old: JsonObject) -> list[Cause]:
    after = new["spec"].get("selector")
    if old["spec"].get("selector") != after:
        return [invalid_value("spec.selector", after, IMMUTABLE)]
    return []


def _job_creation(obj: JsonObject) -> list[Cause]:
    spec = obj["spec"]
    template = spec.get("template")
    if not isinstance(template, dict):
        return [required_value("spec.template")]
    causes = [
        invalid_value(f"spec.{name}", spec[name], "must be greater than or equal to 0")
        for name in ("parallelism", "completions", "backoffLimit", "activeDeadlineSeconds")
        if (spec.get(name) or 0) < 0
    ]
    if template["spec"].get("restartPolicy") not in ("OnFailure", "Never"):
        causes.append(
            unsupported_value(
                "spec.template.spec.restartPolicy",
                template["spec"].get("restartPolicy"),
                ("OnFailure", "Never"),
            )
        )
    return causes + pod_spec_causes(template["spec"], "spec.template.spec")


def _job_update(new: JsonObject, old: JsonObject) -> list[Cause]:
    causes = []
    for name in ("completions", "completionMode", "selector", "template"):
        before, after = old["spec"].get(name), new["spec"].get(name)
        if before != after and not (name == "template" and old["spec"].get("suspend")):
            causes.append(invalid_value(f"spec.{name}", after, IMMUTABLE))
    return causes


def _priority_class_creation(obj: JsonObject) -> list[Cause]:
    name, value = obj["metadata"].get("name", ""), obj.get("value", 0)
    if name.startswith("system-"):
        return [
            forbidden_value(
                "metadata.name",
                "priority class names with 'system-' prefix are reserved for system use only",
            )
        ]
    if value > _MAX_PRIORITY:
        return [
            forbidden_value("value", f"maximum allowed value of a user defined priority is {_MAX_PRIORITY}")
        ]
    return []


def _priority_class_update(new: JsonObject, old: JsonObject) -> list[Cause]:
    return [
        forbidden_value(field, "may not be changed in an update.")
        for field in ("value", "preemptionPolicy")
        if new.get(field) != old.get(field)
    ]


def _budget_creation(obj: JsonObject) -> list[Cause]:
    spec = obj.get("spec") or {}
    if spec.get("minAvailable") is not None and spec.get("maxUnavailable") is not None:
        return [invalid_value("spec", spec, "minAvailable and maxUnavailable cannot be both set")]
    return []


_WORKLOADS: Final = (
    ("apps", "Deployment"),
    ("apps", "ReplicaSet"),
    ("apps", "StatefulSet"),
    ("apps", "DaemonSet"),
)
_CREATION: Final[dict[tuple[str, str], Callable[[JsonObject], list[Cause]]]] = {
    ("", "Pod"): _pod_creation,
    ("", "Node"): _node_creation,
    ("batch", "Job"): _job_creation,
    ("scheduling.k8s.io", "PriorityClass"): _priority_class_creation,
    ("policy", "PodDisruptionBudget"): _budget_creation,
    **dict.fromkeys(_WORKLOADS, _workload_creation),
}
_UPDATE: Final[dict[tuple[str, str], Callable[[JsonObject, JsonObject], list[Cause]]]] = {
    ("", "Pod"): _pod_update,
    ("batch", "Job"): _job_update,
    ("scheduling.k8s.io", "PriorityClass"): _priority_class_update,
    **dict.fromkeys(_WORKLOADS, _selector_is_fixed),
}
