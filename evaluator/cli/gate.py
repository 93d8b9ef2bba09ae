"""``evaluator gate``: whether runs are good enough; ``evaluator baseline update``: what they were before."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from evaluator.cli.options import Quiet, RunArguments, write_file
from evaluator.cli.runs import run_folders
from evaluator.exits import ExitCode
from evaluator.gates.baseline import (
    Difference,
    baseline_of,
    differences,
    grouped,
    read_baselines,
    write_baseline,
)
from evaluator.gates.culprits import culprits
from evaluator.gates.judge import JudgedRun, Verdict, judge
from evaluator.gates.output import Culprits, explanation, github, junit, markdown
from evaluator.gates.rules import Rules, read_rules
from evaluator.metrics.ledger import read_ledger
from evaluator.results import TIMELINE_FILE, read_result
from evaluator.timeline import read_timeline

RulesFile = Annotated[
    Path | None,
    typer.Option(
        "--rules", metavar="FILE", help="Gates in TOML, beside what the scenarios themselves expect."
    ),
]
BaselineFolder = Annotated[
    Path | None,
    typer.Option("--baseline", metavar="FOLDER", help="What was before, made by evaluator baseline update."),
]
Junit = Annotated[
    Path | None, typer.Option("--junit", metavar="FILE", help="Write the verdicts as JUnit XML.")
]
Form = Annotated[
    Literal["text", "github", "markdown"],
    typer.Option("--format", help="What to print: text, github (annotations) or markdown."),
]

baseline_app = typer.Typer(
    name="baseline", help="What a scheduler did before, as gates compare with.", no_args_is_help=True
)


def gate(
    runs: RunArguments,
    rules: RulesFile = None,
    baseline: BaselineFolder = None,
    junit_file: Junit = None,
    form: Form = "text",
    quiet: Quiet = False,
) -> int:
    """Judge runs: exit 0 when every gate passes, 1 when one fails, more when there is nothing to judge."""
    folders = {str(folder): folder for folder in run_folders(runs)}
    judged = [JudgedRun(name, read_result(folder)) for name, folder in folders.items()]
    read = read_rules(rules) if rules else Rules()
    verdicts = judge(judged, read, read_baselines(baseline) if baseline else None)
    behind = _culprits(verdicts, folders)
    if junit_file is not None:
        write_file("--junit", junit_file, [junit(verdicts, behind)])
    if form == "github":
        typer.echo(github(verdicts, behind), nl=False)
    elif form == "markdown":
        typer.echo(markdown(verdicts, behind), nl=False)
    elif not quiet:
        _print(verdicts, behind)
    return ExitCode.OK if all(verdict.passed for verdict in verdicts) else ExitCode.GATE_FAILED


def _culprits(verdicts: Sequence[Verdict], folders: Mapping[str, Path]) -> Culprits:
    failed = {(verdict.run, verdict.metric) for verdict in verdicts if not verdict.passed}
    ledgers = {
        run: read_ledger(read_timeline(folders[run] / TIMELINE_FILE)) for run in {run for run, _ in failed}
    }
    return {(run, metric): culprits(metric, ledgers[run]) for run, metric in failed}


def _print(verdicts: Sequence[Verdict], behind: Culprits) -> None:
    console = Console(highlight=False)
    for verdict in verdicts:
        mark = Text("pass", "green") if verdict.passed else Text("FAIL", "bold red")
        console.print(mark, Text(f"{verdict.run}: {verdict.gate}"), soft_wrap=True)
        if not verdict.passed:
            console.print(Text(f"     {explanation(verdict, behind)}"), soft_wrap=True)
    failed = sum(not verdict.passed for verdict in verdicts)
    console.print(f"{len(verdicts)} gates, {failed} failed", markup=False)


@baseline_app.callback()
def _baseline() -> None:
    """Keep ``update`` a word of its own: with one command alone it could be left out."""


@baseline_app.command("update")
def update(
    runs: RunArguments,
    folder: Annotated[Path, typer.Option("--baseline", metavar="FOLDER", help="Where the baseline is kept.")],
    quiet: Quiet = False,
) -> None:
    """Make these runs the baseline of their scenarios and schedulers, and print what that changes."""
    before = read_baselines(folder) if folder.is_dir() else {}
    console = Console(quiet=quiet, highlight=False)
    results = [read_result(found) for found in run_folders(runs)]
    made = {key: baseline_of(group) for key, group in grouped(results).items()}
    for key, baseline in made.items():
        file = write_baseline(baseline, folder)
        changes = differences(before.get(key), baseline)
        what = f"{file}: {len(baseline.seeds)} runs, {len(changes)} medians changed"
        console.print(what, markup=False, soft_wrap=True)
        if changes:
            console.print(_table(changes))


def _table(changes: Sequence[Difference]) -> Table:
    table = Table("metric", "before", "now", box=None, pad_edge=False, header_style="bold")
    for change in changes:
        table.add_row(change.metric, _number(change.before), _number(change.after))
    return table


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:g}"
