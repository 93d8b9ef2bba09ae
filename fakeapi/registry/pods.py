"""Sub-resources of pods: binding and eviction.

Follows ``pkg/registry/core/pod/storage/{storage,eviction}.go``.
"""

from dataclasses import replace
from typing import Final

from fakeapi.machinery.resources import PODS, builtin
from fakeapi.machinery.status import StatusError, bad_request, conflict, invalid
from fakeapi.registry import traits
from fakeapi.registry.admission import topology_labels
from fakeapi.registry.budgets import take_from_budget
from fakeapi.registry.causes import not_supported
from fakeapi.registry.conditions import with_condition
from fakeapi.registry.defaults import JsonObject
from fakeapi.registry.deletion import delete, require_preconditions
from fakeapi.registry.equality import same_object
from fakeapi.registry.options import NO_OPTIONS, WriteOptions, delete_options_of
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
    # The real server answers 500 to these two, for want of a kind to name; 422 says whose fault it is.
    node = require_body_field(_BINDINGS, binding, "target.name")
    kind = binding["target"].get("kind")
    if kind not in (None, "", "Node"):
        raise invalid(_BINDINGS, name, [not_supported("target.kind", kind, ("Node", "<empty>"))])
    current = registry.get(PODS, namespace, name)
    _require_bindable(current.object, metadata, name)
    labels = {**(metadata.get("labels") or {}), **topology_labels(registry.store, node)}
    bound = _assigned(current.object, node, labels, metadata.get("annotations") or {})
    registry.refuse(PODS, bound, [])  # the binding's annotations may break what was checked at creation
    if options.dry_run:
        return current
    scheduled = with_condition(bound, {"type": "PodScheduled", "status": "True"}, registry.now_text())
    return registry.store.update(PODS.storage_key, current.key, scheduled)


def _require_bindable(pod: JsonObject, precondition: JsonObject, name: str) -> None:
    metadata, spec = pod["metadata"], pod["spec"]
    for field, wanted, found in (
        ("UID", precondition.get("uid"), metadata["uid"]),
        ("ResourceVersion", precondition.get("resourceVersion"), metadata["resourceVersion"]),
    ):
        if wanted and wanted != found:
            why = f"Precondition failed: {field} in precondition: {wanted}, {field} in object meta: {found}"
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


def _assigned(pod: JsonObject, node: str, labels: dict[str, str], annotations: dict[str, str]) -> JsonObject:
    metadata = dict(pod["metadata"])
    for field, added in (("annotations", annotations), ("labels", labels)):
        if added:
            metadata[field] = {**(metadata.get(field) or {}), **added}
    status = {name: value for name, value in pod["status"].items() if name != "nominatedNodeName"}
    return {**pod, "metadata": metadata, "spec": {**pod["spec"], "nodeName": node}, "status": status}


# ---- eviction --------------------------------------------------------------------------------


def evict(
    registry: Registry, namespace: str, name: str, eviction: JsonObject, options: WriteOptions = NO_OPTIONS
) -> None:
    """Delete a pod gracefully if its disruption budget has room.

    Raises:
        StatusError: 400 for a wrong body, 404, 409 for a failed precondition, 429 when the budget has
            no room, 500 when more than one budget covers the pod.
    """
    if (eviction.get("metadata") or {}).get("name") != name:
        raise bad_request("name in URL does not match name in Eviction object")
    wanted = delete_options_of(eviction.get("deleteOptions") or {})
    wanted = replace(wanted, dry_run=wanted.dry_run or options.dry_run)
    current = registry.get(PODS, namespace, name)
    # The real server counts an eviction in the budget even where the precondition then does not hold.
    require_preconditions(PODS, current, wanted)
    if not _goes_anyway(current.object):
        take_from_budget(registry, namespace, current.object, dry_run=wanted.dry_run)
    if not wanted.dry_run:
        _mark(registry, current)
        delete(registry, PODS, namespace, name, replace(wanted, revision=None))


def _goes_anyway(pod: JsonObject) -> bool:
    """Whether the pod does nothing that a budget could protect."""
    phase = pod["status"].get("phase")
    return phase in ("Succeeded", "Failed", "Pending") or "deletionTimestamp" in pod["metadata"]


def _mark(registry: Registry, current: Version) -> None:
    condition = {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": "EvictionByEvictionAPI",
        "message": "Eviction API: evicting",
    }
    marked = with_condition(current.object, condition, registry.now_text())
    if not same_object(marked, current.object, traits.message_of(PODS)):
        registry.store.update(PODS.storage_key, current.key, marked)
