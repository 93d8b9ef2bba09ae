"""One run from start to end: server, scheduler, scenario; then everything taken down and a result made.

Whatever happens on the way (Ctrl-C, a scheduler that crashes or hangs, a refused object), the
scheduler's processes end, the server stops, and what was measured until then becomes a result.
"""

import asyncio
import os
import platform
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import IO, Final

from pydantic import JsonValue

from evaluator.arriving import RefusedArrival
from evaluator.errors import ScenarioError, SchedulerFailedError, StuckTimeError, UserError
from evaluator.metrics import measure
from evaluator.metrics.classes import by_class
from evaluator.metrics.ledger import read_ledger
from evaluator.pace.errors import NotQuiescent, PaceError, ProcessGone
from evaluator.results import (
    RESULT_FILE,
    TIMELINE_FILE,
    Fidelity,
    JobCounts,
    RunResult,
    write_result,
)
from evaluator.scenario.plan import LoadedScenario
from evaluator.schedulers.profiles import LaunchContext, LaunchProfile
from evaluator.schedulers.start import StartedScheduler, start_scheduler
from evaluator.traffic import ServerTraffic
from evaluator.trial import Progress, Trial
from evaluator.warp.errors import ProcessVanished, WarpError
from fakeapi.app import create_app
from fakeapi.collector import spare_the_collector
from fakeapi.config import NetworkSettings
from fakeapi.kernel.clock import monotonic_ns
from fakeapi.kernel.time import SECOND, Duration, format_instant
from fakeapi.kubeconfig import write_kubeconfig
from fakeapi.serve import Server

SCHEDULER_LOG: Final = "scheduler.log"
"""What the scheduler printed, in the run's output folder."""
_LOG_TAIL: Final = 12
"""Last lines of the scheduler's log that a message about its failure shows."""
_INTERRUPTED: Final = "it was interrupted"


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What to run and where to put it."""

    scenario: LoadedScenario
    profile: LaunchProfile
    folder: Path
    """The run's own output folder; it exists."""
    pace: str = "warp"
    binary: Path | None = None
    idle_limit_s: float = 30.0
    """Real seconds without proof of idleness after which the scheduler counts as hung."""


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """A run that has ended, one way or the other; ``error`` says why it is not complete."""

    result: RunResult
    trial: Trial
    error: UserError | None = None
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class RealTime:
    """Real nanoseconds that a run took: in whole, and from the scheduler's readiness on."""

    whole: Duration
    play: Duration


async def perform(plan: RunPlan, report: Callable[[Progress], None] | None = None) -> RunOutcome:
    """Run one scenario against one scheduler and write ``result.json`` and ``timeline.jsonl``.

    Raises:
        UserError: nothing could be run at all: the scheduler is not to be found or cannot be started.
    """
    profile = plan.profile
    trial = Trial(plan.scenario, profile.name, profile.scheduler_name, profile.wakeups, report)
    began = monotonic_ns()
    spare_the_collector()
    async with Server(create_app(trial.world)) as server, _scheduler(plan, trial, server) as scheduler:
        why, error = await _play(trial, scheduler)
        real = RealTime(whole=monotonic_ns() - began, play=trial.played)
    trial.close(why)
    result = _result(plan, trial, scheduler, why, real, complete=error is None)
    trial.timeline.write(plan.folder / TIMELINE_FILE)
    write_result(result, plan.folder / RESULT_FILE)
    interrupted = why == _INTERRUPTED
    return RunOutcome(result, trial, None if interrupted else error, interrupted)


@asynccontextmanager
async def _scheduler(plan: RunPlan, trial: Trial, server: Server) -> AsyncIterator[StartedScheduler]:
    path = plan.folder / "kubeconfig"
    write_kubeconfig(path, server.url, NetworkSettings())
    context = LaunchContext(path.resolve(), plan.folder.resolve(), plan.binary)
    with (plan.folder / SCHEDULER_LOG).open("wb") as log:
        started = _start(plan, context, ServerTraffic(server), trial, log)
        try:
            yield started
        finally:
            started.stop()


