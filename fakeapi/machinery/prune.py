"""Dropping what Go's decoder would not take over: unknown fields, and fields that are null.

Only bodies that have such things pay for it.
"""

from typing import Any

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
        return {key: without_unknown(one, inner) for key, one in value.items() if isinstance(one, dict)}
    return without_unknown(value, inner)


def without_nulls(document: JsonObject) -> JsonObject:
    """The object without its null fields, at every depth: Go reads null as left out."""
    return {name: _without_nulls_in(value) for name, value in document.items() if value is not None}


def _without_nulls_in(value: Json) -> Json:
    if isinstance(value, dict):
        return without_nulls(value)
    if isinstance(value, list):
        return [_without_nulls_in(one) for one in value]
    return value
