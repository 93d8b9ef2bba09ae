"""Which node gets a pod.

Best fit: the node that keeps the fewest free chips after the placement, as an absolute number and not as a
share of the node: a node that lost chips is filled first, and whole nodes stay whole for the large jobs. Ties
go to a node that lost chips, then to one that is in use, then to the least free cpu, the least free memory,
the name. A pod that needs no chips goes to a node that has none where one fits, else to the node with the
fewest free chips.

Another packing can be asked for: it prefers nodes by another measure, then by the fewest free chips, and is
the same in everything else.

What a pod or a node wishes comes before all that, among the nodes on which the pod fits: first the fewest
taints ``PreferNoSchedule`` that the pod does not tolerate, then the most of its preferred node affinity. Who
writes such a wish knows why; packing is for those that have none.

Nodes are kept in buckets by that measure and their number of free chips, each sorted by the order of ties, so
that the first node found that fits is the best one: a search touches the nodes that it passes over, never all
of them by principle. Where a demand passes over many nodes that its selectors do not admit, the admitted ones
get buckets of their own.
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from scheduler.fit import admits, fits, likes, shuns
from scheduler.model import Amounts, Demand
from scheduler.peers import View
from scheduler.room import Room

_Entry = tuple[int, int, str, Room]
"""Free cpu, free memory, name (unique, so that rooms are never compared), room."""

_NO_MATTER_HOW_LITTLE = -(1 << 63)
"""Less free cpu than any node has: a pod that asks for no cpu fits also where none is left."""

PASSED_OVER = 64
"""Nodes that a search may pass over before its selectors get buckets of their own."""

MOST_SELECTIONS = 16
"""Selections of nodes with buckets of their own, the last made: each costs a little at every placement."""

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

_Merit = tuple[float, int, int]
"""The packing's measure, the number of free chips, the wear."""

_DAMAGED, _USED, _WHOLE = range(3)
"""A node's wear: it lost chips; it has pods with chips on it; it is whole and idle."""


def _wear(room: Room, kinds: Kinds) -> int:
    if any(name in kinds for name, _ in room.node.lost):
        return _DAMAGED
    held = any(amount != room.free_others[name] for name, amount in room.node.others if name in kinds)
    return _USED if held else _WHOLE


class _Buckets:
    """Nodes by the packing's measure of their chips of some kinds."""

    def __init__(self, kinds: Kinds, measure: Callable[[Room, Kinds], float]) -> None:
        self.kinds = kinds
        self._measure = measure
        self._merits: list[_Merit] = []
        self._entries: dict[_Merit, list[_Entry]] = {}

    def concerns(self, room: Room) -> bool:
        """Whether such a node belongs here."""
        return any(name in self.kinds for name, _ in room.node.others)

    def merit(self, room: Room) -> _Merit:
        """By what it is preferred, least first."""
        kinds = self.kinds
        return (self._measure(room, kinds), free_chips(room, kinds), _wear(room, kinds))

    def bucket_of(self, room: Room) -> list[_Entry]:
        """The sorted entries of nodes with this one's merit, made when there are none yet."""
        merit = self.merit(room)
        if merit not in self._entries:
            insort(self._merits, merit)
            self._entries[merit] = []
        return self._entries[merit]

    def with_free(self, least: int) -> Iterator[list[_Entry]]:
        """The buckets with at least so many free chips, best first."""
        for merit in self._merits:
            if merit[1] >= least:
                yield self._entries[merit]


class _Selected(_Buckets):
    """The same for those nodes only that would take a given demand if they were empty."""

    def __init__(self, kinds: Kinds, measure: Callable[[Room, Kinds], float], demand: Demand) -> None:
        super().__init__(kinds, measure)
        self._demand = demand

    def concerns(self, room: Room) -> bool:
        """Whether such a node belongs here."""
        return super().concerns(room) and admits(self._demand, room)


