"""A trace made into another: cut, thinned, sped up, fitted to a cluster, given deadlines and estimates.

Each function takes a trace and gives one; nothing is read before the new trace is. What becomes of each row
is counted in the report of the reading. Chance has a name for each purpose, so that thinning a trace does
not change the deadlines of another.
"""

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import islice
from typing import Final, TypeAlias

from evaluator.errors import TraceError
from evaluator.traces.account import ImportReport
from evaluator.traces.model import Trace, TraceJob, TraceNode, TraceOutage
from fakeapi.kernel.chance import Chance
from fakeapi.kernel.time import format_duration

OUTSIDE: Final = "submitted outside the window"
NOT_SAMPLED: Final = "not in the sample"
BEYOND: Final = "beyond the number of jobs asked for"
OUTAGE_OUTSIDE: Final = "outside the window"

NO_NODE_LEFT: Final = "of a machine beyond the number of nodes"
NO_LENGTH: Final = "lasts no time"

OUTAGE_STREAM: Final = "trace-outages"
"""Name of the chance that decides which node has the outages of which recorded machine."""

SAMPLE_STREAM: Final = "trace-sample"
"""Name of the chance that decides which jobs are in a sample."""

JobChange: TypeAlias = Callable[[ImportReport], Callable[[TraceJob], TraceJob | None]]
"""Given the report of a reading, what becomes of each job; none drops it."""


def map_jobs(trace: Trace, change: JobChange) -> Trace:
    """The trace with each job changed or dropped; jobs must stay in order."""

    def jobs(report: ImportReport) -> Iterator[TraceJob]:
        become = change(report)
        return (job for job in map(become, trace.jobs(report)) if job is not None)

    return dataclasses.replace(trace, jobs=jobs)


def from_first(trace: Trace) -> Trace:
    """The trace with its zero at its first submission; at its first outage if it has no jobs.

    What was before then is at zero: nodes that were there already, outages that had begun.
    """

    def zero() -> int:
        first = next(trace.jobs(ImportReport()), None)
        if first is not None:
            return first.submit_ns
        outage = next(trace.outages(ImportReport()), None)
        return 0 if outage is None else outage.start_ns

    return _shifted(trace, zero)


def _shifted(trace: Trace, zero: Callable[[], int]) -> Trace:
    """The trace with a new zero, which is asked for when a stream is read."""

    def jobs(report: ImportReport) -> Iterator[TraceJob]:
        origin = zero()
        for job in trace.jobs(report):
            yield dataclasses.replace(job, submit_ns=job.submit_ns - origin) if origin else job

    def nodes(report: ImportReport) -> Iterator[TraceNode]:
        origin = zero()
        for node in trace.nodes(report):
            until = None if node.until_ns is None else node.until_ns - origin
            if until is None or until > 0:
                since = max(node.since_ns - origin, 0)
                yield dataclasses.replace(node, since_ns=since, until_ns=until)
            else:
                report.section("nodes").withdraw("gone before the first submission")

    def outages(report: ImportReport) -> Iterator[TraceOutage]:
        return _clipped(trace.outages(report), report, zero(), None)

    return dataclasses.replace(trace, jobs=jobs, nodes=nodes, outages=outages)


def window(trace: Trace, start_ns: int, end_ns: int | None) -> Trace:
    """Only what is submitted from ``start_ns`` to before ``end_ns``; the window's start becomes zero.

    Outages that reach into the window are cut to it.
    """

    def change(report: ImportReport) -> Callable[[TraceJob], TraceJob | None]:
        section = report.section("jobs")

        def inside(job: TraceJob) -> TraceJob | None:
            if job.submit_ns < start_ns or (end_ns is not None and job.submit_ns >= end_ns):
                section.withdraw(OUTSIDE)
                return None
            return dataclasses.replace(job, submit_ns=job.submit_ns - start_ns)

        return inside

    def outages(report: ImportReport) -> Iterator[TraceOutage]:
        return _clipped(trace.outages(report), report, start_ns, end_ns)

    return dataclasses.replace(map_jobs(trace, change), outages=outages)


def _clipped(
    outages: Iterator[TraceOutage], report: ImportReport, start_ns: int, end_ns: int | None
) -> Iterator[TraceOutage]:
    section = report.section("outages")
    for outage in outages:
        begin = max(outage.start_ns, start_ns)
        end = outage.end_ns if end_ns is None else min(outage.end_ns, end_ns)
        if end < begin:
            section.dropped_items[OUTAGE_OUTSIDE] += 1
        else:
            yield dataclasses.replace(outage, start_ns=begin - start_ns, duration_ns=end - begin)


