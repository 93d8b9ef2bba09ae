"""The workloads that wait, in the order of a policy and grouped by what they ask for.

A *workload* is a pod on its own, or the members of a gang that have to be placed at once. Workloads that ask
for the same are interchangeable to the nodes: when the first of them fits nowhere, none of the others does,
and none needs to be tried until some node gains room. So a round costs what it places plus one search per
distinct ask, however many pods wait.
"""

import heapq
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scheduler.constraints import PodTerm
from scheduler.model import Demand, Labels, Task
from scheduler.peers import Kin
from scheduler.policy import Policy, Preempting, Rank

AT_ONCE = -1
"""Before every rank: what is begun is completed first."""


class Part(NamedTuple):
    """What one pod asks for.

    ``kin`` is given where the pod itself looks at others, and ``repelled`` are the terms that others have
    against it: pods are told apart by their labels only where these matter.
    """

    demand: Demand
    kin: Kin | None = None
    repelled: tuple[PodTerm, ...] = ()

    @property
    def looks_at_pods(self) -> bool:
        """Whether it depends on which pods are where."""
        return self.kin is not None or bool(self.repelled)


@dataclass(frozen=True, slots=True)
class Ask:
    """What a workload asks for: so many pods of each part, all at once.

    ``topology_key`` is a label of nodes within one of whose values a gang should stay.
    """

    parts: tuple[tuple[Part, int], ...]
    topology_key: str | None = None

    @property
    def is_one(self) -> bool:
        """Whether it is for one pod."""
        return len(self.parts) == 1 and self.parts[0][1] == 1

    @property
    def looks_at_pods(self) -> bool:
        """Whether it depends on which pods are where."""
        return any(part.looks_at_pods for part, _ in self.parts)


def ask_for(parts: Iterable[Part], topology_key: str | None = None) -> Ask:
    """The ask of pods with these parts, the same whatever their order."""
    counted = Counter(parts)
    if len(counted) == 1:
        return Ask(tuple(counted.items()), topology_key)
    return Ask(tuple(sorted(counted.items(), key=lambda item: repr(item[0]))), topology_key)


class Workload:
    """A pod or gang that waits, with its place in the order."""

    __slots__ = (
        "check_at",
        "first",
        "gang",
        "given_up",
        "group",
        "key",
        "late",
        "late_after",
        "rank",
        "tasks",
    )

    def __init__(
        self, key: str, tasks: tuple[Task, ...], gang: str, group: "AskClass", *, first: bool
    ) -> None:
        self.key = key
        self.tasks = tasks
        """Its pods, in their order."""
        self.gang = gang
        """The gang's name for people, empty for a pod on its own."""
        self.group = group
        self.first = first
        """It goes before all others: a gang of which a part runs already."""
        self.rank: Rank = (0, 0, 0, 0, 0, "", "")
        """Its place among all that wait, least first: that of its most urgent pod."""
        self.late_after: int | None = None
        self.late = False
        self.given_up = False
        """It could be in time still, and is given up for others."""
        self.check_at: int | None = None
        """When it has to be seen whether others must give way for it; None for never."""

    @property
    def lead(self) -> Task:
        """The pod that stands for it: its first one."""
        return self.tasks[0]


class AskClass:
    """The waiting workloads that ask for the same."""

    __slots__ = ("_places", "ask", "message", "shape")

    def __init__(self, ask: Ask) -> None:
        self.ask = ask
        self._places: list[tuple[Rank, str]] = []
        self.message: str | None = None
        """Why they fit nowhere, as of ``shape``, the cluster's at that time."""
        self.shape = -1

    def __len__(self) -> int:
        return len(self._places)

    def members(self) -> Iterator[str]:
        """The workloads of the class in their order."""
        for _, key in self._places:
            yield key

    def head(self) -> tuple[Rank, str]:
        """The rank and key of the first workload; the class must have one."""
        return self._places[0]

    def add(self, workload: Workload) -> None:
        """Put a workload in its place."""
        insort(self._places, (workload.rank, workload.key))

    def remove(self, workload: Workload) -> None:
        """Take a workload out of its place."""
        del self._places[bisect_left(self._places, (workload.rank, workload.key))]


