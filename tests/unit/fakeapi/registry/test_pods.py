"""Binding and eviction. Codes and messages are the real server's."""

from typing import Any

import pytest

from fakeapi.kernel.clock import VirtualClock
from fakeapi.kernel.time import HOUR
from fakeapi.machinery.resources import NODES, PODS
from fakeapi.machinery.status import StatusError
from fakeapi.registry.deletion import delete
from fakeapi.registry.options import WriteOptions
from fakeapi.registry.pods import bind, evict
from fakeapi.world import World
from tests.unit.fakeapi.registry.bench import NOW, Bench, Json, binding, causes, refusal

DRY = WriteOptions(dry_run=True)


def bound(bench: Bench, **changes: Any) -> Json:
    return bind(bench.registry, "default", "pod", {**binding("pod"), **changes}).object


# ---- binding ----


def test_a_pod_is_bound(bench: Bench) -> None:
    bench.pod()
    bench.wait(HOUR)
    pod = bound(bench)
    assert pod["spec"]["nodeName"] == "n1"
    assert pod["status"]["phase"] == "Pending"
    (condition,) = pod["status"]["conditions"]
    assert (condition["type"], condition["status"]) == ("PodScheduled", "True")
    assert condition["lastTransitionTime"] == "2026-01-05T01:00:00Z"
    assert pod["metadata"]["generation"] == 1, "the scheduler's choice is no change of what is wanted"


def test_the_node_need_not_exist(bench: Bench) -> None:
    bench.pod()
    assert not bench.exists(NODES, "n1")
    assert bound(bench)["spec"]["nodeName"] == "n1"


def test_binding_settles_what_was_said_of_the_pod_before(bench: Bench) -> None:
    bench.pod()
    unschedulable = {
        "type": "PodScheduled",
        "status": "False",
        "reason": "Unschedulable",
        "message": "no room",
    }
    bench.status(PODS, "pod", nominatedNodeName="n9", conditions=[unschedulable])
    status = bound(bench)["status"]
    assert "nominatedNodeName" not in status
    (condition,) = status["conditions"]
    assert (condition["status"], condition.get("reason")) == ("True", None)


def test_labels_and_annotations_come_along(bench: Bench) -> None:
    bench.node("n1", **{"topology.kubernetes.io/zone": "z", "other": "x"})
    bench.pod()
    metadata = {"name": "pod", "labels": {"l": "1"}, "annotations": {"a": "1"}}
    found = bound(bench, metadata=metadata)["metadata"]
    assert found["labels"] == {"l": "1", "topology.kubernetes.io/zone": "z"}
    assert found["annotations"] == {"a": "1"}


def test_no_labels_are_invented(bench: Bench) -> None:
    bench.node()
    bench.pod()
    metadata = bound(bench)["metadata"]
    assert "labels" not in metadata
    assert "annotations" not in metadata


@pytest.mark.parametrize("kind", [None, "", "Node"])
def test_the_target_is_a_node(bench: Bench, kind: str | None) -> None:
    bench.pod()
    bound(bench, target={"name": "n1", "kind": kind})


@pytest.mark.parametrize(
    ("target", "field", "message"),
    [
        ({}, "target.name", "Required value"),
        (None, "target.name", "Required value"),
        (
            {"name": "n1", "kind": "Pod"},
            "target.kind",
            'Unsupported value: "Pod": supported values: "Node", "<empty>"',
        ),
    ],
)
def test_any_other_target_is_refused(bench: Bench, target: Json | None, field: str, message: str) -> None:
    bench.pod()
    assert causes(refusal(lambda: bound(bench, target=target))) == {field: message}


def conflict(bench: Bench, **changes: Any) -> str:
    before = bench.store.revision
    error = refusal(lambda: bound(bench, **changes))
    assert (error.code, error.reason) == (409, "Conflict")
    assert bench.store.revision == before
    return error.message


@pytest.mark.parametrize("metadata", [{}, {"name": "other"}, None])
def test_the_binding_is_of_this_pod(bench: Bench, metadata: Json | None) -> None:
    bench.pod()
    error = refusal(lambda: bound(bench, metadata=metadata))
    assert (error.code, error.message) == (400, "name in URL does not match name in Binding object")


def test_a_pod_that_is_not_there(bench: Bench) -> None:
    error = refusal(lambda: bound(bench))
    assert (error.code, error.message) == (404, 'pods "pod" not found')


PREFIX = 'Operation cannot be fulfilled on pods/binding "pod": pod pod '


def test_a_pod_is_bound_once(bench: Bench) -> None:
    bench.bound()
    assert conflict(bench) == f'{PREFIX}is already assigned to node "n1"'
    error = refusal(lambda: bound(bench))
    assert error.details == {"name": "pod", "kind": "pods/binding"}


