"""The scale of workloads."""

import pytest

from fakeapi.machinery.resources import builtin
from fakeapi.registry.options import WriteOptions
from fakeapi.registry.scale import rescale, scale_of
from tests.unit.fakeapi.registry.bench import DEPLOYMENTS, Bench, Json, causes, refusal, template, workload


def scaled(bench: Bench, scale: Json, options: WriteOptions = WriteOptions()) -> Json:  # noqa: B008 - frozen
    return rescale(bench.registry, DEPLOYMENTS, "default", "work", scale, options)


def replicas(bench: Bench) -> int:
    return int(bench.get(DEPLOYMENTS, "work")["spec"]["replicas"])


@pytest.fixture(autouse=True)
def _workload(bench: Bench) -> None:
    bench.create(DEPLOYMENTS, workload(replicas=2))
    bench.status(DEPLOYMENTS, "work", replicas=1)


def test_scale(bench: Bench) -> None:
    obj = bench.get(DEPLOYMENTS, "work")
    kept = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    assert scale_of(obj) == {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {name: obj["metadata"][name] for name in kept},
        "spec": {"replicas": 2},
        "status": {"replicas": 1, "selector": "a=b"},
    }


def test_nothing_is_left_out_as_go_does(bench: Bench) -> None:
    assert scaled(bench, {"spec": {"replicas": 0}})["spec"] == {}
    assert replicas(bench) == 0


def test_a_plain_selector_is_shown_too(bench: Bench) -> None:
    controllers = builtin("replicationcontrollers")
    created = bench.create(controllers, {"metadata": {"name": "a"}, "spec": {"template": template()}})
    assert scale_of(created)["status"]["selector"] == "a=b"


def test_rescaling_changes_the_workload(bench: Bench) -> None:
    scale = scaled(bench, {"metadata": {"name": "work"}, "spec": {"replicas": 5}})
    assert scale["spec"] == {"replicas": 5}
    assert replicas(bench) == 5
    assert bench.get(DEPLOYMENTS, "work")["metadata"]["generation"] == 2


def test_the_same_scale_is_no_change(bench: Bench) -> None:
    before = bench.store.revision
    scaled(bench, scale_of(bench.get(DEPLOYMENTS, "work")))
    assert bench.store.revision == before


def test_a_negative_scale(bench: Bench) -> None:
    error = refusal(lambda: scaled(bench, {"spec": {"replicas": -1}}))
    assert causes(error) == {"spec.replicas": "Invalid value: -1: must be greater than or equal to 0"}
    assert error.message.startswith('Scale.autoscaling "work" is invalid: ')


@pytest.mark.parametrize("metadata", [{"resourceVersion": "1"}, {"uid": "other"}])
def test_another_version_or_object(bench: Bench, metadata: Json) -> None:
    error = refusal(lambda: scaled(bench, {"metadata": metadata, "spec": {"replicas": 5}}))
    assert (error.code, error.reason) == (409, "Conflict")
    assert replicas(bench) == 2


def test_a_dry_run(bench: Bench) -> None:
    scale = scaled(bench, {"spec": {"replicas": 5}}, WriteOptions(dry_run=True))
    assert scale["spec"] == {"replicas": 5}
    assert replicas(bench) == 2
