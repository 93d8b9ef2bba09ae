"""What a pod asks its node for, in whole numbers (``PodRequests`` of ``k8s.io/component-helpers``)."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias

from fakeapi.machinery.quantity import to_int, to_milli

Amounts: TypeAlias = dict[str, int]
"""Resource → amount: thousandths of a core of ``cpu``, whole units of everything else."""

_RARE: Final = ("initContainers", "overhead", "resources")
"""Parts of a spec that make its requests more than those of its containers."""
_CACHED: Final = 16_384
"""Distinct resource lists kept parsed: a workload uses the same few all the time."""


def amounts_of(resources: Mapping[str, Any]) -> Amounts:
    """The amounts of a resource list, shared between equal lists: not to be changed.

    Raises:
        QuantityError: one is not a quantity.
    """
    return _parse(tuple(resources.items()))


@lru_cache(_CACHED)
def _parse(resources: tuple[tuple[str, Any], ...]) -> Amounts:
    return {
        name: to_milli(str(amount)) if name == "cpu" else to_int(str(amount)) for name, amount in resources
    }


def pod_requests(spec: Mapping[str, Any]) -> Amounts:
    """What a pod with that spec takes from a node; not to be changed.

    Containers together, or the greatest moment of start-up if that is more, plus overhead. An init container
    that keeps running (``restartPolicy: Always``) counts from its start on.
    """
    containers: Sequence[Mapping[str, Any]] = spec.get("containers") or ()
    if len(containers) == 1 and not any(map(spec.get, _RARE)):
        return container_requests(containers[0])
    running = _sum(map(container_requests, containers))
    starting: Amounts = {}
    for each in spec.get("initContainers") or ():
        amounts = container_requests(each)
        if each.get("restartPolicy") == "Always":
            running = _sum((running, amounts))
        starting = _greatest(starting, _sum((_sidecars_before(spec, each), amounts)))
    whole = _greatest(running, starting)
    whole.update(amounts_of((spec.get("resources") or {}).get("requests") or {}))
    return _sum((whole, amounts_of(spec.get("overhead") or {})))


def container_requests(container: Mapping[str, Any]) -> Amounts:
    """What one container asks for; a request that is left out is as much as the limit."""
    resources = container.get("resources")
    if not resources:
        return {}
    limits, requests = resources.get("limits"), resources.get("requests")
    if limits and requests and limits.keys() - requests.keys():
        return amounts_of({**limits, **requests})
    return amounts_of(requests or limits or {})


def _sidecars_before(spec: Mapping[str, Any], container: Mapping[str, Any]) -> Amounts:
    before: list[Amounts] = []
    for each in spec["initContainers"]:
        if each is container:
            break
        if each.get("restartPolicy") == "Always":
            before.append(container_requests(each))
    return _sum(before)


def _sum(many: Iterable[Amounts]) -> Amounts:
    total: Amounts = {}
    for amounts in many:
        for name, amount in amounts.items():
            total[name] = total.get(name, 0) + amount
    return total


def _greatest(one: Amounts, other: Amounts) -> Amounts:
    return {name: max(one.get(name, 0), other.get(name, 0)) for name in {**one, **other}}
