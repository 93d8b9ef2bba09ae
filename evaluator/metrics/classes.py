"""The figures that hold for jobs, for each class of jobs: by size, priority, user, queue, chip type."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from evaluator.metrics import deadlines, waiting
from evaluator.metrics.ledger import Ledger
from evaluator.metrics.metric import Measure, Metric
from evaluator.metrics.records import JobRecord

SIZES: Final = ((0, "no chip"), (1, "1 chip"), (2, "2 chips"), (4, "3–4 chips"), (8, "5–8 chips"))
"""Greatest number of chips, and the name of the class; the sizes that nodes are made in."""

LARGER: Final = "over 8 chips"

MOST_CLASSES: Final = 30
"""Classes of one kind that are told apart: those with the most jobs. A trace has thousands of users."""

OTHERS: Final = "others"
"""All other classes of a kind together."""


def size_class(job: JobRecord) -> str:
    """The class of a job by its chips."""
    return next((name for most, name in SIZES if job.chips <= most), LARGER)


KINDS: Final[Mapping[str, Callable[[JobRecord], str]]] = {
    "size": size_class,
    "priority": lambda job: f"priority {job.priority}",
    "user": lambda job: job.user or "no user",
    "queue": lambda job: job.queue or "no queue",
    "chip_type": lambda job: job.chip_type or "any chip",
}
"""How jobs are put into classes."""


def _jobs(ledger: Ledger) -> float:
    return len(ledger.jobs)


MEASURES: Final = (
    Measure("jobs", "jobs", "none", "jobs of the class that were submitted", _jobs),
    *deadlines.MEASURES,
    *waiting.MEASURES,
)
"""What is measured for a class: all that follows from its own jobs."""

Classes = dict[str, dict[str, dict[str, Metric]]]
"""Kind → class → metric."""


def by_class(ledger: Ledger) -> Classes:
    """The figures of each class; kinds that put all jobs into one class are left out, as they say nothing."""
    found: Classes = {}
    for kind, classify in KINDS.items():
        names = [classify(job) for job in ledger.jobs]
        if len(set(names)) > 1:
            found[kind] = _of(ledger, names)
    return found


def _of(ledger: Ledger, names: list[str]) -> dict[str, dict[str, Metric]]:
    kept = {name for name, _ in Counter(names).most_common(MOST_CLASSES)}
    members: dict[str, list[JobRecord]] = {}
    for job, name in zip(ledger.jobs, names, strict=True):
        members.setdefault(name if name in kept else OTHERS, []).append(job)
    return {
        name: {each.name: each.of(replace(ledger, jobs=tuple(jobs))) for each in MEASURES}
        for name, jobs in sorted(members.items())
    }
