"""Chronus' tables: Philly-like jobs with hard deadlines, soft ones that lose value in steps, or none.

Source: ``S-Lab-System-Group/ChronusArtifact``. Paper: Gao et al., SoCC 2021. Times in minutes; deadlines
count from the submission.
"""

from collections.abc import Iterator
from typing import Final

from evaluator.traces.account import ImportReport
from evaluator.traces.formats.base import MAX_CHIPS, NO_CHIPS, NO_RUN_TIME, Format, Source, has_columns
from evaluator.traces.model import SoftDeadline, Trace, TraceJob
from evaluator.traces.ordering import in_order
from evaluator.traces.table import MAX_SPAN_NS, Row, Unique
from fakeapi.kernel.time import MINUTE

COLUMNS: Final = (
    "job_id", "user", "num_gpu", "submit_time", "duration", "expect_time_list", "expect_value_list",
    "best_effort", "job_type",
)  # fmt: skip
BEST: Final = "best"
SOFT: Final = "soft"
STRICT: Final = "strict"

BEST_EFFORT: Final = "best effort: its list only repeats submit_time, and is no deadline"
_MAX_VALUE: Final = 10**9
_MAX_STEPS: Final = 100


def _open(source: Source) -> Trace:
    def jobs(report: ImportReport) -> Iterator[TraceJob]:
        unique = Unique("job_id")
        return source.table("jobs", COLUMNS, lambda row: _job(row, unique))(report)

    return Trace(
        title="Chronus: Philly's jobs with deadlines",
        format="chronus",
        jobs=in_order(jobs, lambda job: job.submit_ns, "jobs"),
    )


def _job(row: Row, unique: Unique) -> TraceJob | None:
    unique.check(row)
    kind = row.choice("job_type", (STRICT, SOFT, BEST))
    best = row.integer("best_effort", maximum=1) == 1
    if best != (kind == BEST):
        row.refuse("best_effort", f"does not go with job_type, which is {kind}")
    run, chips = row.nanoseconds("duration", MINUTE), row.integer("num_gpu", maximum=MAX_CHIPS)
    steps = () if best else _steps(row)
    if best:
        row.account.change(BEST_EFFORT)
    if not run:
        row.account.drop(NO_RUN_TIME)
        return None
    if not chips:
        row.account.note(NO_CHIPS)
    return TraceJob(
        id=f"job-{row.text('job_id')}",
        submit_ns=row.nanoseconds("submit_time", MINUTE),
        run_ns=run,
        chips=chips,
        user=row.text("user") or None,
        deadline_ns=steps[-1].after_ns if steps else None,
        soft_deadlines=steps if kind == SOFT else (),
        best_effort=best,
    )


def _steps(row: Row) -> tuple[SoftDeadline, ...]:
    times = _numbers(row, "expect_time_list", MAX_SPAN_NS // MINUTE)
    values = _numbers(row, "expect_value_list", _MAX_VALUE)
    if len(times) != len(values):
        row.refuse("expect_value_list", f"{len(values)} values for {len(times)} times")
    if times != sorted(set(times)):
        row.refuse("expect_time_list", "does not rise")
    if row.text("job_type") == STRICT and len(times) != 1:
        row.refuse("expect_time_list", "a strict job has one time")
    return tuple(SoftDeadline(time * MINUTE, value) for time, value in zip(times, values, strict=True))


def _numbers(row: Row, column: str, maximum: int) -> list[int]:
    parts = row.text(column).split("-")
    if len(parts) > _MAX_STEPS or not all(part.isascii() and part.isdigit() for part in parts):
        row.refuse(column, "not whole numbers joined by -")
    if any(len(part) > len(str(maximum)) or int(part) > maximum for part in parts):
        row.refuse(column, f"must lie between 0 and {maximum:,}")
    return [int(part) for part in parts]


FORMAT: Final = Format(
    name="chronus",
    about="Chronus: jobs with hard and soft deadlines, and best effort",
    recognises=has_columns(*COLUMNS),
    open=_open,
)
