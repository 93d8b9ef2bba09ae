"""Alibaba's GPU trace of 2023 ("openb"): a list of nodes, and lists of pods.

Source: ``alibaba/clusterdata``, ``cluster-trace-gpu-v2023``. Paper: Weng et al., "Beware of Fragmentation:
Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent", USENIX ATC 2023. Times in seconds.
"""

import dataclasses
from collections.abc import Iterator
from typing import Final

from evaluator.scenario.fields import MAX_CHIPS_PER_NODE
from evaluator.traces.account import ImportReport
from evaluator.traces.formats.base import FAILED as ENDED_BADLY
from evaluator.traces.formats.base import (
    MAX_CHIPS,
    MAX_CPU_MILLI,
    MAX_MEMORY_MIB,
    MEBI,
    NEVER_SCHEDULED,
    NO_RUN_TIME,
    WAITED,
    Format,
    Source,
    has_columns,
)
from evaluator.traces.model import Trace, TraceJob, TraceNode
from evaluator.traces.ordering import in_order
from evaluator.traces.table import Row, Unique

NODE_COLUMNS: Final = ("sn", "cpu_milli", "memory_mib", "gpu", "model")
PLACED_COLUMNS: Final = ("name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli")
TIME_COLUMNS: Final = ("creation_time", "deletion_time", "scheduled_time")
POD_COLUMNS: Final = (*PLACED_COLUMNS, "gpu_spec", "qos", "pod_phase", *TIME_COLUMNS)

WHOLE_CHIP: Final = 1000
"""Thousandths of a GPU in a whole one (``gpu_milli``)."""

PHASES: Final = ("Pending", "Running", "Succeeded", "Failed")

SHARE: Final = "asks for a share of one chip, rounded up to a whole one"
CENSORED: Final = "still there when the trace ends; its run time ends with it"
NO_MEMORY: Final = "asks for no memory"
TYPES_TWICE: Final = "names a chip type more than once"
NO_TIMES: Final = "no times in the file: submitted at 0, runs until the end"


def _open_nodes(source: Source) -> Trace:
    def nodes(report: ImportReport) -> Iterator[TraceNode]:
        unique = Unique("sn")
        return source.table("nodes", NODE_COLUMNS, lambda row: _node(row, unique))(report)

    return Trace(title="Alibaba's GPU cluster of 2023: nodes", format="openb-nodes", nodes=nodes)


def _node(row: Row, unique: Unique) -> TraceNode:
    unique.check(row)
    return TraceNode(
        name=row.object_name("sn"),
        cpu_milli=row.integer("cpu_milli", minimum=1, maximum=MAX_CPU_MILLI),
        memory_bytes=row.integer("memory_mib", minimum=1, maximum=MAX_MEMORY_MIB) * MEBI,
        chips=row.integer("gpu", maximum=MAX_CHIPS_PER_NODE),
        chip_type=row.label("model") or None,
    )


def _open_pods(source: Source) -> Trace:
    timed = has_columns(*TIME_COLUMNS)(source.header)

    def jobs(report: ImportReport) -> Iterator[TraceJob]:
        unique = Unique("name")
        if not timed:
            return source.table("jobs", PLACED_COLUMNS, lambda row: _untimed(row, unique))(report)
        end = _last_deletion(source)
        return source.table("jobs", POD_COLUMNS, lambda row: _job(row, unique, end))(report)

    return Trace(
        title="Alibaba's GPU cluster of 2023: pods",
        format="openb",
        jobs=in_order(jobs, lambda job: job.submit_ns, "jobs"),
    )


def _last_deletion(source: Source) -> int:
    """The latest deletion: pods that end then were cut off by the end of the trace."""
    lenient = dataclasses.replace(source, lenient=True)
    deletions = lenient.table("jobs", POD_COLUMNS, lambda row: row.nanoseconds("deletion_time"))
    return max(deletions(ImportReport()), default=0)


def _shape(row: Row, unique: Unique) -> TraceJob:
    unique.check(row)
    chips = row.integer("num_gpu", maximum=MAX_CHIPS)
    share = row.integer("gpu_milli", maximum=WHOLE_CHIP)
    shared = chips > 0 and share < WHOLE_CHIP
    if shared:
        row.account.change(SHARE)
    memory = row.integer("memory_mib", maximum=MAX_MEMORY_MIB) * MEBI
    if not memory:
        row.account.note(NO_MEMORY)
    return TraceJob(
        id=row.object_name("name"),
        submit_ns=0,
        run_ns=None,
        chips=chips,
        chip_milli=share if shared else None,
        cpu_milli=row.integer("cpu_milli", maximum=MAX_CPU_MILLI),
        memory_bytes=memory,
    )


def _untimed(row: Row, unique: Unique) -> TraceJob:
    row.account.invent(NO_TIMES)
    return _shape(row, unique)


def _job(row: Row, unique: Unique, end_ns: int) -> TraceJob | None:
    job = _shape(row, unique)
    created, deleted = row.nanoseconds("creation_time"), row.nanoseconds("deletion_time")
    scheduled = row.optional_nanoseconds("scheduled_time")
    if scheduled is not None and scheduled < created:
        row.refuse("scheduled_time", f"before creation_time, which is {row.text('creation_time')}")
    if deleted < (created if scheduled is None else scheduled):
        row.refuse("deletion_time", "before the pod was created or scheduled")
    phase = row.choice("pod_phase", PHASES)
    if scheduled is None:
        row.account.drop(NEVER_SCHEDULED)
        return None
    if deleted == scheduled:
        row.account.drop(NO_RUN_TIME)
        return None
    if scheduled > created:
        row.account.change(WAITED)
    if deleted == end_ns:
        row.account.note(CENSORED)
    if phase == "Failed":
        row.account.change(ENDED_BADLY)
    return dataclasses.replace(
        job,
        submit_ns=created,
        run_ns=deleted - scheduled,
        wait_ns=scheduled - created,
        outcome=phase,
        qos=row.text("qos") or None,
        chip_types=_chip_types(row),
    )


def _chip_types(row: Row) -> tuple[str, ...]:
    named = [name for name in row.text("gpu_spec").split("|") if name]
    once = tuple(dict.fromkeys(named))
    if len(once) < len(named):
        row.account.change(TYPES_TWICE)
    return once


PODS: Final = Format(
    name="openb",
    about="Alibaba 2023: pods with whole and shared chips",
    recognises=has_columns(*PLACED_COLUMNS),
    open=_open_pods,
)
NODES: Final = Format(
    name="openb-nodes",
    about="Alibaba 2023: nodes",
    recognises=has_columns(*NODE_COLUMNS),
    open=_open_nodes,
)
