"""From store changes to timeline events: each told once, with the facts of its object."""

from typing import Any

import pytest

from evaluator.recorder import Help, Recorder
from evaluator.timeline import (
    Event,
    NodeAdded,
    NodeChanged,
    NodeRemoved,
    PodEnded,
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

    def pod(self, scheduler: str = "mine", **annotations: str) -> None:
        limits = {"cpu": "500m", "memory": "1Gi", CHIPS: "2"}
        world = {f"fakeapi.world/{key.replace('_', '-')}": value for key, value in annotations.items()}
        self.world.registry.create(
            PODS,
            "default",
            {
                "metadata": {"name": "p", "annotations": world},
                "spec": {
                    "schedulerName": scheduler,
                    "restartPolicy": "Never",
                    "containers": [{"name": "c", "image": "i", "resources": {"limits": limits}}],
                },
            },
        )

    def bind(self) -> None:
        bind(self.world.registry, "default", "p", {"metadata": {"name": "p"}, "target": {"name": "n"}})
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
