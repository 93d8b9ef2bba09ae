"""What a pod's specification asks for that this scheduler does not do, named field by field.

What a pod insists on leaves it pending, with the field in its condition: placed elsewhere than it insists, it
would be placed wrongly. What it merely wishes for is left out of account, and an Event says so. Nothing is
ignored silently.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from scheduler.kube.terms import PREFERRED
from scheduler.model import Notice

IGNORED_PREFERENCE = "IgnoredPreference"


def unsupported_demands(spec: Mapping[str, Any]) -> tuple[str, ...]:
    """The fields by which the pod insists on something that is not supported."""
    return tuple(_unsupported(spec))


def _unsupported(spec: Mapping[str, Any]) -> Iterator[str]:
    for volume in spec.get("volumes") or ():
        for kind in ("persistentVolumeClaim", "ephemeral"):
            if volume.get(kind):
                yield f"spec.volumes[{volume.get('name')}].{kind}"
    if spec.get("resourceClaims"):
        yield "spec.resourceClaims"
    if spec.get("workloadRef"):  # what Kubernetes 1.35 had before spec.schedulingGroup
        yield "spec.workloadRef"


def ignored_wishes(spec: Mapping[str, Any]) -> tuple[Notice, ...]:
    """What the pod wishes for and does not get considered, for its author to know."""
    return tuple(
        Notice(IGNORED_PREFERENCE, f"{field} is a preference that this scheduler does not consider")
        for field in _preferences(spec)
    )


def _preferences(spec: Mapping[str, Any]) -> Iterator[str]:
    affinity = spec.get("affinity") or {}
    for kind in ("podAffinity", "podAntiAffinity"):
        if (affinity.get(kind) or {}).get(PREFERRED):
            yield f"spec.affinity.{kind}.{PREFERRED}"
    for constraint in spec.get("topologySpreadConstraints") or ():
        if constraint.get("whenUnsatisfiable") == "ScheduleAnyway":
            yield f"spec.topologySpreadConstraints (ScheduleAnyway over {constraint.get('topologyKey')})"
