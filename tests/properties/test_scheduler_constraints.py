"""Where pods may go, against a second implementation that follows kube-scheduler's filters line by line.

The oracle keeps nothing between questions and shares no code with the scheduler: it walks over all nodes and
pods as the plugins NodeUnschedulable, TaintToleration, NodeAffinity, NodePorts, NodeResourcesFit,
PodTopologySpread and InterPodAffinity do (their order, their messages).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.cluster import Cluster
from scheduler.constraints import NodeTerm, PodTerm, Port, Requirement, Selector, Spread, Taint, Toleration
from scheduler.explain import reasons_on
from scheduler.messages import (
    Bind,
    Gather,
    Happening,
    NamespacesListed,
    NodeSeen,
    NodesListed,
    PodGone,
    PodSeen,
    PodsListed,
    WindowOver,
)
from scheduler.model import Demand, Labels, Node, PodRef, Task, Timing
from scheduler.peers import Kin
from scheduler.policy import FIRST_COME
from scheduler.state import Core

# The oracle ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Placed:
    uid: str
    node: str
    kin: Kin
    demand: Demand
    ending: bool


@dataclass(frozen=True)
class World:
    nodes: dict[str, Node]
    pods: list[Placed]
    namespaces: dict[str, dict[str, str]]

    def on(self, name: str) -> list[Placed]:
        return [pod for pod in self.pods if pod.node == name]


def label(node: Node, key: str) -> str | None:
    return dict(node.labels).get(key)


def requirement_matches(requirement: Requirement, labels: dict[str, str]) -> bool:
    """k8s.io/apimachinery/pkg/labels Requirement.Matches."""
    has = requirement.key in labels
    if requirement.operator == "In":
        return has and labels[requirement.key] in requirement.values
    if requirement.operator == "NotIn":
        return not has or labels[requirement.key] not in requirement.values
    if requirement.operator == "Exists":
        return has
    if requirement.operator == "DoesNotExist":
        return not has
    if not has:
        return False
    number, bound = int(labels[requirement.key]), int(requirement.values[0])
    return number > bound if requirement.operator == "Gt" else number < bound


def selector_matches(selector: Selector | None, labels: Labels) -> bool:
    return selector is not None and all(requirement_matches(each, dict(labels)) for each in selector)


def tolerated(taint: Taint, tolerations: tuple[Toleration, ...]) -> bool:
    """k8s.io/api/core/v1 Toleration.ToleratesTaint."""
    for each in tolerations:
        if each.effect not in {"", taint.effect} or each.key not in {"", taint.key}:
            continue
        if each.operator == "Exists" or each.value == taint.value:
            return True
    return False


def node_affinity_matches(demand: Demand, node: Node) -> bool:
    if any(label(node, key) != value for key, value in demand.node_selector):
        return False
    if demand.node_terms is None:
        return True
    for term in demand.node_terms:
        if not term.labels and not term.fields:
            continue
        if selector_matches(term.labels, node.labels) and selector_matches(
            term.fields, frozenset({("metadata.name", node.name)})
        ):
            return True
    return False


def taints_matter(demand: Demand, node: Node) -> bool:
    hard = [taint for taint in node.taints if taint.effect in {"NoSchedule", "NoExecute"}]
    return any(not tolerated(taint, demand.tolerations) for taint in hard)


def ports_conflict(demand: Demand, world: World, node: Node) -> bool:
    held = [port for pod in world.on(node.name) for port in pod.demand.ports]
    return any(
        mine.protocol == theirs.protocol
        and mine.number == theirs.number
        and (mine.address == theirs.address or "0.0.0.0" in {mine.address, theirs.address})
        for mine in demand.ports
        for theirs in held
    )


def shortages(demand: Demand, world: World, node: Node) -> list[str]:
    on = world.on(node.name)
    found = ["Too many pods"] if len(on) + 1 > node.pods else []
    for name, wanted, offered, used in (
        ("cpu", demand.cpu, node.cpu, sum(pod.demand.cpu for pod in on)),
        ("memory", demand.memory, node.memory, sum(pod.demand.memory for pod in on)),
    ):
        if wanted > 0 and wanted > offered - used:
            found.append(f"Insufficient {name}")
    for name, amount in demand.others:
        used = sum(dict(pod.demand.others).get(name, 0) for pod in on)
        if amount > dict(node.others).get(name, 0) - used:
            found.append(f"Insufficient {name}")
    return found


def spread_objection(demand: Demand, kin: Kin, world: World, node: Node) -> str | None:
    """podtopologyspread: calPreFilterState and Filter."""
    counts: list[dict[str, int]] = [{} for _ in demand.spread]
    for other in world.nodes.values():
        if any(label(other, each.topology_key) is None for each in demand.spread):
            continue
        for each, count in zip(demand.spread, counts, strict=True):
            if each.honour_affinity and not node_affinity_matches(demand, other):
                continue
            if each.honour_taints and taints_matter(demand, other):
                continue
            value = label(other, each.topology_key) or ""
            count[value] = count.get(value, 0) + matching_pods(each, kin, world, other)
    for each, count in zip(demand.spread, counts, strict=True):
        domain = label(node, each.topology_key)
        if domain is None:
            return "node(s) didn't match pod topology spread constraints (missing required label)"
        least = min(count.values()) if len(count) >= each.min_domains and count else 0
        mine = 1 if selector_matches(each.selector, kin.labels) else 0
        if count.get(domain, 0) + mine - least > each.max_skew:
            return "node(s) didn't match pod topology spread constraints"
    return None


def matching_pods(spread: Spread, kin: Kin, world: World, node: Node) -> int:
    """podtopologyspread.countPodsMatchSelector: an empty selector counts nothing."""
    if spread.selector == ():
        return 0
    return sum(
        not pod.ending
        and pod.kin.namespace == kin.namespace
        and selector_matches(spread.selector, pod.kin.labels)
        for pod in world.on(node.name)
    )


def term_matches(term: PodTerm, kin: Kin, world: World) -> bool:
    """k8s.io/kube-scheduler/framework AffinityTerm.Matches, with the namespaces' selector merged in."""
    named = kin.namespace in term.namespaces
    selected = term.namespace_selector is not None and selector_matches(
        term.namespace_selector, frozenset(world.namespaces.get(kin.namespace, {}).items())
    )
    return (named or selected) and selector_matches(term.selector, kin.labels)


