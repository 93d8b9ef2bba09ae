"""The workloads that run, what taking one would cost, and who may be taken for whom."""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from scheduler.constraints import selects
from scheduler.decision import Loss
from scheduler.ends import expected_end
from scheduler.model import DisruptionBudget, Task
from scheduler.pending import latest_start_of
from scheduler.policy import Policy, Preempting
from scheduler.progress import Progress
from scheduler.rules import PreemptionRules


@dataclass(frozen=True, slots=True)
class Running:
    """A pod on its own, or all placed members of a gang.

    Attributes:
        key: the pod's uid, or the gang's key.
        name: what people call it.
        work: its piece of work, which its successors share.
        tasks: its pods.
        priority: the highest of them.
        since: when the last of them started; None when one did not yet, or nobody knows.
        slack: what is left until a stated deadline would be missed, if it runs on; None without one.
        deadline: the earliest stated one.
        lost: run time that would be lost, the next start included, over all its pods.
        chip_time: the same times the chips of each pod.
        grace: the longest time that one of its pods may take to end.
        managed: something would make its pods again.
    """

    key: str
    name: str
    work: str
    tasks: tuple[Task, ...]
    priority: int
    since: int | None
    slack: int | None
    deadline: int | None
    lost: int
    chip_time: int
    grace: int
    managed: bool

    @property
    def loss(self) -> Loss:
        """For the record."""
        return Loss(self.name, tuple(task.ref for task in self.tasks), self.chip_time, self.slack)

    def promises(self) -> bool:
        """Whether it has a deadline that it would meet."""
        return self.slack is not None and self.slack >= 0

    def breaks(self) -> bool:
        """Whether taking it makes it miss a deadline that it would meet."""
        if self.slack is None or not self.promises():
            return False
        return self.slack < self.lost // len(self.tasks)


def running_workload(
    key: str, name: str, tasks: Iterable[Task], now: int, progress: Progress, chips: Callable[[Task], int]
) -> Running:
    """What there is to know at ``now`` about pods that run as one workload."""
    members = tuple(sorted(tasks, key=lambda task: task.ref))
    lost = [progress.lost(task, now) for task in members]
    started = [task.started for task in members]
    promised = [task.timing.deadline for task in members if task.timing.stated and task.timing.deadline]
    ends = [expected_end(task, now) or now for task in members]
    deadline = min(promised, default=None)
    return Running(
        key=key,
        name=name,
        work=progress.work_of(members[0]),
        tasks=members,
        priority=max(task.priority for task in members),
        since=None if None in started else max(filter(None, started), default=None),
        slack=None if deadline is None else deadline - max(ends),
        deadline=deadline,
        lost=sum(lost),
        chip_time=sum(time * chips(task) for time, task in zip(lost, members, strict=True)),
        grace=max(task.grace for task in members),
        managed=all(task.owner for task in members),
    )


class Roll:
    """Our pods that are bound, in the order in which they are looked at as victims.

    Those that started last come first: they have the least to lose. Under ``priority`` those of the lowest
    priority come first, and among equals those that started last.
    """

    def __init__(self, preempting: Preempting) -> None:
        self._by_priority = preempting is Preempting.PRIORITY
        self._order: list[tuple[int, int, str]] = []
        self._of: dict[str, tuple[int, int, str]] = {}

    def put(self, task: Task) -> None:
        """A pod as it is now: on the roll if it may be looked at, else not."""
        self.drop(task.ref.uid)
        if task.ours and task.node and task.deleting is None:
            first = task.priority if self._by_priority else 0
            entry = self._of[task.ref.uid] = (first, -(task.started or 0), task.ref.uid)
            insort(self._order, entry)

    def drop(self, uid: str) -> None:
        """A pod is no more."""
        entry = self._of.pop(uid, None)
        if entry is not None:
            del self._order[bisect_left(self._order, entry)]

    def __iter__(self) -> Iterator[str]:
        for _, _, uid in self._order:
            yield uid

    def validate(self) -> None:
        """Check that every pod is on it once."""
        assert self._order == sorted(self._of.values())


@dataclass(frozen=True, slots=True)
class Taker:
    """A waiting workload for which others may have to give way."""

    work: str
    priority: int
    slack: int | None
    deadline: int | None

    @classmethod
    def of(cls, tasks: tuple[Task, ...], work: str, now: int) -> "Taker":
        """The waiting pods as a taker."""
        last = latest_start_of(tasks)
        promised = [task.timing.deadline for task in tasks if task.timing.stated and task.timing.deadline]
        return cls(
            work=work,
            priority=min(task.priority for task in tasks),
            slack=None if last is None else last - now,
            deadline=min(promised, default=None),
        )


