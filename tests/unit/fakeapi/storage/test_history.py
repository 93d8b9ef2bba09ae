import pytest

from fakeapi.storage.errors import HistoryExpired
from fakeapi.storage.history import History
from fakeapi.storage.objects import Change, Kind, Version


def change(revision: int) -> Change:
    version = Version(("n", "a"), revision, {"metadata": {}}, revision)
    return Change(Kind.MODIFIED, revision, None, version)


def filled(limit: int, revisions: range, start: int = 0) -> History:
    history = History(limit, start)
    for revision in revisions:
        history.append(change(revision))
    return history


def since(history: History, revision: int) -> list[int]:
    return [found.revision for found in history.since(revision)]


def test_changes_after_a_revision_come_oldest_first() -> None:
    history = filled(10, range(2, 12, 3))
    assert since(history, 0) == [2, 5, 8, 11]
    assert since(history, 4) == [5, 8, 11]
    assert since(history, 5) == [8, 11]
    assert since(history, 11) == []
    assert since(history, 99) == []


def test_an_empty_history_knows_everything_after_its_start() -> None:
    history = History(10, 7)
    assert since(history, 7) == []
    with pytest.raises(HistoryExpired):
        history.since(6)


@pytest.mark.parametrize("length", [1, 3, 64, 65, 200, 1000])
def test_long_histories_are_searched_as_short_ones_are(length: int) -> None:
    history = filled(1000, range(10, 10 + 2 * length, 2))
    for revision in {9, 10, 11, 8 + length, 9 + length, 6 + 2 * length, 7 + 2 * length, 8 + 2 * length}:
        expected = [one for one in range(10, 10 + 2 * length, 2) if one > revision]
        assert since(history, revision) == expected


def test_what_has_fallen_out_of_the_ring_is_expired_and_the_oldest_known_is_named() -> None:
    history = filled(3, range(1, 7))
    assert since(history, 3) == [4, 5, 6]
    with pytest.raises(
        HistoryExpired, match="version 2 is older than the history, which starts at 3"
    ) as caught:
        history.since(2)
    assert (caught.value.asked, caught.value.oldest) == (2, 3)


def test_a_full_ring_that_has_lost_nothing_is_not_expired() -> None:
    assert since(filled(3, range(1, 4)), 0) == [1, 2, 3]
