"""A whole cluster behind one object: what is in it from the start, and that it lives by its clock alone."""

from typing import Any

import pytest

from fakeapi.kernel.clock import VirtualClock
from fakeapi.kernel.time import HOUR, MINUTE
from fakeapi.machinery.resources import (
    CORE_EVENTS,
    NAMESPACES,
    NODES,
    POD_DISRUPTION_BUDGETS,
    PODS,
    PRIORITY_CLASSES,
    builtin,
)
from fakeapi.machinery.status import StatusError
from fakeapi.registry.pods import bind
from fakeapi.storage.objects import Change
from fakeapi.world import World

CONFIG_MAPS = builtin("configmaps")


def pod(name: str = "job", **annotations: str) -> dict[str, Any]:
    container = {"name": "main", "image": "registry.example/train:1"}
    return {
        "metadata": {
            "name": name,
            "annotations": {f"fakeapi.world/{key}": text for key, text in annotations.items()},
        },
        "spec": {"restartPolicy": "Never", "containers": [container]},
    }


@pytest.fixture
def world() -> World:
    """A new world in virtual time."""
    return World(VirtualClock())


def run_until_quiet(world: World) -> None:
    """Let time jump from event to event until nothing is left to happen."""
    assert isinstance(world.clock, VirtualClock)
    while (at := world.queue.peek()) is not None:
        world.clock.advance_to(at)
        world.run_due()


