"""What the registry writes into new objects itself."""

from typing import Any

import pytest

from fakeapi.machinery.resources import NAMESPACES, builtin
from tests.unit.fakeapi.registry.bench import NOW, Bench, Json, causes, pod, refusal

RESOURCE_CLAIMS = builtin("resourceclaims", "resource.k8s.io")


def labelled(bench: Bench, labels: dict[str, str], **spec: Any) -> Json:
    manifest = pod(**spec)
    manifest["metadata"]["labels"] = labels
    created: Json = bench.registry.create(builtin("pods"), "default", manifest).object["spec"]
    return created


def test_a_pod_begins_as_pending_whatever_its_client_says(bench: Bench) -> None:
    manifest = {**pod(), "status": {"phase": "Running"}}
    created = bench.registry.create(builtin("pods"), "default", manifest).object
    assert created["status"] == {"phase": "Pending", "qosClass": "Burstable"}
    assert created["metadata"]["generation"] == 1


def test_a_gated_pod_says_so(bench: Bench) -> None:
    (condition,) = bench.pod(schedulingGates=[{"name": "g"}])["status"]["conditions"]
    assert condition == {
        "type": "PodScheduled",
        "status": "False",
        "reason": "SchedulingGated",
        "message": "Scheduling is blocked due to non-empty scheduling gates",
        "lastProbeTime": None,
        "lastTransitionTime": NOW,
    }


def test_label_keys_are_merged_into_the_selectors(bench: Bench) -> None:
    term = {
        "topologyKey": "zone",
        "labelSelector": {"matchLabels": {"a": "b"}},
        "matchLabelKeys": ["v", "missing"],
        "mismatchLabelKeys": ["w"],
    }
    preferred = [{"weight": 1, "podAffinityTerm": term}]
    affinity = {
        "podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred},
    }
    spec = labelled(bench, {"v": "1", "w": "2"}, affinity=affinity)
    found = spec["affinity"]["podAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"][0]
    assert found["podAffinityTerm"]["labelSelector"]["matchExpressions"] == [
        {"key": "v", "operator": "In", "values": ["1"]},
        {"key": "w", "operator": "NotIn", "values": ["2"]},
    ]


def test_label_keys_of_spread_constraints(bench: Bench) -> None:
    own = {"key": "x", "operator": "Exists"}
    constraint = {
        "maxSkew": 1,
        "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchExpressions": [own]},
        "matchLabelKeys": ["v"],
    }
    spec = labelled(bench, {"v": "1"}, topologySpreadConstraints=[constraint])
    selector = spec["topologySpreadConstraints"][0]["labelSelector"]
    assert selector["matchExpressions"] == [own, {"key": "v", "operator": "In", "values": ["1"]}]


def test_terms_without_keys_are_left_alone(bench: Bench) -> None:
    term = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"a": "b"}}}
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    spec = labelled(bench, {"v": "1"}, affinity=affinity)
    assert spec["affinity"] == affinity


def test_label_keys_without_a_selector_have_nothing_to_be_merged_into(bench: Bench) -> None:
    term = {"topologyKey": "zone", "matchLabelKeys": ["v"]}
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    error = refusal(lambda: labelled(bench, {"v": "1"}, affinity=affinity))
    assert all("matchLabelKeys" in field for field in causes(error))


@pytest.mark.parametrize("given", [[], ["example.com/hold"]])
def test_a_namespace_is_held_by_kubernetes(bench: Bench, given: list[str]) -> None:
    created = bench.create(NAMESPACES, {"metadata": {"name": "a"}, "spec": {"finalizers": list(given)}})
    assert created["spec"]["finalizers"] == [*given, "kubernetes"]
    assert created["status"] == {"phase": "Active"}


def test_a_status_is_not_taken_at_creation(bench: Bench) -> None:
    created = bench.create(RESOURCE_CLAIMS, {"metadata": {"name": "a"}, "status": {"allocation": {}}})
    assert "status" not in created
