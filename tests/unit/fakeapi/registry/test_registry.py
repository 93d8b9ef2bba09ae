"""Create and replace: identity, names, versions, dry runs, what nobody may touch."""

import copy
from typing import Any

import pytest

from fakeapi.kernel.time import HOUR
from fakeapi.machinery.resources import NODES, PODS, Resource, builtin
from fakeapi.machinery.status import Cause, invalid_value
from fakeapi.registry.deletion import delete
from fakeapi.registry.options import WriteOptions
from fakeapi.registry.registry import require_body_field
from tests.unit.fakeapi.registry.bench import (
    CONFIG_MAPS,
    DEPLOYMENTS,
    LEASES,
    NOW,
    Bench,
    Json,
    causes,
    pod,
    refusal,
    workload,
)

DRY = WriteOptions(dry_run=True)
POD_GROUPS = builtin("podgroups", "scheduling.x-k8s.io", "v1alpha1")


def config(name: str = "a", **metadata: Any) -> Json:
    return {"metadata": {"name": name, **metadata}, "data": {"key": "value"}}


def with_data(**data: str) -> Any:
    return lambda obj: {**obj, "data": data}


# ---- create ----


def test_an_object_gets_an_identity(bench: Bench) -> None:
    bench.wait(HOUR)
    created = bench.create(CONFIG_MAPS, config(labels={"a": "b"}))
    metadata = created["metadata"]
    assert (created["kind"], created["apiVersion"]) == ("ConfigMap", "v1")
    assert (metadata["name"], metadata["namespace"]) == ("a", "default")
    assert metadata["labels"] == {"a": "b"}
    assert metadata["creationTimestamp"] == "2026-01-05T01:00:00Z"
    assert len(metadata["uid"]) == 36
    assert metadata["resourceVersion"] == str(bench.store.revision)
    assert "generation" not in metadata


def test_no_two_objects_are_the_same(bench: Bench) -> None:
    uids = {bench.create(CONFIG_MAPS, config(f"c{index}"))["metadata"]["uid"] for index in range(50)}
    assert len(uids) == 50


def test_what_a_client_may_not_say_is_dropped(bench: Bench) -> None:
    created = bench.create(
        CONFIG_MAPS,
        config(
            uid="mine",
            creationTimestamp="2020-01-01T00:00:00Z",
            deletionTimestamp="2020-01-01T00:00:00Z",
            deletionGracePeriodSeconds=5,
            managedFields=[{}],
            selfLink="/x",
            namespace="elsewhere",
            labels=None,
        ),
    )
    metadata = created["metadata"]
    assert set(metadata) == {"name", "namespace", "uid", "creationTimestamp", "resourceVersion"}
    assert (metadata["namespace"], metadata["creationTimestamp"]) == ("default", NOW)
    assert metadata["uid"] != "mine"


def test_cluster_wide_objects_have_no_namespace(bench: Bench) -> None:
    assert (
        "namespace"
        not in bench.create(NODES, {"metadata": {"name": "n", "namespace": "default"}})["metadata"]
    )


def test_a_version_may_not_be_given(bench: Bench) -> None:
    error = refusal(lambda: bench.create(CONFIG_MAPS, config(resourceVersion="5")))
    assert (error.code, error.message) == (400, "resourceVersion should not be set on objects to be created")


def test_a_taken_name(bench: Bench) -> None:
    bench.create(CONFIG_MAPS, config())
    error = refusal(lambda: bench.create(CONFIG_MAPS, config()))
    assert (error.code, error.reason, error.message) == (
        409,
        "AlreadyExists",
        'configmaps "a" already exists',
    )
    assert error.details == {"name": "a", "kind": "configmaps"}
    dry = refusal(lambda: bench.create(CONFIG_MAPS, config(), options=DRY))
    assert dry.message == error.message


def test_the_name_of_an_ending_object_is_taken(bench: Bench) -> None:
    bench.create(CONFIG_MAPS, config(finalizers=["a/b"]))
    delete(bench.registry, CONFIG_MAPS, "default", "a")
    error = refusal(lambda: bench.create(CONFIG_MAPS, config()))
    assert error.message == 'object is being deleted: configmaps "a" already exists'


def test_a_name_is_generated(bench: Bench) -> None:
    names = set()
    for _ in range(100):
        created = bench.create(CONFIG_MAPS, {"metadata": {"generateName": "worker-"}})
        assert created["metadata"]["generateName"] == "worker-"
        names.add(created["metadata"]["name"])
    assert len(names) == 100
    assert all(name.startswith("worker-") and len(name) == 12 for name in names)


def test_a_given_name_wins(bench: Bench) -> None:
    created = bench.create(CONFIG_MAPS, {"metadata": {"name": "a", "generateName": "worker-"}})
    assert created["metadata"]["name"] == "a"