def test_what_every_cluster_has(world: World) -> None:
    names = [version.key[1] for version in world.store.iterate(NAMESPACES.storage_key)]
    assert names == ["default", "kube-node-lease", "kube-public", "kube-system"]
    classes = {
        version.key[1]: version.object["value"]
        for version in world.store.iterate(PRIORITY_CLASSES.storage_key)
    }
    assert classes == {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
    world.registry.get(CONFIG_MAPS, "kube-system", "extension-apiserver-authentication")


def test_nothing_happens_by_itself(world: World) -> None:
    assert world.queue.peek() is None
    assert world.run_due() == 0


def test_the_system_s_classes_can_be_changed_like_others_and_not_deleted(world: World) -> None:
    def describe(obj: dict[str, Any]) -> dict[str, Any]:
        return {**obj, "description": "other"}

    changed = world.registry.modify(PRIORITY_CLASSES, "", "system-node-critical", describe)
    assert changed.object["value"] == 2_000_001_000


def test_pods_may_use_the_system_s_classes(world: World) -> None:
    manifest = pod()
    manifest["spec"]["priorityClassName"] = "system-node-critical"
    created = world.registry.create(PODS, "default", manifest)
    assert created.object["spec"]["priority"] == 2_000_001_000


def test_a_pod_lives_as_its_annotations_say(world: World) -> None:
    world.registry.create(NODES, "", {"metadata": {"name": "n1"}})
    world.registry.create(PODS, "default", pod(**{"run-time": "90m"}))
    bind(world.registry, "default", "job", {"metadata": {"name": "job"}, "target": {"name": "n1"}})
    start = world.clock.now()
    run_until_quiet(world)
    finished = world.registry.get(PODS, "default", "job").object
    assert finished["status"]["phase"] == "Succeeded"
    assert world.clock.now() >= start + 90 * MINUTE
    world.kubelet.validate()


@pytest.mark.parametrize("annotations", [{"run-time": "soon"}, {"run-tiem": "90m"}])
def test_annotations_that_cannot_be_read_refuse_the_pod(world: World, annotations: dict[str, str]) -> None:
    with pytest.raises(StatusError) as caught:
        world.registry.create(PODS, "default", pod(**annotations))
    assert caught.value.code == 422
    assert "fakeapi.world/" in caught.value.message


def test_annotations_of_other_kinds_are_nobody_s_business(world: World) -> None:
    metadata = {"name": "a", "annotations": {"fakeapi.world/run-time": "soon"}}
    world.registry.create(CONFIG_MAPS, "default", {"metadata": metadata})


def test_events_expire(world: World) -> None:
    assert isinstance(world.clock, VirtualClock)
    about = {"kind": "Pod", "name": "p", "namespace": "default"}
    world.registry.create(CORE_EVENTS, "default", {"metadata": {"name": "a"}, "involvedObject": about})
    world.clock.advance_to(world.clock.now() + HOUR)
    world.registry.create(CORE_EVENTS, "default", {"metadata": {"name": "b"}, "involvedObject": about})
    assert [version.key[1] for version in world.store.iterate(CORE_EVENTS.storage_key)] == ["b"]


def history(seed: int) -> list[bytes]:
    world = World(VirtualClock(), seed)
    lines: list[bytes] = []

    def note(_: str, change: Change) -> None:
        lines.append(change.line(change.kind))

    world.store.listen(note)
    world.registry.create(NODES, "", {"metadata": {"name": "n1"}})
    for index in range(3):
        manifest = pod(**{"run-time": f"{index + 1}h"})
        manifest["metadata"] = {**manifest["metadata"], "name": "", "generateName": "job-"}
        name = world.registry.create(PODS, "default", manifest).key[1]
        bind(world.registry, "default", name, {"metadata": {"name": name}, "target": {"name": "n1"}})
    run_until_quiet(world)
    return lines


def test_the_same_seed_is_the_same_world_byte_for_byte() -> None:
    assert history(1) == history(1)
    assert history(1) != history(2)


def test_a_smaller_history_is_kept_where_it_is_asked_for() -> None:
    world = World(VirtualClock(), history_limit=1)
    for name in ("a", "b", "c"):
        world.registry.create(POD_DISRUPTION_BUDGETS, "default", {"metadata": {"name": name}})
    subscription = world.store.watch(
        POD_DISRUPTION_BUDGETS.storage_key, "", lambda _: True, lambda: None, world.store.revision - 1
    )[1]
    assert len(subscription) == 1


def test_machines_drain_through_the_api(world: World) -> None:
    world.registry.create(NODES, "", {"metadata": {"name": "n1"}})
    world.registry.create(PODS, "default", pod(**{"run-time": "1h"}))
    bind(world.registry, "default", "job", {"metadata": {"name": "job"}, "target": {"name": "n1"}})
    world.run_due()
    world.machines.drain("n1")
    found = world.registry.get(PODS, "default", "job").object
    reasons = [each.get("reason") for each in found["status"]["conditions"]]
    assert "EvictionByEvictionAPI" in reasons
    assert "deletionTimestamp" in found["metadata"]


def test_a_drain_heeds_budgets(world: World) -> None:
    world.registry.create(NODES, "", {"metadata": {"name": "n1"}})
    labelled = pod(**{"run-time": "1h"})
    labelled["metadata"]["labels"] = {"app": "x"}
    world.registry.create(PODS, "default", labelled)
    budget = {"metadata": {"name": "b"}, "spec": {"selector": {"matchLabels": {"app": "x"}}}}
    world.registry.create(POD_DISRUPTION_BUDGETS, "default", budget)
    bind(world.registry, "default", "job", {"metadata": {"name": "job"}, "target": {"name": "n1"}})
    world.run_due()
    world.machines.drain("n1")
    found = world.registry.get(PODS, "default", "job").object
    assert "deletionTimestamp" not in found["metadata"]
    assert world.queue.peek_background() is not None


def test_a_new_pod_is_told_what_is_saved_of_its_work(world: World) -> None:
    world.registry.create(NODES, "", {"metadata": {"name": "n1"}})
    life = {
        "run-time": "1h",
        "checkpoint-interval": "10m",
        "work": "w",
        "report-progress": "lst.scheduler/progress",
    }
    world.registry.create(PODS, "default", pod("first", **life))
    bind(world.registry, "default", "first", {"metadata": {"name": "first"}, "target": {"name": "n1"}})
    world.run_due()
    assert isinstance(world.clock, VirtualClock)
    world.clock.advance_to(world.clock.now() + 25 * MINUTE)
    created = world.registry.create(PODS, "default", pod("second", **life)).object
    assert created["metadata"]["annotations"]["lst.scheduler/progress"] == "20m"
