"""One row for each job of a run: what it was, when it did what, what became of its work."""

from typing import Any

from evaluator.metrics.deadlines import due, missed, tardiness_ns
from evaluator.metrics.ledger import Ledger
from evaluator.metrics.records import JobRecord
from evaluator.metrics.waiting import wait_ns
from evaluator.metrics.work import PREEMPTION
from fakeapi.kernel.time import SECOND

COLUMNS = {
    "job": "string",
    "submitted_s": "double",
    "chips": "int64",
    "pods": "int64",
    "gang": "bool",
    "priority": "int64",
    "user": "string",
    "queue": "string",
    "chip_type": "string",
    "deadline_s": "double",
    "expected_s": "double",
    "work_s": "double",
    "bound_s": "double",
    "started_s": "double",
    "ended_s": "double",
    "outcome": "string",
    "wait_s": "double",
    "turnaround_s": "double",
    "missed": "bool",
    "tardiness_s": "double",
    "attempts": "int64",
    "preemptions": "int64",
    "held_chip_s": "double",
    "kept_chip_s": "double",
    "lost_chip_s": "double",
}
"""Names and types of the columns. Times are seconds since the start of the run, spans are seconds; a column
is empty where there is nothing to say: no deadline, or one that cannot be judged; not come to."""


def job_rows(ledger: Ledger) -> list[dict[str, Any]]:
    """The rows in the order of submission, each with all of :data:`COLUMNS`."""
    judged = {id(job) for job in due(ledger)}
    return [_row(job, ledger.end_ns, is_due=id(job) in judged) for job in ledger.jobs]


def _row(job: JobRecord, end_ns: int, *, is_due: bool) -> dict[str, Any]:
    finished = job.finished_ns
    return {
        "job": job.name,
        "submitted_s": _seconds(job.submitted_ns),
        "chips": job.chips,
        "pods": job.parallel,
        "gang": job.gang,
        "priority": job.priority,
        "user": job.user,
        "queue": job.queue,
        "chip_type": job.chip_type,
        "deadline_s": _seconds(job.deadline_ns),
        "expected_s": _seconds(job.expected_ns),
        "work_s": _seconds(job.work_ns),
        "bound_s": _seconds(job.bound_ns),
        "started_s": _seconds(job.started_ns),
        "ended_s": _seconds(job.ended_ns),
        "outcome": job.outcome,
        "wait_s": _seconds(wait_ns(job, end_ns)),
        "turnaround_s": None if finished is None else _seconds(finished - job.submitted_ns),
        "missed": missed(job) if is_due else None,
        "tardiness_s": _seconds(tardiness_ns(job, end_ns)) if is_due else None,
        "attempts": len(job.pods),
        "preemptions": sum(pod.cause in PREEMPTION for pod in job.pods),
        "held_chip_s": sum(pod.chips * pod.held_ns for pod in job.pods) / SECOND,
        "kept_chip_s": sum(pod.chips * pod.kept_ns for pod in job.pods) / SECOND,
        "lost_chip_s": sum(pod.chips * pod.lost_ns for pod in job.pods) / SECOND,
    }


def _seconds(ns: int | None) -> float | None:
    return None if ns is None else ns / SECOND
