"""The kubelet behind the real rules: what they write is what it understands, and the other way round."""

from typing import Any

import pytest

from fakeapi.cluster.annotations import EXIT_CODE, RUN_TIME, START_DELAY, STOP_TIME
from fakeapi.cluster.nodes import NodeShape, build_node
from fakeapi.kernel.clock import VirtualClock
from fakeapi.kernel.time import MINUTE, SECOND, Duration
from fakeapi.machinery.resources import NODES, PODS
from fakeapi.machinery.status import StatusError
from fakeapi.registry.deletion import delete
from fakeapi.registry.options import DeleteOptions
from fakeapi.registry.pods import bind, evict
from fakeapi.storage.objects import Object
from fakeapi.world import World


class Cluster:
    """A world with one node, and the few calls that these tests make."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.world = World(self.clock, seed=1)
        self.world.registry.create(NODES, "", build_node(NodeShape("n1"), 0, self.clock.now()))

    def pod(self, annotations: dict[str, str], finalizers: tuple[str, ...] = ()) -> None:
        metadata: dict[str, Any] = {"name": "job", "annotations": annotations}
        if finalizers:
            metadata["finalizers"] = list(finalizers)
        spec = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "example.org/train:1"}]}
        self.world.registry.create(PODS, "default", {"metadata": metadata, "spec": spec})

    def bind(self) -> None:
        target = {"kind": "Node", "name": "n1"}
        bind(self.world.registry, "default", "job", {"metadata": {"name": "job"}, "target": target})
        self.wait(0)

    def delete(self, grace_s: int | None = None) -> None:
        delete(self.world.registry, PODS, "default", "job", DeleteOptions(grace_s))
        self.wait(0)

    def wait(self, duration: Duration) -> None:
        until = self.clock.now() + duration
        while (at := self.world.queue.peek()) is not None and at <= until:
            self.clock.advance_to(at)
            self.world.run_due()
            self.world.kubelet.validate()
        self.clock.advance_to(until)

    def seen(self) -> Object | None:
        version = self.world.store.find(PODS.storage_key, ("default", "job"))
        return None if version is None else version.object

    def phase(self) -> str | None:
        pod = self.seen()
        return None if pod is None else str(pod["status"]["phase"])


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


def test_a_bound_pod_lives_and_stays(cluster: Cluster) -> None:
    cluster.pod({RUN_TIME: "10m", EXIT_CODE: "2"})
    assert cluster.phase() == "Pending"
    cluster.bind()
    pod = cluster.seen()
    assert pod is not None
    assert pod["status"]["phase"] == "Running"
    assert pod["status"]["hostIP"] == "172.16.0.1"
    assert pod["status"]["qosClass"] == "BestEffort"
    assert {condition["observedGeneration"] for condition in pod["status"]["conditions"]} == {
        pod["metadata"]["generation"]
    }
    cluster.wait(10 * MINUTE)
    assert cluster.phase() == "Failed"


def test_a_deletion_takes_the_grace_that_the_pod_asks_for(cluster: Cluster) -> None:
    cluster.pod({STOP_TIME: "1h"})
    cluster.bind()
    cluster.delete()
    cluster.wait(30 * SECOND - 1)
    assert cluster.phase() == "Running"
    cluster.wait(1)
    assert cluster.phase() is None


def test_an_eviction_is_such_a_deletion(cluster: Cluster) -> None:
    cluster.pod({STOP_TIME: "5s"})
    cluster.bind()
    evict(cluster.world.registry, "default", "job", {"metadata": {"name": "job"}})
    cluster.wait(5 * SECOND)
    assert cluster.phase() is None


def test_a_second_deletion_may_shorten_the_grace(cluster: Cluster) -> None:
    cluster.pod({STOP_TIME: "1h"})
    cluster.bind()
    cluster.delete()
    cluster.wait(10 * SECOND)
    cluster.delete(grace_s=15)
    cluster.wait(15 * SECOND)
    assert cluster.phase() is None


def test_no_grace_removes_at_once(cluster: Cluster) -> None:
    cluster.pod({RUN_TIME: "1h"})
    cluster.bind()
    cluster.delete(grace_s=0)
    assert cluster.phase() is None
    assert cluster.world.kubelet.holds() == {}


def test_a_pod_that_waits_for_its_start_goes_at_once(cluster: Cluster) -> None:
    cluster.pod({START_DELAY: "1h"})
    cluster.bind()
    cluster.delete()
    assert cluster.phase() is None


@pytest.mark.parametrize("grace_s", [None, 0])
def test_finalizers_keep_the_object_until_they_are_taken_off(cluster: Cluster, grace_s: int | None) -> None:
    cluster.pod({STOP_TIME: "5s"}, finalizers=("example.org/count",))
    cluster.bind()
    cluster.delete(grace_s)
    cluster.wait(5 * SECOND)
    assert cluster.phase() == "Failed"
    assert cluster.world.kubelet.holds() == {}

    def without_finalizers(pod: Object) -> Object:
        return {**pod, "metadata": {**pod["metadata"], "finalizers": []}}

    cluster.world.registry.modify(PODS, "default", "job", without_finalizers)
    assert cluster.phase() is None


def test_a_finished_pod_is_deleted_without_its_kubelet(cluster: Cluster) -> None:
    cluster.pod({RUN_TIME: "1s"})
    cluster.bind()
    cluster.wait(MINUTE)
    cluster.delete()
    assert cluster.phase() is None


def test_a_life_that_cannot_be_read_is_refused_before_anything_is_stored(cluster: Cluster) -> None:
    with pytest.raises(StatusError) as raised:
        cluster.pod({RUN_TIME: "90"})
    assert (raised.value.code, raised.value.reason) == (422, "Invalid")
    assert 'metadata.annotations[fakeapi.world/run-time]: Invalid value: "90"' in raised.value.message
    assert cluster.seen() is None
