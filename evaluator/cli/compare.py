"""``evaluator compare``: two schedulers on the same arrivals, with intervals."""

import glob
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from evaluator.cli.options import write_file
from evaluator.cli.runs import run_folders
from evaluator.compare.comparing import Comparison
from evaluator.compare.comparing import compare as compared
from evaluator.compare.jobs import job_table
from evaluator.compare.pairing import ComparedRun, Pairing, paired
from evaluator.errors import NothingMatchedError, UsageError
from evaluator.metrics.ledger import read_ledger
from evaluator.report.compare import compare_json, compare_markdown, print_compare
from evaluator.report.html import render
from evaluator.report.model import ReportedRun
from evaluator.results import TIMELINE_FILE, read_result
from evaluator.timeline import read_timeline

Side = Annotated[
    str, typer.Argument(help="A run's folder, a folder of runs, or a pattern such as 'runs/sweep/*.lst.*'.")
]
Form = Annotated[
    Literal["text", "markdown", "json"],
    typer.Option("--format", help="What to print: text, markdown, or json (all metrics)."),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option("--metric", "-m", help="Metric to show; repeat for more.", show_default="the usual ones"),
]
Page = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FILE",
        help="Write the HTML report of the first pair, with this comparison, as well.",
    ),
]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write what is printed to a file instead.")
]


def compare(
    a: Side, b: Side, metrics: Metrics = None, form: Form = "text", out: Out = None, page: Page = None
) -> None:
    """Compare two schedulers, job by job and seed by seed, on the same arrivals.

    A winner is named only where a confidence interval of the difference leaves 0 out.
    """
    pairing = _paired(a, b)
    comparison = _compared(pairing, a, b)
    names = metrics or []
    for name in names:
        if name not in {one.name for one in comparison.differences}:
            known = ", ".join(one.name for one in comparison.differences)
            raise UsageError(
                f"--metric = {name!r}: not a metric of both sides", next_step=f"Choose among {known}."
            )
    if page is not None:
        write_file("--report", page, [_page(pairing, comparison).encode()])
    text = compare_json(comparison).decode() if form == "json" else compare_markdown(comparison, names)
    if out is not None:
        write_file("--out", out, [text.encode()])
    elif form == "text":
        print_compare(Console(highlight=False), comparison, names)
    else:
        typer.echo(text, nl=False)


def _paired(a: str, b: str) -> Pairing:
    return paired(_read(a), _read(b))


def _compared(pairing: Pairing, a: str, b: str) -> Comparison:
    names = [run.result.scheduler for run in (pairing.pairs[0].a, pairing.pairs[0].b)]
    if names[0] == names[1]:
        names = [f"{name} ({side})" for name, side in zip(names, (a, b), strict=True)]
    return compared(pairing, *names)


def _page(pairing: Pairing, comparison: Comparison) -> str:
    """The first pair in full: all pairs side by side would be no page to read."""
    first = pairing.pairs[0]
    runs = [
        ReportedRun.of(run.result, read_timeline(Path(run.name) / TIMELINE_FILE))
        for run in (first.a, first.b)
    ]
    return render(runs, comparison)


def _read(side: str) -> Sequence[ComparedRun]:
    found = [Path(side)] if Path(side).exists() else [Path(path) for path in sorted(glob.glob(side))]
    if not found:
        raise NothingMatchedError(f"{side}: no run is there", next_step="Give a run's folder or a pattern.")
    folders = run_folders(found)
    return [
        ComparedRun(
            str(folder), read_result(folder), job_table(read_ledger(read_timeline(folder / TIMELINE_FILE)))
        )
        for folder in folders
    ]
