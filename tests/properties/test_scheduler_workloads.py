"""Jobs and gangs that are preempted, fail and come again, in a small world that answers the decision core.

What must hold whatever happens: no node is given more than it has, no gang is bound by halves, no job is
lost, and preemptions are bounded: nobody is taken more often than the budget, and no two take each other's
place.
"""

from collections import Counter
from dataclasses import dataclass, field, replace

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from scheduler.messages import (
    Action,
    BackOff,
    BackOffOver,
    Bind,
    BindDone,
    BindRefused,
    Gather,
    Happening,
    NodeSeen,
    NodesListed,
    Nominate,
    PodGone,
    PodSeen,
    PodsListed,
    Preempt,
    PreemptRefused,
    Wake,
    WindowOver,
    Woken,
)
from scheduler.model import Demand, GangRef, Node, PodRef, Task, Timing
from scheduler.policy import POLICIES, Policy, Preempting
from scheduler.rules import PreemptionRules
from scheduler.state import GRAIN, LONGEST_PAUSE, Core
from scheduler.timetext import HOUR, MINUTE, SECOND, parse_instant

START = parse_instant("2026-01-05T00:00:00Z")
GPU = "nvidia.com/gpu"
CHIPS = 8
NODES = [f"n{i}" for i in range(2)]
GRACE = 30 * SECOND
RULES = PreemptionRules()
strictness = st.sampled_from(
    [
        RULES,
        replace(RULES, hysteresis=0, minimum_run=0),
        replace(RULES, budget=1),
        replace(RULES, lead=HOUR, hysteresis=0, minimum_run=0, budget=9),
        replace(RULES, hold=MINUTE),
    ]
)


@dataclass
class Job:
    """What was submitted: members that are made again, whatever happens to them, until each has succeeded."""

    name: str
    chips: int
    members: int
    hours: float
    created: int
    deadline: int | None
    saves: int | None
    priority: int
    gang: bool
    saved: dict[int, int] = field(default_factory=dict)
    finished: set[int] = field(default_factory=set)


