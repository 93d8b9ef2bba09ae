"""``evaluator export``: a run in the format of another program."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import typer
from rich.console import Console

from evaluator.cli.options import Quiet, RunArgument, write_file
from evaluator.cli.runs import one_result, one_timeline
from evaluator.errors import UsageError
from evaluator.export.openmetrics import write_metrics
from evaluator.export.parquet import write_jobs
from evaluator.export.perfetto import write_trace
from evaluator.metrics.ledger import read_ledger

Write: TypeAlias = Callable[[Path, float], Iterable[bytes]]
"""From a run (its folder, or a file in it) and an offset in seconds to the bytes of the file."""


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format that a run can be written in."""

    title: str
    file: str
    """Name of the file in the run's folder, unless told otherwise."""
    write: Write


def _perfetto(run: Path, _: float) -> Iterable[bytes]:
    return write_trace(one_timeline(run))


def _parquet(run: Path, _: float) -> Iterable[bytes]:
    return write_jobs(read_ledger(one_timeline(run)), one_result(run))


def _openmetrics(run: Path, offset_s: float) -> Iterable[bytes]:
    return write_metrics(read_ledger(one_timeline(run)), one_result(run), offset_s=offset_s)


FORMATS: Final[Mapping[str, ExportFormat]] = {
    "perfetto": ExportFormat("a trace for ui.perfetto.dev or chrome://tracing", "trace.json", _perfetto),
    "parquet": ExportFormat("a table of the jobs, for pandas and others", "jobs.parquet", _parquet),
    "openmetrics": ExportFormat("series for Prometheus and others", "metrics.om.txt", _openmetrics),
}
"""All formats, by the name that ``--format`` takes."""

FormatName = Annotated[
    str,
    typer.Option(
        "--format", "-f", help="; ".join(f"{name}: {each.title}" for name, each in FORMATS.items()) + "."
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="File to write; - for standard output.",
        show_default="in the run's folder",
    ),
]

Offset = Annotated[
    float,
    typer.Option(
        "--offset",
        metavar="SECONDS",
        help="With openmetrics: seconds to add to the run's own instants; the file declares them.",
    ),
]

STANDARD_OUTPUT: Final = Path("-")


def export(
    run: RunArgument, name: FormatName, out: Out = None, offset: Offset = 0.0, quiet: Quiet = False
) -> None:
    """Write a run in the format of another program."""
    chosen = FORMATS.get(name)
    if chosen is None:
        raise UsageError(
            f"--format = {name!r}: there is no such format", next_step=f"Give one of: {', '.join(FORMATS)}."
        )
    chunks = chosen.write(run, offset)
    if out == STANDARD_OUTPUT:
        for chunk in chunks:
            typer.echo(chunk, nl=False)
        return
    file = out or (run if run.is_dir() else run.parent) / chosen.file
    write_file("--out", file, chunks)
    if not quiet:
        Console().print(f"written to {file}", markup=False, soft_wrap=True)
