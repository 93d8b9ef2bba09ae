"""Figures of a trace: span, demand, percentiles, peaks, burstiness; found by reading each stream once.

- Percentiles are nearest-rank.
- *Offered* is the chip-time of all jobs / the span from the first to the last submission, in chips.
- *Peak at once* is the most chips held together if every job started when it was submitted; *peak as
  recorded* if each started after the wait that the trace has. What ends at an instant is gone before what
  begins then.
- The busiest hour is the one clock hour, counted from the trace's zero, with the most submissions.

Memory is some 60 bytes per job: numbers only.
"""

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from evaluator.traces.account import ImportReport
from evaluator.traces.figures import busiest_hour, gap_variation, peak, percentiles
from evaluator.traces.model import Trace, TraceJob
from fakeapi.kernel.time import HOUR, SECOND

BINS: Final = 56
"""Parts of the span that are drawn: one character each, so that a line fits beside its label."""

MAX_NAMES: Final = 10_000
"""Users and queues that are told apart; further ones are counted as one."""

_MILLI: Final = 1000


@dataclass(slots=True)
class JobFacts:
    """What the jobs are like."""

    jobs: int = 0
    pods: int = 0
    first_ns: int = 0
    last_ns: int = 0
    chip_ns: int = 0
    share_ns: int = 0
    """Chip-time counting shares of chips as such, in thousandths of a chip × nanoseconds."""
    without_end: int = 0
    services: int = 0
    best_effort: int = 0
    chips: Counter[int] = field(default_factory=Counter)
    """Jobs by the number of their chips."""
    users: Counter[str] = field(default_factory=Counter)
    queues: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    submits: "array[int]" = field(default_factory=lambda: array("q"))
    runs: "array[int]" = field(default_factory=lambda: array("q"))
    waits: "array[int]" = field(default_factory=lambda: array("q"))
    deadline_factors: "array[float]" = field(default_factory=lambda: array("d"))
    """First deadline / run time."""
    estimate_factors: "array[float]" = field(default_factory=lambda: array("d"))
    held: list[tuple[int, int]] = field(default_factory=list)
    """Chips taken and given back, if every job started when it was submitted."""
    recorded: list[tuple[int, int]] = field(default_factory=list)

    @property
    def span_ns(self) -> int:
        """From the first submission to the last."""
        return self.last_ns - self.first_ns

    @property
    def offered(self) -> float:
        """Chips that the jobs keep busy over the span."""
        return self.chip_ns / self.span_ns if self.span_ns else 0.0

    def add(self, job: TraceJob) -> None:
        """Take one more job, in order of submission."""
        self.first_ns = job.submit_ns if not self.jobs else self.first_ns
        self.last_ns = job.submit_ns
        self.jobs += 1
        self.pods += job.pods
        self.chip_ns += job.chip_ns
        self.share_ns += _share(job)
        self.services += job.service
        self.best_effort += job.best_effort
        self.chips[job.total_chips] += 1
        self.submits.append(job.submit_ns)
        for counts, name in ((self.users, job.user), (self.queues, job.queue), (self.outcomes, job.outcome)):
            if name is not None:
                counts[name if name in counts or len(counts) < MAX_NAMES else "others"] += 1
        self._add_times(job)

    def _add_times(self, job: TraceJob) -> None:
        if job.wait_ns is not None:
            self.waits.append(job.wait_ns)
        _hold(self.held, job, job.submit_ns)
        _hold(self.recorded, job, job.submit_ns + (job.wait_ns or 0))
        if job.run_ns is None:
            self.without_end += 1
            return
        self.runs.append(job.run_ns)
        first = job.soft_deadlines[0].after_ns if job.soft_deadlines else job.deadline_ns
        if first is not None:
            self.deadline_factors.append(first / job.run_ns)
        if job.estimate_ns is not None:
            self.estimate_factors.append(job.estimate_ns / job.run_ns)


def _share(job: TraceJob) -> int:
    share = _MILLI if job.chip_milli is None else job.chip_milli
    return job.chip_ns * share


def _hold(changes: list[tuple[int, int]], job: TraceJob, start_ns: int) -> None:
    if job.total_chips:
        changes.append((start_ns, job.total_chips))
        if job.run_ns is not None:
            changes.append((start_ns + job.run_ns, -job.total_chips))


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """What the nodes are like."""

    nodes: int
    chips: int
    cpu_milli: int
    memory_bytes: int
    chips_by_type: Counter[str]
    nodes_by_chips: Counter[int]


