"""``deploy/`` on a real API server: it is taken as it stands, and its roles are what the scheduler needs."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
import yaml

from tests.support.api import Api
from tests.support.kube_apiserver import audit_log, running_kube_apiserver
from tests.support.kubectl import Kubectl
from tests.support.polling import eventually
from tests.support.processes import running
from tests.support.servers import write_kubeconfig
from tests.unit.scheduler.builders import GPU

DEPLOY = Path(__file__).parents[2] / "deploy"
NAME = "lst-scheduler"
ACCOUNT = f"system:serviceaccount:{NAME}:{NAME}"
STARTED = "2026-01-05T00:00:00Z"
"""Long before the test, so that a pod has run for the minimum."""


@dataclass
class Cluster:
    """A real API server with the manifests applied."""

    api: Api
    home: Path
    kubectl: Kubectl


@pytest.fixture(scope="module")
def cluster(
    kube_apiserver: Path, etcd: Path, kubectl: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Cluster]:
    home = tmp_path_factory.mktemp("real")
    with running_kube_apiserver(kube_apiserver, etcd, home, audited=ACCOUNT) as server:
        command = Kubectl(kubectl, server, NAME, home)
        command("apply", "--validate=strict", "-k", str(DEPLOY))
        api = Api(server)
        try:
            yield Cluster(api, home, command)
        finally:
            api.close()


def test_what_is_applied_is_what_the_server_keeps(cluster: Cluster) -> None:
    """Nothing was dropped or changed by the server: applying it again changes nothing."""

    def kept() -> dict[str, str]:
        objects = cluster.kubectl.json("get", "-k", str(DEPLOY))["items"]
        names = [f"{each['kind']}/{each['metadata']['name']}" for each in objects]
        return {name: each["metadata"]["resourceVersion"] for name, each in zip(names, objects, strict=True)}

    before = kept()
    cluster.kubectl("apply", "--validate=strict", "-k", str(DEPLOY))
    assert kept() == before
    assert len(before) == 9


def test_the_deployment_runs_two_that_read_their_settings_where_they_are(cluster: Cluster) -> None:
    deployment = cluster.kubectl.json("get", "deployment", NAME)
    spec = deployment["spec"]["template"]["spec"]
    (container,) = spec["containers"]
    (volume,) = spec["volumes"]
    (argument,) = container["args"]
    folder, _, file = argument.removeprefix("--config=").rpartition("/")
    assert deployment["spec"]["replicas"] == 2
    assert [mount["mountPath"] for mount in container["volumeMounts"]] == [folder]
    settings = cluster.kubectl.json("get", "configmap", volume["configMap"]["name"])
    assert settings["data"][file] == (DEPLOY / "config.yaml").read_text()
    listens = yaml.safe_load(settings["data"][file])["listen"]
    assert listens == f"0.0.0.0:{container['ports'][0]['containerPort']}"


def test_its_pods_are_admitted_by_the_namespace_that_it_makes(cluster: Cluster) -> None:
    """There is no controller here that would make them: so one is made of the template."""
    kind = ("get", "priorityclass", "system-cluster-critical")
    eventually(lambda: cluster.kubectl.attempt(*kind).returncode == 0, what="the server makes its classes")
    template = cluster.kubectl.json("get", "deployment", NAME)["spec"]["template"]
    pod = {"apiVersion": "v1", "kind": "Pod", **template}
    pod["metadata"] = {**pod["metadata"], "name": "probe", "namespace": NAME}
    done = cluster.kubectl.attempt("create", "--dry-run=server", "-f", "-", manifest=pod)
    assert (done.returncode, done.stderr) == (0, "")


# Roles --------------------------------------------------------------------------------------------


class Right(NamedTuple):
    """A verb on a resource, of all namespaces or of one object."""

    group: str
    resource: str
    verb: str
    name: str = ""


IN_DOUBT = {
    Right("", "pods", "get"): "a pod is read anew when its binding was refused or not answered",
    Right("scheduling.k8s.io", "podgroups", "watch"): "where the server has them",
    Right("scheduling.x-k8s.io", "podgroups", "watch"): "where the server has them",
}
"""Rights that the run below does not come to use, and why they are needed all the same."""


def granted() -> set[Right]:
    rights = set()
    for document in yaml.safe_load_all((DEPLOY / "rbac.yaml").read_text()):
        for rule in document.get("rules", ()):
            assert set(rule) <= {"apiGroups", "resources", "verbs", "resourceNames"}
            for group in rule["apiGroups"]:
                for resource in rule["resources"]:
                    for name in rule.get("resourceNames", ("",)):
                        rights |= {Right(group, resource, verb, name) for verb in rule["verbs"]}
    return rights


def asked(home: Path) -> list[tuple[Right, Any]]:
    found = []
    for line in audit_log(home).read_text().splitlines():
        event = json.loads(line)
        subject = event["objectRef"]
        resource = "/".join(filter(None, (subject["resource"], subject.get("subresource"))))
        ours = resource == "leases" and event["verb"] != "create"
        name = subject.get("name", "") if ours else ""
        found.append((Right(subject.get("apiGroup", ""), resource, event["verb"], name), event))
    return found


def scheduler_of(cluster: Cluster, folder: Path) -> list[str]:
    """The command of the Deployment, as its service account."""
    request = {"spec": {"expirationSeconds": 3600}}
    token = cluster.api.core.create_namespaced_service_account_token(NAME, NAME, request).status.token
    server = cluster.api.server
    kubeconfig = write_kubeconfig(folder / "kubeconfig", server.url, token, server.authority)
    config = DEPLOY / "config.yaml"
    flags = [
        "--config",
        str(config),
        "--kubeconfig",
        str(kubeconfig),
        "--listen",
        ":0",
        "--log-format",
        "text",
    ]
    return [sys.executable, "-m", "scheduler", *flags]


def add_node(api: Api, name: str) -> None:
    amounts = {"cpu": "8", "memory": "32Gi", "pods": "10", GPU: "8"}
    api.core.create_node({"metadata": {"name": name}})
    api.core.patch_node_status(name, {"status": {"capacity": amounts, "allocatable": amounts}})
    api.core.patch_node(name, {"spec": {"taints": None}})


def add_pod(api: Api, name: str, gpus: int, metadata: Any = None) -> None:
    container = {"name": "main", "image": "busybox", "resources": {"limits": {GPU: str(gpus)}}}
    spec = {"schedulerName": NAME, "containers": [container]}
    api.core.create_namespaced_pod(
        api.namespace, {"metadata": {"name": name, **(metadata or {})}, "spec": spec}
    )


def let_run(api: Api, name: str) -> None:
    status = {
        "name": "main",
        "image": "busybox",
        "imageID": "",
        "ready": True,
        "restartCount": 0,
        "state": {"running": {"startedAt": STARTED}},
    }
    patch = {"status": {"phase": "Running", "containerStatuses": [status]}}
    api.core.patch_namespaced_pod_status(name, api.namespace, patch)


OWNED = {
    "ownerReferences": [
        {"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "u-1", "controller": True}
    ]
}
"""Metadata of a pod that may be preempted: its controller makes it again."""

URGENT = {"annotations": {"lst.scheduler/deadline": "65m", "lst.scheduler/expected-duration": "1h"}}
"""Metadata of a pod that has five minutes of slack: less than the lead."""


def play(api: Api) -> None:
    """Everything that a scheduler comes to do: bind, let wait, preempt, hold a place."""

    def pod(name: str) -> Any:
        return api.core.read_namespaced_pod(name, api.namespace)

    add_node(api, "n")
    add_pod(api, "victim", 8, OWNED)
    eventually(lambda: pod("victim").spec.node_name == "n")
    let_run(api, "victim")
    add_pod(api, "big", 9)
    eventually(lambda: pod("big").status.conditions)
    add_pod(api, "urgent", 8, URGENT)
    eventually(lambda: pod("urgent").status.nominated_node_name == "n")
    assert pod("victim").metadata.deletion_timestamp is not None
    api.core.delete_namespaced_pod("victim", api.namespace, grace_period_seconds=0)
    eventually(lambda: pod("urgent").spec.node_name == "n")
    events = api.events.list_namespaced_event
    eventually(
        lambda: (
            {each.reason for each in events(api.namespace).items}
            >= {"Scheduled", "FailedScheduling", "Preempted"}
        )
    )


def test_the_account_may_do_what_the_scheduler_does_and_nothing_else(
    cluster: Cluster, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    command = scheduler_of(cluster, tmp_path)
    with running(command, log=log, ready=lambda: "this process leads" in log.read_text()):
        play(cluster.api)
    requests = asked(cluster.home)
    refused = [
        (right, event["responseStatus"])
        for right, event in requests
        if event["annotations"]["authorization.k8s.io/decision"] != "allow"
    ]
    assert refused == []
    assert "released the lease" in log.read_text()
    used = {right for right, _ in requests}
    assert used <= granted()
    assert granted() - used == set(IN_DOUBT)


def test_why_it_happened_can_be_told(cluster: Cluster, tmp_path: Path) -> None:
    """After the run above, by somebody who may read pods and Events."""

    api = cluster.api
    command = [sys.executable, "-m", "scheduler", "--kubeconfig", str(api.server.kubeconfig), "explain"]
    done = subprocess.run(
        [*command, f"{api.namespace}/urgent"], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert re.search(r"preempted 1 workloads with 1 pods at \S+, since its slack does not last", done.stdout)
    assert "made way for it\n  " in done.stdout
    assert f"{api.namespace}/victim: Preempted by pod {api.namespace}/urgent on node n" in done.stdout


QUICK = ("lease-duration=4s", "renew-deadline=3500ms", "retry-period=100ms")


def test_a_place_is_kept_for_a_preemptor_when_the_leader_vanishes(cluster: Cluster, tmp_path: Path) -> None:
    """Between the preemption and the binding; the next leader goes on from what stands in the API."""
    api = cluster.api
    election = [f"--leader-elect-{each}" for each in QUICK]
    command = [*scheduler_of(cluster, tmp_path), *election]
    logs = [tmp_path / "first.log", tmp_path / "second.log"]

    def pod(name: str) -> Any:
        return api.core.read_namespaced_pod(name, api.namespace)

    def leads(log: Path) -> bool:
        return "this process leads" in log.read_text()

    add_node(api, "m")
    with (
        running(command, log=logs[0], ready=lambda: leads(logs[0])) as first,
        running(command, log=logs[1], ready=lambda: "is held by" in logs[1].read_text()),
    ):
        add_pod(api, "next-victim", 8, OWNED)
        eventually(lambda: pod("next-victim").spec.node_name == "m")
        let_run(api, "next-victim")
        add_pod(api, "next-urgent", 8, URGENT)
        eventually(lambda: pod("next-urgent").status.nominated_node_name == "m")
        first.kill()
        eventually(lambda: leads(logs[1]))
        address = re.search(r"http://\S+", logs[1].read_text())
        assert address is not None
        eventually(lambda: 'pending_pods{state="held"} 1.0' in httpx.get(f"{address[0]}/metrics").text)
        api.core.delete_namespaced_pod("next-victim", api.namespace, grace_period_seconds=0)
        eventually(lambda: pod("next-urgent").spec.node_name == "m")
        assert "preempt for" not in logs[1].read_text(), "nobody else had to go"
