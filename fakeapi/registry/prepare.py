"""What the registry itself writes into a new object, after defaults and admission, before validation.

Follows ``PrepareForCreate`` of the ``strategy.go`` files below ``pkg/registry``.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from fakeapi.machinery.resources import NAMESPACES, PODS, Resource
from fakeapi.registry.defaults import JsonObject, fill_status, name_namespace
from fakeapi.registry.poddefaults import part
from fakeapi.registry.qos import qos_class
from fakeapi.registry.traits import has_generation, takes_status_at_creation

Prepare: TypeAlias = Callable[[JsonObject, str], None]
"""Prepares an object of one kind; the text is the current instant."""


def prepare_creation(resource: Resource, obj: JsonObject, now_text: str) -> None:
    """Reset what a client may not give, and write what the server decides."""
    if has_generation(resource):
        obj["metadata"]["generation"] = 1
    if not takes_status_at_creation(resource):
        obj.pop("status", None)
        fill_status(resource.group, resource.kind, obj)
    prepare = _PREPARE.get((resource.group, resource.kind))
    if prepare is not None:
        prepare(obj, now_text)


def prepare_update(resource: Resource, obj: JsonObject, old: JsonObject) -> None:
    """Take back what an update may not change and need not be refused for."""
    if resource == NAMESPACES:
        part(obj, "spec")["finalizers"] = (old.get("spec") or {}).get("finalizers") or []


def prepare_status(resource: Resource, obj: JsonObject, old: JsonObject) -> None:
    """Keep what older clients leave out of a status because they do not know it."""
    if resource == NAMESPACES:
        name_namespace(obj)
    if resource != PODS:
        return
    status, before = obj["status"], old["status"]
    for name in ("qosClass", "observedGeneration", "resourceClaimStatuses"):
        if not status.get(name) and before.get(name):
            status[name] = before[name]
    generations = {
        condition.get("type"): condition["observedGeneration"]
        for condition in before.get("conditions") or ()
        if condition.get("observedGeneration")
    }
    if generations:
        status["conditions"] = [
            _seen_before(condition, generations) for condition in status.get("conditions") or ()
        ]


def _seen_before(condition: JsonObject, generations: dict[str, int]) -> JsonObject:
    kept = generations.get(condition.get("type", ""))
    return (
        {**condition, "observedGeneration": condition.get("observedGeneration") or kept}
        if kept
        else condition
    )


# ---- pods ------------------------------------------------------------------------------------


def _pod(obj: JsonObject, now_text: str) -> None:
    spec = obj["spec"]
    status: JsonObject = {"phase": "Pending", "qosClass": qos_class(spec)}
    if spec.get("schedulingGates"):
        status["conditions"] = [_gated(now_text)]
    obj["status"] = status
    if spec.get("affinity") or spec.get("topologySpreadConstraints"):
        labels = obj["metadata"].get("labels") or {}
        for term in _terms(spec):
            _merge_label_keys(term, labels)


def _gated(now_text: str) -> JsonObject:
    return {
        "type": "PodScheduled",
        "status": "False",
        "reason": "SchedulingGated",
        "message": "Scheduling is blocked due to non-empty scheduling gates",
        "lastProbeTime": None,
        "lastTransitionTime": now_text,
    }


def _terms(spec: JsonObject) -> Iterable[JsonObject]:
    """Everything in a pod's spec that selects other pods by labels."""
    affinity = spec.get("affinity") or {}
    for name in ("podAffinity", "podAntiAffinity"):
        pods = affinity.get(name) or {}
        for weighted in pods.get("preferredDuringSchedulingIgnoredDuringExecution") or ():
            yield weighted.get("podAffinityTerm") or {}
        yield from pods.get("requiredDuringSchedulingIgnoredDuringExecution") or ()
    yield from spec.get("topologySpreadConstraints") or ()


def _merge_label_keys(term: JsonObject, labels: dict[str, str]) -> None:
    """Say the pod's own values of the named labels in the selector, which is what schedulers read."""
    selector = term.get("labelSelector")
    if selector is None:
        return  # it selects nothing, whatever is added
    added = _expressions(term.get("matchLabelKeys") or (), "In", labels)
    added += _expressions(term.get("mismatchLabelKeys") or (), "NotIn", labels)
    if added:
        selector["matchExpressions"] = [*(selector.get("matchExpressions") or ()), *added]


def _expressions(keys: Sequence[str], operator: str, labels: dict[str, str]) -> list[JsonObject]:
    return [{"key": key, "operator": operator, "values": [labels[key]]} for key in keys if key in labels]


# ---- others ----------------------------------------------------------------------------------


def _namespace(obj: JsonObject, _: str) -> None:
    spec = part(obj, "spec")
    finalizers = spec.get("finalizers") or []
    spec["finalizers"] = finalizers if "kubernetes" in finalizers else [*finalizers, "kubernetes"]


_JOB_NAME: Final = ("job-name", "batch.kubernetes.io/job-name")
_CONTROLLER_UID: Final = ("controller-uid", "batch.kubernetes.io/controller-uid")


def _job(obj: JsonObject, _: str) -> None:
    """Let a job select its own pods by its uid, unless it brings a selector of its own."""
    spec, metadata = obj["spec"], obj["metadata"]
    if spec.get("manualSelector"):
        return
    template = spec["template"]["metadata"]
    labels = {
        **dict.fromkeys(_JOB_NAME, metadata.get("name", "")),
        **dict.fromkeys(_CONTROLLER_UID, metadata["uid"]),
        **(template.get("labels") or {}),
    }
    template["labels"] = labels
    metadata["labels"] = metadata.get("labels") or dict(labels)
    selector = part(spec, "selector")
    selector["matchLabels"] = {_CONTROLLER_UID[1]: metadata["uid"], **(selector.get("matchLabels") or {})}


_PREPARE: Final[dict[tuple[str, str], Prepare]] = {
    ("", "Pod"): _pod,
    ("", "Namespace"): _namespace,
    ("batch", "Job"): _job,
}
