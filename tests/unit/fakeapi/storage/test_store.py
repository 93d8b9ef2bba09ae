from collections.abc import Callable
from typing import Any

import orjson
import pytest

from fakeapi.machinery.selectors import select_all
from fakeapi.storage.errors import (
    HistoryExpired,
    KeyExists,
    KeyNotFound,
    StoreError,
    VersionConflict,
    VersionInFuture,
)
from fakeapi.storage.objects import Change, Kind
from fakeapi.storage.store import Store

PODS = "/pods"
NODES = "/nodes"
Object = dict[str, Any]


def obj(name: str, **fields: Any) -> Object:
    return {"metadata": {"name": name}, **fields}


def names(found: Any) -> list[str]:
    return [version.key[1] for version in found]


def events(block: bytes) -> list[tuple[str, str, int]]:
    """(type, name, revision) of each line."""
    loaded = [orjson.loads(line) for line in block.splitlines()]
    return [
        (
            one["type"],
            one["object"]["metadata"]["name"],
            int(one["object"]["metadata"]["resourceVersion"]),
        )
        for one in loaded
    ]


def is_red(found: Object) -> bool:
    return found.get("colour") == "red"


@pytest.fixture
def store() -> Store:
    return Store()


# ---- reading and writing --------------------------------------------------------------------------


def test_a_write_gets_the_next_revision_and_says_so_in_the_object(store: Store) -> None:
    assert store.revision == 1
    given = obj("a", spec={"x": 1})
    version = store.create(PODS, ("n", "a"), given)
    assert version.revision == version.created == store.revision == 2
    assert version.object == {"metadata": {"name": "a", "resourceVersion": "2"}, "spec": {"x": 1}}
    assert version.key == ("n", "a")
    assert given == obj("a", spec={"x": 1}), "what was given stays as it was"


def test_one_counter_serves_all_collections(store: Store) -> None:
    revisions = [store.create(name, ("", "x"), obj("x")).revision for name in (PODS, NODES)]
    revisions.append(store.update(PODS, ("", "x"), obj("x")).revision)
    revisions.append(store.delete(NODES, ("", "x")).revision)
    assert revisions == [2, 3, 4, 5]


def test_what_was_written_is_read(store: Store) -> None:
    created = store.create(PODS, ("n", "a"), obj("a"))
    assert store.get(PODS, ("n", "a")) is store.find(PODS, ("n", "a")) is created
    updated = store.update(PODS, ("n", "a"), obj("a", spec={}))
    assert store.get(PODS, ("n", "a")) is updated
    assert (updated.created, updated.revision) == (created.revision, 3)
    assert created.object == obj("a") | {"metadata": {"name": "a", "resourceVersion": "2"}}


def test_keys_of_other_namespaces_and_collections_are_other_keys(store: Store) -> None:
    store.create(PODS, ("n", "a"), obj("a"))
    assert store.find(PODS, ("m", "a")) is None
    assert store.find(NODES, ("n", "a")) is None
    assert store.find("/never-seen", ("n", "a")) is None
    assert [store.count(name) for name in (PODS, NODES, "/never-seen")] == [1, 0, 0]


@pytest.mark.parametrize(
    ("action", "error"),
    [
        (lambda store: store.get(PODS, ("n", "b")), KeyNotFound),
        (lambda store: store.update(PODS, ("n", "b"), obj("b")), KeyNotFound),
        (lambda store: store.delete(PODS, ("n", "b")), KeyNotFound),
        (lambda store: store.create(PODS, ("n", "a"), obj("a")), KeyExists),
        (lambda store: store.update(PODS, ("n", "a"), obj("a"), expected=1), VersionConflict),
        (lambda store: store.delete(PODS, ("n", "a"), expected=3), VersionConflict),
    ],
)
def test_a_refused_write_changes_nothing(
    store: Store, action: Callable[[Store], object], error: type[StoreError]
) -> None:
    before = store.create(PODS, ("n", "a"), obj("a"))
    heard: list[Change] = []
    store.listen(lambda _, change: heard.append(change))
    with pytest.raises(error):
        action(store)
    assert (store.get(PODS, ("n", "a")), store.revision, heard) == (before, before.revision, [])


