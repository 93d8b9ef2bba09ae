"""What admission changes or refuses before a new object is validated.

The plug-ins of a default cluster that a scheduler can see: NamespaceLifecycle,
Priority, DefaultTolerationSeconds, and of ServiceAccount only the name (no token
volume is mounted into pods that never run).
"""

from typing import Any, Final

from fakeapi.machinery.resources import NAMESPACES, PRIORITY_CLASSES, Resource
from fakeapi.machinery.status import StatusError, forbidden, not_found
from fakeapi.registry.defaults import JsonObject
from fakeapi.storage.store import Store

SYSTEM_PRIORITY_CLASSES: Final = {
    "system-cluster-critical": 2_000_000_000,
    "system-node-critical": 2_000_001_000,
}
"""Built into every cluster; values from ``pkg/apis/scheduling/types.go``."""

_TOLERATION_SECONDS: Final = 300
"""How long a pod stays on a node that is not ready or unreachable, unless it says otherwise."""
_DEFAULT_TOLERATED: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


def require_namespace(store: Store, resource: Resource, namespace: str, name: str) -> None:
    """Refuse to create in a namespace that is missing or ends.

    Raises:
        StatusError: 404 for a missing namespace, 403 for one that terminates.
    """
    found = store.find(NAMESPACES.storage_key, ("", namespace))
    if found is None:
        raise not_found(NAMESPACES, namespace)
    if "deletionTimestamp" in found.object["metadata"]:
        why = f"unable to create new content in namespace {namespace} because it is being terminated"
        raise forbidden(resource, name, why)


def admit_pod(store: Store, resource: Resource, obj: JsonObject) -> None:
    """Resolve the priority class and add the default tolerations and service account.

    Raises:
        StatusError: 403 when the priority class does not exist or contradicts the given priority.
    """
    spec = obj["spec"]
    _set_priority(store, resource, obj, spec)
    _add_tolerations(spec)
    if "serviceAccountName" not in spec:
        spec["serviceAccountName"] = spec.get("serviceAccount", "default")
    spec.setdefault("serviceAccount", spec["serviceAccountName"])


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
    if store.count(PRIORITY_CLASSES.storage_key) <= len(SYSTEM_PRIORITY_CLASSES):
        return None
    classes = [version.object for version in store.iterate(PRIORITY_CLASSES.storage_key)]
    defaults = [found for found in classes if found.get("globalDefault")]
    # More than one can exist only by a race; the real server takes the lowest then.
    return min(defaults, key=lambda found: int(found["value"]), default=None)


def _forbidden_pod(resource: Resource, obj: JsonObject, why: str) -> StatusError:
    return forbidden(resource, obj["metadata"].get("name", ""), why)


def _add_tolerations(spec: JsonObject) -> None:
    tolerations = list(spec.get("tolerations", ()))
    for key in _DEFAULT_TOLERATED:
        if not any(_tolerates(toleration, key) for toleration in tolerations):
            added = {"key": key, "operator": "Exists", "effect": "NoExecute"}
            tolerations.append({**added, "tolerationSeconds": _TOLERATION_SECONDS})
    spec["tolerations"] = tolerations


def _tolerates(toleration: dict[str, Any], key: str) -> bool:
    return toleration.get("key") in (key, None, "") and toleration.get("effect") in ("NoExecute", None, "")
