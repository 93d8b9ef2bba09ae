"""How long jobs wait, and how long they take from submission to end."""

from collections.abc import Callable
from functools import partial

from evaluator.metrics.ledger import Ledger
from evaluator.metrics.metric import Measure, mean, percentile
from evaluator.metrics.records import JobRecord
from fakeapi.kernel.time import SECOND

SLOWDOWN_BOUND_NS = 10 * SECOND
"""Shorter run times count as this in the slowdown, lest jobs of moments rule it (Feitelson's bound)."""


def wait_ns(job: JobRecord, end_ns: int) -> int:
    """Nanoseconds from submission to the first time that it has the places that it needs.

    For a job that never had them, until its end or that of the run.
    """
    until = job.bound_ns
    if until is None:
        until = end_ns if job.ended_ns is None else job.ended_ns
    return until - job.submitted_ns


def waits(ledger: Ledger) -> list[int]:
    """The wait of every job, in nanoseconds."""
    return [wait_ns(job, ledger.end_ns) for job in ledger.jobs]


def turnarounds(ledger: Ledger) -> list[int]:
    """Nanoseconds from submission to finish of every job that finished."""
    return [job.finished_ns - job.submitted_ns for job in ledger.jobs if job.finished_ns is not None]


def slowdowns(ledger: Ledger) -> list[float]:
    """Bounded slowdown of every job that finished: max(1, (wait + run) ÷ max(run, bound)).

    The run is the time that all its work takes undisturbed, so that what is done again counts as waiting;
    where that is not known, the time from start to finish.
    """
    found = []
    for job in ledger.jobs:
        if job.finished_ns is not None and job.started_ns is not None:
            run = job.finished_ns - job.started_ns if job.work_ns is None else job.work_ns
            turnaround = job.finished_ns - job.submitted_ns
            found.append(max(1.0, turnaround / max(run, SLOWDOWN_BOUND_NS)))
    return found


def _percentile_s(ledger: Ledger, *, values: Callable[[Ledger], list[int]], percent: int) -> float | None:
    found = percentile(values(ledger), percent)
    return None if found is None else found / SECOND


def _mean_s(ledger: Ledger, *, values: Callable[[Ledger], list[int]]) -> float | None:
    found = mean(values(ledger))
    return None if found is None else found / SECOND


def _slowdown_mean(ledger: Ledger) -> float | None:
    return mean(slowdowns(ledger))


def _slowdown_p99(ledger: Ledger) -> float | None:
    return percentile(slowdowns(ledger), 99)


_WAIT = (
    "the time from submission to binding of all jobs (of a gang: of all its pods at once); a job never bound "
    "counts with the time it waited, so that forgetting it does not improve the figure"
)
_TURNAROUND = "the time from submission to finish of jobs that finished"
_SLOWDOWN = "max(1, (wait + run) ÷ max(run, 10 s)) of jobs that finished; run: all their work, undisturbed"


def _times(
    name: str, definition: str, values: Callable[[Ledger], list[int]], percents: tuple[int, ...]
) -> tuple[Measure, ...]:
    return (
        Measure(f"{name}_mean", "s", "lower", f"mean of {definition}", partial(_mean_s, values=values)),
        *(
            Measure(
                f"{name}_p{percent}",
                "s",
                "lower",
                f"{percent}th percentile of {definition}",
                partial(_percentile_s, values=values, percent=percent),
            )
            for percent in percents
        ),
        Measure(
            f"{name}_max",
            "s",
            "lower",
            f"greatest of {definition}",
            partial(_percentile_s, values=values, percent=100),
        ),
    )


MEASURES = (
    *_times("wait", _WAIT, waits, (50, 90, 99)),
    *_times("turnaround", _TURNAROUND, turnarounds, (50, 90, 99)),
    Measure("bounded_slowdown", "factor", "lower", f"mean of {_SLOWDOWN}", _slowdown_mean),
    Measure("bounded_slowdown_p99", "factor", "lower", f"99th percentile of {_SLOWDOWN}", _slowdown_p99),
)
"""What is measured about waiting."""
