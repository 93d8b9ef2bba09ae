"""Who holds what on which node: the accounts, and the indexes that follow them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from scheduler.domains import Domains
from scheduler.fit import fits
from scheduler.model import Demand, Node
from scheduler.peers import Kin, Peers, View
from scheduler.placement import BEST_FIT, FitIndex, Packing
from scheduler.room import Room

CPU = "cpu"

NOBODY = Kin("", frozenset())


class Holding(NamedTuple):
    """What a pod holds on a node, and what others' terms see of it."""

    demand: Demand
    kin: Kin = NOBODY
    ending: bool = False


class Cluster:
    """All nodes with the pods on them.

    Pods may be known before their node is, and outlive it: their holdings are kept by the node's name.
    """

    def __init__(self, chip_kinds: Sequence[str], packing: Packing = BEST_FIT) -> None:
        self.packing = packing
        self._kinds = tuple(chip_kinds)
        self._index = FitIndex(chip_kinds, packing)
        self.domains = Domains(chip_kinds)
        self._rooms: dict[str, Room] = {}
        self._place: dict[str, str] = {}
        self._holdings: dict[str, dict[str, Holding]] = {}
        self.peers = Peers(self._rooms)
        self.moves = 0
        """Counts the changes to who holds what."""
        self.free: Counter[str] = Counter()
        """What is free on all nodes that take pods, of cpu and of each kind of chips, without shortfalls."""
        self.shape = 0
        """Counts the changes to the nodes themselves, not those by pods coming and going."""

    @property
    def rooms(self) -> Mapping[str, Room]:
        """The nodes there are, by name."""
        return self._rooms

    def place_of(self, uid: str) -> str:
        """The name of the node on which a pod holds room, empty if none."""
        return self._place.get(uid, "")

    def holding_of(self, uid: str) -> Holding:
        """What a pod that is on a node holds there."""
        return self._holdings[self._place[uid]][uid]

    def on(self, name: str) -> Mapping[str, Holding]:
        """The pods on a node, by uid."""
        return self._holdings.get(name, {})

    def view(self, demand: Demand, kin: Kin) -> View | None:
        """Where other pods let such a pod go; None for everywhere."""
        return self.peers.view(demand, kin, self.shape)

    def best(self, demand: Demand, kin: Kin = NOBODY, among: Iterable[Room] | None = None) -> Room | None:
        """The best node for a pod with this demand, ``among`` some or all; None when it fits nowhere."""
        view = self.view(demand, kin)
        if among is not None:
            return self._index.best_of(among, demand, view)
        return self._index.best(demand, view)

    def fits(self, demand: Demand, kin: Kin, name: str) -> bool:
        """Whether a pod fits on this node as things are."""
        room = self._rooms.get(name)
        if room is None or demand.unsupported or not fits(demand, room):
            return False
        view = self.view(demand, kin)
        return view is None or view.objection(room.labels) is None

    def set_node(self, node: Node) -> Room | None:
        """Add or change a node. Returns its room if anything changed."""
        room = self._rooms.get(node.name)
        if room is None:
            held = {uid: held.demand for uid, held in self.on(node.name).items()}
            room = self._rooms[node.name] = Room(node, held)
        elif room.node == node:
            return None
        else:
            self._take_out(room)
            room.renew(node)
        self._add(room)
        self.shape += 1
        return room

    def drop_node(self, name: str) -> None:
        """Forget a node; the pods on it stay known."""
        room = self._rooms.pop(name, None)
        if room is not None:
            self._take_out(room)
            self.shape += 1

    def _add(self, room: Room) -> None:
        self._index.add(room)
        self.domains.add(room)
        self._count(room, +1)

    def _take_out(self, room: Room) -> None:
        self._index.remove(room)
        self.domains.remove(room)
        self._count(room, -1)

    def _count(self, room: Room, sign: int) -> None:
        if room.node.unschedulable:
            return
        free = self.free
        free[CPU] += sign * max(0, room.free_cpu)
        for kind in self._kinds:
            free[kind] += sign * max(0, room.free_others.get(kind, 0))

    def put(
        self, uid: str, place: str, demand: Demand, kin: Kin = NOBODY, *, ending: bool = False
    ) -> Room | None:
        """Let the pod hold its demand on the node named ``place``, and nothing anywhere else.

        Returns the room that gained by that, if any.
        """
        holding = Holding(demand, kin, ending)
        old = self.on(self._place.get(uid, "")).get(uid)
        if old is not None and self._place[uid] == place:
            if old == holding:
                return None
            if old.demand == demand:
                self.moves += 1
                self._holdings[place][uid] = holding
                self.peers.put(uid, place, kin, demand, ending=ending)
                return None
        gained = self.release(uid)
        self._hold(uid, place, holding)
        return gained

    def _hold(self, uid: str, place: str, holding: Holding) -> None:
        self.moves += 1
        self._place[uid] = place
        self._holdings.setdefault(place, {})[uid] = holding
        room = self._rooms.get(place)
        if room is not None:
            self._take_out(room)
            room.take(uid, holding.demand)
            self._add(room)
        self.peers.put(uid, place, holding.kin, holding.demand, ending=holding.ending)

    def release(self, uid: str) -> Room | None:
        """Free what the pod holds. Returns the room that gained by that, if any."""
        place = self._place.pop(uid, None)
        if place is None:
            return None
        self.moves += 1
        holdings = self._holdings[place]
        del holdings[uid]
        if not holdings:
            del self._holdings[place]
        self.peers.drop(uid)
        room = self._rooms.get(place)
        if room is not None:
            self._take_out(room)
            room.give_back(uid)
            self._add(room)
        return room

    @contextmanager
    def without(self, uids: Iterable[str]) -> Iterator[None]:
        """As if these pods held nothing, until the end of the block; what is put meanwhile stays put."""
        away = [(uid, self._place[uid], self.holding_of(uid)) for uid in uids if uid in self._place]
        for uid, _, _ in away:
            self.release(uid)
        try:
            yield
        finally:
            for uid, place, holding in away:
                if uid not in self._place:
                    self._hold(uid, place, holding)

    def validate(self) -> None:
        """Check that holdings, rooms and indexes agree."""
        assert self._place == {uid: name for name, held in self._holdings.items() for uid in held}
        for name, room in self._rooms.items():
            assert room.holders == {uid: held.demand for uid, held in self.on(name).items()}, (
                f"{name} holds other pods than the accounts say"
            )
            fresh = Room(room.node, room.holders)
            assert (room.free_cpu, room.free_memory, room.free_pods, room.ports) == (
                fresh.free_cpu,
                fresh.free_memory,
                fresh.free_pods,
                fresh.ports,
            )
            assert {k: v for k, v in room.free_others.items() if v} == {
                k: v for k, v in fresh.free_others.items() if v
            }
        self._index.validate(list(self._rooms.values()))
        self.domains.validate()
        self.peers.validate(self._place)
