"""The end of namespaces."""

from typing import Any

import pytest

from fakeapi.machinery.resources import CORE_EVENTS, NAMESPACES, PODS
from fakeapi.registry.deletion import Deletion, delete
from fakeapi.registry.options import DeleteOptions
from fakeapi.registry.pods import bind
from tests.unit.fakeapi.registry.bench import CONFIG_MAPS, NOW, Bench, Json, binding, pod, refusal


@pytest.fixture(autouse=True)
def _namespace(bench: Bench) -> None:
    bench.create(NAMESPACES, {"metadata": {"name": "team"}})
    bench.create(CONFIG_MAPS, {"metadata": {"name": "elsewhere"}})


def end(bench: Bench, **options: Any) -> Deletion:
    return delete(bench.registry, NAMESPACES, "", "team", DeleteOptions(**options))


def exists(bench: Bench) -> bool:
    return bench.exists(NAMESPACES, "team")


def config(bench: Bench, name: str = "a", *finalizers: str) -> None:
    metadata: Json = {"name": name, **({"finalizers": list(finalizers)} if finalizers else {})}
    bench.create(CONFIG_MAPS, {"metadata": metadata}, "team")


def test_an_empty_namespace_is_gone(bench: Bench) -> None:
    deletion = end(bench)
    assert deletion.version.object["metadata"]["deletionTimestamp"] == NOW
    assert deletion.version.object["status"] == {"phase": "Terminating"}
    assert not deletion.gone, "as the real server says of every namespace"
    assert not exists(bench)


def test_its_contents_go_with_it_and_nothing_else(bench: Bench) -> None:
    config(bench)
    bench.create(PODS, pod(), "team")
    about = {"kind": "Pod", "name": "pod", "namespace": "team"}
    bench.create(CORE_EVENTS, {"metadata": {"name": "e"}, "involvedObject": about}, "team")
    end(bench)
    assert not exists(bench)
    assert bench.registry.namespace_ends.contents("team") == []
    assert bench.exists(CONFIG_MAPS, "elsewhere")


def test_it_waits_for_the_last_of_its_contents(bench: Bench) -> None:
    config(bench, "held", "a/b")
    bench.create(PODS, pod(), "team")
    bind(bench.registry, "team", "pod", binding("pod"))
    end(bench)
    assert bench.get(PODS, "pod", "team")["metadata"]["deletionGracePeriodSeconds"] == 30
    bench.modify(CONFIG_MAPS, "held", lambda o: {**o, "metadata": {"name": "held"}}, namespace="team")
    assert exists(bench)
    assert bench.get(NAMESPACES, "team")["status"] == {"phase": "Terminating"}
    delete(bench.registry, PODS, "team", "pod", DeleteOptions(0))
    assert not exists(bench)


def test_asking_again_changes_nothing(bench: Bench) -> None:
    config(bench, "held", "a/b")
    first = end(bench)
    assert end(bench).version is first.version


def test_its_own_finalizers_hold_it_longest(bench: Bench) -> None:
    def hold(obj: Json) -> Json:
        return {**obj, "metadata": {**obj["metadata"], "finalizers": ["a/b"]}}

    bench.modify(NAMESPACES, "team", hold)
    config(bench, "held", "a/b")
    end(bench)

    def release(obj: Json) -> Json:
        return {**obj, "metadata": {**obj["metadata"], "finalizers": []}}

    assert "finalizers" not in bench.modify(NAMESPACES, "team", release).object["metadata"]
    assert exists(bench), "it is not empty yet"
    bench.modify(CONFIG_MAPS, "held", release, namespace="team")
    assert not exists(bench)


def test_a_finalizer_that_is_removed_last(bench: Bench) -> None:
    bench.modify(NAMESPACES, "team", lambda o: {**o, "metadata": {**o["metadata"], "finalizers": ["a/b"]}})
    end(bench)
    assert bench.get(NAMESPACES, "team")["spec"]["finalizers"] == []
    bench.modify(NAMESPACES, "team", lambda o: {**o, "metadata": {**o["metadata"], "finalizers": []}})
    assert not exists(bench)


def test_a_new_one_of_the_same_name(bench: Bench) -> None:
    end(bench)
    bench.create(NAMESPACES, {"metadata": {"name": "team"}})
    config(bench)
    delete(bench.registry, CONFIG_MAPS, "team", "a")
    assert exists(bench)


@pytest.mark.parametrize("name", ["default", "kube-public", "kube-system"])
def test_what_every_cluster_has_stays(bench: Bench, name: str) -> None:
    if name != "default":
        bench.create(NAMESPACES, {"metadata": {"name": name}})
    error = refusal(lambda: delete(bench.registry, NAMESPACES, "", name))
    why = "this namespace may not be deleted"
    assert (error.code, error.message) == (403, f'namespaces "{name}" is forbidden: {why}')


@pytest.mark.parametrize(
    ("options", "field"), [({"uid": "x"}, "UID"), ({"revision": "1"}, "ResourceVersion")]
)
def test_preconditions(bench: Bench, options: Json, field: str) -> None:
    value = next(iter(options.values()))
    error = refusal(lambda: end(bench, **options))
    assert error.code == 409
    words = f"Precondition failed: {field} in precondition: {value}, {field} in object meta: "
    assert error.message.startswith(f'Operation cannot be fulfilled on namespaces "team": {words}')
    assert exists(bench)


def test_a_dry_run(bench: Bench) -> None:
    config(bench)
    before = bench.store.revision
    assert end(bench, dry_run=True).version.object["status"] == {"phase": "Terminating"}
    assert bench.store.revision == before


def test_a_namespace_that_went_another_way_is_not_missed(bench: Bench) -> None:
    config(bench, "held", "a/b")
    end(bench)
    bench.store.delete(NAMESPACES.storage_key, ("", "team"))
    bench.store.delete(CONFIG_MAPS.storage_key, ("team", "held"))
    assert not exists(bench)
