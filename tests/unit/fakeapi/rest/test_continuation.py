"""Continue tokens mean what they were made of, and nothing else is one."""

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery.status import StatusError
from fakeapi.rest.continuation import Continuation, parse_continuation, too_old

NAMES = st.from_regex(r"[a-z0-9][a-z0-9.-]{0,20}", fullmatch=True)


def token(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()


GOOD: dict[str, Any] = {"v": "meta.k8s.io/v1", "rv": 5, "start": "default/a"}


@given(st.integers(1, 2**63), st.just("") | NAMES, NAMES)
def test_a_token_comes_back_as_it_was_made(revision: int, namespace: str, name: str) -> None:
    made = Continuation(revision, (namespace, name))
    assert parse_continuation(made.token()) == made


@given(st.integers(1, 2**63), NAMES)
def test_tokens_need_no_escapes_in_a_url(revision: int, name: str) -> None:
    made = Continuation(revision, ("default", name)).token()
    assert made.replace("-", "").replace("_", "").isalnum()


def test_padding_does_not_matter() -> None:
    assert parse_continuation(token(GOOD)) == parse_continuation(token(GOOD).rstrip("="))


@pytest.mark.parametrize(
    "text",
    [
        "garbage",
        "====",
        "é",
        "a b",
        token([]),
        token("x"),
        token(5),
        token({}),
        token(GOOD | {"v": "meta.k8s.io/v2"}),
        token(GOOD | {"rv": 0}),
        token(GOOD | {"rv": -1}),
        token(GOOD | {"rv": "5"}),
        token(GOOD | {"rv": None}),
        token(GOOD | {"start": 5}),
        token(GOOD | {"start": None}),
        token({"v": "meta.k8s.io/v1", "rv": 5}),
        "A" * 100_000,
    ],
)
def test_other_tokens_are_refused(text: str) -> None:
    with pytest.raises(StatusError) as caught:
        parse_continuation(text)
    assert (caught.value.code, caught.value.reason) == (400, "BadRequest")
    assert caught.value.message.startswith("invalid continue token: ")


@given(st.text(max_size=60))
def test_any_text_is_a_token_or_refused(text: str) -> None:
    try:
        parse_continuation(text)
        code = 200
    except StatusError as error:
        code = error.code
    assert code in (200, 400)


def test_a_snapshot_that_is_gone_is_expired() -> None:
    assert (too_old().code, too_old().reason) == (410, "Expired")
    assert "start a new list" in too_old().message
