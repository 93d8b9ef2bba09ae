"""Rules of the kinds that keep pods running: sets and deployments (``pkg/apis/apps/validation``)."""

from typing import Final

from fakeapi.machinery import validation
from fakeapi.machinery.labelgrammar import SelectorError
from fakeapi.machinery.selectors import label_selector_of
from fakeapi.machinery.status import Cause, forbidden_value, invalid_value, required_value
from fakeapi.registry.causes import (
    JsonObject,
    at_most_whole,
    dns_label,
    immutable,
    is_more,
    label_selector,
    negatives,
    not_supported,
    number_or_percent,
)
from fakeapi.registry.equality import LABEL_SELECTOR, same_part
from fakeapi.registry.podrules import pod_spec_causes

_MISMATCH: Final = "`selector` does not match template `labels`"


def template_causes(template: JsonObject, path: str) -> list[Cause]:
    """Broken rules of a pod template."""
    metadata = template["metadata"]
    causes = validation.labels(metadata.get("labels") or {}, f"{path}.labels")
    causes += validation.annotations(metadata.get("annotations") or {}, f"{path}.annotations")
    return causes + pod_spec_causes(template["spec"], f"{path}.spec")


def _selecting(spec: JsonObject, kind: str) -> list[Cause]:
    """The selector of a workload, and its template that must match it."""
    selector, causes = spec.get("selector"), []
    if selector is None:
        causes.append(required_value("spec.selector"))
    else:
        causes += label_selector(selector, "spec.selector")
        if not selector.get("matchLabels") and not selector.get("matchExpressions"):
            causes.append(invalid_value("spec.selector", selector, f"empty selector is invalid for {kind}"))
    return causes + matching_causes(spec, selector)


def matching_causes(spec: JsonObject, selector: JsonObject | None) -> list[Cause]:
    """A template whose labels its workload does not select."""
    labels = spec["template"]["metadata"].get("labels")
    try:
        matches = label_selector_of(selector).matches(labels or {})
    except SelectorError:
        return []  # told already
    return [] if matches else [invalid_value("spec.template.metadata.labels", labels, _MISMATCH)]


def _always_running(spec: JsonObject, kind: str) -> list[Cause]:
    """The rules of a template whose pods are replaced for ever."""
    template, path = spec["template"]["spec"], "spec.template.spec"
    causes = []
    if template["restartPolicy"] != "Always":
        causes.append(not_supported(f"{path}.restartPolicy", template["restartPolicy"], ("Always",)))
    if template.get("activeDeadlineSeconds") is not None:
        why = f"activeDeadlineSeconds in {kind} is not Supported"
        causes.append(forbidden_value(f"{path}.activeDeadlineSeconds", why))
    return causes


def replica_set_causes(obj: JsonObject) -> list[Cause]:
    """Broken rules of a ReplicaSet."""
    spec = obj["spec"]
    causes = negatives(spec, "spec", ("replicas", "minReadySeconds"))
    causes += _selecting(spec, "deployment")  # so says the real server
    return causes + template_causes(spec["template"], "spec.template") + _always_running(spec, "ReplicaSet")


def deployment_causes(obj: JsonObject) -> list[Cause]:
    """Broken rules of a Deployment."""
    spec = obj["spec"]
    causes = negatives(spec, "spec", ("replicas",)) + _selecting(spec, "deployment")
    causes += template_causes(spec["template"], "spec.template") + _always_running(spec, "ReplicaSet")
    causes += _strategy(spec["strategy"])
    causes += negatives(spec, "spec", ("minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"))
    deadline, ready = spec["progressDeadlineSeconds"], spec.get("minReadySeconds") or 0
    if deadline <= ready:
        why = "must be greater than minReadySeconds"
        causes.append(invalid_value("spec.progressDeadlineSeconds", deadline, why))
    return causes


def _strategy(strategy: JsonObject) -> list[Cause]:
    kind, path = strategy["type"], "spec.strategy"
    if kind == "Recreate" and strategy.get("rollingUpdate") is not None:
        why = "may not be specified when strategy `type` is 'Recreate'"
        return [forbidden_value(f"{path}.rollingUpdate", why)]
    if kind not in ("Recreate", "RollingUpdate"):
        return [not_supported(path, strategy, ("Recreate", "RollingUpdate"))]
    return _rolling_deployment(strategy, f"{path}.rollingUpdate") if kind == "RollingUpdate" else []


def _rolling_deployment(strategy: JsonObject, path: str) -> list[Cause]:
    unavailable, surge = (strategy["rollingUpdate"][name] for name in ("maxUnavailable", "maxSurge"))
    causes = number_or_percent(unavailable, f"{path}.maxUnavailable")
    causes += number_or_percent(surge, f"{path}.maxSurge")
    if not is_more(unavailable, 0) and not is_more(surge, 0):
        why = "may not be 0 when `maxSurge` is 0"
        causes.append(invalid_value(f"{path}.maxUnavailable", unavailable, why))
    return causes + at_most_whole(unavailable, f"{path}.maxUnavailable")


