"""The queue: order within and between classes, and pods that turn hopeless."""

from dataclasses import replace

from scheduler.model import Task, Timing
from scheduler.pending import Part, Queue, ask_for
from scheduler.policy import FIRST_COME, LEAST_SLACK, Late, Policy, Preempting, least_slack
from scheduler.timetext import HOUR, MINUTE
from tests.unit.scheduler.builders import START, task


def put(to: Queue, one: Task) -> bool:
    return to.put(one.ref.uid, (one,), ask_for([Part(one.demand)]))


def queue(*tasks: Task, policy: Policy = LEAST_SLACK) -> Queue:
    made = Queue(policy)
    for each in tasks:
        put(made, each)
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
    assert put(made, task("c", 1)), "a new pod needs an answer, though its class is stuck"
    assert len(group) == 3
    made.reopen(group)
    assert heads(made) == ["uid-a"]
    made.validate()


def test_what_needs_a_new_answer() -> None:
    made = queue(task("a", 1))
    assert not put(made, task("a", 1))
    assert put(made, task("a", 2))
    assert put(made, task("a", 2, start_by=START + HOUR))
    assert [waiting.lead.ref.name for waiting in made.take_unanswered()] == ["a"]
    assert made.take_unanswered() == []


def test_pods_turn_hopeless_after_their_latest_start() -> None:
    made = queue(task("a", 1, start_by=START), task("b", 1, start_by=START + HOUR), task("c", 1))
    made.turn(START)
    assert heads(made) == ["uid-a"]
    made.turn(START + 1)
    assert heads(made) == ["uid-b"]
    made.turn(START + 2 * HOUR)
    (group,) = made.open
    assert list(group.members()) == ["uid-c", "uid-a", "uid-b"]


def test_a_deadline_that_was_moved_counts_and_the_old_one_does_not() -> None:
    made = queue(task("a", 1, start_by=START), task("b", 1, start_by=START + HOUR))
    put(made, task("a", 1, start_by=START + 2 * HOUR))
    made.turn(START + 1)
    (group,) = made.open
    assert list(group.members()) == ["uid-b", "uid-a"]
    made.turn(START + 2 * HOUR + 1)
    assert list(group.members()) == ["uid-a", "uid-b"], "both are late, and equally long"
    made.validate()


def test_a_hopeless_pod_may_get_a_new_deadline() -> None:
    made = queue(task("a", 1, start_by=START), task("b", 1, start_by=START + 2 * HOUR))
    made.turn(START + 1)
    put(made, task("a", 1, start_by=START + HOUR))
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
    return [uid.removeprefix("uid-") for uid in group.members()]


def test_late_pods_go_where_the_policy_says() -> None:
    assert order_when_late(Late.DEMOTE) == ["salvageable", "undated", "late"]
    assert order_when_late(Late.KEEP) == ["late", "salvageable", "undated"]
    assert order_when_late(Late.DROP_PRIORITY) == ["salvageable", "late", "undated"]


def test_a_late_pod_that_did_not_change_needs_no_new_answer() -> None:
    made = queue(task("a", 1, start_by=START))
    made.turn(START + 1)
    assert not put(made, task("a", 1, start_by=START))
    assert made["uid-a"].late


def test_what_the_policy_does_not_look_at_is_no_change() -> None:
    made = queue(task("a", 1, start_by=START), policy=FIRST_COME)
    assert not put(made, task("a", 1, start_by=START + HOUR))
    assert not put(made, replace(task("a", 1), priority=3))
    made.validate()
    ranked = queue(task("a", 1))
    assert put(ranked, replace(task("a", 1), priority=3))


# Workloads of several pods ------------------------------------------------------------------------


def test_a_gang_stands_where_its_most_urgent_pod_does() -> None:
    made = queue(task("b", 1, start_by=START + HOUR), task("c", 1, start_by=START + 3 * HOUR))
    members = (task("m0", 1, start_by=START + 4 * HOUR), task("m1", 1, start_by=START + 2 * HOUR))
    made.put("gang", members, ask_for([Part(each.demand) for each in members]), gang="g")
    assert heads(made) == ["uid-b", "gang"]
    assert made["gang"].rank < made["uid-c"].rank
    made.turn(START + 2 * HOUR + 1)
    assert made["gang"].late, "one of its promises cannot be kept any more"