class World:
    """An API server, kubelets and a job controller, as far as the core can tell."""

    def __init__(self, policy: Policy, rules: PreemptionRules | None) -> None:
        self.core = Core(policy, (GPU,), rules=rules)
        self.law = rules or RULES
        self.now = START
        self.nodes = dict.fromkeys(NODES, CHIPS)
        self.pods: dict[str, Task] = {}
        self.jobs: dict[str, Job] = {}
        self.run_until: dict[str, int] = {}
        self.gathering = False
        self.wake_at: int | None = None
        self.pauses: list[tuple[int, str]] = []
        self.unbound: list[Bind] = []
        self.taken: Counter[str] = Counter()
        self.pairs: set[tuple[str, str]] = set()
        self.count = 0
        self.may_break = False
        """Something happened that may have parted a gang."""
        self.history: list[tuple[Happening, int, list[Action]]] = []
        self.half: dict[str, int] = {}
        self.feed(NodesListed(tuple(map(self.node, NODES))))
        self.feed(PodsListed(()))

    def node(self, name: str) -> Node:
        chips = self.nodes[name]
        lost = CHIPS - chips
        return Node(name, 64_000, 1 << 40, 110, ((GPU, chips),), lost=((GPU, lost),) if lost else ())

    # The core's side ------------------------------------------------------------------------------

    def feed(self, event: Happening) -> None:
        actions = self.core.handle(event, self.now)
        self.history.append((event, self.now, actions))
        self.core.validate()
        for action in actions:
            self.perform(action)

    def perform(self, action: Action) -> None:
        match action:
            case Gather():
                assert not self.gathering, "a second window was asked for"
                self.gathering = True
            case Wake(at):
                assert at is None or at > self.now // GRAIN * GRAIN
                assert at is None or at % GRAIN == 0
                self.wake_at = at
            case Bind():
                self.unbound.append(action)
            case BackOff(uid, pause):
                self.pauses.append((self.now + pause, uid))
            case Preempt():
                self.preempted(action)
            case Nominate(ref, node):
                if ref.uid in self.pods:
                    self.pods[ref.uid] = replace(self.pods[ref.uid], nominated=node)

    def preempted(self, action: Preempt) -> None:
        victim = self.pods[action.victim.uid]
        assert victim.node, "a pod that does not run was preempted"
        assert victim.deleting is None, "a pod was preempted twice"
        if action.preemptor is not None:
            assert action.decision is not None
            assert action.victim in [pod for loss in action.decision.victims for pod in loss.pods]
            self.pairs.add((work(self.pods[action.preemptor.uid]), work(victim)))
            self.taken[work(victim)] += 1
        self.pods[victim.ref.uid] = replace(victim, deleting=self.now + GRACE)

    def settle(self, refuse: set[int] = frozenset()) -> None:  # type: ignore[assignment]  # only looked into
        """Let the core decide, carry everything out, and tell it, until it wants nothing more."""
        for _ in range(200):
            if self.gathering:
                self.gathering = False
                self.feed(WindowOver())
            for victim in [pod for pod in self.pods.values() if pod.deleting == self.now + GRACE]:
                self.feed(PodSeen(victim))
            for number, bind in enumerate(self.take_unbound()):
                self.bind(bind, refused=number in refuse)
            refuse = set()
            if not self.gathering and not self.unbound:
                self.check_gangs()
                return
        raise AssertionError("the core never comes to rest")

    def take_unbound(self) -> list[Bind]:
        found, self.unbound = self.unbound, []
        return found

    def bind(self, bind: Bind, *, refused: bool) -> None:
        task = self.pods.get(bind.ref.uid)
        if task is None:
            return
        if refused:
            self.feed(BindRefused(bind.ref, bind.node, "no"))
            return
        bound = replace(task, node=bind.node, started=self.now)
        self.pods[task.ref.uid] = bound
        self.check_capacity(bind.node)
        self.run_until[task.ref.uid] = self.now + self.left(bound)
        self.feed(BindDone(bind.ref, bind.node))
        self.feed(PodSeen(bound))

    def check_capacity(self, name: str) -> None:
        held = sum(dict(pod.demand.others)[GPU] for pod in self.pods.values() if pod.node == name)
        assert held <= self.nodes[name], f"{name} was given more than it has"

    # The world's side -----------------------------------------------------------------------------

    def submit(self, job: Job) -> None:
        self.jobs[job.name] = job
        for index in range(job.members):
            self.create(job, index)

    def create(self, job: Job, index: int) -> None:
        self.count += 1
        uid = f"{job.name}-{index}-{self.count}"
        task = Task(
            PodRef("default", uid, uid),
            Demand(others=((GPU, job.chips),)),
            Timing(job.deadline, round(job.hours * HOUR), stated=job.deadline is not None),
            self.now,
            owner=job.name,
            index=str(index),
            checkpoint_interval=job.saves,
            priority=job.priority,
            grace=GRACE,
            gang=GangRef(job.name, job.members) if job.gang else None,
        )
        self.pods[uid] = task
        self.feed(PodSeen(task))

    def left(self, task: Task) -> int:
        job = self.jobs[task.owner]
        return round(job.hours * HOUR) - job.saved.get(int(task.index), 0)

    def end(self, uid: str) -> None:
        """A pod ends: with success when it had all its time, else it is made again."""
        task = self.pods.pop(uid)
        until = self.run_until.pop(uid, None)
        job, index = self.jobs[task.owner], int(task.index)
        succeeded = until is not None and until <= self.now
        if succeeded:
            job.finished.add(index)
        elif task.started is not None and job.saves:
            done = self.now - task.started
            job.saved[index] = job.saved.get(index, 0) + done // job.saves * job.saves
        self.feed(PodGone(uid, succeeded))
        if not succeeded:
            self.create(job, index)

    def advance(self, span: int) -> None:
        """Let time pass, from one thing that happens to the next."""
        goal = self.now + span
        for _ in range(10_000):
            instants = [at for at in self.run_until.values() if at <= goal]
            instants += [pod.deleting for pod in self.pods.values() if pod.deleting is not None]
            instants += [at for at, _ in self.pauses]
            instants += [] if self.wake_at is None else [self.wake_at]
            at = min(instants, default=goal)
            if at > goal or not instants:
                break
            self.now = max(self.now, at)
            self.happen()
            self.settle()
        else:
            raise AssertionError("time does not pass: a timer at every instant")
        self.now = goal

    def happen(self) -> None:
        if self.wake_at is not None and self.wake_at <= self.now:
            self.wake_at = None
            self.feed(Woken())
        over = [uid for at, uid in self.pauses if at <= self.now]
        self.pauses = [(at, uid) for at, uid in self.pauses if at > self.now]
        for uid in over:
            self.feed(BackOffOver(uid))
        for uid in [uid for uid, pod in self.pods.items() if (pod.deleting or self.now + 1) <= self.now]:
            self.end(uid)
        for uid in [uid for uid, until in self.run_until.items() if until <= self.now]:
            self.end(uid)

    # What must hold -------------------------------------------------------------------------------

    def check_gangs(self) -> None:
        for job in self.jobs.values():
            pods = [pod for pod in self.pods.values() if pod.owner == job.name and pod.deleting is None]
            bound = [pod for pod in pods if pod.node]
            if job.gang and bound and len(bound) + len(job.finished) < job.members:
                since = self.half.setdefault(job.name, self.now)
                assert self.may_break, f"half of {job.name} was bound"
                assert self.now - since <= self.law.hold + LONGEST_PAUSE + GRACE, f"{job.name} stays half"
            else:
                self.half.pop(job.name, None)

    def done(self) -> tuple[str, ...]:
        return tuple(job.name for job in self.jobs.values() if job.gang for _ in job.finished)

    def check_preemptions(self) -> None:
        assert not {pair for pair in self.pairs if pair[::-1] in self.pairs}, "back and forth"

    def check_budgets(self, policy: Policy) -> None:
        if policy.preempting is not Preempting.PRIORITY:
            for name, times in self.taken.items():
                members = sum(job.members for job in self.jobs.values() if job.name == name and job.gang)
                assert times <= self.law.budget * max(members, 1), f"{name} was taken too often"

    def check_again(self, policy: Policy, rules: PreemptionRules | None) -> None:
        again = Core(policy, (GPU,), rules=rules)
        for event, now, actions in self.history:
            assert again.handle(event, now) == actions, "the same history led to other actions"


