"""kubectl, the current one and the one that Debian 12 ships, does what a person asks of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.api import Api, JsonObject, pod
from tests.support.kubectl import Kubectl
from tests.support.polling import eventually
from tests.support.processes import stop


@pytest.fixture(params=["kubectl", "kubectl_old"])
def ctl(request: pytest.FixtureRequest, api: Api, tmp_path: Path) -> Kubectl:
    """Each kubectl, in the namespace of ``api``."""
    return Kubectl(request.getfixturevalue(request.param), api.server, api.namespace, tmp_path)


def test_version_speaks_with_the_server(ctl: Kubectl) -> None:
    version = ctl.json("version")
    assert version["serverVersion"]["major"] == "1"


def test_api_resources(ctl: Kubectl) -> None:
    names = set(ctl("api-resources", "-o", "name").split())
    assert {"pods", "nodes", "deployments.apps", "priorityclasses.scheduling.k8s.io"} <= names


def test_create_get_and_delete(ctl: Kubectl) -> None:
    assert ctl("create", "-f", "-", manifest=pod("a")) == "pod/a created\n"
    rows = ctl.rows("get", "pods")
    assert rows[0] == ["NAME", "READY", "STATUS", "RESTARTS", "AGE"]
    assert rows[1][:4] == ["a", "0/1", "Pending", "0"]
    assert 'pod "a" deleted' in ctl("delete", "pod", "a")
    assert ctl("get", "pods", "-o", "name") == ""


def test_get_says_when_there_is_nothing(ctl: Kubectl) -> None:
    assert "No resources found" in ctl.attempt("get", "pods").stderr
    missing = ctl.attempt("get", "pod", "nobody")
    assert missing.returncode == 1
    assert missing.stderr == 'Error from server (NotFound): pods "nobody" not found\n'


def test_get_in_its_formats(ctl: Kubectl, api: Api) -> None:
    api.create_pod("a", labels={"app": "train"})
    assert ctl("get", "pods", "-o", "name") == "pod/a\n"
    assert ctl.json("get", "pod", "a")["metadata"]["name"] == "a"
    assert ctl.json("get", "pods")["items"][0]["metadata"]["name"] == "a"
    assert ctl("get", "pods", "-o", "jsonpath={.items[*].status.phase}") == "Pending"
    wide = ctl.rows("get", "pods", "-o", "wide")
    assert wide[0][:7] == ["NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE"]
    assert "kind: Pod" in ctl("get", "pod", "a", "-o", "yaml")
    labelled = ctl.rows("get", "pods", "-l", "app=train", "-L", "app", "--no-headers")
    assert labelled[0][-1] == "train"
    everywhere = ("get", "pods", "-A", "--field-selector", f"metadata.namespace={api.namespace}")
    assert ctl(*everywhere, "-o", "name") == "pod/a\n"


def test_get_nodes(ctl: Kubectl, api: Api) -> None:
    name = api.create_node()
    rows = ctl.rows("get", "node", name)
    assert rows[0] == ["NAME", "STATUS", "ROLES", "AGE", "VERSION"]
    assert rows[1][:3] == [name, "Ready", "<none>"]
    assert ctl.rows("get", "node", name, "-o", "wide")[0][5:7] == ["INTERNAL-IP", "EXTERNAL-IP"]


def test_get_several_kinds_at_once(ctl: Kubectl, api: Api) -> None:
    api.create_pod("a")
    api.create_config("a")
    found = ctl("get", "pods,configmaps", "-o", "name").split()
    assert {"pod/a", "configmap/a"} <= set(found)


@pytest.fixture
def watching(ctl: Kubectl, tmp_path: Path) -> Iterator[Path]:
    """The output of ``kubectl get pods -w``, as it grows."""
    log = tmp_path / "watch.log"
    process = ctl.start("get", "pods", "-w", "--output-watch-events", log=log)
    try:
        yield log
    finally:
        stop(process)


def test_get_tells_changes_as_they_happen(watching: Path, api: Api) -> None:
    api.create_pod("first")
    eventually(lambda: "first" in watching.read_text())
    api.create_pod("second")
    eventually(lambda: "second" in watching.read_text())
    api.core.delete_namespaced_pod("second", api.namespace, grace_period_seconds=0)
    eventually(lambda: "DELETED" in watching.read_text())


def _deployment(replicas: int) -> JsonObject:
    labels = {"app": "serve"}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "serve"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod()["spec"]},
        },
    }


def test_apply_creates_changes_and_leaves_alone(ctl: Kubectl) -> None:
    assert ctl("apply", "-f", "-", manifest=_deployment(0)) == "deployment.apps/serve created\n"
    assert ctl("apply", "-f", "-", manifest=_deployment(0)) == "deployment.apps/serve unchanged\n"
    assert ctl("apply", "-f", "-", manifest=_deployment(2)) == "deployment.apps/serve configured\n"
    assert ctl.json("get", "deployment", "serve")["spec"]["replicas"] == 2


def test_apply_removes_what_the_manifest_no_longer_has(ctl: Kubectl) -> None:
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    ctl("apply", "-f", "-", manifest={**config, "data": {"k": "1", "l": "2"}})
    ctl("apply", "-f", "-", manifest={**config, "data": {"k": "1"}})
    assert ctl.json("get", "configmap", "a")["data"] == {"k": "1"}


def test_apply_shows_an_invalid_field(ctl: Kubectl) -> None:
    bad = pod("a", spec={"restartPolicy": "Sometimes"})
    done = ctl.attempt("apply", "-f", "-", manifest=bad)
    assert done.returncode == 1
    assert "spec.restartPolicy" in done.stderr


def test_label_and_annotate(ctl: Kubectl, api: Api) -> None:
    api.create_pod("a")
    assert ctl("label", "pod", "a", "app=train") == "pod/a labeled\n"
    assert ctl("annotate", "pod", "a", "note=x y") == "pod/a annotated\n"
    metadata = api.core.read_namespaced_pod("a", api.namespace).metadata
    assert (metadata.labels, metadata.annotations) == ({"app": "train"}, {"note": "x y"})
    ctl("label", "pod", "a", "app-")
    assert not api.core.read_namespaced_pod("a", api.namespace).metadata.labels


def test_cordon_taint_and_uncordon(ctl: Kubectl, api: Api) -> None:
    name = api.create_node()
    assert ctl("cordon", name) == f"node/{name} cordoned\n"
    assert api.core.read_node(name).spec.unschedulable is True
    assert ctl.rows("get", "node", name)[1][1] == "Ready,SchedulingDisabled"
    ctl("taint", "node", name, "repair=soon:NoSchedule")
    taints = {taint.key for taint in api.core.read_node(name).spec.taints}
    assert "repair" in taints
    assert ctl("uncordon", name) == f"node/{name} uncordoned\n"
    assert not api.core.read_node(name).spec.unschedulable


def test_describe_shows_the_events_of_a_pod(ctl: Kubectl, api: Api) -> None:
    created = api.create_pod("a", labels={"app": "train"})
    regarding = {"kind": "Pod", "namespace": api.namespace, "name": "a", "uid": created.metadata.uid}
    api.core.create_namespaced_event(
        api.namespace,
        {
            "metadata": {"name": "said"},
            "involvedObject": regarding,
            "reason": "FailedScheduling",
            "message": "no node has room",
            "type": "Warning",
            "source": {"component": "suite"},
            "firstTimestamp": "2026-01-05T00:00:00Z",
            "lastTimestamp": "2026-01-05T00:00:00Z",
            "count": 1,
        },
    )
    text = ctl("describe", "pod", "a")
    assert "app=train" in text
    assert "FailedScheduling" in text
    assert "no node has room" in text
    assert ctl.rows("get", "events")[1][2] == "FailedScheduling"


def test_describe_node(ctl: Kubectl, api: Api) -> None:
    name = api.create_node()
    api.create_pod("a", spec={"nodeName": name})
    text = ctl("describe", "node", name)
    assert "nvidia.com/gpu" in text
    assert api.namespace in text


def test_scale(ctl: Kubectl) -> None:
    ctl("create", "-f", "-", manifest=_deployment(0))
    assert ctl("scale", "deployment", "serve", "--replicas=2") == "deployment.apps/serve scaled\n"
    assert ctl.json("get", "deployment", "serve")["spec"]["replicas"] == 2


def test_patch_in_its_three_types(ctl: Kubectl, api: Api) -> None:
    api.create_config()
    ctl("patch", "configmap", "config", "--type=merge", "-p", '{"data": {"a": "1"}}')
    ctl("patch", "configmap", "config", "--type=json", "-p", '[{"op": "remove", "path": "/data/key"}]')
    ctl("patch", "configmap", "config", "-p", '{"data": {"b": "2"}}')
    assert api.core.read_namespaced_config_map("config", api.namespace).data == {"a": "1", "b": "2"}


def test_delete_by_selector_and_all(ctl: Kubectl, api: Api) -> None:
    for name, app in (("a", "train"), ("b", "serve"), ("c", "serve")):
        api.create_pod(name, labels={"app": app})
    ctl("delete", "pods", "-l", "app=train")
    assert api.names() == ["b", "c"]
    ctl("delete", "pods", "--all", "--force", "--grace-period=0")
    assert api.names() == []


def test_delete_of_what_is_not_there(ctl: Kubectl) -> None:
    assert 'pods "nobody" not found' in ctl.attempt("delete", "pod", "nobody").stderr
    ctl("delete", "pod", "nobody", "--ignore-not-found")


def test_create_of_jobs_and_config_by_command(ctl: Kubectl) -> None:
    ctl("create", "configmap", "settings", "--from-literal=key=value")
    ctl("create", "job", "train", "--image=registry.example/train:1", "--", "train")
    assert ctl.json("get", "job", "train")["spec"]["backoffLimit"] == 6
    assert ctl.rows("get", "jobs")[1][0] == "train"


def test_wait_for_a_condition(ctl: Kubectl, api: Api) -> None:
    api.create_pod("a")
    ready = {"conditions": [{"type": "Ready", "status": "True"}], "phase": "Running"}
    api.core.patch_namespaced_pod_status("a", api.namespace, {"status": ready})
    assert "condition met" in ctl("wait", "pod", "a", "--for=condition=Ready", "--timeout=30s")


def test_get_raw(ctl: Kubectl) -> None:
    assert ctl("get", "--raw", "/readyz") == "ok"
