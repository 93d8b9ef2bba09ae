"""The machines behind the nodes: what fails, what is repaired, what is taken out of service.

Everything here acts at the clock's present, writes to the store at once, and is to be called inside an
event of the queue (:class:`~fakeapi.kernel.events.Rank` ``FAILURE`` or ``REPAIR``), so that its place
among the other events of the instant is defined.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from fakeapi.cluster.drain import Drains, Evict
from fakeapi.cluster.kubelet import Kubelet
from fakeapi.cluster.nodemonitor import NodeMonitor
from fakeapi.cluster.nodestates import (
    UNREACHABLE,
    answering,
    cordoned,
    uncordoned,
    with_allocatable,
    without_taint,
)
from fakeapi.kernel.clock import Clock
from fakeapi.kernel.events import EventQueue
from fakeapi.machinery.resources import NODES
from fakeapi.storage.objects import Change, Kind, Object
from fakeapi.storage.store import Store

_NODES: Final = NODES.storage_key

Happening: TypeAlias = Literal["failed", "repaired"]
Hardware: TypeAlias = Literal["chips", "node"]


@dataclass(frozen=True, slots=True)
class HardwareEvent:
    """Something broke, or works again. Told before the store shows anything of it."""

    happening: Happening
    node: str
    what: Hardware
    chips: int
    """Chips that are lost by it, or usable again: those that were not lost before."""
    group: str | None = None
    """Failures of one common cause share it."""


HardwareListener: TypeAlias = Callable[[HardwareEvent], None]


class UnknownMachine(LookupError):
    """No node of that name; the message names some that exist."""


class NoSuchChip(ValueError):
    """The node has no chip of that number."""


class Machines:
    """What happens to machines. See the module about when to call it.

    Args:
        evict: asks the API server to evict a pod.
    """

    def __init__(self, store: Store, queue: EventQueue, clock: Clock, kubelet: Kubelet, evict: Evict) -> None:
        self._store = store
        self._clock = clock
        self._kubelet = kubelet
        self._monitor = NodeMonitor(store, queue, clock, kubelet.holders)
        self._drains = Drains(queue, clock, kubelet, evict)
        self._boots: dict[str, int] = {}
        self._listeners: list[HardwareListener] = []

    def attach(self) -> None:
        """Take up the nodes that exist, and listen from now on."""
        self._monitor.attach()
        self._store.listen(self._hear)

    def listen(self, listener: HardwareListener) -> None:
        """Tell ``listener`` of every failure and repair from now on."""
        self._listeners.append(listener)

    # ---- what can be seen -----------------------------------------------------------------------

    def names(self) -> list[str]:
        """The nodes that exist, sorted."""
        return [version.key[1] for version in self._store.iterate(_NODES)]

    def exists(self, node: str) -> bool:
        """Whether there is a node of that name."""
        return self._store.find(_NODES, ("", node)) is not None

    def is_up(self, node: str) -> bool:
        """Whether the machine behind a node works.

        Raises:
            UnknownMachine: there is no such node.
        """
        self._node(node)
        return not self._kubelet.is_dead(node)

    def chips(self, node: str) -> int:
        """How many chips a node has, failed ones too.

        Raises:
            UnknownMachine: there is no such node.
        """
        self._node(node)
        return self._kubelet.books.of(node).chips.count

    def failed_chips(self, node: str) -> tuple[int, ...]:
        """The numbers of the chips that do not work.

        Raises:
            UnknownMachine: there is no such node.
        """
        self._node(node)
        return tuple(sorted(self._kubelet.books.of(node).chips.failed))

    # ---- chips --------------------------------------------------------------------------------------

    def fail_chips(
        self, node: str, count: int = 1, *, group: str | None = None, chips: Iterable[int] | None = None
    ) -> tuple[int, ...]:
        """Chips stop working: allocatable shrinks, the pods that hold them fail, and no others.

        Args:
            node: its name.
            count: how many; the lowest that work, fewer where there are no more.
            group: names the common cause, if there is one.
            chips: which ones instead; those that do not work anyway are left out.

        Returns:
            The numbers of the chips that stopped working.

        Raises:
            UnknownMachine: there is no such node.
            NoSuchChip: the node has no chip of that number.
        """
        obj, book = self._node(node), self._kubelet.books.of(node)
        if chips is None:
            lost = book.chips.lowest_healthy(count)
        else:
            lost = tuple(sorted(set(self._known(node, chips)) - book.chips.failed))
        if lost:
            self._tell(HardwareEvent("failed", node, "chips", self._usable(node, len(lost)), group))
            hit = book.chips.fail(lost)
            self._shrink(obj, book.chips.healthy)
            self._kubelet.chips_failed(hit)
        return lost

    def repair_chips(self, node: str, chips: Iterable[int] | None = None) -> tuple[int, ...]:
        """Failed chips work again; all of them unless some are named.

        Returns:
            The numbers of the chips that work again.

        Raises:
            UnknownMachine: there is no such node.
            NoSuchChip: the node has no chip of that number.
        """
        obj, book = self._node(node), self._kubelet.books.of(node)
        wanted = book.chips.failed if chips is None else set(self._known(node, chips))
        repaired = tuple(sorted(wanted & book.chips.failed))
        if repaired:
            self._tell(HardwareEvent("repaired", node, "chips", self._usable(node, len(repaired))))
            hit = book.chips.repair(repaired)
            self._shrink(obj, book.chips.healthy)
            self._kubelet.chips_repaired(hit)
        return repaired

    def _usable(self, node: str, count: int) -> int:
        """Of so many chips, those that count: on a machine that is down they are lost already."""
        return 0 if self._kubelet.is_dead(node) else count

    def _known(self, node: str, chips: Iterable[int]) -> list[int]:
        count, numbers = self._kubelet.books.of(node).chips.count, list(chips)
        for number in numbers:
            if not 0 <= number < count:
                raise NoSuchChip(f"node {node} has {count} chips, numbered from 0: there is no chip {number}")
        return numbers

    def _shrink(self, node: Object, healthy: int) -> None:
        # A kubelet that is down tells nothing; it will when it is up again.
        name = node["metadata"]["name"]
        if not self._kubelet.is_dead(name):
            self._write(with_allocatable(node, self._kubelet.books.chip_resource, healthy))

    # ---- machines -----------------------------------------------------------------------------------

    def crash(self, node: str, *, group: str | None = None) -> bool:
        """A machine goes down: its pods' work stops at once, and the cluster is told later.

        See :mod:`fakeapi.cluster.nodemonitor`. Whether it was up is returned; a crash of one that is down
        changes nothing.

        Raises:
            UnknownMachine: there is no such node.
        """
        self._node(node)
        if self._kubelet.is_dead(node):
            return False
        healthy = self._kubelet.books.of(node).chips.healthy
        self._tell(HardwareEvent("failed", node, "node", healthy, group))
        self._monitor.fell_silent(node)
        self._kubelet.node_died(node)
        return True

    def recover(self, node: str) -> bool:
        """A machine that was down has booted: its node is ready, and its old pods' containers are gone.

        Whether it was down is returned; one that is up stays as it is. Failed chips stay failed.

        Raises:
            UnknownMachine: there is no such node.
        """
        obj = self._node(node)
        if not self._kubelet.is_dead(node):
            return False
        chips = self._kubelet.books.of(node).chips
        self._tell(HardwareEvent("repaired", node, "node", chips.healthy))
        self._monitor.heard_from(node)
        self._boots[node] = self._boots.get(node, 0) + 1
        back = without_taint(answering(obj, self._clock.now(), self._boots[node]), UNREACHABLE)
        if chips.count:
            back = with_allocatable(back, self._kubelet.books.chip_resource, chips.healthy)
        self._write(back)
        self._kubelet.node_back(node)
        return True

    def remove(self, node: str) -> None:
        """A machine is switched off and its node deleted, as an autoscaler does it when it scales down.

        Pods that are still on it are lost with it.

        Raises:
            UnknownMachine: there is no such node.
        """
        obj = self._node(node)
        self._drains.give_up(node)
        self._monitor.heard_from(node)
        self._kubelet.node_died(node)
        self._store.delete(_NODES, ("", obj["metadata"]["name"]))

    # ---- service ------------------------------------------------------------------------------------

    def cordon(self, node: str) -> None:
        """Let nothing more be placed on a node.

        Raises:
            UnknownMachine: there is no such node.
        """
        self._write(cordoned(self._node(node), self._clock.now()))

    def uncordon(self, node: str) -> None:
        """Let pods be placed on a node again; a drain that still waits for pods is given up.

        Raises:
            UnknownMachine: there is no such node.
        """
        self._drains.give_up(node)
        self._write(uncordoned(self._node(node)))

    def drain(self, node: str) -> None:
        """Cordon a node and evict its pods, as ``kubectl drain --ignore-daemonsets --force`` does.

        Pods whose disruption budget has no room are asked for again every 5 s, until they are gone.

        Raises:
            UnknownMachine: there is no such node.
        """
        self.cordon(node)
        self._drains.begin(node)

    # ---- the store ------------------------------------------------------------------------------------

    def _hear(self, collection: str, change: Change) -> None:
        if collection == _NODES and change.kind is Kind.DELETED:
            self._monitor.heard_from(change.after.key[1])
            self._drains.give_up(change.after.key[1])

    def _node(self, name: str) -> Object:
        version = self._store.find(_NODES, ("", name))
        if version is None:
            raise UnknownMachine(f"there is no node {name!r}; {_some(self.names())}")
        return version.object

    def _write(self, node: Object) -> None:
        key = ("", node["metadata"]["name"])
        if node != self._store.get(_NODES, key).object:
            self._store.update(_NODES, key, node)

    def _tell(self, event: HardwareEvent) -> None:
        for listener in self._listeners:
            listener(event)

    def validate(self) -> None:
        """Check every invariant between machines, nodes and pods.

        Raises:
            AssertionError: one does not hold.
        """
        self._kubelet.validate()
        resource = self._kubelet.books.chip_resource
        for version in self._store.iterate(_NODES):
            name, chips = version.key[1], self._kubelet.books.of(version.key[1]).chips
            told = ((version.object.get("status") or {}).get("allocatable") or {}).get(resource)
            if told is not None and not self._kubelet.is_dead(name):
                assert int(told) <= chips.healthy, f"node {name} offers {told} chips of {chips.healthy}"


_SHOWN: Final = 5
"""Names that a message about an unknown one shows."""


def _some(names: list[str]) -> str:
    if not names:
        return "there are no nodes yet"
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"there are {', '.join(names[:_SHOWN])}{more}"
