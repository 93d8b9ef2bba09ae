"""``evaluator report``: runs that are over, as a page, as tables or as Markdown."""

from collections.abc import Sequence
from os.path import commonpath
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console

from evaluator.cli.options import Quiet
from evaluator.cli.runs import run_folders
from evaluator.errors import UsageError
from evaluator.files import write_atomically
from evaluator.report.html import render
from evaluator.report.markdown import markdown
from evaluator.report.model import ReportedRun
from evaluator.report.terminal import print_comparison, print_run
from evaluator.results import TIMELINE_FILE, read_result
from evaluator.timeline import read_timeline

REPORT_FILE: Final = "report.html"

RunArguments = Annotated[
    list[Path],
    typer.Argument(metavar="RUN...", help="Output folders of runs, or folders with several of them."),
]
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
    _write(file, render(reported))
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
        _write(out, text)


def _write(file: Path, text: str) -> None:
    try:
        write_atomically(file, [text.encode()])
    except OSError as error:
        raise UsageError(
            f"--out = {str(file)!r}: {error.strerror}",
            next_step="Give a file in a folder that can be written.",
        ) from error
