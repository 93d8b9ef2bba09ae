"""Every behaviour, played once against one server of each kind."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import pytest

from tests.fidelity.behaviours import BEHAVIOURS
from tests.fidelity.comparison import Difference, differences
from tests.fidelity.suite import Behaviour
from tests.fidelity.transcript import Client
from tests.support.fakeapi import running_fakeapi
from tests.support.kube_apiserver import running_kube_apiserver
from tests.support.servers import ApiServer

AT_ONCE: Final = 6
"""Behaviours in flight on a server: watches last a second each, and need not be waited for one by one."""


def _transcripts(server: ApiServer) -> dict[str, list[Any]]:
    def played(behaviour: Behaviour) -> list[Any]:
        client = Client(server, behaviour.name)
        try:
            behaviour.play(client)
        except (KeyError, TypeError) as error:  # an answer without what the next request needs: a difference
            client.answers.append({"broken": repr(error)})
        finally:
            client.close()
        return client.answers

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(zip(BEHAVIOURS, pool.map(played, BEHAVIOURS.values()), strict=True))


@pytest.fixture(scope="session")
def found(
    kube_apiserver: Path, etcd: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[Difference]]:
    """The differences of each behaviour, by its name."""
    home = tmp_path_factory.mktemp("fidelity")
    (home / "fake").mkdir()
    (home / "real").mkdir()
    with running_fakeapi(home / "fake", "--no-controllers") as server:  # an API server alone, as the other is
        fake = _transcripts(server)
    with running_kube_apiserver(kube_apiserver, etcd, home / "real") as server:
        real = _transcripts(server)
    return {name: differences(name, fake[name], real[name]) for name in BEHAVIOURS}
