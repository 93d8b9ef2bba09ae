"""What a pod gets where it says nothing. The expected values are those of kube-apiserver 1.37.2."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.registry.poddefaults import canonical_quantities, fill_pod, fill_template
from tests.unit.fakeapi.registry.bench import Json, pod


def filled(container: Json | None = None, **spec: Any) -> Json:
    obj = pod(container=container, **spec)
    fill_pod(obj)
    result: Json = obj["spec"]
    return result


def test_a_plain_pod() -> None:
    assert filled() == {
        "containers": [
            {
                "name": "main",
                "image": "registry.example/train:1",
                "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}},
                "terminationMessagePath": "/dev/termination-log",
                "terminationMessagePolicy": "File",
                "imagePullPolicy": "IfNotPresent",
            }
        ],
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "securityContext": {},
        "schedulerName": "default-scheduler",
        "enableServiceLinks": True,
    }


def test_empty_text_counts_as_left_out() -> None:
    spec = filled(restartPolicy="", schedulerName="", dnsPolicy="")
    assert (spec["restartPolicy"], spec["schedulerName"]) == ("Always", "default-scheduler")
    assert spec["dnsPolicy"] == "ClusterFirst"


def test_what_is_given_stays() -> None:
    spec = filled(restartPolicy="Never", terminationGracePeriodSeconds=0, enableServiceLinks=False)
    assert spec["restartPolicy"] == "Never"
    assert spec["terminationGracePeriodSeconds"] == 0
    assert spec["enableServiceLinks"] is False


def test_a_negative_grace_is_one_second_in_a_pod_and_kept_in_a_template() -> None:
    assert filled(terminationGracePeriodSeconds=-5)["terminationGracePeriodSeconds"] == 1
    holder = {"template": {"spec": {"containers": [], "terminationGracePeriodSeconds": -5}}}
    fill_template(holder)
    assert holder["template"]["spec"]["terminationGracePeriodSeconds"] == -5


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("train", "Always"),
        ("train:latest", "Always"),
        ("host:5000/train", "Always"),
        ("train:1", "IfNotPresent"),
        ("host:5000/train:1", "IfNotPresent"),
        ("host:5000/train@sha256:aa", "IfNotPresent"),
        ("host:5000/train:latest@sha256:aa", "Always"),
        ("a.b/c__d/e-f.g", "Always"),
        ("HOST/train", "Always"),
        ("", "IfNotPresent"),
        ("TRAIN", "IfNotPresent"),
        ("host/TRAIN", "IfNotPresent"),
        ("train:", "IfNotPresent"),
        ("train one", "IfNotPresent"),
        ("-train", "IfNotPresent"),
        ("x" * 256, "IfNotPresent"),
    ],
)
def test_images_without_a_tag_are_always_pulled_if_they_are_images(image: str, policy: str) -> None:
    assert filled({"image": image})["containers"][0]["imagePullPolicy"] == policy


def test_limits_stand_for_missing_requests_in_a_pod() -> None:
    resources = {"limits": {"cpu": "1500m", "nvidia.com/gpu": "2"}, "requests": {"cpu": "1"}}
    (container,) = filled({"resources": resources})["containers"]
    assert container["resources"]["requests"] == {"cpu": "1", "nvidia.com/gpu": "2"}


def test_templates_keep_their_requests() -> None:
    limits = {"resources": {"limits": {"cpu": "1"}}}
    holder: Json = {"template": {"spec": {"containers": [{"name": "a", "image": "i", **limits}]}}}
    fill_template(holder)
    assert holder["template"]["spec"]["containers"][0]["resources"] == {"limits": {"cpu": "1"}}
    assert "enableServiceLinks" not in holder["template"]["spec"]
    assert holder["template"]["metadata"] == {}


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("1000m", "1"),
        ("1024Mi", "1Gi"),
        ("0.5", "500m"),
        (2, "2"),
        (0.25, "250m"),
        ("0.0001", "1m"),
        ("1500u", "2m"),
        ("not a quantity", "not a quantity"),
    ],
)
def test_quantities_are_canonical_and_no_finer_than_a_thousandth(given: Any, written: str) -> None:
    holder = {"limits": {"cpu": given}}
    canonical_quantities(holder, "limits", "requests")
    assert holder == {"limits": {"cpu": written}}


def test_probes_and_handlers() -> None:
    container = {
        "livenessProbe": {"httpGet": {"port": 80}, "periodSeconds": 3},
        "startupProbe": {"grpc": {"port": 1}},
        "lifecycle": {"preStop": {"httpGet": {"port": 80, "path": "/bye"}}},
        "env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
    }
    (found,) = filled(container)["containers"]
    times = {"timeoutSeconds": 1, "successThreshold": 1, "failureThreshold": 3}
    http = {"port": 80, "path": "/", "scheme": "HTTP"}
    assert found["livenessProbe"] == {"httpGet": http, "periodSeconds": 3, **times}
    assert found["startupProbe"]["grpc"] == {"port": 1, "service": ""}
    assert found["lifecycle"]["preStop"]["httpGet"] == {"port": 80, "path": "/bye", "scheme": "HTTP"}
    assert found["env"][0]["valueFrom"]["fieldRef"]["apiVersion"] == "v1"


def test_ports_have_a_protocol_and_are_the_host_s_on_its_network() -> None:
    ports = [{"containerPort": 80}, {"containerPort": 81, "hostPort": 8081, "protocol": "UDP"}]
    (container,) = filled({"ports": copy.deepcopy(ports)})["containers"]
    assert container["ports"] == [{"containerPort": 80, "protocol": "TCP"}, ports[1]]
    (container,) = filled({"ports": copy.deepcopy(ports)}, hostNetwork=True)["containers"]
    assert [port["hostPort"] for port in container["ports"]] == [80, 8081]


def test_volumes() -> None:
    sources = [{"downwardAPI": {"items": [{"path": "l", "fieldRef": {"fieldPath": "metadata.labels"}}]}}]
    token = {"serviceAccountToken": {"path": "token"}}
    volumes = [
        {"name": "a"},
        {"name": "b", "secret": {"secretName": "s"}},
        {"name": "c", "hostPath": {"path": "/"}},
        {"name": "d", "projected": {"sources": [*sources, token]}},
    ]
    found = filled(volumes=volumes)["volumes"]
    assert found[0] == {"name": "a", "emptyDir": {}}
    assert found[1]["secret"]["defaultMode"] == 0o644
    assert found[2]["hostPath"] == {"path": "/", "type": ""}
    projected = found[3]["projected"]
    assert projected["defaultMode"] == 0o644
    assert projected["sources"][0]["downwardAPI"]["items"][0]["fieldRef"]["apiVersion"] == "v1"
    assert projected["sources"][1]["serviceAccountToken"]["expirationSeconds"] == 3600


@pytest.mark.parametrize("field", ["serviceAccount", "serviceAccountName"])
def test_both_names_of_the_account_say_the_same(field: str) -> None:
    given: Json = {field: "robot"}
    spec = filled(**given)
    assert (spec["serviceAccount"], spec["serviceAccountName"]) == ("robot", "robot")


def test_limits_of_the_whole_pod_stand_for_requests_that_no_container_has() -> None:
    spec = filled(resources={"limits": {"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": "1"}})
    assert spec["resources"]["requests"] == {"nvidia.com/gpu": "1"}


AMOUNTS = st.dictionaries(
    st.sampled_from(["cpu", "memory", "nvidia.com/gpu"]), st.sampled_from(["1", "1000m", "0.5", "1024Ki", 3])
)


@given(AMOUNTS, AMOUNTS, st.booleans())
def test_filling_twice_is_filling_once(limits: Json, requests: Json, network: bool) -> None:
    container = {"resources": {"limits": limits, "requests": requests}, "ports": [{"containerPort": 80}]}
    obj = pod(container=container, hostNetwork=network, volumes=[{"name": "a"}])
    fill_pod(obj)
    once = copy.deepcopy(obj)
    fill_pod(obj)
    assert obj == once


@pytest.mark.parametrize(("size", "written"), [("1024Mi", "1Gi"), (0.5, "500m"), (1, "1")])
def test_space_on_a_node_is_written_as_it_should_be(size: Any, written: str) -> None:
    volumes = [{"name": "v", "emptyDir": {"sizeLimit": size}}]
    assert filled({}, volumes=volumes)["volumes"][0]["emptyDir"] == {"sizeLimit": written}
