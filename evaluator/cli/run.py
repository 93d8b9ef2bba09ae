"""``evaluator run``: play a scenario against one or more schedulers and say what happened."""

from pathlib import Path
from typing import Annotated, Final

import typer
import uvloop
from rich.console import Console

from evaluator.cli.findings import check_before_run
from evaluator.cli.options import (
    Assignments,
    IdleLimit,
    Lint,
    Out,
    PaceName,
    Quiet,
    Report,
    SchedulerBinary,
    SchedulerCommand,
    SchedulerName,
    Schedulers,
    Seed,
    make_folder,
)
from evaluator.cli.progress import progress_line
from evaluator.exits import ExitCode
from evaluator.report.html import write_report
from evaluator.report.model import ReportedRun
from evaluator.report.terminal import print_comparison, print_notes, print_run
from evaluator.scenario.loader import load_scenario
from evaluator.scenario.parameters import parse_assignments
from evaluator.scenario.plan import LoadedScenario
from evaluator.schedulers.profiles import LaunchProfile, custom_profile, profile_named
from evaluator.session import RunOutcome, RunPlan, perform

REPORT_FILE: Final = "report.html"

ScenarioArgument = Annotated[
    str, typer.Argument(metavar="SCENARIO", help="A scenario file, or the name of one that comes along.")
]


def run(
    scenario: ScenarioArgument,
    scheduler: Schedulers = None,
    scheduler_cmd: SchedulerCommand = None,
    scheduler_bin: SchedulerBinary = None,
    scheduler_name: SchedulerName = "default-scheduler",
    seed: Seed = 0,
    assignments: Assignments = None,
    out: Out = None,
    pace: PaceName = "warp",
    report: Report = False,
    lint: Lint = True,
    idle_limit: IdleLimit = 30.0,
    quiet: Quiet = False,
) -> int:
    """Play a scenario in virtual time against one scheduler, or several one after the other.

    Prints what happened; writes result.json and timeline.jsonl below --out.
    """
    console = Console()
    profiles = _profiles(scheduler or [], scheduler_cmd, scheduler_name)
    loaded = load_scenario(scenario, assignments=parse_assignments(assignments or []), seed=seed)
    if lint:
        check_before_run(console, loaded, quiet=quiet)
    if not quiet:
        print_notes(console, loaded.notes)
    folder = make_folder(out, loaded.name)
    outcomes = []
    for profile in profiles:
        outcome = _perform(
            console,
            loaded,
            profile,
            folder,
            several=len(profiles) > 1,
            pace=pace,
            binary=scheduler_bin,
            idle_limit=idle_limit,
            quiet=quiet,
        )
        outcomes.append(outcome)
        if outcome.interrupted or outcome.error:
            break
    return _conclude(console, outcomes, folder, report=report, quiet=quiet)


def _profiles(named: list[str], command: str | None, scheduler_name: str) -> list[LaunchProfile]:
    profiles = [profile_named(name) for name in named]
    if command is not None:
        profiles.append(custom_profile(command, scheduler_name))
    return profiles or [profile_named("lst")]


def _perform(
    console: Console,
    loaded: LoadedScenario,
    profile: LaunchProfile,
    folder: Path,
    *,
    several: bool,
    pace: str,
    binary: Path | None,
    idle_limit: float,
    quiet: bool,
) -> RunOutcome:
    own = folder / profile.name if several else folder
    own.mkdir(parents=True, exist_ok=True)
    plan = RunPlan(loaded, profile, own, pace, binary, idle_limit)
    with progress_line(console, f"{loaded.name} · {profile.name}", quiet=quiet) as line:
        outcome = uvloop.run(perform(plan, line))
    if not quiet:
        print_run(console, _reported(outcome))
        for timer in outcome.result.fidelity.unreachable:
            console.print(f"warning: a timer that no jump of the clock reaches: {timer}", markup=False)
    return outcome


def _reported(outcome: RunOutcome) -> ReportedRun:
    return ReportedRun.of(outcome.result, outcome.trial.timeline)


def _conclude(
    console: Console, outcomes: list[RunOutcome], folder: Path, *, report: bool, quiet: bool
) -> int:
    runs = [_reported(outcome) for outcome in outcomes]
    if len(runs) > 1 and not quiet:
        print_comparison(console, runs)
    if report:
        write_report(runs, folder / REPORT_FILE)
    if not quiet:
        console.print(f"written to {folder}" + (f", report {folder / REPORT_FILE}" if report else ""))
    last = outcomes[-1]
    if last.error is not None:
        raise last.error
    return ExitCode.INTERRUPTED if last.interrupted else ExitCode.OK
