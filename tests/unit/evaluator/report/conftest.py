"""The browser that pages are opened in."""

import os

import pytest

from tests.support.browser import PROGRAM


@pytest.fixture
def chromium() -> str:
    """A Chromium on this machine. Without one its tests are skipped, but fail in CI."""
    if PROGRAM is None:
        missing = "no Chromium is installed (Debian: apt-get install chromium)"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    return PROGRAM
