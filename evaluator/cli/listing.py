"""``evaluator list``: the scenarios that come along with their parameters, and the schedulers."""

import ast
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer
from rich.console import Console
from rich.markup import escape

from evaluator.scenario.loader import available_scenarios, parameters_of
from evaluator.scenario.parameters import Parameter, parameters_in
from evaluator.schedulers.profiles import PROFILES

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def list_scenarios(as_json: Json = False) -> None:
    """List the scenarios that come along, what --set can change in them, and the schedulers."""
    found = {name: (_headline(path), _parameters(name)) for name, path in available_scenarios().items()}
    if as_json:
        document = {"scenarios": [_document(name, *told) for name, told in found.items()]}
        typer.echo(orjson.dumps({**document, "schedulers": list(PROFILES)}, option=orjson.OPT_INDENT_2))
        return
    console = Console(highlight=False, soft_wrap=True)
    for name, (headline, parameters) in found.items():
        console.print(f"[bold]{escape(name)}[/bold]  {escape(headline)}")
        for parameter in parameters:
            console.print(f"    {parameter.line()}", markup=False)
    console.print(f"\nschedulers: {', '.join(PROFILES)}, or any command with --scheduler-cmd")


def _headline(path: Path) -> str:
    docstring = ast.get_docstring(ast.parse(path.read_bytes())) or ""
    return docstring.partition("\n")[0]


def _parameters(name: str) -> list[Parameter]:
    return list(parameters_in(parameters_of(name)))


def _document(name: str, headline: str, parameters: list[Parameter]) -> dict[str, Any]:
    return {
        "name": name,
        "story": headline,
        "parameters": [
            {
                "name": each.name,
                "type": each.kind,
                "default": each.default,
                "required": each.required,
                "meaning": each.meaning,
            }
            for each in parameters
        ],
    }
