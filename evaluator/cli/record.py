"""``evaluator record``: a real cluster's submissions, starts, ends and outages, as a trace."""

import asyncio
import os
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console

from evaluator.cli.options import Quiet
from evaluator.errors import UsageError, shown
from evaluator.exits import ExitCode
from evaluator.record.journal import Journal
from evaluator.record.kubeconfig import load_access
from evaluator.record.recorder import Outcome, Plan
from evaluator.record.recorder import record as record_cluster
from evaluator.scenario.model import CHIP_RESOURCE
from evaluator.scenario.units import parse_duration
from fakeapi.kernel.clock import wall_ns
from fakeapi.kernel.time import format_instant

KUBECONFIG: Final = "KUBECONFIG"

Kubeconfig = Annotated[
    Path | None,
    typer.Option(
        "--kubeconfig",
        metavar="FILE",
        help="How to reach the cluster.",
        show_default="$KUBECONFIG, ~/.kube/config",
    ),
]
Context = Annotated[
    str | None,
    typer.Option("--context", metavar="NAME", help="Context of the kubeconfig.", show_default="current"),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="FILE", help="The trace.", show_default="cluster-TIME.jsonl"),
]
For = Annotated[
    str | None,
    typer.Option("--for", metavar="DURATION", help="How long, such as 2h.", show_default="until Ctrl-C"),
]
ChipResource = Annotated[
    str, typer.Option("--chip-resource", metavar="NAME", help="Resource that counts chips.")
]
Anonymise = Annotated[
    bool, typer.Option("--anonymise", help="Write hashes of names, with a key that is thrown away.")
]


def record(
    kubeconfig: Kubeconfig = None,
    context: Context = None,
    out: Out = None,
    duration: For = None,
    chip_resource: ChipResource = CHIP_RESOURCE,
    anonymise: Anonymise = False,
    quiet: Quiet = False,
) -> int:
    """Watch a real cluster's pods, jobs and nodes, and write a trace that replays here.

    Kept: names, requests, times, priorities, users, queues, deadlines and estimates; capacities and outages
    of nodes. Not kept: environments, command lines, images, secrets. Needs to list and watch pods, jobs and
    nodes.
    """
    access = load_access(_kubeconfig(kubeconfig), context)
    limit = _duration(duration)
    path = out or Path(f"cluster-{format_instant(wall_ns()).replace(':', '').replace('-', '')}.jsonl")
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    with Journal(path) as journal:
        plan = Plan(chip_resource=chip_resource, anonymise=anonymise, duration_ns=limit)
        if not quiet:
            console.print(f"recording {access.server} to {path}; Ctrl-C ends it", markup=False)
        outcome = asyncio.run(record_cluster(access, journal, plan))
    if not quiet:
        console.print(_summary(journal, outcome), markup=False)
    return ExitCode.OK


def _summary(journal: Journal, outcome: Outcome) -> str:
    left_out = f"; {outcome.left_out:,} pods that come with their nodes left out" if outcome.left_out else ""
    stopped = "stopped: " if outcome.interrupted else ""
    return (
        f"{stopped}{journal.written:,} events in {journal.path}{left_out}\n"
        f"See it: evaluator trace inspect {journal.path}"
    )


def _kubeconfig(told: Path | None) -> Path:
    if told is not None:
        return told
    named = os.environ.get(KUBECONFIG)
    return Path(named) if named else Path.home() / ".kube" / "config"


def _duration(text: str | None) -> int | None:
    if text is None:
        return None
    try:
        return int(parse_duration(text))
    except ValueError as error:
        raise UsageError(f"--for = {shown(text)}: {error}", next_step="Such as 2h.") from error
