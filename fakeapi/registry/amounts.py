"""Rules for amounts of resources: names, quantities, and requests against limits.

Follows ``ValidateContainerResourceRequirements`` and ``ValidateNodeResources`` of
``pkg/apis/core/validation`` and the kinds of names in ``pkg/apis/core/helper``.
"""

from functools import lru_cache
from typing import Final

from fakeapi.machinery import validation
from fakeapi.machinery.quantity import QuantityError, parse, to_milli
from fakeapi.machinery.status import Cause, duplicate_value, invalid_value, required_value
from fakeapi.registry.causes import NOT_NEGATIVE, JsonObject, not_found_value

_NATIVE: Final = "kubernetes.io/"
_QUOTA_PREFIX: Final = "requests."
"""What a quota puts before a name; an extended name must leave room for it."""
_HUGE_PAGES: Final = "hugepages-"
_OF_CONTAINERS: Final = frozenset(("cpu", "memory", "ephemeral-storage"))
_WHOLE: Final = frozenset(
    (
        *("pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps"),
        *("persistentvolumeclaims", "services.nodeports", "services.loadbalancers"),
    )
)
"""Native resources that are counted."""
_STANDARD: Final = (
    _OF_CONTAINERS
    | _WHOLE
    | {
        *("requests.cpu", "requests.memory", "requests.ephemeral-storage"),
        *("limits.cpu", "limits.memory", "limits.ephemeral-storage", "storage", "requests.storage"),
    }
)
_MILLI: Final = 1000
_CACHE: Final = 16_384
"""Distinct (name, amount) pairs that are remembered: a workload uses the same few all the time."""


def is_extended(resource: str) -> bool:
    """Whether the resource is one that some vendor or cluster defines, such as ``nvidia.com/gpu``."""
    if "/" not in resource or _NATIVE in resource or resource.startswith(_QUOTA_PREFIX):
        return False
    return not validation.qualified_name(_QUOTA_PREFIX + resource)


@lru_cache(_CACHE)
def _may_be_overcommitted(resource: str) -> bool:
    return ("/" not in resource or _NATIVE in resource) and not resource.startswith(_HUGE_PAGES)


def _name_faults(resource: str) -> list[str]:
    wrong = validation.qualified_name(resource)
    faults = [wrong] if wrong else []
    if "/" not in resource:
        if not wrong and resource not in _STANDARD and not resource.startswith(_HUGE_PAGES):
            faults.append("must be a standard resource type or fully qualified")
        if resource not in _OF_CONTAINERS and not resource.startswith(_HUGE_PAGES):
            faults.append("must be a standard resource for containers")
    elif _NATIVE not in resource and not is_extended(resource):
        faults.append("doesn't follow extended resource name standard")
    return faults


def _amount_faults(resource: str, amount: str) -> list[str]:
    try:
        value = parse(amount)
    except QuantityError as error:
        return [str(error)]
    faults = [NOT_NEGATIVE] if value < 0 else []
    if (resource in _WHOLE or is_extended(resource)) and to_milli(amount) % _MILLI:
        faults.append("must be an integer")
    return faults


@lru_cache(_CACHE)
def _container_faults(resource: str, amount: str) -> tuple[tuple[str, str], ...]:
    """What is wrong with an amount that a container asks for: the value to show, and why."""
    names = [(resource, wrong) for wrong in _name_faults(resource)]
    return (*names, *((amount, wrong) for wrong in _amount_faults(resource, amount)))


@lru_cache(_CACHE)
def _against_limit(resource: str, request: str, limit: str) -> str:
    """What keeps a request from going with its limit."""
    try:
        asked, allowed = parse(request), parse(limit)
    except QuantityError:
        return ""  # told already
    if asked != allowed and not _may_be_overcommitted(resource):
        return f"must be equal to {resource} limit of {limit}"
    return f"must be less than or equal to {resource} limit of {limit}" if asked > allowed else ""


def node_amounts(amounts: JsonObject, path: str) -> list[Cause]:
    """What is wrong with a node's capacity or allocatable."""
    return [
        invalid_value(f"{path}.{resource}", amount, wrong)
        for resource, amount in amounts.items()
        for wrong in _amount_faults(resource, str(amount))
    ]


def requirements(resources: JsonObject, path: str, claims: frozenset[str] = frozenset()) -> list[Cause]:
    """What is wrong with the ``resources`` of a container; ``claims`` are the names the pod declares."""
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    causes: list[Cause] = []
    for resource, limit in limits.items():
        if faults := _container_faults(resource, str(limit)):
            causes += _told(faults, f"{path}.limits[{resource}]")
    for resource, request in requests.items():
        if faults := _container_faults(resource, str(request)):
            causes += _told(faults, f"{path}.requests[{resource}]")
        if resource in limits:
            if wrong := _against_limit(resource, str(request), str(limits[resource])):
                causes.append(invalid_value(f"{path}.requests", request, wrong))
        elif not _may_be_overcommitted(resource):
            why = "Limit must be set for non overcommitable resources"
            causes.append(required_value(f"{path}.limits", why))
    if used := resources.get("claims"):
        causes += _claims(used, f"{path}.claims", claims)
    return causes


def _told(faults: tuple[tuple[str, str], ...], field: str) -> list[Cause]:
    return [invalid_value(field, shown, wrong) for shown, wrong in faults]


def _claims(used: list[JsonObject], path: str, declared: frozenset[str]) -> list[Cause]:
    causes, seen = [], set()
    for index, claim in enumerate(used):
        name, request = claim.get("name", ""), claim.get("request")
        if not name:
            causes.append(required_value(f"{path}[{index}]"))
            continue
        key = f"{name}/{request}" if request else name
        if key in seen:
            causes.append(duplicate_value(f"{path}[{index}]", key))
        seen.add(key)
        if name not in declared:
            known = f": {', '.join(sorted(declared))}" if declared else " which is empty"
            why = f"must be one of the names in pod.spec.resourceClaims{known}"
            causes.append(not_found_value(f"{path}[{index}]", name, why))
    return causes
