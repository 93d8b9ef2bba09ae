"""Nodes and their hardware in the timeline."""

from collections.abc import Callable
from typing import Any, Final

from evaluator.scenario.facts import amounts_of
from evaluator.scenario.manifests import CHIP_TYPE_LABEL
from evaluator.timeline import (
    HardwareFailed,
    HardwareRepaired,
    NodeAdded,
    NodeChanged,
    NodeRemoved,
    Timeline,
)
from fakeapi.cluster.machines import HardwareEvent
from fakeapi.cluster.nodestates import is_ready
from fakeapi.storage.objects import Change, Key, Kind


class NodeLog:
    """Writes what becomes of nodes.

    Args:
        timeline: where it is written.
        now_ns: nanoseconds since the start of the run.
        chip_resource: by which chips are counted.
    """

    def __init__(self, timeline: Timeline, now_ns: Callable[[], int], chip_resource: str) -> None:
        self.down: Final[set[str]] = set()
        """Nodes whose machine is down, known before the cluster knows."""
        self._timeline = timeline
        self._now_ns = now_ns
        self._chip_resource = chip_resource
        self._nodes: dict[Key, tuple[Any, ...]] = {}

    # ---- hardware -----------------------------------------------------------------------------

    def hear_hardware(self, event: HardwareEvent) -> None:
        """Something broke, or works again."""
        if event.what == "node":
            (self.down.add if event.happening == "failed" else self.down.discard)(event.node)
        if event.happening == "failed":
            self._timeline.append(
                HardwareFailed(
                    at_ns=self._now_ns(),
                    node=event.node,
                    what=event.what,
                    chips=event.chips,
                    group=event.group,
                )
            )
        else:
            self._timeline.append(
                HardwareRepaired(at_ns=self._now_ns(), node=event.node, what=event.what, chips=event.chips)
            )

    # ---- nodes --------------------------------------------------------------------------------

    def hear(self, change: Change) -> bool:
        """A node was created, changed or removed; whether it offers anything that it did not."""
        key, node = change.after.key, change.after.object
        name = key[1]
        if change.kind is Kind.DELETED:
            self._nodes.pop(key, None)
            self.down.discard(name)
            self._timeline.append(NodeRemoved(at_ns=self._now_ns(), node=name))
            return False
        amounts = amounts_of(node.get("status", {}).get("allocatable") or {}, self._chip_resource)
        shape = (amounts, is_ready(node), not node.get("spec", {}).get("unschedulable", False))
        known = self._nodes.get(key)
        if known == shape:
            return False
        self._nodes[key] = shape
        if known is None:
            self._timeline.append(
                NodeAdded(
                    at_ns=self._now_ns(),
                    node=name,
                    chips=amounts.chips,
                    chip_type=(node["metadata"].get("labels") or {}).get(CHIP_TYPE_LABEL),
                    cpu_milli=amounts.cpu_milli,
                    memory_bytes=amounts.memory_bytes,
                )
            )
        else:
            self._timeline.append(
                NodeChanged(
                    at_ns=self._now_ns(),
                    node=name,
                    chips=amounts.chips,
                    cpu_milli=amounts.cpu_milli,
                    memory_bytes=amounts.memory_bytes,
                    ready=shape[1],
                    schedulable=shape[2],
                )
            )
        return True
