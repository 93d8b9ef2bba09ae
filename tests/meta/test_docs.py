"""What the documentation shows is true: its commands run, its examples work, its tables are current."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from evaluator.exits import ExitCode
from evaluator.schedulers.binaries import BINARY_VARIABLE
from tests.e2e.evaluator_command import evaluator, require_success, result_in
from tools import document_metrics

ROOT = Path(__file__).parents[2]
TOP_PAGES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "benchmarks/README.md")
PAGES = [*(ROOT / page for page in TOP_PAGES), *sorted((ROOT / "docs").glob("*.md"))]
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!https?://)([^)#]+)(?:#[^)]*)?\)")


def fenced(page: Path, language: str) -> list[str]:
    """The page's code blocks in that language."""
    return [body for found, body in _FENCE.findall(page.read_text()) if found == language]


def documented_commands() -> list[str]:
    """Every ``evaluator`` command line of the documentation."""
    found = []
    for page in PAGES:
        for block in fenced(page, "sh"):
            for line in block.splitlines():
                command = line.partition("  #")[0].strip()
                if command.startswith("evaluator "):
                    found.append(command)
    return sorted(set(found))


def test_links_lead_somewhere() -> None:
    missing = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in PAGES
        for target in _LINK.findall(page.read_text())
        if not (page.parent / target).exists()
    ]
    assert missing == []


def test_the_table_of_metrics_is_current() -> None:
    assert document_metrics.main(["--check"]) == 0, "run python -m tools.document_metrics"


def test_every_exit_code_is_documented() -> None:
    page = (ROOT / "docs" / "results.md").read_text()
    assert [code for code in ExitCode if f"| {code.value} |" not in page] == []


@pytest.mark.parametrize("page", ["README.md", "docs/scenarios.md"])
def test_the_scenarios_shown_can_be_played(page: str, tmp_path: Path) -> None:
    for number, source in enumerate(fenced(ROOT / page, "python")):
        scenario, out = tmp_path / f"shown-{number}.py", tmp_path / f"out-{number}"
        scenario.write_text(source)
        sets = ("--set", "jobs=6") if "jobs: int" in source else ()
        require_success(evaluator("run", scenario, *sets, "--out", out, "-q"))
        jobs = result_in(out)["jobs"]
        assert jobs["finished"] == jobs["submitted"] == (6 if sets else jobs["submitted"])


SMALL = ("--set", "sweeps=3", "--set", "evaluations=2", "--set", "finetunes=0", "--set", "notebooks=0")
"""What keeps a documented command short without changing what it shows."""
COMMANDS = [one for one in documented_commands() if "openb" not in one]


def as_documented(command: str, folder: Path) -> list[str]:
    """The words of a documented command, for a scenario and a scheduler that are here."""
    words = shlex.split(command)[1:]
    if words[0] == "sweep":
        return [*words, *SMALL[2:], "--out", str(folder)]
    if words[0] != "run":
        return words
    ours = f"{sys.executable} -m scheduler --kubeconfig {{kubeconfig}} --scheduler-name my-scheduler"
    named = {"my_scenario.py": "quickstart", "FILE": "quickstart"}
    words = [ours if word.startswith("./my-scheduler") else named.get(word, word) for word in words]
    words = _without_empty_sets([word for word in words if not word.startswith("jobs=")])
    return [*words, *SMALL, "--out", str(folder)]


@pytest.mark.parametrize("command", [one for one in COMMANDS if "kube-scheduler" not in one])
def test_the_commands_shown_work(command: str, tmp_path: Path) -> None:
    require_success(evaluator(*as_documented(command, tmp_path)))


@pytest.mark.parametrize("command", [one for one in COMMANDS if "kube-scheduler" in one])
def test_the_commands_shown_work_with_a_real_scheduler(
    command: str, kube_scheduler: Path, tmp_path: Path
) -> None:
    environment = {BINARY_VARIABLE: str(kube_scheduler)}
    require_success(evaluator(*as_documented(command, tmp_path), env=environment))


def _without_empty_sets(words: list[str]) -> list[str]:
    kept: list[str] = []
    for position, word in enumerate(words):
        following = words[position + 1] if position + 1 < len(words) else ""
        if word == "--set" and "=" not in following:
            continue
        kept.append(word)
    return kept
