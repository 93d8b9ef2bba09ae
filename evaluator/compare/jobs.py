"""One row for each job, with the values that metrics of jobs are made of."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evaluator.metrics.deadlines import due, missed, tardiness_ns
from evaluator.metrics.ledger import Ledger
from evaluator.metrics.records import JobRecord
from evaluator.metrics.waiting import SLOWDOWN_BOUND_NS, wait_ns
from fakeapi.kernel.time import SECOND

Floats = NDArray[np.float64]

MEAN: Final = "mean"
TOTAL: Final = "total"

Statistic = str | int
"""How one figure is made of the values of jobs: :data:`MEAN`, :data:`TOTAL`, or a percentile's percent."""


@dataclass(frozen=True, slots=True)
class JobTable:
    """The jobs of a run, in the order of submission."""

    keys: tuple[tuple[str, int, int], ...]
    """Name, how many of that name came before, and the instant of submission in nanoseconds."""
    columns: dict[str, Floats]
    """Values by name, in seconds where they are times; NaN for a job that has none."""


def job_table(ledger: Ledger) -> JobTable:
    """The table of a run."""
    judged = set(map(id, due(ledger)))
    end_ns = ledger.end_ns

    def tardiness(job: JobRecord) -> float | None:
        return tardiness_ns(job, end_ns) / SECOND if id(job) in judged else None

    def late(job: JobRecord) -> float | None:
        return float(missed(job)) if id(job) in judged else None

    columns: dict[str, Callable[[JobRecord], float | None]] = {
        "wait": lambda job: wait_ns(job, end_ns) / SECOND,
        "turnaround": _turnaround,
        "slowdown": _slowdown,
        "tardiness": tardiness,
        "late": late,
        "slack": _slack,
    }
    return JobTable(
        _keys(ledger.jobs), {name: _column(ledger.jobs, value) for name, value in columns.items()}
    )


def _keys(jobs: tuple[JobRecord, ...]) -> tuple[tuple[str, int, int], ...]:
    before: Counter[str] = Counter()
    keys = []
    for job in jobs:
        keys.append((job.name, before[job.name], job.submitted_ns))
        before[job.name] += 1
    return tuple(keys)


def _column(jobs: tuple[JobRecord, ...], value: Callable[[JobRecord], float | None]) -> Floats:
    told = [value(job) for job in jobs]
    return np.array([np.nan if one is None else one for one in told], dtype=np.float64)


def _turnaround(job: JobRecord) -> float | None:
    return None if job.finished_ns is None else (job.finished_ns - job.submitted_ns) / SECOND


def _slowdown(job: JobRecord) -> float | None:
    if job.finished_ns is None or job.started_ns is None:
        return None
    run = job.finished_ns - job.started_ns if job.work_ns is None else job.work_ns
    return max(1.0, (job.finished_ns - job.submitted_ns) / max(run, SLOWDOWN_BOUND_NS))


def _slack(job: JobRecord) -> float | None:
    if job.deadline_ns is None or job.work_ns is None or job.started_ns is None:
        return None
    return (job.deadline_ns - job.work_ns - job.started_ns) / SECOND


JOB_METRICS: Final[dict[str, tuple[str, Statistic]]] = {
    "deadline_miss_rate": ("late", MEAN),
    "deadlines_missed": ("late", TOTAL),
    "tardiness_mean": ("tardiness", MEAN),
    **{f"tardiness_p{percent}": ("tardiness", percent) for percent in (50, 95, 99)},
    "tardiness_max": ("tardiness", 100),
    "wait_mean": ("wait", MEAN),
    **{f"wait_p{percent}": ("wait", percent) for percent in (50, 90, 99)},
    "wait_max": ("wait", 100),
    "turnaround_mean": ("turnaround", MEAN),
    **{f"turnaround_p{percent}": ("turnaround", percent) for percent in (50, 90, 99)},
    "turnaround_max": ("turnaround", 100),
    "bounded_slowdown": ("slowdown", MEAN),
    "bounded_slowdown_p99": ("slowdown", 99),
    **{f"slack_at_start_p{percent}": ("slack", percent) for percent in (5, 50)},
}
"""Metrics that are a statistic of a column; all others are of the run as a whole."""
