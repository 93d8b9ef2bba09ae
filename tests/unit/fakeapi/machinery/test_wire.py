"""The wire format: numbers at their bounds, what is skipped, where an error is noticed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery import wire
from fakeapi.machinery.wire import Limits, MalformedBody


def written(value: int) -> bytes:
    """A varint of an unsigned integer."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))


@given(st.integers(0, 2**64 - 1))
def test_a_varint_is_read_back(value: int) -> None:
    body = written(value)
    assert wire.varint(b"?" + body + b"?", 1, len(body) + 1) == (value, len(body) + 1)


@given(st.integers(-(2**63), 2**63 - 1))
def test_a_signed_number_is_read_back(value: int) -> None:
    assert wire.int64(value % 2**64) == value


@given(st.integers(-(2**31), 2**31 - 1))
def test_a_number_of_32_bits_is_sent_with_the_sign_of_64(value: int) -> None:
    assert wire.int32(value % 2**64) == value


def test_a_varint_may_not_be_longer_than_an_integer() -> None:
    with pytest.raises(MalformedBody, match="integer overflow"):
        wire.varint(b"\x80" * 10 + b"\x01", 0, 11)


@pytest.mark.parametrize("end", [0, 1, 9])
def test_a_varint_may_not_reach_past_the_end_of_what_holds_it(end: int) -> None:
    with pytest.raises(MalformedBody, match="in the middle of a value") as caught:
        wire.varint(b"\x80" * 9 + b"\x01", 0, end)
    assert caught.value.offset == end


@pytest.mark.parametrize(
    ("tag", "value"),
    [
        pytest.param(b"\x08", b"\xff\x01", id="varint"),
        pytest.param(b"\x09", b"12345678", id="fixed64"),
        pytest.param(b"\x0a", b"\x03abc", id="delimited"),
        pytest.param(b"\x0b", b"\x10\x01\x13\x14\x0c", id="groups"),
        pytest.param(b"\x0d", b"1234", id="fixed32"),
    ],
)
def test_unknown_fields_are_skipped(tag: bytes, value: bytes) -> None:
    body = value + b"?"
    assert wire.skip(body, 0, len(body), tag[0]) == len(value)
    for cut in range(len(value)):
        with pytest.raises(MalformedBody):
            wire.skip(body, 0, cut, tag[0])


@pytest.mark.parametrize("tag", [0x00, 0x02, 0x0C, 0x0E, 0x0F, 1 << 32, 1 << 63])
def test_impossible_tags_are_refused(tag: int) -> None:
    with pytest.raises(MalformedBody, match="illegal"):
        wire.skip(b"\x00" * 20, 0, 20, tag)


def test_groups_within_groups_end() -> None:
    with pytest.raises(MalformedBody, match="too deep"):
        wire.skip(b"\x0b" * 10_000, 0, 10_000, 0x0B)


def test_a_walk_yields_what_is_known_and_skips_the_rest() -> None:
    body = b"\x08\x05" + b"\x12\x02hi" + b"\x1a\x01!" + b"\x08\x06"
    known = {1: wire.VARINT, 2: wire.DELIMITED}
    assert list(wire.walk(body, 0, len(body), known)) == [(1, 5, 0), (2, 4, 6), (1, 6, 0)]


def test_a_walk_refuses_another_wire_type() -> None:
    with pytest.raises(MalformedBody, match="wrong wire type 0 for the field 2"):
        list(wire.walk(b"\x10\x05", 0, 2, {2: wire.DELIMITED}))


def test_a_walk_stays_within_its_message() -> None:
    with pytest.raises(MalformedBody, match="in the middle"):
        list(wire.walk(b"\x12\x05hello", 0, 4, {2: wire.DELIMITED}))


def test_limits_count_depth_and_messages() -> None:
    limits = Limits()
    for _ in range(wire.DEEPEST):
        limits.enter(7)
    with pytest.raises(MalformedBody, match="nested more than 100 deep") as caught:
        limits.enter(9)
    assert caught.value.offset == 9


def test_limits_count_messages_that_have_ended_too() -> None:
    limits = Limits()
    for _ in range(wire.MOST_MESSAGES):
        limits.enter(0)
        limits.leave()
    with pytest.raises(MalformedBody, match="more than 100000 messages"):
        limits.enter(0)
