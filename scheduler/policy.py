"""In which order pending pods get their turn, and which running ones have to give way to them.

Every order is total: it ends with the pod's creation, namespace and name, so that it never depends on how
things arrived or on how a set happens to be iterated.

``spec.priority`` comes first under ``priority`` and counts for nothing under ``fifo``. Under the others it
only breaks ties: a priority takes no chip from a more urgent job, and it orders the pods without a deadline.
"""

import enum
from collections.abc import Callable
from dataclasses import dataclass

from scheduler.laxity import hopeless_after, latest_start
from scheduler.model import Task

Rank = tuple[int, int, int, int, int, str, str]
"""A pod's place, least first: behind the others or not, two instants or spans, the negative priority, the
creation, the namespace, the name. What an order does not look at is 0."""

FOREVER = 1 << 63
"""An instant after all others: nanoseconds since the epoch of real instants stay below it."""


class Preempting(enum.Enum):
    """Which running workloads have to give way to one that cannot be placed."""

    NEVER = "never"
    """None."""
    SLACK = "slack"
    """Those with more slack, once the waiting one's slack does not last until room frees by itself."""
    DEADLINE = "deadline"
    """Those with a later deadline, at the same moment."""
    PRIORITY = "priority"
    """Those of lower priority, at once, as kube-scheduler."""


@dataclass(frozen=True, slots=True)
class Policy:
    """An order of pending pods.

    Attributes:
        name: what it is called on the command line.
        summary: what it does, in a line.
        rank: the place of a pod in the order, given whether it is late. It must not depend on the present
            time otherwise.
        late_after: the last instant at which the pod is not late; None for never late.
        preempting: which running workloads give way.
        demotes: late workloads go behind all others, so that a running one that is late may give way to any.
        gives_up: when not everybody can be in time, those with the most work count as late at once, as many
            as it takes (``triage``).
    """

    name: str
    summary: str
    rank: Callable[[Task, bool], Rank]
    late_after: Callable[[Task], int | None]
    preempting: Preempting = Preempting.NEVER
    demotes: bool = False
    gives_up: bool = False


class Late(enum.Enum):
    """What becomes of hopeless pods under least slack first: those that can no longer meet their deadline."""

    DEMOTE = "demote"
    """Behind all others, also behind pods without a deadline; among themselves the shortest first, so that
    most are done soon: none of them can be in time."""
    KEEP = "keep"
    """They keep their place, which is before all others: their slack is the least."""
    DROP_PRIORITY = "drop-priority"
    """Among the pods without a deadline, as if they had none."""


def _or_forever(instant: int | None) -> int:
    return FOREVER if instant is None else instant


def _rank(task: Task, first: int, second: int = 0, *, behind: bool = False) -> Rank:
    ref = task.ref
    return (behind, first, second, -task.priority, task.created, ref.namespace, ref.name)


def _never_late(_: Task) -> None:
    return None


# Least slack first --------------------------------------------------------------------------------


def _by_slack(task: Task, *, behind: bool = False) -> Rank:
    """Slack is the latest start less the present time, which is the same for all: the latest start orders."""
    start, deadline = latest_start(task.timing), task.timing.deadline
    return _rank(task, _or_forever(start), _or_forever(deadline), behind=behind)


def _demoted(task: Task, late: bool) -> Rank:
    if not late:
        return _by_slack(task)
    return _rank(task, _or_forever(task.timing.remaining), behind=True)


def _kept(task: Task, _: bool) -> Rank:
    return _by_slack(task)


def _dropped(task: Task, late: bool) -> Rank:
    return _rank(task, FOREVER, FOREVER) if late else _by_slack(task)


_LATE_RANKS = {Late.DEMOTE: _demoted, Late.KEEP: _kept, Late.DROP_PRIORITY: _dropped}


def _late_after(task: Task) -> int | None:
    return hopeless_after(task.timing)


def least_slack(late: Late) -> Policy:
    """Least slack first, with this treatment of hopeless pods.

    Ties go by the earlier deadline, the higher priority, creation, namespace, name. Pods without a deadline
    come after those that have one, by the same ties.
    """
    return Policy(
        name="lst",
        summary="least slack first; ties by deadline, higher priority, creation",
        rank=_LATE_RANKS[late],
        late_after=_never_late if late is Late.KEEP else _late_after,
        preempting=Preempting.SLACK,
        demotes=late is not Late.KEEP,
        gives_up=late is not Late.KEEP,
    )


LEAST_SLACK = least_slack(Late.DEMOTE)


# For comparison -----------------------------------------------------------------------------------


def _by_deadline(task: Task, _: bool) -> Rank:
    return _rank(task, _or_forever(task.timing.deadline))


def _by_duration(task: Task, _: bool) -> Rank:
    return _rank(task, _or_forever(task.timing.remaining))


def _by_priority(task: Task, _: bool) -> Rank:
    return _rank(task, 0)


def _by_creation(task: Task, _: bool) -> Rank:
    return (0, 0, 0, 0, task.created, task.ref.namespace, task.ref.name)


EARLIEST_DEADLINE = Policy(
    name="edf",
    summary="earliest deadline first, pods without one last; ties by higher priority, creation",
    rank=_by_deadline,
    late_after=_never_late,
    preempting=Preempting.DEADLINE,
)

SHORTEST_FIRST = Policy(
    name="sjf",
    summary="shortest expected duration first, unknown last; ties by higher priority, creation",
    rank=_by_duration,
    late_after=_never_late,
)

HIGHEST_PRIORITY = Policy(
    name="priority",
    summary="higher priority first, then creation, as kube-scheduler",
    rank=_by_priority,
    late_after=_never_late,
    preempting=Preempting.PRIORITY,
)

FIRST_COME = Policy(
    name="fifo",
    summary="first come, first served, by creation",
    rank=_by_creation,
    late_after=_never_late,
)

POLICIES = {
    policy.name: policy
    for policy in (LEAST_SLACK, EARLIEST_DEADLINE, SHORTEST_FIRST, HIGHEST_PRIORITY, FIRST_COME)
}