def test_a_generated_name_is_a_label_of_the_network(bench: Bench) -> None:
    created = bench.create(CONFIG_MAPS, {"metadata": {"generateName": "a" * 70}})
    assert len(created["metadata"]["name"]) == 63
    error = refusal(lambda: bench.create(CONFIG_MAPS, {"metadata": {"generateName": "Gen-"}}))
    assert list(causes(error)) == ["metadata.name"]


def test_generated_names_run_out(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fakeapi.kernel.chance.Chance.suffix", lambda _, length: "x" * length)
    bench.create(CONFIG_MAPS, {"metadata": {"generateName": "a-"}})
    error = refusal(lambda: bench.create(CONFIG_MAPS, {"metadata": {"generateName": "a-"}}))
    assert error.message == (
        'configmaps "a-xxxxx" already exists, '
        "the server was not able to generate a unique name for the object"
    )
    assert error.details is not None
    assert error.details["retryAfterSeconds"] == 1


def test_the_same_seed_gives_the_same_names_and_uids() -> None:
    one, other = Bench(), Bench()
    for bench in (one, other):
        bench.create(CONFIG_MAPS, {"metadata": {"generateName": "a-"}})
        bench.pod()
    assert [change.after.json for _, change in one.changes] == [
        change.after.json for _, change in other.changes
    ]


def test_a_dry_run_creates_nothing(bench: Bench) -> None:
    before = bench.store.revision
    created = bench.create(PODS, pod(), options=DRY)
    assert created["spec"]["schedulerName"] == "default-scheduler"
    assert not bench.exists(PODS, "pod")
    assert bench.store.revision == before


def test_checks_from_outside_refuse_too(bench: Bench) -> None:
    def check(resource: Resource, obj: Json) -> list[Cause]:
        wrong = resource == CONFIG_MAPS and obj.get("data") == {"key": "bad"}
        return [invalid_value("data.key", "bad", "no")] if wrong else []

    bench.registry.add_check(check)
    bench.create(CONFIG_MAPS, config())
    error = refusal(lambda: bench.create(CONFIG_MAPS, {**config("b"), "data": {"key": "bad"}}))
    assert causes(error) == {"data.key": 'Invalid value: "bad": no'}
    error = refusal(lambda: bench.modify(CONFIG_MAPS, "a", with_data(key="bad")))
    assert causes(error) == {"data.key": 'Invalid value: "bad": no'}


# ---- get ----


def test_what_is_not_there(bench: Bench) -> None:
    error = refusal(lambda: bench.get(CONFIG_MAPS, "nobody"))
    assert (error.code, error.message) == (404, 'configmaps "nobody" not found')
    error = refusal(lambda: bench.modify(DEPLOYMENTS, "nobody", lambda obj: obj))
    assert error.message == 'deployments.apps "nobody" not found'


# ---- modify ----


def test_a_change_is_a_new_version_of_the_same_object(bench: Bench) -> None:
    created = bench.create(CONFIG_MAPS, config())
    bench.wait(HOUR)
    changed = bench.modify(CONFIG_MAPS, "a", with_data(key="new")).object
    assert changed["data"] == {"key": "new"}
    assert int(changed["metadata"]["resourceVersion"]) > int(created["metadata"]["resourceVersion"])
    kept = ("uid", "creationTimestamp", "name", "namespace")
    assert all(changed["metadata"][name] == created["metadata"][name] for name in kept)


def test_no_change_is_no_new_version(bench: Bench) -> None:
    bench.create(PODS, pod())
    before = bench.store.revision
    current = bench.registry.get(PODS, "default", "pod")
    assert bench.modify(PODS, "pod", lambda obj: obj) is current
    assert bench.modify(PODS, "pod", copy.deepcopy) is current
    assert bench.modify(PODS, "pod", lambda obj: obj, "status") is current
    assert bench.store.revision == before


def test_a_replacement_is_compared_with_its_defaults(bench: Bench) -> None:
    created = bench.create(DEPLOYMENTS, workload())
    assert bench.modify(DEPLOYMENTS, "work", lambda _: workload()).object == created


def test_a_replacement_that_says_empty_what_was_left_out_changes_nothing(bench: Bench) -> None:
    created = bench.create(DEPLOYMENTS, workload(paused=False))
    bare = workload(minReadySeconds=0)
    assert bench.modify(DEPLOYMENTS, "work", lambda _: bare).object == created


@pytest.mark.parametrize("field", ["labels", "annotations"])
def test_a_label_without_a_value_is_a_change(bench: Bench, field: str) -> None:
    bench.create(PODS, pod())

    def mark(obj: Json) -> Json:
        return {**obj, "metadata": {**obj["metadata"], field: {"marked": ""}}}

    assert bench.modify(PODS, "pod", mark).object["metadata"][field] == {"marked": ""}
    assert bench.get(PODS, "pod")["metadata"][field] == {"marked": ""}


def test_a_key_without_a_value_is_a_change(bench: Bench) -> None:
    bench.create(CONFIG_MAPS, {"metadata": {"name": "c"}})
    bench.modify(CONFIG_MAPS, "c", lambda obj: {**obj, "data": {"a": ""}})
    assert bench.get(CONFIG_MAPS, "c")["data"] == {"a": ""}


def test_zero_is_a_change_of_what_was_left_open(bench: Bench) -> None:
    created = bench.create(DEPLOYMENTS, workload(replicas=0))
    kept = bench.modify(DEPLOYMENTS, "work", lambda obj: {**obj, "spec": {**obj["spec"], "replicas": 0}})
    assert kept.object == created
    changed = bench.modify(DEPLOYMENTS, "work", lambda _: workload())
    assert (changed.object["spec"]["replicas"], changed.object["metadata"]["generation"]) == (1, 2)


def test_the_generation_counts_the_spec_alone(bench: Bench) -> None:
    bench.create(DEPLOYMENTS, workload())

    def generation() -> int:
        return int(bench.get(DEPLOYMENTS, "work")["metadata"]["generation"])

    bench.modify(
        DEPLOYMENTS, "work", lambda obj: {**obj, "metadata": {**obj["metadata"], "labels": {"a": "b"}}}
    )
    bench.status(DEPLOYMENTS, "work", replicas=1)
    assert generation() == 1
    bench.modify(DEPLOYMENTS, "work", lambda obj: {**obj, "spec": {**obj["spec"], "replicas": 3}})
    assert generation() == 2


def test_the_generation_of_a_deployment_counts_annotations_too(bench: Bench) -> None:
    bench.create(DEPLOYMENTS, workload())

    def annotated(obj: Json) -> Json:
        return {**obj, "metadata": {**obj["metadata"], "annotations": {"a": ""}}}

    assert bench.modify(DEPLOYMENTS, "work", annotated).object["metadata"]["generation"] == 2
    assert bench.modify(DEPLOYMENTS, "work", annotated).object["metadata"]["generation"] == 2


def test_a_custom_kind_counts_all_but_its_metadata_and_status(bench: Bench) -> None:
    bench.create(POD_GROUPS, {"metadata": {"name": "a"}, "anything": 1, "status": {"phase": "x"}})
    created = bench.get(POD_GROUPS, "a")
    assert created["metadata"]["generation"] == 1
    assert "status" not in created
    changed = bench.modify(
        POD_GROUPS, "a", lambda obj: {**obj, "anything": 2, "status": {"phase": "y"}}
    ).object
    assert changed["metadata"]["generation"] == 2
    assert "status" not in changed
    changed = bench.status(POD_GROUPS, "a", phase="z")
    assert (changed["metadata"]["generation"], changed["status"]) == (2, {"phase": "z"})


def test_a_stale_version_is_a_conflict(bench: Bench) -> None:
    old = bench.create(CONFIG_MAPS, config())
    bench.modify(CONFIG_MAPS, "a", with_data(key="theirs"))
    error = refusal(lambda: bench.modify(CONFIG_MAPS, "a", lambda _: {**old, "data": {"key": "mine"}}))
    assert (error.code, error.reason) == (409, "Conflict")
    assert error.message == (
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; '
        "please apply your changes to the latest version and try again"
    )
    assert bench.get(CONFIG_MAPS, "a")["data"] == {"key": "theirs"}


@pytest.mark.parametrize("subresource", ["", "status"])
def test_the_object_must_be_the_one_that_is_meant(bench: Bench, subresource: str) -> None:
    bench.node()
    meant = WriteOptions(uid="other")
    error = refusal(lambda: bench.modify(NODES, "n1", lambda obj: obj, subresource, meant))
    assert (error.code, error.reason) == (409, "Conflict")
    assert "Precondition failed: UID in precondition: other, UID in object meta: " in error.message
    uid = bench.get(NODES, "n1")["metadata"]["uid"]
    bench.modify(NODES, "n1", lambda obj: obj, subresource, WriteOptions(uid=uid))


def test_some_kinds_must_say_which_version_they_replace(bench: Bench) -> None:
    created = bench.create(LEASES, {"metadata": {"name": "a"}})
    error = refusal(lambda: bench.modify(LEASES, "a", lambda _: {"metadata": {"name": "a"}, "spec": {}}))
    message = "metadata.resourceVersion: Invalid value: 0: must be specified for an update"
    assert (error.code, error.message) == (422, f'leases.coordination.k8s.io "a" is invalid: {message}')
    renewed = {**created, "spec": {"holderIdentity": "me"}}
    assert bench.modify(LEASES, "a", lambda _: renewed).object["spec"] == {"holderIdentity": "me"}


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"name": "b"}, "the name of the object (b) does not match the name on the URL (a)"),
        (
            {"namespace": "other"},
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
    ],
)
def test_an_object_keeps_its_place(bench: Bench, metadata: Json, message: str) -> None:
    bench.create(CONFIG_MAPS, config())
    error = refusal(
        lambda: bench.modify(
            CONFIG_MAPS, "a", lambda obj: {**obj, "metadata": {**obj["metadata"], **metadata}}
        )
    )
    assert (error.code, error.message) == (400, message)


