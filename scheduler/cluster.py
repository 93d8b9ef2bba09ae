"""Who holds what on which node: the accounts, and the index that follows them."""

from collections.abc import Mapping, Sequence

from scheduler.model import Demand, Node
from scheduler.placement import BEST_FIT, FitIndex, Packing
from scheduler.room import Room


class Cluster:
    """All nodes with the pods on them.

    Pods may be known before their node is, and outlive it: their holdings are kept by the node's name.
    """

    def __init__(self, chip_kinds: Sequence[str], packing: Packing = BEST_FIT) -> None:
        self._index = FitIndex(chip_kinds, packing)
        self._rooms: dict[str, Room] = {}
        self._place: dict[str, str] = {}
        self._holdings: dict[str, dict[str, Demand]] = {}
        self.shape = 0
        """Counts the changes to the nodes themselves, not those by pods coming and going."""

    @property
    def rooms(self) -> Mapping[str, Room]:
        """The nodes there are, by name."""
        return self._rooms

    def place_of(self, uid: str) -> str:
        """The name of the node on which a pod holds room, empty if none."""
        return self._place.get(uid, "")

    def best(self, demand: Demand) -> Room | None:
        """The best node for a pod with this demand, None when it fits nowhere."""
        return self._index.best(demand)

    def set_node(self, node: Node) -> Room | None:
        """Add or change a node. Returns its room if anything changed."""
        room = self._rooms.get(node.name)
        if room is None:
            room = self._rooms[node.name] = Room(node, self._holdings.get(node.name, {}))
        elif room.node == node:
            return None
        else:
            self._index.remove(room)
            room.renew(node)
        self._index.add(room)
        self.shape += 1
        return room

    def drop_node(self, name: str) -> None:
        """Forget a node; the pods on it stay known."""
        room = self._rooms.pop(name, None)
        if room is not None:
            self._index.remove(room)
            self.shape += 1

    def put(self, uid: str, place: str, demand: Demand) -> Room | None:
        """Let the pod hold its demand on the node named ``place``, and nothing anywhere else.

        Returns the room that gained by that, if any.
        """
        held = self._holdings.get(self._place.get(uid, ""), {}).get(uid)
        if held is not None and self._place[uid] == place and held == demand:
            return None
        gained = self.release(uid)
        self._place[uid] = place
        self._holdings.setdefault(place, {})[uid] = demand
        room = self._rooms.get(place)
        if room is not None:
            self._index.remove(room)
            room.take(uid, demand)
            self._index.add(room)
        return gained

    def release(self, uid: str) -> Room | None:
        """Free what the pod holds. Returns the room that gained by that, if any."""
        place = self._place.pop(uid, None)
        if place is None:
            return None
        holdings = self._holdings[place]
        del holdings[uid]
        if not holdings:
            del self._holdings[place]
        room = self._rooms.get(place)
        if room is not None:
            self._index.remove(room)
            room.give_back(uid)
            self._index.add(room)
        return room

    def validate(self) -> None:
        """Check that holdings, rooms and index agree."""
        assert self._place == {uid: name for name, held in self._holdings.items() for uid in held}
        for name, room in self._rooms.items():
            assert room.holders == self._holdings.get(name, {}), (
                f"{name} holds other pods than the accounts say"
            )
            fresh = Room(room.node, room.holders)
            assert (room.free_cpu, room.free_memory, room.free_pods) == (
                fresh.free_cpu,
                fresh.free_memory,
                fresh.free_pods,
            )
            assert {k: v for k, v in room.free_others.items() if v} == {
                k: v for k, v in fresh.free_others.items() if v
            }
        self._index.validate(list(self._rooms.values()))