def pairs(terms: tuple[PodTerm, ...], node: Node) -> Iterator[tuple[str, str]]:
    for term in terms:
        value = label(node, term.topology_key)
        if value is not None:
            yield term.topology_key, value


def affinity_objection(demand: Demand, kin: Kin, world: World, node: Node) -> str | None:
    """interpodaffinity: PreFilter's three maps of topology pairs, and Filter."""
    existing: set[tuple[str, str]] = set()
    friends: set[tuple[str, str]] = set()
    foes: set[tuple[str, str]] = set()
    for other in world.nodes.values():
        for pod in world.on(other.name):
            theirs = [t for t in pod.demand.anti_affinity if term_matches(t, kin, world)]
            existing.update(pairs(tuple(theirs), other))
            if demand.affinity and all(term_matches(t, pod.kin, world) for t in demand.affinity):
                friends.update(pairs(demand.affinity, other))
            mine = [t for t in demand.anti_affinity if term_matches(t, pod.kin, world)]
            foes.update(pairs(tuple(mine), other))
    exist = True
    for term in demand.affinity:
        value = label(node, term.topology_key)
        if value is None:
            return "node(s) didn't match pod affinity rules"
        exist = exist and (term.topology_key, value) in friends
    if not exist and (friends or not all(term_matches(t, kin, world) for t in demand.affinity)):
        return "node(s) didn't match pod affinity rules"
    if set(pairs(demand.anti_affinity, node)) & foes:
        return "node(s) didn't match pod anti-affinity rules"
    if existing & set(node.labels):
        return "node(s) didn't satisfy existing pods anti-affinity rules"
    return None