def test_a_name_of_a_cluster_wide_object_may_come_with_a_namespace(bench: Bench) -> None:
    bench.node()
    bench.modify(NODES, "n1", lambda obj: {**obj, "metadata": {"name": "n1", "namespace": "any"}})
    assert "namespace" not in bench.get(NODES, "n1")["metadata"]


def test_a_replacement_without_labels_drops_them(bench: Bench) -> None:
    bench.create(CONFIG_MAPS, config(labels={"a": "b"}, annotations={"c": "d"}))
    changed = bench.modify(CONFIG_MAPS, "a", lambda _: config()).object
    assert "labels" not in changed["metadata"]
    assert "annotations" not in changed["metadata"]


def test_a_dry_run_changes_nothing(bench: Bench) -> None:
    created = bench.create(CONFIG_MAPS, config())
    before = bench.store.revision
    version = bench.modify(CONFIG_MAPS, "a", with_data(key="new"), options=DRY)
    assert version.object["data"] == {"key": "new"}
    assert bench.get(CONFIG_MAPS, "a") == created
    assert bench.store.revision == before


def test_an_edit_that_refuses_changes_nothing(bench: Bench) -> None:
    bench.create(CONFIG_MAPS, config())
    before = bench.store.revision

    def edit(_: Json) -> Json:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        bench.modify(CONFIG_MAPS, "a", edit)
    assert bench.store.revision == before


