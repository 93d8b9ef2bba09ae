"""Whatever happens to pods and machines: no chip is held twice, none that failed works, no time is lost.

What the world says of itself (``validate``) is checked after every instant; the rest is seen from outside,
in the objects of the API and in the account of work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from fakeapi.cluster.annotations import PREFIX
from fakeapi.cluster.ledger import WorkEnded, WorkStarted
from fakeapi.cluster.nodes import CHIP_RESOURCE, NodeShape, build_node
from fakeapi.cluster.pieces import COMPLETION_INDEX
from fakeapi.cluster.podstatus import has_ended
from fakeapi.kernel.clock import VirtualClock
from fakeapi.kernel.events import Rank
from fakeapi.kernel.time import DAY, SECOND, Instant
from fakeapi.machinery.resources import NODES, PODS
from fakeapi.registry.deletion import delete
from fakeapi.registry.options import DeleteOptions
from fakeapi.registry.pods import bind, evict
from fakeapi.storage.objects import Change, Key, Kind
from fakeapi.world import World

CHIPS = 4
MACHINES = ("n0", "n1", "n2")
LONGEST = 8
"""Seconds: short, so that many things fall on one instant."""
seconds = st.integers(0, LONGEST)
works = st.integers(1, 3 * LONGEST)
restarts = st.sampled_from(("Never", "Never", "OnFailure", "Always"))


def length(seconds: st.SearchStrategy[int]) -> st.SearchStrategy[str]:
    return seconds.map(lambda count: f"{count}s")


lives = st.fixed_dictionaries(
    {
        "run-time": length(works) | length(works) | st.none(),
        "checkpoint-interval": st.none() | length(st.integers(1, LONGEST)),
        "restart-cost": length(seconds),
        "start-delay": length(seconds),
        "warm-start-delay": st.none() | length(seconds),
        "stop-time": length(seconds),
        "checkpoint-on-stop": st.sampled_from(("true", "false")),
        "exit-code": st.sampled_from((0, 0, 0, 2)),
        "report-progress": st.just("lst.scheduler/progress"),
    }
)


class Happenings(RuleBasedStateMachine):
    """Pods come and go, machines break and are mended, and time passes."""

    pods = Bundle("pods")

    def __init__(self) -> None:
        super().__init__()
        self.clock = VirtualClock()
        self.world = World(self.clock, seed=7)
        self.world.kubelet.ledger.listen(self.account)
        self.world.store.listen(self.note)
        self.bound: dict[str, Instant] = {}
        self.accounts: Counter[str] = Counter()
        self.run_times: dict[str, int | None] = {}
        self.count = 0
        for number, name in enumerate(MACHINES):
            self.world.registry.create(NODES, "", self.node(name, number))

    def node(self, name: str, number: int = 0) -> dict[str, Any]:
        return build_node(NodeShape(name, chips=CHIPS, max_pods=6), number, self.clock.now())

    # ---- what is seen -------------------------------------------------------------------------------

    def note(self, collection: str, change: Change) -> None:
        if collection != PODS.storage_key or change.kind is Kind.DELETED:
            return
        metadata, spec = change.after.object["metadata"], change.after.object["spec"]
        if spec.get("nodeName"):
            self.bound.setdefault(metadata["uid"], self.clock.now())

    def account(self, event: WorkStarted | WorkEnded) -> None:
        if isinstance(event, WorkStarted):
            assert event.restored > 0
            return
        pod = self.world.store.find(PODS.storage_key, event.pod)
        assert event.kept >= 0
        assert event.lost >= 0
        assert event.overhead >= 0
        assert event.held == event.kept + event.lost + event.overhead
        if pod is not None:
            uid = pod.object["metadata"]["uid"]
            assert event.held == self.clock.now() - self.bound[uid]
            self.accounts[uid] += 1
            assert self.accounts[uid] == 1, "accounted for twice"

    def at_once(self, action: Callable[[], object]) -> None:
        """Let something happen as an event, as a scenario would."""

        def act() -> None:
            action()

        self.world.queue.schedule(self.clock.now(), Rank.FAILURE, act)
        self.go(0)

    def go(self, length: int) -> None:
        until = self.clock.now() + length * SECOND
        while (at := self._next()) is not None and at <= until:
            self.clock.advance_to(at)
            self.world.run_due()
            self.check()
        self.clock.advance_to(until)
        self.world.run_due()

    def _next(self) -> Instant | None:
        instants = (self.world.queue.peek(), self.world.queue.peek_background())
        return min((at for at in instants if at is not None), default=None)

    @invariant()
    def check(self) -> None:
        self.world.run_due()
        self.world.machines.validate()
        held: Counter[str] = Counter()
        for version in self.world.store.iterate(PODS.storage_key):
            pod = version.object
            statuses = pod["status"].get("containerStatuses") or ()
            if not has_ended(pod) and any("running" in status["state"] for status in statuses):
                node = pod["spec"]["nodeName"]
                if not self.world.kubelet.is_dead(node):
                    held[node] += _chips_of(pod)
                    assert "Unhealthy" not in str(statuses), "runs on a chip that failed"
        for node in MACHINES:
            if self.world.machines.exists(node) and self.world.machines.is_up(node):
                healthy = CHIPS - len(self.world.machines.failed_chips(node))
                told = self.world.store.get(NODES.storage_key, ("", node)).object["status"]["allocatable"]
                assert int(told[CHIP_RESOURCE]) == healthy
                assert held[node] <= healthy

    # ---- what happens to pods -----------------------------------------------------------------------

    def submit(self, life: dict[str, Any], chips: int, restart: str, owner: str | None) -> str:
        self.count += 1
        name = f"p{self.count}"
        limits = {"cpu": "1", "memory": "1Gi", **({CHIP_RESOURCE: str(chips)} if chips else {})}
        container = {"name": "main", "image": "example.org/train:1", "resources": {"limits": limits}}
        said = {PREFIX + word: str(text) for word, text in life.items() if text is not None}
        metadata: dict[str, Any] = {"name": name, "annotations": said}
        if owner is not None:
            reference = {"apiVersion": "batch/v1", "kind": "Job", "name": owner, "uid": owner}
            metadata["ownerReferences"] = [{**reference, "controller": True}]
            metadata["finalizers"] = ["example.org/tracking"] if owner == "tracked" else []
            if owner == "indexed":
                said[COMPLETION_INDEX] = str(self.count % 2)
        spec = {"restartPolicy": restart, "containers": [container]}
        self.world.registry.create(PODS, "default", {"metadata": metadata, "spec": spec})
        return name

    @rule(
        target=pods,
        life=lives,
        chips=st.integers(0, CHIPS),
        restart=restarts,
        owner=st.sampled_from((None, None, "plain", "indexed", "tracked")),
        work=st.sampled_from((None, None, "w0", "w1")),
        node=st.sampled_from((None, *MACHINES)),
    )
    def submit_pod(
        self,
        life: dict[str, Any],
        chips: int,
        restart: str,
        owner: str | None,
        work: str | None,
        node: str | None,
    ) -> str:
        name = self.submit({**life, "work": work}, chips, restart, owner)
        if node is not None:
            self.place(name, node)
        return name

    @rule(
        target=pods,
        life=lives,
        nodes=st.lists(st.sampled_from(MACHINES), min_size=1, max_size=3),
        size=st.integers(1, 3),
        restart=restarts,
        gang=st.sampled_from(("g0", "g1")),
    )
    def submit_gang(self, life: dict[str, Any], nodes: list[str], size: int, restart: str, gang: str) -> Any:
        names = [self.submit({**life, "gang": gang, "gang-size": size}, 1, restart, None) for _ in nodes]
        for name, node in zip(names, nodes, strict=True):
            self.place(name, node)
        return multiple(*names)

    def place(self, name: str, node: str) -> None:
        bind(self.world.registry, "default", name, {"metadata": {"name": name}, "target": {"name": node}})

    def exists(self, name: str) -> bool:
        return self.world.store.find(PODS.storage_key, ("default", name)) is not None

    @rule(name=pods, node=st.sampled_from(MACHINES))
    def place_late(self, name: str, node: str) -> None:
        if self.exists(name):
            pod = self.world.store.get(PODS.storage_key, ("default", name)).object
            if not pod["spec"].get("nodeName") and "deletionTimestamp" not in pod["metadata"]:
                self.place(name, node)

    @rule(name=pods, how=st.sampled_from(("delete", "evict", "force", "hurry", "end", "free")))
    def stop(self, name: str, how: str) -> None:
        if not self.exists(name) or (how == "end" and not self.is_bound(name)):
            return
        if how == "evict":
            evict(self.world.registry, "default", name, {"metadata": {"name": name}})
        elif how in ("end", "free"):
            self.rewrite(name, how)
        else:
            grace = {"delete": None, "force": 0, "hurry": 2}[how]
            delete(self.world.registry, PODS, "default", name, DeleteOptions(grace_s=grace))

    def is_bound(self, name: str) -> bool:
        pod = self.world.store.get(PODS.storage_key, ("default", name)).object
        return bool(pod["spec"].get("nodeName"))

    def rewrite(self, name: str, how: str) -> None:
        """A controller ends a pod by its word, or takes its finalizers."""

        def edit(pod: dict[str, Any]) -> dict[str, Any]:
            if how == "end":
                return {**pod, "status": {**pod["status"], "phase": "Failed"}}
            return {**pod, "metadata": {**pod["metadata"], "finalizers": []}}

        self.world.registry.modify(PODS, "default", name, edit, subresource="status" if how == "end" else "")

    @rule(name=pods, run_time=works)
    def change(self, name: str, run_time: int) -> None:
        def edit(pod: dict[str, Any]) -> dict[str, Any]:
            said = {**pod["metadata"]["annotations"], PREFIX + "run-time": f"{run_time}s"}
            return {**pod, "metadata": {**pod["metadata"], "annotations": said}}

        if self.exists(name):
            self.world.registry.modify(PODS, "default", name, edit)

    # ---- what happens to machines ------------------------------------------------------------------

    @rule(node=st.sampled_from(MACHINES), count=st.integers(1, CHIPS), wait=seconds)
    def chips(self, node: str, count: int, wait: int) -> None:
        if self.world.machines.exists(node):
            self.at_once(lambda: self.world.machines.fail_chips(node, count))
            self.go(wait)
        if self.world.machines.exists(node):
            self.at_once(lambda: self.world.machines.repair_chips(node, range(count - 1)))

    @rule(node=st.sampled_from(MACHINES), wait=st.sampled_from((0, 3, 49, 50, 70)), back=st.booleans())
    def machine(self, node: str, wait: int, back: bool) -> None:
        if self.world.machines.exists(node):
            self.at_once(lambda: self.world.machines.crash(node))
            self.go(wait)
            if back:
                self.at_once(lambda: self.world.machines.recover(node))

    @rule(node=st.sampled_from(MACHINES), what=st.sampled_from(("replace", "drain", "repair")))
    def service(self, node: str, what: str) -> None:
        machines = self.world.machines
        if what == "replace":
            if machines.exists(node):
                self.at_once(lambda: machines.remove(node))
            self.world.registry.create(NODES, "", self.node(node))
        elif machines.exists(node):
            self.at_once(lambda: machines.drain(node) if what == "drain" else machines.repair_chips(node))

    @rule(node=st.sampled_from(MACHINES))
    def remove(self, node: str) -> None:
        if self.world.machines.exists(node):
            self.at_once(lambda: self.world.machines.remove(node))
        else:
            self.world.registry.create(NODES, "", self.node(node))

    @rule(length=st.sampled_from((0, 1, 2, 3, 5, 60)))
    def wait(self, length: int) -> None:
        self.go(length)

    # ---- the end -------------------------------------------------------------------------------------

    def teardown(self) -> None:
        """All machines are mended: every pod ends, or runs or waits for a reason that can be told."""
        for node in MACHINES:
            if not self.world.machines.exists(node):
                self.world.registry.create(NODES, "", self.node(node))
            self.at_once(partial(self.world.machines.recover, node))
            self.at_once(partial(self.world.machines.repair_chips, node))
        self.go(DAY // SECOND // 24)
        for version in self.world.store.iterate(PODS.storage_key):
            self.check_end(version.key, version.object)

    def check_end(self, key: Key, pod: dict[str, Any]) -> None:
        story = f"{key}: {pod['status']}"
        uid, phase = pod["metadata"]["uid"], pod["status"]["phase"]
        if not pod["spec"].get("nodeName"):
            assert phase in ("Pending", "Failed"), story
        elif phase in ("Succeeded", "Failed"):
            assert self.accounts[uid] == 1, story
        else:
            assert phase == "Running", story
            assert "deletionTimestamp" not in pod["metadata"], story
            annotations = pod["metadata"]["annotations"]
            endless = PREFIX + "run-time" not in annotations
            gang = PREFIX + "gang" in annotations
            again = pod["spec"]["restartPolicy"] == "Always" or annotations[PREFIX + "exit-code"] != "0"
            assert endless or gang or again, story


def _chips_of(pod: dict[str, Any]) -> int:
    return sum(int(each["resources"]["limits"].get(CHIP_RESOURCE, 0)) for each in pod["spec"]["containers"])


def test_whatever_happens_the_world_stays_consistent() -> None:
    run_state_machine_as_test(
        Happenings,
        settings=settings(
            max_examples=300,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
        ),
    )
