"""A pod's quality-of-service class, by the rules of ``pkg/apis/core/v1/helper/qos``."""

from typing import Any, Final

from fakeapi.machinery.quantity import parse

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
        guaranteed = guaranteed and len(limits) == len(_COMPUTE) and _equal(requests, limits)
    if not asks_for_something:
        return "BestEffort"
    return "Guaranteed" if guaranteed else "Burstable"


def _equal(requests: dict[str, str], limits: dict[str, str]) -> bool:
    # Quantities keep their format: 1Gi and 1073741824 are both as they should be, and equal.
    return requests == limits or {name: parse(amount) for name, amount in requests.items()} == {
        name: parse(amount) for name, amount in limits.items()
    }


def _asked(amounts: dict[str, str] | None) -> dict[str, str]:
    # Quantities are canonical by now, so that zero is always "0".
    if not amounts:
        return {}
    return {name: amounts[name] for name in _COMPUTE if amounts.get(name, "0") != "0"}
