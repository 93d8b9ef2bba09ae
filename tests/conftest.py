"""Fixtures and rules of every suite: peers, the bound of hypothesis, how a failure is replayed."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, Phase, settings

from tools import build_peers, debian_kubectl
from tools.build_peers import PEERS, PeerError

IN_CI: Final = bool(os.environ.get("CI"))
"""In CI a peer that cannot be had is a failure; elsewhere its tests are skipped, with the reason."""

PEER_FIXTURES: Final = {
    "kube_scheduler": "kube-scheduler",
    "kubectl": "kubectl",
    "kubectl_old": "kubectl-old",
    "kube_apiserver": "kube-apiserver",
    "etcd": "etcd",
    "go_worker": "worker",
}
"""Fixture → the peer that it is, or needs, the path of."""

settings.register_profile("dev", deadline=None)
settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,  # the same examples in every run: a red build is about the change that it is on
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],  # a shared machine is slow now and then
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
)
settings.load_profile("ci" if IN_CI else "dev")


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--reference``: run the contract suites against a real kube-apiserver too."""
    parser.addoption(
        "--reference",
        action="store_true",
        help="also run the contract suites against a real kube-apiserver, built from Go modules",
    )


@pytest.hookimpl(tryfirst=True)  # before -m chooses by the marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only ``--reference`` asks for, and mark what needs a built program."""
    if not config.getoption("--reference"):
        left_out = [item for item in items if item.get_closest_marker("reference")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    for item in items:
        if _peers_of(item):
            item.add_marker(pytest.mark.peer)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Build what the selected tests need before the first one starts: a test's time limit is no build's."""
    for name in sorted({peer for item in session.items for peer in _peers_of(item)}):
        _provide(name)


def _peers_of(item: pytest.Item) -> list[str]:
    fixtures = set(getattr(item, "fixturenames", ()))
    if item.get_closest_marker("reference"):
        fixtures |= {"kube_apiserver", "etcd"}
    return [peer for fixture, peer in PEER_FIXTURES.items() if fixture in fixtures]


_provided: dict[str, Path | PeerError] = {}
"""What was built, or why it could not be; a failed build is not tried again for each test."""


def _provide(name: str) -> Path | PeerError:
    if name not in _provided:
        try:
            build: Callable[[], Path] = (
                debian_kubectl.fetch if name == "kubectl-old" else lambda: build_peers.build(PEERS[name])
            )
            _provided[name] = build()
        except PeerError as error:
            _provided[name] = error
    return _provided[name]


def _peer(name: str) -> Path:
    provided = _provide(name)
    if isinstance(provided, Path):
        return provided
    if IN_CI:
        pytest.fail(str(provided))
    pytest.skip(str(provided))


@pytest.fixture(scope="session")
def kube_scheduler() -> Path:
    """A current kube-scheduler as upstream releases it."""
    return _peer("kube-scheduler")


@pytest.fixture(scope="session")
def kubectl() -> Path:
    """A current kubectl."""
    return _peer("kubectl")


@pytest.fixture(scope="session")
def kubectl_old() -> Path:
    """The kubectl 1.20 of Debian 12."""
    return _peer("kubectl-old")


@pytest.fixture(scope="session")
def kube_apiserver() -> Path:
    """A current kube-apiserver."""
    return _peer("kube-apiserver")


@pytest.fixture(scope="session")
def etcd() -> Path:
    """The store of the real API server."""
    return _peer("etcd")


@pytest.fixture(scope="session")
def peer() -> Callable[[str], Path]:
    """The path of any peer by its name, for suites whose peer has no fixture of its own."""
    return _peer
