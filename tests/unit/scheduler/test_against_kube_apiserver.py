"""The scheduler's process against a real kube-apiserver, which validates all that it is sent."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.kube_apiserver import running_kube_apiserver
from tests.support.polling import eventually
from tests.support.processes import free_port, running, stop
from tests.support.servers import ApiServer
from tests.unit.scheduler.builders import GPU

READY_LOG = "unfinished pods"


@pytest.fixture(scope="module")
def api(kube_apiserver: Path, etcd: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    home = tmp_path_factory.mktemp("real")
    with running_kube_apiserver(kube_apiserver, etcd, home) as server:
        found = Api(server)
        try:
            yield found
        finally:
            found.close()


@pytest.fixture
def scheduler(api: Api, tmp_path: Path) -> Iterator[Path]:
    """A running scheduler; the path of its log."""
    log = tmp_path / "scheduler.log"
    command = [sys.executable, "-m", "scheduler", "--kubeconfig", str(api.server.kubeconfig)]
    with running(command, log=log, ready=lambda: READY_LOG in log.read_text()):
        yield log


@contextmanager
def connected(server: ApiServer) -> Iterator[Api]:
    api = Api(server)
    try:
        yield api
    finally:
        api.close()


def add_node(api: Api, gpus: int) -> str:
    name = api.unique("node")
    amounts = {"cpu": "8", "memory": "32Gi", "pods": "10", GPU: str(gpus)}
    api.core.create_node({"metadata": {"name": name}})
    status = {"status": {"capacity": amounts, "allocatable": amounts}}
    api.core.patch_node_status(name, status)
    # Admission taints new nodes until a node controller has seen them ready; there is none here.
    api.core.patch_node(name, {"spec": {"taints": None}})
    return name


def add_pod(api: Api, name: str, gpus: int, **annotations: str) -> None:
    amounts = {"limits": {GPU: str(gpus)}}
    api.core.create_namespaced_pod(
        api.namespace,
        {
            "metadata": {
                "name": name,
                "annotations": {f"lst.scheduler/{k}": v for k, v in annotations.items()},
            },
            "spec": {
                "schedulerName": "lst-scheduler",
                "containers": [{"name": "main", "image": "busybox", "resources": amounts}],
            },
        },
    )


def pod(api: Api, name: str) -> Any:
    return api.core.read_namespaced_pod(name, api.namespace)


def reasons(api: Api, name: str) -> list[str]:
    listed = api.core.list_namespaced_event(api.namespace, field_selector=f"involvedObject.name={name}")
    return sorted(event.reason for event in listed.items)


def test_pods_are_bound_told_and_given_the_room_that_gets_free(api: Api, scheduler: Path) -> None:
    node = add_node(api, 8)
    add_pod(api, "first", 8, deadline="4h")
    eventually(lambda: pod(api, "first").spec.node_name == node)
    eventually(lambda: reasons(api, "first") == ["Scheduled", "UnknownDuration"])
    assert [each.status for each in pod(api, "first").status.conditions if each.type == "PodScheduled"] == [
        "True"
    ]

    add_pod(api, "second", 8, deadline="soon")
    eventually(lambda: reasons(api, "second") == ["FailedScheduling", "MalformedAnnotation"])
    (condition,) = pod(api, "second").status.conditions
    assert (condition.type, condition.status, condition.reason) == ("PodScheduled", "False", "Unschedulable")
    assert condition.message == f"0/1 nodes are available: 1 Insufficient {GPU}."
    assert condition.last_transition_time is not None

    api.core.delete_namespaced_pod("first", api.namespace, grace_period_seconds=0)
    eventually(lambda: pod(api, "second").spec.node_name == node)
    eventually(lambda: "Scheduled" in reasons(api, "second"))
    assert "WARNING" not in scheduler.read_text()


def test_it_goes_on_after_a_restart_of_the_api_server(
    kube_apiserver: Path, etcd: Path, tmp_path: Path
) -> None:
    """With leader election: the server is away for less time than the leader tries to renew its Lease."""
    home, port, log = tmp_path / "real", free_port(), tmp_path / "scheduler.log"
    home.mkdir()
    patient = ("--leader-elect-lease-duration=120s", "--leader-elect-renew-deadline=100s")
    with ExitStack() as stack:
        with (
            running_kube_apiserver(kube_apiserver, etcd, home, port=port) as server,
            connected(server) as api,
        ):
            flags = ["--kubeconfig", str(server.kubeconfig), "--leader-elect", *patient]
            command = [sys.executable, "-m", "scheduler", *flags]
            process = stack.enter_context(
                running(command, log=log, ready=lambda: READY_LOG in log.read_text())
            )
            node, namespace = add_node(api, 8), api.namespace
            add_pod(api, "first", 6)
            add_pod(api, "waits", 4)
            eventually(lambda: pod(api, "first").spec.node_name == node)
            eventually(lambda: pod(api, "waits").status.conditions)
        eventually(lambda: "Cannot connect" in log.read_text())
        with (
            running_kube_apiserver(kube_apiserver, etcd, home, port=port) as server,
            connected(server) as api,
        ):
            api.namespace = namespace
            assert process.poll() is None
            api.core.delete_namespaced_pod("first", namespace, grace_period_seconds=0)
            add_pod(api, "second", 4)
            eventually(lambda: pod(api, "waits").spec.node_name == node, within=RECOVERY_S)
            eventually(lambda: pod(api, "second").spec.node_name == node, within=RECOVERY_S)
            assert stop(process) == 0
            lease = api.coordination.read_namespaced_lease(NAME, "kube-system").spec
            assert (lease.holder_identity, lease.lease_transitions) == ("", 0)


RECOVERY_S = 60.0
"""Longer than the longest pause between two tries (30 s)."""

NAME = "lst-scheduler"
