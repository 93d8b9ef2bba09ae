"""In which order pending pods get their turn.

Every order is total: it ends with the pod's namespace and name, so that it never depends on how things
arrived or on how a set happens to be iterated.
"""

from collections.abc import Callable
from dataclasses import dataclass

from scheduler.laxity import hopeless_after, latest_start
from scheduler.model import Task

Key = tuple[int, int, int, str, str]
"""What pods are sorted by, least first."""

FOREVER = 1 << 63
"""An instant after all others: nanoseconds since the epoch of real instants stay below it."""


@dataclass(frozen=True, slots=True)
class Policy:
    """An order of pending pods.

    Attributes:
        name: what it is called on the command line.
        summary: what it does, in a line.
        key: the place of a pod in the order; it must not depend on the present time.
        hopeless_after: when a pod moves behind all those that are not hopeless; None for never.
    """

    name: str
    summary: str
    key: Callable[[Task], Key]
    hopeless_after: Callable[[Task], int | None]


def _or_forever(instant: int | None) -> int:
    return FOREVER if instant is None else instant


def _least_slack(task: Task) -> Key:
    """Slack is the latest start less the present time, which is the same for all: the latest start orders."""
    start, deadline = latest_start(task.timing), task.timing.deadline
    return (_or_forever(start), _or_forever(deadline), task.created, task.ref.namespace, task.ref.name)


def _first_come(task: Task) -> Key:
    return (task.created, 0, 0, task.ref.namespace, task.ref.name)


LEAST_SLACK = Policy(
    name="lst",
    summary="least slack first, hopeless pods last; ties by deadline, creation, namespace and name",
    key=_least_slack,
    hopeless_after=lambda task: hopeless_after(task.timing),
)

FIRST_COME = Policy(
    name="fifo",
    summary="first come, first served; ties by namespace and name",
    key=_first_come,
    hopeless_after=lambda _: None,
)

POLICIES = {policy.name: policy for policy in (LEAST_SLACK, FIRST_COME)}
