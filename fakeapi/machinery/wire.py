"""The protobuf wire format: varints, tags, lengths; what a message means is not known here.

Positions are offsets into the whole body, so that an error can say where. Nested messages are ranges of it
and are never copied. See https://protobuf.dev/programming-guides/encoding.
"""

from collections.abc import Iterator, Mapping
from typing import Final

VARINT: Final = 0
FIXED64: Final = 1
DELIMITED: Final = 2
START_GROUP: Final = 3
END_GROUP: Final = 4
FIXED32: Final = 5

WIRE_BITS: Final = 3
"""Low bits of a tag that hold the wire type; the field number is above them."""
WIRE_MASK: Final = (1 << WIRE_BITS) - 1

ONE_BYTE: Final = 0x80
"""A varint's byte below this is its last one."""

DEEPEST: Final = 100
"""Messages within messages, as in other implementations; only schemas of custom resources nest freely."""
MOST_MESSAGES: Final = 100_000
"""Messages in one body. Two bytes suffice for one, whose object takes hundreds: this bounds the memory."""

_LARGEST_NUMBER: Final = (1 << 29) - 1
"""Field numbers have 29 bits."""
_SIZES: Final = {FIXED64: 8, FIXED32: 4}
_MOST_VARINT_BYTES: Final = 10
"""Seven bits in each byte: ten hold the 64 bits of any integer."""
_UINT64: Final = (1 << 64) - 1
_INT64_SIGN: Final = 1 << 63
_INT32_SIGN: Final = 1 << 31


class MalformedBody(ValueError):
    """A protobuf body that cannot be read.

    Attributes:
        reason: what is wrong.
        offset: the byte of the body at which it was noticed.
    """

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(f"malformed protobuf body at byte {offset}: {reason}")
        self.reason = reason
        self.offset = offset


class Limits:
    """What one body has used of what a body may use."""

    __slots__ = ("depth", "messages")

    def __init__(self) -> None:
        self.depth = 0
        self.messages = 0

    def enter(self, position: int) -> None:
        """Count a message that begins at the position.

        Raises:
            MalformedBody: it is one too deep, or one too many.
        """
        self.depth += 1
        self.messages += 1
        if self.depth > DEEPEST:
            raise MalformedBody(f"messages are nested more than {DEEPEST} deep", position)
        if self.messages > MOST_MESSAGES:
            raise MalformedBody(f"it holds more than {MOST_MESSAGES} messages", position)

    def leave(self) -> None:
        """The message that was entered last has ended."""
        self.depth -= 1


def truncated(offset: int) -> MalformedBody:
    """The error of a value that reaches past the end of what holds it."""
    return MalformedBody("it ends in the middle of a value", offset)


def varint(body: bytes, position: int, end: int) -> tuple[int, int]:
    """Read an unsigned integer of up to 64 bits; return it and the position after it.

    Raises:
        MalformedBody: it reaches past ``end``, or is longer than any integer.
    """
    value = shift = 0
    for at in range(position, min(position + _MOST_VARINT_BYTES, end)):
        byte = body[at]
        value |= (byte & (ONE_BYTE - 1)) << shift
        if byte < ONE_BYTE:
            return value & _UINT64, at + 1
        shift += 7
    if end - position < _MOST_VARINT_BYTES:
        raise truncated(end)
    raise MalformedBody("integer overflow", position)


def _short_varint(body: bytes, position: int, end: int) -> tuple[int, int]:
    """The same, quicker for the many that have one byte."""
    if position < end and body[position] < ONE_BYTE:
        return body[position], position + 1
    return varint(body, position, end)


def int64(value: int) -> int:
    """The signed integer that a varint stands for."""
    return (value ^ _INT64_SIGN) - _INT64_SIGN


def int32(value: int) -> int:
    """The signed integer of 32 bits that a varint stands for; Go cuts higher bits off."""
    return ((value & 0xFFFFFFFF) ^ _INT32_SIGN) - _INT32_SIGN


def skip(body: bytes, position: int, end: int, tag: int, depth: int = 0) -> int:
    """Return the position after the value of an unknown field, whose tag was read already.

    Raises:
        MalformedBody: the tag is impossible, or the value reaches past ``end``.
    """
    number, wire = tag >> WIRE_BITS, tag & WIRE_MASK
    if not 0 < number <= _LARGEST_NUMBER:
        raise MalformedBody(f"illegal tag {number} (wire type {wire})", position)
    if wire == VARINT:
        return varint(body, position, end)[1]
    if wire == START_GROUP and depth < DEEPEST:
        return _skip_group(body, position, end, depth + 1)
    if wire == DELIMITED:
        length, position = varint(body, position, end)
        position += length
    elif wire in _SIZES:
        position += _SIZES[wire]
    else:
        raise MalformedBody(f"illegal wire type {wire}, or groups too deep", position)
    if position > end:
        raise truncated(end)
    return position


def _skip_group(body: bytes, position: int, end: int, depth: int) -> int:
    while True:
        tag, position = varint(body, position, end)
        if tag & WIRE_MASK == END_GROUP:
            return position
        position = skip(body, position, end, tag, depth)


def walk(body: bytes, position: int, end: int, wires: Mapping[int, int]) -> Iterator[tuple[int, int, int]]:
    """Yield the known fields of a small message, in the order of the wire; unknown ones are skipped.

    Args:
        body: the whole body.
        position: where the message begins.
        end: where it ends.
        wires: the wire type of each known field number, ``VARINT`` or ``DELIMITED``.

    Yields:
        The number, and the value with 0 or the range of the value's bytes.

    Raises:
        MalformedBody: a value reaches past ``end`` or has another wire type.
    """
    while position < end:
        tag, position = _short_varint(body, position, end)
        number = tag >> WIRE_BITS
        expected = wires.get(number)
        if expected is None:
            position = skip(body, position, end, tag)
        elif tag & WIRE_MASK != expected:
            raise MalformedBody(f"wrong wire type {tag & WIRE_MASK} for the field {number}", position)
        else:
            value, position = _short_varint(body, position, end)
            if expected == VARINT:
                yield number, value, 0
                continue
            start, position = position, position + value
            if position > end:
                raise truncated(end)
            yield number, start, position
