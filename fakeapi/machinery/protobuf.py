r"""Request bodies in ``application/vnd.kubernetes.protobuf``, read as the JSON that the same object would be.

A body is the four bytes ``k8s\0`` and then a ``runtime.Unknown``: the object's kind and version, and its
message. What comes out is what Go's JSON encoder would have written for the Go value that Go's decoder
makes of the bytes: empty fields are left out where the type says ``omitempty``, structs that are no
pointers are there even when nothing was sent of them, an unset instant is null. So one set of rules serves
both content types behind this module.

A reader is compiled for each message when its first body arrives: a table from the tags of its fields to
functions that store a value.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from fakeapi.machinery import protobuf_values as values
from fakeapi.machinery import schema, wire
from fakeapi.machinery.protobuf_values import Json, Read
from fakeapi.machinery.schema import Field, Message
from fakeapi.machinery.wire import Limits, MalformedBody

__all__ = ["CONTENT_TYPE", "MAGIC", "MOST_BYTES", "MalformedBody", "decode"]

CONTENT_TYPE: Final = "application/vnd.kubernetes.protobuf"
MAGIC: Final = b"k8s\x00"
"""What every body begins with."""
MOST_BYTES: Final = 3 * 1024 * 1024
"""Longest body that is looked at: the limit of the real server."""

JsonObject = dict[str, Json]
Store = Callable[[JsonObject, bytes, int, int, Limits], None]
"""Puts the value in a range of the body into the object."""
Put = Callable[[JsonObject, int], None]
"""Puts the value of a varint into the object."""

_ENVELOPE: Final = dict.fromkeys((1, 2, 3, 4), wire.DELIMITED)
_TYPE_META: Final = dict.fromkeys((1, 2), wire.DELIMITED)
_MAP_ENTRY: Final = dict.fromkeys((1, 2), wire.DELIMITED)


def decode(body: bytes, default: tuple[str, str, str] | None = None) -> JsonObject:
    """Read a body as the JSON object of the same meaning, its ``kind`` and ``apiVersion`` among its fields.

    Args:
        body: the whole body.
        default: group, version and kind of a body that does not name its own, as the request's path implies.

    Raises:
        MalformedBody: the bytes are not such a body, are too many, or are of a kind that is not known.
    """
    if len(body) > MOST_BYTES:
        raise MalformedBody(f"it has {len(body)} bytes and {MOST_BYTES} are the limit", MOST_BYTES)
    if not body.startswith(MAGIC):
        raise MalformedBody(f"it does not begin with {MAGIC!r}", 0)
    envelope = _read_envelope(body)
    api_version, kind = envelope.identity(default)
    group, _, version = api_version.rpartition("/")
    message = schema.message_for(group, version, kind)
    if message is None:
        raise MalformedBody(f'no kind "{kind}" is registered for version "{api_version}"', len(MAGIC))
    decoded: JsonObject = {"kind": kind, "apiVersion": api_version}
    _fill(_table(message), decoded, body, envelope.start, envelope.end, Limits())
    return decoded


@dataclass(slots=True)
class _Envelope:
    """A ``runtime.Unknown``: what the object is, and where its message begins and ends."""

    api_version: str = ""
    kind: str = ""
    start: int = 0
    end: int = 0

    def identity(self, default: tuple[str, str, str] | None) -> tuple[str, str]:
        """The apiVersion and the kind, each by default where the body does not name it."""
        group, version, kind = default or ("", "", "")
        api_version = self.api_version or (f"{group}/{version}" if group else version)
        kind = self.kind or kind
        for name, value in (("apiVersion", api_version), ("kind", kind)):
            if not value:
                raise MalformedBody(f"the object's {name} is missing", len(MAGIC))
        return api_version, kind


def _read_envelope(body: bytes) -> _Envelope:
    envelope = _Envelope()
    for number, start, end in wire.walk(body, len(MAGIC), len(body), _ENVELOPE):
        if number == 1:
            for part, at, stop in wire.walk(body, start, end, _TYPE_META):
                setattr(envelope, "api_version" if part == 1 else "kind", values.text(body, at, stop))
        elif number == 2:
            envelope.start, envelope.end = start, end
        elif number == 3 and start != end:
            encoding = values.text(body, start, end)
            raise MalformedBody(f"the content encoding {encoding!r} is not supported", start)
    return envelope


class _Table:
    """How the fields of one message are read, by their tags; and what is there when nothing is sent.

    Attributes:
        delimited: tag → how a field with a length is stored.
        varints: tag → how a number, a boolean is stored.
        doubles: tag → the name of a float64.
        constants: fields that are there when nothing was sent, with their value.
        structs: fields that are then objects with constants of their own.
    """

    __slots__ = ("constants", "delimited", "doubles", "name", "numbers", "structs", "varints")

    def __init__(self, message: Message) -> None:
        self.name = message.go_name
        self.numbers = frozenset(message.by_number)
        self.delimited: dict[int, Store] = {}
        self.varints: dict[int, Put] = {}
        self.doubles: dict[int, str] = {}
        self.constants: JsonObject = {}
        self.structs: dict[str, _Table] = {}
        for number, field in message.by_number.items():
            held = message.message_of(field)
            if held is None:
                self._add_scalar(number << wire.WIRE_BITS, field)
            else:
                self.delimited[number << wire.WIRE_BITS | wire.DELIMITED] = _message_store(field, held)
                self._add_zero(field, held)

    def _add_scalar(self, tag: int, field: Field) -> None:
        if field.type in ("string", "bytes"):
            self.delimited[tag | wire.DELIMITED] = _text_store(field)
        elif field.type == "double":
            self.doubles[tag | wire.FIXED64] = field.name
        else:
            self.varints[tag | wire.VARINT] = put = _number_put(field)
            if field.shape == "list":
                self.delimited[tag | wire.DELIMITED] = _packed_store(put)
        if field.keep:
            plain = field.shape == "one" and not field.pointer
            self.constants[field.name] = values.SCALAR_ZEROS[field.type] if plain else None

    def _add_zero(self, field: Field, held: Message) -> None:
        """Only a pointer, or omitzero, lets Go's JSON encoder leave a struct out."""
        if field.inline:
            inner = _table(held)
            self.constants |= inner.constants
            self.structs |= inner.structs
        elif field.pointer or field.shape != "one" or held.form == "strings":
            if field.keep:
                self.constants[field.name] = None
        elif held.form == "object":
            self.structs[field.name] = _table(held)
        elif not field.omit_zero:
            self.constants[field.name] = values.FORM_ZEROS.get(held.form)

    def complete(self, out: JsonObject) -> JsonObject:
        """Add what is there although nothing was sent."""
        for name, value in self.constants.items():
            if name not in out:
                out[name] = value
        for name, table in self.structs.items():
            if name not in out:
                out[name] = table.complete({})
        return out

    def read_other(self, out: JsonObject, body: bytes, position: int, end: int, tag: int) -> int:
        """Read what has no length, or is unknown; return the position after it."""
        put = self.varints.get(tag)
        if put is not None:
            value, position = wire.varint(body, position, end)
            put(out, value)
            return position
        number = tag >> wire.WIRE_BITS
        if number in self.numbers and tag not in self.doubles:
            wrong = tag & wire.WIRE_MASK
            raise MalformedBody(f"wrong wire type {wrong} for the field {number} of {self.name}", position)
        after = wire.skip(body, position, end, tag)
        if tag in self.doubles:
            out[self.doubles[tag]] = values.read_double(body, position)
        return after


