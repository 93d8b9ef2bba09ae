"""Jobs as pods that fit the nodes of a cluster."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Final

from evaluator.traces.account import ImportReport
from evaluator.traces.model import Trace, TraceJob, TraceNode
from evaluator.traces.transforms import map_jobs

TOO_LARGE: Final = "too large for every node that was kept"
MORE_THAN_ALL: Final = "asks for more chips than all nodes have"
SPLIT: Final = "asks for more chips than a node has; split into equal pods that run together"


def fit(trace: Trace, nodes: Sequence[TraceNode]) -> Trace:
    """Jobs as pods that fit these nodes.

    A job of more chips than any node has becomes a gang of equal pods, of the greatest size that divides it
    and that some node has, so that its chips stay as many as they were. A pod that fits no empty node is
    dropped.
    """
    largest = max((node.chips for node in nodes), default=0)
    capacity = sum(node.chips for node in nodes)
    shapes = list({(node.chips, node.cpu_milli, node.memory_bytes): node for node in nodes}.values())

    def change(report: ImportReport) -> Callable[[TraceJob], TraceJob | None]:
        section = report.section("jobs")

        def fitted(job: TraceJob) -> TraceJob | None:
            if job.total_chips > capacity:
                section.withdraw(MORE_THAN_ALL)
                return None
            if job.chips > largest:
                job = split(job, largest)
                section.changed[SPLIT] += 1
            if any(fits(job, node) for node in shapes):
                return job
            section.withdraw(TOO_LARGE)
            return None

        return fitted

    return map_jobs(trace, change)


def split(job: TraceJob, largest: int) -> TraceJob:
    """The job as equal pods of at most ``largest`` chips, without a chip more or less.

    CPU and memory of a pod are shared out in equal parts, rounded up.
    """
    size = next(size for size in range(min(largest, job.chips), 0, -1) if job.chips % size == 0)
    parts = job.chips // size
    return dataclasses.replace(
        job,
        pods=job.pods * parts,
        chips=size,
        cpu_milli=None if job.cpu_milli is None else -(-job.cpu_milli // parts),
        memory_bytes=None if job.memory_bytes is None else -(-job.memory_bytes // parts),
    )


def fits(job: TraceJob, node: TraceNode) -> bool:
    """Whether a pod of the job would fit the empty node; what a trace does not tell is no obstacle."""
    return (
        job.chips <= node.chips
        and (node.cpu_milli is None or (job.cpu_milli or 0) <= node.cpu_milli)
        and (node.memory_bytes is None or (job.memory_bytes or 0) <= node.memory_bytes)
    )
