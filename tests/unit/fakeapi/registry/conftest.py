"""A fresh registry for every test."""

import pytest

from tests.unit.fakeapi.registry.bench import Bench


@pytest.fixture
def bench() -> Bench:
    """A registry over a store that holds the namespace ``default`` and nothing else."""
    return Bench()
