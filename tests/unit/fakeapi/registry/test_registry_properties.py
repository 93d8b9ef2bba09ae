"""Any sequence of writes over a few names: what is stored is never touched, and refusals change nothing.

Every version is copied when it is stored and compared after each step, so that an edit, a default or a
sub-resource that writes into a shared part of an older version is found at once.
"""

import copy
from collections.abc import Callable
from typing import Any

import orjson
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from fakeapi.kernel.time import SECOND
from fakeapi.machinery.patch import json_patch, merge_patch
from fakeapi.machinery.resources import NAMESPACES, NODES, POD_DISRUPTION_BUDGETS, PODS, Resource
from fakeapi.machinery.status import StatusError
from fakeapi.registry.deletion import delete
from fakeapi.registry.options import DeleteOptions, WriteOptions
from fakeapi.registry.pods import bind, evict
from fakeapi.registry.scale import rescale
from fakeapi.storage.objects import Change, Key, Kind, Version
from tests.unit.fakeapi.registry.bench import CONFIG_MAPS, DEPLOYMENTS, Bench, Json, binding, pod, workload

SPACES = st.sampled_from(["default", "team"])
NAMES = st.sampled_from(["a", "b"])
RESOURCES = st.sampled_from([PODS, CONFIG_MAPS, DEPLOYMENTS, POD_DISRUPTION_BUDGETS, NODES])
FINALIZERS = st.lists(st.sampled_from(["x/one", "x/two"]), max_size=2, unique=True)
SOMETIMES = st.sampled_from([False, False, False, True])
"""Dry runs are few: what changes something is tried more often."""
LABELS = st.dictionaries(st.sampled_from(["app", "tier"]), st.sampled_from(["x", "y", "no!"]), max_size=2)
GRACES = st.sampled_from([None, None, 0, 1, 30, 600, -1])
POLICIES = st.sampled_from([None, None, "Background", "Foreground", "Orphan"])

MERGES: list[Json] = [
    {},
    {"metadata": {"finalizers": None}},
    {"metadata": {"finalizers": ["x/one"]}},
    {"metadata": {"labels": {"app": "x"}}},
    {"metadata": {"uid": "another"}},
    {"metadata": {"resourceVersion": "3"}},
    {"spec": {"nodeName": "a"}},
    {"spec": {"activeDeadlineSeconds": 60}},
    {"spec": {"schedulingGates": None}},
    {"spec": {"replicas": 3}},
    {"spec": {"unschedulable": True}},
    {"spec": {"minAvailable": "50%"}},
    {"data": {"key": "value"}},
    {"status": {"phase": "Running"}},
    {"status": {"phase": "Succeeded", "conditions": [{"type": "Ready", "status": "False"}]}},
    {"status": {"nominatedNodeName": "a"}},
    {"status": {"capacity": {"nvidia.com/gpu": "8000m"}}},
    {"status": {"observedGeneration": 9, "disruptionsAllowed": 1}},
]
PATCHES: list[list[Json]] = [
    [{"op": "replace", "path": "/spec/containers/0/image", "value": "other:2"}],
    [{"op": "replace", "path": "/spec/containers/0/resources/requests/cpu", "value": "2"}],
    [{"op": "add", "path": "/spec/tolerations/-", "value": {"key": "k", "operator": "Exists"}}],
    [{"op": "remove", "path": "/spec/tolerations/0"}],
    [{"op": "add", "path": "/spec/template/spec/nodeSelector", "value": {"a": "b"}}],
]


def manifest(resource: Resource, name: str, finalizers: list[str], labels: Json, *, gated: bool) -> Json:
    if resource == PODS:
        obj = pod(name, schedulingGates=[{"name": "g"}] if gated else [])
    elif resource == DEPLOYMENTS:
        obj = workload(name)
    elif resource == POD_DISRUPTION_BUDGETS:
        obj = {"metadata": {"name": name}, "spec": {"selector": {"matchLabels": {"app": "x"}}}}
    else:
        obj = {"metadata": {"name": name}}
    obj["metadata"].update(finalizers=finalizers, labels=dict(labels))
    return obj


