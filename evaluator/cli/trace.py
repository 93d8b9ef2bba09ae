"""``evaluator trace``: what a recorded trace holds, and what an importer makes of it."""

import dataclasses
import json
from fractions import Fraction
from typing import Annotated, Final

import typer
from rich.console import Console

from evaluator.cli.trace_view import draw
from evaluator.errors import UsageError, shown
from evaluator.scenario.units import parse_duration
from evaluator.traces.account import ImportReport
from evaluator.traces.facts import find_facts
from evaluator.traces.formats import FORMATS
from evaluator.traces.model import Trace
from evaluator.traces.opening import open_trace
from evaluator.traces.preparing import Options, pool, prepare
from evaluator.traces.rules import RECORDED

app = typer.Typer(no_args_is_help=True, help="Look at recorded traces.")

MAX_CHIPS: Final = 10_000_000
"""Chips of a cluster that is made up: some thousand times the largest that is published."""

UNCHANGED: Final = Options(deadlines=RECORDED)
"""The options that leave a trace as it is."""

File = Annotated[str, typer.Argument(metavar="FILE", help="The trace, plain or gzip.", show_default=False)]
FormatName = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help=f"Which importer reads it: {', '.join(known.name for known in FORMATS)}.",
        show_default="recognised",
    ),
]
Mapping = Annotated[
    str,
    typer.Option("--map", metavar="FIELD=COLUMN:UNIT,…", help="Columns of any other CSV file."),
]
Lenient = Annotated[bool, typer.Option("--lenient", help="Count and skip rows that cannot be read.")]
Nodes = Annotated[
    str | None, typer.Option("--nodes", metavar="FILE", help="Another trace whose nodes are the cluster.")
]
Outages = Annotated[
    str | None, typer.Option("--outages", metavar="FILE", help="Another trace whose outages are taken.")
]
Capacity = Annotated[
    int | None,
    typer.Option("--chips", help="Chips of the cluster, as nodes of --node-chips.", min=1, max=MAX_CHIPS),
]
NodeChips = Annotated[int, typer.Option("--node-chips", help="Chips of one node.", min=1, max=1024)]
Window = Annotated[
    str | None,
    typer.Option(
        "--window", metavar="FROM..TO", help="Only what is submitted then, counted from the first: 7d..14d."
    ),
]
Sample = Annotated[float, typer.Option("--sample", help="Keep each job with this probability.", min=0, max=1)]
Speedup = Annotated[
    float, typer.Option("--speedup", help="Divide the gaps between arrivals.", min=1e-6, max=1e6)
]
Load = Annotated[
    float | None,
    typer.Option("--load", help="Speed arrivals up until this share of the chips is asked for.", max=100),
]
Deadlines = Annotated[
    str,
    typer.Option(
        "--deadlines", metavar="RULE", help="recorded, none, chronus, fill, or a factor such as 3x."
    ),
]
Estimates = Annotated[
    str,
    typer.Option("--estimates", metavar="RULE", help="recorded, exact, or the spread of their logarithm."),
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of sample, deadlines and estimates.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.callback()
def _together() -> None:
    """Commands on traces; one today, so that more can come without another name."""


@app.command("inspect")
def inspect(
    file: File,
    format_name: FormatName = None,
    mapping: Mapping = "",
    lenient: Lenient = False,
    nodes: Nodes = None,
    outages: Outages = None,
    chips: Capacity = None,
    node_chips: NodeChips = 8,
    window: Window = None,
    sample: Sample = 1.0,
    speedup: Speedup = 1.0,
    load: Load = None,
    deadlines: Deadlines = RECORDED,
    estimates: Estimates = RECORDED,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Print what a trace holds: rows, span, demand, percentiles, peak against capacity, burstiness."""
    trace = open_trace(
        file, format_name=format_name, mapping=mapping, lenient=lenient, nodes=nodes, outages=outages
    )
    if chips:
        cluster = pool(chips, node_chips)
        trace = dataclasses.replace(trace, nodes=lambda _report: iter(cluster))
    start_ns, end_ns = _window(window)
    options = Options(
        start_ns=start_ns,
        end_ns=end_ns,
        sample=Fraction(sample),
        speedup=Fraction(speedup),
        load=_load(load),
        deadlines=deadlines,
        estimates=estimates,
        seed=seed,
    )
    _show(trace, options, as_json=as_json)


def _show(trace: Trace, options: Options, *, as_json: bool) -> None:
    if options != UNCHANGED:
        trace = prepare(trace, options, list(trace.nodes(ImportReport())))
    facts = find_facts(trace)
    if as_json:
        typer.echo(json.dumps(facts.document(), indent=2, ensure_ascii=False))
        return
    draw(facts, Console(highlight=False, soft_wrap=True))


def _load(load: float | None) -> Fraction | None:
    if load is not None and load <= 0:
        raise UsageError(f"--load = {load}: must be more than 0", next_step="Such as 0.9 for 90 %.")
    return None if load is None else Fraction(load)


def _window(text: str | None) -> tuple[int, int | None]:
    if text is None:
        return 0, None
    start, dots, end = text.partition("..")
    try:
        if not dots:
            raise ValueError("two durations joined by ..")
        bounds = int(parse_duration(start or "0s")), int(parse_duration(end)) if end else None
    except ValueError as error:
        raise UsageError(
            f"--window = {shown(text)}: {error}", next_step="Such as 7d..14d, or 7d.. to the end."
        ) from error
    if bounds[1] is not None and bounds[1] <= bounds[0]:
        raise UsageError(f"--window = {shown(text)}: ends before it begins", next_step="Such as 7d..14d.")
    return bounds