class History:
    """What was preempted before, and for whom."""

    def __init__(self) -> None:
        self._times: Counter[str] = Counter()
        self._pairs: set[tuple[str, str]] = set()

    def note(self, taker: str, taken: str) -> None:
        """A piece of work was taken for another one."""
        self._times[taken] += 1
        self._pairs.add((taker, taken))

    def times(self, work: str) -> int:
        """How often a piece of work was taken."""
        return self._times[work]

    def took(self, taker: str, taken: str) -> bool:
        """Whether the one was taken for the other before."""
        return (taker, taken) in self._pairs

    def forget(self, work: str) -> None:
        """A piece of work is done."""
        if self._times or self._pairs:
            self._times.pop(work, None)
            self._pairs = {pair for pair in self._pairs if work not in pair}


class Law:
    """Who may be taken for whom."""

    def __init__(self, policy: Policy, rules: PreemptionRules, history: History) -> None:
        self._policy = policy
        self._rules = rules
        self._history = history

    def exposed(self, victim: Running, now: int) -> bool:
        """Whether it may be taken at all, whoever it is for."""
        rules = self._rules
        if self._policy.preempting is Preempting.PRIORITY:
            return True
        return (
            (victim.managed or rules.unmanaged)
            and victim.since is not None
            and now - victim.since >= rules.minimum_run
            and self._history.times(victim.work) < rules.budget
        )

    def allows(self, victim: Running, taker: Taker) -> bool:
        """Whether it may be taken for this one."""
        if self._policy.preempting is Preempting.PRIORITY:
            return victim.priority < taker.priority
        if taker.work == victim.work or self._history.took(victim.work, taker.work):
            return False
        if victim.slack is None:
            return True
        if victim.slack < 0:
            return self._policy.demotes
        if victim.breaks() and victim.priority >= taker.priority:
            return False
        return self._has_more(victim, taker)

    def _has_more(self, victim: Running, taker: Taker) -> bool:
        """Whether it is less urgent by the margin."""
        mine, theirs = (
            (victim.deadline, taker.deadline)
            if self._policy.preempting is Preempting.DEADLINE
            else (victim.slack, taker.slack)
        )
        return mine is None or (theirs is not None and mine >= theirs + self._rules.hysteresis)


class Budgets:
    """Disruption budgets, and what of them has been spent since they were last seen."""

    def __init__(self) -> None:
        self._budgets: dict[tuple[str, str], DisruptionBudget] = {}
        self._spent: Counter[tuple[str, str]] = Counter()

    def put(self, budget: DisruptionBudget) -> None:
        """A budget as it is now."""
        key = (budget.namespace, budget.name)
        if self._budgets.get(key) != budget:
            self._budgets[key] = budget
            del self._spent[key]

    def drop(self, namespace: str, name: str) -> None:
        """A budget is gone."""
        self._budgets.pop((namespace, name), None)
        del self._spent[(namespace, name)]

    def put_all(self, budgets: Iterable[DisruptionBudget]) -> None:
        """These are all there are."""
        listed = list(budgets)
        for key in self._budgets.keys() - {(each.namespace, each.name) for each in listed}:
            self.drop(*key)
        for budget in listed:
            self.put(budget)

    def violations(self, tasks: Iterable[Task]) -> int:
        """How many of these pods would end against a budget if all of them did, one after the other."""
        if not self._budgets:
            return 0
        left = Counter({key: each.allowed - self._spent[key] for key, each in self._budgets.items()})
        violating = 0
        for task in tasks:
            concerned = list(self._concerned(task))
            left.subtract(concerned)
            violating += any(left[key] < 0 for key in concerned)
        return violating

    def spend(self, tasks: Iterable[Task]) -> None:
        """These pods are ended."""
        for task in tasks:
            self._spent.update(self._concerned(task))

    def _concerned(self, task: Task) -> Iterator[tuple[str, str]]:
        labels = dict(task.labels)
        for key, budget in self._budgets.items():
            if (
                budget.namespace == task.ref.namespace
                and task.ref.name not in budget.disrupted
                and labels  # a pod without labels is under no budget, as in kube-scheduler
                and selects(budget.selector, labels)
            ):
                yield key
