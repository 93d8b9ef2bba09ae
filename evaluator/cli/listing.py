"""``evaluator list``: the scenarios and schedulers that come along."""

import ast
from pathlib import Path

from rich.console import Console
from rich.table import Table

from evaluator.scenario.loader import available_scenarios
from evaluator.schedulers.profiles import PROFILES


def list_scenarios() -> None:
    """List the scenarios that come along, and the schedulers that can be named."""
    console = Console()
    table = Table("scenario", "what it tells", box=None, pad_edge=False, header_style="bold")
    for name, path in available_scenarios().items():
        table.add_row(name, _headline(path))
    console.print(table)
    console.print(f"\nschedulers: {', '.join(PROFILES)}, or any command with --scheduler-cmd")


def _headline(path: Path) -> str:
    docstring = ast.get_docstring(ast.parse(path.read_bytes())) or ""
    return docstring.partition("\n")[0]
