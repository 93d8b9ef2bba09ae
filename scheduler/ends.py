"""When the pods that run will free their room by themselves, as far as their expected run times tell."""

from bisect import bisect_left, insort
from collections.abc import Iterator
from heapq import merge
from itertools import islice

from scheduler.model import Task


def stated_end(task: Task, now: int) -> int | None:
    """When a pod that is on a node should be gone, by what is known of it; None where nothing tells."""
    if task.deleting is not None:
        return task.deleting
    if task.timing.remaining is None:
        return None
    return (now if task.started is None else task.started) + task.timing.remaining


def expected_end(task: Task, now: int) -> int | None:
    """The same as seen at ``now``.

    A pod that should have ended by now is expected to take as long again as it is overdue: errors of
    estimates are as large as the estimates. One that is being deleted ends at once.
    """
    end = stated_end(task, now)
    if end is None or end > now:
        return end
    return now if task.deleting is not None else now + (now - end)


class Ends:
    """The stated ends of all pods that hold room, in order."""

    def __init__(self) -> None:
        self._order: list[tuple[int, str]] = []
        self._of: dict[str, int] = {}
        self._tasks: dict[str, tuple[str, Task]] = {}
        self._deleting: dict[str, None] = {}

    def put(self, uid: str, node: str, task: Task, now: int) -> None:
        """A pod is on a node, or about to be."""
        self.drop(uid)
        if task.deleting is not None:
            self._deleting[uid] = None
        end = stated_end(task, now)
        if end is not None:
            insort(self._order, (end, uid))
            self._of[uid] = end
            self._tasks[uid] = (node, task)

    def drop(self, uid: str) -> None:
        """A pod is on no node."""
        self._deleting.pop(uid, None)
        end = self._of.pop(uid, None)
        if end is not None:
            del self._order[bisect_left(self._order, (end, uid))]
            del self._tasks[uid]

    def ending(self) -> Iterator[tuple[str, Task]]:
        """The pods that are being deleted, with their nodes."""
        for uid in self._deleting:
            yield self._tasks[uid]

    def until(self, by: int, now: int) -> Iterator[tuple[str, Task]]:
        """The pods that are expected to end by an instant, with their nodes.

        Looks at those alone whose stated end is near: one that is overdue by more is expected later.
        """
        order = self._order
        for _, uid in order[bisect_left(order, (now - (by - now), "")) : bisect_left(order, (by + 1, ""))]:
            if uid not in self._deleting:
                yield self._tasks[uid]
        yield from ((node, task) for node, task in self.ending() if (task.deleting or 0) <= by)

    def coming(self, by: int, now: int) -> Iterator[tuple[int, Task]]:
        """The pods that are expected to end by an instant, with their ends and in the order of these."""
        order = self._order
        first, coming = bisect_left(order, (now - (by - now), "")), bisect_left(order, (now + 1, ""))
        overdue = [(expected_end(self._tasks[uid][1], now) or now, uid) for _, uid in order[first:coming]]
        past = [uid for uid in self._deleting if self._of[uid] < now - (by - now)]
        overdue += [(now, uid) for uid in past]
        last = bisect_left(order, (by + 1, ""))
        for at, uid in merge(sorted(overdue), islice(order, coming, last)):
            yield at, self._tasks[uid][1]

    def validate(self) -> None:
        """Check that the order has every pod once."""
        assert self._order == sorted((end, uid) for uid, end in self._of.items())
        assert self._of.keys() == self._tasks.keys()
        assert self._deleting.keys() <= self._of.keys()