def reasons(demand: Demand, kin: Kin, world: World, node: Node) -> list[str]:
    cordon = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
    if node.unschedulable and not tolerated(cordon, demand.tolerations):
        return ["node(s) were unschedulable"]
    if taints_matter(demand, node):
        return ["node(s) had untolerated taint(s)"]
    if not node_affinity_matches(demand, node):
        return ["node(s) didn't match Pod's node affinity/selector"]
    if ports_conflict(demand, world, node):
        return ["node(s) didn't have free ports for the requested pod ports"]
    short = shortages(demand, world, node)
    if short:
        return short
    said = spread_objection(demand, kin, world, node) or affinity_objection(demand, kin, world, node)
    return [said] if said else []


# What is asked ------------------------------------------------------------------------------------

KEYS = ["zone", "rack", "host"]
labels = st.dictionaries(st.sampled_from(["app", "tier"]), st.sampled_from("ab"), max_size=2).map(
    lambda found: frozenset(found.items())
)
kins = st.builds(Kin, st.sampled_from(["red", "blue"]), labels)


def requirements(keys: list[str]) -> st.SearchStrategy[Requirement]:
    return st.one_of(
        st.builds(
            Requirement,
            st.sampled_from(keys),
            st.sampled_from(["In", "NotIn"]),
            st.lists(st.sampled_from("ab"), min_size=1, max_size=2, unique=True).map(tuple),
        ),
        st.builds(Requirement, st.sampled_from(keys), st.sampled_from(["Exists", "DoesNotExist"])),
    )


def selectors(keys: list[str]) -> st.SearchStrategy[Selector]:
    return st.lists(requirements(keys), max_size=2).map(tuple)


pod_selectors = st.one_of(selectors(["app", "tier"]), st.none())
terms = st.builds(
    PodTerm,
    topology_key=st.sampled_from(KEYS),
    selector=pod_selectors,
    namespaces=st.sampled_from([("red",), ("blue",), ("red", "blue"), ()]),
    namespace_selector=st.one_of(st.none(), selectors(["team"])),
)
spreads = st.builds(
    Spread,
    topology_key=st.sampled_from(KEYS),
    max_skew=st.integers(1, 2),
    selector=pod_selectors,
    min_domains=st.sampled_from([1, 1, 2, 3]),
    honour_affinity=st.booleans(),
    honour_taints=st.booleans(),
)
ports = st.builds(
    Port,
    st.sampled_from(["TCP", "UDP"]),
    st.sampled_from([80, 81]),
    st.sampled_from(["0.0.0.0", "10.0.0.1", "10.0.0.2"]),
)
taints = st.builds(
    Taint,
    st.sampled_from(["spot", "old"]),
    st.sampled_from(["", "x"]),
    st.sampled_from(["NoSchedule", "NoExecute", "PreferNoSchedule"]),
)
tolerations = st.builds(
    Toleration,
    st.sampled_from(["spot", "old", "node.kubernetes.io/unschedulable"]),
    st.sampled_from(["Equal", "Exists"]),
    st.sampled_from(["", "x"]),
    st.sampled_from(["", "NoSchedule", "NoExecute"]),
)
node_terms = st.builds(
    NodeTerm,
    labels=selectors(["zone", "rack"]),
    fields=st.one_of(
        st.just(()),
        st.sampled_from("ab").map(lambda name: (Requirement("metadata.name", "In", (f"n{name}",)),)),
    ),
)


def few(strategy: st.SearchStrategy[object], most: int = 1) -> st.SearchStrategy[tuple[object, ...]]:
    """Mostly none: with everything at once nothing ever fits."""
    return st.one_of(st.just(()), st.just(()), st.lists(strategy, max_size=most).map(tuple))