def test_an_ending_pod_is_not_bound(bench: Bench) -> None:
    bench.bound()
    delete(bench.registry, PODS, "default", "pod")
    assert conflict(bench) == f"{PREFIX}is being deleted, cannot be assigned to a host"


def test_a_gated_pod_is_not_bound(bench: Bench) -> None:
    bench.pod(schedulingGates=[{"name": "g"}])
    assert conflict(bench) == f"{PREFIX}has non-empty .spec.schedulingGates"


@pytest.mark.parametrize(("field", "word"), [("uid", "UID"), ("resourceVersion", "ResourceVersion")])
def test_the_binding_may_say_which_pod_it_means(bench: Bench, field: str, word: str) -> None:
    created = bench.pod()
    message = conflict(bench, metadata={"name": "pod", field: "x"})
    assert f"Precondition failed: {word} in precondition: x, {word} in object meta: " in message
    bound(bench, metadata={"name": "pod", field: created["metadata"][field]})


def test_a_dry_binding_binds_nothing(bench: Bench) -> None:
    created = bench.pod()
    assert bind(bench.registry, "default", "pod", binding("pod"), DRY).object == created
    assert bench.get(PODS, "pod") == created


# ---- eviction ----


def eviction(bench: Bench, options: WriteOptions = WriteOptions(), **delete_options: Any) -> None:  # noqa: B008 - frozen
    body = {"metadata": {"name": "pod"}, "deleteOptions": delete_options}
    evict(bench.registry, "default", "pod", body, options)


def test_an_evicted_pod_ends_gracefully_and_says_why(bench: Bench) -> None:
    bench.bound()
    eviction(bench)
    pod = bench.get(PODS, "pod")
    assert pod["metadata"]["deletionGracePeriodSeconds"] == 30
    condition = pod["status"]["conditions"][-1]
    assert condition == {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": "EvictionByEvictionAPI",
        "message": "Eviction API: evicting",
        "lastProbeTime": None,
        "lastTransitionTime": NOW,
    }


def test_an_evicted_waiting_pod_is_gone(bench: Bench) -> None:
    bench.pod()
    eviction(bench)
    assert not bench.exists(PODS, "pod")


def test_delete_options_of_an_eviction(bench: Bench) -> None:
    bench.bound()
    eviction(bench, gracePeriodSeconds=100)
    assert bench.get(PODS, "pod")["metadata"]["deletionGracePeriodSeconds"] == 100
    before = bench.store.revision
    eviction(bench)
    assert bench.store.revision == before, "it ends already, and says why"
    eviction(bench, gracePeriodSeconds=0)
    assert not bench.exists(PODS, "pod")


@pytest.mark.parametrize(("field", "word"), [("uid", "UID"), ("resourceVersion", "ResourceVersion")])
def test_preconditions_of_an_eviction(bench: Bench, field: str, word: str) -> None:
    created = bench.bound()
    before = bench.store.revision
    error = refusal(lambda: eviction(bench, preconditions={field: "x"}))
    assert (error.code, error.reason) == (409, "Conflict")
    assert f"the {word} in the precondition (x) does not match the {word} in record" in error.message
    assert bench.store.revision == before
    eviction(bench, preconditions={field: created["metadata"][field]})
    assert "deletionTimestamp" in bench.get(PODS, "pod")["metadata"]


def test_an_eviction_of_another_pod(bench: Bench) -> None:
    bench.pod()
    error = refusal(lambda: evict(bench.registry, "default", "pod", {"metadata": {"name": "other"}}))
    assert (error.code, error.message) == (400, "name in URL does not match name in Eviction object")


def test_an_eviction_of_a_pod_that_is_not_there(bench: Bench) -> None:
    assert refusal(lambda: eviction(bench)).code == 404


@pytest.mark.parametrize(("options", "body"), [(DRY, {}), (WriteOptions(), {"dryRun": ["All"]})])
def test_a_dry_eviction_evicts_nobody(bench: Bench, options: WriteOptions, body: Json) -> None:
    bench.bound()
    before = bench.store.revision
    eviction(bench, options, **body)
    assert bench.store.revision == before


def test_a_binding_may_not_bring_annotations_that_creation_would_refuse() -> None:
    world = World(VirtualClock())
    spec = {"containers": [{"name": "c", "image": "i"}]}
    world.registry.create(PODS, "default", {"metadata": {"name": "p"}, "spec": spec})
    before = world.store.revision
    annotations = {"fakeapi.world/run-time": "soon"}
    binding = {"metadata": {"name": "p", "annotations": annotations}, "target": {"name": "n"}}
    with pytest.raises(StatusError, match="run-time"):
        bind(world.registry, "default", "p", binding)
    assert world.store.revision == before
