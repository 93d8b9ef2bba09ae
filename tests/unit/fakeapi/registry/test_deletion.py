"""Deletion: grace, finalizers, propagation, preconditions, as kube-apiserver 1.37.2 has them."""

from typing import Any

import pytest

from fakeapi.kernel.time import SECOND
from fakeapi.machinery.resources import EVENTS, PODS, PRIORITY_CLASSES
from fakeapi.registry.deletion import delete
from fakeapi.registry.options import DeleteOptions
from tests.unit.fakeapi.registry.bench import (
    CONFIG_MAPS,
    DEPLOYMENTS,
    JOBS,
    NOW,
    Bench,
    Json,
    job,
    pod,
    refusal,
    workload,
)


def end(bench: Bench, resource: Any = PODS, name: str = "pod", **options: Any) -> Json:
    return delete(bench.registry, resource, "default", name, DeleteOptions(**options)).version.object


def config(bench: Bench, *finalizers: str) -> Json:
    metadata: Json = {"name": "a", **({"finalizers": list(finalizers)} if finalizers else {})}
    return bench.create(CONFIG_MAPS, {"metadata": metadata})


def ending(obj: Json) -> tuple[str | None, int | None]:
    return obj["metadata"].get("deletionTimestamp"), obj["metadata"].get("deletionGracePeriodSeconds")


# ---- objects without grace ----


def test_an_object_is_gone_at_once(bench: Bench) -> None:
    created = config(bench)
    deletion = delete(bench.registry, CONFIG_MAPS, "default", "a")
    assert deletion.gone
    assert deletion.version.object["metadata"]["uid"] == created["metadata"]["uid"]
    assert deletion.version.revision == bench.store.revision
    assert bench.events(CONFIG_MAPS) == ["ADDED", "DELETED"]


def test_what_is_not_there_cannot_be_deleted(bench: Bench) -> None:
    error = refusal(lambda: end(bench, CONFIG_MAPS, "a"))
    assert (error.code, error.message) == (404, 'configmaps "a" not found')


def test_finalizers_hold_an_object(bench: Bench) -> None:
    config(bench, "a/b")
    deletion = delete(bench.registry, CONFIG_MAPS, "default", "a")
    assert not deletion.gone
    assert ending(deletion.version.object) == (NOW, 0)
    bench.wait(SECOND)
    again = delete(bench.registry, CONFIG_MAPS, "default", "a")
    assert again.version is deletion.version, "asking again changes nothing"


def test_the_end_is_counted_where_changes_are(bench: Bench) -> None:
    manifest = workload()
    manifest["metadata"]["finalizers"] = ["a/b"]
    bench.create(DEPLOYMENTS, manifest)
    assert end(bench, DEPLOYMENTS, "work")["metadata"]["generation"] == 2
    assert end(bench, DEPLOYMENTS, "work")["metadata"]["generation"] == 2


@pytest.mark.parametrize(
    ("policy", "finalizer"), [("Foreground", "foregroundDeletion"), ("Orphan", "orphan")]
)
def test_waiting_for_dependents_is_a_finalizer(bench: Bench, policy: str, finalizer: str) -> None:
    config(bench)
    held = end(bench, CONFIG_MAPS, "a", propagation=policy)
    assert held["metadata"]["finalizers"] == [finalizer]
    assert bench.exists(CONFIG_MAPS, "a")


def test_another_propagation_replaces_the_finalizer(bench: Bench) -> None:
    config(bench, "a/b")
    assert end(bench, CONFIG_MAPS, "a", propagation="Orphan")["metadata"]["finalizers"] == ["a/b", "orphan"]
    held = end(bench, CONFIG_MAPS, "a", propagation="Foreground")
    assert held["metadata"]["finalizers"] == ["a/b", "foregroundDeletion"]
    assert end(bench, CONFIG_MAPS, "a")["metadata"]["finalizers"] == ["a/b", "foregroundDeletion"]
    assert end(bench, CONFIG_MAPS, "a", propagation="Background")["metadata"]["finalizers"] == ["a/b"]


