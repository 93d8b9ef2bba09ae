"""How much work was done, and in what time."""

from evaluator.metrics.ledger import Ledger
from evaluator.metrics.metric import Measure
from fakeapi.kernel.time import HOUR, SECOND


def _makespan_ns(ledger: Ledger) -> int:
    return ledger.last_end_ns - ledger.first_submission_ns


def _makespan(ledger: Ledger) -> float | None:
    return _makespan_ns(ledger) / SECOND if ledger.jobs else None


def _finished(ledger: Ledger) -> int:
    return sum(job.finished_ns is not None for job in ledger.jobs)


def _throughput(ledger: Ledger) -> float | None:
    makespan = _makespan_ns(ledger)
    return _finished(ledger) * HOUR / makespan if ledger.jobs and makespan else None


def _evictions(ledger: Ledger) -> float:
    return sum(pod.outcome == "evicted" for pod in ledger.pods)


MEASURES = (
    Measure(
        "makespan",
        "s",
        "lower",
        "from the first submission to the last end of a job with a run time; of the run, if one was left",
        _makespan,
    ),
    Measure("throughput", "1/h", "higher", "jobs that finished ÷ makespan", _throughput),
    Measure(
        "evictions",
        "pods",
        "lower",
        "pods whose place was taken away: preempted, evicted, lost with node or chip",
        _evictions,
    ),
)
"""What is measured about the amount of work."""
