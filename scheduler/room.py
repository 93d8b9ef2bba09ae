"""What is left on one node."""

from collections.abc import Mapping

from scheduler.constraints import Port
from scheduler.model import Demand, Node

_Ports = dict[tuple[str, int], dict[str, int]]
"""By protocol and number: how many pods hold it at each address."""


class Room:
    """A node with the pods that hold a part of it.

    Free amounts may be negative: a node can shrink (failed chips) below what its pods hold, and pods can be
    bound by others. They are plain attributes since the search for a node reads them millions of times.
    """

    __slots__ = (
        "free_cpu",
        "free_memory",
        "free_others",
        "free_pods",
        "holders",
        "labels",
        "node",
        "ports",
    )

    def __init__(self, node: Node, holders: Mapping[str, Demand]) -> None:
        """A node and the demands of the pods on it, by uid."""
        self.holders = dict(holders)
        self.renew(node)

    def renew(self, node: Node) -> None:
        """Take the node's present allocatable amounts and labels, and count what is free anew."""
        self.node = node
        self.labels = dict(node.labels)
        self.free_cpu = node.cpu
        self.free_memory = node.memory
        self.free_pods = node.pods
        self.free_others = dict(node.others)
        self.ports: _Ports = {}
        for demand in self.holders.values():
            self._add(demand, -1)

    def take(self, uid: str, demand: Demand) -> None:
        """Let a pod hold its demand."""
        assert uid not in self.holders, f"{uid} already holds room on {self.node.name}"
        self.holders[uid] = demand
        self._add(demand, -1)

    def give_back(self, uid: str) -> None:
        """Free what a pod holds."""
        self._add(self.holders.pop(uid), +1)

    def _add(self, demand: Demand, sign: int) -> None:
        self.free_pods += sign
        self.free_cpu += sign * demand.cpu
        self.free_memory += sign * demand.memory
        free = self.free_others
        for name, amount in demand.others:
            free[name] = free.get(name, 0) + sign * amount
        for port in demand.ports:
            self._add_port(port, -sign)

    def _add_port(self, port: Port, sign: int) -> None:
        place = (port.protocol, port.number)
        held = self.ports.setdefault(place, {})
        held[port.address] = held.get(port.address, 0) + sign
        if not held[port.address]:
            del held[port.address]
        if not held:
            del self.ports[place]