@dataclass(frozen=True, slots=True)
class OutageFacts:
    """What the outages are like."""

    outages: int
    nodes: int
    lengths: Sequence[int]
    peak: int
    """Most nodes down at once."""
    causes: Counter[str]


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that is told of a trace."""

    trace: Trace
    report: ImportReport
    jobs: JobFacts
    nodes: NodeFacts
    outages: OutageFacts

    @property
    def capacity(self) -> int | None:
        """Chips of the cluster, from its nodes or from what the file says; none if neither is known."""
        return self.nodes.chips or self.trace.capacity_chips

    def document(self) -> dict[str, Any]:
        """The figures as JSON; times in seconds."""
        return {
            "title": self.trace.title,
            "format": self.trace.format,
            "facts": dict(self.trace.facts),
            "import": self.report.document(),
            "jobs": self._jobs() if self.jobs.jobs else None,
            "nodes": self._nodes() if self.nodes.nodes else None,
            "outages": self._outages() if self.outages.outages else None,
        }

    def _jobs(self) -> dict[str, Any]:
        jobs = self.jobs
        return {
            "jobs": jobs.jobs,
            "pods": jobs.pods,
            "span_seconds": jobs.span_ns / SECOND,
            "jobs_by_chips": {str(chips): number for chips, number in sorted(jobs.chips.items())},
            "chip_hours": jobs.chip_ns / HOUR,
            "chip_hours_by_share": jobs.share_ns / _MILLI / HOUR,
            "offered_chips": jobs.offered,
            "capacity_chips": self.capacity,
            "offered_load": jobs.offered / self.capacity if self.capacity else None,
            "peak_at_once": peak(jobs.held),
            "peak_as_recorded": peak(jobs.recorded) if jobs.waits else None,
            "run_seconds": percentiles(jobs.runs, SECOND),
            "wait_seconds": percentiles(jobs.waits, SECOND),
            "deadline_factor": percentiles(jobs.deadline_factors, 1),
            "estimate_factor": percentiles(jobs.estimate_factors, 1),
            "without_end": jobs.without_end,
            "services": jobs.services,
            "best_effort": jobs.best_effort,
            "users": len(jobs.users),
            "queues": len(jobs.queues),
            "outcomes": dict(jobs.outcomes),
            "arrivals_per_hour": jobs.jobs / (jobs.span_ns / HOUR) if jobs.span_ns else None,
            "busiest_hour": busiest_hour(jobs.submits),
            "gap_variation": gap_variation(jobs.submits),
        }

    def _nodes(self) -> dict[str, Any]:
        nodes = self.nodes
        return {
            "nodes": nodes.nodes,
            "chips": nodes.chips,
            "cores": nodes.cpu_milli / _MILLI,
            "memory_bytes": nodes.memory_bytes,
            "chips_by_type": dict(nodes.chips_by_type.most_common()),
            "nodes_by_chips": {str(chips): number for chips, number in sorted(nodes.nodes_by_chips.items())},
        }

    def _outages(self) -> dict[str, Any]:
        outages = self.outages
        return {
            "outages": outages.outages,
            "nodes": outages.nodes,
            "length_seconds": percentiles(outages.lengths, SECOND),
            "peak_down": outages.peak,
            "causes": dict(outages.causes.most_common()),
        }


def find_facts(trace: Trace) -> Facts:
    """Read the trace, and tell what it is like.

    :raises TraceError: of the first row that cannot be read.
    """
    report, jobs = ImportReport(), JobFacts()
    for job in trace.jobs(report):
        jobs.add(job)
    nodes, outages = _node_facts(trace, report), _outage_facts(trace, report)
    report.check()
    return Facts(trace=trace, report=report, jobs=jobs, nodes=nodes, outages=outages)


def _node_facts(trace: Trace, report: ImportReport) -> NodeFacts:
    number = cpu = memory = 0
    by_type, by_chips = Counter[str](), Counter[int]()
    for node in trace.nodes(report):
        number += 1
        cpu += node.cpu_milli or 0
        memory += node.memory_bytes or 0
        by_chips[node.chips] += 1
        if node.chips:
            by_type[node.chip_type or "unnamed"] += node.chips
    return NodeFacts(number, by_type.total(), cpu, memory, by_type, by_chips)


def _outage_facts(trace: Trace, report: ImportReport) -> OutageFacts:
    names, lengths = set(), array("q")
    changes: list[tuple[int, int]] = []
    causes = Counter[str]()
    for outage in trace.outages(report):
        names.add(outage.node)
        lengths.append(outage.duration_ns)
        changes += [(outage.start_ns, 1), (outage.end_ns, -1)]
        causes[outage.cause.partition(":")[0] or "not told"] += 1
    return OutageFacts(len(lengths), len(names), lengths, peak(changes), causes)


def arrivals_by_part(jobs: JobFacts, parts: int = BINS) -> list[int]:
    """Submissions in each of equal parts of the span."""
    counts = [0] * parts
    for submit in jobs.submits:
        counts[_part(submit, jobs, parts)] += 1
    return counts


def demand_by_part(jobs: JobFacts, parts: int = BINS) -> list[int]:
    """Greatest demand within each of equal parts of the span, if every job started when it was submitted."""
    peaks, level, at = [0] * parts, 0, 0
    for instant, change in sorted(jobs.held):
        if instant > jobs.last_ns:
            break
        now = _part(instant, jobs, parts)
        for part in range(at + 1, now + 1):
            peaks[part] = level
        at, level = now, level + change
        peaks[now] = max(peaks[now], level)
    for part in range(at + 1, parts):
        peaks[part] = level
    return peaks


def _part(instant: int, jobs: JobFacts, parts: int) -> int:
    return min((instant - jobs.first_ns) * parts // max(jobs.span_ns, 1), parts - 1)
