"""From store changes to timeline events: each told once, with the facts of its object."""

from typing import Any

import pytest

from evaluator.recorder import Help, Recorder
from evaluator.timeline import (
    Event,
    HardwareFailed,
    NodeAdded,
    NodeChanged,
    NodeRemoved,
    PodDisrupted,
    PodEnded,
    PodNominated,
    PodStarted,
    PodSubmitted,
    PodUnschedulable,
    Timeline,
)
from fakeapi.kernel.clock import VirtualClock
from fakeapi.kernel.time import SECOND
from fakeapi.machinery.resources import NODES, PODS
from fakeapi.registry.conditions import with_condition
from fakeapi.registry.deletion import delete
from fakeapi.registry.options import DeleteOptions
from fakeapi.registry.pods import bind, evict
from fakeapi.world import World

CHIPS = "nvidia.com/gpu"


class Scene:
    """A world with a recorder, and the few things that happen in these tests."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.world = World(self.clock)
        self.timeline = Timeline()
        self.recorder = Recorder(self.timeline, self.clock, self.clock.start, CHIPS, "mine")
        self.recorder.attach(self.world)

    def kinds(self) -> list[str]:
        return [event.kind for event in self.timeline]

    def last(self) -> Event:
        return self.timeline[-1]

    def wait(self, seconds: int) -> None:
        while (at := self.world.queue.peek()) is not None and at <= self.clock.now() + seconds * SECOND:
            seconds -= (at - self.clock.now()) // SECOND
            self.clock.advance_to(at)
            self.world.run_due()
        self.clock.advance_to(self.clock.now() + seconds * SECOND)

    def node(self, chips: str = "4") -> None:
        amounts = {"cpu": "8", "memory": "16Gi", "pods": "10", CHIPS: chips}
        ready = [{"type": "Ready", "status": "True"}]
        status = {"capacity": amounts, "conditions": ready}
        labels = {"nvidia.com/gpu.product": "A100"}
        self.world.registry.create(NODES, "", {"metadata": {"name": "n", "labels": labels}, "status": status})

    def pod(self, scheduler: str = "mine", name: str = "p", **annotations: str) -> None:
        limits = {"cpu": "500m", "memory": "1Gi", CHIPS: "2"}
        world = {f"fakeapi.world/{key.replace('_', '-')}": value for key, value in annotations.items()}
        self.world.registry.create(
            PODS,
            "default",
            {
                "metadata": {"name": name, "annotations": world},
                "spec": {
                    "schedulerName": scheduler,
                    "restartPolicy": "Never",
                    "containers": [{"name": "c", "image": "i", "resources": {"limits": limits}}],
                },
            },
        )

    def bind(self, name: str = "p") -> None:
        bind(self.world.registry, "default", name, {"metadata": {"name": name}, "target": {"name": "n"}})
        self.world.run_due()

    def edit_node(self, edit: dict[str, Any]) -> None:
        current = self.world.store.get(NODES.storage_key, ("", "n"))
        self.world.store.update(NODES.storage_key, ("", "n"), {**current.object, **edit})


@pytest.fixture
def scene() -> Scene:
    return Scene()


def test_a_pods_life_is_told_step_by_step(scene: Scene) -> None:
    scene.node()
    scene.pod(run_time="1m", start_delay="5s")
    assert scene.recorder.pending == {("default", "p")}
    scene.bind()
    assert (scene.recorder.pending, scene.recorder.running) == (set(), {("default", "p")})
    scene.wait(70)
    assert scene.kinds() == ["node_added", "pod_submitted", "pod_bound", "pod_started", "pod_ended"]
    assert [event.at_ns // SECOND for event in scene.timeline] == [0, 0, 0, 5, 65]
    ended = scene.last()
    assert isinstance(ended, PodEnded)
    assert (ended.node, ended.outcome, ended.reason) == ("n", "succeeded", "Completed")
    assert (scene.recorder.counts.finished, scene.recorder.running) == (1, set())


def test_a_pod_that_fails_by_itself_has_failed(scene: Scene) -> None:
    scene.node()
    scene.pod(run_time="1m", exit_code="3")
    scene.bind()
    scene.wait(60)
    ended = scene.last()
    assert isinstance(ended, PodEnded)
    assert (ended.outcome, ended.reason) == ("failed", "Error")
    assert scene.recorder.counts.failed == 1


def test_a_pod_deleted_before_it_had_a_node(scene: Scene) -> None:
    scene.pod()
    delete(scene.world.registry, PODS, "default", "p")
    assert scene.last() == PodEnded(
        at_ns=0, pod="default/p", node=None, outcome="deleted", reason="Deleted", cause="deletion"
    )
    assert scene.recorder.pending == set()


def test_a_deleted_pod_ends_when_it_has_stopped(scene: Scene) -> None:
    scene.node()
    scene.pod(run_time="1h", stop_time="7s")
    scene.bind()
    delete(scene.world.registry, PODS, "default", "p", DeleteOptions(grace_s=30))
    assert scene.kinds()[-1] == "pod_started"
    scene.wait(30)
    ended = scene.last()
    assert isinstance(ended, PodEnded)
    assert (ended.at_ns, ended.outcome) == (7 * SECOND, "deleted")


def test_an_evicted_pod_was_evicted(scene: Scene) -> None:
    scene.node()
    scene.pod(run_time="1h")
    scene.bind()
    evict(scene.world.registry, "default", "p", {"metadata": {"name": "p"}})
    scene.wait(60)
    ended = scene.last()
    assert isinstance(ended, PodEnded)
    assert ended.outcome == "evicted"


def test_a_name_may_be_used_again(scene: Scene) -> None:
    for _ in range(2):
        scene.pod()
        delete(scene.world.registry, PODS, "default", "p")
    assert scene.kinds() == ["pod_submitted", "pod_ended"] * 2
    assert scene.recorder.counts.submitted == 2


def test_why_a_pod_has_no_place_is_told_when_it_changes(scene: Scene) -> None:
    scene.pod()
    for message in ("no room", "no room", "still no room"):
        current = scene.world.store.get(PODS.storage_key, ("default", "p"))
        condition = {
            "type": "PodScheduled",
            "status": "False",
            "reason": "Unschedulable",
            "message": message,
        }
        marked = with_condition(current.object, condition, "2026-01-05T00:00:00Z")
        scene.world.store.update(PODS.storage_key, current.key, marked)
    told = [event.message for event in scene.timeline if isinstance(event, PodUnschedulable)]
    assert told == ["no room", "still no room"]


def test_pods_of_others_are_told_and_not_waited_for(scene: Scene) -> None:
    scene.pod(scheduler="other")
    assert scene.kinds() == ["pod_submitted"]
    assert scene.recorder.pending == set()


def test_a_nodes_life_is_told_when_it_changes(scene: Scene) -> None:
    scene.node()
    added = scene.last()
    assert added == NodeAdded(
        at_ns=0, node="n", chips=4, chip_type="A100", cpu_milli=8000, memory_bytes=16 << 30
    )
    scene.edit_node({"metadata": {"name": "n", "labels": {"new": "label"}}})
    assert scene.last() is added
    status = scene.world.store.get(NODES.storage_key, ("", "n")).object["status"]
    scene.edit_node({"status": {**status, "allocatable": {**status["allocatable"], CHIPS: "3"}}})
    changed = scene.last()
    assert isinstance(changed, NodeChanged)
    assert (changed.chips, changed.ready, changed.schedulable) == (3, True, True)
    scene.edit_node({"spec": {"unschedulable": True}})
    changed = scene.last()
    assert isinstance(changed, NodeChanged)
    assert not changed.schedulable
    scene.world.store.delete(NODES.storage_key, ("", "n"))
    assert scene.last() == NodeRemoved(at_ns=0, node="n")


def test_help_is_what_may_give_a_pod_its_place(scene: Scene) -> None:
    scene.node()
    assert scene.recorder.take_help() == {Help.CAPACITY}
    scene.pod(run_time="1m")
    assert scene.recorder.take_help() == {Help.ARRIVAL}
    scene.bind()
    assert scene.recorder.take_help() == set()
    scene.wait(60)
    assert scene.recorder.take_help() == {Help.CAPACITY}
    assert scene.recorder.take_help() == set()


def ended(scene: Scene) -> PodEnded:
    """The only pod's end."""
    (event,) = (each for each in scene.timeline if isinstance(each, PodEnded))
    return event


