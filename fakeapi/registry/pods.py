"""Sub-resources of pods: binding and eviction.

Follows ``pkg/registry/core/pod/storage/{storage,eviction}.go``.
"""

from typing import Any, Final

from fakeapi.machinery.resources import POD_DISRUPTION_BUDGETS, PODS, builtin
from fakeapi.machinery.selectors import label_selector_of
from fakeapi.machinery.status import (
    Cause,
    StatusError,
    bad_request,
    conflict,
    invalid,
    too_many_requests,
    unsupported_value,
)
from fakeapi.registry.conditions import with_condition
from fakeapi.registry.defaults import JsonObject
from fakeapi.registry.deletion import delete
from fakeapi.registry.options import NO_OPTIONS, DeleteOptions, WriteOptions, delete_options_of
from fakeapi.registry.registry import Registry, require_body_field
from fakeapi.storage.objects import Version

_BINDINGS: Final = builtin("bindings")


def bind(
    registry: Registry, namespace: str, name: str, binding: JsonObject, options: WriteOptions = NO_OPTIONS
) -> Version:
    """Put a pod on the node that the ``Binding`` names.

    Raises:
        StatusError: 400 or 422 for a wrong binding, 404 for a missing pod, 409 when the pod
            is bound, ends, waits behind gates or is not the one that the binding means.
    """
    metadata = binding.get("metadata") or {}
    if metadata.get("name") != name:
        raise bad_request("name in URL does not match name in Binding object")
    node = require_body_field(_BINDINGS, binding, "target.name")
    kind = binding["target"].get("kind")
    if kind not in (None, "", "Node"):
        cause = unsupported_value("target.kind", kind, ("Node", "<empty>"))
        raise invalid(_BINDINGS, name, [cause])
    current = registry.get(PODS, namespace, name)
    _require_bindable(current.object, metadata, name)
    bound = with_condition(
        _assigned(current.object, node, metadata),
        {"type": "PodScheduled", "status": "True"},
        registry.now_text(),
    )
    if options.dry_run:
        return current
    return registry.store.update(PODS.storage_key, current.key, bound)


def _require_bindable(pod: JsonObject, precondition: JsonObject, name: str) -> None:
    metadata, spec = pod["metadata"], pod["spec"]
    uid, revision = precondition.get("uid"), precondition.get("resourceVersion")
    if uid and uid != metadata["uid"]:
        why = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {metadata['uid']}"
        raise conflict(PODS, name, why)
    if revision and revision != metadata["resourceVersion"]:
        why = (
            f"Precondition failed: ResourceVersion in precondition: {revision}, "
            f"ResourceVersion in object meta: {metadata['resourceVersion']}"
        )
        raise conflict(PODS, name, why)
    if "deletionTimestamp" in metadata:
        raise _not_bindable(name, f"pod {name} is being deleted, cannot be assigned to a host")
    if spec.get("nodeName"):
        raise _not_bindable(name, f'pod {name} is already assigned to node "{spec["nodeName"]}"')
    if spec.get("schedulingGates"):
        raise _not_bindable(name, f"pod {name} has non-empty .spec.schedulingGates")


def _not_bindable(name: str, why: str) -> StatusError:
    message = f'Operation cannot be fulfilled on pods/binding "{name}": {why}'
    return StatusError(409, "Conflict", message, {"name": name, "kind": "pods/binding"})


def _assigned(pod: JsonObject, node: str, binding_metadata: JsonObject) -> JsonObject:
    metadata = dict(pod["metadata"])
    for field in ("annotations", "labels"):
        if binding_metadata.get(field):
            metadata[field] = {**metadata.get(field, {}), **binding_metadata[field]}
    status = {name: value for name, value in pod["status"].items() if name != "nominatedNodeName"}
    return {**pod, "metadata": metadata, "spec": {**pod["spec"], "nodeName": node}, "status": status}