demands = st.builds(
    Demand,
    cpu=st.integers(0, 2),
    memory=st.integers(0, 2),
    others=st.sampled_from([(), (), (("gpu", 1),), (("gpu", 2),)]),
    node_selector=st.sampled_from([(), (), (), (("zone", "a"),)]),
    node_terms=st.one_of(st.none(), st.none(), st.lists(node_terms, max_size=2).map(tuple)),
    tolerations=few(tolerations, 2),
    ports=few(ports, 2),
    affinity=few(terms, 2),
    anti_affinity=few(terms, 2),
    spread=few(spreads, 2),
)


@st.composite
def nodes(draw: st.DrawFn, name: str) -> Node:
    where = draw(st.dictionaries(st.sampled_from(["zone", "rack"]), st.sampled_from("ab"), max_size=2))
    host = {"host": name} if draw(st.integers(0, 4)) else {}
    return Node(
        name,
        cpu=draw(st.integers(2, 6)),
        memory=draw(st.integers(2, 6)),
        pods=draw(st.integers(1, 5)),
        others=draw(st.sampled_from([(), (("gpu", 2),), (("gpu", 4),)])),
        labels=frozenset({**where, **host}.items()),
        taints=draw(few(taints)),  # type: ignore[arg-type]  # few() forgets of what they are a few
        unschedulable=draw(st.integers(0, 9)) == 0,
    )


@st.composite
def worlds(draw: st.DrawFn) -> World:
    found = {name: draw(nodes(name)) for name in ("na", "nb", "nc", "nd")[: draw(st.integers(1, 4))]}
    where = st.sampled_from([*found, "unknown"])
    pods = [
        Placed(f"p{n}", draw(where), draw(kins), draw(demands), draw(st.integers(0, 4)) == 0)
        for n in range(draw(st.integers(0, 6)))
    ]
    team = st.dictionaries(st.just("team"), st.sampled_from("ab"))
    return World(found, pods, {"red": draw(team), "blue": draw(team)})


def cluster_of(world: World) -> Cluster:
    cluster = Cluster(("gpu",))
    cluster.peers.set_namespaces(
        [(name, frozenset(found.items())) for name, found in world.namespaces.items()]
    )
    for node in world.nodes.values():
        cluster.set_node(node)
    for pod in world.pods:
        cluster.put(pod.uid, pod.node, pod.demand, pod.kin, ending=pod.ending)
    return cluster


@settings(max_examples=200, deadline=None)
@given(worlds(), demands, kins)
def test_nodes_take_a_pod_exactly_where_kube_scheduler_would_bind_it(
    world: World, demand: Demand, kin: Kin
) -> None:
    cluster = cluster_of(world)
    view = cluster.view(demand, kin)
    for name, node in world.nodes.items():
        expected = reasons(demand, kin, world, node)
        assert reasons_on(demand, cluster.rooms[name], view) == expected
        assert cluster.fits(demand, kin, name) == (not expected)
    allowed = {name for name, node in world.nodes.items() if not reasons(demand, kin, world, node)}
    best = cluster.best(demand, kin)
    assert (best.node.name in allowed) if best is not None else not allowed
    cluster.validate()


# The same where only other pods matter: nodes with room for all and hardly anything against anybody.

alike = st.sampled_from([frozenset({("app", "a")}), frozenset({("app", "a"), ("tier", "b")}), frozenset()])
social_kins = st.builds(Kin, st.sampled_from(["red", "red", "blue"]), alike)
social_selectors = st.sampled_from(
    [(Requirement("app", "In", ("a",)),), (Requirement("tier", "Exists"),), (Requirement("app", "Exists"),)]
)
social_terms = st.one_of(
    terms,
    st.builds(PodTerm, st.sampled_from(KEYS), social_selectors, st.just(("red",))),
)
social_spreads = st.one_of(
    spreads,
    st.builds(
        Spread,
        topology_key=st.sampled_from(KEYS),
        max_skew=st.just(1),
        selector=social_selectors,
        min_domains=st.sampled_from([1, 1, 3]),
        honour_affinity=st.booleans(),
        honour_taints=st.booleans(),
    ),
)


