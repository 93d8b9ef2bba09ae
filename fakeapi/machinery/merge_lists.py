"""Lists that strategic merge patch merges: what identifies an item, and in which order the result stands.

Items are scalars, which identify themselves, or objects, identified by the value of a merge key (given as
``""`` for scalars). 1 and true are different items, as in JSON and unlike in Python.
"""

from typing import Any

from fakeapi.machinery.gotext import go_text, go_type_name
from fakeapi.machinery.patch import InapplicablePatch, UnmergeablePatch

Json = Any
JsonList = list[Json]
Key = tuple[type, Json]
"""What identifies an item; the type tells 1 and true apart."""


def item_type(*lists: JsonList) -> type:
    """The one type of all items.

    Raises:
        InapplicablePatch: the items are lists.
        UnmergeablePatch: their types differ, there is a null, or there is no item at all.
    """
    types = list(dict.fromkeys(type(item) for items in lists for item in items))
    if not types:
        raise UnmergeablePatch("no elements in any of the given slices")
    if types[0] is list:
        raise InapplicablePatch("lists of lists are not supported")
    if len(types) > 1 or types[0] is type(None):
        raise UnmergeablePatch(f"list element types are not identical: {go_text(list(lists))}")
    return types[0]


def key_of(item: Json, merge_key: str) -> Key:
    """What identifies an item.

    Raises:
        UnmergeablePatch: it is to have a merge key and does not, or the key's value is no scalar.
    """
    if not merge_key:
        return _scalar_key(item)
    if not isinstance(item, dict):
        raise UnmergeablePatch(f"expected a {go_type_name({})}, but received a {go_type_name(item)}")
    if merge_key not in item:
        raise UnmergeablePatch(f"map: {go_text(item)} does not contain declared merge key: {merge_key}")
    return _scalar_key(item[merge_key])


def _scalar_key(value: Json) -> Key:
    if isinstance(value, dict | list):
        raise UnmergeablePatch(f"a list item cannot be found by a {go_type_name(value)}: {go_text(value)}")
    return type(value), value


def key_or_none(item: Json, merge_key: str) -> Key | None:
    """What identifies an object, or None when it has no such key.

    Raises:
        UnmergeablePatch: it is no object, or the key's value is no scalar.
    """
    return key_of(item, merge_key) if not isinstance(item, dict) or merge_key in item else None


def places(items: JsonList, merge_key: str) -> dict[Key | None, int]:
    """Where the first item of each key stands."""
    found: dict[Key | None, int] = {}
    for place, item in enumerate(items):
        found.setdefault(key_or_none(item, merge_key), place)
    return found


def without(items: JsonList, unwanted: JsonList) -> JsonList:
    """The scalars that are not among the unwanted."""
    dropped = {_scalar_key(value) for value in unwanted}
    return [value for value in items if _scalar_key(value) not in dropped]


def union(items: JsonList, added: JsonList) -> JsonList:
    """The scalars of both lists, each once."""
    return [value for _, value in dict.fromkeys(map(_scalar_key, [*items, *added]))]


def check_order(patch: JsonList, order: JsonList, merge_key: str) -> None:
    """Refuse a ``$setElementOrder`` that lacks an item of the patch, or has two of them the other way round.

    Raises:
        UnmergeablePatch: it does, or an item has no merge key.
    """
    if not order or not patch:
        return
    wanted = iter(order)
    for item in patch:
        if isinstance(item, dict) and "$patch" in item:
            continue
        key = key_of(item, merge_key)
        if not any(key_of(one, merge_key) == key for one in wanted):
            raise UnmergeablePatch(
                f"The order in patch list:\n{go_text(patch)}\n doesn't match $setElementOrder list:\n"
                f"{go_text(order)}\n"
            )


def ordered(merged: JsonList, patch_order: JsonList, server_order: JsonList, merge_key: str) -> JsonList:
    """The merged items in their final order.

    What the patch names stands in the patch's order, what only the server has in the server's. The two are
    interleaved: a server's item comes before the first item of the patch that it preceded on the server.

    Raises:
        UnmergeablePatch: an item has no merge key.
    """
    patch_places = _first_places(patch_order, merge_key)
    server_places = _first_places(server_order, merge_key)
    keyed = [(key_of(item, merge_key), item) for item in merged]
    named = sorted((one for one in keyed if one[0] in patch_places), key=lambda one: patch_places[one[0]])
    others = [one for one in keyed if one[0] not in patch_places]
    others.sort(key=lambda one: server_places.get(one[0], len(server_places)))
    return _interleaved(named, others, server_places)


def _first_places(items: JsonList, merge_key: str) -> dict[Key, int]:
    found: dict[Key, int] = {}
    for place, item in enumerate(items):
        found.setdefault(key_of(item, merge_key), place)
    return found


def _interleaved(
    named: list[tuple[Key, Json]], others: list[tuple[Key, Json]], server_places: dict[Key, int]
) -> JsonList:
    result, waiting = [], 0
    for key, item in named:
        if key in server_places:
            while waiting < len(others) and _precedes(others[waiting][0], key, server_places):
                result.append(others[waiting][1])
                waiting += 1
        result.append(item)
    return [*result, *(item for _, item in others[waiting:])]


def _precedes(one: Key, other: Key, places: dict[Key, int]) -> bool:
    return one in places and places[one] < places[other]