def stateful_set_causes(obj: JsonObject) -> list[Cause]:
    """Broken rules of a StatefulSet."""
    spec = obj["spec"]
    causes = []
    if (policy := spec["podManagementPolicy"]) not in ("OrderedReady", "Parallel"):
        why = "must be 'OrderedReady' or 'Parallel'"
        causes.append(invalid_value("spec.podManagementPolicy", policy, why))
    strategy = spec["updateStrategy"]
    if strategy["type"] not in ("RollingUpdate", "OnDelete"):
        why = "must be 'RollingUpdate' or 'OnDelete'"
        causes.append(invalid_value("spec.updateStrategy", strategy, why))
    causes += negatives(
        strategy.get("rollingUpdate") or {}, "spec.updateStrategy.rollingUpdate", ("partition",)
    )
    causes += negatives(spec, "spec", ("replicas", "minReadySeconds"))
    if name := spec.get("serviceName"):
        causes += dns_label(name, "spec.serviceName")
    causes += _selecting(spec, "statefulset") + template_causes(spec["template"], "spec.template")
    return causes + _always_running(spec, "StatefulSet")


def daemon_set_causes(obj: JsonObject) -> list[Cause]:
    """Broken rules of a DaemonSet."""
    spec, selector = obj["spec"], obj["spec"].get("selector")
    causes = label_selector(selector, "spec.selector") + matching_causes(spec, selector)
    if selector is not None and not selector.get("matchLabels") and not selector.get("matchExpressions"):
        causes.append(invalid_value("spec.selector", selector, "empty selector is invalid for daemonset"))
    causes += template_causes(spec["template"], "spec.template") + _always_running(spec, "DaemonSet")
    causes += negatives(spec, "spec", ("minReadySeconds",)) + _daemon_strategy(spec["updateStrategy"])
    return causes + negatives(spec, "spec", ("revisionHistoryLimit",))


def _daemon_strategy(strategy: JsonObject) -> list[Cause]:
    path = "spec.updateStrategy"
    if strategy["type"] not in ("RollingUpdate", "OnDelete"):
        return [not_supported(path, strategy, ("RollingUpdate", "OnDelete"))]
    if strategy["type"] == "OnDelete":
        return []
    path += ".rollingUpdate"
    unavailable, surge = (strategy["rollingUpdate"][name] for name in ("maxUnavailable", "maxSurge"))
    causes = number_or_percent(unavailable, f"{path}.maxUnavailable")
    causes += number_or_percent(surge, f"{path}.maxSurge")
    causes += at_most_whole(unavailable, f"{path}.maxUnavailable") + at_most_whole(surge, f"{path}.maxSurge")
    if is_more(unavailable, 0) and is_more(surge, 0):
        why = "may not be set when maxUnavailable is non-zero"
        causes.append(invalid_value(f"{path}.maxSurge", surge, why))
    elif not is_more(unavailable, 0) and not is_more(surge, 0):
        causes.append(required_value(f"{path}.maxUnavailable", "cannot be 0 when maxSurge is 0"))
    return causes


def replication_controller_causes(obj: JsonObject) -> list[Cause]:
    """Broken rules of a ReplicationController."""
    spec = obj["spec"]
    causes = negatives(spec, "spec", ("minReadySeconds", "replicas"))
    selector, labels = spec.get("selector"), spec["template"]["metadata"].get("labels") or {}
    if not selector:
        causes.append(required_value("spec.selector"))
    elif any(labels.get(key) != value for key, value in selector.items()):
        causes.append(invalid_value("spec.template.metadata.labels", labels, _MISMATCH))
    causes += template_causes(spec["template"], "spec.template")
    return causes + _always_running(spec, "ReplicationController")


def fixed_selector(new: JsonObject, old: JsonObject) -> list[Cause]:
    """A workload selects the same pods for ever."""
    after, before = new["spec"].get("selector"), old["spec"].get("selector")
    return immutable("spec.selector", after, changed=not same_part(after, before, LABEL_SELECTOR))


_STATEFUL_SET_SPEC: Final = "apps.v1.StatefulSetSpec"


def stateful_set_update(new: JsonObject, old: JsonObject) -> list[Cause]:
    """What may not change in a StatefulSet."""
    after, before = new["spec"], old["spec"]
    return [
        cause
        for name in ("selector", "volumeClaimTemplates", "serviceName", "podManagementPolicy")
        for cause in immutable(
            f"spec.{name}",
            after.get(name),
            changed=not same_part({name: after.get(name)}, {name: before.get(name)}, _STATEFUL_SET_SPEC),
        )
    ]


def deployment_status(new: JsonObject, _: JsonObject) -> list[Cause]:
    """Broken rules of a Deployment's status."""
    return _counts(new["status"], ("updatedReplicas", "readyReplicas", "availableReplicas"))


def replica_set_status(new: JsonObject, _: JsonObject) -> list[Cause]:
    """Broken rules of a ReplicaSet's status."""
    return _counts(new["status"], ("fullyLabeledReplicas", "readyReplicas", "availableReplicas"))


def stateful_set_status(new: JsonObject, _: JsonObject) -> list[Cause]:
    """Broken rules of a StatefulSet's status."""
    parts = ("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")
    return _counts(new["status"], parts)


def _counts(status: JsonObject, parts: tuple[str, ...]) -> list[Cause]:
    causes = negatives(status, "status", ("observedGeneration", "replicas", *parts))
    total = status.get("replicas") or 0
    for name in parts:
        if (count := status.get(name) or 0) > total:
            causes.append(invalid_value(f"status.{name}", count, "cannot be greater than status.replicas"))
    available, ready = status.get("availableReplicas") or 0, status.get("readyReplicas") or 0
    if available > ready:
        why = "cannot be greater than readyReplicas"
        causes.append(invalid_value("status.availableReplicas", available, why))
    return causes