# ---- what is stored is never touched ----


def test_defaults_of_a_change_are_not_written_into_the_old_version(bench: Bench) -> None:
    # Stored past the registry, so without the defaults that the next change will fill in.
    bare = {
        "kind": "Node",
        "apiVersion": "v1",
        "metadata": {"name": "n1", "uid": "u"},
        "spec": {},
        "status": {"capacity": {"memory": "1024Mi"}},
    }
    old = bench.store.create(NODES.storage_key, ("", "n1"), bare)
    before = copy.deepcopy(old.object)
    new = bench.modify(
        NODES, "n1", lambda obj: {**obj, "metadata": {**obj["metadata"], "labels": {"a": "b"}}}
    )
    assert new.object["status"]["allocatable"] == {"memory": "1Gi"}
    assert old.object == before


# ---- deletion by update ----


def test_the_last_finalizer_takes_the_object_along(bench: Bench) -> None:
    bench.create(CONFIG_MAPS, config(finalizers=["a/b"]))
    delete(bench.registry, CONFIG_MAPS, "default", "a")
    dry = bench.modify(CONFIG_MAPS, "a", lambda _: config(), options=DRY)
    assert "finalizers" not in dry.object["metadata"]
    assert bench.exists(CONFIG_MAPS, "a")
    last = bench.modify(CONFIG_MAPS, "a", lambda _: {**config(), "data": {"last": "words"}})
    assert last.object["data"] == {"last": "words"}
    assert not bench.exists(CONFIG_MAPS, "a")
    assert bench.events(CONFIG_MAPS) == ["ADDED", "MODIFIED", "DELETED"]


def test_grace_holds_the_object_as_well(bench: Bench) -> None:
    manifest = pod(nodeName="n1")
    manifest["metadata"]["finalizers"] = ["a/b"]
    bench.create(PODS, manifest)
    delete(bench.registry, PODS, "default", "pod")
    bench.modify(PODS, "pod", lambda obj: {**obj, "metadata": {**obj["metadata"], "finalizers": []}})
    assert bench.exists(PODS, "pod")


def test_finalizers_may_go_while_nothing_ends(bench: Bench) -> None:
    bench.create(CONFIG_MAPS, config(finalizers=["a/b"]))
    bench.modify(CONFIG_MAPS, "a", lambda _: config())
    assert bench.exists(CONFIG_MAPS, "a")


# ---- bodies of sub-resources ----


def test_a_body_s_field() -> None:
    assert require_body_field(PODS, {"target": {"name": "n1"}}, "target.name") == "n1"
    for body in ({}, {"target": None}, {"target": {"name": ""}}, {"target": "n1"}):
        error = refusal(lambda body=body: require_body_field(PODS, body, "target.name"))  # type: ignore[misc] # a bound default
        assert causes(error) == {"target.name": "Required value"}
