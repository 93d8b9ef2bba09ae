"""Results of runs that nobody performed."""

from collections.abc import Mapping
from typing import Any

from evaluator.metrics.metric import Better, Metric
from evaluator.results import JobCounts, RunResult
from tests.support.reports import fidelity

BETTER: Mapping[str, Better] = {"utilization": "higher", "deadlines_due": "none"}


def result(metrics: Mapping[str, float | None], **changes: Any) -> RunResult:
    """A complete run with these values; lower is better unless the metric is a well-known exception."""
    fields: dict[str, Any] = {
        "scenario": "s",
        "scenario_digest": "d",
        "scheduler": "lst",
        "seed": 0,
        "parameters": {},
        "start": "2026-01-05T00:00:00Z",
        "ended": "everything is done",
        "wall_s": 1.0,
        "virtual_s": 60.0,
        "jobs": JobCounts(submitted=1, finished=1, failed=0, pending=0),
        "fidelity": fidelity(),
        "metrics": {
            name: Metric(value=value, unit="s", better=BETTER.get(name, "lower"))
            for name, value in metrics.items()
        },
    }
    return RunResult(**{**fields, **changes})
