"""Dropping what Go's decoder would not take over: unknown fields, and fields that are null.

Only bodies that have such things pay for it.
"""

from typing import Any, Final

from fakeapi.machinery.schema import Field, Message

Json = Any
JsonObject = dict[str, Json]


def without_unknown(document: JsonObject, message: Message) -> JsonObject:
    """The well-typed document without the fields that its kind does not know; shares what is unchanged."""
    if message.form != "object":
        return document
    fields = message.by_name
    return {
        name: _without_unknown_in(value, fields[name], message)
        for name, value in document.items()
        if name in fields
    }


def _without_unknown_in(value: Json, field: Field, owner: Message) -> Json:
    inner = owner.message_of(field)
    if inner is None or inner.form != "object" or value is None:
        return value
    if field.shape == "list":
        return [without_unknown(one, inner) if isinstance(one, dict) else one for one in value]
    if field.shape == "map":
        return {
            key: without_unknown(one, inner) if isinstance(one, dict) else one for key, one in value.items()
        }
    return without_unknown(value, inner)


def without_nulls(document: JsonObject, message: Message | None = None) -> JsonObject:
    """The well-typed document without its null fields, at every depth: Go reads null as left out.

    A null in a list or in a map has no field to be left out of: it becomes the zero value of its type.
    Without a ``message`` the types are not known, and a null in a list stays.
    """
    fields = {} if message is None else message.by_name
    return {
        name: _without_nulls_in(value, fields.get(name), message)
        for name, value in document.items()
        if value is not None
    }


def _without_nulls_in(value: Json, field: Field | None, owner: Message | None) -> Json:
    if field is None or owner is None:
        return _untyped(value)
    held = owner.message_of(field)
    if field.shape == "list":
        return [_item(one, field, held) for one in value]
    if field.shape == "map":
        return {key: _item(one, field, held) for key, one in value.items()}
    return _item(value, field, held)


def _item(value: Json, field: Field, held: Message | None) -> Json:
    if value is None:
        return _zero(field, held)
    if held is None:
        return value
    if held.form == "object":
        return without_nulls(value, held)
    return _untyped(value)


def _untyped(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: _untyped(one) for name, one in value.items() if one is not None}
    if isinstance(value, list):
        return [_untyped(one) for one in value]
    return value


_ZEROS: Final[dict[str, Json]] = {
    "string": "",
    "bytes": "",
    "bool": False,
    "int32": 0,
    "int64": 0,
    "double": 0,
    "quantity": "0",
    "time": "0001-01-01T00:00:00Z",
}


def _zero(field: Field, held: Message | None) -> Json:
    if held is None:
        return _ZEROS[field.type]
    if held.form == "strings":
        return []
    return _ZEROS.get(held.form, {})
