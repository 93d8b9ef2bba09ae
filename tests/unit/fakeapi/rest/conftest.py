"""A fresh world and its API for every test."""

import pytest

from tests.unit.fakeapi.rest.client import Client


@pytest.fixture
def client() -> Client:
    """The API of a world with nothing in it but what every cluster has."""
    return Client()
