"""All kubelets of the world in one: what becomes of pods once they are bound.

A bound pod waits for its start delay, runs for its run time, ends as Succeeded or Failed
and stays visible; a deleted one stops within its grace period, holds its node until then,
and is removed. How long each of that takes is written on the pod
(:mod:`fakeapi.cluster.annotations`). Containers restart as the pod's ``restartPolicy``
says: with ``Always``, the default of the API, a pod with a run time starts over and over.

A kubelet refuses a pod that its node has no room for (:mod:`fakeapi.cluster.admission`).
One whose machine is down (:mod:`fakeapi.cluster.machines`) does nothing at all: its pods
work no longer and stay as they are, even when they are deleted, until the machine is back
or somebody removes them by force.

Pods whose node does not exist stay Pending until the node is created, and those whose
node is deleted run on: removing either is the work of the pod garbage collector, which
is not part of this module. A stranded pod that somebody deletes is removed at once, as
that collector would do. Probes, readiness gates and ``activeDeadlineSeconds`` have no
effect: a container is ready once it runs, and ends when its work is done.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final

from fakeapi.cluster.annotations import life_of
from fakeapi.cluster.books import Books
from fakeapi.cluster.holdings import Holdings
from fakeapi.cluster.ledger import Ledger
from fakeapi.cluster.lifecycle import Lifecycle
from fakeapi.cluster.nodes import CHIP_RESOURCE
from fakeapi.cluster.podrecord import PodDefaults, PodRecord, Signal, State
from fakeapi.cluster.podstatus import has_ended
from fakeapi.cluster.podwriter import PodWriter
from fakeapi.kernel.clock import Clock
from fakeapi.kernel.events import EventQueue, Rank
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
        self,
        store: Store,
        queue: EventQueue,
        clock: Clock,
        defaults: PodDefaults | None = None,
        chip_resource: str = CHIP_RESOURCE,
    ) -> None:
        self._store = store
        self._queue = queue
        self._clock = clock
        self._defaults = defaults or PodDefaults()
        self._records: dict[Key, PodRecord] = {}
        self._holdings = Holdings()
        self._dead: set[str] = set()
        """Nodes whose machine is down."""
        self.books: Final = Books(chip_resource)
        self._lifecycle = Lifecycle(PodWriter(store, self.books), queue, self._holdings, self.books)

    def attach(self) -> None:
        """Take up the pods that are bound already, and listen from now on."""
        self._store.listen(self._hear)
        for version in self._store.iterate(_NODES):
            self.books.read(version.object)
        for version in self._store.iterate(_PODS):
            self.ledger.pieces.claim(version.object)
            self._adopt(version)

    @property
    def ledger(self) -> Ledger:
        """The account of all work."""
        return self._lifecycle.ledger

    # ---- what others may look at ----

    def holders(self, node: str) -> tuple[Key, ...]:
        """The pods that hold capacity of a node, in the order in which they were bound."""
        return self._holdings.of(node)

    def holds(self) -> dict[str, tuple[Key, ...]]:
        """Node name → the pods that hold its capacity: from their binding until they end or are removed."""
        return {node: self._holdings.of(node) for node in sorted({node for node, _ in self._holdings})}

    def is_dead(self, node: str) -> bool:
        """Whether the machine behind a node is down."""
        return node in self._dead

    def chips_of(self, key: Key) -> tuple[int, ...]:
        """The chips that a pod holds, as numbers on its node; none for one without."""
        record = self._records.get(key)
        return () if record is None or record.requests is None else record.chips

    def evictable(self, node: str) -> Iterator[Key]:
        """The pods of a node that a drain asks for: those that do not end already, without DaemonSets."""
        for key in self.holders(node):
            record = self._records.get(key)
            if record is not None and record.grace_s is None and not self._is_daemon(key):
                yield key

    def _is_daemon(self, key: Key) -> bool:
        owners = self._store.get(_PODS, key).object["metadata"].get("ownerReferences") or ()
        return any(owner.get("controller") and owner.get("kind") == "DaemonSet" for owner in owners)

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
        for node, book in self.books:
            book.validate()
            for chip, key in book.chips.held().items():
                assert chip in self._records[key].chips, f"chip {chip} of {node} is held by {key}"
        self.ledger.gangs.validate()

    def _validate_record(self, record: PodRecord) -> None:
        pod = self._store.get(_PODS, record.key).object
        assert pod["metadata"]["uid"] == record.uid, record.story()
        assert pod["spec"]["nodeName"] == record.node, record.story()
        assert (record.key in self._holdings.of(record.node)) != has_ended(pod), record.story()
        assert record.due == record.next_due(), record.story()
        assert (record.due is None) == (record.event is None), record.story()
        assert record.event is None or not record.event.cancelled, record.story()
        self._validate_work(record)

    def _validate_work(self, record: PodRecord) -> None:
        works = record.session is not None and not record.session.settled
        assert not works or record.state in (State.RUNNING, State.STOPPING), record.story()
        alive = record.state in (State.RUNNING, State.STOPPING)
        assert not (alive and record.broken), f"runs on a chip that failed\n{record.story()}"
        assert not (alive and self.is_dead(record.node)), f"runs on a machine that is down\n{record.story()}"
        assert record.state is not State.LOST or self.is_dead(record.node), record.story()

    # ---- hardware --------------------------------------------------------------------------------

    def node_died(self, node: str) -> None:
        """The machine behind a node goes down: nothing is written, for nobody is left to write it."""
        if node in self._dead:
            return
        self._dead.add(node)
        for key in self.holders(node):
            self._lifecycle.signal(self._records[key], Signal.NODE_DIED, self._clock.now())

    def node_back(self, node: str) -> None:
        """The machine behind a node is up again: its pods are started again, or have failed."""
        self._dead.discard(node)
        self._take_up(node)

    def _take_up(self, node: str) -> None:
        for key in () if node in self._dead else self.holders(node):
            record = self._records[key]
            if record.state is State.LOST:
                self._lifecycle.signal(record, Signal.NODE_BACK, self._clock.now())

    def chips_failed(self, pods: Iterable[Key]) -> None:
        """Chips that these pods hold work no longer."""
        for key in pods:
            record = self._records[key]
            record.broken = True
            if record.state is not State.LOST:
                self._lifecycle.signal(record, Signal.CHIPS_FAILED, self._clock.now())

    def chips_repaired(self, pods: Iterable[Key]) -> None:
        """Chips that these pods hold work again."""
        for key in pods:
            record = self._records[key]
            record.broken = not self.books.of(record.node).chips.works(record.chips)
            if not record.broken:
                self._lifecycle.signal(record, Signal.CHIPS_BACK, self._clock.now())

    # ---- listening: records and events, never a write ----

    def _hear(self, collection: str, change: Change) -> None:
        if collection == _PODS:
            self._hear_pod(change)
        elif collection == _NODES:
            self._hear_node(change)

    def _hear_pod(self, change: Change) -> None:
        record = self._records.get(change.after.key)
        if record is None:
            if change.kind is Kind.ADDED:
                self.ledger.pieces.claim(change.after.object)
            if change.kind is Kind.DELETED or "deletionTimestamp" in change.after.object["metadata"]:
                self.ledger.pieces.release(change.after.object["metadata"]["uid"])
            if change.kind is not Kind.DELETED:
                self._adopt(change.after)
        elif change.kind is Kind.DELETED:
            del self._records[record.key]
            self._lifecycle.signal(record, Signal.REMOVED, self._clock.now())
        else:
            self._compare(record, change.after.object)

    def _hear_node(self, change: Change) -> None:
        name = change.after.key[1]
        if change.kind is Kind.DELETED:
            self._part(name)
            return
        self.books.read(change.after.object)
        if change.kind is Kind.ADDED:
            self._welcome(name)

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
            held_since=now,
            warm=self.books.of(node).is_warm(pod["spec"]),
        )
        self._records[record.key] = record
        self._holdings.take(node, record.key)
        if node in self._dead:
            self._lifecycle.signal(record, Signal.NODE_DIED, now)
        elif self._store.find(_NODES, ("", node)) is not None:
            self._lifecycle.signal(record, Signal.NODE_CAME, now)
        self._compare(record, pod)

    def _welcome(self, node: str) -> None:
        """A node was created: if its name belonged to a machine that is gone, this is another one."""
        if node in self._dead:
            self._dead.discard(node)
            self.books.of(node).renew()
            action = partial(self._take_up, node)
            self._queue.schedule(self._clock.now(), Rank.POD_PROGRESSES, action, "another machine")
            return
        for key in self.holders(node):
            record = self._records[key]
            if record.state is State.STRANDED:
                record.bound = self._clock.now()
                self._lifecycle.signal(record, Signal.NODE_CAME, record.bound)

    def _part(self, node: str) -> None:
        """A node was deleted: whoever waited for its word to go need not wait any longer."""
        for key in self.holders(node):
            record = self._records[key]
            if record.state is State.LOST and record.grace_s is not None:
                self._lifecycle.signal(record, Signal.DELETION_ASKED, self._clock.now())
        if not self.holders(node):
            self.books.drop(node)

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
            if record.grace_s is None:
                self.ledger.pieces.release(record.uid)  # whoever comes in its place goes on with its work
            if record.grace_s is None or grace_s < record.grace_s:
                record.grace_s = grace_s
                self._lifecycle.signal(record, Signal.DELETION_ASKED, self._clock.now())
