"""The queue: order within and between classes, and pods that turn hopeless."""

from dataclasses import replace

from scheduler.model import Task
from scheduler.pending import Queue
from scheduler.policy import FIRST_COME, LEAST_SLACK, Late, Policy, least_slack
from scheduler.timetext import HOUR
from tests.unit.scheduler.builders import START, task


def queue(*tasks: Task, policy: Policy = LEAST_SLACK) -> Queue:
    made = Queue(policy)
    for each in tasks:
        made.put(each)
    made.validate()
    return made


def heads(of: Queue) -> list[str]:
    of.validate()
    return [uid for _, uid in sorted(group.head() for group in of.open)]


def test_pods_with_one_demand_form_one_class() -> None:
    made = queue(task("a", 1), task("b", 1), task("c", 2))
    assert [len(group) for group in made.open] == [2, 1]
    assert heads(made) == ["uid-a", "uid-c"]


def test_dropping_the_last_pod_drops_the_class() -> None:
    made = queue(task("a", 1), task("c", 2))
    made.drop("uid-c")
    made.drop("uid-unknown")
    assert heads(made) == ["uid-a"]
    assert len(made) == 1


def test_a_class_is_stuck_until_it_is_reopened() -> None:
    made = queue(task("a", 1), task("b", 1))
    (group,) = made.open
    made.give_up(group)
    assert (list(made.open), list(made.stuck)) == ([], [group])
    assert made.put(task("c", 1)), "a new pod needs an answer, though its class is stuck"
    assert len(group) == 3
    made.reopen(group)
    assert heads(made) == ["uid-a"]
    made.validate()


def test_what_needs_a_new_answer() -> None:
    made = queue(task("a", 1))
    assert not made.put(task("a", 1))
    assert made.put(task("a", 2))
    assert made.put(task("a", 2, start_by=START + HOUR))
    assert [waiting.task.ref.name for waiting in made.take_unanswered()] == ["a"]
    assert made.take_unanswered() == []


def test_a_pod_keeps_what_it_was_told_when_it_changes() -> None:
    made = queue(task("a", 1, told="why"))
    made.put(task("a", 2))
    assert made["uid-a"].message == "why"


def test_pods_turn_hopeless_after_their_latest_start() -> None:
    made = queue(task("a", 1, start_by=START), task("b", 1, start_by=START + HOUR), task("c", 1))
    made.turn(START)
    assert heads(made) == ["uid-a"]
    made.turn(START + 1)
    assert heads(made) == ["uid-b"]
    made.turn(START + 2 * HOUR)
    (group,) = made.open
    assert list(group.uids()) == ["uid-c", "uid-a", "uid-b"]


def test_a_deadline_that_was_moved_counts_and_the_old_one_does_not() -> None:
    made = queue(task("a", 1, start_by=START), task("b", 1, start_by=START + HOUR))
    made.put(task("a", 1, start_by=START + 2 * HOUR))
    made.turn(START + 1)
    (group,) = made.open
    assert list(group.uids()) == ["uid-b", "uid-a"]
    made.turn(START + 2 * HOUR + 1)
    assert list(group.uids()) == ["uid-b", "uid-a"]
    made.validate()


def test_a_hopeless_pod_may_get_a_new_deadline() -> None:
    made = queue(task("a", 1, start_by=START), task("b", 1, start_by=START + 2 * HOUR))
    made.turn(START + 1)
    made.put(task("a", 1, start_by=START + HOUR))
    made.turn(START + 1)
    assert heads(made) == ["uid-a"]


def order_when_late(late: Late) -> list[str]:
    """One class: a pod that has become late, one without a deadline that came after it, one in time."""
    made = queue(
        task("late", 1, start_by=START),
        task("undated", 1, created=START + 1),
        task("salvageable", 1, start_by=START + HOUR),
        policy=least_slack(late),
    )
    made.turn(START + 1)
    made.validate()
    (group,) = made.open
    return [uid.removeprefix("uid-") for uid in group.uids()]


def test_late_pods_go_where_the_policy_says() -> None:
    assert order_when_late(Late.DEMOTE) == ["salvageable", "undated", "late"]
    assert order_when_late(Late.KEEP) == ["late", "salvageable", "undated"]
    assert order_when_late(Late.DROP_PRIORITY) == ["salvageable", "late", "undated"]


def test_a_late_pod_that_did_not_change_needs_no_new_answer() -> None:
    made = queue(task("a", 1, start_by=START))
    made.turn(START + 1)
    assert not made.put(task("a", 1, start_by=START))
    assert made["uid-a"].late


def test_what_the_policy_does_not_look_at_is_no_change() -> None:
    made = queue(task("a", 1, start_by=START), policy=FIRST_COME)
    assert not made.put(task("a", 1, start_by=START + HOUR))
    assert not made.put(replace(task("a", 1), priority=3))
    made.validate()
    ranked = queue(task("a", 1))
    assert ranked.put(replace(task("a", 1), priority=3))
