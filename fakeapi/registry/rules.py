"""What makes an object invalid: when it is created, when it replaces another, when its status does.

Follows ``pkg/apis/*/validation`` where a scheduler, a controller or a person with kubectl meets it. All
broken rules are reported together, each with its field. Objects have the types of their kinds and their
defaults by now. The rules of each kind stand in the modules that are imported here.
"""

from collections.abc import Callable
from typing import Final

from fakeapi.machinery import validation
from fakeapi.machinery.resources import Resource
from fakeapi.machinery.status import Cause, forbidden_value, invalid_value, required_value
from fakeapi.registry import eventrules, jobrules, kindrules, workloadrules
from fakeapi.registry.causes import JsonObject, immutable
from fakeapi.registry.podrules import pod_creation_causes
from fakeapi.registry.podupdates import pod_status_causes, pod_update_causes
from fakeapi.registry.traits import is_custom

_Creation = Callable[[JsonObject], list[Cause]]
_Update = Callable[[JsonObject, JsonObject], list[Cause]]
_GC_FINALIZERS: Final = frozenset(("orphan", "foregroundDeletion"))


def creation_causes(resource: Resource, obj: JsonObject) -> list[Cause]:
    """Broken rules of a new object: none means that it may be stored."""
    causes = _metadata_causes(resource, obj["metadata"])
    rule = _CREATION.get((resource.group, resource.kind))
    return causes + rule(obj) if rule else causes


def update_causes(resource: Resource, new: JsonObject, old: JsonObject) -> list[Cause]:
    """Broken rules of an object that replaces another: the rules of creation and what may not change."""
    key = (resource.group, resource.kind)
    causes = _metadata_causes(resource, new["metadata"]) + _metadata_update(new["metadata"], old["metadata"])
    if key not in _STRICTER_AT_CREATION and (rule := _CREATION.get(key)):
        causes += rule(new)
    change = _UPDATE.get(key)
    return causes + change(new, old) if change else causes


def status_causes(resource: Resource, new: JsonObject, old: JsonObject) -> list[Cause]:
    """Broken rules of an object whose status replaces another."""
    causes = _metadata_causes(resource, new["metadata"]) + _metadata_update(new["metadata"], old["metadata"])
    rule = _STATUS.get((resource.group, resource.kind))
    return causes + rule(new, old) if rule else causes


# ---- metadata --------------------------------------------------------------------------------


def _metadata_causes(resource: Resource, metadata: JsonObject) -> list[Cause]:
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
    if finalizers := metadata.get("finalizers"):
        causes += _finalizers(resource, finalizers)
    return causes


def _finalizers(resource: Resource, names: list[str]) -> list[Cause]:
    path = "metadata.finalizers"
    causes = validation.finalizers(names, path)
    if _GC_FINALIZERS.issubset(names):
        why = "finalizer orphan and foregroundDeletion cannot be both set"
        causes.append(invalid_value(path, names, why))
    if not is_custom(resource):
        why = "name is neither a standard finalizer name nor is it fully qualified"
        causes += [
            invalid_value(f"{path}[{index}]", name, why)
            for index, name in enumerate(names)
            if "/" not in name and name not in kindrules.OWN_FINALIZERS
        ]
    return causes


def _metadata_update(new: JsonObject, old: JsonObject) -> list[Cause]:
    causes: list[Cause] = []
    if old.get("deletionTimestamp"):
        added = sorted(set(new.get("finalizers") or ()) - set(old.get("finalizers") or ()))
        if added:
            listed = ", ".join(f'"{name}"' for name in added)
            why = (
                "no new finalizers can be added if the object is being deleted, "
                f"found new finalizers []string{{{listed}}}"
            )
            causes.append(forbidden_value("metadata.finalizers", why))
    for name in ("uid", "deletionTimestamp", "deletionGracePeriodSeconds"):
        causes += immutable(f"metadata.{name}", new.get(name), changed=new.get(name) != old.get(name))
    return causes


# ---- by kind ---------------------------------------------------------------------------------

_CREATION: Final[dict[tuple[str, str], _Creation]] = {
    ("", "Pod"): pod_creation_causes,
    ("", "Namespace"): kindrules.namespace_causes,
    ("", "Node"): kindrules.node_causes,
    ("", "ConfigMap"): kindrules.config_causes,
    ("", "Secret"): kindrules.config_causes,
    ("", "Event"): eventrules.core_event_causes,
    ("", "ReplicationController"): workloadrules.replication_controller_causes,
    ("apps", "DaemonSet"): workloadrules.daemon_set_causes,
    ("apps", "Deployment"): workloadrules.deployment_causes,
    ("apps", "ReplicaSet"): workloadrules.replica_set_causes,
    ("apps", "StatefulSet"): workloadrules.stateful_set_causes,
    ("batch", "CronJob"): jobrules.cron_job_causes,
    ("batch", "Job"): jobrules.job_causes,
    ("coordination.k8s.io", "Lease"): kindrules.lease_causes,
    ("events.k8s.io", "Event"): eventrules.event_causes,
    ("node.k8s.io", "RuntimeClass"): kindrules.runtime_class_causes,
    ("policy", "PodDisruptionBudget"): kindrules.budget_causes,
    ("scheduling.k8s.io", "PriorityClass"): kindrules.priority_class_causes,
    ("storage.k8s.io", "StorageClass"): kindrules.storage_class_causes,
}
_STRICTER_AT_CREATION: Final = (
    *(("", "Pod"), ("events.k8s.io", "Event")),
    ("scheduling.k8s.io", "PriorityClass"),
)
"""Kinds with rules of creation that are none of an update."""
_UPDATE: Final[dict[tuple[str, str], _Update]] = {
    ("", "Pod"): pod_update_causes,
    ("", "Node"): kindrules.node_update,
    ("", "ConfigMap"): kindrules.config_update,
    ("", "Secret"): kindrules.config_update,
    ("apps", "DaemonSet"): workloadrules.fixed_selector,
    ("apps", "Deployment"): workloadrules.fixed_selector,
    ("apps", "ReplicaSet"): workloadrules.fixed_selector,
    ("apps", "StatefulSet"): workloadrules.stateful_set_update,
    ("batch", "Job"): jobrules.job_update,
    ("events.k8s.io", "Event"): eventrules.event_update,
    ("node.k8s.io", "RuntimeClass"): kindrules.runtime_class_update,
    ("scheduling.k8s.io", "PriorityClass"): kindrules.priority_class_update,
    ("storage.k8s.io", "StorageClass"): kindrules.storage_class_update,
}
_STATUS: Final[dict[tuple[str, str], _Update]] = {
    ("", "Pod"): pod_status_causes,
    ("", "Node"): lambda new, old: kindrules.node_causes(new) + kindrules.node_update(new, old),
    ("", "Namespace"): kindrules.namespace_status,
    ("apps", "Deployment"): workloadrules.deployment_status,
    ("apps", "ReplicaSet"): workloadrules.replica_set_status,
    ("apps", "StatefulSet"): workloadrules.stateful_set_status,
    ("policy", "PodDisruptionBudget"): kindrules.budget_status,
}
