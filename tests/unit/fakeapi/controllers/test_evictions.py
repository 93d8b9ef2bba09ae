"""Pods that have to leave: tainted nodes, and nodes that are no more."""

import pytest

from fakeapi.controllers.evictions import tolerated_for
from fakeapi.kernel.time import MINUTE, SECOND, Duration
from fakeapi.machinery.resources import NODES, PODS
from tests.unit.fakeapi.controllers.conftest import JOBS, Cluster, Json

TAINT = {"key": "maintenance", "value": "soon", "effect": "NoExecute"}
FOR_A_MINUTE = {
    "key": "maintenance",
    "operator": "Exists",
    "effect": "NoExecute",
    "tolerationSeconds": 60,
}
SOFT = {"key": "busy", "effect": "NoSchedule"}


@pytest.mark.parametrize(
    ("tolerations", "stays"),
    [
        ([], 0),
        ([{"operator": "Exists"}], None),
        ([{"key": "maintenance", "operator": "Exists"}], None),
        ([{"key": "maintenance", "value": "soon"}], None),
        ([{"key": "maintenance", "value": "later"}], 0),
        ([{"key": "other", "operator": "Exists"}], 0),
        ([{"key": "maintenance", "operator": "Exists", "effect": "NoSchedule"}], 0),
        ([{"key": "maintenance", "operator": "Exists", "tolerationSeconds": 60}], MINUTE),
        ([{"key": "maintenance", "operator": "Exists", "tolerationSeconds": -1}], 0),
    ],
)
def test_how_long_a_taint_is_tolerated(tolerations: list[Json], stays: Duration | None) -> None:
    assert tolerated_for({"spec": {"tolerations": tolerations}}, [TAINT]) == stays


def pod(cluster: Cluster, name: str = "p", tolerations: list[Json] | None = None) -> None:
    spec: Json = {"containers": [{"name": "main", "image": "x"}], "tolerations": tolerations or []}
    cluster.create(PODS, {"metadata": {"name": name}, "spec": spec})
    cluster.run()


def taint(cluster: Cluster, *taints: Json) -> None:
    cluster.change(NODES, "n", "", taints=list(taints))
    cluster.run()


def conditions(cluster: Cluster, name: str = "p") -> dict[str, str]:
    found = cluster.find(PODS, name)
    assert found is not None
    return {each["type"]: each.get("reason", "") for each in found["status"]["conditions"]}


def test_who_does_not_tolerate_a_taint_is_deleted_at_once(cluster: Cluster) -> None:
    pod(cluster)
    taint(cluster, SOFT)
    assert "DisruptionTarget" not in conditions(cluster)
    taint(cluster, SOFT, TAINT)
    assert conditions(cluster)["DisruptionTarget"] == "DeletionByTaintManager"
    cluster.run(2 * SECOND)
    assert cluster.find(PODS, "p") is None


def test_who_tolerates_it_for_a_time_stays_so_long(cluster: Cluster) -> None:
    pod(cluster, tolerations=[FOR_A_MINUTE])
    taint(cluster, TAINT)
    cluster.run(59 * SECOND)
    assert "DisruptionTarget" not in conditions(cluster)
    cluster.run(SECOND)
    assert "DisruptionTarget" in conditions(cluster)


def test_who_is_spared_when_the_taint_goes_in_time(cluster: Cluster) -> None:
    pod(cluster, tolerations=[FOR_A_MINUTE])
    taint(cluster, TAINT)
    cluster.run(30 * SECOND)
    taint(cluster)
    cluster.run(MINUTE)
    assert "DisruptionTarget" not in conditions(cluster)


def test_who_comes_to_a_tainted_node_has_to_leave_too(cluster: Cluster) -> None:
    taint(cluster, TAINT)
    pod(cluster)
    cluster.run(2 * SECOND)
    assert cluster.find(PODS, "p") is None


def test_pods_of_a_silent_machine_are_deleted_after_five_minutes_and_a_job_s_are_replaced(
    cluster: Cluster,
) -> None:
    cluster.add_node("m")
    cluster.job()
    cluster.run(MINUTE)
    cluster.world.machines.crash("n")
    cluster.binds_to = "m"
    cluster.run(349 * SECOND)
    (lost,) = cluster.pods()
    assert "deletionTimestamp" not in lost["metadata"]
    cluster.run(SECOND)  # 50 s until the silence is noticed, 300 s that every pod tolerates it
    (lost,) = cluster.pods()
    assert "deletionTimestamp" in lost["metadata"]
    cluster.run(20 * SECOND)
    assert [each["spec"]["nodeName"] for each in cluster.pods()] == ["n", "m"]
    assert cluster.status()["terminating"] == 1
    cluster.world.machines.recover("n")
    cluster.run(10 * SECOND)
    assert [each["spec"]["nodeName"] for each in cluster.pods()] == ["m"]
    assert cluster.find(JOBS, "train") is not None


def test_pods_of_a_deleted_node_are_failed_and_removed(cluster: Cluster) -> None:
    pod(cluster)
    cluster.world.machines.remove("n")
    cluster.binds = False
    cluster.run(39 * SECOND)
    assert cluster.find(PODS, "p") is not None
    cluster.run(SECOND)
    assert cluster.find(PODS, "p") is None


def test_a_node_that_comes_back_keeps_its_pods_from_being_removed(cluster: Cluster) -> None:
    pod(cluster)
    cluster.delete(NODES, "n", "")
    cluster.run(10 * SECOND)
    cluster.add_node("n")
    cluster.run(MINUTE)
    assert cluster.find(PODS, "p") is not None
