"""A decision core with its invariants checked after each step, and short words for what goes in and out."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

from scheduler.decision import Decision
from scheduler.messages import (
    Action,
    Bind,
    BindDone,
    Gather,
    Happening,
    NodesListed,
    Nominate,
    PodGone,
    PodSeen,
    PodsListed,
    Preempt,
    Wake,
    WindowOver,
    Woken,
)
from scheduler.model import GangRef, Node, Task, Timing
from scheduler.policy import LEAST_SLACK, Policy
from scheduler.rules import PreemptionRules
from scheduler.state import Core
from scheduler.timetext import HOUR, SECOND
from tests.unit.scheduler.builders import GPU, START, node, task

A = TypeVar("A")
GRACE = 30 * SECOND
RULES = PreemptionRules()


def job(
    name: str,
    gpus: int,
    *,
    hours: float = 1,
    slack: int | None = None,
    runs_on: str = "",
    started: int = START,
    **fields: Any,
) -> Task:
    """A pod of a job of its own. ``slack`` is what it has at the start, None for no deadline."""
    work = round(hours * HOUR)
    begun = started if runs_on else START
    deadline = None if slack is None else begun + work + slack
    given: dict[str, Any] = {
        "owner": f"job-{name}",
        "timing": Timing(deadline, work, stated=slack is not None),
        "grace": GRACE,
        "started": started if runs_on else None,
        **fields,
    }
    return replace(task(name, gpus, node=runs_on), **given)


def members(name: str, count: int, gpus: int, *, least: int | None = None, **fields: Any) -> list[Task]:
    """The pods of a gang."""
    topology = fields.pop("topology_key", None)
    ref = GangRef(f"gang-{name}", count if least is None else least, topology, name)
    shared = {"owner": f"job-{name}", "gang": ref, **fields}
    return [job(f"{name}-{n}", gpus, index=str(n), **shared) for n in range(count)]


class World:
    """Nodes and pods, with a scheduler."""

    def __init__(
        self,
        nodes: Iterable[Node | int],
        *pods: Task,
        policy: Policy = LEAST_SLACK,
        rules: PreemptionRules | None = RULES,
    ) -> None:
        """``nodes`` may be given by their number of chips, and are called ``n0``, ``n1``, … then."""
        self.core = Core(policy, (GPU,), rules=rules)
        self.now = START
        self.pods = {pod.ref.name: pod for pod in pods}
        self.said: list[Action] = []
        named = [node(f"n{n}", each) if isinstance(each, int) else each for n, each in enumerate(nodes)]
        self.tell(NodesListed(tuple(named)), PodsListed(pods))

    def tell(self, *happenings: Happening) -> list[Action]:
        """Let this happen, without a round."""
        actions: list[Action] = []
        for happening in happenings:
            actions += self.core.handle(happening, self.now)
            self.core.validate()
        self.said += actions
        return actions

    def round(self) -> list[Action]:
        """What is decided now."""
        return self.tell(WindowOver())

    def come(self, *pods: Task) -> list[Action]:
        """Let pods come and decide."""
        for pod in pods:
            self.pods[pod.ref.name] = pod
            self.tell(PodSeen(pod))
        return self.round()

    def go(self, *names: str, succeeded: bool = False) -> list[Action]:
        """Let pods go and decide."""
        for name in names:
            self.tell(PodGone(self.pods.pop(name).ref.uid, succeeded))
        return self.round()

    def at(self, instant: int) -> list[Action]:
        """Let time pass and the alarm ring."""
        self.now = instant
        self.said.append(Wake(None))  # it has rung
        self.tell(Woken())
        return self.round()

    def confirm(self, *binds: Bind) -> None:
        """Let the API take bindings, and the pods start at once."""
        for bind in binds:
            bound = replace(self.pods[bind.ref.name], node=bind.node, started=self.now)
            self.pods[bind.ref.name] = bound
            self.tell(BindDone(bind.ref, bind.node), PodSeen(bound))

    def ending(self, *names: str) -> None:
        """Let the API show that pods are being deleted."""
        for name in names:
            self.pods[name] = replace(self.pods[name], deleting=self.now + GRACE)
            self.tell(PodSeen(self.pods[name]))

    @property
    def alarm(self) -> int | None:
        """The instant for which the core last asked to be woken."""
        asked = some(self.said, Wake)
        return asked[-1].at if asked else None


def some(actions: Iterable[Action], kind: type[A]) -> list[A]:
    """Those of one kind."""
    return [action for action in actions if isinstance(action, kind)]


def bound(actions: Iterable[Action]) -> dict[str, str]:
    """Nodes by the names of the pods that are bound to them."""
    return {action.ref.name: action.node for action in some(actions, Bind)}


def taken(actions: Iterable[Action]) -> list[str]:
    """The names of the victims."""
    return [action.victim.name for action in some(actions, Preempt)]


def nominated(actions: Iterable[Action]) -> dict[str, str]:
    """Nominated nodes by the names of the pods."""
    return {action.ref.name: action.node for action in some(actions, Nominate)}


def gathers(actions: Iterable[Action]) -> bool:
    """Whether a round is wanted."""
    return any(isinstance(action, Gather) for action in actions)


def reasons(action: Bind | Preempt) -> Decision:
    """The record of a decision."""
    assert action.decision is not None
    return action.decision
