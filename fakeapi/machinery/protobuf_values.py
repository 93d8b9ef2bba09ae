"""JSON of single protobuf values: scalars, and the messages whose JSON is not an object of their fields.

Each function reads a range of a body. The forms are those of ``schema.Form``; what they become is what
their Go types' own ``MarshalJSON`` writes.
"""

import base64
import math
import re
import struct
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final

import orjson

from fakeapi.machinery import quantity, wire
from fakeapi.machinery.wire import Limits, MalformedBody

Json = Any
Read = Callable[[bytes, int, int, Limits], Json]
"""Makes the JSON of the value in a range (from, up to) of the body."""

SCALAR_ZEROS: Final = {"string": "", "bytes": None, "bool": False, "int32": 0, "int64": 0, "double": 0}
"""JSON of the zero value of each scalar."""
FORM_ZEROS: Final = {"quantity": "0", "int_or_string": 0, "one_or_bool": False}
"""JSON of the zero value of each form; null for those that are not named."""

_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - UTC, and without a zone none is written
_NANOS: Final = 1_000_000_000
_NANOS_IN_MICRO: Final = 1_000
_ZERO_SECONDS: Final = -62_135_596_800
"""Go's zero instant, the first second of the year 1."""
_LAST_SECONDS: Final = 253_402_300_799
"""The last second of the year 9999, with which RFC 3339 ends."""
_FIRST_INEXACT_FLOAT: Final = 1e21
"""Go writes whole numbers below this without an exponent, which makes them integers in JSON."""
_LONE_SURROGATES: Final = re.compile("[\udc80-\udcff]")

_TIMESTAMP: Final = {1: wire.VARINT, 2: wire.VARINT}
_INT_OR_STRING: Final = {1: wire.VARINT, 2: wire.VARINT, 3: wire.DELIMITED}
_ONE_RANGE: Final = {1: wire.DELIMITED}
_TWO_RANGES: Final = {1: wire.DELIMITED, 2: wire.DELIMITED}
_FLAG_AND_RANGE: Final = {1: wire.VARINT, 2: wire.DELIMITED}


def text(body: bytes, start: int, end: int) -> str:
    """A string; each byte that is no UTF-8 becomes U+FFFD, as in Go's JSON."""
    try:
        return body[start:end].decode()
    except UnicodeDecodeError:
        return _LONE_SURROGATES.sub("\ufffd", body[start:end].decode(errors="surrogateescape"))


def read_text(body: bytes, start: int, end: int, _limits: Limits) -> str:
    """A string, in the shape of the other readers."""
    return text(body, start, end)


def read_bytes(body: bytes, start: int, end: int, _limits: Limits) -> str:
    """Bytes, in base64."""
    return base64.b64encode(body[start:end]).decode("ascii")


def read_double(body: bytes, position: int) -> int | float:
    """A float64 in eight bytes; whole ones are integers in JSON.

    Raises:
        MalformedBody: it is infinite or not a number, which JSON cannot say.
    """
    (value,) = struct.unpack_from("<d", body, position)
    if not math.isfinite(value):
        raise MalformedBody(f"JSON has no number for {value}", position)
    if value.is_integer() and abs(value) < _FIRST_INEXACT_FLOAT:
        # The shortest digits that name the float, as Go writes them; int() would spell out its last bit.
        return int(Decimal(repr(value)))
    return float(value)


def read_time(body: bytes, start: int, end: int, _limits: Limits) -> str | None:
    """An instant in RFC 3339, parts of a second left out; null when unset."""
    seconds, _ = _timestamp(body, start, end)
    return None if seconds == _ZERO_SECONDS else _rfc3339(seconds, 0, "seconds")


