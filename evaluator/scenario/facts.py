"""What a pod's or node's Kubernetes object says about it, as plain numbers.

The way back from :mod:`evaluator.scenario.manifests`: for objects from scenarios and from anywhere else.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluator.scenario import manifests
from evaluator.scenario.model import CHIP_RESOURCE
from evaluator.scenario.units import Instant, parse_duration, parse_instant
from fakeapi.cluster import requests
from fakeapi.cluster.annotations import RUN_TIME


@dataclass(frozen=True, slots=True)
class Amounts:
    """Chips, CPU and memory that are requested or offered."""

    chips: int = 0
    cpu_milli: int = 0
    memory_bytes: int = 0


@dataclass(frozen=True, slots=True)
class PodFacts:
    """What is known of a pod when it is submitted. Times in nanoseconds."""

    requests: Amounts
    priority: int
    deadline_ns: int | None
    """Since the start of the run."""
    expected_ns: int | None
    run_ns: int | None
    user: str | None
    queue: str | None
    scheduler: str
    chip_type: str | None = None
    """The chip type that it insists on."""


def pod_facts(
    pod: Mapping[str, Any], *, at_ns: int, start_ns: int, chip_resource: str = CHIP_RESOURCE
) -> PodFacts:
    """The facts of a pod's object.

    :param at_ns: its submission, nanoseconds since the start of the run.
    :param start_ns: start of the run, nanoseconds since 1970-01-01T00:00:00Z.
    :raises ValueError: if a quantity or one of our annotations cannot be read.
    """
    metadata, spec = pod["metadata"], pod["spec"]
    annotations = metadata.get("annotations") or {}
    labels = metadata.get("labels") or {}
    deadline = annotations.get(manifests.DEADLINE)
    return PodFacts(
        requests=_chosen(requests.pod_requests(spec), chip_resource),
        priority=spec.get("priority") or 0,
        deadline_ns=None if deadline is None else _deadline(parse_instant(deadline), at_ns, start_ns),
        expected_ns=_duration(annotations.get(manifests.EXPECTED_DURATION)),
        run_ns=_duration(annotations.get(RUN_TIME)),
        user=labels.get(manifests.USER),
        queue=labels.get(manifests.QUEUE),
        scheduler=spec.get("schedulerName") or "default-scheduler",
        chip_type=_chip_type(spec),
    )


def _chip_type(spec: Mapping[str, Any]) -> str | None:
    """The only chip type that a pod's selector or affinity lets it use; None where it has a choice."""
    selected = (spec.get("nodeSelector") or {}).get(manifests.CHIP_TYPE_LABEL)
    if selected is not None:
        return str(selected)
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    types = {
        tuple(each.get("values") or ())
        for term in required.get("nodeSelectorTerms") or ()
        for each in term.get("matchExpressions") or ()
        if each.get("key") == manifests.CHIP_TYPE_LABEL and each.get("operator") == "In"
    }
    only = types.pop() if len(types) == 1 else ()
    return str(only[0]) if len(only) == 1 else None


def _deadline(deadline: Instant, at_ns: int, start_ns: int) -> int:
    return deadline.since(start_ns, origin_ns=at_ns)


def _duration(text: str | None) -> int | None:
    return None if text is None else int(parse_duration(text))


def amounts_of(amounts: Mapping[str, Any], chip_resource: str = CHIP_RESOURCE) -> Amounts:
    """The amounts of a resource list, such as a node's ``allocatable``. Fractions are rounded up.

    :raises ValueError: if a quantity cannot be read.
    """
    return _chosen(requests.amounts_of(amounts), chip_resource)


def _chosen(amounts: Mapping[str, int], chip_resource: str) -> Amounts:
    return Amounts(amounts.get(chip_resource, 0), amounts.get("cpu", 0), amounts.get("memory", 0))
