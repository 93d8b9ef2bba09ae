"""Rules of the metadata that every kind shares. Messages are the real server's."""

from typing import Any

import pytest

from fakeapi.machinery.resources import BUILTIN, POD_DISRUPTION_BUDGETS, Resource, builtin
from fakeapi.registry.deletion import delete
from tests.unit.fakeapi.registry.bench import CONFIG_MAPS, DEPLOYMENTS, Bench, Json, causes, refusal

POD_GROUPS = builtin("podgroups", "scheduling.x-k8s.io", "v1alpha1")


def refused(bench: Bench, resource: Resource = CONFIG_MAPS, **metadata: Any) -> dict[str, str]:
    return causes(refusal(lambda: bench.create(resource, {"metadata": {"name": "a", **metadata}})))


def with_metadata(bench: Bench, **metadata: Any) -> Json:
    def edit(obj: Json) -> Json:
        return {**obj, "metadata": {**obj["metadata"], **metadata}}

    return bench.modify(CONFIG_MAPS, "a", edit).object


def not_changed(bench: Bench, **metadata: Any) -> dict[str, str]:
    return causes(refusal(lambda: with_metadata(bench, **metadata)))


@pytest.mark.parametrize(
    ("metadata", "field", "message"),
    [
        ({"name": ""}, "metadata.name", "Required value: name or generateName is required"),
        ({"name": "E3"}, "metadata.name", 'Invalid value: "E3": a lowercase RFC 1123 subdomain must'),
        ({"labels": {"a": "b!"}}, "metadata.labels", 'Invalid value: "b!": a valid label must be'),
        ({"labels": {"a b": ""}}, "metadata.labels", 'Invalid value: "a b": name part must consist of'),
        ({"annotations": {"A b": ""}}, "metadata.annotations", 'Invalid value: "A b": name part must'),
        ({"annotations": {"a": "x" * 2**18}}, "metadata.annotations", "Too long: may not be more than"),
        (
            {"finalizers": ["ab"]},
            "metadata.finalizers[0]",
            'Invalid value: "ab": name is neither a standard finalizer name nor is it fully qualified',
        ),
        ({"finalizers": ["a/b c"]}, "metadata.finalizers", 'Invalid value: "a/b c": name part must'),
        (
            {"finalizers": ["orphan", "foregroundDeletion"]},
            "metadata.finalizers",
            'Invalid value: ["orphan","foregroundDeletion"]: '
            "finalizer orphan and foregroundDeletion cannot be both set",
        ),
        (
            {"ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "x"}]},
            "metadata.ownerReferences[0].uid",
            "Required value: must not be empty",
        ),
    ],
)
def test_metadata(bench: Bench, metadata: Json, field: str, message: str) -> None:
    ((found, words),) = refused(bench, **metadata).items()
    assert found == field
    assert words.startswith(message)


def test_metadata_in_order(bench: Bench) -> None:
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": "u", "controller": True}
    metadata = {
        "name": "a.b-c",
        "labels": {"example.com/a": "b", "empty": ""},
        "annotations": {"example.com/Note": "any text at all: {}"},
        "finalizers": ["example.com/hold", "orphan", "kubernetes"],
        "ownerReferences": [owner],
    }
    created = bench.create(CONFIG_MAPS, {"metadata": metadata})
    assert {name: created["metadata"][name] for name in metadata} == metadata


def test_custom_kinds_name_their_finalizers_as_they_like(bench: Bench) -> None:
    bench.create(POD_GROUPS, {"metadata": {"name": "a", "finalizers": ["plain"]}})


def test_the_metadata_is_told_before_the_rest(bench: Bench) -> None:
    error = refusal(
        lambda: bench.create(
            POD_DISRUPTION_BUDGETS, {"metadata": {"name": "A"}, "spec": {"minAvailable": -1}}
        )
    )
    assert list(causes(error)) == ["metadata.name", "spec.minAvailable"]


def test_a_label_that_is_wrong_is_refused_later_too(bench: Bench) -> None:
    bench.create(CONFIG_MAPS, {"metadata": {"name": "a"}})
    assert list(not_changed(bench, labels={"a": "!"})) == ["metadata.labels"]


@pytest.mark.parametrize(
    ("field", "value"),
    [("uid", "other"), ("deletionTimestamp", "2020-01-01T00:00:00Z"), ("deletionGracePeriodSeconds", 5)],
)
def test_what_never_changes(bench: Bench, field: str, value: str | int) -> None:
    bench.create(CONFIG_MAPS, {"metadata": {"name": "a"}})
    metadata: Json = {field: value}
    shown = f'"{value}"' if isinstance(value, str) else value
    assert not_changed(bench, **metadata) == {
        f"metadata.{field}": f"Invalid value: {shown}: field is immutable"
    }


def test_what_is_the_server_s_is_taken_back(bench: Bench) -> None:
    created = bench.create(CONFIG_MAPS, {"metadata": {"name": "a"}})
    changed = with_metadata(bench, creationTimestamp="2020-01-01T00:00:00Z", generation=9, selfLink="/x")
    assert changed == created


def test_an_ending_object_gets_no_new_finalizers(bench: Bench) -> None:
    bench.create(CONFIG_MAPS, {"metadata": {"name": "a", "finalizers": ["a/b", "c/d"]}})
    delete(bench.registry, CONFIG_MAPS, "default", "a")
    assert not_changed(bench, finalizers=["c/d", "e/f"]) == {
        "metadata.finalizers": "Forbidden: no new finalizers can be added if the object is being deleted, "
        'found new finalizers []string{"e/f"}'
    }
    assert with_metadata(bench, finalizers=["c/d"])["metadata"]["finalizers"] == ["c/d"]


def test_the_status_is_written_under_the_same_rules(bench: Bench) -> None:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "m", "image": "i"}]}}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
    bench.create(DEPLOYMENTS, {"metadata": {"name": "a"}, "spec": spec})

    def annotate(obj: Json) -> Json:
        return {**obj, "metadata": {**obj["metadata"], "annotations": {"a b": ""}}}

    error = refusal(lambda: bench.modify(DEPLOYMENTS, "a", annotate, "status"))
    assert list(causes(error)) == ["metadata.annotations"]


@pytest.mark.parametrize(
    "row", [row for row in BUILTIN if "list" in row.verbs], ids=lambda row: row.qualified
)
def test_an_empty_object_of_any_kind_is_refused_and_never_trips(bench: Bench, row: Resource) -> None:
    error = refusal(lambda: bench.create(row, {}))
    assert causes(error)["metadata.name"].startswith("Required value")
