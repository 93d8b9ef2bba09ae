"""What a pod's specification asks for that this scheduler does not do, named field by field.

What a pod insists on leaves it pending, with the field in its condition: placed elsewhere than it insists, it
would be placed wrongly. What it merely wishes for is left out of account, and an Event says so. Nothing is
ignored silently.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from scheduler.kube.terms import PREFERRED, looks_at_namespaces
from scheduler.model import Notice

IGNORED_PREFERENCE = "IgnoredPreference"
IGNORED_POD_GROUP = "IgnoredPodGroup"

POD_GROUP_LABEL = "scheduling.x-k8s.io/pod-group"


def unsupported_demands(spec: Mapping[str, Any]) -> tuple[str, ...]:
    """The fields by which the pod insists on something that is not supported."""
    return tuple(_unsupported(spec))


def _unsupported(spec: Mapping[str, Any]) -> Iterator[str]:
    if looks_at_namespaces(spec):
        yield "namespaceSelector in spec.affinity"
    for volume in spec.get("volumes") or ():
        for kind in ("persistentVolumeClaim", "ephemeral"):
            if volume.get(kind):
                yield f"spec.volumes[{volume.get('name')}].{kind}"
    if spec.get("resourceClaims"):
        yield "spec.resourceClaims"
    if spec.get("schedulingGroup") or spec.get("workloadRef"):
        yield "spec.schedulingGroup" if spec.get("schedulingGroup") else "spec.workloadRef"


def ignored_wishes(metadata: Mapping[str, Any], spec: Mapping[str, Any]) -> tuple[Notice, ...]:
    """What the pod wishes for and does not get considered, for its author to know."""
    preferences = tuple(
        Notice(IGNORED_PREFERENCE, f"{field} is a preference that this scheduler does not consider")
        for field in _preferences(spec)
    )
    group = (metadata.get("labels") or {}).get(POD_GROUP_LABEL)
    if group is None:
        return preferences
    note = f"label {POD_GROUP_LABEL}={group}: pod groups are not supported; the pod is placed on its own"
    return (*preferences, Notice(IGNORED_POD_GROUP, note))


def _preferences(spec: Mapping[str, Any]) -> Iterator[str]:
    affinity = spec.get("affinity") or {}
    for kind in ("podAffinity", "podAntiAffinity"):
        if (affinity.get(kind) or {}).get(PREFERRED):
            yield f"spec.affinity.{kind}.{PREFERRED}"
    for constraint in spec.get("topologySpreadConstraints") or ():
        if constraint.get("whenUnsatisfiable") == "ScheduleAnyway":
            yield f"spec.topologySpreadConstraints (ScheduleAnyway over {constraint.get('topologyKey')})"
