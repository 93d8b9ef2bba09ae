from collections.abc import Callable

import pytest

from fakeapi.machinery.selectors import select_all
from fakeapi.storage.objects import Change, Kind, Version
from fakeapi.storage.watch import Subscription


def version(revision: int, inside: bool) -> Version:
    return Version(("n", "a"), revision, {"metadata": {"name": "a"}, "inside": inside}, 1)


def is_inside(obj: dict[str, object]) -> bool:
    return bool(obj["inside"])


def change(kind: Kind, before: bool | None, after: bool, revision: int = 2) -> Change:
    old = None if before is None else version(revision - 1, before)
    return Change(kind, revision, old, version(revision, after))


def show(change: Change, kind: Kind) -> bytes:
    return f"{kind.value}@{change.revision} ".encode()


def nobody() -> None:
    """Nobody waits."""


def subscription(select: Callable[[dict[str, object]], bool] = is_inside, limit: int = 10) -> Subscription:
    return Subscription(select, limit, nobody, show)


@pytest.mark.parametrize(
    ("kind", "before", "after", "seen"),
    [
        (Kind.ADDED, None, True, b"ADDED@2 "),
        (Kind.ADDED, None, False, b""),
        (Kind.MODIFIED, True, True, b"MODIFIED@2 "),
        (Kind.MODIFIED, True, False, b"DELETED@2 "),
        (Kind.MODIFIED, False, True, b"ADDED@2 "),
        (Kind.MODIFIED, False, False, b""),
        (Kind.DELETED, True, True, b"DELETED@2 "),
        (Kind.DELETED, False, False, b""),
    ],
)
def test_a_change_is_seen_by_whether_the_object_was_and_is_selected(
    kind: Kind, before: bool | None, after: bool, seen: bytes
) -> None:
    selective, open_to_all = subscription(), subscription(select_all)
    selective.offer(change(kind, before, after))
    open_to_all.offer(change(kind, before, after))
    assert selective.take() == seen
    assert open_to_all.take() == f"{kind.value}@2 ".encode()


def test_events_wait_in_order_and_are_taken_together() -> None:
    found = subscription(select_all)
    for revision in (2, 3, 4):
        found.offer(change(Kind.MODIFIED, True, True, revision))
    assert len(found) == 3
    assert found.take() == b"MODIFIED@2 MODIFIED@3 MODIFIED@4 "
    assert (len(found), found.take(), found.revision) == (0, b"", 4)


def test_a_full_queue_ends_the_watch_and_lets_go_of_what_it_held() -> None:
    found = subscription(select_all, limit=2)
    for revision in (2, 3):
        found.offer(change(Kind.MODIFIED, True, True, revision))
    assert (found.overflowed, len(found)) == (False, 2)
    found.offer(change(Kind.MODIFIED, True, True, 4))
    assert (found.overflowed, len(found)) == (True, 0)
    found.offer(change(Kind.MODIFIED, True, True, 5))
    assert (len(found), found.take(), found.revision) == (0, b"", 5)


def test_room_that_was_made_can_be_used_again() -> None:
    found = subscription(select_all, limit=1)
    for revision in range(2, 6):
        found.offer(change(Kind.MODIFIED, True, True, revision))
        assert found.take() == f"MODIFIED@{revision} ".encode()
    assert not found.overflowed


def test_the_watcher_is_woken_for_what_it_sees_and_for_its_end() -> None:
    woken = []
    found = Subscription(is_inside, 1, lambda: woken.append(len(woken)), show)
    found.offer(change(Kind.ADDED, None, False))
    assert woken == []
    found.offer(change(Kind.ADDED, None, True))
    assert woken == [0]
    found.offer(change(Kind.MODIFIED, True, True))
    assert (found.overflowed, woken) == (True, [0, 1])
    found.offer(change(Kind.MODIFIED, True, True))
    assert woken == [0, 1], "it knows already"
