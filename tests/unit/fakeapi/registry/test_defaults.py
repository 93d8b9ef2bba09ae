"""What the other kinds get where they say nothing. The expected values are those of kube-apiserver 1.37.2."""

import copy
from typing import Any

import pytest

from fakeapi.machinery.resources import BUILTIN, builtin
from fakeapi.registry.defaults import fill_defaults, fill_status
from tests.unit.fakeapi.registry.bench import Json, job, template, workload


def filled(group: str, kind: str, obj: Json) -> Json:
    whole = {"metadata": {"name": "a"}, **obj}
    fill_defaults(group, kind, whole)
    return whole


@pytest.mark.parametrize(
    ("group", "kind", "spec"),
    [
        ("apps", "ReplicaSet", {"replicas": 1}),
        (
            "apps",
            "Deployment",
            {
                "replicas": 1,
                "strategy": {
                    "type": "RollingUpdate",
                    "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"},
                },
                "revisionHistoryLimit": 10,
                "progressDeadlineSeconds": 600,
            },
        ),
        (
            "apps",
            "StatefulSet",
            {
                "replicas": 1,
                "serviceName": "",
                "podManagementPolicy": "OrderedReady",
                "revisionHistoryLimit": 10,
                "updateStrategy": {
                    "type": "RollingUpdate",
                    "rollingUpdate": {"partition": 0, "maxUnavailable": 1},
                },
                "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"},
            },
        ),
        (
            "apps",
            "DaemonSet",
            {
                "updateStrategy": {
                    "type": "RollingUpdate",
                    "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0},
                },
                "revisionHistoryLimit": 10,
            },
        ),
    ],
)
def test_workloads(group: str, kind: str, spec: Json) -> None:
    found = filled(group, kind, workload())["spec"]
    assert {name: found[name] for name in spec} == spec
    assert found["template"]["spec"]["restartPolicy"] == "Always"


def test_zero_replicas_are_zero() -> None:
    assert filled("apps", "Deployment", workload(replicas=0))["spec"]["replicas"] == 0


def test_a_recreating_deployment_does_not_roll() -> None:
    found = filled("apps", "Deployment", workload(strategy={"type": "Recreate"}))
    assert found["spec"]["strategy"] == {"type": "Recreate"}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {"parallelism": 1, "completions": 1, "backoffLimit": 6}),
        ({"parallelism": 3}, {"parallelism": 3, "completions": None}),
        ({"completions": 3}, {"parallelism": 1, "completions": 3}),
        ({"backoffLimitPerIndex": 1}, {"backoffLimit": 2**31 - 1}),
        ({"podFailurePolicy": {"rules": []}}, {"podReplacementPolicy": "Failed"}),
        (
            {},
            {
                "completionMode": "NonIndexed",
                "suspend": False,
                "podReplacementPolicy": "TerminatingOrFailed",
                "manualSelector": False,
            },
        ),
    ],
)
def test_jobs(given: Json, expected: Json) -> None:
    found = filled("batch", "Job", job(**given))["spec"]
    assert {name: found.get(name) for name in expected} == expected


def test_a_job_takes_the_labels_of_its_template() -> None:
    manifest = job()
    manifest["spec"]["template"]["metadata"] = {"labels": {"a": "b"}}
    assert filled("batch", "Job", manifest)["metadata"]["labels"] == {"a": "b"}


def test_failure_policies_wait_for_a_condition_that_is_true() -> None:
    rules = [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]
    found = filled("batch", "Job", job(podFailurePolicy={"rules": rules}))
    pattern = found["spec"]["podFailurePolicy"]["rules"][0]["onPodConditions"][0]
    assert pattern == {"type": "DisruptionTarget", "status": "True"}


def test_a_cron_job_leaves_the_job_s_own_defaults_to_the_job() -> None:
    given = {"spec": {"schedule": "* * * * *", "jobTemplate": {"spec": job()["spec"]}}}
    spec = filled("batch", "CronJob", given)["spec"]
    assert (spec["concurrencyPolicy"], spec["suspend"]) == ("Allow", False)
    assert (spec["successfulJobsHistoryLimit"], spec["failedJobsHistoryLimit"]) == (3, 1)
    assert "parallelism" not in spec["jobTemplate"]["spec"]
    assert spec["jobTemplate"]["spec"]["template"]["spec"]["dnsPolicy"] == "ClusterFirst"


