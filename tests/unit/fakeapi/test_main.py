"""The command: what it says, and with which code it ends."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from fakeapi.__main__ import main
from fakeapi.exits import ExitCode

COMMAND = [sys.executable, "-m", "fakeapi"]


@pytest.mark.parametrize("arguments", [["--help"], ["serve", "--help"]])
def test_help_names_options_and_exit_codes(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == ExitCode.STOPPED
    assert ("--kubeconfig" if "serve" in arguments else "Exit codes") in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--port", "70000"], "fakeapi: --port 70000 cannot be used: give 0 (any free port) to 65535"),
        (["--clock", "wall"], "fakeapi: --clock 'wall' cannot be used: give real or manual"),
        (["--speed", "0"], "fakeapi: --speed 0.0 cannot be used: give a number above 0 and up to 1000000"),
        (["--host", "0.0.0.0"], "fakeapi: --host '0.0.0.0' cannot be used: others can reach it: set token"),
        (
            ["--chip-resource", "gpu"],
            "fakeapi: --chip-resource 'gpu' cannot be used: give a domain and a name, such as nvidia.com/gpu",
        ),
        (
            ["--tls-cert", "/nowhere.pem", "--tls-key", "/nowhere.pem"],
            "fakeapi: --tls-cert '/nowhere.pem' cannot be used: no such file: name a PEM file",
        ),
        (["--start", "soon"], "fakeapi: --start 'soon' cannot be used: give now or an instant such as"),
        (["--port", "http"], "Invalid value for '--port'"),
        (["--no-such-option"], "No such option: --no-such-option"),
    ],
)
def test_an_option_that_cannot_be_used_is_named_with_its_value_and_what_to_do(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", *arguments]) == ExitCode.USAGE
    told = capsys.readouterr().err
    assert said in told
    assert "Traceback" not in told


def test_every_wrong_option_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--port", "-1", "--nodes", "-1", "--seed", "-1"]) == ExitCode.USAGE
    lines = capsys.readouterr().err.splitlines()
    assert [line.split()[1] for line in lines] == ["--port", "--nodes", "--seed"]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple["subprocess.Popen[str]", list[str]]]:
    """The command as a process of its own, and the lines that it announced itself with."""
    options = ["--clock", "manual", "--nodes", "2", "--kubeconfig", str(tmp_path / "kube config")]
    with subprocess.Popen(
        [*COMMAND, "serve", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process, [process.stdout.readline().strip() for _ in range(2)]
        finally:
            process.kill()


def test_it_says_where_it_is_and_serves_until_it_is_asked_to_stop(
    served: tuple["subprocess.Popen[str]", list[str]], tmp_path: Path
) -> None:
    process, (serving, export) = served
    path = tmp_path / "kube config"
    url = yaml.safe_load(path.read_text())["clusters"][0]["cluster"]["server"]
    assert serving == f"Serving the Kubernetes API at {url} (control: {url}/_fakeapi/docs)"
    assert export == f"export KUBECONFIG='{path}'"
    with urllib.request.urlopen(f"{url}/api/v1/nodes") as answer:
        assert len(json.load(answer)["items"]) == 2
    os.kill(process.pid, signal.SIGTERM)
    _, complaints = process.communicate()
    assert (process.returncode, complaints) == (ExitCode.STOPPED, "")


def test_a_kubeconfig_that_cannot_be_written_ends_it(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "missing" / "kubeconfig"
    assert main(["serve", "--kubeconfig", str(path)]) == ExitCode.USAGE
    assert f"fakeapi: --kubeconfig '{path}' cannot be used: it cannot be written" in capfd.readouterr().err
