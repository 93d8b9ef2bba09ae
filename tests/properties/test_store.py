"""The store against a model that keeps every state it ever had, over arbitrary histories.

What must hold: revisions only grow; a snapshot of any kept revision is the state of that
moment; a watch from any point, of any selection, replays to the state at its end, unless
it overflowed; listeners hear every change in one order, also when one of them writes.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import orjson
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from fakeapi.machinery.selectors import select_all
from fakeapi.storage.errors import HistoryExpired, KeyExists, KeyNotFound, VersionConflict
from fakeapi.storage.objects import Change, Key
from fakeapi.storage.store import Snapshot, Store
from fakeapi.storage.watch import Selection, Subscription

COLLECTIONS: Final = ("/pods", "/nodes")
AUDIT: Final = "/audit"
"""Where the writing listener notes every second change: a write from inside of a write."""
QUEUE_LIMIT: Final = 5
"""Small, so that watchers that are not read overflow."""
COLOURS: Final = ("red", "blue", "green")

collections = st.sampled_from(COLLECTIONS)
namespaces = st.sampled_from(["", "a", "b"])
keys = st.tuples(st.sampled_from(["a", "b"]), st.sampled_from(["x", "y", "z"]))
colours = st.sampled_from(COLOURS)
Object = dict[str, Any]
State = dict[Key, Object]


def is_red(obj: Object) -> bool:
    return obj.get("colour") == "red"


def is_not_blue(obj: Object) -> bool:
    return obj.get("colour") != "blue"


selections = st.sampled_from([select_all, is_red, is_not_blue])


def obj(key: Key, colour: str) -> Object:
    return {"metadata": {"namespace": key[0], "name": key[1]}, "colour": colour}


def chosen(state: State, namespace: str, select: Selection) -> State:
    return {
        key: found for key, found in state.items() if (not namespace or key[0] == namespace) and select(found)
    }


def state_of(snapshot: Snapshot) -> State:
    assert [version.key for version in snapshot.versions] == sorted(v.key for v in snapshot.versions)
    return {version.key: version.object for version in snapshot.versions}


@dataclass
class Watcher:
    """A client: what it has seen so far, and the watch that it goes on with."""

    collection: str
    namespace: str
    select: Selection
    state: State
    subscription: Subscription
    last_revision: int
    cut_off: bool = field(default=False)

    def read(self) -> None:
        """Take what is queued and apply it, as an informer does."""
        for line in self.subscription.take().splitlines():
            event = orjson.loads(line)
            found = event["object"]
            key = (found["metadata"]["namespace"], found["metadata"]["name"])
            revision = int(found["metadata"]["resourceVersion"])
            assert revision > self.last_revision, "events come in order and once"
            self.last_revision = revision
            if event["type"] == "ADDED":
                assert key not in self.state, "what is there cannot be added"
            else:
                assert key in self.state, "what is not there cannot change or go"
            if event["type"] == "DELETED":
                del self.state[key]
            else:
                assert self.select(found), "only what is selected is shown"
                self.state[key] = found
        self.cut_off = self.cut_off or self.subscription.overflowed


class StoreAgainstModel(RuleBasedStateMachine):
    """Writes go to both; every kind of read is compared."""

    @initialize(history_limit=st.integers(1, 12), queue_limit=st.integers(1, QUEUE_LIMIT))
    def start(self, history_limit: int, queue_limit: int) -> None:
        self.store = Store(history_limit, queue_limit)
        self.history_limit = history_limit
        self.now: dict[str, State] = {name: {} for name in (*COLLECTIONS, AUDIT)}
        self.past: list[dict[str, State]] = [{}, self._copy()]
        self.changed_at: dict[str, list[int]] = {name: [] for name in self.now}
        self.watchers: list[Watcher] = []
        self.heard: list[list[int]] = [[], []]
        self.store.listen(self._writing_listener)
        self.store.listen(lambda _, change: self.heard[1].append(change.revision))

    def _copy(self) -> dict[str, State]:
        return {name: dict(state) for name, state in self.now.items()}

    def _writing_listener(self, collection: str, change: Change) -> None:
        self.heard[0].append(change.revision)
        if collection != AUDIT and change.revision % 2 == 0:
            key = ("a", f"change-{change.revision}")
            self._write(AUDIT, lambda: self.store.create(AUDIT, key, obj(key, "red")).revision, key, "red")

    def _write(self, collection: str, write: Callable[[], int], key: Key, colour: str | None) -> None:
        """Run a write and do the same to the model; listeners write in the middle of it."""
        revision = self.store.revision + 1
        if colour is None:
            del self.now[collection][key]
        else:
            found = obj(key, colour)
            found["metadata"]["resourceVersion"] = str(revision)
            self.now[collection][key] = found
        self.past.append(self._copy())
        self.changed_at[collection].append(revision)
        assert write() == revision, "each change has the next revision"

    # ---- writes ---------------------------------------------------------------------------------

    @rule(collection=collections, key=keys, colour=colours)
    def create(self, collection: str, key: Key, colour: str) -> None:
        if key in self.now[collection]:
            before = self.store.revision
            with pytest.raises(KeyExists):
                self.store.create(collection, key, obj(key, colour))
            assert self.store.revision == before
        else:
            self._write(
                collection,
                lambda: self.store.create(collection, key, obj(key, colour)).revision,
                key,
                colour,
            )

    def _existing(self) -> list[tuple[str, Key]]:
        return [(name, key) for name in COLLECTIONS for key in sorted(self.now[name])]

    def _update(self, collection: str, key: Key, colour: str) -> None:
        expected = int(self.now[collection][key]["metadata"]["resourceVersion"])
        self._write(
            collection,
            lambda: self.store.update(collection, key, obj(key, colour), expected).revision,
            key,
            colour,
        )

    @precondition(lambda self: self._existing())
    @rule(colour=colours, data=st.data())
    def update(self, colour: str, data: st.DataObject) -> None:
        self._update(*data.draw(st.sampled_from(self._existing())), colour)

    @precondition(lambda self: self._existing())
    @rule(burst=st.lists(colours, min_size=QUEUE_LIMIT, max_size=2 * QUEUE_LIMIT), data=st.data())
    def update_often(self, burst: list[str], data: st.DataObject) -> None:
        collection, key = data.draw(st.sampled_from(self._existing()))
        for colour in burst:
            self._update(collection, key, colour)

    @precondition(lambda self: self._existing())
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        collection, key = data.draw(st.sampled_from(self._existing()))
        self._write(collection, lambda: self.store.delete(collection, key).revision, key, None)

    @rule(collection=collections, key=keys)
    def write_what_is_not_there(self, collection: str, key: Key) -> None:
        if key not in self.now[collection]:
            with pytest.raises(KeyNotFound):
                self.store.update(collection, key, obj(key, "red"))
            with pytest.raises(KeyNotFound):
                self.store.delete(collection, key)

    @precondition(lambda self: self._existing())
    @rule(off_by=st.sampled_from([-1, 1, 100]), data=st.data())
    def write_at_another_revision(self, off_by: int, data: st.DataObject) -> None:
        collection, key = data.draw(st.sampled_from(self._existing()))
        found = int(self.now[collection][key]["metadata"]["resourceVersion"])
        before = self.store.revision
        with pytest.raises(VersionConflict):
            self.store.update(collection, key, obj(key, "red"), found + off_by)
        with pytest.raises(VersionConflict):
            self.store.delete(collection, key, found + off_by)
        assert self.store.revision == before

    # ---- the past -------------------------------------------------------------------------------

    def _forgotten(self, collection: str) -> int:
        """The newest revision whose change has fallen out of the collection's history; 0 when none has."""
        changes = self.changed_at[collection]
        return changes[-self.history_limit - 1] if len(changes) > self.history_limit else 0

    def _some_revision(self, collection: str, data: st.DataObject) -> int:
        """Any revision so far; those around the end of the history are the ones that matter most."""
        edge = self._forgotten(collection)
        anywhere = st.integers(1, self.store.revision)
        return max(1, data.draw(anywhere | st.sampled_from([edge - 1, edge])))

    @rule(collection=collections, namespace=namespaces, select=selections, data=st.data())
    def look_back(self, collection: str, namespace: str, select: Selection, data: st.DataObject) -> None:
        at = self._some_revision(collection, data)
        if at < self._forgotten(collection):
            with pytest.raises(HistoryExpired):
                self.store.snapshot(collection, namespace, select, at)
        else:
            snapshot = self.store.snapshot(collection, namespace, select, at)
            assert snapshot.revision == at
            assert state_of(snapshot) == chosen(self.past[at].get(collection, {}), namespace, select)

    # ---- watches --------------------------------------------------------------------------------

    @precondition(lambda self: len(self.watchers) < 6)
    @rule(collection=collections, namespace=namespaces, select=selections)
    def watch_from_a_snapshot(self, collection: str, namespace: str, select: Selection) -> None:
        snapshot, subscription = self.store.watch(collection, namespace, select, lambda: None)
        assert snapshot is not None
        assert state_of(snapshot) == chosen(self.now[collection], namespace, select)
        self.watchers.append(
            Watcher(collection, namespace, select, state_of(snapshot), subscription, snapshot.revision)
        )

    @precondition(lambda self: len(self.watchers) < 6)
    @rule(collection=collections, namespace=namespaces, select=selections, data=st.data())
    def watch_from_a_revision(
        self, collection: str, namespace: str, select: Selection, data: st.DataObject
    ) -> None:
        since = self._some_revision(collection, data)
        if since < self._forgotten(collection):
            with pytest.raises(HistoryExpired):
                self.store.watch(collection, namespace, select, lambda: None, since)
            return
        snapshot, subscription = self.store.watch(collection, namespace, select, lambda: None, since)
        assert snapshot is None
        state = chosen(self.past[since].get(collection, {}), namespace, select)
        self.watchers.append(Watcher(collection, namespace, select, state, subscription, since))

    @precondition(lambda self: self.watchers)
    @rule()
    def read_all_watches(self) -> None:
        for watcher in list(self.watchers):
            watcher.read()
            if watcher.cut_off:
                self._end(watcher)
            else:
                state = chosen(self.now[watcher.collection], watcher.namespace, watcher.select)
                assert watcher.state == state
                assert watcher.last_revision <= watcher.subscription.revision

    @precondition(lambda self: self.watchers)
    @rule(data=st.data())
    def end_a_watch(self, data: st.DataObject) -> None:
        self._end(data.draw(st.sampled_from(self.watchers)))

    def _end(self, watcher: Watcher) -> None:
        self.store.unwatch(watcher.collection, watcher.subscription)
        self.watchers.remove(watcher)

    # ---- always ---------------------------------------------------------------------------------

    @invariant()
    def what_is_stored_is_what_was_written(self) -> None:
        for name, state in self.now.items():
            assert state_of(self.store.snapshot(name)) == state
            assert self.store.count(name) == len(state)

    @invariant()
    def revisions_grow_one_by_one_and_all_listeners_hear_them_in_order(self) -> None:
        everything_so_far = list(range(2, self.store.revision + 1))
        assert self.heard == [everything_so_far, everything_so_far]

    @invariant()
    def a_watch_is_cut_off_by_its_own_queue_alone(self) -> None:
        for watcher in self.watchers:
            assert len(watcher.subscription) <= QUEUE_LIMIT
            if watcher.subscription.overflowed:
                assert len(watcher.subscription) == 0


TestStore = StoreAgainstModel.TestCase


def test_the_model_would_notice_a_change_that_goes_missing() -> None:
    """The watcher's own assertions can fail: a lost addition makes the deletion after it impossible."""
    store = Store()
    _, subscription = store.watch("/pods", "", select_all, lambda: None)
    store.create("/pods", ("a", "x"), obj(("a", "x"), "red"))
    subscription.take()
    store.delete("/pods", ("a", "x"))
    watcher = Watcher("/pods", "", select_all, {}, subscription, 1)
    with pytest.raises(AssertionError, match="what is not there cannot change or go"):
        watcher.read()
