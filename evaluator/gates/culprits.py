"""The jobs behind a figure: those that were late, or waited longest."""

from collections.abc import Callable
from typing import Final

from evaluator.metrics.deadlines import due, missed, tardiness_ns
from evaluator.metrics.ledger import Ledger
from evaluator.metrics.records import JobRecord
from evaluator.words import span_text

MOST: Final = 5
"""Jobs named for one failure: enough to begin with; ``evaluator explain`` tells the story of each."""


def culprits(metric: str, ledger: Ledger) -> list[str]:
    """The jobs that weigh most in a metric, in words, the worst first; empty where no job stands out."""
    for prefix, find in _BY_METRIC.items():
        if metric.startswith(prefix):
            return find(ledger)[:MOST]
    return []


def _late(ledger: Ledger) -> list[str]:
    late = [(tardiness_ns(job, ledger.end_ns), job) for job in due(ledger) if missed(job)]
    return [f"{job.name}, late by {span_text(late_ns)}" for late_ns, job in _worst_first(late)]


def _waiting(ledger: Ledger) -> list[str]:
    waits = [(_wait_ns(job, ledger), job) for job in ledger.jobs]
    return [f"{job.name}, waited {span_text(wait)}" for wait, job in _worst_first(waits) if wait]


def _wait_ns(job: JobRecord, ledger: Ledger) -> int:
    until = next((at for at in (job.bound_ns, job.ended_ns) if at is not None), ledger.end_ns)
    return until - job.submitted_ns


def _worst_first(found: list[tuple[int, JobRecord]]) -> list[tuple[int, JobRecord]]:
    return sorted(found, key=lambda pair: (-pair[0], pair[1].name))


_BY_METRIC: Final[dict[str, Callable[[Ledger], list[str]]]] = {
    "deadline": _late,
    "tardiness": _late,
    "wait": _waiting,
    "turnaround": _waiting,
    "bounded_slowdown": _waiting,
    "pending": _waiting,
}