def test_a_conflict_says_what_was_expected_and_what_was_found(store: Store) -> None:
    store.create(PODS, ("n", "a"), obj("a"))
    with pytest.raises(VersionConflict, match="expected version 9, found 2") as caught:
        store.update(PODS, ("n", "a"), obj("a"), expected=9)
    assert (caught.value.expected, caught.value.found) == (9, 2)


def test_a_write_at_the_expected_revision_goes_through(store: Store) -> None:
    first = store.create(PODS, ("n", "a"), obj("a"))
    second = store.update(PODS, ("n", "a"), obj("a"), expected=first.revision)
    assert store.delete(PODS, ("n", "a"), expected=second.revision).revision == 4


def test_a_deletion_returns_the_last_state_at_its_own_revision(store: Store) -> None:
    store.create(PODS, ("n", "a"), obj("a", spec={"x": 1}))
    last = store.delete(PODS, ("n", "a"))
    assert last.object == {"metadata": {"name": "a", "resourceVersion": "3"}, "spec": {"x": 1}}
    assert (last.revision, last.created) == (3, 2)
    assert store.find(PODS, ("n", "a")) is None
    again = store.create(PODS, ("n", "a"), obj("a"))
    assert again.created == 4


def test_iteration_is_in_order_of_namespace_and_name(store: Store) -> None:
    for key in (("b", "x"), ("a", "z"), ("a", "y"), ("", "w")):
        store.create(PODS, key, obj(key[1]))
    assert names(store.iterate(PODS)) == ["w", "y", "z", "x"]
    store.create(PODS, ("a", "a"), obj("a"))
    store.delete(PODS, ("b", "x"))
    assert names(store.iterate(PODS)) == ["w", "a", "y", "z"]
    assert names(store.iterate(PODS, "a")) == ["a", "y", "z"]
    assert names(store.iterate(PODS, "none")) == []


def test_who_iterates_may_delete_what_is_still_to_come(store: Store) -> None:
    for name in "abcd":
        store.create(PODS, ("n", name), obj(name))
    seen = []
    for version in store.iterate(PODS):
        seen.append(version.key[1])
        if version.key[1] == "a":
            store.delete(PODS, ("n", "b"))
            store.delete(PODS, ("n", "a"))
            store.update(PODS, ("n", "d"), obj("d", colour="red"))
    assert seen == ["a", "c", "d"]


# ---- the past -------------------------------------------------------------------------------------


def test_a_snapshot_shows_the_selected_objects_and_the_revision_it_is_of(store: Store) -> None:
    store.create(PODS, ("n", "a"), obj("a", colour="red"))
    store.create(PODS, ("n", "b"), obj("b"))
    store.create(PODS, ("m", "c"), obj("c", colour="red"))
    store.create(NODES, ("", "d"), obj("d"))
    assert store.snapshot(PODS).revision == 5
    assert names(store.snapshot(PODS).versions) == ["c", "a", "b"]
    assert names(store.snapshot(PODS, select=is_red).versions) == ["c", "a"]
    assert names(store.snapshot(PODS, "n", is_red).versions) == ["a"]


def test_a_snapshot_of_the_past_undoes_what_came_after(store: Store) -> None:
    store.create(PODS, ("n", "a"), obj("a", colour="red"))  # 2
    store.create(PODS, ("n", "b"), obj("b"))  # 3
    store.update(PODS, ("n", "a"), obj("a"))  # 4
    store.delete(PODS, ("n", "b"))  # 5
    store.create(PODS, ("n", "b"), obj("b", colour="red"))  # 6
    past = {at: store.snapshot(PODS, at=at) for at in range(1, 7)}
    assert {at: names(one.versions) for at, one in past.items()} == {
        1: [],
        2: ["a"],
        3: ["a", "b"],
        4: ["a", "b"],
        5: ["a"],
        6: ["a", "b"],
    }
    assert [one.revision for one in past.values()] == list(range(1, 7))
    assert names(store.snapshot(PODS, select=is_red, at=3).versions) == ["a"]
    assert names(store.snapshot(PODS, "other", at=3).versions) == []
    assert past[3].versions[0].object["metadata"]["resourceVersion"] == "2"