class Queue:
    """All waiting workloads.

    Their classes are either *open*, to be tried in the next round, or *stuck*: known to fit nowhere as things
    are.
    """

    def __init__(self, policy: Policy, preempting: Preempting = Preempting.NEVER, lead: int = 0) -> None:
        """``preempting``: whether workloads have to be checked for whether others must give way.

        Under ``priority`` that is as soon as they wait, under deadlines when their slack is down to ``lead``.
        """
        self._policy = policy
        self._preempting = preempting
        self._lead = lead
        self._waiting: dict[str, Workload] = {}
        self._open: dict[Ask, AskClass] = {}
        self._stuck: dict[Ask, AskClass] = {}
        self._in_time: list[tuple[int, str]] = []
        """The workloads that can still be in time, in the order of their latest starts."""
        self._checks: list[tuple[int, str]] = []
        self._ripe: dict[str, int] = {}
        self._unanswered: set[str] = set()
        self._looking: set[Ask] = set()
        self._given_up: Collection[str] = frozenset()

    @property
    def looking(self) -> list[AskClass]:
        """The stuck classes that depend on which pods are where."""
        return [self._stuck[ask] for ask in self._looking] if self._looking else []

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, key: object) -> bool:
        return key in self._waiting

    def __getitem__(self, key: str) -> Workload:
        return self._waiting[key]

    def workloads(self) -> Iterable[Workload]:
        """All that wait."""
        return self._waiting.values()

    @property
    def stuck(self) -> Iterable[AskClass]:
        """The classes known to fit nowhere."""
        return self._stuck.values()

    @property
    def open(self) -> Iterable[AskClass]:
        """The classes to be tried."""
        return self._open.values()

    def is_stuck(self, workload: Workload) -> bool:
        """Whether a waiting workload is known to fit nowhere."""
        return workload.group.ask in self._stuck

    def put(self, key: str, tasks: Sequence[Task], ask: Ask, *, gang: str = "", first: bool = False) -> bool:
        """Let a workload wait, or take note of its change. Returns whether it needs a new answer."""
        old = self._waiting.get(key)
        workload = Workload(key, tuple(tasks), gang, self._class_for(ask), first=first)
        workload.late_after = _earliest(self._policy.late_after(task) for task in tasks)
        if old is not None and old.group is workload.group and old.late_after == workload.late_after:
            old.first = first
            workload.late, workload.given_up = old.late, old.given_up
            if old.rank == self._rank(workload):
                self._renew(old, workload)
                return False
            workload.late = workload.given_up = False
        if old is not None:
            self.drop(key)
            workload.group = self._class_for(ask)
        workload.rank = self._rank(workload)
        self._waiting[key] = workload
        workload.group.add(workload)
        self._unanswered.add(key)
        if workload.late_after is not None:
            insort(self._in_time, (workload.late_after, key))
        self.check(workload, self._first_check(workload))
        return True

    def _renew(self, old: Workload, new: Workload) -> None:
        old.tasks, old.gang = new.tasks, new.gang
        if old.check_at is None:
            return
        first = self._first_check(old)
        if first is None or first > old.check_at:
            self.check(old, first)

    def _rank(self, workload: Workload) -> Rank:
        behind = workload.late or workload.given_up
        rank = min(self._policy.rank(task, behind) for task in workload.tasks)
        return (AT_ONCE, *rank[1:]) if workload.first else rank

    def _first_check(self, workload: Workload) -> int | None:
        """When the slack of its most urgent promise comes down to the lead."""
        if not all(task.preempts for task in workload.tasks):
            return None
        match self._preempting:
            case Preempting.NEVER:
                return None
            case Preempting.PRIORITY:
                return 0
        last = latest_start_of(workload.tasks)
        return None if last is None else last - self._lead

    def _class_for(self, ask: Ask) -> AskClass:
        known = self._stuck.get(ask) or self._open.get(ask)
        if known is None:
            known = self._open[ask] = AskClass(ask)
        return known

    def drop(self, key: str) -> None:
        """Let a workload wait no longer, if it did."""
        workload = self._waiting.pop(key, None)
        if workload is None:
            return
        self._unanswered.discard(key)
        self._ripe.pop(key, None)
        if workload.late_after is not None and not workload.late:
            del self._in_time[bisect_left(self._in_time, (workload.late_after, key))]
        group = workload.group
        group.remove(workload)
        if not group:
            self._open.pop(group.ask, None)
            self._stuck.pop(group.ask, None)
            self._looking.discard(group.ask)

    def check(self, workload: Workload, at: int | None) -> None:
        """Have a workload checked at an instant, and not before; None for never."""
        workload.check_at = at
        if at is not None:
            heapq.heappush(self._checks, (at, workload.key))

    def next_check(self, now: int) -> int | None:
        """The earliest instant after ``now`` at which a workload has to be checked."""
        self._ripen(now)
        checks = self._checks
        while checks:
            at, key = checks[0]
            if self._wants_check(at, key):
                return at
            heapq.heappop(checks)
        return None

    def _ripen(self, now: int) -> None:
        """Set aside the checks that have come, for the next round."""
        while self._checks and self._checks[0][0] <= now:
            at, key = heapq.heappop(self._checks)
            if self._wants_check(at, key):
                self._ripe[key] = at

    def _wants_check(self, at: int, key: str) -> bool:
        workload = self._waiting.get(key)
        return workload is not None and workload.check_at == at

    def due(self, now: int) -> list[Workload]:
        """The workloads whose check has come, in their order."""
        self._ripen(now)
        found = [self._waiting[key] for key, at in self._ripe.items() if self._wants_check(at, key)]
        self._ripe.clear()
        return sorted(found, key=lambda workload: workload.rank)

    def turn(self, now: int) -> None:
        """Move the workloads that have become late by ``now`` to the place that the policy has for them."""
        late = bisect_left(self._in_time, (now, ""))
        for _, key in self._in_time[:late]:
            workload = self._waiting[key]
            workload.check_at = None
            self._move(workload, late=True, given_up=False)
        del self._in_time[:late]

    def in_time(self) -> Iterator[Workload]:
        """The workloads that can still be in time, in the order of their latest starts."""
        return (self._waiting[key] for _, key in self._in_time)

    def give_up_on(self, keys: Collection[str]) -> None:
        """Let those of the workloads that can still be in time, and no others, count as late."""
        for workload in [self._waiting[key] for key in self._given_up if key in self._waiting]:
            if workload.key not in keys:
                self._move(workload, late=workload.late, given_up=False)
        for key in sorted(keys):
            self._move(self._waiting[key], late=False, given_up=True)
        self._given_up = frozenset(keys)

    def _move(self, workload: Workload, *, late: bool, given_up: bool) -> None:
        if (workload.late, workload.given_up) == (late, given_up):
            return
        workload.group.remove(workload)
        workload.late, workload.given_up = late, given_up
        workload.rank = self._rank(workload)
        workload.group.add(workload)

    def reopen(self, group: AskClass) -> None:
        """Let a stuck class be tried again; one that is open stays open."""
        if self._stuck.pop(group.ask, None) is not None:
            self._open[group.ask] = group
            self._looking.discard(group.ask)

    def give_up(self, group: AskClass) -> None:
        """Hold a class for stuck until it is reopened."""
        self._stuck[group.ask] = self._open.pop(group.ask)
        if group.ask.looks_at_pods:
            self._looking.add(group.ask)

    def take_unanswered(self) -> list[Workload]:
        """The workloads that came or changed since the last call and still wait, in their order."""
        found = sorted((self._waiting[key] for key in self._unanswered), key=lambda each: each.rank)
        self._unanswered.clear()
        return found

    def validate(self) -> None:
        """Check that every workload stands in exactly its place, once."""
        assert not set(self._open) & set(self._stuck), "a class is open and stuck at once"
        assert self._looking == {ask for ask in self._stuck if ask.looks_at_pods}
        placed = []
        for ask, group in (*self._open.items(), *self._stuck.items()):
            keys = list(group.members())
            assert keys, "an empty class was kept"
            ranks = [self._waiting[key].rank for key in keys]
            assert ranks == [self._rank(self._waiting[key]) for key in keys]
            assert ranks == sorted(ranks), "a class is out of order"
            assert all(self._waiting[key].group is group for key in keys)
            assert ask == group.ask
            placed += keys
        assert sorted(placed) == sorted(self._waiting), "a workload was lost or doubled"
        promised = [each for each in self._waiting.values() if each.late_after is not None and not each.late]
        assert self._in_time == sorted((each.late_after, each.key) for each in promised)
        assert all(each.key in self._given_up for each in self._waiting.values() if each.given_up)
        checks = {*self._checks, *((at, key) for key, at in self._ripe.items())}
        for key, workload in self._waiting.items():
            assert workload.tasks, "a workload without pods waits"
            asked = workload.check_at
            assert asked is None or (asked, key) in checks, "a check was lost"


def _earliest(instants: Iterable[int | None]) -> int | None:
    return min((instant for instant in instants if instant is not None), default=None)


def latest_start_of(tasks: Iterable[Task]) -> int | None:
    """The last instant at which all the stated deadlines of these pods can be met; None without any."""
    timings = [task.timing for task in tasks if task.timing.stated and task.timing.deadline is not None]
    return _earliest(
        timing.deadline - (timing.remaining or 0) for timing in timings if timing.deadline is not None
    )


def kin_of(task: Task) -> Kin:
    """What terms on pods see of a pod."""
    labels: Labels = task.labels
    return Kin(task.ref.namespace, labels)
