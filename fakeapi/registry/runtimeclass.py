"""The RuntimeClass admission: what a class of runtimes costs, and where it can run.

Follows ``plugin/pkg/admission/runtimeclass``.
"""

from typing import Final

from fakeapi.machinery.resources import Resource, builtin
from fakeapi.machinery.status import StatusError, forbidden
from fakeapi.registry.defaults import JsonObject
from fakeapi.registry.equality import POD_SPEC, same_part
from fakeapi.storage.store import Store

_RUNTIME_CLASSES: Final = builtin("runtimeclasses", "node.k8s.io")


def apply_runtime_class(store: Store, resource: Resource, pod: JsonObject) -> None:
    """Give a new pod the overhead, node selector and tolerations of its runtime class.

    Raises:
        StatusError: 403 when the class is missing, or the pod says something else.
    """
    spec = pod["spec"]
    runtime_class = _class_of(store, resource, pod)
    _set_overhead(resource, pod, (runtime_class.get("overhead") or {}).get("podFixed"))
    scheduling = runtime_class.get("scheduling") or {}
    if selector := scheduling.get("nodeSelector"):
        own = spec.get("nodeSelector") or {}
        _require_no_conflict(resource, pod, selector, own)
        spec["nodeSelector"] = {**own, **selector}
    if tolerations := scheduling.get("tolerations"):
        own = spec.get("tolerations") or []
        spec["tolerations"] = [*own, *(one for one in tolerations if one not in own)]


def _class_of(store: Store, resource: Resource, pod: JsonObject) -> JsonObject:
    name = pod["spec"].get("runtimeClassName")
    if name is None:
        return {}
    found = store.find(_RUNTIME_CLASSES.storage_key, ("", name))
    if found is None:
        raise _rejected(resource, pod, f'pod rejected: RuntimeClass "{name}" not found')
    return found.object


def _set_overhead(resource: Resource, pod: JsonObject, fixed: JsonObject | None) -> None:
    given = pod["spec"].get("overhead")
    if fixed is None:
        if given:
            why = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"
            raise _rejected(resource, pod, why)
    elif given and not same_part({"overhead": given}, {"overhead": fixed}, POD_SPEC):
        why = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
        raise _rejected(resource, pod, why)
    else:
        pod["spec"]["overhead"] = dict(fixed)


def _require_no_conflict(
    resource: Resource, pod: JsonObject, selector: dict[str, str], own: dict[str, str]
) -> None:
    for key, value in selector.items():
        if own.get(key, value) != value:
            why = (
                f"conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value}; "
                f"pod.spec.nodeSelector[{key}] = {own[key]}"
            )
            raise _rejected(resource, pod, why)


def _rejected(resource: Resource, pod: JsonObject, why: str) -> StatusError:
    return forbidden(resource, pod["metadata"].get("name", ""), why)
