"""Mistakes that contradict nothing, each with its code and its line."""

from pathlib import Path

import pytest

from evaluator.scenario.lint import Code, Finding, lint
from evaluator.scenario.loader import available_scenarios, load_scenario

HEAD = """
from evaluator.scenario import Rng, Scenario, ScenarioParameters

def scenario(s: Scenario[ScenarioParameters], rng: Rng) -> None:
"""
FIRST_LINE = HEAD.count("\n") + 1


def findings(folder: Path, *lines: str) -> list[Finding]:
    """What is found in a scenario of these statements."""
    file = folder / "told.py"
    file.write_text(HEAD + "".join(f"    {line}\n" for line in lines))
    return lint(load_scenario(file))


def codes(found: list[Finding]) -> list[Code]:
    return [finding.code for finding in found]


NODES = 's.nodes("gpu", count=2, chips=8, cpu=16, memory="64Gi", labels={"rack": "r1"})'


@pytest.mark.parametrize("asked", ["chips=9", "chips=1, cpu=17", 'chips=1, memory="65Gi"'])
def test_a_pod_that_no_node_can_hold(tmp_path: Path, asked: str) -> None:
    (found,) = findings(tmp_path, NODES, f's.pod("big", run_time="1h", {asked})')
    assert found.code is Code.FITS_NOWHERE
    assert found.where == f"{tmp_path / 'told.py'}:{FIRST_LINE + 1}"
    assert "default/big" in found.text


def test_what_fits_exactly_fits(tmp_path: Path) -> None:
    assert findings(tmp_path, NODES, 's.pod("all", chips=8, cpu=16, memory="64Gi", run_time="1h")') == []


def test_chips_of_one_node_and_memory_of_another_make_no_place(tmp_path: Path) -> None:
    found = findings(
        tmp_path,
        NODES,
        's.nodes("cpu", count=1, cpu=64, memory="512Gi")',
        's.pod("both", chips=8, memory="128Gi", run_time="1h")',
    )
    assert codes(found) == [Code.FITS_NOWHERE]


def test_a_node_that_comes_later_counts(tmp_path: Path) -> None:
    later = 's.node("large", at="1h", chips=16)'
    assert findings(tmp_path, NODES, later, 's.pod("big", chips=16, run_time="1h")') == []


@pytest.mark.parametrize(("rack", "expected"), [("r1", []), ("r2", [Code.SELECTS_NOTHING])])
def test_labels_that_no_node_has(tmp_path: Path, rack: str, expected: list[Code]) -> None:
    pod = f's.pod("picky", node_selector={{"rack": "{rack}"}}, run_time="1h")'
    assert codes(findings(tmp_path, NODES, pod)) == expected


def test_nodes_that_are_manifests_are_not_guessed_about(tmp_path: Path) -> None:
    node = 's.apply({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}})'
    assert findings(tmp_path, NODES, node, 's.pod("big", chips=64, run_time="1h")') == []


@pytest.mark.parametrize(
    ("deadline", "delay", "late"),
    [("1h", "0s", False), ("59m", "0s", True), ("61m", "1m", False), ("60m", "1m", True)],
)
def test_a_deadline_that_cannot_be_met(tmp_path: Path, deadline: str, delay: str, late: bool) -> None:
    pod = f's.pod("p", at="5m", run_time="1h", deadline="{deadline}", start_delay="{delay}")'
    found = findings(tmp_path, NODES, pod)
    assert codes(found) == ([Code.LATE_FROM_THE_START] if late else [])


def test_what_comes_after_the_end(tmp_path: Path) -> None:
    found = findings(tmp_path, 's.settings(until="1h")', NODES, 's.pod("p", at="61m", run_time="1h")')
    assert codes(found) == [Code.AFTER_THE_END]


def test_equal_mistakes_of_one_line_are_counted(tmp_path: Path) -> None:
    loop = 'for n in range(5): s.pod(f"big-{n}", chips=16, run_time="1h")'
    (found,) = findings(tmp_path, NODES, loop)
    assert found.count == 5
    assert "big-0" in found.text


@pytest.mark.parametrize("name", [name for name in available_scenarios() if name not in {"openb", "swf"}])
def test_the_scenarios_that_come_along_have_none(name: str) -> None:
    assert lint(load_scenario(name)) == []


def test_errors_are_never_meant_and_warnings_may_be() -> None:
    assert {code.severity for code in Code if code.value.startswith("E")} == {"error"}
    assert {code.severity for code in Code if code.value.startswith("W")} == {"warning"}


def test_a_gang_that_all_nodes_together_cannot_hold(tmp_path: Path) -> None:
    fits = 's.job("two", pods=2, gang=True, chips=8, run_time="1h")'
    assert findings(tmp_path, NODES, fits) == []
    (found,) = findings(tmp_path, NODES, 's.job("three", pods=3, gang=True, chips=8, run_time="1h")')
    assert found.code is Code.GANG_FITS_NOWHERE
    assert "room for 2" in found.text
    assert findings(tmp_path, NODES, 's.job("loose", pods=3, chips=8, run_time="1h")') == []


def test_the_stages_of_a_job_count_for_its_deadline(tmp_path: Path) -> None:
    job = 's.job("j", pods=2, completions=4, run_time="1h", deadline="{}")'
    assert codes(findings(tmp_path, NODES, job.format("119m"))) == [Code.LATE_FROM_THE_START]
    assert findings(tmp_path, NODES, job.format("2h")) == []