def test_the_past_beyond_the_kept_history_and_the_future_are_refused() -> None:
    store = Store(history_limit=2)
    for name in "abcd":
        store.create(PODS, ("n", name), obj(name))
    assert names(store.snapshot(PODS, at=3).versions) == ["a", "b"]
    with pytest.raises(HistoryExpired) as expired:
        store.snapshot(PODS, at=2)
    assert (expired.value.asked, expired.value.oldest) == (2, 3)
    with pytest.raises(VersionInFuture) as future:
        store.snapshot(PODS, at=6)
    assert (future.value.asked, future.value.current) == (6, 5)
    store.require_past(5)
    with pytest.raises(VersionInFuture):
        store.require_past(6)


def test_a_quiet_collection_keeps_its_past_however_much_happens_elsewhere() -> None:
    store = Store(history_limit=2)
    store.create(PODS, ("n", "a"), obj("a"))
    for name in "bcdef":
        store.create(NODES, ("", name), obj(name))
    assert names(store.snapshot(PODS, at=2).versions) == ["a"]
    assert names(store.snapshot(PODS, at=1).versions) == []


# ---- watching -------------------------------------------------------------------------------------


class Bell:
    def __init__(self) -> None:
        self.rings = 0

    def __call__(self) -> None:
        self.rings += 1


def test_a_watch_begins_with_a_snapshot_and_goes_on_with_every_change(store: Store) -> None:
    store.create(PODS, ("n", "a"), obj("a"))
    bell = Bell()
    snapshot, subscription = store.watch(PODS, "", select_all, bell)
    assert snapshot is not None
    assert (names(snapshot.versions), snapshot.revision, subscription.revision) == (["a"], 2, 2)
    store.create(PODS, ("m", "b"), obj("b"))
    store.update(PODS, ("n", "a"), obj("a"))
    store.delete(PODS, ("m", "b"))
    store.create(NODES, ("", "c"), obj("c"))
    assert (len(subscription), bell.rings, store.queued()) == (3, 3, 3)
    assert events(subscription.take()) == [("ADDED", "b", 3), ("MODIFIED", "a", 4), ("DELETED", "b", 5)]
    assert subscription.take() == b""
    assert subscription.revision == 5


def test_a_watch_resumes_after_a_revision(store: Store) -> None:
    store.create(PODS, ("n", "a"), obj("a"))
    store.create(PODS, ("n", "b"), obj("b"))
    store.create(NODES, ("", "c"), obj("c"))
    snapshot, subscription = store.watch(PODS, "", select_all, Bell(), since=2)
    assert snapshot is None
    assert events(subscription.take()) == [("ADDED", "b", 3)]
    assert subscription.revision == store.revision, "a bookmark may promise all that has happened"


def test_a_watch_cannot_resume_where_history_has_gone_or_not_come() -> None:
    store = Store(history_limit=1)
    for name in "abc":
        store.create(PODS, ("n", name), obj(name))
    with pytest.raises(HistoryExpired):
        store.watch(PODS, "", select_all, Bell(), since=2)
    with pytest.raises(VersionInFuture):
        store.watch(PODS, "", select_all, Bell(), since=5)
    store.create(PODS, ("n", "d"), obj("d"))
    assert store.queued() == 0, "a refused watch is none"


def test_a_watch_of_a_namespace_hears_of_no_other(store: Store) -> None:
    store.create(PODS, ("n", "a"), obj("a"))
    store.create(PODS, ("m", "b"), obj("b"))
    _, subscription = store.watch(PODS, "m", select_all, Bell(), since=1)
    store.create(PODS, ("n", "c"), obj("c"))
    store.create(PODS, ("m", "d"), obj("d"))
    assert events(subscription.take()) == [("ADDED", "b", 3), ("ADDED", "d", 5)]


def test_entering_a_selection_is_an_addition_and_leaving_it_a_deletion(store: Store) -> None:
    _, subscription = store.watch(PODS, "", is_red, Bell())
    store.create(PODS, ("n", "a"), obj("a"))
    store.update(PODS, ("n", "a"), obj("a", colour="red"))
    store.update(PODS, ("n", "a"), obj("a", colour="red", spec={}))
    store.update(PODS, ("n", "a"), obj("a", colour="blue"))
    store.update(PODS, ("n", "a"), obj("a", colour="red"))
    store.delete(PODS, ("n", "a"))
    block = subscription.take()
    assert events(block) == [
        ("ADDED", "a", 3),
        ("MODIFIED", "a", 4),
        ("DELETED", "a", 5),
        ("ADDED", "a", 6),
        ("DELETED", "a", 7),
    ]
    left = orjson.loads(block.splitlines()[2])["object"]
    assert left["colour"] == "red", "an object that leaves is shown as it last was inside"


