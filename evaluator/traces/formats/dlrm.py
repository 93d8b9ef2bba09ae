"""Alibaba's recommendation services of 2025: instances that serve until they are deleted.

Source: ``alibaba/clusterdata``, ``cluster-trace-gpu-v2025/disaggregated_DLRM_trace.csv``. Paper: Yang et al.,
NSDI 2025. An HN instance has chips, a CN none. Times in seconds, often as inexact floats; an empty time lies
before the start of the trace or after its end.
"""

from collections.abc import Iterator
from typing import Final

from evaluator.traces.account import ImportReport
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
from evaluator.traces.model import Trace, TraceJob
from evaluator.traces.ordering import in_order
from evaluator.traces.table import Row, Unique

COLUMNS: Final = (
    "instance_sn", "role", "app_name", "cpu_request", "gpu_request", "memory_request",
    "max_instance_per_node", "creation_time", "scheduled_time", "deletion_time",
)  # fmt: skip

ALWAYS_THERE: Final = "no times: there from the start, and runs until after the end"
THERE_BEFORE: Final = "no creation: there from the start"
NO_END: Final = "no deletion: runs until after the end"

GIBI: Final = 1024 * MEBI
"""Bytes in a gibibyte."""

_MILLI: Final = 1000
_NO_CAP: Final = -1
_MAX_CAP: Final = 100_000


def _open(source: Source) -> Trace:
    def jobs(report: ImportReport) -> Iterator[TraceJob]:
        unique = Unique("instance_sn")
        report.remark("disk and network requests, and limits above requests, are left out")
        return source.table("jobs", COLUMNS, lambda row: _job(row, unique))(report)

    return Trace(
        title="Alibaba's recommendation services of 2025",
        format="alibaba-dlrm-2025",
        jobs=in_order(jobs, lambda job: job.submit_ns, "jobs"),
    )


def _job(row: Row, unique: Unique) -> TraceJob | None:
    unique.check(row)
    times = _times(row)
    if times is None:
        return None
    submit_ns, run_ns, wait_ns = times
    cap = row.integer("max_instance_per_node", minimum=_NO_CAP, maximum=_MAX_CAP)
    return TraceJob(
        id=row.text("instance_sn"),
        submit_ns=submit_ns,
        run_ns=run_ns,
        wait_ns=wait_ns,
        chips=row.integer("gpu_request", maximum=MAX_CHIPS),
        cpu_milli=round(row.scaled("cpu_request", _MILLI, maximum=MAX_CPU_MILLI)),
        memory_bytes=round(row.scaled("memory_request", GIBI, maximum=MAX_MEMORY_MIB * MEBI)),
        application=row.text("app_name"),
        queue=row.choice("role", ("HN", "CN")),
        max_per_node=None if cap == _NO_CAP else cap,
        service=True,
    )


def _times(row: Row) -> tuple[int, int | None, int | None] | None:
    """Submission, run time and wait; none if the instance cannot be replayed."""
    created = row.optional_nanoseconds("creation_time")
    scheduled = row.optional_nanoseconds("scheduled_time")
    deleted = row.optional_nanoseconds("deletion_time")
    if created is None and scheduled is None and deleted is None:
        row.account.invent(ALWAYS_THERE)
        return 0, None, None
    if created is None:
        row.account.invent(THERE_BEFORE)
    elif scheduled is None:
        row.account.drop(NEVER_SCHEDULED)
        return None
    submit = created or 0
    start = submit if scheduled is None else scheduled
    if start < submit:
        row.refuse("scheduled_time", f"before creation_time, which is {row.text('creation_time')}")
    if start > submit:
        row.account.change(WAITED)
    return _until(row, submit, start, deleted)


def _until(
    row: Row, submit: int, start: int, deleted: int | None
) -> tuple[int, int | None, int | None] | None:
    if deleted is None:
        row.account.invent(NO_END)
        return submit, None, start - submit
    if deleted < start:
        row.refuse("deletion_time", "before the instance was created or scheduled")
    if deleted == start:
        row.account.drop(NO_RUN_TIME)
        return None
    return submit, deleted - start, start - submit


FORMAT: Final = Format(
    name="alibaba-dlrm-2025",
    about="Alibaba 2025: instances of recommendation services",
    recognises=has_columns(*COLUMNS),
    open=_open,
)
