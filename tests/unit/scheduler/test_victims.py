"""What a running workload is worth, who may be taken for whom, and disruption budgets."""

from dataclasses import replace
from typing import Any

import pytest

from scheduler.constraints import Requirement
from scheduler.model import DisruptionBudget, Task
from scheduler.policy import HIGHEST_PRIORITY, LEAST_SLACK, Late, least_slack
from scheduler.progress import Progress
from scheduler.timetext import HOUR, MINUTE
from scheduler.victims import Budgets, History, Law, Roll, Running, Taker, running_workload
from tests.unit.scheduler.builders import START, demand
from tests.unit.scheduler.table import GRACE, RULES, job, members

NOW = START + HOUR
APP = frozenset({("app", "x")})
SELECTS_APP = (Requirement("app", "In", ("x",)),)


def chips(task: Task) -> int:
    return sum(amount for _, amount in task.demand.others)


def running(*tasks: Task) -> Running:
    return running_workload("key", "name", tasks, NOW, Progress(), chips)


def test_a_gang_is_worth_what_its_members_are_together() -> None:
    gang = members("g", 2, 4, hours=3, slack=HOUR, checkpoint_interval=25 * MINUTE, restart_cost=MINUTE)
    first, second = (replace(pod, node="n", started=START + n * 5 * MINUTE) for n, pod in enumerate(gang))
    found = running(second, first)
    assert [task.ref.name for task in found.tasks] == ["g-0", "g-1"]
    # One has done an hour and saved 50 minutes, the other 55 and 50; each start costs a minute.
    assert found.lost == 11 * MINUTE + 6 * MINUTE
    assert found.chip_time == 4 * found.lost
    assert found.since == START + 5 * MINUTE
    assert found.slack == HOUR - 5 * MINUTE, "the one that ends last counts"
    assert (found.work, found.grace, found.managed) == ("gang-g", GRACE, True)
    assert found.loss.pods == (first.ref, second.ref)


def test_one_that_has_not_started_hides_since_when() -> None:
    first, second = members("g", 2, 4)
    assert running(replace(first, node="n", started=START), replace(second, node="n")).since is None


@pytest.mark.parametrize(
    ("slack", "breaks"), [(None, False), (59 * MINUTE, True), (HOUR, False), (-3 * HOUR, False)]
)
def test_what_taking_it_breaks(slack: int | None, breaks: bool) -> None:
    assert running(job("a", 1, hours=2, slack=slack, runs_on="n")).breaks() == breaks


def test_the_overdue_lose_slack_with_each_moment() -> None:
    assert running(job("a", 1, hours=0.5, slack=HOUR, runs_on="n")).slack == 0


def taker(**fields: Any) -> Taker:
    return Taker(**{"work": "taker", "priority": 0, "slack": MINUTE, "deadline": NOW + HOUR, **fields})


def test_who_took_is_not_taken_back() -> None:
    history = History()
    law = Law(LEAST_SLACK, replace(RULES, hysteresis=0), history)
    victim = running(job("a", 1, hours=2, runs_on="n"))
    assert law.allows(victim, taker())
    history.note(victim.work, "taker")
    assert not law.allows(victim, taker())
    assert law.allows(victim, taker(work="somebody else"))
    history.forget("taker")
    assert law.allows(victim, taker())


def test_a_piece_of_work_does_not_take_itself() -> None:
    victim = running(job("a", 1, hours=2, runs_on="n"))
    assert not Law(LEAST_SLACK, RULES, History()).allows(victim, taker(work=victim.work))


def test_budgets_of_preemptions() -> None:
    history = History()
    law = Law(LEAST_SLACK, replace(RULES, budget=2), history)
    victim = running(job("a", 1, hours=2, runs_on="n"))
    for _ in range(2):
        assert law.exposed(victim, NOW)
        history.note("x", victim.work)
    assert not law.exposed(victim, NOW)
    assert Law(HIGHEST_PRIORITY, RULES, history).exposed(victim, NOW)