@functools.cache
def _table(message: Message) -> _Table:
    return _Table(message)


def _fill(table: _Table, out: JsonObject, body: bytes, position: int, end: int, limits: Limits) -> None:
    """Read a message into an object, on top of what is there: the last value of a field counts."""
    delimited = table.delimited
    while position < end:
        tag = body[position]
        position += 1
        if tag >= wire.ONE_BYTE:
            tag, position = wire.varint(body, position - 1, end)
        store = delimited.get(tag)
        if store is None:
            position = table.read_other(out, body, position, end, tag)
            continue
        if position == end:
            raise wire.truncated(end)
        length = body[position]
        position += 1
        if length >= wire.ONE_BYTE:
            length, position = wire.varint(body, position - 1, end)
        stop = position + length
        if stop > end:
            raise wire.truncated(end)
        store(out, body, position, stop, limits)
        position = stop
    table.complete(out)


def _text_store(field: Field) -> Store:
    read = values.read_text if field.type == "string" else values.read_bytes
    if field.shape == "list":
        return _list_store(field.name, read)
    if field.shape == "map":
        return _map_store(field.name, read, str)
    name, leave_out = field.name, not (field.keep or field.pointer)

    def store(out: JsonObject, body: bytes, start: int, end: int, limits: Limits) -> None:
        if start == end and leave_out:
            out.pop(name, None)
        else:
            out[name] = read(body, start, end, limits)

    return store