def _start(
    plan: RunPlan, context: LaunchContext, traffic: ServerTraffic, trial: Trial, log: IO[bytes]
) -> StartedScheduler:
    try:
        return start_scheduler(
            plan.profile,
            context,
            traffic,
            trial.clock,
            pace=plan.pace,
            log=log,
            idle_limit_s=plan.idle_limit_s,
        )
    except WarpError as error:
        raise SchedulerFailedError(
            f"{plan.profile.name} could not be started under a virtual clock: {error}"
        ) from error


async def _play(trial: Trial, scheduler: StartedScheduler) -> tuple[str, UserError | None]:
    """Play the trial; the reason of its end, and the error if it did not end well."""
    playing = asyncio.create_task(_from_readiness(trial, scheduler))
    try:
        with _interrupting(playing):
            return await playing, None
    except asyncio.CancelledError:
        return _INTERRUPTED, UserError("the run was interrupted; what was measured until then is kept")
    except NotQuiescent as error:
        what = f"the scheduler did not come to rest: {error}"
        return "the scheduler hung", SchedulerFailedError(what, where=_log_hint(scheduler))
    except (ProcessGone, ProcessVanished) as error:
        return "the scheduler ended", SchedulerFailedError(str(error), where=_log_hint(scheduler))
    except (PaceError, WarpError) as error:
        return "time could not be moved", StuckTimeError(str(error))
    except RefusedArrival as error:
        return "the scenario was refused", error
    except ScenarioError as error:
        return "a process of the scenario failed", error


async def _from_readiness(trial: Trial, scheduler: StartedScheduler) -> str:
    await scheduler.ready()
    return await trial.play(scheduler.pace, lambda: scheduler.requests)


@contextmanager
def _interrupting(playing: "asyncio.Task[str]") -> Iterator[None]:
    """Ctrl-C and SIGTERM end the play and nothing else, so that what follows can clean up."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, playing.cancel)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def _log_hint(scheduler: StartedScheduler) -> str | None:
    with suppress(OSError):
        lines = scheduler.log_path.read_text(errors="replace").splitlines()[-_LOG_TAIL:]
        if lines:
            return "\n".join([f"the end of {scheduler.log_path}:", *(f"  | {line}" for line in lines), ""])
    return None


def _result(
    plan: RunPlan, trial: Trial, scheduler: StartedScheduler, why: str, real: RealTime, *, complete: bool
) -> RunResult:
    scenario, ledger = plan.scenario, read_ledger(trial.timeline)
    metrics, classes = measure(ledger), by_class(ledger)
    return RunResult(
        scenario=scenario.name,
        scenario_title=scenario.settings.title,
        scenario_digest=scenario.digest,
        timeline_digest=trial.timeline.digest(),
        scheduler=plan.profile.name,
        scheduler_command=scheduler.command,
        seed=scenario.seed,
        parameters=_parameters(scenario),
        start=format_instant(scenario.start_ns),
        ended=why,
        complete=complete,
        wall_s=real.whole / SECOND,
        play_s=real.play / SECOND,
        virtual_s=trial.virtual / SECOND,
        jobs=JobCounts.of(ledger),
        fidelity=Fidelity.model_validate(scheduler.pace.fidelity.to_json()),
        metrics=metrics,
        classes=classes,
        expectations=[each.outcome(metrics[each.metric].value) for each in scenario.expectations],
        notes=list(scenario.notes),
        versions={
            "scheduler-evaluator": version("scheduler-evaluator"),
            "python": platform.python_version(),
            "platform": f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors",
        },
    )


def _parameters(scenario: LoadedScenario) -> dict[str, JsonValue]:
    return dict(scenario.parameters.model_dump(mode="json"))
