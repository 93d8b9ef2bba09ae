"""The pods that wait, in the order of a policy and grouped by what they ask for.

Pods with equal demands are interchangeable to the nodes: when the first of them fits nowhere, none of the
others does, and none needs to be tried until some node gains room for that demand. So a round costs what it
places plus one search per distinct demand, however many pods wait.
"""

import heapq
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator

from scheduler.model import Demand, Task
from scheduler.policy import Policy, Rank

_Place = tuple[Rank, str]
"""A pod's rank and uid."""


class Waiting:
    """A pending pod with its place in the order."""

    __slots__ = ("late", "late_after", "message", "rank", "task")

    def __init__(self, task: Task, rank: Rank, late_after: int | None) -> None:
        self.task = task
        self.rank = rank
        """Its place among all pending pods, least first."""
        self.late_after = late_after
        self.late = False
        self.message = task.told
        """What its condition says of why it waits, None when it has no such condition."""


class DemandClass:
    """The pending pods that make the same demand."""

    __slots__ = ("_places", "demand", "message", "shape")

    def __init__(self, demand: Demand) -> None:
        self.demand = demand
        self._places: list[_Place] = []
        self.message: str | None = None
        """Why they fit nowhere, as of ``shape``, the cluster's at that time."""
        self.shape = -1

    def __len__(self) -> int:
        return len(self._places)

    def uids(self) -> Iterator[str]:
        """The pods of the class in their order."""
        for _, uid in self._places:
            yield uid

    def head(self) -> tuple[Rank, str]:
        """The rank and uid of the first pod; the class must have one."""
        return self._places[0]

    def add(self, waiting: Waiting) -> None:
        """Put a pod in its place."""
        insort(self._places, (waiting.rank, waiting.task.ref.uid))

    def remove(self, waiting: Waiting) -> None:
        """Take a pod out of its place."""
        del self._places[bisect_left(self._places, (waiting.rank, waiting.task.ref.uid))]


class Queue:
    """All pending pods.

    Their classes are either *open*, to be tried in the next round, or *stuck*: known to fit nowhere as things
    are.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._waiting: dict[str, Waiting] = {}
        self._open: dict[Demand, DemandClass] = {}
        self._stuck: dict[Demand, DemandClass] = {}
        self._turning_late: list[tuple[int, str]] = []
        self._unanswered: set[str] = set()

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, uid: object) -> bool:
        return uid in self._waiting

    def __getitem__(self, uid: str) -> Waiting:
        return self._waiting[uid]

    @property
    def stuck(self) -> Iterable[DemandClass]:
        """The classes known to fit nowhere."""
        return self._stuck.values()

    @property
    def open(self) -> Iterable[DemandClass]:
        """The classes to be tried."""
        return self._open.values()

    def put(self, task: Task) -> bool:
        """Let a pod wait, or take note of its change. Returns whether it needs a new answer."""
        uid = task.ref.uid
        late_after = self._policy.late_after(task)
        old = self._waiting.get(uid)
        if old is not None and (old.task.demand, old.rank, old.late_after) == (
            task.demand,
            self._policy.rank(task, old.late),
            late_after,
        ):
            old.task = task
            return False
        waiting = Waiting(task, self._policy.rank(task, False), late_after)
        if old is not None:
            waiting.message = old.message
            self.drop(uid)
        self._waiting[uid] = waiting
        self._class_for(task.demand).add(waiting)
        self._unanswered.add(uid)
        if late_after is not None:
            heapq.heappush(self._turning_late, (late_after, uid))
        return True

    def _class_for(self, demand: Demand) -> DemandClass:
        known = self._stuck.get(demand) or self._open.get(demand)
        if known is None:
            known = self._open[demand] = DemandClass(demand)
        return known

    def drop(self, uid: str) -> None:
        """Let a pod wait no longer, if it did."""
        waiting = self._waiting.pop(uid, None)
        if waiting is None:
            return
        self._unanswered.discard(uid)
        demand = waiting.task.demand
        group = self._class_for(demand)
        group.remove(waiting)
        if not group:
            self._open.pop(demand, None)
            self._stuck.pop(demand, None)

    def turn(self, now: int) -> None:
        """Move the pods that have become late by ``now`` to the place that the policy has for them."""
        while self._turning_late and self._turning_late[0][0] < now:
            instant, uid = heapq.heappop(self._turning_late)
            waiting = self._waiting.get(uid)
            if waiting is None or waiting.late or waiting.late_after != instant:
                continue  # placed, or changed since: its present instant has an entry of its own
            group = self._class_for(waiting.task.demand)
            group.remove(waiting)
            waiting.late = True
            waiting.rank = self._policy.rank(waiting.task, True)
            group.add(waiting)

    def reopen(self, group: DemandClass) -> None:
        """Let a stuck class be tried again."""
        self._open[group.demand] = self._stuck.pop(group.demand)

    def give_up(self, group: DemandClass) -> None:
        """Hold a class for stuck until it is reopened."""
        self._stuck[group.demand] = self._open.pop(group.demand)

    def take_unanswered(self) -> list[Waiting]:
        """The pods that came or changed since the last call and still wait, in their order."""
        found = sorted((self._waiting[uid] for uid in self._unanswered), key=lambda waiting: waiting.rank)
        self._unanswered.clear()
        return found

    def class_of(self, waiting: Waiting) -> DemandClass:
        """The class of a pending pod."""
        return self._class_for(waiting.task.demand)

    def validate(self) -> None:
        """Check that every pod stands in exactly its place, once."""
        assert not set(self._open) & set(self._stuck), "a class is open and stuck at once"
        placed = []
        for demand, group in (*self._open.items(), *self._stuck.items()):
            uids = list(group.uids())
            assert uids, "an empty class was kept"
            ranks = [self._waiting[uid].rank for uid in uids]
            assert ranks == [
                self._policy.rank(each.task, each.late) for each in map(self._waiting.__getitem__, uids)
            ]
            assert ranks == sorted(ranks), "a class is out of order"
            assert all(self._waiting[uid].task.demand == demand == group.demand for uid in uids)
            placed += uids
        assert sorted(placed) == sorted(self._waiting), "a pod was lost or doubled"
