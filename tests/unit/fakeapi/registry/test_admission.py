"""What admission adds to new objects, and what it refuses."""

import pytest

from fakeapi.machinery.resources import NAMESPACES, NODES, PODS, PRIORITY_CLASSES
from fakeapi.registry.admission import SYSTEM_PRIORITY_CLASSES, admit_deletion, topology_labels
from fakeapi.registry.deletion import delete
from tests.unit.fakeapi.registry.bench import CONFIG_MAPS, Bench, Json, pod, refusal

ZONE = "topology.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"


def priority_class(bench: Bench, name: str, value: int, **fields: object) -> None:
    bench.create(PRIORITY_CLASSES, {"metadata": {"name": name}, "value": value, **fields})


# ---- namespaces ----


def test_nothing_is_created_in_a_missing_namespace(bench: Bench) -> None:
    error = refusal(lambda: bench.create(CONFIG_MAPS, {"metadata": {"name": "a"}}, "nowhere"))
    assert (error.code, error.message) == (404, 'namespaces "nowhere" not found')


def test_nothing_is_created_in_a_namespace_that_ends(bench: Bench) -> None:
    bench.create(NAMESPACES, {"metadata": {"name": "ending"}})
    bench.create(CONFIG_MAPS, {"metadata": {"name": "held", "finalizers": ["a/b"]}}, "ending")
    delete(bench.registry, NAMESPACES, "", "ending")
    error = refusal(lambda: bench.create(CONFIG_MAPS, {"metadata": {"name": "a"}}, "ending"))
    why = "unable to create new content in namespace ending because it is being terminated"
    assert (error.code, error.message) == (403, f'configmaps "a" is forbidden: {why}')
    assert error.details is not None
    assert error.details["causes"] == [
        {
            "reason": "NamespaceTerminating",
            "message": "namespace ending is being terminated",
            "field": "metadata.namespace",
        }
    ]


# ---- priorities ----


def test_a_pod_without_a_class_has_priority_zero(bench: Bench) -> None:
    spec = bench.pod()["spec"]
    assert (spec["priority"], spec["preemptionPolicy"]) == (0, "PreemptLowerPriority")
    assert "priorityClassName" not in spec


def test_a_pod_gets_the_priority_of_its_class(bench: Bench) -> None:
    priority_class(bench, "gold", 1000, preemptionPolicy="Never")
    spec = bench.pod(priorityClassName="gold")["spec"]
    assert (spec["priority"], spec["preemptionPolicy"]) == (1000, "Never")


def test_the_default_class_is_the_only_one_and_counts_from_then_on(bench: Bench) -> None:
    bench.pod("before")
    priority_class(bench, "usual", 7, globalDefault=True)
    after = bench.pod("after")["spec"]
    assert (after["priorityClassName"], after["priority"]) == ("usual", 7)
    assert bench.get(PODS, "before")["spec"]["priority"] == 0
    delete(bench.registry, PRIORITY_CLASSES, "", "usual")
    assert "priorityClassName" not in bench.pod("later")["spec"]


def test_a_second_default_class_is_refused(bench: Bench) -> None:
    priority_class(bench, "usual", 7, globalDefault=True)
    priority_class(bench, "other", 8)
    why = "PriorityClass usual is already marked as default. Only one default can exist"
    created = refusal(lambda: priority_class(bench, "third", 9, globalDefault=True))
    assert (created.code, why in created.message) == (403, True)
    changed = refusal(lambda: bench.modify(PRIORITY_CLASSES, "other", lambda o: {**o, "globalDefault": True}))
    assert (changed.code, why in changed.message) == (403, True)
    bench.modify(PRIORITY_CLASSES, "usual", lambda o: {**o, "description": "still the default"})


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"priorityClassName": "nobody"}, "no PriorityClass with name nobody was found"),
        (
            {"priority": 5},
            "the integer value of priority (5) must not be provided in pod spec; "
            "priority admission controller computed 0 from the given PriorityClass name",
        ),
        (
            {"preemptionPolicy": "Never"},
            "the string value of PreemptionPolicy (Never) must not be provided in pod spec; "
            "priority admission controller computed PreemptLowerPriority from the given PriorityClass name",
        ),
    ],
)
def test_a_priority_of_one_s_own_is_refused(bench: Bench, spec: Json, why: str) -> None:
    error = refusal(lambda: bench.pod("a", **spec))
    assert (error.code, error.message) == (403, f'pods "a" is forbidden: {why}')


