"""The first decision in which two runs differ, with both clusters as they were just before it.

Decisions are bindings, nominations and preemptions. Each is looked for in the other run by what it is (which
pod, which node) and how often it has come, so that the order within an instant does not matter; and it may
come a little earlier or later there, since schedulers take their time.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from evaluator.story.cluster import Cluster
from evaluator.story.steps import Rival
from evaluator.timeline import (
    Event,
    JobSubmitted,
    NodeAdded,
    NodeRemoved,
    PodBound,
    PodDisrupted,
    PodNominated,
    PodSubmitted,
    RunStarted,
    Timeline,
)

MAX_NODES: Final = 6
"""Nodes of interest that are shown; more do not fit beside each other."""

MAX_PODS: Final = 5
"""Pods that are named of any list; the rest are counted."""

DecisionKind: TypeAlias = Literal["bound", "nominated", "preempted"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What a scheduler did with a pod."""

    kind: DecisionKind
    pod: str
    node: str | None
    """Where to, or for a preemption where from."""
    at_ns: int


@dataclass(frozen=True, slots=True)
class Fate:
    """What the other run did with a pod that one run decided about."""

    pod: str
    submitted: bool
    """Whether it was there at all."""
    bound: Decision | None
    """Its first binding at about that instant or later; none if it never came, or came long before."""
    earlier: Decision | None
    """Its last binding before."""


@dataclass(frozen=True, slots=True)
class NodeState:
    """A node just before the difference."""

    node: str
    chips: int
    free_chips: int
    usable: bool
    pods: list[Rival]
    more_pods: int


