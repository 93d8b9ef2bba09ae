"""``evaluator sweep``: scenarios × parameters × schedulers × seeds, performed in parallel and summed up."""

import asyncio
import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from evaluator.cli.child import command
from evaluator.cli.options import (
    IdleLimit,
    PaceName,
    Quiet,
    SchedulerBinary,
    SchedulerCommand,
    SchedulerName,
    make_folder,
    write_file,
)
from evaluator.errors import UsageError, UserError
from evaluator.exits import ExitCode
from evaluator.metrics import MEASURES
from evaluator.report.sweep import print_sweep, sweep_markdown
from evaluator.report.sweep_page import render_sweep
from evaluator.scenario.loader import find_scenario, load_scenario
from evaluator.schedulers.profiles import custom_profile, profile_named
from evaluator.sweep.cluster import perform_on_cluster
from evaluator.sweep.grid import Contender, Played, Request, grid, parse_seeds, parse_variants
from evaluator.sweep.keeping import finished, reason
from evaluator.sweep.local import Ended, Tell, exit_code, perform_here
from evaluator.sweep.program import program_sha256
from evaluator.sweep.summary import DEFAULT_METRICS, Kept, cells

PAGE_FILE: Final = "sweep.html"
MARKDOWN_FILE: Final = "sweep.md"

Scenarios = Annotated[
    list[str],
    typer.Argument(metavar="SCENARIO...", help="Scenario files, or names of those that come along."),
]
SchedulerList = Annotated[
    str, typer.Option("--schedulers", metavar="NAME,...", help="Schedulers to judge, parted by commas.")
]
Seeds = Annotated[
    str, typer.Option("--seeds", metavar="N", help="How many seeds (from 0), a range 3-7, or a list 1,5,8.")
]
Variants = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE,...",
        help="Values of a parameter, each of which is played; repeat for more parameters.",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="DIR",
        help="Folder for the runs; the same folder again resumes.",
        show_default="runs/sweep",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", "-j", min=1, help="Runs at a time.", show_default="the number of processors"),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option("--metric", "-m", help="Metric to show; repeat for more.", show_default="a choice of five"),
]


Dask = Annotated[
    str | None,
    typer.Option("--dask", metavar="ADDRESS", help="Perform the runs on the workers of this Dask cluster."),
]


def sweep(
    scenarios: Scenarios,
    schedulers: SchedulerList = "lst",
    scheduler_cmd: SchedulerCommand = None,
    scheduler_bin: SchedulerBinary = None,
    scheduler_name: SchedulerName = "default-scheduler",
    seeds: Seeds = "10",
    assignments: Variants = None,
    out: Out = None,
    jobs: Jobs = None,
    dask: Dask = None,
    metrics: Metrics = None,
    pace: PaceName = "warp",
    idle_limit: IdleLimit = 30.0,
    quiet: Quiet = False,
) -> int:
    """Play every scenario with every value of its parameters, every scheduler and every seed.

    Runs that are in --out already, whole and of the same scenario, parameters and program, are not repeated.
    """
    shown = _known(metrics or list(DEFAULT_METRICS))
    variants = parse_variants(assignments or [])
    contenders = _contenders(schedulers, scheduler_cmd, scheduler_bin, scheduler_name)
    requests = grid(
        [_played(reference, variants) for reference in scenarios],
        variants,
        contenders,
        parse_seeds(seeds),
        pace=pace,
        idle_limit_s=idle_limit,
        version=version("scheduler-evaluator"),
    )
    folder = make_folder(out or Path("runs") / "sweep", "sweep")
    missing = [request for request in requests if finished(folder / request.folder, request) is None]
    codes: dict[str, int] = {}
    with _progress(len(requests), len(missing), quiet=quiet) as line:

        def tell(ended: Ended) -> None:
            codes[ended.request.folder] = ended.code
            line(ended)

        whole = _perform(missing, folder, jobs or _processors(), dask, tell)
    return _conclude(requests, folder, shown, codes, interrupted=not whole, quiet=quiet)


