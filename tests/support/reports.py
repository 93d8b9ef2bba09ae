"""Runs to report, made without any process."""

from typing import Any

from evaluator.metrics import measure
from evaluator.metrics.ledger import read_ledger
from evaluator.report.model import ReportedRun
from evaluator.results import Fidelity, JobCounts, RunResult
from evaluator.scenario.loader import load_scenario
from evaluator.scenario.plan import LoadedScenario
from evaluator.scenario.units import format_rfc3339
from evaluator.timeline import Timeline
from fakeapi.kernel.time import SECOND
from tests.support.list_scheduling import Order, run


def fidelity(**changes: Any) -> Fidelity:
    figures: dict[str, Any] = {
        "pace": "warp",
        "jumps": 431,
        "forced_moves": 0,
        "proofs": 500,
        "wakeups": 77,
        "longest_wait_s": 0.123,
        "clock_lead_s": 0.0041,
        "scheduler_cpu_s": 2.87,
    }
    return Fidelity(**{**figures, **changes})


def reported(scenario: LoadedScenario, timeline: Timeline, scheduler: str, /, **changes: Any) -> ReportedRun:
    """The report's view of a timeline, with plausible figures for what a timeline does not hold."""
    ledger = read_ledger(timeline)
    fields: dict[str, Any] = {
        "scenario": scenario.name,
        "scenario_title": scenario.settings.title,
        "scenario_digest": scenario.digest,
        "timeline_digest": timeline.digest(),
        "scheduler": scheduler,
        "scheduler_command": ["lst-scheduler", "--kubeconfig", "kubeconfig"],
        "seed": scenario.seed,
        "parameters": scenario.parameters.model_dump(mode="json"),
        "start": format_rfc3339(scenario.start_ns),
        "ended": "everything is done",
        "wall_s": 3.217,
        "virtual_s": timeline.end_ns / SECOND,
        "jobs": JobCounts.of(ledger),
        "fidelity": fidelity(),
        "metrics": measure(ledger),
        "notes": list(scenario.notes),
        "versions": {"scheduler-evaluator": "0.1.0"},
    }
    return ReportedRun.of(RunResult(**{**fields, **changes}), timeline)


def quickstart(order: Order, scheduler: str, /, *, seed: int = 0, **changes: Any) -> ReportedRun:
    """The quickstart, scheduled in an order."""
    scenario = load_scenario("quickstart", seed=seed)
    return reported(scenario, run(scenario, order, scheduler), scheduler, **changes)
