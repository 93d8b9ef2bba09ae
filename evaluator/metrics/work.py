"""What became of the chip-time that was held: work that counts, work done twice, and the rest."""

from collections.abc import Collection
from functools import partial
from typing import Final

from evaluator.metrics.ledger import Ledger
from evaluator.metrics.metric import Measure, mean, percentile
from evaluator.metrics.records import JobRecord, PodRecord
from evaluator.timeline import Cause
from fakeapi.kernel.time import HOUR, SECOND

PREEMPTION: Final[frozenset[Cause]] = frozenset({"preemption"})
FAILURE: Final[frozenset[Cause]] = frozenset({"chip_failure", "node_failure", "peer"})
"""Causes by which hardware takes work away: of the pod's own, or of another member's of its gang."""


def _ended(ledger: Ledger) -> list[PodRecord]:
    """Pods of which is told what became of their work: those that have ended and do not run for ever."""
    return [pod for pod in ledger.pods if pod.chips and pod.run_ns is not None and pod.held_ns]


def _goodput(ledger: Ledger) -> float | None:
    pods = _ended(ledger)
    held = sum(pod.chips * pod.held_ns for pod in pods)
    return sum(pod.chips * pod.kept_ns for pod in pods) / held if held else None


def _lost(ledger: Ledger, *, causes: Collection[Cause] | None) -> float:
    pods = [pod for pod in _ended(ledger) if causes is None or pod.cause in causes]
    return sum(pod.chips * pod.lost_ns for pod in pods) / HOUR


def _overhead(ledger: Ledger) -> float:
    return sum(pod.chips * (pod.held_ns - pod.kept_ns - pod.lost_ns) for pod in _ended(ledger)) / HOUR


def _preemptions(ledger: Ledger) -> float:
    return sum(pod.cause in PREEMPTION for pod in ledger.pods)


def _preempted_jobs(ledger: Ledger) -> list[int]:
    """For each job, how often it was preempted; a gang as a whole counts once for all its pods."""
    return [_times_preempted(job) for job in ledger.jobs]


def _times_preempted(job: JobRecord) -> int:
    ends = [pod.ended_ns for pod in job.pods if pod.cause in PREEMPTION]
    return len(set(ends)) if job.gang else len(ends)


def _preemptions_per_job(ledger: Ledger) -> float | None:
    return mean(_preempted_jobs(ledger))


def _preemptions_max(ledger: Ledger) -> float:
    return max(_preempted_jobs(ledger), default=0)


def gang_waits(ledger: Ledger) -> list[int]:
    """Of each gang, nanoseconds until all that it needs were bound at once; until its end if never."""
    gangs = [job for job in ledger.jobs if job.gang]
    ends = [next(at for at in (job.bound_ns, job.ended_ns, ledger.end_ns) if at is not None) for job in gangs]
    return [end - job.submitted_ns for job, end in zip(gangs, ends, strict=True)]


def slacks(ledger: Ledger) -> list[int]:
    """Of each job with a deadline that started: nanoseconds of slack then; negative if it was too late."""
    return [
        job.deadline_ns - job.work_ns - job.started_ns
        for job in ledger.jobs
        if job.deadline_ns is not None and job.work_ns is not None and job.started_ns is not None
    ]


def _gang_wait_percentile(ledger: Ledger, *, percent: int) -> float | None:
    found = percentile(gang_waits(ledger), percent)
    return None if found is None else found / SECOND


def _slack_percentile(ledger: Ledger, *, percent: int) -> float | None:
    found = percentile(slacks(ledger), percent)
    return None if found is None else found / SECOND


_OF = "of pods that have ended and do not run for ever, chips × time"
_GANG_WAIT = "the time from a gang's submission to when all pods that it needs were bound at once"
_SLACK = "deadline − start − work, of jobs with a deadline that started; negative: started too late"

MEASURES = (
    Measure(
        "goodput",
        "ratio",
        "higher",
        f"work that counts, finished or saved by a checkpoint ÷ places held, {_OF}",
        _goodput,
    ),
    Measure(
        "chip_hours_lost",
        "h",
        "lower",
        f"work that had to be done again, {_OF}",
        partial(_lost, causes=None),
    ),
    Measure(
        "chip_hours_lost_to_preemption",
        "h",
        "lower",
        f"work that had to be done again because a scheduler preempted the pod, {_OF}",
        partial(_lost, causes=PREEMPTION),
    ),
    Measure(
        "chip_hours_lost_to_failures",
        "h",
        "lower",
        f"work that had to be done again since a chip, a machine or a member of the gang failed, {_OF}",
        partial(_lost, causes=FAILURE),
    ),
    Measure(
        "chip_hours_overhead",
        "h",
        "lower",
        f"places held without working: start-up, restarts, waiting for the gang, stopping; {_OF}",
        _overhead,
    ),
    Measure("preemptions", "pods", "lower", "pods that a scheduler preempted", _preemptions),
    Measure(
        "preemptions_per_job",
        "times",
        "lower",
        "how often a job was preempted, mean over all jobs; a gang as a whole once",
        _preemptions_per_job,
    ),
    Measure(
        "preemptions_of_a_job_max", "times", "lower", "how often one job was preempted", _preemptions_max
    ),
    *(
        Measure(
            f"gang_wait_p{percent}",
            "s",
            "lower",
            f"{percent}th percentile of {_GANG_WAIT}",
            partial(_gang_wait_percentile, percent=percent),
        )
        for percent in (50, 99)
    ),
    *(
        Measure(
            f"slack_at_start_p{percent}",
            "s",
            "higher",
            f"{percent}th percentile of {_SLACK}",
            partial(_slack_percentile, percent=percent),
        )
        for percent in (5, 50)
    ),
)
"""What is measured about work."""
