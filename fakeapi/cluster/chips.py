"""The chips of one node, each by itself: which work, and which pod holds which.

Chips are numbered from 0. A pod gets the lowest free ones that work, and keeps them until it ends.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final
from uuid import NAMESPACE_DNS, uuid5

from fakeapi.cluster.podconditions import Json
from fakeapi.storage.objects import Key

_CACHED_IDS: Final = 131_072
"""Names of chips that are kept: more than the largest clusters have."""


@lru_cache(_CACHED_IDS)
def chip_id(node: str, index: int) -> str:
    """The name under which a device plugin lists that chip: the same in every run."""
    return f"GPU-{uuid5(NAMESPACE_DNS, f'{index}.chips.{node}')}"


class Chips:
    """The chips of one node."""

    def __init__(self, node: str, count: int) -> None:
        self._node: Final = node
        self.count = count
        self.failed: Final[set[int]] = set()
        self._holder: Final[dict[int, Key]] = {}

    @property
    def healthy(self) -> int:
        """How many work."""
        return self.count - len(self.failed)

    def resize(self, count: int) -> None:
        """The node has another number of chips; chips that pods hold stay theirs."""
        self.count = count
        self.failed.intersection_update(range(count))

    def free(self) -> list[int]:
        """Those that work and nobody holds, lowest first."""
        return [each for each in range(self.count) if each not in self._holder and each not in self.failed]

    def held(self) -> dict[int, Key]:
        """Chip → the pod that holds it."""
        return dict(self._holder)

    def take(self, pod: Key, count: int) -> tuple[int, ...] | None:
        """Give a pod the lowest free chips; None where there are too few."""
        taken: list[int] = []
        for chip in range(self.count):
            if len(taken) == count:
                break
            if chip not in self._holder and chip not in self.failed:
                taken.append(chip)
        if len(taken) < count:
            return None
        for chip in taken:
            self._holder[chip] = pod
        return tuple(taken)

    def give_back(self, chips: Iterable[int]) -> None:
        """Nobody holds these any longer."""
        for chip in chips:
            del self._holder[chip]

    def lowest_healthy(self, count: int) -> tuple[int, ...]:
        """The lowest chips that work, fewer than ``count`` where there are no more."""
        return tuple(chip for chip in range(self.count) if chip not in self.failed)[:count]

    def fail(self, chips: Iterable[int]) -> tuple[Key, ...]:
        """These work no longer; return the pods that hold any of them, by their lowest such chip."""
        hit: dict[Key, None] = {}
        for chip in sorted(chips):
            self.failed.add(chip)
            if chip in self._holder:
                hit[self._holder[chip]] = None
        return tuple(hit)

    def repair(self, chips: Iterable[int]) -> tuple[Key, ...]:
        """These work again; return the pods that hold any of them."""
        repaired = sorted(chips)
        self.failed.difference_update(repaired)
        return tuple(dict.fromkeys(self._holder[chip] for chip in repaired if chip in self._holder))

    def works(self, chips: Iterable[int]) -> bool:
        """Whether all of these work."""
        return self.failed.isdisjoint(chips)

    def names(self, chips: Iterable[int]) -> str:
        """The chips for a message: ``chip 3 (GPU-…)``."""
        return ", ".join(f"chip {chip} ({chip_id(self._node, chip)})" for chip in sorted(chips))

    def health(self, chips: Iterable[int]) -> list[Json]:
        """``ResourceHealth`` of each chip, as the device manager writes it (KEP-4680)."""
        return [
            {
                "resourceID": chip_id(self._node, chip),
                "health": "Unhealthy" if chip in self.failed else "Healthy",
            }
            for chip in chips
        ]