def mark(scene: Scene, reason: str, message: str = "why") -> None:
    """Somebody tells that the pod is about to be ended."""
    current = scene.world.store.get(PODS.storage_key, ("default", "p"))
    condition = {"type": "DisruptionTarget", "status": "True", "reason": reason, "message": message}
    marked = with_condition(current.object, condition, "2026-01-05T00:00:00Z")
    scene.world.store.update(PODS.storage_key, current.key, marked)


class TestHardware:
    def test_a_chip_fails_with_its_pod_and_is_repaired(self, scene: Scene) -> None:
        scene.node()
        scene.pod(run_time="1h", checkpoint_interval="10m")
        scene.bind()
        scene.wait(15 * 60)
        scene.world.machines.fail_chips("n", 1, group="g")
        assert scene.kinds()[-3:] == ["hardware_failed", "node_changed", "pod_ended"]
        event = ended(scene)
        assert (event.outcome, event.reason, event.cause) == ("evicted", "Error", "chip_failure")
        assert (event.kept_ns, event.lost_ns) == (600 * SECOND, 300 * SECOND)
        failed = scene.timeline[-3]
        assert isinstance(failed, HardwareFailed)
        assert (failed.node, failed.what, failed.chips, failed.group) == ("n", "chips", 1, "g")
        scene.world.machines.repair_chips("n")
        assert scene.kinds()[-2:] == ["hardware_repaired", "node_changed"]

    def test_a_crash_is_told_when_it_happens_and_the_pod_when_it_is_gone(self, scene: Scene) -> None:
        scene.node()
        scene.pod(run_time="1h")
        scene.bind()
        scene.wait(60)
        scene.world.machines.crash("n")
        assert scene.kinds()[-1] == "hardware_failed"
        scene.wait(60)
        assert scene.kinds()[-1] == "node_changed"
        mark(scene, "DeletionByTaintManager")
        disrupted = scene.last()
        assert isinstance(disrupted, PodDisrupted)
        assert disrupted.cause == "node_failure"
        scene.world.store.delete(PODS.storage_key, ("default", "p"))
        event = ended(scene)
        assert (event.outcome, event.cause, event.lost_ns) == ("evicted", "node_failure", 60 * SECOND)

    def test_a_lost_pod_that_its_user_deletes_was_lost(self, scene: Scene) -> None:
        scene.node()
        scene.pod(run_time="1h")
        scene.bind()
        scene.world.machines.crash("n")
        delete(scene.world.registry, PODS, "default", "p", DeleteOptions(grace_s=0))
        assert (ended(scene).outcome, ended(scene).cause) == ("evicted", "node_failure")

    def test_a_member_whose_peer_is_lost(self, scene: Scene) -> None:
        scene.node("8")
        for name in ("p", "q"):
            scene.pod(name=name, run_time="1h", gang="g", gang_size="2")
            scene.bind(name)
        scene.wait(60)
        delete(scene.world.registry, PODS, "default", "q", DeleteOptions(grace_s=0))
        scene.world.run_due()
        causes = {event.pod: event.cause for event in scene.timeline if isinstance(event, PodEnded)}
        assert causes == {"default/q": "deletion", "default/p": "peer"}


