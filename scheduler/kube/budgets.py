"""PodDisruptionBudgets, read into the scheduler's own model."""

from collections.abc import Mapping
from typing import Any

from scheduler.kube.terms import label_selector
from scheduler.model import DisruptionBudget


def budget_of(found: Mapping[str, Any]) -> DisruptionBudget:
    """The budget in the scheduler's model.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: the object is none that an API server would serve.
    """
    metadata, status = found["metadata"], found.get("status") or {}
    return DisruptionBudget(
        namespace=metadata["namespace"],
        name=metadata["name"],
        selector=label_selector((found.get("spec") or {}).get("selector")),
        allowed=int(status.get("disruptionsAllowed") or 0),
        disrupted=frozenset(status.get("disruptedPods") or ()),
    )
