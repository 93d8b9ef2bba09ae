"""Whether a disruption budget lets a pod go, and the count of those that it let go.

Follows ``pkg/registry/core/pod/storage/eviction.go``. How many may go is for the disruption
controller to say, in the budget's status; without its word none may.
"""

from typing import Any, Final

from fakeapi.machinery.resources import POD_DISRUPTION_BUDGETS, Resource
from fakeapi.machinery.selectors import SelectorError, label_selector_of
from fakeapi.machinery.status import Cause, StatusError, forbidden, too_many_requests
from fakeapi.registry.defaults import JsonObject
from fakeapi.registry.registry import Registry
from fakeapi.storage.objects import Version

_BUDGETS: Final = POD_DISRUPTION_BUDGETS
_RETRY_S: Final = 10
"""Seconds after which a client may ask again while the controller has not seen the budget."""
_MOST_PENDING: Final = 2000
"""Evictions that the controller may leave unconfirmed (``MaxDisruptedPodSize``)."""
_VIOLATION: Final = "Cannot evict pod as it would violate the pod's disruption budget."
_REASON: Final = "DisruptionBudget"


def take_from_budget(registry: Registry, namespace: str, pod: JsonObject, *, dry_run: bool) -> None:
    """Count the pod's eviction in the budget that covers it, if one does.

    Raises:
        StatusError: 429 when the budget has no room, 403 when its status makes no sense, 500 when more
            than one budget covers the pod.
    """
    budgets = _budgets_of(registry, namespace, pod)
    if not budgets:
        return
    if len(budgets) > 1:
        message = (
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
        )
        raise StatusError(500, "InternalError", message)
    budget = budgets[0]
    status = budget.object.get("status") or {}
    if not _is_ready(pod) and _unhealthy_may_go(budget.object, status):
        return
    _require_room(budget.object, status)
    if dry_run:
        return
    changed = {**budget.object, "status": _taken(status, pod["metadata"]["name"], registry.now_text())}
    registry.store.update(_BUDGETS.storage_key, budget.key, changed)


def _budgets_of(registry: Registry, namespace: str, pod: JsonObject) -> list[Version]:
    labels = pod["metadata"].get("labels") or {}
    return [
        version
        for version in registry.store.iterate(_BUDGETS.storage_key, namespace)
        if _covers(version.object, labels)
    ]


def _covers(budget: JsonObject, labels: dict[str, str]) -> bool:
    selector: Any = (budget.get("spec") or {}).get("selector")
    try:
        return label_selector_of(selector).matches(labels)
    except SelectorError:
        return False


def _is_ready(pod: JsonObject) -> bool:
    conditions = pod["status"].get("conditions") or ()
    return any(found["type"] == "Ready" and found["status"] == "True" for found in conditions)


def _unhealthy_may_go(budget: JsonObject, status: JsonObject) -> bool:
    if (budget.get("spec") or {}).get("unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    desired = status.get("desiredHealthy", 0)
    return bool(desired > 0 and status.get("currentHealthy", 0) >= desired)


def _require_room(budget: JsonObject, status: JsonObject) -> None:
    metadata = budget["metadata"]
    name, allowed = metadata["name"], status.get("disruptionsAllowed", 0)
    no = f"The disruption budget {name} does not allow evicting pods currently"
    if (status.get("observedGeneration") or 0) < metadata.get("generation", 0):
        why = f"The disruption budget {name} is still being processed by the server."
        raise too_many_requests(_VIOLATION, _RETRY_S, [Cause("", why, _REASON)])
    if allowed < 0:
        raise _forbidden(
            name, "pdb disruptions allowed is negative", f"{no}: pdb disruptions allowed is negative"
        )
    if len(status.get("disruptedPods") or ()) > _MOST_PENDING:
        why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
        raise _forbidden(name, why, f"{no}: too many pending evictions not confirmed by PDB controller")
    if not allowed:
        raise too_many_requests(_VIOLATION, 0, [Cause("", _why_none(name, no, status), _REASON)])


def _forbidden(name: str, why: str, cause: str) -> StatusError:
    singular = Resource("policy", "v1", "poddisruptionbudget", _BUDGETS.kind, namespaced=True)
    refusal = forbidden(singular, name, why)
    causes = [{"reason": _REASON, "message": cause}]
    return StatusError(
        refusal.code, refusal.reason, refusal.message, {**(refusal.details or {}), "causes": causes}
    )


def _why_none(name: str, no: str, status: JsonObject) -> str:
    conditions = status.get("conditions") or ()
    condition: JsonObject = next((one for one in conditions if one.get("type") == "DisruptionAllowed"), {})
    reason, message = condition.get("reason", ""), condition.get("message")
    told = condition.get("status") == "False" and message
    if told and reason == "SyncFailed":
        return f"{no} because it failed sync: {message}"
    desired, healthy = status.get("desiredHealthy", 0), status.get("currentHealthy", 0)
    if healthy <= desired:
        return f"The disruption budget {name} needs {desired} healthy pods and has {healthy} currently"
    return f"{no} ({reason}): {message}" if told else no


def _taken(status: JsonObject, pod: str, now_text: str) -> JsonObject:
    disrupted = {**(status.get("disruptedPods") or {}), pod: now_text}
    return {**status, "disruptionsAllowed": status["disruptionsAllowed"] - 1, "disruptedPods": disrupted}
