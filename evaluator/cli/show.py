"""``evaluator show``: what a scenario would submit, before anything runs."""

import json
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.console import Console

from evaluator.cli.options import Assignments, Seed
from evaluator.cli.run import ScenarioArgument
from evaluator.cli.trace_view import draw_facts
from evaluator.scenario.lint import Code, Finding, lint
from evaluator.scenario.loader import load_scenario
from evaluator.scenario.parameters import describe_parameters, parse_assignments
from evaluator.scenario.plan import LoadedScenario
from evaluator.traces.facts import Facts, find_facts
from evaluator.traces.scenarios import as_trace
from evaluator.words import counted

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def show(
    scenario: ScenarioArgument, seed: Seed = 0, assignments: Assignments = None, as_json: Json = False
) -> None:
    """Show what a scenario would submit: counts, demand against capacity over time, what it expects.

    Nothing is started. Demand is what would be held if every pod started when it is submitted.
    """
    loaded = load_scenario(scenario, assignments=parse_assignments(assignments or []), seed=seed)
    facts, found = find_facts(as_trace(loaded)), lint(loaded)
    if as_json:
        typer.echo(json.dumps(_document(loaded, facts, found), indent=2, ensure_ascii=False))
        return
    console = Console(highlight=False, soft_wrap=True)
    draw_facts(facts, console)
    _print_rest(console, loaded, found)


def _print_rest(console: Console, scenario: LoadedScenario, found: Sequence[Finding]) -> None:
    if scenario.processes:
        people = counted(scenario.processes, "process", "processes")
        console.print(f"{people} will add more while the run goes on", markup=False)
    for expectation in scenario.expectations:
        console.print(f"expects {expectation}", markup=False)
    if hopeless := _hopeless(found):
        console.print(f"{hopeless:,} deadlines cannot be met: evaluator lint names them", markup=False)
    if others := sum(finding.count for finding in found) - hopeless:
        console.print(f"{others:,} other findings of evaluator lint", markup=False)
    for note in scenario.notes:
        number = "" if note.count is None else f"{note.count:,} × "
        console.print(f"{note.topic}: {number}{note.text}", markup=False)
    console.print(f"\n{describe_parameters(type(scenario.parameters))}", markup=False)


def _hopeless(found: Sequence[Finding]) -> int:
    return sum(finding.count for finding in found if finding.code is Code.LATE_FROM_THE_START)


def _document(scenario: LoadedScenario, facts: Facts, found: Sequence[Finding]) -> dict[str, Any]:
    document = facts.document()
    return {
        "scenario": scenario.name,
        "title": scenario.settings.title,
        "digest": scenario.digest,
        "seed": scenario.seed,
        "parameters": scenario.parameters.model_dump(mode="json"),
        "jobs": document["jobs"],
        "nodes": document["nodes"],
        "hopeless_deadlines": _hopeless(found),
        "processes": scenario.processes,
        "expectations": [str(expectation) for expectation in scenario.expectations],
    }
