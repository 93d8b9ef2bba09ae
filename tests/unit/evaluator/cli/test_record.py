"""``evaluator record`` where nothing can be recorded."""

from pathlib import Path

import pytest

from evaluator.cli.main import main
from evaluator.exits import ExitCode
from tests.support.processes import free_port
from tests.support.servers import write_kubeconfig


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(["record", *arguments])
    assert isinstance(caught.value.code, int)
    return caught.value.code


def test_a_server_that_is_not_there_leaves_a_message_and_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = f"http://127.0.0.1:{free_port()}"
    kubeconfig, out = write_kubeconfig(tmp_path / "config", server), tmp_path / "cluster.jsonl"
    assert run("--kubeconfig", str(kubeconfig), "--out", str(out), "-q") == ExitCode.USAGE
    errors = capsys.readouterr().err
    assert f"{server}: cannot be reached" in errors
    assert "Traceback" not in errors
    assert not out.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--for", "2"], "--for = '2': a number without a unit"),
        (["--context", "elsewhere"], "there is none called 'elsewhere'"),
        (["--out", "/nowhere/cluster.jsonl"], "cannot be written"),
    ],
)
def test_what_cannot_be_is_told_before_anything_is_asked(
    tmp_path: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    kubeconfig = write_kubeconfig(tmp_path / "config", "http://127.0.0.1:1")
    assert (
        run("--kubeconfig", str(kubeconfig), "--out", str(tmp_path / "x.jsonl"), *options) == ExitCode.USAGE
    )
    assert message in capsys.readouterr().err


def test_the_environment_names_the_kubeconfig(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "mine"))
    assert run() == ExitCode.USAGE
    assert f"{tmp_path / 'mine'}: cannot be read" in capsys.readouterr().err
