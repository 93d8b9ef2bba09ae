"""Drawing nodes: any of them, or several that belong together."""

from collections.abc import Callable
from typing import Any

from fakeapi.cluster.roster import Roster
from fakeapi.machinery.resources import NODES
from fakeapi.storage.store import Store


def store_of(**racks: str | None) -> Store:
    store = Store()
    for name, rack in racks.items():
        add(store, name, rack)
    return store


def add(store: Store, name: str, rack: str | None) -> None:
    metadata: dict[str, Any] = {"name": name, "labels": {} if rack is None else {"rack": rack}}
    store.create(NODES.storage_key, ("", name), {"metadata": metadata})


def in_turn(*numbers: int) -> Callable[[int], int]:
    left = iter(numbers)
    return lambda count: next(left) % count


def test_nodes_come_and_go() -> None:
    store = store_of(a=None, b=None)
    roster = Roster(store)
    roster.attach()
    changes: list[int] = []
    roster.on_change = lambda: changes.append(len(roster))
    add(store, "c", None)
    store.delete(NODES.storage_key, ("", "a"))
    store.update(NODES.storage_key, ("", "b"), {"metadata": {"name": "b"}})
    store.create("pods", ("d", "p"), {"metadata": {"name": "p"}})
    assert changes == [3, 2]
    assert {roster.pick(1, in_turn(number))[0] for number in range(2)} == {"b", "c"}


def test_several_are_different_ones_and_no_more_than_there_are() -> None:
    roster = Roster(store_of(a=None, b=None, c=None))
    roster.attach()
    assert roster.pick(2, in_turn(0, 0, 0, 2)) == ["a", "c"]
    assert sorted(roster.pick(9, in_turn(1, 0, 1, 2))) == ["a", "b", "c"]


def test_those_of_one_rack_fail_together() -> None:
    store = store_of(a="r1", b="r2", c="r1", d=None, e=None)
    roster = Roster(store, "rack")
    roster.attach()
    assert sorted(roster.pick(3, in_turn(0, 1))) == ["a", "c"]
    assert roster.pick(3, in_turn(3)) == ["d"]
    store.delete(NODES.storage_key, ("", "b"))
    assert len(roster) == 4