_NUMBERS: Final[dict[str, Callable[[int], int]]] = {"bool": bool, "int32": wire.int32, "int64": wire.int64}


def _number_put(field: Field) -> Put:
    name, convert, leave_out = field.name, _NUMBERS[field.type], not (field.keep or field.pointer)

    def append(out: JsonObject, value: int) -> None:
        if out.get(name) is None:
            out[name] = []
        out[name].append(convert(value))

    def put(out: JsonObject, value: int) -> None:
        number = convert(value)
        if leave_out and not number:
            out.pop(name, None)
        else:
            out[name] = number

    return append if field.shape == "list" else put


def _packed_store(append: Put) -> Store:
    def store(out: JsonObject, body: bytes, position: int, end: int, _limits: Limits) -> None:
        while position < end:
            value, position = wire.varint(body, position, end)
            append(out, value)

    return store


def _message_store(field: Field, held: Message) -> Store:
    if field.inline:
        return _inline_store(held)
    if field.shape == "list":
        return _list_store(field.name, _reader(held))
    if field.shape == "map":
        return _map_store(field.name, _reader(held), _zero_maker(held))
    return _object_store(field.name, held) if held.form == "object" else _form_store(field, held)


def _inline_store(held: Message) -> Store:
    def store(out: JsonObject, body: bytes, start: int, end: int, limits: Limits) -> None:
        limits.enter(start)
        _fill(_table(held), out, body, start, end, limits)
        limits.leave()

    return store


def _object_store(name: str, held: Message) -> Store:
    def store(out: JsonObject, body: bytes, start: int, end: int, limits: Limits) -> None:
        target = out.get(name)
        if target is None:
            target = out[name] = {}
        limits.enter(start)
        _fill(_table(held), target, body, start, end, limits)
        limits.leave()

    return store


def _form_store(field: Field, held: Message) -> Store:
    name, read, zero = field.name, _reader(held), values.FORM_ZEROS.get(held.form)
    empty_list_is_unset = held.form == "strings"
    leave_out = not field.keep if empty_list_is_unset else field.omit_zero

    def store(out: JsonObject, body: bytes, start: int, end: int, limits: Limits) -> None:
        value = read(body, start, end, limits)
        if empty_list_is_unset and not value:
            value = None
        if leave_out and value == zero:
            out.pop(name, None)
        else:
            out[name] = value

    return store


def _list_store(name: str, read: Read) -> Store:
    def store(out: JsonObject, body: bytes, start: int, end: int, limits: Limits) -> None:
        value = read(body, start, end, limits)
        items = out.get(name)
        if items is None:
            out[name] = [value]
        else:
            items.append(value)

    return store


def _map_store(name: str, read: Read, zero: Callable[[], Json]) -> Store:
    def store(out: JsonObject, body: bytes, start: int, end: int, limits: Limits) -> None:
        entries = out.get(name)
        if entries is None:
            entries = out[name] = {}
        key, value, found = "", None, False
        for number, at, stop in wire.walk(body, start, end, _MAP_ENTRY):
            if number == 1:
                key = values.text(body, at, stop)
            else:
                value, found = read(body, at, stop, limits), True
        entries[key] = value if found else zero()

    return store


def _reader(held: Message) -> Read:
    if held.form == "object":
        return _object_reader(held)
    if held.form in values.FORM_READERS:
        return values.FORM_READERS[held.form]
    described = next(message for field in held.fields if (message := held.message_of(field)))
    return values.union_reader(held.form, _object_reader(described))


def _object_reader(held: Message) -> Read:
    def read(body: bytes, start: int, end: int, limits: Limits) -> JsonObject:
        out: JsonObject = {}
        limits.enter(start)
        _fill(_table(held), out, body, start, end, limits)
        limits.leave()
        return out

    return read


def _zero_maker(held: Message) -> Callable[[], Json]:
    if held.form == "object":
        return lambda: _table(held).complete({})
    if held.form == "strings":
        return list
    return lambda: values.FORM_ZEROS.get(held.form)
