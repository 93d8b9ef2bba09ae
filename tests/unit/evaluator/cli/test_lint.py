"""``evaluator lint``: what is printed, and what the exit code says."""

import json
from pathlib import Path

import pytest

from evaluator.cli.main import _exit_code
from evaluator.exits import ExitCode

GOOD = """
from evaluator.scenario import Rng, Scenario, ScenarioParameters

def scenario(s: Scenario[ScenarioParameters], rng: Rng) -> None:
    s.nodes("gpu", count=1, chips=8)
    s.pod("a", chips=4, run_time="1h")
"""
LATE = GOOD + '    s.pod("late", run_time="1h", deadline="1m")\n'
BIG = GOOD + '    s.pod("big", chips=16, run_time="1h")\n'
BROKEN = GOOD + '    s.pod("a", run_time="60")\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "told.py"


@pytest.mark.parametrize(
    ("source", "code", "told"),
    [
        (GOOD, ExitCode.OK, "no mistakes found"),
        (LATE, ExitCode.OK, "told.py:7: W201 pod default/late"),
        (BIG, ExitCode.USAGE, "told.py:7: E101 pod default/big"),
        (BROKEN, ExitCode.USAGE, "told.py:7: E001"),
    ],
)
def test_errors_leave_with_4_and_warnings_do_not(
    file: Path, source: str, code: ExitCode, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(source)
    assert _exit_code(["lint", str(file)]) == code
    assert told in capsys.readouterr().out


def test_machines_get_json(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(BIG)
    assert _exit_code(["lint", str(file), "--format", "json"]) == ExitCode.USAGE
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["code"], found["severity"], found["count"]) == ("E101", "error", 1)
    assert found["where"] == f"{file}:7"


def test_github_gets_file_and_line(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(LATE)
    assert _exit_code(["lint", str(file), "--format", "github"]) == ExitCode.OK
    assert capsys.readouterr().out.startswith(f"::warning file={file},line=7,title=W201::pod default/late")


def test_a_wrong_parameter_is_the_command_line_s_mistake(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(GOOD)
    assert _exit_code(["lint", str(file), "--set", "nothing=1"]) == ExitCode.USAGE
    assert "nothing" in capsys.readouterr().err


def test_quiet_says_nothing(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(BIG)
    assert _exit_code(["lint", str(file), "--quiet"]) == ExitCode.USAGE
    assert capsys.readouterr().out == ""
