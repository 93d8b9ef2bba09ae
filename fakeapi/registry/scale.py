"""The ``scale`` sub-resource: one small object that reads and writes ``spec.replicas``."""

from dataclasses import replace
from typing import Final

from fakeapi.machinery.resources import Resource
from fakeapi.machinery.status import invalid, invalid_value
from fakeapi.registry.defaults import JsonObject
from fakeapi.registry.options import NO_OPTIONS, WriteOptions
from fakeapi.registry.registry import Registry
from fakeapi.storage.objects import Object

_KEPT_METADATA: Final = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


def scale_of(obj: Object) -> JsonObject:
    """The ``Scale`` of a workload."""
    spec, status = obj.get("spec", {}), obj.get("status", {})
    metadata = {name: obj["metadata"][name] for name in _KEPT_METADATA if name in obj["metadata"]}
    selector = spec.get("selector") or {}
    labels = selector.get("matchLabels", selector) if isinstance(selector, dict) else {}
    text = ",".join(f"{key}={value}" for key, value in sorted(labels.items()) if isinstance(value, str))
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": metadata,
        "spec": {"replicas": spec["replicas"]} if spec.get("replicas") else {},
        "status": {"replicas": status.get("replicas", 0), **({"selector": text} if text else {})},
    }


def rescale(
    registry: Registry,
    resource: Resource,
    namespace: str,
    name: str,
    scale: JsonObject,
    options: WriteOptions = NO_OPTIONS,
) -> JsonObject:
    """Write a ``Scale`` back to its workload and return the new one.

    Raises:
        StatusError: 404, 409 for a stale version or another uid, 422 for a negative number.
    """
    replicas = (scale.get("spec") or {}).get("replicas") or 0
    if replicas < 0:
        cause = invalid_value("spec.replicas", replicas, "must be greater than or equal to 0")
        raise invalid(_SCALE, name, [cause])
    given = scale.get("metadata") or {}

    def edit(obj: JsonObject) -> JsonObject:
        revision = given.get("resourceVersion") or obj["metadata"]["resourceVersion"]
        metadata = {**obj["metadata"], "resourceVersion": revision}
        return {**obj, "metadata": metadata, "spec": {**obj["spec"], "replicas": replicas}}

    meant = replace(options, uid=given.get("uid") or None)
    return scale_of(registry.modify(resource, namespace, name, edit, meant).object)


_SCALE: Final = Resource("autoscaling", "v1", "scales", "Scale", namespaced=True)
