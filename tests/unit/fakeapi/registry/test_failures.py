"""What the store refuses, as a client is told."""

import pytest

from fakeapi.machinery.resources import PODS
from fakeapi.registry.failures import translate
from fakeapi.storage.errors import (
    HistoryExpired,
    KeyExists,
    KeyNotFound,
    StoreError,
    VersionConflict,
    VersionInFuture,
)


@pytest.mark.parametrize(
    ("error", "code", "reason", "words"),
    [
        (KeyNotFound(("default", "a")), 404, "NotFound", 'pods "a" not found'),
        (KeyExists(("default", "a")), 409, "AlreadyExists", 'pods "a" already exists'),
        (VersionConflict(5, 6), 409, "Conflict", "the object has been modified"),
        (HistoryExpired(5, 9), 410, "Expired", "too old resource version: 5 (9)"),
        (VersionInFuture(99, 9), 504, "Timeout", "Too large resource version: 99, current: 9"),
        (StoreError("odd"), 500, "InternalError", "odd"),
    ],
)
def test_translation(error: StoreError, code: int, reason: str, words: str) -> None:
    status = translate(error, PODS, "a")
    assert (status.code, status.reason) == (code, reason)
    assert words in status.message


def test_a_version_from_the_future_may_be_asked_for_again() -> None:
    assert translate(VersionInFuture(99, 9), PODS, "").headers == ((b"retry-after", b"1"),)