def test_a_replication_controller_selects_the_labels_of_its_template() -> None:
    found = filled("", "ReplicationController", {"spec": {"template": template()}})
    assert found["spec"]["selector"] == {"a": "b"}
    assert found["metadata"]["labels"] == {"a": "b"}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, {"type": "ClusterIP", "sessionAffinity": "None", "internalTrafficPolicy": "Cluster"}),
        ({"type": "ExternalName"}, {"internalTrafficPolicy": None}),
        ({"type": "NodePort"}, {"externalTrafficPolicy": "Cluster"}),
        ({"type": "LoadBalancer"}, {"allocateLoadBalancerNodePorts": True}),
        ({"ports": [{"port": 80}]}, {"ports": [{"port": 80, "protocol": "TCP", "targetPort": 80}]}),
        (
            {"sessionAffinity": "ClientIP"},
            {"sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 10800}}},
        ),
    ],
)
def test_services(spec: Json, expected: Json) -> None:
    found = filled("", "Service", {"spec": spec})
    assert {name: found["spec"].get(name) for name in expected} == expected
    assert found["status"] == {"loadBalancer": {}}


def test_nodes() -> None:
    found = filled(
        "", "Node", {"status": {"capacity": {"memory": "1024Mi"}}, "spec": {"podCIDR": "10.0.0.0/24"}}
    )
    assert found["status"]["allocatable"] == found["status"]["capacity"] == {"memory": "1Gi"}
    assert found["spec"]["podCIDRs"] == ["10.0.0.0/24"]


def test_namespaces_are_labelled_with_their_name() -> None:
    found = filled(
        "", "Namespace", {"metadata": {"name": "a", "labels": {"kubernetes.io/metadata.name": "b"}}}
    )
    assert found["metadata"]["labels"] == {"kubernetes.io/metadata.name": "a"}
    assert filled("", "Namespace", {"metadata": {}})["metadata"] == {}


@pytest.mark.parametrize(
    ("group", "kind", "expected"),
    [
        ("", "Secret", {"type": "Opaque"}),
        ("scheduling.k8s.io", "PriorityClass", {"value": 0, "preemptionPolicy": "PreemptLowerPriority"}),
        ("storage.k8s.io", "StorageClass", {"reclaimPolicy": "Delete", "volumeBindingMode": "Immediate"}),
        ("policy", "PodDisruptionBudget", {"spec": {}}),
    ],
)
def test_fields_of_the_object_itself(group: str, kind: str, expected: Json) -> None:
    found = filled(group, kind, {})
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("PersistentVolume", {"persistentVolumeReclaimPolicy": "Retain", "volumeMode": "Filesystem"}),
        ("PersistentVolumeClaim", {"volumeMode": "Filesystem"}),
    ],
)
def test_volumes_are_pending_and_hold_files(kind: str, spec: Json) -> None:
    found = filled("", kind, {"spec": {}})
    assert {name: found["spec"][name] for name in spec} == spec
    assert found["status"] == {"phase": "Pending"}


def test_ports_of_endpoints_have_a_protocol() -> None:
    assert filled("", "Endpoints", {"subsets": [{"ports": [{"port": 1}]}]})["subsets"] == [
        {"ports": [{"port": 1, "protocol": "TCP"}]}
    ]


@pytest.mark.parametrize(
    ("group", "kind", "zeros"),
    [
        ("apps", "ReplicaSet", ("replicas",)),
        ("apps", "StatefulSet", ("replicas", "availableReplicas")),
        (
            "apps",
            "DaemonSet",
            ("currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady"),
        ),
        (
            "policy",
            "PodDisruptionBudget",
            ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"),
        ),
    ],
)
def test_numbers_that_typed_clients_demand_are_there(group: str, kind: str, zeros: tuple[str, ...]) -> None:
    obj: Json = {"status": {zeros[0]: 3}}
    fill_status(group, kind, obj)
    assert obj["status"] == {**dict.fromkeys(zeros, 0), zeros[0]: 3}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"podIP": "10.0.0.1"}, {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}]}),
        ({"podIPs": [{"ip": "10.0.0.2"}]}, {"podIP": "10.0.0.2", "podIPs": [{"ip": "10.0.0.2"}]}),
        (
            {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.2"}]},
            {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}]},
        ),
        ({}, {}),
    ],
)
def test_the_address_of_a_pod_and_its_list_agree(given: Json, expected: Json) -> None:
    obj = {"status": given}
    fill_status("", "Pod", obj)
    assert obj["status"] == expected


@pytest.mark.parametrize("row", list(BUILTIN), ids=lambda row: row.qualified)
def test_every_kind_can_be_filled_from_nothing_and_twice(row: Any) -> None:
    obj: Json = {"metadata": {"name": "a"}}
    fill_defaults(row.group, row.kind, obj)
    once = copy.deepcopy(obj)
    fill_defaults(row.group, row.kind, obj)
    assert obj == once


def test_kinds_without_defaults_are_left_alone() -> None:
    assert filled("", "ConfigMap", {}) == {"metadata": {"name": "a"}}
    assert builtin("configmaps").kind == "ConfigMap"
