"""Microsoft's Philly cluster of 2017, in the reduced table of the schedulers built on it.

Original: ``msr-fiddle/philly-traces``. Timestamps have no zone and are taken as UTC; the trace's zero is
1970-01-01, so that hours and days are the clock's. Rows have no id, and some are exact duplicates.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from evaluator.traces.account import ImportReport
from evaluator.traces.formats.base import MAX_CHIPS, NO_CHIPS, NO_ID, NO_RUN_TIME, Format, Source, has_columns
from evaluator.traces.model import Trace, TraceJob
from evaluator.traces.ordering import in_order
from evaluator.traces.table import MAX_SPAN_NS, Row
from fakeapi.kernel.time import SECOND

COLUMNS: Final = ("timestamp", "duration", "num_gpus", "gpu_time", "cluster")
DUPLICATE: Final = "the same as an earlier row in every column"
INVENTED_TIME: Final = "gpu_time is not duration × num_gpus; duration is taken"
_FORM: Final = "%Y-%m-%d %H:%M:%S"
_MAX_CHIP_TIME: Final = 2**63


def _open(source: Source) -> Trace:
    def jobs(report: ImportReport) -> Iterator[TraceJob]:
        seen: set[int] = set()
        return source.table("jobs", COLUMNS, lambda row: _job(row, seen))(report)

    return Trace(
        title="Microsoft's Philly cluster of 2017",
        format="philly",
        jobs=in_order(jobs, lambda job: job.submit_ns, "jobs"),
    )


def _job(row: Row, seen: set[int]) -> TraceJob | None:
    submit, run = _timestamp(row), row.nanoseconds("duration")
    chips = row.integer("num_gpus", maximum=MAX_CHIPS)
    if row.scaled("gpu_time", SECOND, maximum=_MAX_CHIP_TIME * SECOND) != run * chips:
        row.account.note(INVENTED_TIME)
    identity = hash(tuple(row.cells[column] for column in COLUMNS))
    if identity in seen:
        row.account.note(DUPLICATE)
    seen.add(identity)
    if not run:
        row.account.drop(NO_RUN_TIME)
        return None
    if not chips:
        row.account.note(NO_CHIPS)
    row.account.invent(NO_ID)
    return TraceJob(
        id=f"job-{row.line}", submit_ns=submit, run_ns=run, chips=chips, queue=row.label("cluster") or None
    )


def _timestamp(row: Row) -> int:
    try:
        moment = datetime.strptime(row.text("timestamp"), _FORM).replace(tzinfo=UTC)
    except ValueError:
        row.refuse("timestamp", "not a time such as 2017-10-09 07:01:55")
    ns = int(moment.timestamp()) * SECOND
    if not 0 <= ns <= MAX_SPAN_NS:
        row.refuse("timestamp", "not between 1970 and 2069")
    return ns


FORMAT: Final = Format(
    name="philly",
    about="Microsoft Philly 2017: jobs of fifteen tenants",
    recognises=has_columns(*COLUMNS),
    open=_open,
)
