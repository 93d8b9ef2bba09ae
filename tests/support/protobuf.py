"""Kubernetes' protobuf bodies written by hand: enough to send one without the server's own tables.

A message is given as ``(field number, value)`` pairs; a value is text, a whole number or a nested message.
The field numbers are those of the published ``generated.proto`` files.
"""

from collections.abc import Sequence

MAGIC = b"k8s\x00"
CONTENT_TYPE = "application/vnd.kubernetes.protobuf"

Message = Sequence[tuple[int, "str | int | Message"]]


def message(fields: Message) -> bytes:
    """The wire form of a message."""
    return b"".join(_field(number, value) for number, value in fields)


def body(api_version: str, kind: str, fields: Message) -> bytes:
    """A request body: the magic, then ``runtime.Unknown`` with the kind (1) and the message's bytes (2)."""
    kind_part = message([(1, api_version), (2, kind)])
    return MAGIC + _delimited(1, kind_part) + _delimited(2, message(fields))


def _field(number: int, value: "str | int | Message") -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    if isinstance(value, str):
        return _delimited(number, value.encode())
    return _delimited(number, message(value))


def _delimited(number: int, payload: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(payload)) + payload


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
