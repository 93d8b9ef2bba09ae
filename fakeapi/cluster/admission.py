"""What a kubelet asks before it runs a pod: is there room for it, and are there chips that work?

Follows ``pkg/kubelet/lifecycle/predicate.go``, ``pkg/scheduler/framework/plugins/noderesources/fit.go``
(``fitsRequest``) and, for chips, ``pkg/kubelet/cm/devicemanager/manager.go`` (``devicesToAllocate``),
which is asked first. Left out, as no scheduler overlooks them by mistake: node selectors, host ports and
taints. A node that says nothing of a resource has no limit of it; of an extended resource, as the kubelet
has it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from fakeapi.cluster.chips import Chips
from fakeapi.cluster.podconditions import Json
from fakeapi.cluster.podrecord import PodRecord
from fakeapi.cluster.requests import Amounts, amounts_of, container_requests, pod_requests
from fakeapi.machinery.quantity import to_int
from fakeapi.storage.objects import Object

_FIRST: Final = ("cpu", "memory", "ephemeral-storage")
"""The order in which the real check asks; extended resources follow."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a kubelet does not run a pod: ``status.reason``, and its message without the prefix."""

    reason: str
    message: str


class Book:
    """One node: what it offers, and what the pods that its kubelet admitted take of it."""

    def __init__(self, node: str, chip_resource: str) -> None:
        self.chips: Final = Chips(node, 0)
        self.images: Final[set[str]] = set()
        """Images that were pulled."""
        self.pods = 0
        """Pods that were admitted and hold what they asked for."""
        self._chip_resource: Final = chip_resource
        self._allocatable: Mapping[str, Any] | None = None
        self._offered: Amounts = {}
        self._used: Amounts = {}

    @property
    def used(self) -> Mapping[str, int]:
        """What admitted pods hold, by resource."""
        return self._used

    @property
    def offered(self) -> Mapping[str, int]:
        """What the node tells as allocatable, by resource."""
        return self._offered

    def read(self, node: Object) -> None:
        """The node was created or changed."""
        status = node.get("status") or {}
        allocatable = status.get("allocatable")
        if allocatable is not None and allocatable is not self._allocatable:
            self._allocatable = allocatable
            self._offered = amounts_of(allocatable)
        count = to_int(str((status.get("capacity") or {}).get(self._chip_resource, 0)))
        if count != self.chips.count:
            self.chips.resize(count)

    def admit(self, record: PodRecord, spec: Mapping[str, Any]) -> Refusal | None:
        """Give a pod what it asks for, or say why not."""
        requests = pod_requests(spec)
        wanted = requests.get(self._chip_resource, 0)
        if wanted and self._chip_resource in self._offered:
            refusal = self._allocate(record, wanted)
            if refusal is not None:
                return refusal
        refusal = self._fits(requests)
        if refusal is not None:
            self.chips.give_back(record.chips)
            record.chips = ()
            return refusal
        self.pods += 1
        for name, amount in requests.items():
            self._used[name] = self._used.get(name, 0) + amount
        record.requests = requests
        return None

    def _allocate(self, record: PodRecord, wanted: int) -> Refusal | None:
        # What the node tells may be less than what works, if a client wrote it.
        told = self._offered[self._chip_resource] - self._used.get(self._chip_resource, 0)
        chips = self.chips.take(record.key, wanted) if wanted <= told else None
        if chips is None:
            available = max(0, min(told, len(self.chips.free())))
            why = (
                f"requested number of devices unavailable for {self._chip_resource}. "
                f"Requested: {wanted}, Available: {available}"
            )
            return Refusal("UnexpectedAdmissionError", f"Allocate failed due to {why}, which is unexpected")
        record.chips = chips
        return None

    def _fits(self, requests: Amounts) -> Refusal | None:
        most = self._offered.get("pods")
        if most is not None and self.pods + 1 > most:
            return _out_of("pods", 1, self.pods, most)
        for name in (*_FIRST, *(each for each in requests if each not in _FIRST)):
            wanted, capacity = requests.get(name, 0), self._offered.get(name)
            if not wanted or capacity is None:
                continue
            used = self._used.get(name, 0)
            if wanted > capacity - used:
                return _out_of(name, wanted, used, capacity)
        return None

    def release(self, record: PodRecord) -> None:
        """The pod holds nothing any longer; releasing twice is allowed."""
        if record.requests is None:
            return
        self.pods -= 1
        for name, amount in record.requests.items():
            self._used[name] -= amount
        self.chips.give_back(record.chips)
        record.requests = None

    def pull(self, spec: Mapping[str, Any]) -> None:
        """The images of a pod with that spec are on the node from now on."""
        for container in spec["containers"]:
            self.images.add(container.get("image", ""))

    def is_warm(self, spec: Mapping[str, Any]) -> bool:
        """Whether the images of a pod with that spec are on the node."""
        return all(container.get("image", "") in self.images for container in spec["containers"])

    def complaint(self, record: PodRecord) -> str:
        """What a program says when chips that it holds fail."""
        return f"{self.chips.names(self.chips.failed.intersection(record.chips))} failed"

    def renew(self) -> None:
        """Another machine stands in the place of the one that was removed."""
        self.chips.failed.clear()
        self.images.clear()

    def validate(self) -> None:
        """Check every invariant.

        Raises:
            AssertionError: one does not hold.
        """
        assert self.pods >= 0, "fewer pods than none"
        assert all(amount >= 0 for amount in self._used.values()), self._used

    def devices(self, record: PodRecord, spec: Mapping[str, Any]) -> dict[str, list[Json]]:
        """Container → its ``allocatedResourcesStatus``; nothing for a pod without chips."""
        if not record.chips:
            return {}
        return {
            name: [{"name": self._chip_resource, "resources": self.chips.health(chips)}]
            for name, chips in self._by_container(record, spec)
        }

    def _by_container(
        self, record: PodRecord, spec: Mapping[str, Any]
    ) -> Iterator[tuple[str, tuple[int, ...]]]:
        left = record.chips
        for container in spec["containers"]:
            count = container_requests(container).get(self._chip_resource, 0)
            if count:
                yield container["name"], left[:count]
                left = left[count:]


def _out_of(resource: str, requested: int, used: int, capacity: int) -> Refusal:
    message = (
        f"Node didn't have enough resource: {resource}, requested: {requested}, used: {used}, "
        f"capacity: {capacity}"
    )
    return Refusal(f"OutOf{resource}", message)
