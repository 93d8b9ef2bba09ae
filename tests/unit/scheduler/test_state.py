"""The decision core: tables of happenings and the actions that must follow, exactly."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from scheduler.messages import (
    Action,
    Announce,
    BackOff,
    BackOffOver,
    Bind,
    BindDone,
    BindRefused,
    Gather,
    Happening,
    MarkUnschedulable,
    NodeGone,
    NodeSeen,
    NodesListed,
    PodGone,
    PodSeen,
    PodsListed,
    WindowOver,
)
from scheduler.model import Notice, Taint, Task, Toleration
from scheduler.policy import FIRST_COME, LEAST_SLACK, Policy
from scheduler.state import FIRST_PAUSE, LONGEST_PAUSE, Core
from scheduler.timetext import HOUR, MINUTE, SECOND
from tests.unit.scheduler.builders import GPU, START, demand, node, ref, task


class Table:
    """A core with the invariants checked after each step."""

    def __init__(self, *happenings: Happening, policy: Policy = LEAST_SLACK) -> None:
        self.core = Core(policy, (GPU,))
        for each in happenings:
            self(each)

    def __call__(self, event: Happening, now: int = START) -> list[Action]:
        actions = self.core.handle(event, now)
        self.core.validate()
        return actions

    def round(self, now: int = START) -> list[Action]:
        return self(WindowOver(), now)


def listed(nodes: Sequence[object] = (), *tasks: Task, policy: Policy = LEAST_SLACK) -> Table:
    return Table(NodesListed(tuple(nodes)), PodsListed(tasks), policy=policy)  # type: ignore[arg-type]  # nodes only


def no_room(name: str, message: str, first: bool = True) -> list[Action]:
    return [
        MarkUnschedulable(ref(name), message, first),
        Announce(ref(name), "Warning", "FailedScheduling", "Scheduling", message),
    ]


def short(count: int, total: int | None = None) -> str:
    return f"0/{total or count} nodes are available: {count} Insufficient {GPU}."


# When a decision is due ---------------------------------------------------------------------------


def test_a_pending_pod_is_gathered_for_and_then_bound() -> None:
    core = listed([node("n", 8)])
    assert core(PodSeen(task("a", 5))) == [Gather()]
    assert core.round() == [Bind(ref("a"), "n")]


def test_the_window_opens_once_for_all_changes_in_it() -> None:
    core = listed([node("n", 8)])
    assert core(PodSeen(task("a", 5))) == [Gather()]
    assert core(PodSeen(task("b", 3))) == []
    assert core(NodeSeen(node("z", 8))) == []
    assert core.round() == [Bind(ref("a"), "n"), Bind(ref("b"), "n")]


def test_nothing_is_decided_before_both_lists_have_come() -> None:
    core = Table()
    assert core(PodsListed((task("a", 1),))) == []
    assert core(NodesListed((node("n", 1),))) == [Gather()]


def test_a_cluster_without_pending_pods_needs_no_window() -> None:
    core = listed([node("n", 8)], task("a", 8, node="n"))
    assert core(NodeSeen(node("m", 8))) == []
    assert core(PodGone("uid-a")) == []


def test_the_echo_of_our_own_writes_causes_nothing() -> None:
    core = listed([node("n", 8)], task("a", 5), task("b", 5))
    core.round()
    assert core(BindDone(ref("a"), "n")) == [
        Announce(ref("a"), "Normal", "Scheduled", "Binding", "Successfully assigned default/a to n")
    ]
    assert core(PodSeen(task("a", 5, node="n"))) == []
    assert core(PodSeen(task("b", 5, told=short(1)))) == []


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(NodeSeen(node("n", 8)), id="a node reports the same again"),
        pytest.param(NodeSeen(node("n", 6)), id="a node shrinks"),
        pytest.param(NodeSeen(node("m", 2)), id="a node comes that is too small"),
        pytest.param(NodeGone("n"), id="a node goes"),
        pytest.param(PodSeen(task("other", 1, node="n")), id="somebody else's pod takes room"),
        pytest.param(PodGone("uid-small"), id="too little room gets free"),
        pytest.param(PodGone("uid-unknown"), id="a pod goes that nobody knew"),
    ],
)
def test_changes_that_help_nobody_cause_nothing(change: Happening) -> None:
    core = listed([node("n", 8)], task("big", 3, node="n"), task("small", 1, node="n"), task("waits", 7))
    core.round()
    assert core(change) == []


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(PodGone("uid-big"), id="room gets free"),
        pytest.param(PodSeen(task("big", 1, node="n")), id="a pod shrinks in place"),
        pytest.param(PodSeen(task("big", 8, node="elsewhere")), id="a pod turns out to be elsewhere"),
        pytest.param(NodeSeen(node("m", 7)), id="a node comes that is large enough"),
        pytest.param(NodeSeen(node("n", 15)), id="a node grows"),
        pytest.param(NodesListed((node("n", 8), node("m", 7))), id="a new list shows another node"),
        pytest.param(PodsListed((task("waits", 7),)), id="a new list shows that a pod is gone"),
        pytest.param(PodSeen(task("new", 7)), id="a pod of ours comes"),
        pytest.param(PodSeen(task("waits", 6)), id="a pending pod asks for something else"),
        pytest.param(
            PodSeen(task("waits", 7, start_by=START + HOUR)), id="a pending pod changes its deadline"
        ),
    ],
)
def test_changes_that_may_help_open_a_window(change: Happening) -> None:
    core = listed([node("n", 8)], task("big", 8, node="n"), task("waits", 7))
    core.round()
    assert core(change) == [Gather()]


def test_a_node_that_turns_usable_opens_a_window() -> None:
    core = listed([node("n", 8, unschedulable=True)], task("a", 1))
    assert core.round() == no_room("a", "0/1 nodes are available: 1 node(s) were unschedulable.")
    assert core(NodeSeen(node("n", 8))) == [Gather()]
    assert core.round() == [Bind(ref("a"), "n")]


# Order --------------------------------------------------------------------------------------------


def test_the_least_slack_comes_first() -> None:
    late, soon, never = (
        task("late", 8, start_by=START + 2 * HOUR),
        task("soon", 8, start_by=START + HOUR),
        task("x", 8),
    )
    core = listed([node("n", 8), node("m", 8)], never, late, soon)
    assert core.round()[:2] == [Bind(ref("soon"), "m"), Bind(ref("late"), "n")]


def test_hopeless_pods_stand_behind_all_others() -> None:
    hopeless = task("hopeless", 8, start_by=START - HOUR)
    core = listed([node("n", 8)], hopeless, task("undated", 8), task("fine", 8, start_by=START + HOUR))
    assert core.round()[0] == Bind(ref("fine"), "n")
    core(PodSeen(task("fine", 8, node="n")))
    core(PodGone("uid-fine"))
    assert core.round() == [Bind(ref("undated"), "n")]
    core(PodGone("uid-undated"))
    assert core.round() == [Bind(ref("hopeless"), "n")]


def test_a_pod_turns_hopeless_while_it_waits() -> None:
    core = listed([node("n", 8)], task("first", 8, start_by=START), task("second", 8, start_by=START + HOUR))
    assert core.round(START + MINUTE)[0] == Bind(ref("second"), "n")


def test_slack_is_taken_at_whole_seconds() -> None:
    core = listed([node("n", 8)], task("first", 8, start_by=START), task("second", 8, start_by=START + HOUR))
    assert core.round(START + SECOND - 1)[0] == Bind(ref("first"), "n")


def test_a_smaller_pod_may_use_what_the_first_in_line_cannot() -> None:
    core = listed([node("n", 4)], task("big", 8, start_by=START + MINUTE), task("small", 4))
    assert core.round() == [Bind(ref("small"), "n"), *no_room("big", short(1))]


def test_fifo_goes_by_creation_and_then_by_name() -> None:
    pods = (
        task("z", 1, created=START),
        task("b", 1, created=START + SECOND, start_by=START + HOUR),
        task("a", 1, created=START + SECOND, start_by=START + 2 * HOUR),
    )
    core = listed([node("n", 8)], *pods, policy=FIRST_COME)
    assert core.round() == [Bind(ref("z"), "n"), Bind(ref("a"), "n"), Bind(ref("b"), "n")]


def test_fifo_knows_no_hopeless_pods() -> None:
    pods = task("old", 8, start_by=START - HOUR), task("new", 8, created=START + 1, start_by=START + HOUR)
    core = listed([node("n", 8)], *pods, policy=FIRST_COME)
    assert core.round()[0] == Bind(ref("old"), "n")


# Answers ------------------------------------------------------------------------------------------


def test_every_pod_gets_an_answer_and_binding_comes_first() -> None:
    core = listed([node("n", 4), node("m", 2)], task("a", 8), task("b", 4), task("c", 8))
    assert core.round() == [
        Bind(ref("b"), "n"),
        MarkUnschedulable(ref("a"), short(2), first=True),
        MarkUnschedulable(ref("c"), short(2), first=True),
        Announce(ref("a"), "Warning", "FailedScheduling", "Scheduling", short(2)),
        Announce(ref("c"), "Warning", "FailedScheduling", "Scheduling", short(2)),
    ]


def test_the_same_answer_is_not_given_twice() -> None:
    core = listed([node("n", 8)], task("a", 8, node="n"), task("b", 8), task("c", 7))
    assert core.round() == [
        MarkUnschedulable(ref("b"), short(1), first=True),
        MarkUnschedulable(ref("c"), short(1), first=True),
        Announce(ref("b"), "Warning", "FailedScheduling", "Scheduling", short(1)),
        Announce(ref("c"), "Warning", "FailedScheduling", "Scheduling", short(1)),
    ]
    core(PodGone("uid-a"))
    assert core.round() == [Bind(ref("b"), "n")]


def test_the_answer_follows_the_nodes() -> None:
    core = listed([node("n", 4)], task("a", 8))
    assert core.round() == no_room("a", short(1))
    core(NodeSeen(node("m", 4)))
    core(PodSeen(task("b", 8, created=START + 1)))
    assert core.round() == [
        MarkUnschedulable(ref("a"), short(2), first=False),
        MarkUnschedulable(ref("b"), short(2), first=True),
        Announce(ref("a"), "Warning", "FailedScheduling", "Scheduling", short(2)),
        Announce(ref("b"), "Warning", "FailedScheduling", "Scheduling", short(2)),
    ]


def test_after_a_restart_what_pods_were_told_is_known() -> None:
    core = listed([node("n", 4)], task("a", 8, told=short(1)), task("b", 8, told="old"))
    assert core.round() == no_room("b", short(1), first=False)


def test_without_nodes_the_answer_says_so() -> None:
    assert listed([], task("a", 1)).round() == no_room("a", "no nodes available to schedule pods")


def test_an_unsupported_demand_leaves_the_pod_pending_and_is_named() -> None:
    asks = demand(1, unsupported=("spec.resourceClaims",))
    core = listed([node("n", 8)], task("a", asks=asks))
    assert core.round() == no_room(
        "a", "this scheduler does not support spec.resourceClaims: the pod stays pending"
    )
    assert core(NodeSeen(node("m", 8))) == []


def test_notices_are_told_once() -> None:
    notice = Notice("MalformedAnnotation", "annotation x: no")
    told = Announce(ref("a"), "Warning", notice.reason, "Scheduling", notice.note)
    core = listed([node("n", 8)])
    assert core(PodSeen(replace(task("a", 9), notices=(notice,)))) == [told, Gather()]
    core.round()
    assert core(PodSeen(replace(task("a", 7), notices=(notice,)))) == [Gather()]


# Our bindings -------------------------------------------------------------------------------------


def test_room_is_taken_at_once_and_not_when_the_binding_shows() -> None:
    core = listed([node("n", 8)], task("a", 8))
    core.round()
    core(PodSeen(task("b", 8)))
    assert core.round() == no_room("b", short(1))


def test_a_stale_sight_of_a_pod_does_not_undo_its_placement() -> None:
    core = listed([node("n", 8)], task("a", 8))
    core.round()
    assert core(PodSeen(replace(task("a", 8), notices=(Notice("r", "n"),)))) == []
    assert core(PodsListed((task("a", 8),))) == []


def test_a_refused_binding_gives_the_room_back_and_the_pod_pauses() -> None:
    core = listed([node("n", 8)], task("a", 8), task("b", 8))
    core.round()
    assert core(BindRefused(ref("a"), "n", "500: boom")) == [
        Announce(
            ref("a"), "Warning", "FailedScheduling", "Binding", "binding to node n was refused: 500: boom"
        ),
        BackOff("uid-a", FIRST_PAUSE),
        Gather(),
    ]
    assert core.round() == [Bind(ref("b"), "n")]
    assert core(BackOffOver("uid-a")) == [Gather()]
    assert core.round() == no_room("a", short(1))


def test_pauses_double_up_to_a_limit_and_begin_anew_after_success() -> None:
    core = listed([node("n", 8)], task("a", 8))
    pauses = []
    for _ in range(6):
        core.round()
        pauses += [each for each in core(BindRefused(ref("a"), "n", "no")) if isinstance(each, BackOff)]
        core(BackOffOver("uid-a"))
    assert [each.pause for each in pauses] == [FIRST_PAUSE * n for n in (1, 2, 4, 8)] + [LONGEST_PAUSE] * 2
    core.round()
    core(BindDone(ref("a"), "n"))
    assert core(BindRefused(ref("a"), "n", "no"))[1] == BackOff("uid-a", FIRST_PAUSE)


def test_a_pod_that_went_during_its_pause_is_forgotten() -> None:
    core = listed([node("n", 8)], task("a", 8))
    core.round()
    core(BindRefused(ref("a"), "n", "no"))
    core(PodGone("uid-a"))
    assert core(BackOffOver("uid-a")) == []
    assert core.round() == []


def test_a_pod_changed_during_its_pause_keeps_pausing() -> None:
    core = listed([node("n", 8)], task("a", 8))
    core.round()
    core(BindRefused(ref("a"), "n", "no"))
    assert core(PodSeen(task("a", 4))) == []
    assert core(BackOffOver("uid-a")) == [Gather()]
    assert core.round() == [Bind(ref("a"), "n")]


def test_a_refusal_that_the_api_contradicts_changes_nothing() -> None:
    core = listed([node("n", 8)], task("a", 8))
    core.round()
    core(PodSeen(task("a", 8, node="n")))
    assert core(BindRefused(ref("a"), "n", "409 Conflict")) == []


def test_a_pod_that_somebody_else_bound_is_where_the_api_says() -> None:
    core = listed([node("n", 8), node("m", 8)], task("a", 8))
    assert core.round() == [Bind(ref("a"), "m")]
    core(PodSeen(task("a", 8, node="n")))
    core(PodSeen(task("b", 8)))
    assert core.round() == [Bind(ref("b"), "m")]


def test_a_pod_that_goes_gives_back_what_it_was_to_get() -> None:
    core = listed([node("n", 8)], task("a", 8), task("b", 8))
    core.round()
    assert core(PodGone("uid-a")) == [Gather()]
    assert core.round() == [Bind(ref("b"), "n")]


# Nodes that come and go ---------------------------------------------------------------------------


def test_pods_on_a_node_count_before_the_node_is_known_and_after_it_was_gone() -> None:
    core = listed([], task("a", 8, node="n"), task("b", 8))
    core.round()
    assert core(NodeSeen(node("n", 8))) == []
    assert core(NodeGone("n")) == []
    assert core(NodeSeen(node("n", 16))) == [Gather()]
    assert core.round() == [Bind(ref("b"), "n")]


def test_a_node_that_shrank_below_its_pods_gets_no_more() -> None:
    core = listed([node("n", 8)], task("a", 5, node="n"))
    core(NodeSeen(node("n", 2)))
    core(PodSeen(task("b", 1)))
    assert core.round() == no_room("b", short(1))
    core(PodGone("uid-a"))
    assert core.round() == [Bind(ref("b"), "n")]


def test_a_list_without_a_node_takes_it_away() -> None:
    core = listed([node("n", 8), node("m", 4)])
    core(NodesListed((node("m", 4),)))
    core(PodSeen(task("a", 8)))
    assert core.round() == no_room("a", short(1))


def test_taints_repel_and_tolerations_admit() -> None:
    tainted = node("n", 8, taints=(Taint("node.kubernetes.io/not-ready", "", "NoExecute"),))
    core = listed([tainted], task("a", 1))
    assert core.round() == no_room("a", "0/1 nodes are available: 1 node(s) had untolerated taint(s).")
    core(PodSeen(task("b", asks=demand(1, tolerations=(Toleration(operator="Exists"),)))))
    assert core.round() == [Bind(ref("b"), "n")]
