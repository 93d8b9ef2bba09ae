"""What admission changes or refuses before an object is validated.

The plug-ins of a default cluster that a scheduler can see: NamespaceLifecycle, Priority,
DefaultTolerationSeconds, RuntimeClass, PodTopologyLabels, and of ServiceAccount only the name (no token
volume is mounted into pods that never run). Left out is TaintNodesByCondition: here no controller would
take the taint from a new node again.
"""

from collections.abc import Mapping
from typing import Any, Final

from fakeapi.machinery.resources import NAMESPACES, NODES, PODS, PRIORITY_CLASSES, Resource
from fakeapi.machinery.status import Cause, StatusError, forbidden, not_found
from fakeapi.registry.defaults import JsonObject
from fakeapi.registry.kindrules import SYSTEM_PRIORITY_CLASSES
from fakeapi.registry.runtimeclass import apply_runtime_class
from fakeapi.storage.store import Store

__all__ = [
    "SYSTEM_PRIORITY_CLASSES",
    "admit_creation",
    "admit_deletion",
    "admit_update",
    "require_namespace",
    "topology_labels",
]

_TOLERATION_SECONDS: Final = 300
"""How long a pod stays on a node that is not ready or unreachable, unless it says otherwise."""
_DEFAULT_TOLERATED: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_TOPOLOGY_LABELS: Final = ("topology.kubernetes.io/region", "topology.kubernetes.io/zone")
_NO_LABELS: Final[Mapping[str, str]] = {}


def require_namespace(store: Store, resource: Resource, namespace: str, name: str) -> None:
    """Refuse to create in a namespace that is missing or ends.

    Raises:
        StatusError: 404 for a missing namespace, 403 for one that terminates.
    """
    found = store.find(NAMESPACES.storage_key, ("", namespace))
    if found is None:
        raise not_found(NAMESPACES, namespace)
    if "deletionTimestamp" in found.object["metadata"]:
        raise _terminating(resource, namespace, name)


def _terminating(resource: Resource, namespace: str, name: str) -> StatusError:
    why = f"unable to create new content in namespace {namespace} because it is being terminated"
    refusal = forbidden(resource, name, why)
    words = f"namespace {namespace} is being terminated"
    cause = Cause("metadata.namespace", words, "NamespaceTerminating").to_json()
    details = {**(refusal.details or {}), "causes": [cause]}
    return StatusError(refusal.code, refusal.reason, refusal.message, details)


def admit_creation(store: Store, resource: Resource, obj: JsonObject) -> None:
    """Complete a new object from others in the store, or refuse it.

    Raises:
        StatusError: 403 for a priority or runtime class that is missing or contradicted.
    """
    if resource == PODS:
        _admit_pod(store, resource, obj)
    elif resource == PRIORITY_CLASSES:
        _require_only_default(store, resource, obj)


def admit_update(store: Store, resource: Resource, new: JsonObject, old: JsonObject) -> None:
    """Complete an object that replaces another, or refuse it.

    Raises:
        StatusError: 403 for a second default priority class.
    """
    if resource == PODS:
        spec = new["spec"]
        for field in ("priority", "preemptionPolicy"):
            if spec.get(field) is None and old["spec"].get(field) is not None:
                spec[field] = old["spec"][field]
        _add_tolerations(spec)
        _add_topology_labels(store, new)
    elif resource == PRIORITY_CLASSES:
        _require_only_default(store, resource, new)


def admit_deletion(resource: Resource, name: str) -> None:
    """Refuse to delete what every cluster has.

    Raises:
        StatusError: 403 for the priority classes of the system.
    """
    if resource == PRIORITY_CLASSES and name in SYSTEM_PRIORITY_CLASSES:
        raise forbidden(resource, name, "this is a system priority class and cannot be deleted")


# ---- pods ------------------------------------------------------------------------------------


def _admit_pod(store: Store, resource: Resource, obj: JsonObject) -> None:
    spec = obj["spec"]
    if not spec.get("serviceAccountName"):
        spec["serviceAccountName"] = spec["serviceAccount"] = "default"
    _set_priority(store, resource, obj, spec)
    _add_tolerations(spec)
    if spec.get("runtimeClassName") is not None or spec.get("overhead"):
        apply_runtime_class(store, resource, obj)
    _add_topology_labels(store, obj)


def _set_priority(store: Store, resource: Resource, obj: JsonObject, spec: JsonObject) -> None:
    name = spec.get("priorityClassName")
    priority_class = _default_class(store) if not name else _named_class(store, resource, obj, name)
    if priority_class is None:
        value, policy = 0, "PreemptLowerPriority"
    else:
        value, policy = priority_class["value"], priority_class["preemptionPolicy"]
        spec["priorityClassName"] = priority_class["metadata"]["name"]
    for field, computed, label in (
        ("priority", value, "integer value of priority"),
        ("preemptionPolicy", policy, "string value of PreemptionPolicy"),
    ):
        if spec.setdefault(field, computed) != computed:
            why = (
                f"the {label} ({spec[field]}) must not be provided in pod spec; "
                f"priority admission controller computed {computed} from the given PriorityClass name"
            )
            raise _forbidden_pod(resource, obj, why)


def _named_class(store: Store, resource: Resource, obj: JsonObject, name: str) -> JsonObject:
    found = store.find(PRIORITY_CLASSES.storage_key, ("", name))
    if found is None:
        raise _forbidden_pod(resource, obj, f"no PriorityClass with name {name} was found")
    return found.object


def _default_class(store: Store) -> JsonObject | None:
    defaults = [
        version.object
        for version in store.iterate(PRIORITY_CLASSES.storage_key)
        if version.object.get("globalDefault")
    ]
    # More than one can exist only by a race; the real server takes the lowest then.
    return min(defaults, key=lambda found: int(found["value"])) if defaults else None


def _forbidden_pod(resource: Resource, obj: JsonObject, why: str) -> StatusError:
    return forbidden(resource, obj["metadata"].get("name", ""), why)


def _add_tolerations(spec: JsonObject) -> None:
    given = spec.get("tolerations") or ()
    added = [
        {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": _TOLERATION_SECONDS}
        for key in _DEFAULT_TOLERATED
        if not any(_tolerates(toleration, key) for toleration in given)
    ]
    if added:
        spec["tolerations"] = [*given, *added]


def _tolerates(toleration: dict[str, Any], key: str) -> bool:
    return toleration.get("key") in (key, None, "") and toleration.get("effect") in ("NoExecute", None, "")


def topology_labels(store: Store, node: str) -> Mapping[str, str]:
    """The labels that a pod takes over from the node that it is bound to: its region and zone."""
    found = store.find(NODES.storage_key, ("", node))
    labels = None if found is None else found.object["metadata"].get("labels")
    if not labels:
        return _NO_LABELS
    return {name: labels[name] for name in _TOPOLOGY_LABELS if name in labels}


def _add_topology_labels(store: Store, pod: JsonObject) -> None:
    if (node := pod["spec"].get("nodeName")) and (added := topology_labels(store, node)):
        metadata = pod["metadata"]
        metadata["labels"] = {**(metadata.get("labels") or {}), **added}


# ---- priority classes ------------------------------------------------------------------------


def _require_only_default(store: Store, resource: Resource, obj: JsonObject) -> None:
    name, other = obj["metadata"].get("name", ""), _default_class(store)
    if obj.get("globalDefault") and other is not None and other["metadata"]["name"] != name:
        marked = other["metadata"]["name"]
        why = f"PriorityClass {marked} is already marked as default. Only one default can exist"
        raise forbidden(resource, name, why)
