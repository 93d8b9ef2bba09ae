"""What a report shows of a run, whatever it is shown with."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from evaluator.metrics.deadlines import due, missed, tardiness_ns
from evaluator.metrics.ledger import Ledger, read_ledger
from evaluator.metrics.metric import Metric
from evaluator.metrics.records import JobRecord
from evaluator.metrics.steps import Steps, bucket_integrals, sampled
from evaluator.metrics.usage import held_chips, pending_pods
from evaluator.metrics.waiting import wait_ns, waits
from evaluator.results import RunResult
from evaluator.timeline import Timeline
from fakeapi.kernel.time import SECOND


@dataclass(frozen=True, slots=True)
class LateJob:
    """A job that missed its deadline. Times in seconds since the start of the run."""

    job: str
    user: str | None
    chips: int
    submitted_s: float
    wait_s: float
    deadline_s: float
    finished_s: float | None
    """None if it did not finish."""
    late_s: float


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """A run: its result, the table of its jobs, and everything that happened."""

    result: RunResult
    ledger: Ledger
    timeline: Timeline

    @classmethod
    def of(cls, result: RunResult, timeline: Timeline) -> Self:
        """The run that a result and its timeline tell of.

        :raises FileFormatError: if the timeline contradicts itself.
        """
        return cls(result, read_ledger(timeline), timeline)

    def metric(self, name: str) -> Metric | None:
        """The metric of that name; none if this result has none."""
        return self.result.metrics.get(name)

    def value(self, name: str) -> float | None:
        """The value of the metric of that name; none if there is none or nothing was measured."""
        metric = self.metric(name)
        return None if metric is None else metric.value

    @property
    def window_ns(self) -> tuple[int, int]:
        """What is drawn: from the first submission to the end of the run."""
        return self.ledger.first_submission_ns, self.ledger.end_ns

    def held(self, limit: int) -> Steps:
        """Chips held over time, in about ``limit`` steps."""
        return sampled(held_chips(self.ledger), *self.window_ns, limit)

    def usable(self, limit: int) -> Steps:
        """Usable chips over time, in about ``limit`` steps."""
        return sampled(self.ledger.usable_chips, *self.window_ns, limit)

    def pending(self, limit: int) -> Steps:
        """Jobs without a node over time, in about ``limit`` steps."""
        return sampled(pending_pods(self.ledger), *self.window_ns, limit)

    def utilization_by_part(self, parts: int) -> list[float]:
        """Chips held ÷ usable chips, averaged over each of so many equal parts of the run."""
        held = bucket_integrals(held_chips(self.ledger), *self.window_ns, parts)
        usable = bucket_integrals(self.ledger.usable_chips, *self.window_ns, parts)
        return [part / whole if whole else 0.0 for part, whole in zip(held, usable, strict=True)]

    def pending_by_part(self, parts: int) -> list[float]:
        """Jobs without a node, averaged over each of so many equal parts of the run."""
        start, end = self.window_ns
        integrals = bucket_integrals(pending_pods(self.ledger), start, end, parts)
        length = (end - start) / parts
        return [integral / length if length else 0.0 for integral in integrals]

    def waits_s(self, limit: int) -> list[tuple[float, float]]:
        """The distribution of waits: (seconds, share of jobs that waited at most so long), evenly thinned."""
        ordered = sorted(waits(self.ledger))
        count = len(ordered)
        ranks = sorted({-(-count * step // limit) for step in range(1, limit + 1)}) if count else []
        return [(ordered[rank - 1] / SECOND, rank / count) for rank in ranks]

    def late_jobs(self) -> list[LateJob]:
        """Jobs that missed their deadline, the latest first."""
        late = [_late(job, self.ledger.end_ns) for job in due(self.ledger) if missed(job)]
        return sorted(late, key=lambda job: (-job.late_s, job.submitted_s, job.job))


def _late(job: JobRecord, end_ns: int) -> LateJob:
    assert job.deadline_ns is not None
    return LateJob(
        job=job.name,
        user=job.user,
        chips=job.chips,
        submitted_s=job.submitted_ns / SECOND,
        wait_s=wait_ns(job, end_ns) / SECOND,
        deadline_s=job.deadline_ns / SECOND,
        finished_s=None if job.finished_ns is None else job.finished_ns / SECOND,
        late_s=tardiness_ns(job, end_ns) / SECOND,
    )


def labels(runs: Sequence[ReportedRun]) -> list[str]:
    """Names that tell the runs apart: the scheduler's, and more where that is not enough."""
    names = [run.result.scheduler for run in runs]
    if len({run.result.scenario_digest for run in runs}) > 1:
        names = [f"{name}, {run.result.scenario}" for name, run in zip(names, runs, strict=True)]
    names = [
        f"{name}, seed {run.result.seed}" if names.count(name) > 1 else name
        for name, run in zip(names, runs, strict=True)
    ]
    seen: Counter[str] = Counter()
    told = []
    for name in names:
        seen[name] += 1
        told.append(f"{name} ({seen[name]})" if names.count(name) > 1 else name)
    return told


