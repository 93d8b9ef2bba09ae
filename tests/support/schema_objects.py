"""Objects of any kind for hypothesis, drawn from the schema: well typed, without fields that do not exist."""

import base64
import functools
from typing import Any, Final

from hypothesis import strategies as st

from fakeapi.machinery.schema import Field, Message

DEEPEST: Final = 4
"""Messages within messages; below, only fields that need no further message are filled."""
MOST_FIELDS: Final = 6
"""Fields of one message: combinations matter more than completeness."""
MOST_ITEMS: Final = 3

_INT32: Final = st.integers(-(2**31), 2**31 - 1)
_INT64: Final = st.integers(-(2**63), 2**63 - 1)
# Letters that this Python's Unicode does not know yet are printable for a newer Go and quoted for us.
_TEXT: Final = st.text(st.characters(codec="utf-8", exclude_categories=("Cn", "Cs")), max_size=8)
_JSON: Final = st.recursive(
    st.none() | st.booleans() | _INT64 | _TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_TEXT, inner, max_size=2),
    max_leaves=4,
)
_CLOCK: Final = st.datetimes().map(lambda instant: instant.replace(year=1000 + instant.year % 9000))

_SCALARS: Final[dict[str, st.SearchStrategy[Any]]] = {
    "string": _TEXT,
    "bool": st.booleans(),
    "int32": _INT32,
    "int64": _INT64,
    # Above 2^53 Go writes whole doubles as digits, which are read back as an integer of another value.
    "double": st.floats(-(2.0**53), 2.0**53),
    "bytes": st.binary(max_size=6).map(lambda raw: base64.b64encode(raw).decode()),
}
_QUANTITIES: Final = (
    "0",
    "1",
    "500m",
    "1Gi",
    "1536Mi",
    "1024Mi",
    "0.5",
    "1e3",
    "250u",
    "-3k",
    "12345678901234567890",
)
_FORMS: Final[dict[str, st.SearchStrategy[Any]]] = {
    "time": _CLOCK.map(lambda instant: instant.isoformat(timespec="seconds") + "Z"),
    "micro_time": _CLOCK.map(lambda instant: instant.isoformat(timespec="microseconds") + "Z"),
    "quantity": st.sampled_from(_QUANTITIES),
    "int_or_string": _INT32 | _TEXT,
    "raw": st.dictionaries(_TEXT, _JSON, max_size=2),
    "strings": st.lists(_TEXT, max_size=MOST_ITEMS),
}


@functools.cache
def objects(message: Message, depth: int = DEEPEST) -> st.SearchStrategy[Any]:
    """Return the strategy of a message's JSON values; ``kind`` and ``apiVersion`` are left to the caller."""
    if message.form in _FORMS:
        return _FORMS[message.form]
    if message.form != "object":
        return _unions(message, depth)
    named = {
        name: field
        for name, field in message.by_name.items()
        if field.number and _fits(message, field, depth)
    }

    def filled(names: list[str]) -> st.SearchStrategy[Any]:
        return st.fixed_dictionaries({name: _field_values(message, named[name], depth) for name in names})

    if not named:
        return st.just({})
    return st.lists(st.sampled_from(sorted(named)), max_size=MOST_FIELDS, unique=True).flatmap(filled)


def _fits(message: Message, field: Field, depth: int) -> bool:
    held = message.message_of(field)
    return depth > 0 or held is None or held.form in _FORMS


def _field_values(message: Message, field: Field, depth: int) -> st.SearchStrategy[Any]:
    held = message.message_of(field)
    one = _SCALARS[field.type] if held is None else objects(held, depth - 1)
    if field.shape == "list":
        return st.lists(_with_merge_key(field, held, one), min_size=1, max_size=MOST_ITEMS)
    if field.shape == "map":
        return st.dictionaries(_TEXT, one, min_size=1, max_size=MOST_ITEMS)
    return one


def _with_merge_key(
    field: Field, held: Message | None, item: st.SearchStrategy[Any]
) -> st.SearchStrategy[Any]:
    """Items of a list that merges carry the key; few values, so that two lists have some in common."""
    if field.merge_key is None or held is None:
        return item
    is_text = held.by_name[field.merge_key].type == "string"
    keys = st.sampled_from(("a", "b", "c")) if is_text else st.integers(1, 3)
    return st.builds(lambda value, key: value | {field.merge_key: key}, item, keys)


def _unions(message: Message, depth: int) -> st.SearchStrategy[Any]:
    schema = next(objects(held, depth - 1) for field in message.fields if (held := message.message_of(field)))
    others: dict[str, st.SearchStrategy[Any]] = {
        "one_or_many": st.lists(schema, min_size=1, max_size=MOST_ITEMS),
        "one_or_bool": st.booleans(),
        "one_or_strings": st.lists(_TEXT, min_size=1, max_size=MOST_ITEMS),
    }
    return schema | others[message.form]
