"""Strict decoding: duplicates are found wherever the decoder looks, and nowhere else."""

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery import schema
from fakeapi.machinery.complaints import MOST_UNKNOWN
from fakeapi.machinery.strict import strict_errors
from fakeapi.machinery.structure import inspect

POD = schema.packaged().message("core.v1.Pod")
CRD = schema.packaged().message("apiextensions.v1.CustomResourceDefinition")


def errors(raw: str) -> tuple[str, ...]:
    document = orjson.loads(raw)
    return strict_errors(raw.encode(), document, POD, inspect(document, POD).unknown)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        pytest.param("{}", (), id="nothing"),
        pytest.param('{"kind" : "Pod", "spec":{"nodeName":"a:b"}}', (), id="colons in values and spaces"),
        pytest.param('{"foo":1}', ('unknown field "foo"',), id="unknown"),
        pytest.param('{"kind":"a","kind":"Pod"}', ('duplicate field "kind"',), id="top"),
        pytest.param(
            '{"spec":{"nodeName":"a","nodeName":"a"}}', ('duplicate field "spec.nodeName"',), id="nested"
        ),
        pytest.param(
            '{"spec":{},"spec":{"x":1}}', ('duplicate field "spec"', 'unknown field "spec.x"'), id="both"
        ),
        pytest.param(
            '{"spec":{"containers":[{"name":"a"},{"name":"b","name":"c"}]}}',
            ('duplicate field "spec.containers[1].name"',),
            id="in a list",
        ),
        pytest.param(
            '{"metadata":{"labels":{"a":"1","a":"2"}}}',
            ('duplicate field "metadata.labels.a"',),
            id="in a map",
        ),
        pytest.param('{"kind":"a","kind":"a","kind":"a"}', ('duplicate field "kind"',), id="said once"),
        pytest.param('{"kin\\u0064":"a","kind":"a"}', ('duplicate field "kind"',), id="escaped name"),
        pytest.param('{"kind":"a\\u003ab","kind" :"a"}', ('duplicate field "kind"',), id="escaped colon"),
        pytest.param('{"spec":{"nodeName":"\\u003a"}}', (), id="escaped colon without a duplicate"),
        pytest.param('{"foo":{"a":1,"a":2}}', ('unknown field "foo"',), id="not in what is unknown"),
        pytest.param(
            '{"metadata":{"managedFields":[{"fieldsV1":{"a":{},"a":{}}}]}}',
            (),
            id="not in what is carried as it is",
        ),
        pytest.param(
            '{"a\\"b":1,"kind":"a","kind":"a"}',
            ('unknown field "a\\"b"', 'duplicate field "kind"'),
            id="order",
        ),
    ],
)
def test_bodies_with_a_type(raw: str, expected: tuple[str, ...]) -> None:
    assert errors(raw) == expected


def test_duplicates_inside_of_unions_are_not_looked_for() -> None:
    raw = b'{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"items":{"type":"a","type":"b"}}}}]}}'
    assert strict_errors(raw, orjson.loads(raw), CRD) == ()


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b'{"a":{"b":1,"b":2}}', ('duplicate field "a.b"',)),
        (b'[{"op":"add"},{"op":"a","op":"b"}]', ('duplicate field "[1].op"',)),
        (b'{"a":[[{"b":1,"b":2}]]}', ('duplicate field "a[0][0].b"',)),
        (b'{"a":1}', ()),
    ],
)
def test_bodies_without_a_type(raw: bytes, expected: tuple[str, ...]) -> None:
    assert strict_errors(raw, orjson.loads(raw)) == expected


def test_not_more_is_said_than_the_real_server_says() -> None:
    raw = ("{" + ",".join(f'"f{index}":1,"f{index}":2' for index in range(200)) + "}").encode()
    assert len(strict_errors(raw, orjson.loads(raw))) == MOST_UNKNOWN


def test_nesting_without_end_is_an_error() -> None:
    raw = b'{"a":' * 1000 + b'{"b":1,"b":2}' + b"}" * 1000
    assert strict_errors(raw, orjson.loads(raw)) == ("exceeded max depth",)


@st.composite
def written_objects(draw: st.DrawFn) -> tuple[str, bool]:
    """A body, and whether a member was written twice somewhere."""
    value = draw(
        st.recursive(
            st.integers(0, 9) | st.text(max_size=4) | st.sampled_from((":", "\\u003a", '":')),
            lambda inner: (
                st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
            ),
        )
    )
    twice = False

    def write(one: Any) -> str:
        nonlocal twice
        if isinstance(one, list):
            return f"[{', '.join(map(write, one))}]"
        if not isinstance(one, dict):
            return json.dumps(one)
        members = [
            f"{json.dumps(name)}{draw(st.sampled_from((':', ' : ')))}{write(item)}"
            for name, item in one.items()
        ]
        if members and draw(st.integers(0, 4)) == 0:
            twice = True
            members.append(members[0])
        return f"{{{','.join(members)}}}"

    return write({"root": value}), twice


@given(written_objects())
def test_duplicates_are_found_if_and_only_if_there_are_any(case: tuple[str, bool]) -> None:
    raw, twice = case
    assert bool(strict_errors(raw.encode(), orjson.loads(raw))) == twice
