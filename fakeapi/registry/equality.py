"""When two values are the same to a Kubernetes client: Go writes no difference between empty and missing.

A client in Go leaves out ``false``, ``0``, empty text, lists and maps, others send them; an update that
only adds or drops such fields changes nothing (``apiequality.Semantic.DeepEqual``). What Go keeps behind a
pointer is either there or not, and so is a key of a map.
"""

from typing import Any, Final

from fakeapi.machinery.quantity import QuantityError, parse
from fakeapi.machinery.schema import Field, Message, packaged

Json = Any

LABEL_SELECTOR: Final = "meta.v1.LabelSelector"
POD_SPEC: Final = "core.v1.PodSpec"
POD_TEMPLATE: Final = "core.v1.PodTemplateSpec"


def same_object(one: Json, other: Json, message: Message | None) -> bool:
    """Whether two objects of one type mean the same; without a type they must be equal."""
    if one == other:
        return True
    if message is None or message.form != "object":
        return message is not None and message.form == "quantity" and _same_amount(one, other)
    fields = message.by_name
    return all(
        _same_field(one.get(name), other.get(name), fields.get(name), message)
        for name in one.keys() | other.keys()
    )


def same_part(one: Json, other: Json, name: str) -> bool:
    """Whether two values of the named type, such as ``core.v1.PodSpec``, mean the same; None is missing."""
    return one == other or (None not in (one, other) and same_object(one, other, packaged().message(name)))


def _same_field(one: Json, other: Json, field: Field | None, owner: Message) -> bool:
    if one == other:
        return True
    if field is None:
        return alike(one, other)
    held = owner.message_of(field)
    if field.shape == "list":
        return _same_list(one or [], other or [], held)
    if field.shape == "map":
        return _same_map(one or {}, other or {}, held)
    if field.pointer and None in (one, other):
        return False
    if held is None or held.form not in ("object", "quantity"):
        return not one and not other
    return same_object(one or {}, other or {}, held)


def _same_list(one: list[Json], other: list[Json], held: Message | None) -> bool:
    return len(one) == len(other) and all(
        same_object(left, right, held) for left, right in zip(one, other, strict=True)
    )


def _same_map(one: dict[str, Json], other: dict[str, Json], held: Message | None) -> bool:
    return one.keys() == other.keys() and all(
        same_object(value, other[key], held) for key, value in one.items()
    )


def _same_amount(one: Json, other: Json) -> bool:
    try:
        return parse(str(one)) == parse(str(other))
    except QuantityError:
        return False


def alike(one: Json, other: Json) -> bool:
    """Whether two values mean the same that have neither maps nor pointers in them: no type is needed."""
    if one == other:
        return True
    if isinstance(one, dict) and isinstance(other, dict):
        return all(alike(one.get(name), other.get(name)) for name in one.keys() | other.keys())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    return _is_empty(one) and _is_empty(other)


def _is_empty(value: Json) -> bool:
    if isinstance(value, dict):
        return all(map(_is_empty, value.values()))
    return not value