def _perform(missing: Sequence[Request], folder: Path, jobs: int, dask: str | None, tell: Tell) -> bool:
    try:
        if dask is not None:
            return perform_on_cluster(missing, folder, command, address=dask, tell=tell)
        return asyncio.run(perform_here(missing, folder, command(), jobs=jobs, tell=tell))
    except OSError as error:
        raise UsageError(
            f"--out = {str(folder)!r}: a run cannot be started there: {error.strerror}",
            next_step="Give a folder that can be written, on a disk that is not full.",
        ) from error


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _known(names: list[str]) -> list[str]:
    known = {measure.name for measure in MEASURES}
    for name in names:
        if name not in known:
            raise UsageError(
                f"--metric = {name!r}: there is no such metric",
                next_step=f"Choose among {', '.join(sorted(known))}.",
            )
    return list(dict.fromkeys(names))


def _played(reference: str, variants: Sequence[dict[str, str]]) -> Played:
    """The scenario, which has to load with all values before anything is run."""
    path = find_scenario(reference)
    for variant in variants:
        load_scenario(reference, assignments=variant)
    return Played(reference, path.stem, hashlib.sha256(path.read_bytes()).hexdigest())


def _contenders(
    listed: str, scheduler_cmd: str | None, binary: Path | None, scheduler_name: str
) -> list[Contender]:
    found = []
    told = () if binary is None else ("--scheduler-bin", str(binary))
    for name in (word.strip() for word in listed.split(",") if word.strip()):
        sha256 = program_sha256(profile_named(name), binary)
        found.append(Contender(name, ("--scheduler", name, *told), sha256))
    if scheduler_cmd is not None:
        profile = custom_profile(scheduler_cmd, scheduler_name)
        options = ("--scheduler-cmd", scheduler_cmd, "--scheduler-name", scheduler_name)
        found.append(Contender(profile.name, options, program_sha256(profile, None)))
    if not found:
        raise UsageError("--schedulers names none", next_step="Write --schedulers lst,edf.")
    return found


@contextmanager
def _progress(total: int, missing: int, *, quiet: bool) -> Iterator[Callable[[Ended], None]]:
    """A bar where somebody looks, else a line for each run; on standard error, apart from the table."""
    console = Console(stderr=True, highlight=False, quiet=quiet, soft_wrap=True)
    if missing < total:
        console.print(f"{total - missing} of {total} runs are there already")
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        disable=quiet or not console.is_terminal,
    )
    with bar:
        task = bar.add_task("runs", total=total, completed=total - missing)
        done = total - missing

        def line(ended: Ended) -> None:
            nonlocal done
            done += 1
            bar.update(task, completed=done)
            if ended.code:
                console.print(f"failed: {ended.request.folder} (exit {ended.code})", markup=False)
            elif not console.is_terminal:
                console.print(f"{done}/{total} {ended.request.folder}", markup=False)

        yield line


def _conclude(
    requests: Sequence[Request],
    folder: Path,
    shown: Sequence[str],
    codes: dict[str, int],
    *,
    interrupted: bool,
    quiet: bool,
) -> int:
    kept = [Kept(request, finished(folder / request.folder, request)) for request in requests]
    found = cells(kept)
    failures = [
        (run.request.folder, reason(folder / run.request.folder))
        for run in kept
        if run.result is None and run.request.folder in codes
    ]
    title = "Sweep of " + ", ".join(dict.fromkeys(request.name for request in requests))
    write_file("--out", folder / PAGE_FILE, [render_sweep(found, shown, failures, title).encode()])
    write_file("--out", folder / MARKDOWN_FILE, [sweep_markdown(found, shown).encode()])
    if not quiet:
        console = Console(highlight=False)
        print_sweep(console, found, shown)
        console.print(f"written to {folder}, report {folder / PAGE_FILE}", markup=False, soft_wrap=True)
    if interrupted:
        raise _Interrupted(
            f"interrupted: {sum(run.result is not None for run in kept)} of {len(kept)} runs are kept",
            next_step="The same command goes on from there.",
        )
    if failures:
        raise _RunsFailed(failures, folder, exit_code(codes[failures[0][0]]))
    return ExitCode.OK


class _Interrupted(UserError):
    exit_code = ExitCode.INTERRUPTED


class _RunsFailed(UserError):
    """Some runs have no result: the exit code is that of the first one in the order of the grid."""

    def __init__(self, failures: Sequence[tuple[str, str]], folder: Path, code: ExitCode) -> None:
        named = "\n".join(f"  {name}: {why}" for name, why in failures)
        super().__init__(
            f"{len(failures)} of the runs failed, the others are kept:\n{named}",
            next_step=f"Their logs are in {folder}; the same command tries them again.",
        )
        self.exit_code = code if code is not ExitCode.OK else ExitCode.INTERNAL
