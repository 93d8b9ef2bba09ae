"""``evaluator lint``: mistakes in a scenario, found before anything starts."""

from collections.abc import Sequence
from typing import Annotated, Literal

import orjson
import typer
from rich.console import Console

from evaluator.cli.findings import print_findings, told
from evaluator.cli.options import Assignments, Quiet, Seed
from evaluator.cli.run import ScenarioArgument
from evaluator.errors import ParameterError, ScenarioError
from evaluator.exits import ExitCode
from evaluator.github import annotation
from evaluator.scenario.lint import Code, Finding, lint
from evaluator.scenario.loader import load_scenario
from evaluator.scenario.parameters import parse_assignments
from evaluator.words import counted

Form = Annotated[
    Literal["text", "json", "github"],
    typer.Option("--format", help="What to print: text, json or github (annotations)."),
]


def lint_scenario(
    scenario: ScenarioArgument,
    seed: Seed = 0,
    assignments: Assignments = None,
    form: Form = "text",
    quiet: Quiet = False,
) -> int:
    """Look for mistakes in a scenario: exit 0 when there is none but warnings, 4 when there is an error."""
    found = _findings(scenario, assignments or [], seed)
    if form == "json":
        typer.echo(orjson.dumps([_document(finding) for finding in found], option=orjson.OPT_INDENT_2))
    elif form == "github":
        typer.echo("".join(map(_annotation, found)), nl=False)
    elif not quiet:
        _print(found)
    return ExitCode.USAGE if any(finding.code.severity == "error" for finding in found) else ExitCode.OK


def _findings(scenario: str, assignments: Sequence[str], seed: int) -> list[Finding]:
    try:
        return lint(load_scenario(scenario, assignments=parse_assignments(assignments), seed=seed))
    except ParameterError:
        raise  # the command line is wrong, not the scenario
    except ScenarioError as error:
        return [Finding(Code.BROKEN, error.where or scenario, error.what)]


def _print(found: Sequence[Finding]) -> None:
    console = Console(highlight=False)
    print_findings(console, found)
    console.print(counted(len(found), "finding") if found else "no mistakes found", markup=False)


def _document(finding: Finding) -> dict[str, str | int]:
    return {
        "code": finding.code.value,
        "severity": finding.code.severity,
        "where": finding.where,
        "text": finding.text,
        "count": finding.count,
    }


def _annotation(finding: Finding) -> str:
    """One workflow command of GitHub's."""
    file, _, line = finding.where.rpartition(":")
    code = finding.code
    placed = {"file": file, "line": line} if line.isdigit() else {}
    return annotation(code.severity, code.value, told(finding), **placed)
