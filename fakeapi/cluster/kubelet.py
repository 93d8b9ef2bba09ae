"""All kubelets of the world in one: what becomes of pods once they are bound.

A bound pod waits for its start delay, runs for its run time, ends as Succeeded or Failed
and stays visible; a deleted one stops within its grace period, holds its node until then,
and is removed. How long each of that takes is written on the pod
(:mod:`fakeapi.cluster.annotations`). Containers restart as the pod's ``restartPolicy``
says: with ``Always``, the default of the API, a pod with a run time starts over and over.

Pods whose node does not exist stay Pending until the node is created, and those whose
node is deleted run on: removing either is the work of the pod garbage collector, which
is not part of this module. A stranded pod that somebody deletes is removed at once, as
that collector would do. Probes, readiness gates and ``activeDeadlineSeconds`` have no
effect: a container is ready once it runs, and ends when its run time is over.
"""

from typing import Final

from fakeapi.cluster.annotations import life_of
from fakeapi.cluster.holdings import Holdings
from fakeapi.cluster.lifecycle import Lifecycle
from fakeapi.cluster.podrecord import PodDefaults, PodRecord, Signal, State
from fakeapi.cluster.podstatus import has_ended
from fakeapi.kernel.clock import Clock
from fakeapi.kernel.events import EventQueue
from fakeapi.machinery.resources import NODES, PODS
from fakeapi.storage.objects import Change, Key, Kind, Object, Version
from fakeapi.storage.store import Store

_PODS: Final = PODS.storage_key
_NODES: Final = NODES.storage_key


class Kubelet:
    """Listens to the store, and lets every bound pod become what the pod says of itself.

    Inside the listener it keeps records and schedules events; every write happens in an event.
    """

    def __init__(
        self, store: Store, queue: EventQueue, clock: Clock, defaults: PodDefaults | None = None
    ) -> None:
        self._store = store
        self._clock = clock
        self._defaults = defaults or PodDefaults()
        self._records: dict[Key, PodRecord] = {}
        self._holdings = Holdings()
        self._lifecycle = Lifecycle(store, queue, self._holdings)

    def attach(self) -> None:
        """Take up the pods that are bound already, and listen from now on."""
        self._store.listen(self._hear)
        for version in self._store.iterate(_PODS):
            self._adopt(version)

    # ---- what others may look at ----

    def holders(self, node: str) -> tuple[Key, ...]:
        """The pods that hold capacity of a node, in the order in which they were bound."""
        return self._holdings.of(node)

    def holds(self) -> dict[str, tuple[Key, ...]]:
        """Node name → the pods that hold its capacity: from their binding until they end or are removed."""
        return {node: self._holdings.of(node) for node in sorted({node for node, _ in self._holdings})}

    def story(self, key: Key) -> str:
        """What happened to a pod, for messages.

        Raises:
            KeyError: no bound pod of that name.
        """
        return self._records[key].story()

    def validate(self) -> None:
        """Check every invariant between records, queue and store.

        Raises:
            AssertionError: one does not hold; the message tells of the pod.
        """
        for record in self._records.values():
            self._validate_record(record)
        for version in self._store.iterate(_PODS):
            alive = version.object["spec"].get("nodeName") and not has_ended(version.object)
            assert not alive or version.key in self._records, (
                f"nobody looks after the bound pod {version.key}"
            )
        recorded = {(record.node, key) for key, record in self._records.items()}
        assert set(self._holdings) <= recorded, "a node is held by a pod that is gone"

    def _validate_record(self, record: PodRecord) -> None:
        pod = self._store.get(_PODS, record.key).object
        assert pod["metadata"]["uid"] == record.uid, record.story()
        assert pod["spec"]["nodeName"] == record.node, record.story()
        assert (record.key in self._holdings.of(record.node)) != has_ended(pod), record.story()
        assert record.due == record.next_due(), record.story()
        assert (record.due is None) == (record.event is None), record.story()
        assert record.event is None or not record.event.cancelled, record.story()

    # ---- listening: records and events, never a write ----

    def _hear(self, collection: str, change: Change) -> None:
        if collection == _PODS:
            record = self._records.get(change.after.key)
            if record is None:
                if change.kind is not Kind.DELETED:
                    self._adopt(change.after)
            elif change.kind is Kind.DELETED:
                del self._records[record.key]
                self._lifecycle.signal(record, Signal.REMOVED, self._clock.now())
            else:
                self._compare(record, change.after.object)
        elif collection == _NODES and change.kind is Kind.ADDED:
            self._welcome(change.after.key[1])

    def _adopt(self, version: Version) -> None:
        pod = version.object
        node = pod["spec"].get("nodeName")
        if not node or has_ended(pod):
            return
        metadata, now = pod["metadata"], self._clock.now()
        annotations = metadata.get("annotations")
        record = PodRecord(
            key=version.key,
            uid=metadata["uid"],
            node=node,
            restart_policy=pod["spec"].get("restartPolicy", "Always"),
            life=life_of(annotations),
            annotations=annotations,
            defaults=self._defaults,
            bound=now,
        )
        self._records[record.key] = record
        self._holdings.take(node, record.key)
        if self._store.find(_NODES, ("", node)) is not None:
            self._lifecycle.signal(record, Signal.NODE_CAME, now)
        self._compare(record, pod)

    def _welcome(self, node: str) -> None:
        for key in self.holders(node):
            record = self._records[key]
            if record.state is State.STRANDED:
                record.bound = self._clock.now()
                self._lifecycle.signal(record, Signal.NODE_CAME, record.bound)

    def _compare(self, record: PodRecord, pod: Object) -> None:
        """Find in a changed pod what is new to its kubelet."""
        metadata = pod["metadata"]
        annotations = metadata.get("annotations")
        if annotations is not record.annotations and annotations != record.annotations:
            record.annotations = annotations
            if (life := life_of(annotations)) != record.life:
                record.life = life
                self._lifecycle.signal(record, Signal.LIFE_CHANGED, self._clock.now())
        if record.state is not State.ENDED and has_ended(pod):
            self._lifecycle.signal(record, Signal.ENDED_ELSEWHERE, self._clock.now())
        if "deletionTimestamp" in metadata:
            grace_s = metadata.get("deletionGracePeriodSeconds") or 0
            if record.grace_s is None or grace_s < record.grace_s:
                record.grace_s = grace_s
                self._lifecycle.signal(record, Signal.DELETION_ASKED, self._clock.now())
