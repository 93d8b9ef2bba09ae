"""Which set of running workloads makes room: against a search over all sets, and cases by hand."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.cluster import Cluster
from scheduler.constraints import PodTerm, Port, Requirement
from scheduler.ends import Ends
from scheduler.model import DisruptionBudget, Task
from scheduler.pending import Part, Queue, Workload, ask_for, kin_of
from scheduler.plan import Planner
from scheduler.policy import HIGHEST_PRIORITY, LEAST_SLACK, Policy
from scheduler.preemption import Choice, Preemption, frees_by
from scheduler.progress import Progress
from scheduler.timetext import HOUR, MINUTE
from scheduler.victims import Budgets, History, Law, Roll, Running, Taker, running_workload
from tests.unit.scheduler.builders import GPU, START, demand, node
from tests.unit.scheduler.table import RULES, job, members

NOW = START + HOUR


class Bench:
    """A cluster with what runs on it, asked for victims."""

    def __init__(self, nodes: Sequence[int], *running: Task, policy: Policy = LEAST_SLACK) -> None:
        self.cluster = Cluster((GPU,))
        for n, chips in enumerate(nodes):
            self.cluster.set_node(node(f"n{n}", chips))
        self.progress, self.budgets = Progress(), Budgets()
        self.law = Law(policy, RULES, History())
        self.planner = Planner(self.cluster, (GPU,))
        self.policy = policy
        self.tasks = {task.ref.uid: task for task in running}
        self.roll = Roll(policy.preempting)
        for task in running:
            self.cluster.put(task.ref.uid, task.node, task.demand, kin_of(task))
            self.roll.put(task)

    def workload_of(self, uid: str) -> Running | None:
        task = self.tasks[uid]
        key = task.gang.key if task.gang else uid
        whole = [
            each for each in self.tasks.values() if (each.gang.key if each.gang else each.ref.uid) == key
        ]
        one = running_workload(key, key, whole, NOW, self.progress, self.planner.chips)
        return one if self.law.exposed(one, NOW) else None

    def everybody(self) -> list[Running]:
        found = (self.workload_of(uid) for uid in self.tasks)
        return list({one.key: one for one in found if one is not None}.values())

    def waiting(self, *tasks: Task) -> Workload:
        queue = Queue(self.policy)
        queue.put("waiting", tasks, ask_for([Part(task.demand) for task in tasks]))
        return queue["waiting"]

    def choose(self, *tasks: Task) -> Choice | None:
        choices = Preemption(
            self.cluster,
            self.planner,
            self.law,
            self.budgets,
            self.policy.preempting,
            self.roll,
            self.workload_of,
        )
        choice = choices.choose(self.waiting(*tasks), Taker.of(tasks, "waiting", NOW))
        self.cluster.validate()
        return choice

    def victims(self, *tasks: Task) -> list[str]:
        choice = self.choose(*tasks)
        return [] if choice is None else sorted(one.tasks[0].ref.name for one in choice.victims)


def urgent(gpus: int, name: str = "u", **fields: Any) -> Task:
    return job(name, gpus, slack=HOUR + 5 * MINUTE, **fields)


# Against all sets ---------------------------------------------------------------------------------

held = st.tuples(
    st.sampled_from([1, 2, 3, 4]),
    st.sampled_from(["n0", "n1", "n2"]),
    st.sampled_from([None, 10 * MINUTE, 25 * MINUTE, 40 * MINUTE]),
    st.sampled_from([None, 8 * HOUR, 90 * MINUTE, 21 * MINUTE]),
)


def pods(some: Sequence[tuple[int, str, int | None, int | None]]) -> list[Task]:
    """As many of them as the nodes of eight chips hold."""
    free = {"n0": 8, "n1": 8, "n2": 8}
    found = []
    for n, (gpus, name, saves, slack) in enumerate(some):
        if free[name] >= gpus:
            free[name] -= gpus
            found.append(job(f"p{n}", gpus, hours=9, slack=slack, runs_on=name, checkpoint_interval=saves))
    return found


def cost(some: Sequence[Running]) -> tuple[int, ...]:
    return (
        sum(one.breaks() for one in some),
        sum(one.promises() for one in some),
        sum(one.chip_time for one in some),
        sum(one.lost for one in some),
        len(some),
    )


@settings(max_examples=200, deadline=None)
@given(st.lists(held, max_size=12), st.integers(1, 8))
def test_one_pod_gets_the_cheapest_set_there_is(
    some: list[tuple[int, str, int | None, int | None]], gpus: int
) -> None:
    bench = Bench([8, 8, 8], *pods(some))
    task = urgent(gpus)
    taker = Taker.of((task,), "waiting", NOW)
    best: tuple[int, ...] | None = None
    for name, room in bench.cluster.rooms.items():
        on = [one for one in bench.everybody() if one.tasks[0].node == name and bench.law.allows(one, taker)]
        if room.free_others[GPU] >= gpus:
            return  # it fits without anybody's leaving
        for size in range(1, len(on) + 1):
            for chosen in combinations(on, size):
                freed = sum(bench.planner.chips(one.tasks[0]) for one in chosen)
                if room.free_others[GPU] + freed >= gpus:
                    best = cost(chosen) if best is None else min(best, cost(chosen))
    choice = bench.choose(task)
    exact = all(sum(each.node == name for each in bench.tasks.values()) <= 5 for name in bench.cluster.rooms)
    if best is None or choice is None:
        assert choice is None
        assert best is None
    else:
        assert cost(choice.victims) == best if exact else cost(choice.victims) >= best


@settings(max_examples=150, deadline=None)
@given(st.lists(held, max_size=12), st.sampled_from([2, 4, 8]), st.integers(2, 3))
def test_a_gang_gets_a_set_of_which_nobody_could_be_spared(
    some: list[tuple[int, str, int | None, int | None]], gpus: int, size: int
) -> None:
    bench = Bench([8, 8, 8], *pods(some))
    gang = members("u", size, gpus, slack=HOUR + 5 * MINUTE)
    if bench.planner.take(gang) is not None:
        return  # it fits without anybody's leaving
    choice = bench.choose(*gang)
    taker = Taker.of(tuple(gang), "waiting", NOW)
    allowed = [one for one in bench.everybody() if bench.law.allows(one, taker)]
    assert (choice is not None) == fits_without(bench, gang, allowed)
    if choice is not None:
        assert fits_without(bench, gang, choice.victims)
        assert set(choice.places) == {task.ref.uid for task in gang}
        for one in choice.victims:
            assert not fits_without(bench, gang, [each for each in choice.victims if each is not one])


def fits_without(bench: Bench, gang: Sequence[Task], some: Sequence[Running]) -> bool:
    with bench.cluster.without(task.ref.uid for one in some for task in one.tasks):
        places = bench.planner.take(gang)
        bench.planner.give_back(places or ())
    return places is not None


# By hand ------------------------------------------------------------------------------------------


def test_fewer_workloads_are_taken_where_the_loss_is_the_same() -> None:
    two = [job(f"small-{n}", 2, hours=9, runs_on="n0") for n in range(2)]
    assert Bench([4, 4], *two, job("big", 4, hours=9, runs_on="n1")).victims(urgent(4)) == ["big"]


def test_less_is_left_over_where_the_rest_is_the_same() -> None:
    few = job("few", 2, hours=9, runs_on="n0", checkpoint_interval=HOUR)
    many = job("many", 4, hours=9, runs_on="n1", checkpoint_interval=HOUR)
    assert Bench([4, 4], few, job("stays", 2, runs_on="n0", owner=""), many).victims(urgent(2)) == ["few"]


def test_budgets_are_violated_last() -> None:
    guarded = job(
        "guarded", 8, hours=9, runs_on="n0", checkpoint_interval=HOUR, labels=frozenset({("app", "x")})
    )
    bench = Bench([8, 8], guarded, job("dear", 8, hours=9, runs_on="n1"))
    assert bench.victims(urgent(8)) == ["guarded"]
    selector = (Requirement("app", "In", ("x",)),)
    bench.budgets.put(DisruptionBudget("default", "pdb", selector, allowed=0))
    assert bench.victims(urgent(8)) == ["dear"]
    bench = Bench([8], guarded)
    bench.budgets.put(DisruptionBudget("default", "pdb", selector, allowed=0))
    choice = bench.choose(urgent(8))
    assert choice is not None
    assert choice.violations == 1


def test_under_priority_the_lowest_goes_and_as_few_of_the_high_as_possible() -> None:
    running = [
        job("low", 8, hours=9, runs_on="n0", priority=1),
        job("mid", 4, hours=9, runs_on="n1", priority=2),
        job("low-too", 4, hours=9, runs_on="n1", priority=1),
    ]
    bench = Bench([8, 8], *running, policy=HIGHEST_PRIORITY)
    assert bench.victims(job("u", 4, priority=9)) == ["low-too"]
    assert bench.victims(job("u", 8, priority=9)) == ["low"]
    assert bench.victims(job("u", 8, priority=1)) == []


def test_what_is_in_the_way_for_another_reason_is_found_too() -> None:
    port = demand(1, ports=(Port("TCP", 80),))
    holder = replace(job("holder", 1, hours=9, runs_on="n0"), demand=port)
    other = job("other", 1, hours=9, runs_on="n0", checkpoint_interval=HOUR)
    assert Bench([8], holder, other).victims(replace(urgent(1), demand=port)) == ["holder"]
    term = PodTerm("host", (Requirement("app", "In", ("x",)),), ("default",))
    foe = replace(job("foe", 1, hours=9, runs_on="n0"), labels=frozenset({("app", "x")}))
    bench = Bench([8], foe, other)
    bench.cluster.set_node(node("n0", 8, labels=frozenset({("host", "n0")})))
    assert bench.victims(replace(urgent(1), demand=demand(1, anti_affinity=(term,)))) == ["foe"]


def test_a_node_that_would_never_take_the_pod_is_left_alone() -> None:
    bench = Bench([8], job("holder", 8, hours=9, runs_on="n0"))
    assert bench.victims(replace(urgent(8), demand=demand(8, node_selector=(("rack", "b"),)))) == []


def test_nobody_is_chosen_for_two() -> None:
    bench = Bench([8], job("holder", 8, hours=9, runs_on="n0"))
    choices = Preemption(
        bench.cluster,
        bench.planner,
        bench.law,
        bench.budgets,
        LEAST_SLACK.preempting,
        bench.roll,
        bench.workload_of,
    )
    first, second = urgent(8, "first"), urgent(8, "second")
    assert choices.choose(bench.waiting(first), Taker.of((first,), "first", NOW)) is not None
    assert choices.choose(bench.waiting(second), Taker.of((second,), "second", NOW)) is None


def test_many_on_a_node_are_spared_one_by_one_the_dearest_first() -> None:
    running = [
        job(f"p{n}", 1, hours=9, runs_on="n0", checkpoint_interval=(20 + n) * MINUTE) for n in range(8)
    ]
    lost = {task.ref.name: HOUR % (task.checkpoint_interval or 1) for task in running}
    cheapest = sorted(lost, key=lambda name: (lost[name], name))[:3]
    assert Bench([8], *running).victims(urgent(3)) == sorted(cheapest)


# What frees by itself -----------------------------------------------------------------------------


def test_room_that_frees_by_itself() -> None:
    ends = Ends()
    soon = job("soon", 4, hours=1, runs_on="n0", started=START + 5 * MINUTE)
    later = job("later", 4, hours=3, runs_on="n0")
    bench = Bench([8, 8], soon, later, job("keeps", 8, hours=9, runs_on="n1"))
    for task in (soon, later):
        ends.put(task.ref.uid, task.node, task, NOW)

    def frees(by: int, *tasks: Task) -> bool:
        ask = bench.waiting(*tasks).group.ask
        return frees_by(ask, bench.cluster, ends.until(by, NOW))

    assert not frees(NOW + 4 * MINUTE, urgent(4))
    assert frees(NOW + 5 * MINUTE, urgent(4))
    assert not frees(NOW + 5 * MINUTE, urgent(8))
    assert not frees(NOW + 5 * MINUTE, *members("g", 2, 4))
    assert frees(NOW + 2 * HOUR, urgent(8))
    assert frees(NOW + 2 * HOUR, *members("g", 2, 4))
    assert not frees(NOW + 2 * HOUR, *members("g", 3, 4))