class Writes(RuleBasedStateMachine):
    """Clients of one registry."""

    def __init__(self) -> None:
        super().__init__()
        self.bench = Bench()
        self.copies: list[tuple[Version, Json]] = []
        self.identities: dict[tuple[str, Key], tuple[str, str]] = {}
        self.revision = 0
        for _, change in self.bench.changes:
            self.note(NAMESPACES.storage_key, change)
        self.bench.store.listen(self.note)
        self.bench.create(NAMESPACES, {"metadata": {"name": "team"}})

    def note(self, collection: str, change: Change) -> None:
        assert change.revision > self.revision, "revisions only grow"
        self.revision = change.revision
        metadata = change.after.object["metadata"]
        assert metadata["resourceVersion"] == str(change.revision)
        identity, place = (metadata["uid"], metadata["creationTimestamp"]), (collection, change.after.key)
        if change.kind is Kind.ADDED:
            self.identities[place] = identity
        assert self.identities[place] == identity, "an object keeps its identity"
        self.copies.append((change.after, copy.deepcopy(change.after.object)))

    def attempt(self, write: Callable[[], object], *, dry_run: bool, most: int = 499) -> None:
        """Write; neither a refusal, of a code of at most ``most``, nor a dry run changes anything."""
        before, refused = self.bench.store.revision, None
        try:
            write()
        except StatusError as error:
            refused = error
        if refused is not None:
            assert refused.code <= most, refused.message
        if refused is not None or dry_run:
            assert self.bench.store.revision == before, refused

    @rule(
        resource=RESOURCES,
        space=SPACES,
        name=NAMES,
        finalizers=FINALIZERS,
        labels=LABELS,
        gated=st.booleans(),
        dry=SOMETIMES,
    )
    def create(
        self,
        resource: Resource,
        space: str,
        name: str,
        finalizers: list[str],
        labels: Json,
        *,
        gated: bool,
        dry: bool,
    ) -> None:
        obj = manifest(resource, name, finalizers, labels, gated=gated)
        options = WriteOptions(dry_run=dry)
        self.attempt(lambda: self.bench.create(resource, obj, space, options), dry_run=dry)

    @rule(
        resource=RESOURCES,
        space=SPACES,
        name=NAMES,
        merge=st.sampled_from(MERGES),
        status=st.booleans(),
        dry=SOMETIMES,
    )
    def merge(
        self, resource: Resource, space: str, name: str, merge: Json, *, status: bool, dry: bool
    ) -> None:
        self.change(resource, space, name, lambda obj: merge_patch(obj, merge), status=status, dry=dry)

    @rule(
        resource=st.sampled_from([PODS, DEPLOYMENTS]),
        space=SPACES,
        name=NAMES,
        operations=st.sampled_from(PATCHES),
        dry=SOMETIMES,
    )
    def patch(self, resource: Resource, space: str, name: str, operations: list[Json], *, dry: bool) -> None:
        def edit(obj: Json) -> Json:
            try:
                return json_patch(obj, operations)
            except ValueError:  # it does not apply here
                return obj

        self.change(resource, space, name, edit, status=False, dry=dry)

    def change(
        self,
        resource: Resource,
        space: str,
        name: str,
        edit: Callable[[Json], Json],
        *,
        status: bool,
        dry: bool,
    ) -> None:
        subresource = "status" if status and "status" in resource.subresources else ""
        options = WriteOptions(dry_run=dry)
        self.attempt(
            lambda: self.bench.modify(resource, name, edit, subresource, options, space), dry_run=dry
        )

    @rule(space=SPACES, name=NAMES, node=NAMES, labels=LABELS, dry=SOMETIMES)
    def bind(self, space: str, name: str, node: str, labels: Json, *, dry: bool) -> None:
        body = binding(name, node, labels=labels)
        options = WriteOptions(dry_run=dry)
        self.attempt(lambda: bind(self.bench.registry, space, name, body, options), dry_run=dry)

    @rule(space=SPACES, name=NAMES, grace=GRACES, dry=SOMETIMES)
    def evict(self, space: str, name: str, grace: int | None, *, dry: bool) -> None:
        body = {"metadata": {"name": name}, "deleteOptions": {"gracePeriodSeconds": grace}}
        options = WriteOptions(dry_run=dry)
        # 500 is the answer where two budgets cover the pod.
        self.attempt(lambda: evict(self.bench.registry, space, name, body, options), dry_run=dry, most=500)

    @rule(space=SPACES, name=NAMES, replicas=st.integers(-1, 3), dry=SOMETIMES)
    def scale(self, space: str, name: str, replicas: int, *, dry: bool) -> None:
        body = {"metadata": {"name": name}, "spec": {"replicas": replicas}}
        options = WriteOptions(dry_run=dry)
        self.attempt(
            lambda: rescale(self.bench.registry, DEPLOYMENTS, space, name, body, options), dry_run=dry
        )

    @rule(resource=RESOURCES, space=SPACES, name=NAMES, grace=GRACES, policy=POLICIES, dry=SOMETIMES)
    def delete(
        self, resource: Resource, space: str, name: str, grace: int | None, policy: str | None, *, dry: bool
    ) -> None:
        home = space if resource.namespaced else ""
        options = DeleteOptions(grace, propagation=policy, dry_run=dry)

        def write() -> None:
            deletion = delete(self.bench.registry, resource, home, name, options)
            found = self.bench.store.find(resource.storage_key, (home, name))
            assert dry or (found is None) == deletion.gone

        self.attempt(write, dry_run=dry)

    @rule(dry=SOMETIMES)
    def delete_namespace(self, *, dry: bool) -> None:
        options = DeleteOptions(dry_run=dry)
        self.attempt(lambda: delete(self.bench.registry, NAMESPACES, "", "team", options), dry_run=dry)
        if self.bench.store.find(NAMESPACES.storage_key, ("", "team")) is None:
            assert self.bench.registry.namespace_ends.contents("team") == []
            self.bench.create(NAMESPACES, {"metadata": {"name": "team"}})

    @rule(seconds=st.sampled_from([0, 1, 60]))
    def wait(self, seconds: int) -> None:
        self.bench.wait(seconds * SECOND)

    @invariant()
    def stored_versions_are_as_they_were_stored(self) -> None:
        for version, copied in self.copies:
            assert version.object == copied

    @invariant()
    def an_ending_namespace_has_contents(self) -> None:
        found = self.bench.store.find(NAMESPACES.storage_key, ("", "team"))
        if found is not None and "deletionTimestamp" in found.object["metadata"]:
            assert self.bench.registry.namespace_ends.contents("team")

    def teardown(self) -> None:
        for version, copied in self.copies:
            assert orjson.loads(version.json) == copied


def test_any_writes() -> None:
    run_state_machine_as_test(Writes, settings=settings(max_examples=60, stateful_step_count=30))


def test_the_same_writes_give_the_same_history() -> None:
    def history() -> list[bytes]:
        bench = Bench()
        for name in ("a", "b"):
            bench.pod(name)
            bind(bench.registry, "default", name, binding(name))
            delete(bench.registry, PODS, "default", name)
        return [change.after.json for _, change in bench.changes]

    assert history() == history()


def test_a_shared_part_of_two_manifests_stays_as_it_was() -> None:
    """Two objects made from one dictionary are two objects: a change of one is none of the other."""
    bench = Bench()
    shared: dict[str, Any] = {"app": "x"}
    for name in ("a", "b"):
        bench.create(CONFIG_MAPS, {"metadata": {"name": name, "labels": shared}})
    bench.modify(CONFIG_MAPS, "a", lambda obj: merge_patch(obj, {"metadata": {"labels": {"app": "y"}}}))
    assert bench.get(CONFIG_MAPS, "b")["metadata"]["labels"] == {"app": "x"}
