"""The servers that every contract is checked against.

Each test runs against ``fakeapi serve`` in a process of its own and, with ``--reference``, against a real
kube-apiserver: what the suite demands is then known to be what Kubernetes does, and not what we believe.
"""

from collections.abc import Iterator

import pytest

from tests.support.api import Api
from tests.support.fakeapi import running_fakeapi
from tests.support.kube_apiserver import running_kube_apiserver
from tests.support.servers import ApiServer


@pytest.fixture(
    scope="session",
    params=["fakeapi", pytest.param("kube-apiserver", marks=pytest.mark.reference)],
)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    """A running API server; each of them in turn."""
    home = tmp_path_factory.mktemp(request.param)
    if request.param == "fakeapi":
        with running_fakeapi(home, "--no-controllers") as fake:  # an API server alone, as the other is
            yield fake
    else:
        kube_apiserver = request.getfixturevalue("kube_apiserver")
        with running_kube_apiserver(kube_apiserver, request.getfixturevalue("etcd"), home) as real:
            yield real


@pytest.fixture
def api(server: ApiServer) -> Iterator[Api]:
    """A new namespace on the server and the clients to use it with."""
    doors = Api(server)
    try:
        yield doors
    finally:
        doors.close()
