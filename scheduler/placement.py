"""Which node gets a pod.

Best fit: the node that keeps the fewest free chips after the placement, as an absolute number and not as a
share of the node: a node that lost chips is filled first, and whole nodes stay whole for the large jobs. Ties
go to the least free cpu, then the least free memory, then the name. A pod that needs no chips goes to a node
that has none where one fits, else to the node with the fewest free chips.

Another packing can be asked for: it prefers nodes by another measure, then by the fewest free chips, and is
the same in everything else.

Nodes are kept in buckets by that measure and their number of free chips, each sorted by the order of ties, so
that the first node found that fits is the best one: a search touches the nodes that it passes over, never all
of them by principle.
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from scheduler.fit import fits
from scheduler.model import Amounts, Demand
from scheduler.room import Room

_Entry = tuple[int, int, str, Room]
"""Free cpu, free memory, name (unique, so that rooms are never compared), room."""

_NO_MATTER_HOW_LITTLE = -(1 << 63)
"""Less free cpu than any node has: a pod that asks for no cpu fits also where none is left."""


Kinds = tuple[str, ...]
"""Extended resources that are chips; several are counted together."""


def free_chips(room: Room, kinds: Kinds) -> int:
    """The chips of these kinds that a pod could get: none where a node holds more than it has."""
    return sum(max(0, room.free_others.get(kind, 0)) for kind in kinds)


def held_share(room: Room, kinds: Kinds) -> float:
    """Held by allocatable chips of these kinds, of which the node must have some; above 1 when it shrank."""
    offered = sum(amount for name, amount in room.node.others if name in kinds)
    # Division rounds correctly, so that equal ratios make equal numbers.
    return (offered - sum(room.free_others.get(kind, 0) for kind in kinds)) / offered


@dataclass(frozen=True, slots=True)
class Packing:
    """A preference among the nodes on which a pod fits.

    Attributes:
        name: what it is called on the command line.
        summary: what it does, in a line.
        measure: by what nodes are preferred, least first, for chips of some kinds. It looks at the node as it
            is before the placement.
    """

    name: str
    summary: str
    measure: Callable[[Room, Kinds], float]


BEST_FIT = Packing(
    name="fit",
    summary="the node that keeps the fewest free chips",
    # The pod takes the same number everywhere: the fewest before are the fewest after.
    measure=free_chips,
)

HIGHEST_SHARE = Packing(
    name="utilization",
    summary="the node with the highest share of its chips in use before the placement, for comparison",
    measure=lambda room, kinds: -held_share(room, kinds),
)

PACKINGS = {packing.name: packing for packing in (BEST_FIT, HIGHEST_SHARE)}

_Merit = tuple[float, int]
"""The packing's measure, and the number of free chips."""


class _Buckets:
    """Nodes by the packing's measure of their chips of some kinds."""

    def __init__(self, kinds: Kinds, measure: Callable[[Room, Kinds], float]) -> None:
        self.kinds = kinds
        self._measure = measure
        self._merits: list[_Merit] = []
        self._entries: dict[_Merit, list[_Entry]] = {}

    def concerns(self, room: Room) -> bool:
        return any(name in self.kinds for name, _ in room.node.others)

    def bucket_of(self, room: Room) -> list[_Entry]:
        """The sorted entries of nodes with this one's merit, made when there are none yet."""
        merit = (self._measure(room, self.kinds), free_chips(room, self.kinds))
        if merit not in self._entries:
            insort(self._merits, merit)
            self._entries[merit] = []
        return self._entries[merit]

    def with_free(self, least: int) -> Iterator[list[_Entry]]:
        """The buckets with at least so many free chips, best first."""
        for merit in self._merits:
            if merit[1] >= least:
                yield self._entries[merit]


class FitIndex:
    """Finds the best node for a demand among thousands.

    A room must be taken out before it changes and added again after.
    """

    def __init__(self, chip_kinds: Sequence[str], packing: Packing = BEST_FIT) -> None:
        """``chip_kinds``: the resources that are chips; pods that want several are placed by the first."""
        kinds, measure = tuple(chip_kinds), packing.measure
        self._kinds = kinds
        self._by_kind = {kind: _Buckets((kind,), measure) for kind in kinds}
        # Pods without chips look at all kinds together; with one kind, as usual, that is the same index.
        self._all = self._by_kind[kinds[0]] if len(kinds) == 1 else _Buckets(kinds, measure)
        self._families = tuple({id(each): each for each in (*self._by_kind.values(), self._all)}.values())
        self._chipless: list[_Entry] = []
        self._where: dict[str, tuple[_Entry, list[list[_Entry]]]] = {}

    def add(self, room: Room) -> None:
        """Make a room findable."""
        entry = (room.free_cpu, room.free_memory, room.node.name, room)
        lists = [each.bucket_of(room) for each in self._families if each.concerns(room)]
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
                    return self._by_kind[kind].with_free(amount)
        return self._without_chips()

    def _without_chips(self) -> Iterator[list[_Entry]]:
        yield self._chipless
        yield from self._all.with_free(0)

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
            expected = [each.bucket_of(room) for each in self._families if each.concerns(room)]
            assert [id(each) for each in lists] == [id(each) for each in expected or [self._chipless]]
            assert all(entry in each for each in lists)