def test_waiting_for_dependents_no_longer_ends_the_object(bench: Bench) -> None:
    config(bench)
    end(bench, CONFIG_MAPS, "a", propagation="Foreground")
    assert delete(bench.registry, CONFIG_MAPS, "default", "a", DeleteOptions(propagation="Background")).gone


def test_events_have_no_dependents(bench: Bench) -> None:
    event = {
        "metadata": {"name": "a"},
        "eventTime": "2026-01-05T00:00:00.000000Z",
        "reportingController": "x/y",
        "reportingInstance": "i",
        "action": "A",
        "reason": "R",
        "type": "Normal",
        "regarding": {"namespace": "default"},
    }
    bench.create(EVENTS, event)
    options = DeleteOptions(propagation="Foreground")
    assert delete(bench.registry, EVENTS, "default", "a", options).gone


def test_a_job_that_is_deleted_without_a_word_waits_until_its_dependents_are_orphaned(bench: Bench) -> None:
    bench.create(JOBS, job())
    deletion = delete(bench.registry, JOBS, "default", "job")
    assert not deletion.gone
    assert deletion.version.object["metadata"]["finalizers"] == ["orphan"]
    bench.create(JOBS, {**job(), "metadata": {"name": "other"}})
    assert delete(bench.registry, JOBS, "default", "other", DeleteOptions(propagation="Background")).gone


def test_the_system_s_priority_classes_stay(bench: Bench) -> None:
    obj = {"metadata": {"name": "system-node-critical"}, "value": 2_000_001_000}
    bench.create(PRIORITY_CLASSES, obj)
    error = refusal(lambda: delete(bench.registry, PRIORITY_CLASSES, "", "system-node-critical"))
    assert (error.code, error.reason) == (403, "Forbidden")


# ---- pods ----


def test_a_waiting_pod_is_gone_at_once_and_its_end_is_told_before(bench: Bench) -> None:
    bench.pod()
    deletion = delete(bench.registry, PODS, "default", "pod")
    assert deletion.gone
    assert ending(deletion.version.object) == (NOW, 0)
    assert deletion.version.object["metadata"]["generation"] == 2
    assert bench.events(PODS) == ["ADDED", "MODIFIED", "DELETED"]


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_a_finished_pod_needs_no_grace(bench: Bench, phase: str) -> None:
    bench.bound()
    bench.status(PODS, "pod", phase=phase)
    assert delete(bench.registry, PODS, "default", "pod").gone


def test_a_pod_on_a_node_ends_gracefully(bench: Bench) -> None:
    bench.bound()
    deletion = delete(bench.registry, PODS, "default", "pod")
    assert not deletion.gone
    assert ending(deletion.version.object) == ("2026-01-05T00:00:30Z", 30)
    assert deletion.version.object["metadata"]["generation"] == 2


@pytest.mark.parametrize(
    ("own", "asked", "expected"),
    [(600, None, 600), (600, 7, 7), (10, 60, 60), (30, -5, 1)],
)
def test_whose_grace_it_is(bench: Bench, own: int, asked: int | None, expected: int) -> None:
    bench.bound(terminationGracePeriodSeconds=own)
    assert end(bench, grace_s=asked)["metadata"]["deletionGracePeriodSeconds"] == expected


@pytest.mark.parametrize(("own", "asked"), [(0, None), (30, 0)])
def test_no_grace_at_all(bench: Bench, own: int, asked: int | None) -> None:
    bench.bound(terminationGracePeriodSeconds=own)
    assert delete(bench.registry, PODS, "default", "pod", DeleteOptions(asked)).gone
    assert bench.events(PODS)[-2:] == ["MODIFIED", "DELETED"]


def test_grace_is_only_shortened_and_counts_from_the_first_request(bench: Bench) -> None:
    bench.bound()
    first = end(bench, grace_s=600)
    bench.wait(100 * SECOND)
    for longer in (None, 3600, 600):
        assert end(bench, grace_s=longer) == first
    shorter = end(bench, grace_s=300)
    assert ending(shorter) == ("2026-01-05T00:05:00Z", 300)
    assert shorter["metadata"]["generation"] == 2


