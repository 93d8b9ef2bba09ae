"""Writes the table of metrics into ``docs/results.md`` from their definitions; ``--check`` only compares."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from evaluator.metrics import MEASURES

PAGE = Path(__file__).parent.parent / "docs" / "results.md"
BEGIN = "<!-- metrics: written by python -m tools.document_metrics -->"
END = "<!-- end of metrics -->"


def table() -> str:
    """The table: a row for each metric, in the order in which they are told."""
    head = ["| metric | unit | better | definition |", "|---|---|---|---|"]
    rows = [f"| `{one.name}` | {one.unit} | {one.better} | {one.definition} |" for one in MEASURES]
    return "\n".join([BEGIN, *head, *rows, END])


def documented(text: str) -> str:
    """The page's text with the present table in it."""
    before, _, rest = text.partition(BEGIN)
    return before + table() + rest.partition(END)[2]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page, or with ``--check`` return 1 if it is out of date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 if out of date")
    check = parser.parse_args(arguments).check
    text = PAGE.read_text()
    if check:
        return int(documented(text) != text)
    PAGE.write_text(documented(text))
    return 0


if __name__ == "__main__":
    sys.exit(main())