def test_what_is_begun_goes_before_all_others() -> None:
    made = queue(task("a", 1, start_by=START))
    made.put("gang", (task("m", 2),), ask_for([Part(task("m", 2).demand)]), gang="g", first=True)
    assert heads(made) == ["gang", "uid-a"]


def test_asks_are_alike_whatever_the_order_of_the_pods() -> None:
    small, large = Part(task("a", 1).demand), Part(task("b", 2).demand)
    assert ask_for([small, large, small]) == ask_for([small, small, large])
    assert ask_for([small, large]) != ask_for([small, large, small])
    assert ask_for([small]) != ask_for([small], "rack")


# Checks -------------------------------------------------------------------------------------------


def checked(*tasks: Task) -> Queue:
    made = Queue(LEAST_SLACK, Preempting.SLACK, lead=HOUR)
    for each in tasks:
        put(made, each)
    return made


def test_a_workload_is_checked_when_its_slack_comes_down_to_the_lead() -> None:
    made = checked(
        task("b", 1, start_by=START + 3 * HOUR), task("a", 1, start_by=START + 2 * HOUR), task("c", 1)
    )
    assert made.next_check(START) == START + HOUR
    assert made.due(START) == []
    assert [each.lead.ref.name for each in made.due(START + HOUR)] == ["a"]
    assert made.next_check(START + HOUR) == START + 2 * HOUR
    made.drop("uid-b")
    assert made.next_check(START + HOUR) is None


def test_only_the_last_wish_for_a_check_counts() -> None:
    made = checked(task("a", 1, start_by=START + 2 * HOUR))
    made.check(made["uid-a"], START + 90 * MINUTE)
    assert made.due(START + HOUR) == []
    assert made.next_check(START + HOUR) == START + 90 * MINUTE
    made.check(made["uid-a"], None)
    assert made.next_check(START + HOUR) is None
    made.validate()


def test_nobody_is_checked_who_may_not_preempt_or_promised_nothing() -> None:
    unstated = replace(task("b", 1), timing=Timing(START + HOUR))
    meek = replace(task("a", 1, start_by=START + 2 * HOUR), preempts=False)
    assert checked(meek, unstated).next_check(START) is None


def test_a_late_workload_is_not_checked() -> None:
    made = checked(task("a", 1, start_by=START + 2 * HOUR))
    made.turn(START + 2 * HOUR + 1)
    assert made["uid-a"].check_at is None


def test_an_equal_workload_keeps_its_check() -> None:
    made = checked(task("a", 1, start_by=START + 2 * HOUR))
    made.check(made["uid-a"], START + 90 * MINUTE)
    assert not put(made, task("a", 1, start_by=START + 2 * HOUR))
    assert made["uid-a"].check_at == START + 90 * MINUTE


def test_those_that_are_given_up_go_behind_until_they_are_not() -> None:
    a, b, c = (task(name, 1, start_by=START + hours * HOUR) for name, hours in (("a", 1), ("b", 2), ("c", 3)))
    made = queue(a, b, c)
    assert [each.lead.ref.name for each in made.in_time()] == ["a", "b", "c"]
    for key, head in (("uid-a", "uid-b"), ("uid-b", "uid-a")):
        made.give_up_on({key})
        assert heads(made) == [head]
        assert [each.key for each in made.workloads() if each.given_up] == [key]
    assert not put(made, b), "its place does not change with what is said of it"
    assert made["uid-b"].given_up
    made.drop("uid-b")
    made.give_up_on(())
    assert heads(made) == ["uid-a"]
    assert [each.lead.ref.name for each in made.in_time()] == ["a", "c"]


def test_one_that_was_given_up_and_turns_late_is_late() -> None:
    made = queue(task("a", 1, start_by=START + HOUR), task("b", 1, start_by=START + 2 * HOUR))
    made.give_up_on({"uid-a"})
    made.turn(START + HOUR + MINUTE)
    made.validate()
    assert (made["uid-a"].late, made["uid-a"].given_up) == (True, False)
    assert [each.lead.ref.name for each in made.in_time()] == ["b"]
    made.give_up_on(())
    assert heads(made) == ["uid-b"]
