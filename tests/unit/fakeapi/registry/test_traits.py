"""How the kinds differ in what the registry does with all of them."""

import pytest

from fakeapi.machinery.resources import NODES, PODS, PRIORITY_CLASSES, Resource, builtin
from fakeapi.registry import traits
from tests.unit.fakeapi.registry.bench import CONFIG_MAPS, DEPLOYMENTS, JOBS, LEASES

POD_GROUPS = builtin("podgroups", "scheduling.x-k8s.io", "v1alpha1")
CLAIMS = builtin("resourceclaims", "resource.k8s.io")


@pytest.mark.parametrize(
    ("resource", "expected"),
    [
        (PODS, True),
        (DEPLOYMENTS, True),
        (JOBS, True),
        (PRIORITY_CLASSES, True),
        (POD_GROUPS, True),
        (NODES, False),
        (CONFIG_MAPS, False),
        (LEASES, False),
        (builtin("persistentvolumeclaims"), False),
    ],
)
def test_generations(resource: Resource, *, expected: bool) -> None:
    assert traits.has_generation(resource) is expected


def test_only_what_is_wanted_is_counted() -> None:
    metadata = {"labels": {"b": "c"}, "annotations": {"d": "e"}}
    obj = {"kind": "K", "apiVersion": "v1", "metadata": metadata, "spec": {"a": 1}, "status": {}}
    assert traits.counted_part(builtin("replicasets", "apps"), obj) == {"spec": {"a": 1}}
    counted = {"metadata": {"annotations": {"d": "e"}}, "spec": {"a": 1}}
    assert traits.counted_part(DEPLOYMENTS, obj) == counted
    slices = builtin("endpointslices", "discovery.k8s.io")
    assert traits.counted_part(slices, {"metadata": metadata}) == {"metadata": {"labels": {"b": "c"}}}
    assert traits.counted_part(PRIORITY_CLASSES, {"value": 5}) == {}


@pytest.mark.parametrize(
    ("resource", "needs", "born"),
    [
        (PODS, False, False),
        (CONFIG_MAPS, False, False),
        (LEASES, True, True),
        (builtin("poddisruptionbudgets", "policy"), True, False),
        (builtin("endpoints"), False, True),
        (builtin("roles", "rbac.authorization.k8s.io"), False, True),
        (POD_GROUPS, True, False),
    ],
)
def test_updates(resource: Resource, *, needs: bool, born: bool) -> None:
    assert traits.needs_version(resource) is needs
    assert traits.is_born_by_update(resource) is born


@pytest.mark.parametrize(
    ("resource", "expected"), [(NODES, True), (CONFIG_MAPS, True), (PODS, False), (DEPLOYMENTS, False)]
)
def test_status_at_creation(resource: Resource, *, expected: bool) -> None:
    assert traits.takes_status_at_creation(resource) is expected


@pytest.mark.parametrize(
    ("resource", "kept"),
    [
        (PODS, {"ownerReferences"}),
        (DEPLOYMENTS, {"labels"}),
        (NODES, set()),
        (JOBS, set()),
        (CLAIMS, {"annotations", "finalizers", "labels", "ownerReferences"}),
        (POD_GROUPS, {"annotations", "finalizers", "labels", "ownerReferences"}),
    ],
)
def test_metadata_with_the_status(resource: Resource, kept: set[str]) -> None:
    assert traits.metadata_kept_by_status(resource) == kept


def test_other_names_of_a_resource() -> None:
    assert traits.named_by_plural(LEASES).kind == "leases"
    assert traits.named_by_kind(PODS).qualified == "Pod"