@dataclass(frozen=True, slots=True)
class Row:
    """One metric of several runs, side by side."""

    name: str
    label: str
    metrics: tuple[Metric | None, ...]
    best: tuple[bool, ...]
    """Which of them are the best; none of them where all are equal, or where no direction is better."""


COMPARED: Final = (
    ("deadline_miss_rate", "deadlines missed"),
    ("deadlines_missed", "late jobs"),
    ("tardiness_mean", "late by, mean"),
    ("tardiness_max", "late by, worst"),
    ("wait_p50", "wait p50"),
    ("wait_p90", "wait p90"),
    ("wait_p99", "wait p99"),
    ("turnaround_p50", "turnaround p50"),
    ("turnaround_p99", "turnaround p99"),
    ("bounded_slowdown", "slowdown, mean"),
    ("utilization", "utilization"),
    ("cpu_utilization", "CPU utilization"),
    ("makespan", "makespan"),
    ("throughput", "throughput"),
    ("pending_max", "most pending"),
    ("pending_end", "pending at end"),
    ("evictions", "evictions"),
    ("preemptions", "preemptions"),
    ("goodput", "useful work"),
    ("chip_hours_lost", "chip-hours lost"),
    ("gang_wait_p99", "gang wait p99"),
    ("stranded_chips", "stranded chips"),
    ("fairness_users", "fairness of users"),
    ("fairness_queues", "fairness of queues"),
)
"""Metrics that are shown side by side, with the words for them."""

UNEVENTFUL: Final = {"preemptions": 0.0, "goodput": 1.0, "chip_hours_lost": 0.0, "stranded_chips": 0.0}
"""Values that say that nothing of the kind happened: a metric that has them in all runs is not shown."""


def rows(runs: Sequence[ReportedRun]) -> list[Row]:
    """The comparison of runs, without metrics that none of them could measure."""
    compared = (_row(name, label, runs) for name, label in COMPARED)
    return [row for row in compared if _tells(row)]


def _tells(row: Row) -> bool:
    values = {each.value for each in row.metrics if each is not None and each.value is not None}
    return bool(values - {UNEVENTFUL.get(row.name)})


def _row(name: str, label: str, runs: Sequence[ReportedRun]) -> Row:
    metrics = tuple(run.metric(name) for run in runs)
    return Row(name, label, metrics, best_of(metrics))


def best_of(metrics: Sequence[Metric | None]) -> tuple[bool, ...]:
    """Which of them are the best; none of them where all are equal, or where no direction is better."""
    known = [each.value for each in metrics if each is not None and each.value is not None]
    better = {each.better for each in metrics if each is not None}
    if len(set(known)) < 2 or len(better) != 1 or better == {"none"}:
        return (False,) * len(metrics)
    best = min(known) if better == {"lower"} else max(known)
    return tuple(each is not None and each.value == best for each in metrics)