def work(task: Task) -> str:
    """The workload that a pod belongs to, over the pods that follow it."""
    return task.owner if task.gang is not None else f"{task.owner}/{task.index}"


jobs = st.builds(
    lambda chips, members, hours, slack, saves, priority, gang: (
        chips,
        members,
        hours,
        slack,
        saves,
        priority,
        gang and members > 1,
    ),
    st.sampled_from([2, 3, 4, 8]),
    st.sampled_from([1, 1, 2]),
    st.sampled_from([0.5, 1.0, 3.0, 6.0]),
    st.sampled_from([None, 0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 8.0]),
    st.sampled_from([None, 10 * MINUTE]),
    st.sampled_from([0, 0, 5]),
    st.booleans(),
)
ORDERS = list(POLICIES.values())
PREEMPTING = [policy for policy in ORDERS if policy.preempting is not Preempting.NEVER]


class WorkloadMachine(RuleBasedStateMachine):
    """Submits, fails, refuses, breaks and lets time pass."""

    @initialize(
        policy=st.sampled_from([*ORDERS, *PREEMPTING * 2]), law=st.one_of(st.none(), *[strictness] * 4)
    )
    def begin(self, policy: Policy, law: PreemptionRules | None) -> None:
        self.policy, self.law = policy, law
        self.world = World(policy, self.law)

    @rule(
        job=jobs,
        refuse=st.sets(st.integers(0, 2), max_size=2).filter(lambda some: len(some) < 2),
    )
    def submit(
        self, job: tuple[int, int, float, float | None, int | None, int, bool], refuse: set[int]
    ) -> None:
        world = self.world
        chips, members, hours, slack, saves, priority, gang = job
        if len(world.jobs) >= 14:
            return
        deadline = None if slack is None else world.now + round((hours + slack) * HOUR)
        name = f"job{len(world.jobs)}"
        world.submit(Job(name, chips, members, hours, world.now, deadline, saves, priority, gang))
        world.may_break = world.may_break or bool(refuse)
        world.settle(refuse)

    @rule(minutes=st.sampled_from([1, 7, 20, 60]))
    def time_passes(self, minutes: int) -> None:
        self.world.advance(minutes * MINUTE)

    @precondition(lambda self: any(pod.node for pod in self.world.pods.values()))
    @rule(data=st.data())
    def a_pod_fails(self, data: st.DataObject) -> None:
        world = self.world
        uid = data.draw(st.sampled_from(sorted(uid for uid, pod in world.pods.items() if pod.node)))
        job = world.jobs[world.pods[uid].owner]
        lost = [each for each, pod in world.pods.items() if pod.owner == job.name] if job.gang else [uid]
        for each in lost:
            world.end(each)
        world.settle()

    @rule(name=st.sampled_from(NODES), chips=st.sampled_from([CHIPS, CHIPS, 5]))
    def chips_come_and_go(self, name: str, chips: int) -> None:
        world = self.world
        world.nodes[name] = chips
        for uid in [uid for uid, pod in world.pods.items() if pod.node == name]:
            world.end(uid)
            world.may_break = True  # a gang may have lost a part of it
        world.feed(NodeSeen(world.node(name)))
        world.settle()

    @precondition(lambda self: any(pod.deleting for pod in self.world.pods.values()))
    @rule(data=st.data())
    def a_preemption_is_refused(self, data: st.DataObject) -> None:
        world = self.world
        uid = data.draw(st.sampled_from(sorted(uid for uid, pod in world.pods.items() if pod.deleting)))
        world.pods[uid] = replace(world.pods[uid], deleting=None)
        world.taken[work(world.pods[uid])] -= 1
        world.may_break = True  # the rest of its gang ends
        world.feed(PodSeen(world.pods[uid]))
        world.feed(PreemptRefused(world.pods[uid].ref, "no"))
        world.settle()

    @rule()
    def everything_is_listed_again(self) -> None:
        world = self.world
        before = len(world.history)
        world.feed(PodsListed(tuple(world.pods.values()), world.done()))
        world.feed(NodesListed(tuple(map(world.node, NODES))))
        assert [actions for _, _, actions in world.history[before:]] == [[], []], "no news"

    @rule()
    def the_scheduler_restarts(self) -> None:
        """A new one knows only what the API tells."""
        world = self.world
        world.settle()
        world.pauses.clear()
        world.gathering, world.wake_at = False, None
        world.core, world.history = Core(self.policy, (GPU,), rules=self.law), []
        world.pairs.clear()
        world.taken.clear()
        world.feed(NodesListed(tuple(map(world.node, NODES))))
        world.half.clear()
        world.feed(PodsListed(tuple(world.pods.values()), world.done()))
        world.settle()

    @invariant()
    def preemptions_are_bounded(self) -> None:
        if hasattr(self, "world"):
            self.world.check_preemptions()
            self.world.check_budgets(self.policy)

    def teardown(self) -> None:
        """In the end everything that can run has run."""
        if not hasattr(self, "world"):
            return
        world = self.world
        for name in NODES:
            world.nodes[name] = CHIPS
            world.feed(NodeSeen(world.node(name)))
        world.settle()
        for _ in range(200):
            if all(len(job.finished) == job.members for job in world.jobs.values()):
                break
            world.advance(HOUR)
        left = [job.name for job in world.jobs.values() if len(job.finished) < job.members]
        assert left == [], "work was lost"
        assert world.wake_at is None, "a timer is left though nothing waits"
        world.check_again(self.policy, self.law)


WorkloadMachine.TestCase.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
TestWorkloads = WorkloadMachine.TestCase


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(jobs, st.integers(0, 90)), min_size=2, max_size=12), strictness)
def test_nobody_takes_the_place_of_one_who_took_its_own(
    submitted: list[tuple[tuple[int, int, float, float | None, int | None, int, bool], int]],
    law: PreemptionRules,
) -> None:
    for policy in PREEMPTING:
        world = World(policy, law)
        for number, ((chips, members, hours, slack, saves, priority, gang), minutes) in enumerate(submitted):
            deadline = None if slack is None else world.now + round((hours + slack) * HOUR)
            world.submit(
                Job(f"job{number}", chips, members, hours, world.now, deadline, saves, priority, gang)
            )
            world.settle()
            world.advance(minutes * MINUTE)
            world.check_preemptions()
            world.check_budgets(policy)
        for _ in range(200):
            world.advance(HOUR)
        assert not world.pods, "work was lost"
        assert len(world.pairs) <= (3 * len(submitted)) ** 2 // 2
