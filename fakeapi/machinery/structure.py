"""Whether a body has the structure of its kind: what is mistyped and what is unknown, in Go's words.

Go's decoder refuses a value of the wrong type, ignores a field that it does not know, and in strict mode
says so; its messages name the Go types. Nearly every body is in order, so a compiled check answers that
quickly, and only a body that fails it is gone through again by ``complaints`` to say what and where.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from types import NoneType
from typing import Any, Final

from fakeapi.machinery import complaints, govalues
from fakeapi.machinery.complaints import Mistyped
from fakeapi.machinery.gotime import time_error
from fakeapi.machinery.schema import Field, Message

Json = Any
Check = Callable[[Json], bool]
"""Whether a value that is not null is well typed and has no unknown field."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What is wrong with a body's structure.

    Attributes:
        mistyped: values of a wrong type; the first is the one that the real server names, and refuses the
            body for.
        unknown: dotted paths of unknown fields, ``spec.containers[0].foo``. They are no error by themselves.
    """

    mistyped: tuple[Mistyped, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def error(self) -> str | None:
        """The real server's message for a body that cannot be decoded, or None."""
        return self.mistyped[0].message if self.mistyped else None


NOTHING: Final = Findings()
"""The findings on a body that is in order."""


def inspect(document: Json, message: Message) -> Findings:
    """Compare a parsed body with the type of its kind.

    Args:
        document: the parsed JSON of the whole body.
        message: the type that it is to be decoded into.
    """
    try:
        if document is None or _object_check(message)(document):
            return NOTHING
        return Findings(*complaints.collect(document, message))
    except RecursionError:
        return Findings((Mistyped("", message.go_type, "object", "exceeded max depth"),))


# Strings and booleans are told by their type alone; every other check is a function.
_PLAIN: Final = {"string": str, "bool": bool}


@functools.cache
def _object_check(message: Message) -> Check:
    plain: dict[str, type] = {}
    checks: dict[str, Check] = {}
    for name, field in message.by_name.items():
        if field.shape == "one" and field.type in _PLAIN:
            plain[name] = _PLAIN[field.type]
        else:
            checks[name] = _postponed(checks, name, functools.partial(_field_check, field, message))

    def check(value: Json) -> bool:
        if type(value) is not dict:
            return False
        for name, item in value.items():
            expected = plain.get(name)
            if type(item) is expected:
                continue
            field_check = checks.get(name)
            if field_check is None:
                if item is None and expected is not None:
                    continue
                return False
            if item is not None and not field_check(item):
                return False
        return True

    return check


def _postponed(checks: dict[str, Check], name: str, build: Callable[[], Check]) -> Check:
    """A check that is built and takes its own place when the field first occurs: types hold themselves."""

    def check(value: Json) -> bool:
        checks[name] = built = build()
        return built(value)

    return check


def _field_check(field: Field, owner: Message) -> Check:
    one = _value_check(field.type, owner.message_of(field))
    if field.shape == "list":
        return _strings if field.type == "string" else _list_check(one)
    if field.shape == "map":
        return _map_of_strings if field.type == "string" else _map_check(one)
    return one


def _value_check(type_name: str, held: Message | None) -> Check:
    if held is None:
        return _SCALAR_CHECKS[type_name]
    if held.form == "object":
        return _object_check(held)
    return _FORM_CHECKS.get(held.form, _needs_a_closer_look)


def _list_check(one: Check) -> Check:
    def check(value: Json) -> bool:
        if type(value) is not list:
            return False
        for item in value:  # noqa: SIM110 - a generator inside all() takes half as long again
            if item is not None and not one(item):
                return False
        return True

    return check


def _map_check(one: Check) -> Check:
    items_check = _list_check(one)

    def check(value: Json) -> bool:
        return type(value) is dict and items_check(list(value.values()))

    return check


_STRING_OR_NULL: Final = frozenset((str, NoneType))


def _strings(value: Json) -> bool:
    return type(value) is list and _STRING_OR_NULL.issuperset(map(type, value))


def _map_of_strings(value: Json) -> bool:
    return type(value) is dict and _STRING_OR_NULL.issuperset(map(type, value.values()))


_CACHE: Final = 4096
"""Quantities that are remembered: few are written, and often."""


@functools.lru_cache(_CACHE)
def _is_quantity_text(text: str) -> bool:
    return govalues.quantity_error(text) is None


def _is_quantity(value: Json) -> bool:
    return _is_quantity_text(value) if type(value) is str else govalues.quantity_error(value) is None


def _is_time(value: Json) -> bool:
    return type(value) is str and time_error(value) is None


def _is_micro_time(value: Json) -> bool:
    return type(value) is str and time_error(value, micro=True) is None


def _is_anything(_value: Json) -> bool:
    return True


def _needs_a_closer_look(_value: Json) -> bool:
    """Schemas of custom resources with their alternatives are rare: the walk for complaints decides."""
    return False


_SCALAR_CHECKS: Final[dict[str, Check]] = {
    "string": lambda value: type(value) is str,
    "bool": lambda value: type(value) is bool,
    "int32": lambda value: type(value) is int and -(2**31) <= value < 2**31,
    "int64": lambda value: type(value) is int and -(2**63) <= value < 2**63,
    "double": lambda value: type(value) in (int, float),
    "bytes": lambda value: type(value) is str and govalues.base64_error(value) is None,
}
_FORM_CHECKS: Final[dict[str, Check]] = {
    "time": _is_time,
    "micro_time": _is_micro_time,
    "quantity": _is_quantity,
    "int_or_string": govalues.is_int_or_string,
    "raw": _is_anything,
    "strings": _strings,
}
