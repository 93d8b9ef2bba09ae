"""The conditions of a pod that a kubelet owns, and how they follow one another.

The kubelet keeps every other condition as it is, and the instant of a condition whose
status stays the same (``pkg/kubelet/status/generate.go``, ``updateLastTransitionTime``).
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias

from fakeapi.kernel.time import Instant, format_instant
from fakeapi.storage.objects import Object

Json: TypeAlias = dict[str, Any]

Outcome: TypeAlias = tuple[str, str, str]
"""(status, reason, message) of a condition."""
TRUE: Final[Outcome] = ("True", "", "")
SANDBOX_MISSING: Final[Outcome] = ("False", "PodSandboxNotReady", "no pod sandbox exists")
SANDBOX_GONE: Final[Outcome] = ("False", "PodSandboxNotReady", "pod sandbox is not ready")

_CONDITION_ORDER: Final = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady")
OWNED_CONDITIONS: Final = frozenset(
    ("PodScheduled", "Ready", "Initialized", "ContainersReady", "PodReadyToStartContainers")
)
"""Conditions that a kubelet writes itself; it keeps all others as they are."""


def not_ready(containers: Iterable[Json]) -> Outcome:
    """The outcome of readiness while none of these containers runs."""
    return ("False", "ContainersNotReady", f"containers with unready status: {_as_go(containers)}")


def not_initialized(containers: Iterable[Json]) -> Outcome:
    """The outcome of initialization while these init containers have not run."""
    return ("False", "ContainersNotInitialized", f"containers with incomplete status: {_as_go(containers)}")


def _as_go(containers: Iterable[Json]) -> str:
    """Their names as Go prints a list."""
    return "[" + " ".join(container["name"] for container in containers) + "]"


def conditions(pod: Object, at: Instant, outcomes: Sequence[Outcome]) -> list[Json]:
    """All conditions of a pod from ``at`` on; ``outcomes`` in the order of :data:`_CONDITION_ORDER`."""
    old: list[Json] = (pod.get("status") or {}).get("conditions") or []
    before = {condition["type"]: condition for condition in old}
    generation = pod["metadata"].get("generation")
    found = [condition for condition in old if condition["type"] not in OWNED_CONDITIONS]
    for name, outcome in zip(_CONDITION_ORDER, outcomes, strict=True):
        found.append(_condition(name, outcome, before.get(name), at, generation))
    found.append(_condition("PodScheduled", TRUE, before.get("PodScheduled"), at, generation))
    return found


def _condition(name: str, outcome: Outcome, before: Json | None, at: Instant, generation: int | None) -> Json:
    value, reason, message = outcome
    unchanged = before.get("lastTransitionTime") if before and before.get("status") == value else None
    condition = {
        "type": name,
        "observedGeneration": generation,
        "status": value,
        "lastProbeTime": None,
        "lastTransitionTime": unchanged or format_instant(at),
    }
    if generation is None:
        del condition["observedGeneration"]
    if reason:
        condition["reason"] = reason
    if message:
        condition["message"] = message
    return condition
