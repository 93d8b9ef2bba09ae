"""``evaluator diff``: the first decision in which two runs differ."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final

import orjson
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from evaluator.cli.runs import one_timeline
from evaluator.errors import UsageError
from evaluator.scenario.units import format_rfc3339, parse_duration, parse_rfc3339
from evaluator.story.difference import (
    ClusterState,
    Decision,
    Difference,
    Fate,
    NodeState,
    Side,
    compare,
)
from evaluator.story.wording import rival_text
from evaluator.words import counted, span_text

OneRun = Annotated[Path, typer.Argument(metavar="RUN_A", help="A run's folder, or its timeline.")]
OtherRun = Annotated[Path, typer.Argument(metavar="RUN_B", help="The run to compare it with.")]
Within = Annotated[
    str,
    typer.Option(
        "--within",
        metavar="DURATION",
        help="The same decision may come so much earlier or later and counts as equal.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the difference as JSON, times in nanoseconds.")]

WIDTH: Final = 80
"""Columns that everything fits in: the least that terminals have."""

MAX_SHOWN: Final = 6
"""Decisions of one run that are shown of the first difference; JSON has them all."""


def diff(run_a: OneRun, run_b: OtherRun, within: Within = "1s", as_json: Json = False) -> None:
    """Show the first decision that differs between two runs, and both clusters just before it.

    Decisions are bindings, nominations and preemptions; their order within one instant does not matter.
    Ends with 0 whether the runs differ or not.
    """
    difference = compare(one_timeline(run_a), one_timeline(run_b), within_ns=_within_ns(within))
    if as_json:
        typer.echo(orjson.dumps(asdict(difference), option=orjson.OPT_INDENT_2))
    else:
        print_difference(Console(), difference, within)


def _within_ns(text: str) -> int:
    try:
        return parse_duration(text)
    except ValueError as error:
        raise UsageError(
            f"--within = {text!r}: {error}", next_step='Give a duration such as "1s".'
        ) from error


def print_difference(console: Console, difference: Difference, within: str) -> None:
    """The difference as text of 80 columns."""
    width = min(WIDTH, console.width)
    for line in _warnings(difference):
        console.print(Text(line, style="yellow"), width=width)
    if difference.sides is None or difference.at_ns is None:
        console.print(f"no decision differs by more than {within}", markup=False)
        return
    start_ns = parse_rfc3339(difference.start)
    moment = format_rfc3339(start_ns + difference.at_ns).replace("T", " ").removesuffix("Z")
    title = f"first difference at {moment}, {span_text(difference.at_ns)} after the start"
    console.print(Text(title, style="bold"), width=width)
    console.print(_table(difference.sides, difference.at_ns), width=width)


def _warnings(difference: Difference) -> Iterator[str]:
    if not difference.same_work:
        yield "the runs are of different work: scenario, parameters or seed differ"
    yield from difference.given


def _table(sides: tuple[Side, Side], at_ns: int) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("", style="cyan", no_wrap=True)
    for letter, side in zip("AB", sides, strict=True):
        table.add_column(Text(f"{letter}: {side.scheduler}"), overflow="fold", ratio=1)
    rows = (
        ("decided", [_decided(side) for side in sides]),
        ("the other's pods", [_fates(side, at_ns) for side in sides]),
        ("just before:", ["", ""]),
        ("  free chips", [str(side.state.free_chips) for side in sides]),
        ("  pods running", [str(side.state.running) for side in sides]),
        ("  pods waiting", [_waiting(side.state) for side in sides]),
    )
    for name, cells in rows:
        table.add_row(name, *map(Text, cells))
    for node in dict.fromkeys(each.node for side in sides for each in side.state.nodes):
        table.add_row(f"  {node}", *(Text(_node(side.state, node)) for side in sides))
    table.add_row(
        "decisions", *(f"{side.decisions:,}, {side.only_here:,} of them only here" for side in sides)
    )
    return table


def _decided(side: Side) -> str:
    lines = [decision_text(decision) for decision in side.first[:MAX_SHOWN]]
    more = len(side.first) - len(lines)
    return "\n".join(lines + ([f"and {more:,} more"] if more else [])) or "nothing else"


def decision_text(decision: Decision) -> str:
    """A decision in words."""
    words = {"bound": "to", "nominated": "to", "preempted": "on"}
    return f"{decision.kind} {decision.pod} {words[decision.kind]} {decision.node}"


def _fates(side: Side, at_ns: int) -> str:
    return "\n".join(_fate(fate, at_ns) for fate in side.fates) or "–"


def _fate(fate: Fate, at_ns: int) -> str:
    if fate.bound is not None:
        later = fate.bound.at_ns - at_ns
        when = f"{span_text(later)} later" if later > 0 else "then"
        return f"{fate.pod}: bound {when} to {fate.bound.node}"
    if fate.earlier is not None:
        return f"{fate.pod}: bound {span_text(at_ns - fate.earlier.at_ns)} before to {fate.earlier.node}"
    return f"{fate.pod}: never bound" if fate.submitted else f"{fate.pod}: never submitted"


def _waiting(state: ClusterState) -> str:
    named = [rival_text(rival) for rival in state.waiting]
    more = state.pending - len(named)
    return "\n".join([counted(state.pending, "pod"), *named, *([f"and {more:,} more"] if more > 0 else [])])


def _node(state: ClusterState, name: str) -> str:
    found = next((each for each in state.nodes if each.node == name), None)
    return "not in the cluster" if found is None else _node_text(found)


def _node_text(node: NodeState) -> str:
    usable = "" if node.usable else ", not usable"
    lines = [f"{node.free_chips} of {counted(node.chips, 'chip')} free{usable}"]
    lines += [rival_text(pod) for pod in node.pods]
    return "\n".join(lines + ([f"and {node.more_pods:,} more"] if node.more_pods else []))
