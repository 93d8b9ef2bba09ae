"""The commands that the pages about reports and stories show."""

import re
import shlex
from pathlib import Path

import pytest

from evaluator.cli.main import main
from evaluator.exits import ExitCode
from evaluator.results import write_result
from tests.support.list_scheduling import Order, arrival, slack
from tests.support.reports import quickstart

DOCS = Path(__file__).parents[4] / "docs"
SHOWN = [
    line.removeprefix("$ ")
    for page in ("report.md", "explain.md", "compare.md")
    for block in re.findall(r"^```console\n(.*?)^```", (DOCS / page).read_text(), re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
    if line.startswith("$ ")
]
"""Lines after a prompt."""


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the runs that the pages name."""
    orders: dict[str, Order] = {"fifo": arrival, "lst": slack}
    for name, order in orders.items():
        folder = tmp_path / "runs" / "demo" / name
        folder.mkdir(parents=True)
        run = quickstart(order, name)
        write_result(run.result, folder / "result.json")
        run.timeline.write(folder / "timeline.jsonl")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize("command", SHOWN)
def test_they_work(command: str) -> None:
    program, *arguments = shlex.split(command)
    assert program == "evaluator"
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == ExitCode.OK


def test_some_are_shown() -> None:
    assert {command.split()[1] for command in SHOWN} == {"report", "export", "explain", "diff", "compare"}