def test_a_change_that_a_watcher_never_sees_moves_its_revision_and_does_not_wake_it(
    store: Store,
) -> None:
    bell = Bell()
    _, subscription = store.watch(PODS, "", is_red, bell)
    store.create(PODS, ("n", "a"), obj("a"))
    assert (subscription.revision, bell.rings, len(subscription)) == (2, 0, 0)


def test_a_watcher_that_does_not_keep_up_is_cut_off_and_blocks_nobody() -> None:
    store = Store(queue_limit=2)
    bell = Bell()
    _, slow = store.watch(PODS, "", select_all, bell)
    _, quick = store.watch(PODS, "", select_all, Bell())
    for name in "abcd":
        store.create(PODS, ("n", name), obj(name))
        quick.take()
    assert slow.overflowed
    assert not quick.overflowed
    assert (slow.take(), len(slow), bell.rings) == (b"", 0, 3)
    assert store.count(PODS) == 4


def test_a_watch_that_has_ended_hears_nothing_more_and_may_end_twice(store: Store) -> None:
    _, subscription = store.watch(PODS, "", select_all, Bell())
    store.unwatch(PODS, subscription)
    store.unwatch(PODS, subscription)
    store.create(PODS, ("n", "a"), obj("a"))
    assert subscription.take() == b""


def test_watchers_share_one_line_for_each_change(store: Store) -> None:
    subscriptions = [store.watch(PODS, "", select_all, Bell())[1] for _ in range(2)]
    store.create(PODS, ("n", "a"), obj("a"))
    first, second = (subscription.take() for subscription in subscriptions)
    assert first == second
    assert first == b'{"type":"ADDED","object":%s}\n' % store.get(PODS, ("n", "a")).json


def test_a_watcher_may_render_events_its_own_way(store: Store) -> None:
    def render(change: Change, kind: Kind) -> bytes:
        return f"{kind.value} {change.after.key[1]}\n".encode()

    _, subscription = store.watch(PODS, "", select_all, Bell(), render=render)
    store.create(PODS, ("n", "a"), obj("a"))
    assert subscription.take() == b"ADDED a\n"


# ---- listeners ------------------------------------------------------------------------------------


def test_listeners_hear_of_every_change_before_the_write_returns(store: Store) -> None:
    heard: list[tuple[str, Kind, int | None, int]] = []

    def listener(collection: str, change: Change) -> None:
        assert store.revision == change.revision, "the change is visible"
        before = None if change.before is None else change.before.revision
        heard.append((collection, change.kind, before, change.after.revision))

    store.listen(listener)
    store.create(PODS, ("n", "a"), obj("a"))
    store.update(PODS, ("n", "a"), obj("a"))
    store.delete(PODS, ("n", "a"))
    assert heard == [
        (PODS, Kind.ADDED, None, 2),
        (PODS, Kind.MODIFIED, 2, 3),
        (PODS, Kind.DELETED, 3, 4),
    ]


def test_all_listeners_hear_one_order_even_when_one_of_them_writes(store: Store) -> None:
    first: list[int] = []
    second: list[int] = []

    def writer(collection: str, change: Change) -> None:
        first.append(change.revision)
        if collection == PODS and change.kind is Kind.ADDED:
            store.update(PODS, change.after.key, obj("a", bound=True))
            store.create(NODES, ("", "event"), obj("event"))
            assert store.get(PODS, ("n", "a")).object["bound"], "visible at once"

    store.listen(writer)
    store.listen(lambda _, change: second.append(change.revision))
    returned = store.create(PODS, ("n", "a"), obj("a"))
    assert returned.revision == 2
    assert first == second == [2, 3, 4]


def test_a_listener_that_fails_silences_nobody_for_good(store: Store) -> None:
    heard: list[int] = []

    def failing(_: str, change: Change) -> None:
        if change.revision == 2:
            store.create(PODS, ("n", "nested"), obj("nested"))
            raise RuntimeError("broken listener")

    store.listen(failing)
    store.listen(lambda _, change: heard.append(change.revision))
    with pytest.raises(RuntimeError, match="broken listener"):
        store.create(PODS, ("n", "a"), obj("a"))
    assert store.count(PODS) == 2, "the write stays"
    store.create(PODS, ("n", "b"), obj("b"))
    assert heard == [3, 4]