class TestDisruption:
    @pytest.mark.parametrize(
        ("reason", "cause"),
        [
            ("PreemptionByScheduler", "preemption"),
            ("EvictionByEvictionAPI", "eviction"),
            ("DeletionByTaintManager", "eviction"),
            ("DeletionByPodGC", "node_failure"),
        ],
    )
    def test_the_reason_tells_the_cause(self, scene: Scene, reason: str, cause: str) -> None:
        scene.node()
        scene.pod(run_time="1h")
        scene.bind()
        mark(scene, reason, "preempted by somebody")
        mark(scene, reason, "once more")
        delete(scene.world.registry, PODS, "default", "p")
        scene.wait(60)
        told = [event for event in scene.timeline if isinstance(event, PodDisrupted)]
        assert [(event.cause, event.message) for event in told] == [(cause, "preempted by somebody")]
        assert (ended(scene).outcome, ended(scene).cause) == ("evicted", cause)

    def test_who_ends_by_itself_was_not_cut_short(self, scene: Scene) -> None:
        scene.node()
        scene.pod(run_time="1m")
        scene.bind()
        scene.wait(60)
        assert (ended(scene).cause, ended(scene).kept_ns) == (None, 60 * SECOND)

    def test_a_nomination_is_told_when_it_changes(self, scene: Scene) -> None:
        scene.pod()
        for node in ("n", "n", "", "m"):
            current = scene.world.store.get(PODS.storage_key, ("default", "p"))
            status = {**current.object["status"], "nominatedNodeName": node}
            scene.world.store.update(PODS.storage_key, current.key, {**current.object, "status": status})
        told = [event.node for event in scene.timeline if isinstance(event, PodNominated)]
        assert told == ["n", "m"]


def test_what_a_pod_takes_up_is_told_at_its_start(scene: Scene) -> None:
    scene.node()
    life = {"run_time": "1h", "checkpoint_interval": "10m", "work": "w"}
    scene.pod(**life)
    scene.bind()
    scene.wait(15 * 60)
    delete(scene.world.registry, PODS, "default", "p", DeleteOptions(grace_s=0))
    scene.pod(**life)
    scene.bind()
    started = scene.last()
    assert isinstance(started, PodStarted)
    assert started.restored_ns == 600 * SECOND


def test_a_pod_that_its_node_refuses_has_failed(scene: Scene) -> None:
    scene.node("1")
    scene.pod(run_time="1h")
    scene.bind()
    assert scene.kinds()[-2:] == ["pod_bound", "pod_ended"]
    assert (ended(scene).outcome, ended(scene).reason) == ("failed", "UnexpectedAdmissionError")


def test_annotations_that_cannot_be_read_are_left_out(scene: Scene) -> None:
    deadline = {"lst.scheduler/deadline": "soon"}
    pod = {
        "metadata": {"name": "p", "annotations": deadline},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    }
    scene.world.registry.create(PODS, "default", pod)
    submitted = scene.last()
    assert isinstance(submitted, PodSubmitted)
    assert submitted.deadline_ns is None
