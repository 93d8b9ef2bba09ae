"""The Go program of this package's tests, built when a test asks for it."""

import os
from pathlib import Path
from typing import Final

import pytest

from tools.build_peers import Peer, PeerError, build

WORKER: Final = Peer("worker", "programs")


@pytest.fixture(scope="session")
def go_worker() -> Path:
    """A Go program that watches a server and does as it is told; see ``tests/peers/programs/main.go``."""
    try:
        return build(WORKER)
    except PeerError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))
