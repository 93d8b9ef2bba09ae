"""Places for all pods of a workload at once, or for none.

Larger pods are placed first, each where a pod on its own would go. A gang with a topology key is tried within
each of its domains by itself, the tightest first: the one that has the fewest free chips left after. It is
spread over several only where it fits in none.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from scheduler.cluster import Cluster
from scheduler.model import Demand, Task
from scheduler.pending import kin_of
from scheduler.room import Room

Places = dict[str, str]
"""Nodes by the uid of the pod."""


class Planner:
    """Plans on a cluster, with chips of some kinds."""

    def __init__(self, cluster: Cluster, chip_kinds: tuple[str, ...]) -> None:
        self._cluster = cluster
        self._kinds = chip_kinds

    def chips(self, task: Task) -> int:
        """How many chips a pod asks for, of all kinds."""
        return self.chips_of(task.demand)

    def chips_of(self, demand: Demand) -> int:
        """How many chips that is, of all kinds."""
        return sum(amount for name, amount in demand.others if name in self._kinds)

    def take(self, tasks: Sequence[Task], topology_key: str | None = None) -> Places | None:
        """Let all of the pods hold room, the best for each, or none (None)."""
        order = self._largest_first(tasks)
        if topology_key is not None and len(order) > 1:
            wanted = sum(map(self.chips, order))
            for domain in self._cluster.domains.tightest_first(topology_key, wanted):
                places = self._take(order, domain)
                if places is not None:
                    return places
        return self._take(order, None)

    def _largest_first(self, tasks: Sequence[Task]) -> list[Task]:
        return sorted(tasks, key=lambda task: (-self.chips(task), -task.demand.cpu, -task.demand.memory))

    def _take(self, order: Sequence[Task], among: Sequence[Room] | None) -> Places | None:
        places = self._take_some(order, among)
        if len(places) == len(order):
            return places
        self.give_back(places)
        return None

    def _take_some(self, order: Sequence[Task], among: Sequence[Room] | None) -> Places:
        """Let the pods hold room, one after the other, until one fits nowhere."""
        places: Places = {}
        for task in order:
            room = self._cluster.best(task.demand, kin_of(task), among)
            if room is None:
                break
            self._cluster.put(task.ref.uid, room.node.name, task.demand, kin_of(task))
            places[task.ref.uid] = room.node.name
        return places

    @contextmanager
    def trying(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Task | None]]:
        """How many of the pods fit, and the first that does not (None for all), as it is within the block."""
        order = self._largest_first(tasks)
        places = self._take_some(order, None)
        try:
            yield len(places), order[len(places)] if len(places) < len(order) else None
        finally:
            self.give_back(places)

    def give_back(self, uids: Iterable[str]) -> None:
        """Undo what was taken."""
        for uid in uids:
            self._cluster.release(uid)

    def free(self, room: Room) -> int:
        """The free chips of a node, of all kinds."""
        return self._cluster.domains.free(room)
