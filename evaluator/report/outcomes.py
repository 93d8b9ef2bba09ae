"""What became of deadlines, class by class: by size, priority, user, queue."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from evaluator.metrics.classes import KINDS, LARGER, OTHERS, SIZES
from evaluator.metrics.deadlines import due, missed
from evaluator.metrics.ledger import Ledger
from evaluator.metrics.records import JobRecord
from evaluator.report.model import ReportedRun

MAX_CLASSES: Final = 12
"""Classes of one kind that are drawn; the smaller ones are taken together."""

OUTCOMES: Final = ("in time", "late", "unfinished", "not due yet")
"""What a deadline can have come to."""


@dataclass(frozen=True, slots=True)
class ClassOutcomes:
    """One class: what became of its deadlines in each run."""

    name: str
    counts: tuple[Mapping[str, int], ...]
    """By run: outcome → jobs."""


def outcome_of(job: JobRecord, *, is_due: bool) -> str:
    """What the deadline of a job came to."""
    if not is_due:
        return "not due yet"
    if not missed(job):
        return "in time"
    return "unfinished" if job.finished_ns is None else "late"


def outcomes(runs: Sequence[ReportedRun], kind: str) -> list[ClassOutcomes]:
    """Deadlines of several runs by class, the same classes for all; none where no job has a deadline."""
    counted = [_counted(run.ledger, KINDS[kind]) for run in runs]
    sizes: Counter[str] = Counter()
    for run in counted:
        sizes.update({name: counts.total() for name, counts in run.items()})
    kept = [name for name, _ in sizes.most_common(MAX_CLASSES)]
    rest = [name for name in sizes if name not in kept]
    if kind == "size":
        order = [name for _, name in SIZES] + [LARGER]
        kept.sort(key=order.index)
    else:
        kept.sort()
    classes = [ClassOutcomes(name, tuple(run.get(name, Counter()) for run in counted)) for name in kept]
    if rest:
        together = tuple(sum((run.get(name, Counter()) for name in rest), Counter()) for run in counted)
        classes.append(ClassOutcomes(OTHERS, together))
    return classes


def _counted(ledger: Ledger, classify: Callable[[JobRecord], str]) -> dict[str, Counter[str]]:
    judged = {id(job) for job in due(ledger)}
    found: dict[str, Counter[str]] = {}
    for job in ledger.jobs:
        if job.deadline_ns is not None:
            counts = found.setdefault(classify(job), Counter())
            counts[outcome_of(job, is_due=id(job) in judged)] += 1
    return found
