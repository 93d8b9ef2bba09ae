"""The cheapest set of running workloads that makes room for a waiting one.

What a set costs is compared in this order: pods that end against a disruption budget; deadlines that it
breaks; deadlines that could still be met, which it endangers; run time lost since checkpoints and for
restarts, times chips; the same without chips; workloads; chips that stay free where the pod goes. Under
``priority`` it is kube-scheduler's order instead: budgets, the highest priority taken, their sum, their
number, and among equals those that started last.

For one pod the sets are looked at node by node, all of them where few workloads are on a node, else the one
that is left when as many as possible are spared, dearest first. For a gang workloads are taken cheapest
first until it fits, and then spared, dearest first, as long as it still fits.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, islice
from typing import NamedTuple

from scheduler.cluster import Cluster
from scheduler.fit import admits, fits
from scheduler.model import Demand, Task
from scheduler.pending import Ask, Workload, kin_of
from scheduler.plan import Places, Planner
from scheduler.policy import Preempting
from scheduler.room import Room
from scheduler.victims import Budgets, Law, Running, Taker

MOST_EXACT = 5
"""On a node with at most so many candidates every set of them is looked at: 31 sets."""

MOST_FITTING = 100
MOST_NODES = 1_000
"""Nodes on which others could make room for one pod, and nodes that are looked at to find them: the best of
those is taken (kube-scheduler: a tenth of the nodes, at least 100). So a choice takes milliseconds in any
cluster."""

MOST_VICTIMS = 512
"""Workloads that are looked at for one gang."""

Cost = tuple[int, ...]


class Choice(NamedTuple):
    """Where a workload is to go, and who gives way."""

    places: Places
    victims: tuple[Running, ...]
    violations: int


class Preemption:
    """Choices on a cluster as it is at one moment."""

    def __init__(
        self,
        cluster: Cluster,
        planner: Planner,
        law: Law,
        budgets: Budgets,
        preempting: Preempting,
        roll: Iterable[str],
        running: Callable[[str], Running | None],
    ) -> None:
        """``roll``: pods in the order in which they are looked at; ``running``: the workload of a pod.

        That is None where it may not be taken at all.
        """
        self._cluster = cluster
        self._planner = planner
        self._law = law
        self._budgets = budgets
        self._by_priority = preempting is Preempting.PRIORITY
        self._roll = roll
        self._running = running
        self._taken: set[str] = set()

    def _price(self, one: Running) -> tuple[int | str, ...]:
        """What one workload costs by itself, dearest last."""
        return (*self._cost((one,)), one.name, one.key)

    def _cost(self, some: Sequence[Running]) -> Cost:
        violations = self._budgets.violations(task for one in some for task in one.tasks)
        if self._by_priority:
            priorities = [one.priority for one in some]
            latest = min(((one.since or 0) for one in some), default=0)
            return (violations, max(priorities, default=0), sum(priorities), len(some), -latest)
        return (
            violations,
            sum(one.breaks() for one in some),
            sum(one.promises() for one in some),
            sum(one.chip_time for one in some),
            sum(one.lost for one in some),
            len(some),
        )

    def choose(self, workload: Workload, taker: Taker) -> Choice | None:
        """The cheapest set for this workload, None when there is none."""
        if len(workload.tasks) == 1:
            choice = self._for_pod(workload, taker)
        else:
            choice = self._for_gang(workload, taker)
        if choice is not None:
            self._taken.update(one.key for one in choice.victims)
        return choice

    def _allowed(self, uid: str, taker: Taker) -> Running | None:
        """The workload of a pod if it may be taken for this one, and would be gone in time."""
        one = self._running(uid)
        if one is None or one.key in self._taken or not self._law.allows(one, taker):
            return None
        in_time = self._by_priority or taker.slack is None or one.grace <= taker.slack
        return one if in_time else None

    def _usefulness(self, ask: Ask) -> Callable[[str], bool]:
        """Whether a node would take one of the pods if it were empty."""
        demands = [part.demand for part, _ in ask.parts]
        known: dict[str, bool] = {}

        def useful(name: str) -> bool:
            if name not in known:
                room = self._cluster.rooms.get(name)
                known[name] = room is not None and any(admits(demand, room) for demand in demands)
            return known[name]

        return useful

    # One pod --------------------------------------------------------------------------------------

    def _for_pod(self, workload: Workload, taker: Taker) -> Choice | None:
        task = workload.lead
        best: tuple[Cost, str, tuple[Running, ...]] | None = None
        fitting = 0
        for node, room in islice(self._nodes(workload.group.ask), MOST_NODES):
            sets = 0
            for chosen in self._sets(task, room, self._on(node, taker)):
                sets += 1
                cost = (*self._cost(chosen), self._left(task.demand, room, chosen))
                if best is None or (cost, node, _names(chosen)) < (best[0], best[1], _names(best[2])):
                    best = (cost, node, chosen)
            fitting += sets > 0
            if fitting == MOST_FITTING:
                break
        if best is None:
            return None
        return Choice({task.ref.uid: best[1]}, best[2], best[0][0])

    def _nodes(self, ask: Ask) -> Iterator[tuple[str, Room]]:
        """The nodes that would take the pod if they were empty, in the order of the pods on them."""
        useful = self._usefulness(ask)
        seen: set[str] = set()
        for uid in self._roll:
            node = self._cluster.place_of(uid)
            if node not in seen and useful(node):
                seen.add(node)
                yield node, self._cluster.rooms[node]

    def _on(self, node: str, taker: Taker) -> list[Running]:
        """The workloads on a node that may be taken, the cheapest first."""
        found = (self._allowed(uid, taker) for uid in self._cluster.on(node))
        return sorted({one.key: one for one in found if one is not None}.values(), key=self._price)

    def _left(self, demand: Demand, room: Room, chosen: Sequence[Running]) -> int:
        """Chips that stay free on the node."""
        freed = [task.demand for one in chosen for task in one.tasks if task.node == room.node.name]
        chips = self._planner.chips_of
        return sum(map(chips, freed)) + self._planner.free(room) - chips(demand)

    def _sets(self, task: Task, room: Room, some: Sequence[Running]) -> Iterator[tuple[Running, ...]]:
        """Sets of these workloads without which the pod fits, none with more than it needs."""
        fits_without = self._test(task, room)
        if not some or not fits_without(some):
            return
        if len(some) > MOST_EXACT:
            yield _spare(some, fits_without)
            return
        found: list[set[str]] = []
        for size in range(1, len(some) + 1):
            for chosen in combinations(some, size):
                keys = {one.key for one in chosen}
                if not any(each <= keys for each in found) and fits_without(chosen):
                    found.append(keys)
                    yield chosen

    def _test(self, task: Task, room: Room) -> Callable[[Sequence[Running]], bool]:
        """Whether the pod fits on the node without some workloads."""
        node, demand, cluster = room.node.name, task.demand, self._cluster
        if demand.looks_at_pods or demand.ports or cluster.peers.repel:

            def exactly(some: Sequence[Running]) -> bool:
                with cluster.without(each.ref.uid for one in some for each in one.tasks):
                    return cluster.fits(demand, kin_of(task), node)

            return exactly

        def by_amounts(some: Sequence[Running]) -> bool:
            rest = Rest(room)
            for one in some:
                for each in one.tasks:
                    if each.node == node:
                        rest.free(each.demand)
            return fits(demand, rest)

        return by_amounts

    # A gang ---------------------------------------------------------------------------------------

    def _for_gang(self, workload: Workload, taker: Taker) -> Choice | None:
        useful = sorted(self._candidates(workload.group.ask, taker), key=self._price_per_chip)
        count = self._fewest(workload, useful)
        if count is None:
            return None
        chosen = _spare(
            sorted(useful[:count], key=self._price), lambda some: self._plan(workload, some) is not None
        )
        places = self._plan(workload, chosen)
        assert places is not None, "the victims that were spared were needed"
        return Choice(places, chosen, self._cost(chosen)[0])

    def _candidates(self, ask: Ask, taker: Taker) -> list[Running]:
        """The workloads that may be taken for it and hold room where it can use it."""
        useful = self._usefulness(ask)
        found: dict[str, Running] = {}
        for uid in self._roll:
            one = self._allowed(uid, taker) if useful(self._cluster.place_of(uid)) else None
            if one is not None:
                found[one.key] = one
                if len(found) == MOST_VICTIMS:
                    break
        return [*found.values()]

    def _price_per_chip(self, one: Running) -> tuple[float | str, ...]:
        chips = sum(map(self._planner.chips, one.tasks))
        first, second, third, *rest = self._cost((one,))
        return (first, second, third / max(chips, 1), *rest, one.name, one.key)

    def _fewest(self, workload: Workload, useful: Sequence[Running]) -> int | None:
        """How many of them, from the first, have to go: the more go, the better it fits."""
        if self._plan(workload, useful) is None:
            return None
        low, high = 0, len(useful)
        while high - low > 1:
            middle = (low + high) // 2
            if self._plan(workload, useful[:middle]) is None:
                low = middle
            else:
                high = middle
        return high

    def _plan(self, workload: Workload, some: Sequence[Running]) -> Places | None:
        with self._cluster.without(each.ref.uid for one in some for each in one.tasks):
            places = self._planner.take(workload.tasks, workload.group.ask.topology_key)
            self._planner.give_back(places or ())
        return places


def _spare(some: Sequence[Running], enough: Callable[[Sequence[Running]], bool]) -> tuple[Running, ...]:
    """What is left of enough workloads, given cheapest first, when as many as possible are spared."""
    kept = list(some)
    for one in reversed(some):
        without = [each for each in kept if each is not one]
        if enough(without):
            kept = without
    return tuple(kept)


def _names(some: Iterable[Running]) -> list[str]:
    return sorted(one.name for one in some)


class Rest:
    """A room with some pods thought away: what ``fit.fits`` looks at."""

    def __init__(self, room: Room) -> None:
        self.node = room.node
        self.labels = room.labels
        self.ports = room.ports
        self.free_cpu = room.free_cpu
        self.free_memory = room.free_memory
        self.free_pods = room.free_pods
        self.free_others = dict(room.free_others)

    def free(self, demand: Demand) -> None:
        """Think a pod away."""
        self.free_pods += 1
        self.free_cpu += demand.cpu
        self.free_memory += demand.memory
        for name, amount in demand.others:
            self.free_others[name] = self.free_others.get(name, 0) + amount

    def times(self, demand: Demand) -> int:
        """How many such pods fit, as far as amounts are concerned."""
        free = [(self.free_pods, 1), (self.free_cpu, demand.cpu), (self.free_memory, demand.memory)]
        free += [(self.free_others.get(name, 0), amount) for name, amount in demand.others]
        return max(0, min(left // wanted for left, wanted in free if wanted))


def frees_by(ask: Ask, cluster: Cluster, leaving: Iterable[tuple[str, Task]]) -> bool:
    """Whether the workload fits when these pods, given with their nodes, are gone.

    Looks at amounts and at what nodes admit, not at other pods, and not at who else waits for the same room.
    """
    rests: dict[str, Rest] = {}
    for name, task in leaving:
        room = cluster.rooms.get(name)
        if room is not None:
            rests.setdefault(name, Rest(room)).free(task.demand)
    if ask.is_one:
        return any(fits(ask.parts[0][0].demand, rest) for rest in rests.values())
    rests.update((name, Rest(room)) for name, room in cluster.rooms.items() if name not in rests)
    return all(_enough(part.demand, count, rests.values()) for part, count in ask.parts)


def _enough(demand: Demand, count: int, rests: Iterable[Rest]) -> bool:
    for rest in rests:
        if count <= 0:
            break
        if admits(demand, rest):
            count -= rest.times(demand)
    return count <= 0
