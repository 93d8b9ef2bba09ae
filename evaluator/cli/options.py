"""Options that several commands share, each with its help, and what to do with an output folder."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Final

import typer

from evaluator.errors import UsageError
from evaluator.files import write_atomically
from fakeapi.kernel.clock import wall_ns
from fakeapi.kernel.time import format_instant

Schedulers = Annotated[
    list[str] | None,
    typer.Option(
        "--scheduler",
        "-s",
        help="Scheduler to judge: lst, edf, sjf, priority, fifo, lst-preempt, "
        "lst-utilization, kube-scheduler; "
        "repeat to compare.",
        show_default="lst",
    ),
]
SchedulerCommand = Annotated[
    str | None,
    typer.Option(
        "--scheduler-cmd", metavar="CMD", help="Any other scheduler's command, with {kubeconfig} in it."
    ),
]
SchedulerBinary = Annotated[
    Path | None, typer.Option("--scheduler-bin", metavar="FILE", help="The program of a named scheduler.")
]
SchedulerName = Annotated[
    str,
    typer.Option(
        "--scheduler-name", metavar="NAME", help="spec.schedulerName that --scheduler-cmd answers to."
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of everything that is drawn by chance.")]
Assignments = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Set a parameter of the scenario; repeat for more."),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="DIR", help="Folder for the results.", show_default="runs/SCENARIO-TIME"
    ),
]
PaceName = Annotated[
    str,
    typer.Option(
        "--pace",
        help="How time moves: warp (the scheduler's clock is moved, idleness proven) or settle (guessed).",
    ),
]
Lint = Annotated[
    bool,
    typer.Option(
        "--lint/--no-lint", help="Look for mistakes first: errors end the command, warnings are shown."
    ),
]
Report = Annotated[bool, typer.Option("--report", help="Write an HTML report as well.")]
IdleLimit = Annotated[
    float,
    typer.Option(
        "--idle-limit",
        metavar="SECONDS",
        help="Real time after which a busy scheduler counts as hung.",
        min=1.0,
    ),
]
RunArgument = Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder, or its timeline.")]
RunArguments = Annotated[
    list[Path],
    typer.Argument(metavar="RUN...", help="Output folders of runs, or folders with several of them."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]

_RUNS: Final = Path("runs")


def make_folder(told: Path | None, name: str) -> Path:
    """The output folder of a run, made if it is not there.

    Raises:
        UsageError: it cannot be made, or something else has its name.
    """
    stamp = format_instant(wall_ns()).replace(":", "").replace("-", "")
    folder = told or _RUNS / f"{name}-{stamp}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"--out = {str(folder)!r}: {error.strerror}", next_step="Give a folder that can be written."
        ) from error
    return folder


def write_file(option: str, file: Path, chunks: Iterable[bytes]) -> None:
    """Write the file that an option names, whole or not at all.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        write_atomically(file, chunks)
    except OSError as error:
        raise UsageError(
            f"{option} = {str(file)!r}: {error.strerror}",
            next_step="Give a file in a folder that can be written.",
        ) from error
