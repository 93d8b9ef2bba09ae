"""A pod's quality-of-service class, by the rules of ``pkg/apis/core/v1/helper/qos``."""

from typing import Any, Final

_COMPUTE: Final = ("cpu", "memory")


def qos_class(spec: dict[str, Any]) -> str:
    """``Guaranteed``, ``Burstable`` or ``BestEffort``, from cpu and memory of all containers."""
    containers = [*spec.get("containers", ()), *spec.get("initContainers", ())]
    asks_for_something = False
    guaranteed = bool(containers)
    for container in containers:
        resources = container.get("resources") or {}
        requests, limits = _asked(resources.get("requests")), _asked(resources.get("limits"))
        asks_for_something = asks_for_something or bool(requests or limits)
        guaranteed = guaranteed and len(limits) == len(_COMPUTE) and requests == limits
    if not asks_for_something:
        return "BestEffort"
    return "Guaranteed" if guaranteed else "Burstable"


def _asked(amounts: dict[str, str] | None) -> dict[str, str]:
    # Quantities are canonical by now, so equal amounts are equal texts, and zero is "0".
    if not amounts:
        return {}
    return {name: amounts[name] for name in _COMPUTE if amounts.get(name, "0") != "0"}