def sample(trace: Trace, share: Fraction, seed: int) -> Trace:
    """Each job with the probability ``share``, drawn from the chance ``trace-sample`` of ``seed``."""

    def change(report: ImportReport) -> Callable[[TraceJob], TraceJob | None]:
        section, chance = report.section("jobs"), Chance(seed).stream(SAMPLE_STREAM)

        def drawn(job: TraceJob) -> TraceJob | None:
            if chance.random() < share:
                return job
            section.withdraw(NOT_SAMPLED)
            return None

        return drawn

    return map_jobs(trace, change)


def place_outages(trace: Trace, nodes: Sequence[str], seed: int) -> Trace:
    """The outages of other machines as those of these nodes.

    Each recorded machine becomes one node, in an order drawn from the chance ``trace-outages`` of ``seed``:
    the outages of one machine stay together, with their repeats, and simultaneous ones stay simultaneous.
    Machines beyond the number of nodes are left out, as are outages that last no time.
    """

    def outages(report: ImportReport) -> Iterator[TraceOutage]:
        section, free = report.section("outages"), list(nodes)
        Chance(seed).stream(OUTAGE_STREAM).shuffle(free)
        placed: dict[str, str | None] = {}
        for outage in trace.outages(report):
            if outage.node not in placed:
                placed[outage.node] = free.pop() if free else None
            node = placed[outage.node]
            if node is None or not outage.duration_ns:
                section.dropped_items[NO_NODE_LEFT if node is None else NO_LENGTH] += 1
            else:
                yield dataclasses.replace(outage, node=node)

    return dataclasses.replace(trace, outages=outages)


def first_jobs(trace: Trace, number: int) -> Trace:
    """The first ``number`` jobs; the others are read and counted."""

    def jobs(report: ImportReport) -> Iterator[TraceJob]:
        stream = trace.jobs(report)
        yield from islice(stream, number)
        beyond = sum(1 for _ in stream)
        if beyond:
            report.section("jobs").withdraw(BEYOND, beyond)

    return dataclasses.replace(trace, jobs=jobs)


def speed_up(trace: Trace, factor: Fraction) -> Trace:
    """Gaps between arrivals divided by ``factor``, from the first arrival on; run times and outages stay."""

    def change(report: ImportReport) -> Callable[[TraceJob], TraceJob]:
        report.remark(f"gaps between arrivals divided by {float(factor):g}; run times unchanged")
        return _sooner(lambda: factor)

    return map_jobs(trace, change)


def _sooner(factor: Callable[[], Fraction]) -> Callable[[TraceJob], TraceJob]:
    first: int | None = None

    def sooner(job: TraceJob) -> TraceJob:
        nonlocal first
        first = job.submit_ns if first is None else first
        return dataclasses.replace(job, submit_ns=first + int((job.submit_ns - first) / factor()))

    return sooner


@dataclasses.dataclass(frozen=True, slots=True)
class Offered:
    """What the jobs of a trace ask of a cluster."""

    chip_ns: int
    """Chips × run time of all jobs whose end is known."""
    span_ns: int
    """From the first submission to the last."""

    def load(self, capacity: int) -> Fraction:
        """Offered chip-time as a share of what ``capacity`` chips have within the span."""
        return Fraction(self.chip_ns, capacity * self.span_ns)


def offered(trace: Trace) -> Offered:
    """What the jobs ask for, found by reading the trace once."""
    chip_ns, first, last = 0, None, 0
    for job in trace.jobs(ImportReport()):
        chip_ns += job.chip_ns
        first = job.submit_ns if first is None else first
        last = job.submit_ns
    return Offered(chip_ns, last - (first or 0))


def scale_to_load(trace: Trace, capacity: int, load: Fraction) -> Trace:
    """Arrivals sped up (or slowed down) until the trace offers ``load`` of ``capacity`` chips.

    The load is that of :meth:`Offered.load`: chip-time of all jobs / (capacity × span from the first to the
    last submission). Gaps are divided by the exact quotient of the wanted and the present load; instants
    are cut to whole nanoseconds.

    :raises TraceError: when it is read, if the trace has no chip-time, or all of it arrives at once.
    """

    def change(report: ImportReport) -> Callable[[TraceJob], TraceJob]:
        demand = offered(trace)
        if capacity <= 0 or not demand.chip_ns or not demand.span_ns:
            raise TraceError(
                "the load of this trace cannot be scaled: it has no chip-time, no time between its first and "
                "last submission, or the cluster has no chips",
                where=trace.title,
                next_step="Leave the target load out, or take a longer part of the trace.",
            )
        factor = load / demand.load(capacity)
        report.remark(
            f"gaps between arrivals divided by {float(factor):.6g}, so that {float(load):.0%} of "
            f"{capacity:,} chips is offered; in its own time it is {float(demand.load(capacity)):.2%}"
        )
        report.remark(f"the trace then spans {format_duration(math.floor(demand.span_ns / factor))}")
        return _sooner(lambda: factor)

    return map_jobs(trace, change)