def test_a_shorter_grace_that_is_over_ends_as_soon_as_a_graceful_end_can(bench: Bench) -> None:
    bench.bound()
    end(bench, grace_s=600)
    bench.wait(100 * SECOND)
    assert ending(end(bench, grace_s=5)) == ("2026-01-05T00:01:40Z", 1)
    assert bench.exists(PODS, "pod")


def test_no_grace_in_the_end(bench: Bench) -> None:
    bench.bound()
    end(bench)
    bench.wait(SECOND)
    deletion = delete(bench.registry, PODS, "default", "pod", DeleteOptions(0))
    assert deletion.gone
    assert ending(deletion.version.object) == ("2026-01-05T00:00:01Z", 0)


def finalized(bench: Bench, **spec: Any) -> None:
    manifest = pod(**spec)
    manifest["metadata"]["finalizers"] = ["a/b"]
    bench.create(PODS, manifest)


def test_a_pod_s_finalizers_hold_it_after_its_grace(bench: Bench) -> None:
    finalized(bench, nodeName="n1")
    assert ending(end(bench, grace_s=5)) == ("2026-01-05T00:00:05Z", 5)
    held = delete(bench.registry, PODS, "default", "pod", DeleteOptions(0))
    assert not held.gone
    assert ending(held.version.object) == (NOW, 0)
    again = delete(bench.registry, PODS, "default", "pod", DeleteOptions(0))
    assert again.version is held.version


def test_a_waiting_pod_s_finalizers_hold_it(bench: Bench) -> None:
    finalized(bench)
    assert ending(end(bench)) == (NOW, 0)
    assert bench.exists(PODS, "pod")


def test_a_pod_has_no_dependents_to_wait_for(bench: Bench) -> None:
    bench.pod()
    assert delete(bench.registry, PODS, "default", "pod", DeleteOptions(propagation="Foreground")).gone


# ---- preconditions ----


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"uid": "x"}, "the UID in the precondition (x) does not match the UID in record"),
        (
            {"revision": "1"},
            "the ResourceVersion in the precondition (1) does not match the ResourceVersion in record",
        ),
    ],
)
def test_preconditions_that_do_not_hold(bench: Bench, options: Json, message: str) -> None:
    bench.pod()
    before = bench.store.revision
    error = refusal(lambda: end(bench, **options))
    assert (error.code, error.reason) == (409, "Conflict")
    assert error.message.startswith(f'Operation cannot be fulfilled on Pod "pod": {message}')
    assert error.details == {"name": "pod", "kind": "Pod"}
    assert bench.store.revision == before


def test_preconditions_that_hold(bench: Bench) -> None:
    metadata = bench.pod()["metadata"]
    options = DeleteOptions(uid=metadata["uid"], revision=metadata["resourceVersion"])
    assert delete(bench.registry, PODS, "default", "pod", options).gone


# ---- dry runs ----


def test_a_dry_run_tells_and_changes_nothing(bench: Bench) -> None:
    bench.pod("waiting")
    bench.bound("running")
    config(bench, "a/b")
    before = bench.store.revision
    dry = DeleteOptions(dry_run=True)
    waiting = delete(bench.registry, PODS, "default", "waiting", dry)
    assert (waiting.gone, ending(waiting.version.object)) == (True, (NOW, 0))
    running = delete(bench.registry, PODS, "default", "running", dry)
    assert (running.gone, ending(running.version.object)) == (False, ("2026-01-05T00:00:30Z", 30))
    held = delete(bench.registry, CONFIG_MAPS, "default", "a", dry)
    assert (held.gone, ending(held.version.object)) == (False, (NOW, 0))
    assert bench.store.revision == before


# ---- listeners ----


def test_a_listener_may_remove_the_pod_first(bench: Bench) -> None:
    bench.pod()

    def remove(_: str, change: Any) -> None:
        if "deletionTimestamp" in change.after.object["metadata"] and bench.exists(PODS, "pod"):
            bench.store.delete(PODS.storage_key, change.after.key)

    bench.store.listen(remove)
    assert delete(bench.registry, PODS, "default", "pod").gone
    assert bench.events(PODS) == ["ADDED", "MODIFIED", "DELETED"]