def test_the_late_are_taken_only_where_they_stand_behind() -> None:
    victim = running(job("a", 1, hours=2, slack=-HOUR, runs_on="n"))
    assert Law(least_slack(Late.DEMOTE), RULES, History()).allows(victim, taker())
    assert not Law(least_slack(Late.KEEP), RULES, History()).allows(victim, taker())


def test_the_least_promise_of_a_gang_counts_when_it_takes() -> None:
    gang = members("g", 2, 1, slack=HOUR, priority=3)
    gang[1] = replace(job("g-1", 1, slack=30 * MINUTE, priority=5), gang=gang[0].gang)
    assert Taker.of(tuple(gang), "w", START) == Taker("w", 3, 30 * MINUTE, START + 90 * MINUTE)
    assert Taker.of((job("a", 1),), "w", START) == Taker("w", 0, None, None)


# Disruption budgets -------------------------------------------------------------------------------


def guarded(name: str, **fields: Any) -> Task:
    return job(name, 1, labels=APP, **fields)


def test_pods_end_against_a_budget_once_it_is_used_up() -> None:
    budgets = Budgets()
    budgets.put(DisruptionBudget("default", "pdb", SELECTS_APP, allowed=1))
    some = [guarded("a"), guarded("b"), guarded("c"), job("free", 1)]
    assert budgets.violations(some) == 2
    assert budgets.violations(some[:1]) == 0
    budgets.spend(some[:1])
    assert budgets.violations(some[1:2]) == 1
    budgets.put(DisruptionBudget("default", "pdb", SELECTS_APP, allowed=2))
    assert budgets.violations(some) == 1
    budgets.drop("default", "pdb")
    assert budgets.violations(some) == 0


@pytest.mark.parametrize(
    "budget",
    [
        DisruptionBudget("other", "pdb", SELECTS_APP, allowed=0),
        DisruptionBudget("default", "pdb", None, allowed=0),
        DisruptionBudget("default", "pdb", SELECTS_APP, allowed=0, disrupted=frozenset({"a"})),
        DisruptionBudget("default", "pdb", (Requirement("app", "In", ("y",)),), allowed=0),
    ],
)
def test_budgets_that_do_not_concern_a_pod(budget: DisruptionBudget) -> None:
    budgets = Budgets()
    budgets.put(budget)
    assert budgets.violations([guarded("a")]) == 0


def test_a_list_of_budgets_is_all_there_are() -> None:
    budgets = Budgets()
    budgets.put(DisruptionBudget("default", "old", SELECTS_APP, allowed=0))
    budgets.put_all([DisruptionBudget("default", "new", (), allowed=0)])
    assert budgets.violations([guarded("a")]) == 1
    assert budgets.violations([job("unlabelled", 1)]) == 0
    budgets.put_all([])
    assert budgets.violations([guarded("a")]) == 0


# The roll -----------------------------------------------------------------------------------------


def test_those_that_started_last_are_looked_at_first() -> None:
    roll = Roll(LEAST_SLACK.preempting)
    for pod in (
        job("old", 1, runs_on="n"),
        job("new", 1, runs_on="n", started=NOW),
        job("waits", 1),
        job("foreign", 1, runs_on="n", ours=False),
        job("ends", 1, runs_on="n", deleting=NOW),
    ):
        roll.put(pod)
    assert list(roll) == ["uid-new", "uid-old"]
    roll.put(job("new", 1, runs_on="n", deleting=NOW))
    roll.drop("uid-unknown")
    assert list(roll) == ["uid-old"]
    roll.validate()


def test_under_priority_the_lowest_are_looked_at_first() -> None:
    roll = Roll(HIGHEST_PRIORITY.preempting)
    for name, priority, started in (("a", 2, NOW), ("b", 1, START), ("c", 1, NOW)):
        roll.put(job(name, 1, runs_on="n", priority=priority, started=started))
    assert list(roll) == ["uid-c", "uid-b", "uid-a"]


def test_demands_without_chips_cost_run_time_alone() -> None:
    found = running(replace(job("a", 0, hours=2, runs_on="n"), demand=demand(cpu=1000)))
    assert (found.chip_time, found.lost) == (0, HOUR)
