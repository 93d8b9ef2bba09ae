"""A pytest plugin: the fixture ``evaluate`` plays a scenario, and its figures can be asserted.

::

    def test_no_late_jobs(evaluate):
        r = evaluate("scenarios/quickstart.py", scheduler="lst")
        assert r.deadline_miss_rate == 0

pytest loads this module by its entry point in every session, so that what is heavy is imported only when a
scenario is played.
"""

from __future__ import annotations

import difflib
import math
import shlex
import subprocess
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from evaluator.results import RunResult

MARK: Final = "slow_scenario"
OPTION: Final = "--slow-scenarios"

_EVALUATIONS: Final = pytest.StashKey[list["Evaluation"]]()
"""The runs of a test, for what is told when it fails."""


class Figure(float):
    """A metric's value that knows where it comes from; NaN, which equals nothing, if there was none."""

    name: str
    evaluation: Evaluation

    @classmethod
    def of(cls, name: str, evaluation: Evaluation) -> Figure:
        """The metric of that name in a run."""
        value = evaluation.result.metrics[name].value
        figure = cls(math.nan if value is None else value)
        figure.name, figure.evaluation = name, evaluation
        return figure


@dataclass(frozen=True)
class Evaluation:
    """A run that has ended well. Each metric of ``result.json`` is an attribute."""

    result: RunResult
    folder: Path
    """With result.json, timeline.jsonl and the scheduler's log."""
    command: str
    """The command line that repeats it."""
    questions: list[str] = field(default_factory=list)
    """Command lines that tell why comparisons with it failed."""

    def __getattr__(self, name: str) -> Figure:
        if name.startswith("__"):
            raise AttributeError(name)
        metrics = self.result.metrics
        if name not in metrics:
            close = difflib.get_close_matches(name, metrics, n=1)
            meant = f"; did you mean {close[0]}?" if close else ""
            raise AttributeError(f"there is no metric {name!r}{meant}")
        return Figure.of(name, self)

    @property
    def title(self) -> str:
        """What was played, in words."""
        return f"{self.result.scenario} with {self.result.scheduler}, seed {self.result.seed}"

    def culprits(self, metric: str) -> list[str]:
        """The jobs that weigh most in a metric, the worst first."""
        from evaluator.gates.culprits import culprits
        from evaluator.metrics.ledger import read_ledger
        from evaluator.results import TIMELINE_FILE
        from evaluator.timeline import read_timeline

        return culprits(metric, read_ledger(read_timeline(self.folder / TIMELINE_FILE)))


@dataclass
class Evaluate:
    """Plays scenarios for one test."""

    folder: Path
    root: Path
    done: list[Evaluation] = field(default_factory=list)

    def __call__(
        self,
        scenario: str | Path,
        *,
        scheduler: str = "lst",
        scheduler_cmd: str | None = None,
        scheduler_name: str = "default-scheduler",
        seed: int = 0,
        pace: str = "warp",
        **parameters: object,
    ) -> Evaluation:
        """Play a scenario, and wait for its end.

        :param scenario: a file, relative to the working folder or pytest's root, or a shipped one's name.
        :param scheduler: one that comes along; ``scheduler_cmd`` with ``scheduler_name`` is any other.
        :param parameters: values for the scenario's parameters.

        The test fails, with what the run printed, if the run does not end well.
        """
        from evaluator.cli.child import command

        chosen = ["--scheduler", scheduler]
        if scheduler_cmd is not None:
            chosen = ["--scheduler-cmd", scheduler_cmd, "--scheduler-name", scheduler_name]
        sets = [word for key, value in parameters.items() for word in ("--set", f"{key}={value}")]
        path = self._found(str(scenario))
        words = ["run", path, *chosen, "--seed", str(seed), *sets, "--pace", pace]
        folder = self.folder / f"run-{len(self.done)}"
        ended = subprocess.run(
            [*command(), *words, "--out", str(folder), "--quiet"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        repeat = shlex.join(["evaluator", *words])
        if ended.returncode:
            pytest.fail(_failure(ended.returncode, ended.stderr, repeat, folder), pytrace=False)
        from evaluator.results import read_result

        evaluation = Evaluation(read_result(folder), folder, repeat)
        self.done.append(evaluation)
        return evaluation

    def _found(self, scenario: str) -> str:
        below = self.root / scenario
        return str(below) if not Path(scenario).is_file() and below.is_file() else scenario


def _failure(code: int, said: str, repeat: str, folder: Path) -> str:
    return f"the run ended with exit code {code}:\n{said.rstrip()}\nkept in: {folder}\nrepeat: {repeat}"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that lets slow scenarios be played."""
    parser.getgroup("scheduler-evaluator").addoption(
        OPTION, action="store_true", help=f"play scenarios of tests that are marked {MARK}"
    )


def pytest_configure(config: pytest.Config) -> None:
    """The mark, known under --strict-markers."""
    config.addinivalue_line("markers", f"{MARK}: plays a slow scenario; skipped unless {OPTION} is given")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip slow scenarios, and say how to play them."""
    if config.getoption(OPTION):
        return
    for item in items:
        if item.get_closest_marker(MARK):
            item.add_marker(pytest.mark.skip(reason=f"a slow scenario: give {OPTION}"))


@pytest.fixture
def evaluate(request: pytest.FixtureRequest, tmp_path: Path) -> Evaluate:
    """Plays a scenario against a scheduler: ``evaluate("quickstart", scheduler="lst", seed=0)``."""
    made = Evaluate(tmp_path, request.config.rootpath)
    request.node.stash[_EVALUATIONS] = made.done
    return made


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """A failed comparison with a metric: the figure, the run, the jobs behind it.

    It is kept short, since pytest cuts explanations after eight lines or 640 characters; what to do next is
    in a section of the report.
    """
    figure = left if isinstance(left, Figure) else right
    if not isinstance(figure, Figure):
        return None
    evaluation = figure.evaluation
    unit = evaluation.result.metrics[figure.name].unit
    told = [
        f"{_shown(left)} {op} {_shown(right)}",
        f"{figure.name} of {evaluation.title}: {_value(figure)} ({unit})",
    ]
    if jobs := evaluation.culprits(figure.name):
        told.append(f"jobs behind it: {'; '.join(jobs)}")
        worst = jobs[0].partition(",")[0]
        evaluation.questions.append(shlex.join(["evaluator", "explain", str(evaluation.folder), worst]))
    return told


def _shown(value: object) -> str:
    return f"{value.name} ({_value(value)})" if isinstance(value, Figure) else repr(value)


def _value(figure: Figure) -> str:
    return "nothing was measured" if math.isnan(figure) else f"{float(figure):g}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to the report of a test that failed where its runs are and how each is repeated."""
    report = yield
    runs = item.stash.get(_EVALUATIONS, [])
    if call.when == "call" and report.failed and runs:
        report.sections.append(("runs of schedulers", "\n".join(map(_next_steps, runs))))
    return report


def _next_steps(run: Evaluation) -> str:
    why = "".join(f"\n  why:     {question}" for question in dict.fromkeys(run.questions))
    return f"{run.title}\n  kept in: {run.folder}\n  repeat:  {run.command}{why}"


__all__ = ["Evaluate", "Evaluation", "Figure", "evaluate"]
