"""Deadlines: met, missed, and by how much."""

from functools import partial

from evaluator.metrics.ledger import Ledger
from evaluator.metrics.metric import Measure, mean, percentile
from evaluator.metrics.records import JobRecord
from fakeapi.kernel.time import SECOND


def due(ledger: Ledger) -> list[JobRecord]:
    """Jobs whose deadline can be judged: it has passed by the end of the run.

    A run in which every job with a deadline has ended is judged as if it had gone on until the last
    deadline: nothing could have changed any more, and an early end of the run must not decide which jobs
    count.
    """
    jobs = [job for job in ledger.jobs if job.deadline_ns is not None]
    if ledger.all_have_ended:
        return jobs
    return [job for job in jobs if job.deadline_ns is not None and job.deadline_ns <= ledger.end_ns]


def missed(job: JobRecord) -> bool:
    """Whether a job whose deadline is due did not finish in time."""
    return job.deadline_ns is not None and (job.finished_ns is None or job.finished_ns > job.deadline_ns)


def tardiness_ns(job: JobRecord, end_ns: int) -> int:
    """Nanoseconds from the deadline to the finish; to the end of the run for a job that did not finish."""
    assert job.deadline_ns is not None
    finish = end_ns if job.finished_ns is None else job.finished_ns
    return max(0, finish - job.deadline_ns)


def _miss_rate(ledger: Ledger) -> float | None:
    jobs = due(ledger)
    return sum(map(missed, jobs)) / len(jobs) if jobs else None


def _due_count(ledger: Ledger) -> float:
    return len(due(ledger))


def _missed_count(ledger: Ledger) -> float:
    return sum(map(missed, due(ledger)))


def _not_due_count(ledger: Ledger) -> float:
    return sum(job.deadline_ns is not None for job in ledger.jobs) - len(due(ledger))


def _tardiness(ledger: Ledger) -> list[int]:
    return [tardiness_ns(job, ledger.end_ns) for job in due(ledger)]


def _tardiness_percentile(ledger: Ledger, *, percent: int) -> float | None:
    found = percentile(_tardiness(ledger), percent)
    return None if found is None else found / SECOND


def _tardiness_mean(ledger: Ledger) -> float | None:
    found = mean(_tardiness(ledger))
    return None if found is None else found / SECOND


_DUE = "jobs whose deadline has passed by the end of the run, or could no longer change the outcome"
_TARDINESS = "max(0, finish − deadline) of jobs whose deadline is due; jobs left: until the end of the run"

MEASURES = (
    Measure(
        "deadline_miss_rate",
        "ratio",
        "lower",
        f"jobs that finished after their deadline, or have not finished though it has passed ÷ {_DUE}",
        _miss_rate,
    ),
    Measure("deadlines_due", "jobs", "none", _DUE, _due_count),
    Measure("deadlines_missed", "jobs", "lower", "jobs late or unfinished among those due", _missed_count),
    Measure(
        "deadlines_not_due",
        "jobs",
        "none",
        "jobs whose deadline lies beyond the end of the run; they are not judged",
        _not_due_count,
    ),
    Measure("tardiness_mean", "s", "lower", f"mean of {_TARDINESS}", _tardiness_mean),
    *(
        Measure(
            f"tardiness_p{percent}",
            "s",
            "lower",
            f"{percent}th percentile of {_TARDINESS}",
            partial(_tardiness_percentile, percent=percent),
        )
        for percent in (50, 95, 99)
    ),
    Measure(
        "tardiness_max",
        "s",
        "lower",
        f"greatest {_TARDINESS}",
        partial(_tardiness_percentile, percent=100),
    ),
)
"""What is measured about deadlines."""
