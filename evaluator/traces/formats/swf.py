"""Standard Workload Format, the logs of the Parallel Workloads Archive.

Format: https://www.cs.huji.ac.il/labs/parallel/workload/swf.html (version 2.2). Lines that begin with ``;``
are header; each other line has eighteen numbers, −1 where something is unknown. Times in seconds. A
processor becomes a chip; a job is replayed for as long as it ran, and the time that its user asked for is
the estimate.
"""

from collections.abc import Iterator
from typing import Final

from evaluator.errors import TraceError
from evaluator.traces.account import ImportReport
from evaluator.traces.formats.base import (
    FAILED,
    MAX_CHIPS,
    NO_RUN_TIME,
    NO_RUN_TIME_KNOWN,
    WAITED,
    Format,
    Source,
)
from evaluator.traces.model import Trace, TraceJob
from evaluator.traces.ordering import in_order
from evaluator.traces.source import Line, read_lines
from evaluator.traces.table import Row, Unique, convert, split_rows

FIELDS: Final = (
    "job", "submit", "wait", "run", "processors", "cpu_time", "memory", "processors_asked", "time_asked",
    "memory_asked", "status", "user", "group", "application", "queue", "partition", "preceding", "think",
)  # fmt: skip
UNKNOWN: Final = "-1"
STATUSES: Final = {
    "0": "failed",
    "1": "completed",
    "2": "partial",
    "3": "partial",
    "4": "partial",
    "5": "cancelled",
}
"""Field 11: 2 to 4 tell of parts of a job that was checkpointed, in logs that list these."""

NO_PROCESSORS: Final = "number of processors unknown"
ASKED_PROCESSORS: Final = "processors used unknown; those asked for are taken"
NO_WAIT: Final = "wait unknown: its submission may really be its start"
OVERRUN: Final = "ran longer than its user asked for"
PART: Final = "only a part of a job that is listed as a whole"

MAX_HEADER: Final = 200
"""Header fields that are kept."""

MAX_FACT: Final = 10_000
"""Characters of one header field."""

_MAX_NUMBER: Final = 10**12
_MAX_PROCS: Final = "MaxProcs"


def _open(source: Source) -> Trace:
    facts = _header(source)
    procs = facts.get(_MAX_PROCS, "")

    def jobs(report: ImportReport) -> Iterator[TraceJob]:
        if any("actually start" in text for text in facts.values()):
            report.remark(
                "the header says that submissions are really starts: there are no waits in this log"
            )
        unique = Unique("job")
        lines = (line for line in read_lines(source.file) if not _is_header(line))
        rows = split_rows(source.file, lines, FIELDS, lambda _line, text: text.split())
        yield from convert(
            rows, lambda row: _job(row, unique), report.section("jobs"), source.lenience(report)
        )

    return Trace(
        title=facts.get("Installation") or "a log in Standard Workload Format",
        format="swf",
        jobs=in_order(jobs, lambda job: job.submit_ns, "jobs"),
        facts=facts,
        capacity_chips=int(procs)
        if procs.isascii() and procs.isdigit() and int(procs) <= MAX_CHIPS
        else None,
    )


def _is_header(line: Line) -> bool:
    return isinstance(line[1], str) and line[1].lstrip().startswith(";")


def _header(source: Source) -> dict[str, str]:
    """The header's ``Name: value`` lines before the first job; what goes on or comes again is joined."""
    facts: dict[str, str] = {}
    last = ""
    for _, text in read_lines(source.file):
        if isinstance(text, TraceError):
            continue
        if not text.lstrip().startswith(";"):
            if text.strip():
                break
            continue
        if len(facts) < MAX_HEADER:
            last = _take_header(facts, text.lstrip().lstrip(";"), last)
    return facts


def _take_header(facts: dict[str, str], text: str, last: str) -> str:
    """Put one line of the header to the facts; the name that it belongs to."""
    name, colon, value = text.partition(":")
    if not colon or text.startswith("  "):  # goes on with what the line before says
        name, value = last, text
    name, value = name.strip(), value.strip()
    if name and value:
        facts[name] = f"{facts[name]} {value}"[:MAX_FACT] if name in facts else value[:MAX_FACT]
    return name


def _job(row: Row, unique: Unique) -> TraceJob | None:
    unique.check(row)
    submit = row.nanoseconds("submit")
    run, wait, asked = (_time(row, field) for field in ("run", "wait", "time_asked"))
    status = _status(row)
    processors = _processors(row)
    if processors is None:
        row.account.drop(NO_PROCESSORS)
        return None
    if run is None:
        row.account.drop(NO_RUN_TIME_KNOWN)
        return None
    if run == 0:
        row.account.drop(NO_RUN_TIME)
        return None
    if status == "partial":
        row.account.drop(PART)
        return None
    _remark(row, run, wait, asked, status)
    return TraceJob(
        id=f"job-{row.integer('job', maximum=_MAX_NUMBER)}",
        submit_ns=submit,
        run_ns=run,
        chips=processors,
        wait_ns=wait,
        estimate_ns=asked,
        outcome=status,
        user=_named(row, "user"),
        queue=_named(row, "queue"),
    )


def _remark(row: Row, run: int, wait: int | None, asked: int | None, status: str | None) -> None:
    if wait is None:
        row.account.note(NO_WAIT)
    elif wait:
        row.account.change(WAITED)
    if asked is not None and run > asked:
        row.account.note(OVERRUN)
    if status in {"failed", "cancelled"}:
        row.account.change(FAILED)


def _time(row: Row, field: str) -> int | None:
    if row.text(field) == UNKNOWN:
        return None
    return row.nanoseconds(field)


def _processors(row: Row) -> int | None:
    used = row.integer("processors", minimum=-1, maximum=MAX_CHIPS)
    asked = row.integer("processors_asked", minimum=-1, maximum=MAX_CHIPS)
    if used > 0:
        return used
    if asked > 0:
        row.account.change(ASKED_PROCESSORS)
        return asked
    return None


def _status(row: Row) -> str | None:
    if row.text("status") == UNKNOWN:
        return None
    return STATUSES[row.choice("status", tuple(STATUSES))]


def _named(row: Row, field: str) -> str | None:
    number = row.integer(field, minimum=-1, maximum=_MAX_NUMBER)
    return None if number < 0 else f"{field}-{number}"


def _is_swf(header: str) -> bool:
    return header.lstrip().startswith(";") or len(header.split()) == len(FIELDS)


FORMAT: Final = Format(
    name="swf", about="Standard Workload Format: logs of batch systems", recognises=_is_swf, open=_open
)
