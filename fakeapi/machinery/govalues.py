"""Whether Go's decoders take a single JSON value as a scalar of theirs, and what they say if they do not."""

import base64
import re
from types import NoneType
from typing import Any, Final

from fakeapi.machinery import quantity

Json = Any

INT_BITS: Final = {"int32": 32, "int64": 64}
JSON_KINDS: Final = {
    "string": "string",
    "bytes": "string",
    "bool": "bool",
    "int32": "number",
    "int64": "number",
    "double": "number",
}
"""Scalar → what it is in JSON, by Go's word."""

_BASE64: Final = re.compile(rb"(?:[A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{0,3})")
_LEAST_BEFORE_PADDING: Final = 2
"""Digits of a quantum of four before which padding may stand."""

_KINDS: Final[dict[type, str]] = {
    str: "string",
    bool: "bool",
    int: "number",
    float: "number",
    list: "array",
    dict: "object",
    NoneType: "null",
}


def kind_of(value: Json) -> str:
    """Go's word for what a JSON value is."""
    return _KINDS[type(value)]


def is_integer(value: Json, bits: int) -> bool:
    """Whether a value is a whole number that so many bits can hold."""
    return type(value) is int and -(1 << bits - 1) <= value < 1 << bits - 1


def is_int_or_string(value: Json) -> bool:
    """Whether a value is a string or a whole number of 32 bits."""
    return type(value) is str or is_integer(value, INT_BITS["int32"])


def quantity_error(value: Json) -> str | None:
    """Why a value is no quantity; numbers are quantities too."""
    written = value.strip() if isinstance(value, str) else repr(value)
    try:
        quantity.parse(written if kind_of(value) in ("string", "number") else "{}")
    except quantity.QuantityError as error:
        return str(error)
    return None


def base64_error(text: str) -> str | None:
    """Why a text is no base64, with the byte at which Go notices; line breaks are allowed and not counted."""
    unbroken = text.replace("\n", "").replace("\r", "")
    try:
        base64.b64decode(unbroken, validate=True)
    except ValueError:
        return f"illegal base64 data at input byte {_first_bad_byte(unbroken.encode())}"
    return None


def _first_bad_byte(text: bytes) -> int:
    """Where ``encoding/base64`` stops: at what does not belong, or where an unfinished quantum begins."""
    match = _BASE64.match(text)
    assert match is not None, "the pattern matches an empty text"
    place, digits, end = match.end(), len(match[1]), len(text)
    if place == end:
        return match.start(1)
    if text[place : place + 1] != b"=" or digits < _LEAST_BEFORE_PADDING:
        return place
    if digits > _LEAST_BEFORE_PADDING:
        return place + 1
    if place + 1 == end:
        return end
    return place + 2 if text[place + 1 : place + 2] == b"=" else place
