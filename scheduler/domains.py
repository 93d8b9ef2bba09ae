"""Nodes by the values of a label, such as racks, with the free chips of each: for gangs to stay together."""

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence

from scheduler.room import Room


class _Domain:
    """The nodes with one value."""

    __slots__ = ("free", "rooms")

    def __init__(self) -> None:
        self.rooms: dict[str, Room] = {}
        self.free = 0


class Domains:
    """Domains of every label that was asked for, kept up to date as rooms change.

    A room must be taken out before it changes and added again after.
    """

    def __init__(self, chip_kinds: Sequence[str]) -> None:
        self._kinds = tuple(chip_kinds)
        self._rooms: dict[str, Room] = {}
        self._by_key: dict[str, dict[str, _Domain]] = {}
        self._order: dict[str, list[tuple[int, str]]] = {}
        """For each label the domains by free chips."""

    def free(self, room: Room) -> int:
        """The free chips of a node, of all kinds."""
        return sum(max(0, room.free_others.get(kind, 0)) for kind in self._kinds)

    def add(self, room: Room) -> None:
        """Count a room."""
        self._rooms[room.node.name] = room
        for key in self._by_key:
            self._count(key, room, +1)

    def remove(self, room: Room) -> None:
        """Count a room no more."""
        del self._rooms[room.node.name]
        for key in self._by_key:
            self._count(key, room, -1)

    def _count(self, key: str, room: Room, sign: int) -> None:
        value = room.labels.get(key)
        if value is None:
            return
        domain = self._by_key[key].get(value)
        order = self._order[key]
        if domain is None:
            domain = self._by_key[key][value] = _Domain()
        else:
            del order[bisect_left(order, (domain.free, value))]
        domain.free += sign * self.free(room)
        if sign > 0:
            domain.rooms[room.node.name] = room
        else:
            del domain.rooms[room.node.name]
        if domain.rooms:
            insort(order, (domain.free, value))
        else:
            del self._by_key[key][value]

    def tightest_first(self, key: str, chips: int) -> Iterator[list[Room]]:
        """The domains with at least so many free chips, those with the fewest first, then by value."""
        if key not in self._by_key:
            self._by_key[key], self._order[key] = {}, []
            for room in self._rooms.values():
                self._count(key, room, +1)
        order = self._order[key]
        for _, value in order[bisect_left(order, (chips, "")) :]:
            yield list(self._by_key[key][value].rooms.values())

    def validate(self) -> None:
        """Check the sums."""
        for key, domains in self._by_key.items():
            for value, domain in domains.items():
                rooms = [room for room in self._rooms.values() if room.labels.get(key) == value]
                assert sorted(domain.rooms) == sorted(room.node.name for room in rooms)
                assert domain.free == sum(map(self.free, rooms)), f"{key}={value} is miscounted"
            assert self._order[key] == sorted((each.free, value) for value, each in domains.items())
