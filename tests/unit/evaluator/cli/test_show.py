"""``evaluator show``: figures of a scenario that nobody has run."""

import json
from pathlib import Path

import pytest

from evaluator.cli.main import _exit_code
from evaluator.exits import ExitCode
from evaluator.scenario.loader import load_scenario


def test_counts_demand_and_expectations_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert _exit_code(["show", "quickstart", "--set", "sweeps=10"]) == ExitCode.OK
    told = capsys.readouterr().out
    assert "56 (56 pods)" in told
    assert "8 with 36 chips" in told
    assert "expects deadlines_missed <= 0.0" in told
    assert "sweeps (int, 0 to 500, default 34)" in told
    assert "cannot be met" not in told


def test_machines_get_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert _exit_code(["show", "packing", "--json", "--seed", "3"]) == ExitCode.OK
    document = json.loads(capsys.readouterr().out)
    assert document["digest"] == load_scenario("packing", seed=3).digest
    assert document["jobs"]["peak_at_once"] == document["nodes"]["chips"] == 36
    assert document["expectations"] == ["wait_max <= 1.0"]


def test_what_lint_would_say_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "told.py"
    file.write_text(
        "from evaluator.scenario import Rng, Scenario, ScenarioParameters\n"
        "def scenario(s: Scenario[ScenarioParameters], rng: Rng) -> None:\n"
        '    s.nodes("n", count=1, chips=8)\n'
        '    for n in range(4): s.pod(f"late-{n}", run_time="1h", deadline="1m")\n'
        '    s.pod("big", chips=16, run_time="1h")\n'
        '    s.note("here", "something was changed", count=5)\n'
    )
    assert _exit_code(["show", str(file)]) == ExitCode.OK
    told = capsys.readouterr().out
    assert "4 deadlines cannot be met" in told
    assert "1 other findings" in told
    assert "here: 5 × something was changed" in told


def test_processes_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "told.py"
    file.write_text(
        "def scenario(s, rng):\n"
        '    s.nodes("n", count=1, chips=8)\n'
        "    s.process(p(s))\n"
        "    s.process(p(s))\n"
        "def p(s):\n"
        '    yield s.after("1m")\n'
    )
    assert _exit_code(["show", str(file)]) == ExitCode.OK
    assert "2 processes will add more" in capsys.readouterr().out


def test_a_scenario_that_does_not_load_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert _exit_code(["show", "nowhere"]) == ExitCode.USAGE
    assert "nowhere" in capsys.readouterr().err