def evict(
    registry: Registry, namespace: str, name: str, eviction: JsonObject, options: WriteOptions = NO_OPTIONS
) -> None:
    """Delete a pod gracefully if its disruption budget has room.

    Raises:
        StatusError: 400 for a wrong body, 404, 409 for a failed precondition,
            429 when the budget has no room, 500 when more than one budget covers the pod.
    """
    if (eviction.get("metadata") or {}).get("name") != name:
        raise bad_request("name in URL does not match name in Eviction object")
    wanted = delete_options_of(eviction.get("deleteOptions") or {})
    dry_run = wanted.dry_run or options.dry_run
    pod = registry.get(PODS, namespace, name).object
    if not _ends_or_waits(pod):
        _take_from_budget(registry, namespace, pod, dry_run=dry_run)
    if not dry_run:
        _mark_and_delete(registry, namespace, name, wanted)


def _ends_or_waits(pod: JsonObject) -> bool:
    phase = pod["status"].get("phase")
    return phase in ("Succeeded", "Failed", "Pending") or "deletionTimestamp" in pod["metadata"]


def _mark_and_delete(registry: Registry, namespace: str, name: str, wanted: DeleteOptions) -> None:
    current = registry.get(PODS, namespace, name)
    if wanted.uid not in (None, current.object["metadata"]["uid"]) or wanted.revision not in (
        None,
        current.object["metadata"]["resourceVersion"],
    ):
        delete(registry, PODS, namespace, name, wanted)  # refuses with the precondition's own words
    condition = {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": "EvictionByEvictionAPI",
        "message": "Eviction API: evicting",
    }
    marked = with_condition(current.object, condition, registry.now_text())
    registry.store.update(PODS.storage_key, current.key, marked)
    delete(
        registry, PODS, namespace, name, DeleteOptions(wanted.grace_s, wanted.uid, None, wanted.propagation)
    )


def _take_from_budget(registry: Registry, namespace: str, pod: JsonObject, *, dry_run: bool) -> None:
    budgets = _budgets_of(registry, namespace, pod)
    if not budgets:
        return
    if len(budgets) > 1:
        message = (
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
        )
        raise StatusError(500, "InternalError", message)
    budget = budgets[0]
    status = budget.object.get("status") or {}
    if not _is_ready(pod) and _unhealthy_may_go(budget.object, status):
        return
    allowed = status.get("disruptionsAllowed", 0)
    if allowed <= 0:
        raise _no_room(budget.object["metadata"]["name"], status)
    if dry_run:
        return
    disrupted = {**status.get("disruptedPods", {}), pod["metadata"]["name"]: registry.now_text()}
    taken = {**status, "disruptionsAllowed": allowed - 1, "disruptedPods": disrupted}
    changed = {**budget.object, "status": taken}
    registry.store.update(POD_DISRUPTION_BUDGETS.storage_key, budget.key, changed)


def _budgets_of(registry: Registry, namespace: str, pod: JsonObject) -> list[Version]:
    labels = pod["metadata"].get("labels") or {}
    return [
        version
        for version in registry.store.iterate(POD_DISRUPTION_BUDGETS.storage_key, namespace)
        if _covers(version.object, labels)
    ]


def _covers(budget: JsonObject, labels: dict[str, str]) -> bool:
    selector: Any = (budget.get("spec") or {}).get("selector")
    return selector is not None and label_selector_of(selector).matches(labels)


def _is_ready(pod: JsonObject) -> bool:
    conditions = pod["status"].get("conditions") or ()
    return any(found["type"] == "Ready" and found["status"] == "True" for found in conditions)


def _unhealthy_may_go(budget: JsonObject, status: JsonObject) -> bool:
    if (budget.get("spec") or {}).get("unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    desired = status.get("desiredHealthy", 0)
    return bool(desired > 0 and status.get("currentHealthy", 0) >= desired)


def _no_room(name: str, status: JsonObject) -> StatusError:
    desired, healthy = status.get("desiredHealthy", 0), status.get("currentHealthy", 0)
    why = f"The disruption budget {name} needs {desired} healthy pods and has {healthy} currently"
    return too_many_requests(
        "Cannot evict pod as it would violate the pod's disruption budget.",
        0,
        [Cause("", why, "DisruptionBudget")],
    )
