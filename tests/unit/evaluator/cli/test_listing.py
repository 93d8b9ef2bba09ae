"""``evaluator list``: what comes along."""

import json

import pytest

from evaluator.cli.main import _exit_code
from evaluator.exits import ExitCode
from evaluator.scenario.loader import available_scenarios
from evaluator.schedulers.profiles import PROFILES


def test_each_scenario_has_its_story_and_its_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    assert _exit_code(["list"]) == ExitCode.OK
    lines = capsys.readouterr().out.splitlines()
    at = lines.index("quickstart  A Monday morning on a small training cluster, and who gets to work first.")
    assert lines[at + 1] == "    sweeps (int, 0 to 500, default 34): sweep jobs that are queued at eight"
    assert lines[-1].startswith("schedulers: lst, edf")


def test_machines_get_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert _exit_code(["list", "--json"]) == ExitCode.OK
    document = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in document["scenarios"]] == list(available_scenarios())
    assert all(each["story"].endswith(".") for each in document["scenarios"])
    assert document["schedulers"] == list(PROFILES)
    (packing,) = [each for each in document["scenarios"] if each["name"] == "packing"]
    assert packing["parameters"][0] == {
        "name": "cluster",
        "type": "whole or failed",
        "default": "whole",
        "required": False,
        "meaning": "small nodes with one chip, or nodes that have two of eight chips left",
    }