@dataclass(frozen=True, slots=True)
class ClusterState:
    """A cluster just before the difference."""

    at_ns: int
    free_chips: int
    pending: int
    waiting: list[Rival]
    """Those that wait, least slack first."""
    running: int
    nodes: list[NodeState]
    """Nodes that the decisions name."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two runs."""

    scheduler: str
    decisions: int
    only_here: int
    """Decisions that the other run does not have at about the same instant."""
    first: list[Decision]
    """Those of them that are the first difference."""
    fates: list[Fate]
    """What became here of the pods that the other run decided about."""
    state: ClusterState


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two runs part."""

    same_work: bool
    start: str
    at_ns: int | None
    """Instant of the first difference; none if there is none."""
    given: list[str]
    """What one run was given up to there and the other was not."""
    sides: tuple[Side, Side] | None


_Key: TypeAlias = tuple[DecisionKind, str, str | None, int]
"""What was decided about which pod and node, and how many times before."""


def decisions(events: Sequence[Event]) -> Iterator[Decision]:
    """All decisions of a run, in order."""
    placed: dict[str, str] = {}
    for event in events:
        match event:
            case PodBound():
                placed[event.pod] = event.node
                yield Decision("bound", event.pod, event.node, event.at_ns)
            case PodNominated():
                yield Decision("nominated", event.pod, event.node, event.at_ns)
            case PodDisrupted() if event.cause == "preemption":
                yield Decision("preempted", event.pod, placed.get(event.pod), event.at_ns)
            case _:
                pass


def _numbered(found: Sequence[Decision]) -> dict[_Key, Decision]:
    seen: Counter[tuple[DecisionKind, str, str | None]] = Counter()
    numbered: dict[_Key, Decision] = {}
    for decision in found:
        key = (decision.kind, decision.pod, decision.node)
        numbered[(*key, seen[key])] = decision
        seen[key] += 1
    return numbered


def _unmatched(here: dict[_Key, Decision], there: dict[_Key, Decision], within_ns: int) -> list[Decision]:
    return [
        decision
        for key, decision in here.items()
        if key not in there or abs(there[key].at_ns - decision.at_ns) > within_ns
    ]


def compare(one: Timeline, other: Timeline, *, within_ns: int = 0) -> Difference:
    """Where two runs part, if they do.

    Args:
        one: a run.
        other: the run to compare it with.
        within_ns: how much earlier or later the same decision may come and count as equal.

    Raises:
        FileFormatError: a timeline contradicts itself.
    """
    both = (list(one), list(other))
    found = tuple(list(decisions(events)) for events in both)
    numbered = tuple(_numbered(each) for each in found)
    own = (
        _unmatched(numbered[0], numbered[1], within_ns),
        _unmatched(numbered[1], numbered[0], within_ns),
    )
    heads = tuple(_head(events) for events in both)
    same_work = heads[0][1] == heads[1][1]
    at_ns = min((decision.at_ns for each in own for decision in each), default=None)
    if at_ns is None:
        return Difference(same_work, heads[0][2], None, _given(*both, None), None)
    first = tuple([each for each in mine if each.at_ns <= at_ns + within_ns] for mine in own)
    sides = tuple(
        Side(
            scheduler=heads[index][0],
            decisions=len(found[index]),
            only_here=len(own[index]),
            first=first[index],
            fates=_fates(both[index], found[index], first[1 - index], at_ns, within_ns),
            state=_state(both[index], first[index], at_ns, _nodes(*first)),
        )
        for index in (0, 1)
    )
    return Difference(same_work, heads[0][2], at_ns, _given(*both, at_ns), (sides[0], sides[1]))


def _head(events: Sequence[Event]) -> tuple[str, str, str]:
    first = events[0] if events else None
    if isinstance(first, RunStarted):
        return first.scheduler, first.scenario_digest, first.start
    return "", "", "1970-01-01T00:00:00Z"


def _nodes(*several: Sequence[Decision]) -> list[str]:
    named = dict.fromkeys(each.node for found in several for each in found if each.node is not None)
    return list(named)[:MAX_NODES]


def _given(one: Sequence[Event], other: Sequence[Event], until_ns: int | None) -> list[str]:
    """Arrivals up to an instant that only one of the runs had."""
    arrivals = tuple(Counter(_arrivals(events, until_ns)) for events in (one, other))
    only = (arrivals[0] - arrivals[1], arrivals[1] - arrivals[0])
    found = [f"{text} only in the {which} run" for which, each in zip(("first", "second"), only, strict=True)
             for text in each]  # fmt: skip
    return found[:MAX_PODS]


def _arrivals(events: Sequence[Event], until_ns: int | None) -> Iterator[str]:
    for event in events:
        if until_ns is not None and event.at_ns > until_ns:
            return
        match event:
            case NodeAdded() | NodeRemoved():
                yield f"{event.kind} {event.node} at {event.at_ns} ns"
            case JobSubmitted():
                yield f"{event.kind} {event.job} at {event.at_ns} ns"
            case PodSubmitted() if event.job is None:
                yield f"{event.kind} {event.pod} at {event.at_ns} ns"
            case _:
                pass


def _fates(
    events: Sequence[Event],
    found: Sequence[Decision],
    others: Sequence[Decision],
    at_ns: int,
    within_ns: int,
) -> list[Fate]:
    asked = list(dict.fromkeys(each.pod for each in others))[:MAX_PODS]
    submitted = {event.pod for event in events if isinstance(event, PodSubmitted)}
    fates = []
    for pod in asked:
        bindings = [each for each in found if each.kind == "bound" and each.pod == pod]
        later = [each for each in bindings if each.at_ns >= at_ns - within_ns]
        before = [each for each in bindings if each.at_ns < at_ns - within_ns]
        fates.append(Fate(pod, pod in submitted, later[0] if later else None, before[-1] if before else None))
    return fates


def _state(
    events: Sequence[Event], first: Sequence[Decision], at_ns: int, nodes: Sequence[str]
) -> ClusterState:
    """The cluster just before its own first differing decision; without one, at the end of the instant."""
    own = {(each.kind, each.pod, each.at_ns) for each in first}
    cluster = Cluster()
    for event in events:
        limit = first[0].at_ns if first else at_ns
        if event.at_ns > limit or any(
            (each.kind, each.pod, each.at_ns) in own for each in decisions([event])
        ):
            break
        cluster.apply(event)
    waiting = [Rival.of(stay, cluster.at_ns) for stay in cluster.waiting.values()]
    waiting.sort(
        key=lambda rival: (rival.slack_ns is None, rival.slack_ns or 0, rival.submitted_ns, rival.pod)
    )
    return ClusterState(
        at_ns=cluster.at_ns,
        free_chips=cluster.free_chips,
        pending=len(waiting),
        waiting=waiting[:MAX_PODS],
        running=len(cluster.stays) - len(waiting),
        nodes=[_node_state(cluster, name) for name in nodes if name in cluster.machines],
    )


def _node_state(cluster: Cluster, name: str) -> NodeState:
    machine = cluster.machines[name]
    pods = [Rival.of(stay, cluster.at_ns) for stay in machine.pods.values()]
    return NodeState(
        name, machine.chips, machine.free_chips, machine.usable, pods[:MAX_PODS], max(0, len(pods) - MAX_PODS)
    )
