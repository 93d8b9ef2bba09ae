"""Rules of the kinds that neither are pods nor make them. Messages are the real server's."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.machinery.resources import (
    NAMESPACES,
    NODES,
    POD_DISRUPTION_BUDGETS,
    PRIORITY_CLASSES,
    Resource,
    builtin,
)
from fakeapi.registry.admission import SYSTEM_PRIORITY_CLASSES
from fakeapi.registry.kindrules import priority_class_causes
from tests.unit.fakeapi.registry.bench import CONFIG_MAPS, LEASES, NOW, Bench, Json, causes, refusal

SECRETS = builtin("secrets")
RUNTIME_CLASSES = builtin("runtimeclasses", "node.k8s.io")
STORAGE_CLASSES = builtin("storageclasses", "storage.k8s.io")


def refused(bench: Bench, resource: Resource, **fields: Any) -> dict[str, str]:
    obj = {"metadata": {"name": "a"}, **fields}
    return causes(refusal(lambda: bench.create(resource, obj)))


def create(bench: Bench, resource: Resource, **fields: Any) -> Json:
    return bench.create(resource, {"metadata": {"name": "a"}, **fields})


def update(bench: Bench, resource: Resource, change: Callable[[Json], object], subresource: str = "") -> Json:
    def edit(obj: Json) -> Json:
        copied = copy.deepcopy(obj)
        change(copied)
        return copied

    return bench.modify(resource, "a", edit, subresource).object


def not_changed(
    bench: Bench, resource: Resource, change: Callable[[Json], object], subresource: str = ""
) -> dict[str, str]:
    return causes(refusal(lambda: update(bench, resource, change, subresource)))


# ---- nodes ----


def test_a_node_keeps_the_status_it_registers_with(bench: Bench) -> None:
    status = {"capacity": {"nvidia.com/gpu": "8"}, "conditions": [{"type": "Ready", "status": "True"}]}
    created = create(bench, NODES, status=status)
    assert created["status"]["conditions"] == status["conditions"]
    assert created["status"]["allocatable"] == {"nvidia.com/gpu": "8"}
    assert "generation" not in created["metadata"]


def test_what_a_node_cannot_have(bench: Bench) -> None:
    found = refused(
        bench,
        NODES,
        spec={"taints": [{"key": "a"}]},
        status={"capacity": {"nvidia.com/gpu": "1.5"}, "allocatable": {"cpu": "-1"}},
    )
    assert found == {
        "metadata.taints[0].effect": "Required value",
        "status.capacity.nvidia.com/gpu": 'Invalid value: "1500m": must be an integer',
        "status.allocatable.cpu": 'Invalid value: "-1": must be greater than or equal to 0',
    }


def test_cordoning_and_tainting(bench: Bench) -> None:
    create(bench, NODES)
    assert (
        update(bench, NODES, lambda o: o["spec"].update(unschedulable=True))["spec"]["unschedulable"] is True
    )
    taint = {"key": "a", "effect": "NoExecute"}
    assert update(bench, NODES, lambda o: o["spec"].update(taints=[taint]))["spec"]["taints"] == [taint]


def test_a_chip_fails(bench: Bench) -> None:
    create(bench, NODES, status={"capacity": {"nvidia.com/gpu": "8"}})
    node = update(
        bench, NODES, lambda o: o["status"]["allocatable"].update({"nvidia.com/gpu": "6"}), "status"
    )
    assert (node["status"]["allocatable"], node["status"]["capacity"]) == (
        {"nvidia.com/gpu": "6"},
        {"nvidia.com/gpu": "8"},
    )
    assert list(not_changed(bench, NODES, lambda o: o["status"]["capacity"].update(cpu="-1"), "status")) == [
        "status.capacity.cpu"
    ]


def test_the_spec_does_not_change_with_the_status_nor_the_status_with_the_spec(bench: Bench) -> None:
    create(bench, NODES, status={"capacity": {"cpu": "8"}})
    both = {"spec": {"unschedulable": True}, "status": {"capacity": {"cpu": "9"}}}
    assert update(bench, NODES, lambda o: o.update(both), "status")["spec"] == {}
    node = update(bench, NODES, lambda o: o.update({**both, "status": {"capacity": {"cpu": "7"}}}))
    assert (node["spec"], node["status"]["capacity"]) == ({"unschedulable": True}, {"cpu": "9"})


def test_what_a_node_has_for_ever(bench: Bench) -> None:
    create(bench, NODES, spec={"podCIDR": "10.0.0.0/24", "providerID": "a"})
    why = 'Forbidden: node updates may not change podCIDR except from "" to valid'
    assert not_changed(bench, NODES, lambda o: o["spec"].update(podCIDR="10.1.0.0/24")) == {
        "spec.podCIDRs": why
    }
    changed = not_changed(bench, NODES, lambda o: o["spec"].update(providerID="b"))
    assert changed == {"spec.providerID": "Invalid value: null: field cannot be modified once set"}
    cleared = not_changed(bench, NODES, lambda o: o["spec"].pop("providerID"))
    assert cleared == {"spec.providerID": "Invalid value: null: field cannot be cleared once set"}


@pytest.mark.parametrize(
    ("spec", "networks"),
    [
        ({"podCIDR": "10.0.0.0/24"}, ["10.0.0.0/24"]),
        ({"podCIDRs": ["10.0.0.0/24"]}, ["10.0.0.0/24"]),
        ({"podCIDR": "10.0.0.0/24", "podCIDRs": ["10.1.0.0/24", "fd00::/64"]}, ["10.0.0.0/24"]),
        ({"podCIDR": "10.0.0.0/24", "podCIDRs": ["10.0.0.0/24", "fd00::/64"]}, ["10.0.0.0/24", "fd00::/64"]),
    ],
)
def test_the_older_field_has_the_say_about_networks(bench: Bench, spec: Json, networks: list[str]) -> None:
    created = create(bench, NODES, spec=spec)["spec"]
    assert (created["podCIDR"], created["podCIDRs"]) == (networks[0], networks)


@pytest.mark.parametrize("network", ["x", "10.0.0.1", "10.0.0.0/33", "x" * 300])
def test_networks_are_networks(bench: Bench, network: str) -> None:
    why = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
    found = refused(bench, NODES, spec={"podCIDRs": [network]})
    assert found == {"spec.podCIDRs[0]": f'Invalid value: "{network}": {why}'}


def test_a_node_has_one_network_of_each_family(bench: Bench) -> None:
    found = refused(bench, NODES, spec={"podCIDRs": ["10.0.0.0/24", "10.1.0.0/24"]})
    assert found["spec.podCIDRs"].endswith("may specify no more than one CIDR for each IP family")


@pytest.mark.parametrize("allocatable", [None, {}])
def test_what_a_node_has_is_for_pods_unless_it_says_less(bench: Bench, allocatable: Any) -> None:
    status = {"capacity": {"cpu": "8"}, "allocatable": allocatable}
    assert create(bench, NODES, status=status)["status"]["allocatable"] == {"cpu": "8"}


def test_a_node_has_no_address_twice(bench: Bench) -> None:
    create(bench, NODES)
    address = {"type": "InternalIP", "address": "10.0.0.1"}
    found = not_changed(bench, NODES, lambda o: o["status"].update(addresses=[address, address]), "status")
    assert list(found) == ["status.addresses[1]"]


# ---- namespaces ----


def test_the_phase_of_a_namespace_is_the_server_s(bench: Bench) -> None:
    create(bench, NAMESPACES)
    found = not_changed(bench, NAMESPACES, lambda o: o["status"].update(phase="Terminating"), "status")
    why = "may only be 'Active' if `deletionTimestamp` is empty"
    assert found == {"status.Phase": f'Invalid value: "Terminating": {why}'}


def test_a_namespace_keeps_the_label_of_its_name(bench: Bench) -> None:
    create(bench, NAMESPACES)
    for subresource in ("", "status"):
        changed = update(bench, NAMESPACES, lambda o: o["metadata"].pop("labels"), subresource)
        assert changed["metadata"]["labels"] == {"kubernetes.io/metadata.name": "a"}


def test_the_finalizers_of_a_namespace_stay(bench: Bench) -> None:
    created = create(bench, NAMESPACES)
    assert created["spec"] == {"finalizers": ["kubernetes"]}
    assert created["status"] == {"phase": "Active"}
    assert update(bench, NAMESPACES, lambda o: o["spec"].update(finalizers=[])) == created


def test_the_finalizers_of_a_namespace_have_names(bench: Bench) -> None:
    create(bench, NAMESPACES, spec={"finalizers": ["kubernetes", "a.b/c"]})
    error = refusal(
        lambda: bench.create(NAMESPACES, {"metadata": {"name": "b"}, "spec": {"finalizers": ["x"]}})
    )
    why = "name is neither a standard finalizer name nor is it fully qualified"
    assert causes(error) == {"spec.finalizers": f'Invalid value: "x": {why}'}


# ---- priority classes ----


def test_priority_classes_are_counted_and_never_change_their_value(bench: Bench) -> None:
    assert create(bench, PRIORITY_CLASSES, value=5)["metadata"]["generation"] == 1
    changed = update(bench, PRIORITY_CLASSES, lambda o: o.update(description="text"))
    assert changed["metadata"]["generation"] == 1
    assert not_changed(bench, PRIORITY_CLASSES, lambda o: o.update(value=6)) == {
        "value": "Forbidden: may not be changed in an update."
    }
    assert not_changed(bench, PRIORITY_CLASSES, lambda o: o.update(preemptionPolicy="Never")) == {
        "preemptionPolicy": 'Invalid value: "Never": field is immutable'
    }


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        (
            {"value": 1_000_000_001},
            "value",
            "Forbidden: maximum allowed value of a user defined priority is 1000000000",
        ),
        (
            {"preemptionPolicy": "X"},
            "preemptionPolicy",
            'Unsupported value: "X": supported values: "PreemptLowerPriority", "Never"',
        ),
        ({"preemptionPolicy": ""}, "preemptionPolicy", "Required value"),
    ],
)
def test_priority_classes(bench: Bench, fields: Json, field: str, message: str) -> None:
    assert refused(bench, PRIORITY_CLASSES, **fields) == {field: message}


def test_a_very_low_priority_is_one(bench: Bench) -> None:
    assert create(bench, PRIORITY_CLASSES, value=-(2**31))["value"] == -(2**31)


RESERVED = "Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: "


@pytest.mark.parametrize(
    ("name", "fields", "why"),
    [
        ("system-mine", {"value": 5}, "system-mine is not a known system priority class"),
        (
            "system-node-critical",
            {"value": 5},
            "value of system-node-critical PriorityClass must be 2000001000",
        ),
        (
            "system-node-critical",
            {"value": 2_000_001_000, "globalDefault": True},
            "globalDefault of system-node-critical PriorityClass must be false",
        ),
    ],
)
def test_names_of_the_system(name: str, fields: Json, why: str) -> None:
    obj = {"metadata": {"name": name}, "preemptionPolicy": "Never", **fields}
    assert [one.message for one in priority_class_causes(obj)] == [RESERVED + why]


@pytest.mark.parametrize(("name", "value"), SYSTEM_PRIORITY_CLASSES.items())
def test_the_system_s_own_classes_are_in_order(name: str, value: int) -> None:
    obj = {"metadata": {"name": name}, "preemptionPolicy": "PreemptLowerPriority", "value": value}
    assert priority_class_causes(obj) == []


# ---- budgets ----


def test_a_budget_is_counted_and_has_numbers(bench: Bench) -> None:
    created = create(bench, POD_DISRUPTION_BUDGETS)
    assert created["metadata"]["generation"] == 1
    assert created["status"] == {
        "disruptionsAllowed": 0,
        "currentHealthy": 0,
        "desiredHealthy": 0,
        "expectedPods": 0,
    }


PERCENT = (
    "a valid percent string must be a numeric string followed by an ending '%' "
    "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
)


@pytest.mark.parametrize(
    ("spec", "field", "message"),
    [
        ({"minAvailable": -1}, "spec.minAvailable", "Invalid value: -1: must be greater than or equal to 0"),
        ({"maxUnavailable": "x%"}, "spec.maxUnavailable", f'Invalid value: "x%": {PERCENT}'),
        (
            {"maxUnavailable": "150%"},
            "spec.maxUnavailable",
            'Invalid value: "150%": must not be greater than 100%',
        ),
        (
            {"unhealthyPodEvictionPolicy": "X"},
            "spec.unhealthyPodEvictionPolicy",
            'Unsupported value: "X": supported values: "AlwaysAllow", "IfHealthyBudget"',
        ),
        (
            {"minAvailable": 1, "maxUnavailable": 1},
            "spec",
            'Invalid value: {"minAvailable":1,"maxUnavailable":1}: '
            "minAvailable and maxUnavailable cannot be both set",
        ),
    ],
)
def test_budgets(bench: Bench, spec: Json, field: str, message: str) -> None:
    assert refused(bench, POD_DISRUPTION_BUDGETS, spec=spec) == {field: message}


def test_a_budget_s_selector_is_a_selector(bench: Bench) -> None:
    found = refused(bench, POD_DISRUPTION_BUDGETS, spec={"selector": {"matchLabels": {"a": "!"}}})
    assert list(found) == ["spec.selector.matchLabels"]


@pytest.mark.parametrize("amount", [0, 3, "0%", "100%"])
def test_budgets_in_order(bench: Bench, amount: int | str) -> None:
    create(bench, POD_DISRUPTION_BUDGETS, spec={"maxUnavailable": amount, "selector": {}})


CONDITION = {
    "type": "DisruptionAllowed",
    "status": "True",
    "reason": "SufficientPods",
    "lastTransitionTime": NOW,
}


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"type": ""}, {"type": "Required value: is required"}),
        ({"status": ""}, {"status": "Required value"}),
        (
            {"status": "Perhaps"},
            {"status": 'Unsupported value: "Perhaps": supported values: "False", "True", "Unknown"'},
        ),
        (
            {"reason": None, "lastTransitionTime": None},
            {"reason": "Required value", "lastTransitionTime": "Required value"},
        ),
    ],
)
def test_a_budget_s_conditions_are_complete(bench: Bench, fields: Json, found: dict[str, str]) -> None:
    create(bench, POD_DISRUPTION_BUDGETS, spec={"minAvailable": 1})
    conditions = [{**CONDITION, **fields}]
    told = not_changed(
        bench, POD_DISRUPTION_BUDGETS, lambda o: o["status"].update(conditions=conditions), "status"
    )
    assert told == {f"status.conditions[0].{field}": message for field, message in found.items()}


def test_a_budget_s_conditions_have_names_and_reasons_of_one_word(bench: Bench) -> None:
    create(bench, POD_DISRUPTION_BUDGETS, spec={"minAvailable": 1})
    twice = [CONDITION, {**CONDITION, "type": "a b"}, {**CONDITION, "reason": "two words"}]
    told = not_changed(
        bench, POD_DISRUPTION_BUDGETS, lambda o: o["status"].update(conditions=twice), "status"
    )
    assert list(told) == [
        "status.conditions[1].type",
        "status.conditions[2]",
        "status.conditions[2].reason",
    ]
    update(bench, POD_DISRUPTION_BUDGETS, lambda o: o["status"].update(conditions=[CONDITION]), "status")


def test_a_budget_s_status_has_no_negative_numbers(bench: Bench) -> None:
    create(bench, POD_DISRUPTION_BUDGETS)
    found = not_changed(
        bench, POD_DISRUPTION_BUDGETS, lambda o: o["status"].update(disruptionsAllowed=-1), "status"
    )
    assert found == {"status.disruptionsAllowed": "Invalid value: -1: must be greater than or equal to 0"}


# ---- configuration ----


@pytest.mark.parametrize("resource", [CONFIG_MAPS, SECRETS])
def test_keys(bench: Bench, resource: Resource) -> None:
    create(bench, resource, data={"key.name": "", "KEY_NAME": "", "..data": ""})
    found = refused(bench, resource, data={"a/b": ""})
    assert found["data[a/b]"].startswith('Invalid value: "a/b": a valid config key must consist of')
    assert refused(bench, resource, data={"..": ""}) == {
        "data[..]": "Invalid value: \"..\": must not be '..'"
    }
    long = "a" * 254
    assert refused(bench, resource, data={long: ""})[f"data[{long}]"].endswith(
        "must be no more than 253 characters"
    )


def test_a_key_is_text_or_binary(bench: Bench) -> None:
    assert refused(bench, CONFIG_MAPS, data={"a": "b"}, binaryData={"a": "eA=="}) == {
        "data[a]": 'Invalid value: "a": duplicate of key present in binaryData'
    }


def test_what_calls_itself_immutable_is(bench: Bench) -> None:
    create(bench, CONFIG_MAPS, data={"a": "b"}, immutable=True)
    why = "Forbidden: field is immutable when `immutable` is set"
    assert not_changed(bench, CONFIG_MAPS, lambda o: o.update(immutable=False)) == {"immutable": why}
    assert not_changed(bench, CONFIG_MAPS, lambda o: o.update(data={}, binaryData={"a": "eA=="})) == {
        "data": why,
        "binaryData": why,
    }
    update(bench, CONFIG_MAPS, lambda o: o["metadata"].update(labels={"a": "b"}))


# ---- leases and storage ----


def test_leases(bench: Bench) -> None:
    assert create(bench, LEASES)["spec"] == {}
    assert refused(bench, LEASES, spec={"leaseDurationSeconds": 0, "leaseTransitions": -1}) == {
        "spec.leaseDurationSeconds": "Invalid value: 0: must be greater than 0",
        "spec.leaseTransitions": "Invalid value: -1: must be greater than or equal to 0",
    }


def test_storage_classes(bench: Bench) -> None:
    assert refused(bench, STORAGE_CLASSES, reclaimPolicy="X", volumeBindingMode="Y") == {
        "provisioner": "Required value",
        "reclaimPolicy": 'Unsupported value: "X": supported values: "Delete", "Retain"',
        "volumeBindingMode": 'Unsupported value: "Y": supported values: "Immediate", "WaitForFirstConsumer"',
    }
    create(bench, STORAGE_CLASSES, provisioner="x/y")
    found = not_changed(
        bench, STORAGE_CLASSES, lambda o: o.update(reclaimPolicy="Retain", parameters={"a": "b"})
    )
    assert found == dict.fromkeys(("parameters", "reclaimPolicy"), "Invalid value: null: field is immutable")
    update(bench, STORAGE_CLASSES, lambda o: o.update(allowVolumeExpansion=True))


def test_a_provisioner_has_a_qualified_name(bench: Bench) -> None:
    create(bench, STORAGE_CLASSES, provisioner="Example.COM/Disk")
    assert list(refused(bench, STORAGE_CLASSES, provisioner="a b")) == ["provisioner"]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({}, "handler"),
        ({"handler": "UPPER"}, "handler"),
        ({"handler": "h", "overhead": {"podFixed": {"cpu": "-1"}}}, "overhead.limits[cpu]"),
        ({"handler": "h", "scheduling": {"nodeSelector": {"a": "!"}}}, "scheduling.nodeSelector"),
        ({"handler": "h", "scheduling": {"tolerations": [{}]}}, "scheduling.tolerations[0].operator"),
    ],
)
def test_runtime_classes(bench: Bench, fields: Json, field: str) -> None:
    assert list(refused(bench, RUNTIME_CLASSES, **fields)) == [field]


def test_the_handler_never_changes_and_amounts_are_written_as_they_should_be(bench: Bench) -> None:
    made = create(bench, RUNTIME_CLASSES, handler="h", overhead={"podFixed": {"cpu": 1, "memory": "1024Mi"}})
    assert made["overhead"]["podFixed"] == {"cpu": "1", "memory": "1Gi"}
    spoiled = not_changed(bench, RUNTIME_CLASSES, lambda o: o.update(scheduling={"tolerations": [{}]}))
    assert list(spoiled) == ["scheduling.tolerations[0].operator"]
    found = not_changed(bench, RUNTIME_CLASSES, lambda o: o.update(handler="other"))
    assert found == {"handler": 'Invalid value: "other": field is immutable'}
