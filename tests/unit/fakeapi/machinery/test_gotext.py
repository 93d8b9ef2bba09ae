"""Values as Go prints them."""

from typing import Any

import pytest

from fakeapi.machinery.gotext import go_quote, go_text, go_type_name


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [True, None, "x y"], "c": {}}, "map[a:[true <nil> x y] b:1 c:map[]]"),
        ([], "[]"),
        (False, "false"),
        (1.5, "1.5"),
    ],
)
def test_values(value: Any, text: str) -> None:
    assert go_text(value) == text


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({}, "map[string]interface {}"),
        ([], "[]interface {}"),
        ("", "string"),
        (True, "bool"),
        (1, "int64"),
        (1.0, "float64"),
        (None, "%!s(<nil>)"),
    ],
)
def test_types(value: Any, name: str) -> None:
    assert go_type_name(value) == name


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("spec.foo", '"spec.foo"'),
        ('a"b\\c', r'"a\"b\\c"'),
        ("\n\t\x01\x7f", r'"\n\t\x01\x7f"'),
        ("é\u200b\U000e0001", r'"é\u200b\U000e0001"'),
    ],
)
def test_quotes(text: str, quoted: str) -> None:
    assert go_quote(text) == quoted
