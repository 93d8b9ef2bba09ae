"""Single values that Go's decoders take, and what they say of others."""

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery.govalues import (
    base64_error,
    is_int_or_string,
    is_integer,
    kind_of,
    quantity_error,
)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("", "string"),
        (True, "bool"),
        (1, "number"),
        (0.5, "number"),
        ([], "array"),
        ({}, "object"),
        (None, "null"),
    ],
)
def test_kinds(value: Any, kind: str) -> None:
    assert kind_of(value) == kind


@pytest.mark.parametrize(
    ("value", "fits"),
    [(2**31 - 1, True), (2**31, False), (-(2**31), True), (-(2**31) - 1, False), (1.0, False), (True, False)],
)
def test_integers_have_bounds(value: Any, fits: bool) -> None:
    assert is_integer(value, 32) is fits
    assert is_int_or_string(value) is fits


def test_a_port_may_be_a_name() -> None:
    assert is_int_or_string("http")
    assert not is_int_or_string(None)


@pytest.mark.parametrize("value", ["1", " 500m ", 5, 0.5, -1, "1e3"])
def test_quantities(value: Any) -> None:
    assert quantity_error(value) is None


@pytest.mark.parametrize("value", ["", "1x", True, {}, [], "1Gi1"])
def test_no_quantities(value: Any) -> None:
    assert quantity_error(value) is not None


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("A", 0),
        ("AAAAA", 4),
        ("AAAA?", 4),
        ("AA", 0),
        ("AA=", 3),
        ("AA=A", 2),
        ("A===", 1),
        ("AAA=A", 4),
        ("AA==A", 4),
        ("é", 0),
    ],
)
def test_base64_is_wrong_at_a_byte(text: str, place: int) -> None:
    assert base64_error(text) == f"illegal base64 data at input byte {place}"


@given(st.binary())
def test_base64_may_be_broken_into_lines(raw: bytes) -> None:
    assert base64_error(base64.encodebytes(raw).decode().replace("\n", "\r\n")) is None