def read_micro_time(body: bytes, start: int, end: int, _limits: Limits) -> str | None:
    """An instant in RFC 3339 with microseconds; null when unset."""
    seconds, nanos = _timestamp(body, start, end)
    if seconds == _ZERO_SECONDS and nanos == 0:
        return None
    carried, nanos = divmod(nanos, _NANOS)
    if not _ZERO_SECONDS <= seconds + carried <= _LAST_SECONDS:
        raise _outside_of_calendar(seconds, start)
    return _rfc3339(seconds + carried, nanos // _NANOS_IN_MICRO, "microseconds")


def _rfc3339(seconds: int, microseconds: int, precision: str) -> str:
    instant = _EPOCH + timedelta(seconds=seconds, microseconds=microseconds)
    return f"{instant.isoformat(timespec=precision)}Z"


def _timestamp(body: bytes, start: int, end: int) -> tuple[int, int]:
    """Seconds since the epoch, and nanoseconds cut (towards zero) to whole microseconds."""
    if start == end:
        return _ZERO_SECONDS, 0
    seconds = nanos = 0
    for number, value, _ in wire.walk(body, start, end, _TIMESTAMP):
        if number == 1:
            seconds = wire.int64(value)
        else:
            nanos = wire.int32(value)
    if not _ZERO_SECONDS <= seconds <= _LAST_SECONDS:
        raise _outside_of_calendar(seconds, start)
    return seconds, nanos - int(math.fmod(nanos, _NANOS_IN_MICRO))


def _outside_of_calendar(seconds: int, position: int) -> MalformedBody:
    return MalformedBody(f"{seconds} s since 1970 is outside of the years 1 to 9999", position)


def read_quantity(body: bytes, start: int, end: int, _limits: Limits) -> str:
    """A quantity in its canonical form."""
    written = "0"
    for _, at, stop in wire.walk(body, start, end, _ONE_RANGE):
        try:
            written = quantity.canonical(text(body, at, stop))
        except quantity.QuantityError as error:
            raise MalformedBody(str(error), at) from error
    return written


def read_int_or_string(body: bytes, start: int, end: int, _limits: Limits) -> int | str:
    """A number or a string, whichever the value's own tag says it is."""
    kind, number_value, string_value = 0, 0, ""
    for number, value, stop in wire.walk(body, start, end, _INT_OR_STRING):
        if number == 1:
            kind = wire.int64(value)
        elif number == 2:
            number_value = wire.int32(value)
        else:
            string_value = text(body, value, stop)
    if kind not in (0, 1):
        raise MalformedBody(f"{kind} is neither the number (0) nor the string (1) of an IntOrString", start)
    return string_value if kind else number_value


def read_raw(body: bytes, start: int, end: int, _limits: Limits) -> Json:
    """JSON that is carried as bytes; null when there is none."""
    value = None
    for _, at, stop in wire.walk(body, start, end, _ONE_RANGE):
        try:
            value = orjson.loads(text(body, at, stop)) if at != stop else None
        except orjson.JSONDecodeError as error:
            raise MalformedBody(f"the JSON carried in it cannot be read: {error}", at) from error
    return value


def read_strings(body: bytes, start: int, end: int, _limits: Limits) -> list[str]:
    """A list of strings that is a message of its own."""
    return [text(body, at, stop) for _, at, stop in wire.walk(body, start, end, _ONE_RANGE)]


FORM_READERS: Final[dict[str, Read]] = {
    "time": read_time,
    "micro_time": read_micro_time,
    "quantity": read_quantity,
    "int_or_string": read_int_or_string,
    "raw": read_raw,
    "strings": read_strings,
}


def union_reader(form: str, read_schema: Read) -> Read:
    """Return the reader of a union of a schema with a list of schemas, a boolean or a list of strings."""
    if form == "one_or_bool":
        return _one_or_bool_reader(read_schema)
    read_item = read_schema if form == "one_or_many" else read_text

    def read(body: bytes, start: int, end: int, limits: Limits) -> Json:
        one, many = None, []
        for number, at, stop in wire.walk(body, start, end, _TWO_RANGES):
            if number == 1:
                one = read_schema(body, at, stop, limits)
            else:
                many.append(read_item(body, at, stop, limits))
        return many or one

    return read


def _one_or_bool_reader(read_schema: Read) -> Read:
    def read(body: bytes, start: int, end: int, limits: Limits) -> Json:
        allowed, one = False, None
        for number, value, stop in wire.walk(body, start, end, _FLAG_AND_RANGE):
            if number == 1:
                allowed = value != 0
            else:
                one = read_schema(body, value, stop, limits)
        return allowed if one is None else one

    return read