class FitIndex:
    """Finds the best node for a demand among thousands.

    A room must be taken out before it changes and added again after.
    """

    def __init__(self, chip_kinds: Sequence[str], packing: Packing = BEST_FIT) -> None:
        """``chip_kinds``: the resources that are chips; pods that want several are placed by the first."""
        kinds, self._measure = tuple(chip_kinds), packing.measure
        self._kinds = kinds
        self._by_kind = {kind: _Buckets((kind,), packing.measure) for kind in kinds}
        # Pods without chips look at all kinds together; with one kind, as usual, that is the same index.
        self._all = self._by_kind[kinds[0]] if len(kinds) == 1 else _Buckets(kinds, packing.measure)
        self._selections: dict[tuple[object, ...], _Selected] = {}
        self._families: tuple[_Buckets, ...] = ()
        self._list_families()
        self._chipless: list[_Entry] = []
        self._where: dict[str, tuple[_Entry, list[list[_Entry]]]] = {}
        self._shunning = 0
        """Nodes with taints that ask pods to stay away if they can."""

    def _list_families(self) -> None:
        every = (*self._by_kind.values(), self._all, *self._selections.values())
        self._families = tuple({id(each): each for each in every}.values())

    def add(self, room: Room) -> None:
        """Make a room findable."""
        entry = (room.free_cpu, room.free_memory, room.node.name, room)
        lists = [each.bucket_of(room) for each in self._families if each.concerns(room)]
        lists = lists or [self._chipless]
        for entries in lists:
            insort(entries, entry)
        self._where[room.node.name] = (entry, lists)
        self._shunning += shuns(room.node, ()) > 0

    def remove(self, room: Room) -> None:
        """Make a room unfindable."""
        entry, lists = self._where.pop(room.node.name)
        for entries in lists:
            del entries[bisect_left(entries, entry)]
        self._shunning -= shuns(room.node, ()) > 0

    def best(self, demand: Demand, view: View | None = None) -> Room | None:
        """The room that a pod with this demand should go to, None when it fits nowhere.

        ``view`` says where other pods let it go.
        """
        if demand.unsupported:
            return None
        if demand.preferred or self._shunning:
            return self._most_wanted(demand, view)
        return next(self._fitting(demand, view), None)

    def _most_wanted(self, demand: Demand, view: View | None) -> Room | None:
        """The first of those that are wished for most."""
        perfect = (0, -sum(weight for weight, _ in demand.preferred))
        found: tuple[tuple[int, int], Room] | None = None
        for room in self._fitting(demand, view):
            wish = (shuns(room.node, demand.tolerations), -likes(demand.preferred, room))
            if found is None or wish < found[0]:
                found = (wish, room)
            if wish == perfect:
                break
        return None if found is None else found[1]

    def _fitting(self, demand: Demand, view: View | None) -> Iterator[Room]:
        """The rooms where the pod fits, in the order of the packing."""
        least: tuple[int] = (demand.cpu or _NO_MATTER_HOW_LITTLE,)
        passed = 0
        for entries in self._candidates(demand):
            for position in range(bisect_left(entries, least), len(entries)):
                room = entries[position][3]
                if fits(demand, room) and (view is None or view.objection(room.labels) is None):
                    yield room
                passed += 1
                if passed == PASSED_OVER and not admits(demand, room):
                    self._select(demand)

    def _chip_kind(self, others: Amounts) -> tuple[str, int] | None:
        """The kind of chips by which the demand is placed, and how many."""
        for kind in self._kinds:
            for name, amount in others:
                if name == kind:
                    return kind, amount
        return None

    def _candidates(self, demand: Demand) -> Iterator[list[_Entry]]:
        wanted = self._chip_kind(demand.others)
        if wanted is None:
            return self._without_chips()
        kind, amount = wanted
        if self._selections:
            own = self._selections.get(_selection(kind, demand))
            if own is not None:
                return own.with_free(amount)
        return self._by_kind[kind].with_free(amount)

    def _without_chips(self) -> Iterator[list[_Entry]]:
        yield self._chipless
        yield from self._all.with_free(0)

    def _select(self, demand: Demand) -> None:
        """Give the demand's selection of nodes its own buckets, from the next search on."""
        wanted = self._chip_kind(demand.others)
        key = None if wanted is None else _selection(wanted[0], demand)
        if wanted is None or key is None or key in self._selections:
            return
        own = _Selected((wanted[0],), self._measure, demand)
        if len(self._selections) >= MOST_SELECTIONS:
            self._drop_selection(next(iter(self._selections)))
        for entry, lists in self._where.values():
            if own.concerns(entry[3]):
                entries = own.bucket_of(entry[3])
                insort(entries, entry)
                lists.append(entries)
        self._selections[key] = own
        self._list_families()

    def _drop_selection(self, key: tuple[object, ...]) -> None:
        dropped = self._selections.pop(key)
        for entry, lists in self._where.values():
            if dropped.concerns(entry[3]):
                entries = dropped.bucket_of(entry[3])
                lists[:] = [each for each in lists if each is not entries]

    def best_of(self, rooms: Iterable[Room], demand: Demand, view: View | None) -> Room | None:
        """The best of these rooms, by the same order."""
        wanted = self._chip_kind(demand.others)
        family = self._all if wanted is None else self._by_kind[wanted[0]]

        def order(room: Room) -> tuple[object, ...]:
            spared = wanted is None and family.concerns(room)
            merit = family.merit(room) if family.concerns(room) else (0, 0, 0)
            wish = (shuns(room.node, demand.tolerations), -likes(demand.preferred, room))
            return (*wish, spared, *merit, room.free_cpu, room.free_memory, room.node.name)

        fitting = (
            room
            for room in rooms
            if fits(demand, room) and (view is None or view.objection(room.labels) is None)
        )
        return min(fitting, key=order, default=None)

    def validate(self, rooms: Sequence[Room]) -> None:
        """Check that exactly these rooms are findable, at their places."""
        assert set(self._where) == {room.node.name for room in rooms}, (
            "the index knows other nodes than the cluster"
        )
        assert self._shunning == sum(shuns(room.node, ()) > 0 for room in rooms)
        for room in rooms:
            entry, lists = self._where[room.node.name]
            assert entry[:2] == (room.free_cpu, room.free_memory), (
                f"{room.node.name} changed while in the index"
            )
            expected = [each.bucket_of(room) for each in self._families if each.concerns(room)]
            assert sorted(map(id, lists)) == sorted(map(id, expected or [self._chipless]))
            assert all(entry in each for each in lists)


def _selection(kind: str, demand: Demand) -> tuple[object, ...]:
    """What decides which nodes would take it if they were empty, as far as its chips are concerned."""
    return (kind, demand.node_selector, demand.node_terms, demand.tolerations)
