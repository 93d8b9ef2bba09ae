"""What the scheduler's tests share."""

from collections.abc import Callable

import pytest


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test's process keeps its own logging."""
    configure: Callable[..., None] = lambda **_: None  # noqa: E731  # one line for a stand-in
    monkeypatch.setattr("logging.basicConfig", configure)