@st.composite
def social_demands(draw: st.DrawFn) -> Demand:
    tolerated = (Toleration("spot", "Exists"),) if draw(st.booleans()) else ()
    nothing = Demand(tolerations=tolerated, node_selector=draw(st.sampled_from([(), (), (("zone", "a"),)])))
    some = st.lists(social_terms, min_size=1, max_size=2).map(tuple)
    kind = draw(st.sampled_from(["affinity", "anti_affinity", "spread", "nothing"]))
    if kind == "affinity":
        return replace(nothing, affinity=draw(some))
    if kind == "anti_affinity":
        return replace(nothing, anti_affinity=draw(some))
    if kind == "spread":
        return replace(nothing, spread=draw(st.lists(social_spreads, min_size=1, max_size=2).map(tuple)))
    return nothing


@st.composite
def social_worlds(draw: st.DrawFn) -> World:
    found = {}
    for name in ("na", "nb", "nc", "nd"):
        where = {"zone": draw(st.sampled_from("ab")), "rack": draw(st.sampled_from("abc")), "host": name}
        if draw(st.integers(0, 5)) == 0:
            del where["rack"]
        tainted = (Taint("spot", "", "NoSchedule"),) if draw(st.integers(0, 4)) == 0 else ()
        found[name] = Node(name, 9, 9, 99, labels=frozenset(where.items()), taints=tainted)
    pods = [
        Placed(f"p{n}", draw(st.sampled_from([*found])), draw(social_kins), draw(social_demands()), ending)
        for n, ending in enumerate(draw(st.lists(st.sampled_from([False, False, True]), max_size=7)))
    ]
    return World(found, pods, {"red": {"team": "a"}, "blue": {"team": "b"}})


@settings(max_examples=500, deadline=None)
@given(social_worlds(), social_demands(), social_kins)
def test_pods_repel_and_attract_each_other_as_under_kube_scheduler(
    world: World, demand: Demand, kin: Kin
) -> None:
    cluster = cluster_of(world)
    view = cluster.view(demand, kin)
    for name, node in world.nodes.items():
        assert reasons_on(demand, cluster.rooms[name], view) == reasons(demand, kin, world, node)


@settings(max_examples=150, deadline=None)
@given(social_worlds(), st.lists(st.tuples(social_demands(), social_kins), min_size=1, max_size=4), st.data())
def test_what_is_remembered_between_questions_follows_the_pods_and_nodes(
    world: World, asked: list[tuple[Demand, Kin]], data: st.DataObject
) -> None:
    cluster = cluster_of(world)
    pods = {pod.uid: pod for pod in world.pods}
    known = dict(world.nodes)
    for demand, kin in asked * 2:
        uid = data.draw(st.sampled_from([f"p{n}" for n in range(7)]))
        if data.draw(st.booleans()):
            pod = Placed(
                uid,
                data.draw(st.sampled_from([*known, "x"])),
                data.draw(social_kins),
                data.draw(social_demands()),
                False,
            )
            pods[uid] = pod
            cluster.put(uid, pod.node, pod.demand, pod.kin)
        elif pods.pop(uid, None):
            cluster.release(uid)
        changed = data.draw(st.sampled_from(sorted(world.nodes)))
        known[changed] = data.draw(nodes(changed))
        cluster.set_node(known[changed])
        now = World(known, list(pods.values()), world.namespaces)
        view = cluster.view(demand, kin)
        for name, node in known.items():
            assert reasons_on(demand, cluster.rooms[name], view) == reasons(demand, kin, now, node)
        cluster.validate()


# Through the decision core ------------------------------------------------------------------------


crowd = (Requirement("app", "In", ("a",)),)
crowding_kins = st.builds(Kin, st.just("red"), st.sampled_from([frozenset({("app", "a")}), frozenset()]))
crowding_terms = st.builds(
    PodTerm, st.sampled_from(["zone", "zone", "host"]), st.just(crowd), st.just(("red",))
)


