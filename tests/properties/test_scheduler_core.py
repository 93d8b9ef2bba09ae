"""The scheduler's decision core against a plain model of it, over arbitrary histories."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from scheduler.fit import fits, reasons_against
from scheduler.messages import (
    Action,
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
from scheduler.model import Demand, Node, PodRef, Taint, Task, Timing, Toleration
from scheduler.placement import PACKINGS, Packing
from scheduler.policy import POLICIES, Late, Policy, Rank, least_slack
from scheduler.room import Room
from scheduler.state import GRAIN, Core
from scheduler.timetext import HOUR, SECOND, parse_instant

START = parse_instant("2026-01-05T00:00:00Z")
GPU = "nvidia.com/gpu"
T = TypeVar("T")

SPOT = Taint("spot", "", "NoSchedule")

NAMES = [f"node-{i}" for i in range(3)]
UIDS = [f"pod-{i}" for i in range(9)]


def mostly(usual: T, *others: T) -> st.SearchStrategy[T]:
    """The usual value two times out of three: histories in which nothing ever fits teach nothing."""
    return st.sampled_from([usual] * 2 * len(others) + list(others))


demands = st.builds(
    Demand,
    cpu=mostly(1000, 0, 3000),
    memory=mostly(1, 0, 2),
    others=st.sampled_from([(), ((GPU, 1),), ((GPU, 2),), ((GPU, 5),)]),
    node_selector=mostly((), (("rack", "a"),)),
    tolerations=mostly((), (Toleration("spot", "Exists"),)),
    unsupported=mostly((), (), (), ("spec.x",)),
)
timings = st.builds(
    lambda hours, work, stated: Timing(START + hours * HOUR, work * HOUR, stated) if stated else Timing(),
    st.integers(0, 6),
    st.integers(0, 3),
    mostly(True, False),
)
nodes = st.builds(
    Node,
    name=st.sampled_from(NAMES),
    cpu=mostly(8000, 0, 2000),
    memory=mostly(8, 1),
    pods=mostly(10, 0, 2),
    others=st.sampled_from([(), ((GPU, 2),), ((GPU, 5),), ((GPU, 8),)]),
    labels=st.sampled_from([frozenset(), frozenset({("rack", "a")})]),
    taints=mostly((), (SPOT,)),
    unschedulable=mostly(False, True),
    lost=mostly((), ((GPU, 1),)),
)


def pending(uid: str, demand: Demand, timing: Timing, created: int, priority: int) -> Task:
    return Task(PodRef("default", uid, uid), demand, timing, START + created * SECOND, priority=priority)


tasks = st.builds(
    pending, st.sampled_from(UIDS), demands, timings, st.integers(0, 2), st.sampled_from([0, 0, -1, 7])
)

ORDERS = [*POLICIES.values(), least_slack(Late.KEEP), least_slack(Late.DROP_PRIORITY)]
policies = st.sampled_from(ORDERS)
packings = st.sampled_from(list(PACKINGS.values()))


class Model:
    """The same decisions by looking at everything, each time: slow, and plain to see."""

    def __init__(self, policy: Policy, packing: Packing) -> None:
        self.policy = policy
        self.by_share = packing.name == "utilization"
        self.nodes: dict[str, Node] = {}
        self.waiting: dict[str, Task] = {}
        self.held: dict[str, tuple[str, Demand]] = {}

    def room(self, name: str) -> Room:
        return Room(
            self.nodes[name], {uid: held for uid, (place, held) in self.held.items() if place == name}
        )

    def rank(self, task: Task, now: int) -> Rank:
        last = self.policy.late_after(task)
        return self.policy.rank(task, last is not None and last < now // GRAIN * GRAIN)

    def best(self, demand: Demand) -> str | None:
        rooms = [room for room in map(self.room, self.nodes) if fits(demand, room)]
        return min(rooms, key=lambda room: self.preference(demand, room)).node.name if rooms else None

    def preference(self, demand: Demand, room: Room) -> tuple[bool, Fraction, int, int, int, int, str]:
        chips = max(0, room.free_others.get(GPU, 0))
        spared = not demand.others and bool(room.node.others)
        wear = self.wear(room)
        return (spared, self.measure(room), chips, wear, room.free_cpu, room.free_memory, room.node.name)

    def wear(self, room: Room) -> int:
        """Damaged nodes before used ones before whole ones; nodes that have no chips are all alike."""
        if not room.node.others:
            return 0
        if room.node.lost:
            return 0
        return 2 if room.free_others[GPU] == dict(room.node.others)[GPU] else 1

    def measure(self, room: Room) -> Fraction:
        if not self.by_share or not room.node.others:
            return Fraction(0)
        (_, offered), *_ = room.node.others
        return Fraction(room.free_others[GPU] - offered, offered)

    def round(self, now: int) -> list[Bind]:
        bindings = []
        for task in sorted(self.waiting.values(), key=lambda each: self.rank(each, now)):
            name = self.best(task.demand)
            if name is not None:
                del self.waiting[task.ref.uid]
                self.held[task.ref.uid] = (name, task.demand)
                bindings.append(Bind(task.ref, name))
        return bindings


class CoreMachine(RuleBasedStateMachine):
    """Lets things happen in any order and compares each round with the model's."""

    def __init__(self) -> None:
        super().__init__()
        self.now = START
        self.pausing: dict[str, Task] = {}
        self.unconfirmed: dict[str, Bind] = {}
        self.tasks: dict[str, Task] = {}
        self.gathering = False
        self.told: dict[str, str] = {}
        self.history: list[tuple[Happening, int, list[Action]]] = []

    @initialize(policy=policies, packing=packings, first=st.lists(nodes, unique_by=lambda node: node.name))
    def begin(self, policy: Policy, packing: Packing, first: list[Node]) -> None:
        self.policy, self.packing = policy, packing
        self.core = Core(policy, (GPU,), packing)
        self.model = Model(policy, packing)
        self.model.nodes = {node.name: node for node in first}
        self.feed(NodesListed(tuple(first)))
        self.feed(PodsListed(()))

    def feed(self, event: Happening) -> list[Action]:
        actions = self.core.handle(event, self.now)
        self.history.append((event, self.now, actions))
        for action in actions:
            if isinstance(action, Gather):
                assert not self.gathering, "a second window was asked for"
                self.gathering = True
        return actions

    @rule(some=st.lists(tasks, min_size=1, max_size=4))
    def pods_come_or_change(self, some: list[Task]) -> None:
        for task in some:
            self.pod_comes_or_changes(task)

    def pod_comes_or_changes(self, task: Task) -> None:
        uid = task.ref.uid
        if uid in self.tasks and self.tasks[uid].node:
            return
        self.tasks[uid] = task
        if uid in self.model.held:
            self.model.held[uid] = (self.model.held[uid][0], task.demand)
        elif uid in self.pausing:
            self.pausing[uid] = task
        else:
            self.model.waiting[uid] = task
        self.feed(PodSeen(task))

    @rule(uid=st.sampled_from(UIDS))
    def pod_goes(self, uid: str) -> None:
        for known in (
            self.tasks,
            self.model.waiting,
            self.model.held,
            self.pausing,
            self.unconfirmed,
            self.told,
        ):
            known.pop(uid, None)
        self.feed(PodGone(uid))

    @rule(task=tasks, name=st.sampled_from(NAMES))
    def somebody_else_binds(self, task: Task, name: str) -> None:
        uid = task.ref.uid
        if uid in self.tasks:
            return
        bound = replace(task, node=name)
        self.tasks[uid] = bound
        self.model.held[uid] = (name, task.demand)
        self.feed(PodSeen(bound))

    @rule(node=nodes)
    def node_comes_or_changes(self, node: Node) -> None:
        self.model.nodes[node.name] = node
        self.feed(NodeSeen(node))

    @rule(name=st.sampled_from(NAMES))
    def node_goes(self, name: str) -> None:
        self.model.nodes.pop(name, None)
        self.feed(NodeGone(name))

    @rule()
    def everything_is_listed_again(self) -> None:
        actions = self.feed(PodsListed(tuple(self.tasks.values())))
        actions += self.feed(NodesListed(tuple(self.model.nodes.values())))
        assert actions == [], "what was known already is no news"

    @precondition(lambda self: self.gathering)
    @rule(minutes=st.integers(0, 90))
    def window_ends(self, minutes: int) -> None:
        self.now += minutes * 60 * SECOND
        self.gathering = False
        before = {name: self.model.room(name) for name in self.model.nodes}
        actions = self.feed(WindowOver())
        bindings = [each for each in actions if isinstance(each, Bind)]
        self.check_capacity(before, bindings)
        assert bindings == self.model.round(self.now)
        for each in bindings:
            self.unconfirmed[each.ref.uid] = each
            self.told.pop(each.ref.uid, None)
        for action in actions:
            if isinstance(action, MarkUnschedulable):
                assert self.told.get(action.ref.uid) != action.message, "the same was told again"
                self.told[action.ref.uid] = action.message
        assert self.model.waiting.keys() <= self.told.keys(), "a pod was left without an answer"

    def check_capacity(self, before: dict[str, Room], bindings: Sequence[Bind]) -> None:
        for each in bindings:
            room = before[each.node]
            demand = self.tasks[each.ref.uid].demand
            assert reasons_against(demand, room) == [], "a node was given more than it has"
            room.take(each.ref.uid, demand)

    @precondition(lambda self: self.unconfirmed)
    @rule(data=st.data())
    def a_binding_is_taken(self, data: st.DataObject) -> None:
        uid = data.draw(st.sampled_from(sorted(self.unconfirmed)))
        binding = self.unconfirmed.pop(uid)
        task = self.tasks[uid]
        self.tasks[uid] = replace(task, node=binding.node)
        shown = PodSeen(self.tasks[uid])
        events: list[Happening] = [BindDone(binding.ref, binding.node), shown]
        for event in data.draw(st.permutations(events)):
            assert not any(isinstance(each, Gather) for each in self.feed(event)), "an echo caused a window"

    @precondition(lambda self: self.unconfirmed)
    @rule(data=st.data())
    def a_binding_is_refused(self, data: st.DataObject) -> None:
        uid = data.draw(st.sampled_from(sorted(self.unconfirmed)))
        binding = self.unconfirmed.pop(uid)
        del self.model.held[uid]
        self.pausing[uid] = self.tasks[uid]
        actions = self.feed(BindRefused(binding.ref, binding.node, "no"))
        assert any(isinstance(each, BackOff) for each in actions)

    @precondition(lambda self: self.pausing)
    @rule(data=st.data())
    def a_pause_ends(self, data: st.DataObject) -> None:
        uid = data.draw(st.sampled_from(sorted(self.pausing)))
        self.model.waiting[uid] = self.pausing.pop(uid)
        self.feed(BackOffOver(uid))

    @invariant()
    def is_consistent(self) -> None:
        if hasattr(self, "core"):
            self.core.validate()

    @invariant()
    def nobody_waits_who_could_run(self) -> None:
        if hasattr(self, "core") and not self.gathering:
            assert all(self.model.best(task.demand) is None for task in self.model.waiting.values())

    def teardown(self) -> None:
        if hasattr(self, "core"):
            again = Core(self.policy, (GPU,), self.packing)
            for event, now, actions in self.history:
                assert again.handle(event, now) == actions, "the same history led to other actions"


CoreMachine.TestCase.settings = settings(max_examples=200, stateful_step_count=50)
TestCore = CoreMachine.TestCase


@given(
    st.lists(nodes, unique_by=lambda node: node.name),
    st.lists(tasks, unique_by=lambda task: task.ref.uid),
    st.data(),
    policies,
)
def test_the_order_of_arrival_within_a_window_does_not_matter(
    some_nodes: list[Node], some_tasks: list[Task], data: st.DataObject, policy: Policy
) -> None:
    arrivals: list[Happening] = [*map(NodeSeen, some_nodes), *map(PodSeen, some_tasks)]

    def decided(order: Sequence[Happening]) -> list[Action]:
        core = Core(policy, (GPU,))
        for event in (NodesListed(()), PodsListed(()), *order):
            core.handle(event, START)
        return core.handle(WindowOver(), START)

    assert decided(data.draw(st.permutations(arrivals))) == decided(arrivals)
