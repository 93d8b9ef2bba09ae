"""What strict decoding says against a body: fields that are unknown, and fields that stand there twice."""

import json
from collections.abc import Iterator
from typing import Any

import orjson

from fakeapi.machinery.complaints import MOST_UNKNOWN
from fakeapi.machinery.gotext import go_quote
from fakeapi.machinery.schema import Field, Message

Json = Any


def strict_errors(
    raw: bytes, document: Json, message: Message | None = None, unknown: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Return ``unknown field "…"`` and ``duplicate field "…"`` in the order of the body, each once.

    Args:
        raw: the body.
        document: what it was parsed into, unchanged; the parser kept the last of each duplicate.
        message: the type of the body: what its decoder does not look into is left out. None for a body that
            is
            decoded without a type, as patches are: then all of it counts, and no field is unknown.
        unknown: the paths that ``structure.inspect`` found.
    """
    if _has_no_duplicate(raw, document):
        return tuple(f"unknown field {go_quote(path)}" for path in unknown)
    try:
        found = dict.fromkeys(_errors(json.loads(raw, object_pairs_hook=_Pairs), message, ""))
    except RecursionError:
        return ("exceeded max depth",)
    return tuple(found)[:MOST_UNKNOWN]


def _has_no_duplicate(raw: bytes, document: Json) -> bool:
    r"""Count colons: a field that was dropped had one.

    Nothing else makes the counts differ, unless a colon is written as an escape, ``\u003a``; then this
    says no.
    """
    if b"\\u003" in raw:
        return False
    try:
        return raw.count(b":") == orjson.dumps(document).count(b":")
    except orjson.JSONEncodeError:
        return False


class _Pairs(list[tuple[str, Json]]):
    """The members of an object as they were written."""


def _errors(value: Json, message: Message | None, path: str) -> Iterator[str]:
    """Say what is wrong in a struct, or in a value without a type."""
    if isinstance(value, _Pairs):
        seen: set[str] = set()
        for name, item in value:
            here = f"{path}.{name}" if path else name
            field = None if message is None else message.by_name.get(name)
            if message is not None and field is None:
                yield f"unknown field {go_quote(here)}"
                continue
            if name in seen:
                yield f"duplicate field {go_quote(here)}"
            seen.add(name)
            yield from _errors_below(item, field, message, here)
    elif isinstance(value, list) and message is None:
        for index, item in enumerate(value):
            yield from _errors(item, None, f"{path}[{index}]")


def _errors_below(value: Json, field: Field | None, owner: Message | None, path: str) -> Iterator[str]:
    if field is None or owner is None:
        yield from _errors(value, None, path)
        return
    held = owner.message_of(field)
    struct = held if held is not None and held.form == "object" else None
    if field.shape == "map" and isinstance(value, _Pairs):
        yield from _errors_in_map(value, struct, path)
    elif field.shape == "list" and struct is not None and type(value) is list:
        for index, item in enumerate(value):
            yield from _errors(item, struct, f"{path}[{index}]")
    elif field.shape == "one" and struct is not None:
        yield from _errors(value, struct, path)


def _errors_in_map(value: _Pairs, struct: Message | None, path: str) -> Iterator[str]:
    seen: set[str] = set()
    for key, item in value:
        if key in seen:
            yield f"duplicate field {go_quote(f'{path}.{key}')}"
        seen.add(key)
        if struct is not None:
            yield from _errors(item, struct, f"{path}.{key}")
