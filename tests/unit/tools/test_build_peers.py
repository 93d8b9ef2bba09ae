"""What decides whether a peer is built, and what is said when it cannot be."""

import shutil
from pathlib import Path

import pytest

from tools import build_peers
from tools.build_peers import PEERS, Peer, PeerError, build, main

GO_MOD = """module peers.example/sample

go 1.21

require example.com/upstream v1.2.3 // a comment
"""


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules and cache below the test's own directory."""
    module = tmp_path / "peers" / "sample"
    (module / "cmd" / "sample").mkdir(parents=True)
    (module / "go.mod").write_text(GO_MOD)
    (module / "go.sum").write_text("sums\n")
    (module / "cmd" / "sample" / "main.go").write_text("package main\n\nfunc main() {}\n")
    monkeypatch.setattr(build_peers, "MODULES", tmp_path / "peers")
    monkeypatch.setenv("SCHEDULER_EVALUATOR_CACHE", str(tmp_path / "cache"))


SAMPLE = Peer("sample", "sample", "./cmd/sample", upstream="example.com/upstream")


def _say_built(peer: Peer) -> None:
    peer.directory.mkdir(parents=True)
    peer.path.write_text("a program")
    peer.stamp.write_text(peer.fingerprint())


def test_the_version_is_the_one_that_go_mod_pins() -> None:
    assert SAMPLE.version == "v1.2.3"
    assert SAMPLE.directory.name == "sample-v1.2.3"


def test_a_module_that_is_not_required_has_no_version() -> None:
    with pytest.raises(PeerError, match=r"go\.mod requires no version of example\.com/other"):
        _ = Peer("sample", "sample", upstream="example.com/other").version


def test_a_program_of_the_project_s_own_has_no_version() -> None:
    own = Peer("sample", "sample", "./cmd/sample")
    assert own.version == ""
    assert own.directory.name == "sample"


def test_what_is_built_already_is_not_built_again(monkeypatch: pytest.MonkeyPatch) -> None:
    _say_built(SAMPLE)
    monkeypatch.setenv("PATH", "")
    assert build(SAMPLE) == SAMPLE.path


@pytest.mark.parametrize("file", ["go.mod", "go.sum", "cmd/sample/main.go"])
def test_a_change_of_any_source_makes_it_stale(file: str) -> None:
    _say_built(SAMPLE)
    changed = SAMPLE.source / file
    changed.write_text(changed.read_text() + "\n")
    assert not SAMPLE.is_current()


def test_a_program_without_a_stamp_is_stale() -> None:
    _say_built(SAMPLE)
    SAMPLE.stamp.unlink()
    assert not SAMPLE.is_current()


def test_without_go_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(PeerError, match=r"sample has to be built and there is no `go` in PATH\. Install Go"):
        build(SAMPLE)


def _fake_go(directory: Path, says: str, status: int) -> None:
    program = directory / "go"
    program.write_text(
        f"#!/bin/sh\n[ $1 = version ] && {{ echo '{says}'; exit 0; }}\necho broken; exit {status}\n"
    )
    program.chmod(0o755)


def test_an_old_go_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _fake_go(tmp_path, "go version go1.19.8 linux/amd64", 0)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(PeerError, match=r"is go1\.19, too old"):
        build(SAMPLE)


def test_a_failed_build_shows_the_output_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fake_go(tmp_path, "go version go1.26.0 linux/amd64", 1)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(PeerError, match=r"(?s)`go build` in .* failed:\nbroken"):
        build(SAMPLE)
    assert [path.name for path in SAMPLE.directory.iterdir()] == ["sample.lock"]


def test_it_prints_paths(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    _say_built(SAMPLE)
    monkeypatch.setitem(PEERS, "sample", SAMPLE)
    assert main(["sample"]) == 0
    assert capsys.readouterr().out == f"{SAMPLE.path}\n"


def test_the_command_fails_without_a_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PEERS, "sample", SAMPLE)
    monkeypatch.setenv("PATH", "")
    assert main(["sample"]) == 1
    assert capsys.readouterr().err.startswith("error: sample has to be built")


def test_an_unknown_name_lists_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["kubelet"])
    assert "there is no peer kubelet; there are kube-scheduler" in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("go") is None, reason="there is no `go` in PATH")
@pytest.mark.peer
def test_a_build_from_nothing() -> None:
    own = Peer("sample", "sample", "./cmd/sample")
    (own.source / "go.mod").write_text("module peers.example/sample\n\ngo 1.21\n")
    path = build(own)
    assert path.stat().st_mode & 0o100
    assert own.is_current()