@st.composite
def crowding_demands(draw: st.DrawFn) -> Demand:
    """One kind of wish, about pods that are many, so that some wait and others free their way."""
    match draw(st.sampled_from(["affinity", "anti_affinity", "spread", "nothing"])):
        case "affinity":
            return Demand(affinity=(draw(crowding_terms),))
        case "anti_affinity":
            return Demand(anti_affinity=(draw(crowding_terms),))
        case "spread":
            return Demand(spread=(Spread(draw(st.sampled_from(["zone", "host"])), 1, crowd),))
    return Demand()


class Play:
    """A core whose bindings are taken at once, checked against the oracle one by one."""

    def __init__(self, world: World) -> None:
        self.core = Core(FIRST_COME, ("gpu",))
        self.nodes = dict(world.nodes)
        self.namespaces = world.namespaces
        self.placed: dict[str, Placed] = {}
        self.waiting: dict[str, Task] = {}
        self.window = False
        labels = tuple((name, frozenset(found.items())) for name, found in world.namespaces.items())
        self.feed(NamespacesListed(labels))
        self.feed(NodesListed(tuple(world.nodes.values())))
        self.feed(PodsListed(()))

    def feed(self, event: Happening) -> None:
        actions = self.core.handle(event, 0)
        self.core.validate()
        self.window = self.window or any(isinstance(action, Gather) for action in actions)
        for bind in [action for action in actions if isinstance(action, Bind)]:
            self.bind(bind)

    def bind(self, bind: Bind) -> None:
        task = self.waiting.pop(bind.ref.uid)
        kin = Kin(task.ref.namespace, task.labels)
        assert reasons(task.demand, kin, self.world(), self.nodes[bind.node]) == []
        self.placed[bind.ref.uid] = Placed(bind.ref.uid, bind.node, kin, task.demand, False)
        self.feed(PodSeen(replace(task, node=bind.node)))

    def world(self) -> World:
        return World(self.nodes, list(self.placed.values()), self.namespaces)

    def come(self, uid: str, demand: Demand, kin: Kin) -> None:
        if uid not in self.placed:
            task = Task(PodRef(kin.namespace, uid, uid), demand, Timing(), 0, labels=kin.labels)
            self.waiting[uid] = task
            self.feed(PodSeen(task))

    def go(self, uid: str) -> None:
        self.placed.pop(uid, None)
        self.waiting.pop(uid, None)
        self.feed(PodGone(uid))

    def settle(self) -> None:
        for _ in range(50):
            if not self.window:
                break
            self.window = False
            self.feed(WindowOver())
        assert not self.window, "the core never comes to rest"
        for task in self.waiting.values():
            kin = Kin(task.ref.namespace, task.labels)
            for node in self.nodes.values():
                assert reasons(task.demand, kin, self.world(), node), (
                    f"{task.ref} waits, and fits {node.name}"
                )


UIDS = [f"p{n}" for n in range(9)]
comings = st.tuples(st.sampled_from(UIDS), crowding_demands(), crowding_kins)
steps = st.one_of(comings, comings, st.sampled_from(UIDS))


@settings(max_examples=250, deadline=None)
@given(social_worlds(), st.lists(steps, min_size=4, max_size=25), st.data())
def test_pods_that_look_at_each_other_wait_no_longer_than_they_must(
    world: World, happened: list[tuple[str, Demand, Kin] | str], data: st.DataObject
) -> None:
    play = Play(world)
    for step in happened:
        if isinstance(step, str):
            play.go(step)
        else:
            play.come(*step)
        if data.draw(st.integers(0, 2)):
            play.settle()
        if data.draw(st.integers(0, 9)) == 0:
            name = data.draw(st.sampled_from(sorted(play.nodes)))
            play.nodes[name] = data.draw(nodes(name))
            play.feed(NodeSeen(play.nodes[name]))
    play.settle()
