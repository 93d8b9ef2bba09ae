"""What Jobs, Deployments and their kin, and groups of pods, say about the job that they are."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from evaluator.scenario.facts import PodFacts
from evaluator.scenario.manifests import GANG
from fakeapi.cluster.annotations import GANG as WORLD_GANG

POD_GROUP_LABEL: Final = "scheduling.x-k8s.io/pod-group"
SERVICES: Final = ("Deployment", "ReplicaSet", "StatefulSet")
"""Kinds whose pods run for ever by intention."""

ReadPod = Callable[[Mapping[str, Any]], PodFacts]
"""Reads the facts of a pod's object, or of a template made to look like one."""


@dataclass(frozen=True, slots=True)
class JobFacts:
    """What is known of a job when it is submitted."""

    controller: str
    pods: int
    """That it needs in whole."""
    parallel: int
    """At a time."""
    gang: bool
    service: bool
    pod: PodFacts
    """Of each pod."""

    @property
    def chips(self) -> int:
        """Of the pods at a time."""
        return self.parallel * self.pod.requests.chips


def job_facts(obj: Mapping[str, Any], read: ReadPod) -> JobFacts:
    """The facts of a Job, Deployment, ReplicaSet or StatefulSet.

    What its own metadata says goes before what its template says.

    :raises ValueError: if a quantity or one of our annotations cannot be read.
    """
    kind, spec = str(obj["kind"]), obj.get("spec") or {}
    template = spec.get("template") or {}
    facts = read(_as_pod(obj, template))
    if kind == "Job":
        parallel = _count(spec.get("parallelism"), 1)
        pods = _count(spec.get("completions"), max(1, parallel))
        parallel = min(parallel, pods)
    else:
        pods = parallel = _count(spec.get("replicas"), 1)
    return JobFacts(kind, pods, parallel, _is_gang(template), kind in SERVICES, facts)


def group_of(pod: Mapping[str, Any]) -> str | None:
    """The name of the PodGroup that a pod is a member of, in its namespace; None without one."""
    native = (pod["spec"].get("schedulingGroup") or {}).get("podGroupName")
    label = (pod["metadata"].get("labels") or {}).get(POD_GROUP_LABEL)
    found = native or label
    return None if found is None else str(found)


def least_members(group: Mapping[str, Any]) -> int:
    """How many members a PodGroup needs at once, of the native API or of the one before it."""
    spec = group.get("spec") or {}
    native = ((spec.get("schedulingPolicy") or {}).get("gang") or {}).get("minCount")
    return max(1, _count(native if native is not None else spec.get("minMember"), 1))


def _count(value: Any, default: int) -> int:
    return default if value is None else int(value)


def _as_pod(obj: Mapping[str, Any], template: Mapping[str, Any]) -> Mapping[str, Any]:
    own, inner = obj["metadata"], template.get("metadata") or {}
    metadata = {
        field: {**(inner.get(field) or {}), **(own.get(field) or {})} for field in ("annotations", "labels")
    }
    return {"metadata": metadata, "spec": template.get("spec") or {"containers": []}}


def _is_gang(template: Mapping[str, Any]) -> bool:
    metadata, spec = template.get("metadata") or {}, template.get("spec") or {}
    annotations = metadata.get("annotations") or {}
    said = annotations.get(GANG, "false") not in ("false", "")
    return said or WORLD_GANG in annotations or group_of({"metadata": metadata, "spec": spec}) is not None