def test_the_priority_that_the_class_gives_may_be_repeated(bench: Bench) -> None:
    assert bench.pod(priority=0, preemptionPolicy="PreemptLowerPriority")["spec"]["priority"] == 0


def test_an_update_that_leaves_the_priority_out_keeps_it(bench: Bench) -> None:
    priority_class(bench, "gold", 1000)
    bench.pod(priorityClassName="gold")
    manifest = pod(priorityClassName="gold", serviceAccountName="default")
    updated = bench.modify(PODS, "pod", lambda _: manifest).object
    assert updated["spec"]["priority"] == 1000


@pytest.mark.parametrize("name", sorted(SYSTEM_PRIORITY_CLASSES))
def test_the_system_s_classes_stay(name: str) -> None:
    error = refusal(lambda: admit_deletion(PRIORITY_CLASSES, name))
    assert (error.code, "cannot be deleted" in error.message) == (403, True)
    admit_deletion(NODES, name)


# ---- tolerations ----


def tolerations(bench: Bench, *given: Json) -> list[tuple[str, int | None]]:
    spec = bench.pod(tolerations=list(given))["spec"]
    return [(one.get("key", ""), one.get("tolerationSeconds")) for one in spec["tolerations"]]


DEFAULT = [("node.kubernetes.io/not-ready", 300), ("node.kubernetes.io/unreachable", 300)]


def test_every_pod_tolerates_a_lost_node_for_a_while(bench: Bench) -> None:
    assert tolerations(bench) == DEFAULT


def test_own_tolerations_come_first_and_replace_the_default(bench: Bench) -> None:
    own = {
        "key": "node.kubernetes.io/not-ready",
        "operator": "Exists",
        "effect": "NoExecute",
        "tolerationSeconds": 5,
    }
    assert tolerations(bench, own) == [(own["key"], 5), DEFAULT[1]]


def test_a_pod_that_tolerates_everything_needs_no_more(bench: Bench) -> None:
    assert tolerations(bench, {"operator": "Exists"}) == [("", None)]


def test_another_effect_is_another_taint(bench: Bench) -> None:
    own = {"key": DEFAULT[0][0], "operator": "Exists", "effect": "NoSchedule"}
    assert tolerations(bench, own) == [(DEFAULT[0][0], None), *DEFAULT]


def test_a_removed_default_comes_back(bench: Bench) -> None:
    bench.pod()
    manifest = pod(serviceAccountName="default")
    updated = bench.modify(PODS, "pod", lambda _: manifest).object
    assert [one["key"] for one in updated["spec"]["tolerations"]] == [key for key, _ in DEFAULT]


# ---- accounts and topology ----


def test_the_account_is_the_default_one(bench: Bench) -> None:
    spec = bench.pod()["spec"]
    assert (spec["serviceAccount"], spec["serviceAccountName"]) == ("default", "default")


def test_a_pod_created_on_a_node_takes_its_zone(bench: Bench) -> None:
    bench.create(NODES, {"metadata": {"name": "n1", "labels": {ZONE: "z", "other": "x"}}})
    assert bench.pod(nodeName="n1")["metadata"]["labels"] == {ZONE: "z"}


def test_topology_labels(bench: Bench) -> None:
    bench.create(NODES, {"metadata": {"name": "n1", "labels": {ZONE: "z", REGION: "r", "a": "b"}}})
    bench.node("plain")
    assert topology_labels(bench.store, "n1") == {REGION: "r", ZONE: "z"}
    assert topology_labels(bench.store, "plain") == {}
    assert topology_labels(bench.store, "missing") == {}
