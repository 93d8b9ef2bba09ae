"""Best fit: which node gets a pod.

The node that keeps the fewest free chips after the placement, as an absolute number and not as a share of the
node: a node that lost chips is filled first, and whole nodes stay whole for the large jobs. Ties go to the
least free cpu, then the least free memory, then the name. A pod that needs no chips goes to a node that has
none where one fits, else to the node with the fewest free chips.

Nodes are kept in buckets by their number of free chips, each sorted by that order, so that the first node
found that fits is the best one: a search touches the nodes that it passes over, never all of them by
principle.
"""

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence

from scheduler.fit import fits
from scheduler.model import Amounts, Demand
from scheduler.room import Room

_Entry = tuple[int, int, str, Room]
"""Free cpu, free memory, name (unique, so that rooms are never compared), room."""

_NO_MATTER_HOW_LITTLE = -(1 << 63)
"""Less free cpu than any node has: a pod that asks for no cpu fits also where none is left."""


class _Buckets:
    """Nodes by the sum of their free chips of some kinds."""

    def __init__(self, kinds: tuple[str, ...]) -> None:
        self.kinds = kinds
        self._counts: list[int] = []
        self._entries: dict[int, list[_Entry]] = {}

    def concerns(self, room: Room) -> bool:
        return any(name in self.kinds for name, _ in room.node.others)

    def count(self, room: Room) -> int:
        return sum(max(0, room.free_others.get(kind, 0)) for kind in self.kinds)

    def bucket(self, count: int) -> list[_Entry]:
        """The sorted entries with so many free chips, made when there are none yet."""
        if count not in self._entries:
            insort(self._counts, count)
            self._entries[count] = []
        return self._entries[count]

    def from_count(self, least: int) -> Iterator[list[_Entry]]:
        """The buckets with at least so many free chips, fewest first."""
        for count in self._counts[bisect_left(self._counts, least) :]:
            yield self._entries[count]


class FitIndex:
    """Finds the best node for a demand among thousands.

    A room must be taken out before it changes and added again after.
    """

    def __init__(self, chip_kinds: Sequence[str]) -> None:
        """``chip_kinds``: the resources that are chips; pods that want several are placed by the first."""
        self._kinds = tuple(chip_kinds)
        self._by_kind = {kind: _Buckets((kind,)) for kind in self._kinds}
        # Pods without chips look at all kinds together; with one kind, as usual, that is the same index.
        self._all = self._by_kind[self._kinds[0]] if len(self._kinds) == 1 else _Buckets(self._kinds)
        self._families = tuple({id(each): each for each in (*self._by_kind.values(), self._all)}.values())
        self._chipless: list[_Entry] = []
        self._where: dict[str, tuple[_Entry, list[list[_Entry]]]] = {}

    def add(self, room: Room) -> None:
        """Make a room findable."""
        entry = (room.free_cpu, room.free_memory, room.node.name, room)
        lists = [each.bucket(each.count(room)) for each in self._families if each.concerns(room)]
        lists = lists or [self._chipless]
        for entries in lists:
            insort(entries, entry)
        self._where[room.node.name] = (entry, lists)

    def remove(self, room: Room) -> None:
        """Make a room unfindable."""
        entry, lists = self._where.pop(room.node.name)
        for entries in lists:
            del entries[bisect_left(entries, entry)]

    def best(self, demand: Demand) -> Room | None:
        """The room that a pod with this demand should go to, None when it fits nowhere."""
        if demand.unsupported:
            return None
        least: tuple[int] = (demand.cpu or _NO_MATTER_HOW_LITTLE,)
        for entries in self._candidates(demand.others):
            for position in range(bisect_left(entries, least), len(entries)):
                room = entries[position][3]
                if fits(demand, room):
                    return room
        return None

    def _candidates(self, others: Amounts) -> Iterator[list[_Entry]]:
        for kind in self._kinds:
            for name, amount in others:
                if name == kind:
                    return self._by_kind[kind].from_count(amount)
        return self._without_chips()

    def _without_chips(self) -> Iterator[list[_Entry]]:
        yield self._chipless
        yield from self._all.from_count(0)

    def validate(self, rooms: Sequence[Room]) -> None:
        """Check that exactly these rooms are findable, at their places."""
        assert set(self._where) == {room.node.name for room in rooms}, (
            "the index knows other nodes than the cluster"
        )
        for room in rooms:
            entry, lists = self._where[room.node.name]
            assert entry[:2] == (room.free_cpu, room.free_memory), (
                f"{room.node.name} changed while in the index"
            )
            expected = [each.bucket(each.count(room)) for each in self._families if each.concerns(room)]
            assert [id(each) for each in lists] == [id(each) for each in expected or [self._chipless]]
            assert all(entry in each for each in lists)
