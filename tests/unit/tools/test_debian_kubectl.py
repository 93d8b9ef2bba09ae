"""Where an old kubectl comes from, and what is said where it cannot."""

from pathlib import Path

import pytest

from tools import debian_kubectl
from tools.build_peers import PeerError, cache


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache; programs are only those that the test puts into the returned directory."""
    monkeypatch.setenv("SCHEDULER_EVALUATOR_CACHE", str(tmp_path / "cache"))
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", f"{programs}")
    return programs


def _program(directory: Path, name: str, script: str) -> None:
    program = directory / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def test_without_apt_it_says_where_to_go() -> None:
    with pytest.raises(PeerError, match=r"there is no `apt-cache`: use Debian 12"):
        debian_kubectl.fetch()


@pytest.mark.parametrize("candidate", ["(none)", "1.32.4"])
def test_another_version_is_not_taken(place: Path, candidate: str) -> None:
    _program(place, "apt-cache", f"echo '  Candidate: {candidate}'")
    _program(place, "apt-get", "exit 1")
    _program(place, "dpkg-deb", "exit 1")
    with pytest.raises(PeerError, match=r"apt offers kubernetes-client .*, and 1\.20 is needed"):
        debian_kubectl.fetch()


def test_a_failed_download_shows_what_apt_said(place: Path) -> None:
    _program(place, "apt-cache", "echo '  Candidate: 1.20.5'")
    _program(place, "apt-get", "echo no network; exit 100")
    _program(place, "dpkg-deb", "exit 1")
    with pytest.raises(PeerError, match=r"(?s)`apt-get download .*` failed:\nno network"):
        debian_kubectl.fetch()


def test_what_is_in_the_cache_is_taken() -> None:
    program = cache() / "debian-kubernetes-client-1.20" / "kubectl"
    program.parent.mkdir(parents=True)
    program.write_text("a program")
    assert debian_kubectl.fetch() == program
