"""``evaluator report``: runs that are over, as a page, as tables or as Markdown."""

from collections.abc import Sequence
from os.path import commonpath
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console

from evaluator.cli.options import Quiet, RunArguments, write_file
from evaluator.cli.runs import run_folders
from evaluator.report.html import render
from evaluator.report.markdown import markdown
from evaluator.report.model import ReportedRun
from evaluator.report.terminal import print_comparison, print_run
from evaluator.results import TIMELINE_FILE, read_result
from evaluator.timeline import read_timeline

REPORT_FILE: Final = "report.html"

Out = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="FILE", help="File to write.", show_default="report.html beside the runs"
    ),
]
Markdown = Annotated[
    bool, typer.Option("--markdown", help="Write Markdown for a pull request, to standard output or --out.")
]


def report(runs: RunArguments, out: Out = None, markdown_: Markdown = False, quiet: Quiet = False) -> None:
    """Report runs: one HTML file that works offline, several runs side by side on shared axes."""
    folders = run_folders(runs)
    reported = [_read(folder) for folder in folders]
    if markdown_:
        _write_markdown(reported, out)
        return
    console = Console()
    file = out or Path(commonpath([folder.resolve() for folder in folders])) / REPORT_FILE
    write_file("--out", file, [render(reported).encode()])
    if quiet:
        return
    if len(reported) > 1:
        print_comparison(console, reported)
    else:
        print_run(console, reported[0])
    console.print(f"written to {file}", markup=False, soft_wrap=True)


def _read(folder: Path) -> ReportedRun:
    return ReportedRun.of(read_result(folder), read_timeline(folder / TIMELINE_FILE))


def _write_markdown(reported: Sequence[ReportedRun], out: Path | None) -> None:
    text = markdown(reported)
    if out is None:
        typer.echo(text, nl=False)
    else:
        write_file("--out", out, [text.encode()])
