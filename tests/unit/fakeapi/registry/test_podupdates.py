"""What may not change in a pod. Messages are the real server's."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.machinery.resources import PODS
from tests.unit.fakeapi.registry.bench import Bench, Json, causes, refusal

FROZEN = (
    "Forbidden: pod updates may not change fields other than `spec.containers[*].image`,"
    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to "
    "existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was "
    "previously negative)"
)
TERMS = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"


def edited(change: Callable[[Json], object]) -> Callable[[Json], Json]:
    """An edit that changes a copy in place."""

    def edit(obj: Json) -> Json:
        copied = copy.deepcopy(obj)
        change(copied)
        return copied

    return edit


def update(bench: Bench, change: Callable[[Json], object], subresource: str = "") -> Json:
    return bench.modify(PODS, "pod", edited(change), subresource).object


def refused(bench: Bench, change: Callable[[Json], object], subresource: str = "") -> dict[str, str]:
    before = bench.store.revision
    found = causes(refusal(lambda: update(bench, change, subresource)))
    assert bench.store.revision == before
    return found


def spec(**fields: Any) -> Callable[[Json], object]:
    return lambda obj: obj["spec"].update(fields)


def status(**fields: Any) -> Callable[[Json], object]:
    return lambda obj: obj["status"].update(fields)


# ---- spec ----


def test_images_may_change_and_are_counted(bench: Bench) -> None:
    bench.pod()
    changed = update(bench, lambda obj: obj["spec"]["containers"][0].update(image="other:2"))
    assert changed["spec"]["containers"][0]["image"] == "other:2"
    assert changed["metadata"]["generation"] == 2


@pytest.mark.parametrize(
    ("image", "message"),
    [
        ("", "Required value"),
        (" x ", 'Invalid value: " x ": must not have leading or trailing whitespace'),
    ],
)
def test_images_stay_images(bench: Bench, image: str, message: str) -> None:
    bench.pod()
    found = refused(bench, lambda obj: obj["spec"]["containers"][0].update(image=image))
    assert found == {"spec.containers[0].image": message}


@pytest.mark.parametrize(
    "change",
    [
        lambda obj: obj["spec"]["containers"][0].update(name="other"),
        lambda obj: obj["spec"]["containers"][0]["resources"]["requests"].update(cpu="1"),
        spec(nodeName="n1"),
        spec(priority=7),
        spec(priorityClassName="x"),
        spec(schedulerName="x"),
        spec(terminationGracePeriodSeconds=5),
        spec(nodeSelector={"a": "b"}),
    ],
)
def test_the_rest_is_frozen(bench: Bench, change: Callable[[Json], object]) -> None:
    bench.pod()
    assert refused(bench, change) == {"spec": FROZEN}


@pytest.mark.parametrize("empty", [{"hostNetwork": False}, {"schedulingGates": []}, {"nodeSelector": None}])
def test_empty_fields_come_and_go(bench: Bench, empty: Json) -> None:
    created = bench.pod(**empty)
    dropped = update(bench, lambda obj: obj["spec"].pop(next(iter(empty))))
    assert dropped["metadata"] == created["metadata"]


@pytest.mark.parametrize("field", ["containers", "initContainers"])
def test_containers_are_neither_added_nor_removed(bench: Bench, field: str) -> None:
    bench.pod(initContainers=[{"name": "init", "image": "i:1"}])
    found = refused(bench, lambda obj: obj["spec"][field].append({"name": "new", "image": "i:1"}))
    assert found == {f"spec.{field}": "Forbidden: pod updates may not add or remove containers"}


def test_a_deadline_may_come_and_shrink(bench: Bench) -> None:
    bench.pod()
    update(bench, spec(activeDeadlineSeconds=100))
    update(bench, spec(activeDeadlineSeconds=50))
    field = "spec.activeDeadlineSeconds"
    assert refused(bench, spec(activeDeadlineSeconds=150)) == {
        field: "Invalid value: 150: must be less than or equal to previous value"
    }
    assert refused(bench, spec(activeDeadlineSeconds=None)) == {
        field: "Invalid value: null: must not update from a positive integer to nil value"
    }
    assert refused(bench, spec(activeDeadlineSeconds=-1))[field].startswith(
        "Invalid value: -1: must be between"
    )


def test_tolerations_are_only_added_and_their_seconds_changed(bench: Bench) -> None:
    own = {"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 9}
    bench.pod(tolerations=[own])
    update(bench, lambda obj: obj["spec"]["tolerations"][0].update(tolerationSeconds=5))
    update(bench, lambda obj: obj["spec"]["tolerations"].append({"key": "new", "operator": "Exists"}))
    why = "Forbidden: existing toleration can not be modified except its tolerationSeconds"
    assert refused(bench, lambda obj: obj["spec"]["tolerations"].pop(0)) == {"spec.tolerations": why}
    changed = refused(bench, lambda obj: obj["spec"]["tolerations"][0].update(key="other"))
    assert changed == {"spec.tolerations": why}


# ---- gates ----


def test_gates_are_only_removed(bench: Bench) -> None:
    bench.pod(schedulingGates=[{"name": "a"}, {"name": "b"}])
    update(bench, spec(schedulingGates=[{"name": "b"}]))
    why = "Forbidden: only deletion is allowed, but found new scheduling gate 'c'"
    found = refused(bench, spec(schedulingGates=[{"name": "b"}, {"name": "c"}]))
    assert found == {"spec.schedulingGates[1].name": why}
    assert update(bench, spec(schedulingGates=[]))["metadata"]["generation"] == 3


def test_a_gated_pod_may_be_told_more_of_where_it_goes(bench: Bench) -> None:
    bench.pod(schedulingGates=[{"name": "a"}], nodeSelector={"x": "y"})
    update(bench, spec(nodeSelector={"x": "y", "a": "b"}))
    why = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
    assert refused(bench, spec(nodeSelector={"x": "z", "a": "b"})) == {
        "spec.nodeSelector": f'Invalid value: {{"x":"z","a":"b"}}: {why}'
    }
    assert refused(bench, spec(nodeSelector={}))["spec.nodeSelector"].endswith(why)


def affinity(*expressions: Json, terms: int = 1) -> Json:
    required = {"nodeSelectorTerms": [{"matchExpressions": list(expressions)} for _ in range(terms)]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}


A, B = ({"key": key, "operator": "Exists"} for key in "ab")


def test_a_gated_pod_s_node_affinity_is_only_narrowed(bench: Bench) -> None:
    bench.pod(schedulingGates=[{"name": "a"}])
    update(bench, spec(affinity=affinity(A)))
    update(bench, spec(affinity=affinity(A, B)))
    narrower = "only additions are allowed (no mutations or deletions)"
    assert refused(bench, spec(affinity=affinity(B)))[f"{TERMS}[0]"].endswith(narrower)
    assert refused(bench, spec(affinity=None)) == {
        TERMS: "Invalid value: null: no additions/deletions to non-empty NodeSelectorTerms list are allowed"
    }
    assert TERMS in refused(bench, spec(affinity=affinity(A, B, terms=2)))


def test_a_gated_pod_s_pod_affinity_is_frozen(bench: Bench) -> None:
    bench.pod(schedulingGates=[{"name": "a"}])
    term = {"topologyKey": "zone", "labelSelector": {}}
    pods = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    assert refused(bench, spec(affinity=pods)) == {"spec": FROZEN}


def test_an_empty_term_stays_empty(bench: Bench) -> None:
    bench.pod(schedulingGates=[{"name": "a"}], affinity=affinity())
    assert f"{TERMS}[0]" in refused(bench, spec(affinity=affinity(A)))


# ---- status ----


def test_a_nomination_names_a_node(bench: Bench) -> None:
    bench.pod()
    nominated = update(bench, status(nominatedNodeName="n1"), "status")
    assert nominated["status"]["nominatedNodeName"] == "n1"
    found = refused(bench, status(nominatedNodeName="A!"), "status")
    assert found["status.nominatedNodeName"].startswith('Invalid value: "A!": a lowercase RFC 1123 subdomain')
    assert (
        "nominatedNodeName"
        not in update(bench, lambda o: o["status"].pop("nominatedNodeName"), "status")["status"]
    )


def test_a_bound_pod_is_not_nominated(bench: Bench) -> None:
    bench.bound()
    why = "Forbidden: may not be set on pods that are already bound to a node"
    assert refused(bench, status(nominatedNodeName="n2"), "status") == {"status.nominatedNodeName": why}


def test_the_quality_of_service_stays_and_may_be_left_out(bench: Bench) -> None:
    bench.pod()
    assert refused(bench, status(qosClass="BestEffort"), "status") == {
        "status.qosClass": 'Invalid value: "BestEffort": field is immutable'
    }
    running = update(bench, lambda obj: obj.update(status={"phase": "Running"}), "status")
    assert running["status"] == {"phase": "Running", "qosClass": "Burstable"}


def test_an_observed_generation_is_not_forgotten(bench: Bench) -> None:
    bench.pod()
    condition = {"type": "PodScheduled", "status": "False", "observedGeneration": 1}
    update(bench, status(observedGeneration=1, conditions=[condition]), "status")
    bare = {"type": "PodScheduled", "status": "False", "message": "new"}
    kept = update(bench, lambda obj: obj.update(status={"conditions": [bare]}), "status")["status"]
    assert kept["observedGeneration"] == 1
    assert kept["conditions"] == [{**bare, "observedGeneration": 1}]
    assert "status.observedGeneration" in refused(bench, status(observedGeneration=-1), "status")


def test_types_of_conditions_are_names(bench: Bench) -> None:
    bench.pod()
    found = refused(bench, status(conditions=[{"type": "a b", "status": "True"}]), "status")
    assert list(found) == ["status.conditions[0].Type"]


@pytest.mark.parametrize("field", ["podIPs", "hostIPs"])
def test_addresses_are_addresses(bench: Bench, field: str) -> None:
    bench.pod()
    found = refused(bench, status(**{field: [{"ip": "10.0.0.1"}, {"ip": "x"}]}), "status")
    message = 'Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
    assert found == {f"status.{field}[1]": message}
    good = [{"ip": "10.0.0.1"}, {"ip": "2001:db8::1"}]
    assert update(bench, status(**{field: good}), "status")["status"][field] == good
    assert update(bench, status(reason="other"), "status")["status"][field] == good


ENDED = {"name": "main", "state": {"terminated": {"exitCode": 1}}}
RUNNING = {"name": "main", "state": {"running": {}}}


@pytest.mark.parametrize(
    ("policy", "exit_code", "may"),
    [("Always", 0, True), ("OnFailure", 1, True), ("OnFailure", 0, False), ("Never", 1, False)],
)
def test_a_container_comes_back_only_by_its_policy(
    bench: Bench, policy: str, exit_code: int, *, may: bool
) -> None:
    bench.pod(restartPolicy=policy)
    ended = {"name": "main", "state": {"terminated": {"exitCode": exit_code}}}
    update(bench, status(containerStatuses=[ended]), "status")
    if may:
        update(bench, status(containerStatuses=[RUNNING]), "status")
    else:
        assert refused(bench, status(containerStatuses=[RUNNING]), "status") == {
            "status.containerStatuses[0].state": "Forbidden: may not be transitioned to non-terminated state"
        }


def test_an_initial_container_may_have_a_policy_of_its_own(bench: Bench) -> None:
    bench.pod(
        restartPolicy="Never", initContainers=[{"name": "side", "image": "i:1", "restartPolicy": "Always"}]
    )
    ended = {"name": "side", "state": {"terminated": {"exitCode": 0}}}
    update(bench, status(initContainerStatuses=[ended]), "status")
    update(bench, status(initContainerStatuses=[{"name": "side", "state": {"running": {}}}]), "status")


def test_a_container_that_is_shown_no_more_is_not_back(bench: Bench) -> None:
    bench.pod(restartPolicy="Never")
    update(bench, status(containerStatuses=[ENDED]), "status")
    update(bench, status(containerStatuses=[{"name": "other", "state": {"running": {}}}]), "status")


# ---- metadata with the status ----


def test_labels_come_along_with_the_status_and_owners_do_not(bench: Bench) -> None:
    bench.pod()
    owner = {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u"}

    def change(obj: Json) -> None:
        obj["metadata"].update(
            labels={"a": "b"}, annotations={"c": "d"}, finalizers=["e/f"], ownerReferences=[owner]
        )
        obj["spec"]["nodeName"] = "elsewhere"

    changed = update(bench, change, "status")
    metadata = changed["metadata"]
    assert (metadata["labels"], metadata["annotations"], metadata["finalizers"]) == (
        {"a": "b"},
        {"c": "d"},
        ["e/f"],
    )
    assert "ownerReferences" not in metadata
    assert "nodeName" not in changed["spec"]
    assert metadata["generation"] == 1
