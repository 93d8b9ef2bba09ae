"""Any other CSV file, by a mapping of its columns.

A mapping is written ``field=column`` or ``field=column:unit``, joined by commas::

    submit=created,run=duration:min,chips=gpus,user=owner,deadline=due:rfc3339

Fields: ``id``, ``submit``, ``start``, ``end``, ``run``, ``wait``, ``deadline`` (an instant),
``deadline-after`` (a duration after submission), ``estimate``, ``pods``, ``chips`` (of each pod), ``cpu``
(cores of each pod, or ``milli``), ``memory`` (bytes, or ``Ki``, ``Mi``, ``Gi``), ``user``, ``queue``,
``type``, ``priority``, ``outcome``. Needed: ``submit``, and ``run``, or ``end`` with ``start`` or without
(then there was no wait). Units of time: ``ns us ms s min h d``, seconds unless told; ``rfc3339`` for
instants.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from evaluator.errors import TraceError, shown
from evaluator.traces.account import ImportReport
from evaluator.traces.formats.base import (
    MAX_CHIPS,
    MAX_CPU_MILLI,
    MAX_MEMORY_MIB,
    MEBI,
    NO_CHIPS,
    NO_ID,
    NO_RUN_TIME,
    WAITED,
    Format,
    Source,
    has_columns,
)
from evaluator.traces.model import Trace, TraceJob
from evaluator.traces.ordering import in_order
from evaluator.traces.table import MAX_SPAN_NS, Row, Unique
from fakeapi.kernel.time import DAY, HOUR, MICROSECOND, MILLISECOND, MINUTE, SECOND, parse_instant

TIMES: Final = {
    "ns": 1,
    "us": MICROSECOND,
    "ms": MILLISECOND,
    "s": SECOND,
    "min": MINUTE,
    "h": HOUR,
    "d": DAY,
}
RFC3339: Final = "rfc3339"
INSTANTS: Final = ("submit", "start", "end", "deadline")
DURATIONS: Final = ("run", "wait", "deadline-after", "estimate")
MEMORY: Final = {"": 1, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
CPU: Final = {"": 1000, "milli": 1}
WORDS: Final = ("id", "user", "queue", "type", "outcome")
NUMBERS: Final = ("pods", "chips", "priority")

NO_END: Final = "no end in the file: runs until after the end"
_MAX_PRIORITY: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    unit: str


def parse_mapping(text: str) -> Mapping[str, _Column]:
    """The columns of the fields that a mapping names.

    :raises TraceError: if it is no mapping, names an unknown field or unit, or lacks a field that is needed.
    """
    columns: dict[str, _Column] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        field, equals, rest = (piece.strip() for piece in part.partition("="))
        name, _, unit = (piece.strip() for piece in rest.rpartition(":")) if ":" in rest else (rest, "", "")
        units = _units(field)
        if not equals or not name or units is None:
            raise _wrong(part, "write field=column or field=column:unit with one of the fields below")
        if unit and unit not in units:
            raise _wrong(part, f"{field} has the units {', '.join(filter(None, units)) or 'none'}")
        if field in columns:
            raise _wrong(part, f"{field} is there twice")
        columns[field] = _Column(name, unit)
    if "submit" not in columns or not columns.keys() & {"run", "end"}:
        raise _wrong(text, "submit is needed, and run or end")
    return columns


def _units(field: str) -> tuple[str, ...] | None:
    if field in INSTANTS:
        return (*TIMES, RFC3339)
    if field in DURATIONS:
        return tuple(TIMES)
    if field == "memory":
        return tuple(MEMORY)
    if field == "cpu":
        return tuple(CPU)
    return () if field in (*WORDS, *NUMBERS) else None


def _wrong(part: str, why: str) -> TraceError:
    fields = ", ".join((*INSTANTS, *DURATIONS, "cpu", "memory", *NUMBERS, *WORDS))
    return TraceError(
        f"{shown(part)}: {why}",
        where="--map",
        next_step=f"Such as submit=created,run=duration:min,chips=gpus. Fields: {fields}.",
    )


def _open(source: Source) -> Trace:
    columns = parse_mapping(source.mapping or _own_names(source.header))
    needed = list(dict.fromkeys(column.name for column in columns.values()))

    def jobs(report: ImportReport) -> Iterator[TraceJob]:
        reader = _Reader(columns)
        return source.table("jobs", needed, reader.job)(report)

    return Trace(title=source.file.name, format="csv", jobs=in_order(jobs, lambda job: job.submit_ns, "jobs"))


def _own_names(header: str) -> str:
    """The mapping of a file whose columns are called as the fields are."""
    names = [name.strip().strip('"') for name in header.split(",")]
    return ",".join(f"{name}={name}" for name in names if _units(name) is not None)


class _Reader:
    """Makes jobs of rows by a mapping."""

    def __init__(self, columns: Mapping[str, _Column]) -> None:
        self._columns = columns
        self._unique = Unique(columns["id"].name) if "id" in columns else None

    def job(self, row: Row) -> TraceJob | None:
        identity = self._identity(row)
        submit = self._instant(row, "submit")
        if submit is None:
            row.refuse(self._columns["submit"].name, "a submission is needed")
        run, wait = self._run(row, submit)
        if run == 0:
            row.account.drop(NO_RUN_TIME)
            return None
        if run is None:
            row.account.invent(NO_END)
        if wait:
            row.account.change(WAITED)
        chips = self._number(row, "chips", MAX_CHIPS) or 0
        if not chips:
            row.account.note(NO_CHIPS)
        pods = self._number(row, "pods", MAX_CHIPS)
        return TraceJob(
            id=identity,
            submit_ns=submit,
            run_ns=run,
            wait_ns=wait,
            chips=chips,
            pods=1 if pods is None else max(pods, 1),
            cpu_milli=self._amount(row, "cpu", CPU, MAX_CPU_MILLI),
            memory_bytes=self._amount(row, "memory", MEMORY, MAX_MEMORY_MIB * MEBI),
            user=self._word(row, "user"),
            queue=self._word(row, "queue"),
            chip_types=tuple(filter(None, (self._word(row, "type") or "").split("|"))),
            priority=self._number(row, "priority", _MAX_PRIORITY, -_MAX_PRIORITY),
            outcome=self._word(row, "outcome"),
            estimate_ns=self._duration(row, "estimate"),
            deadline_ns=self._deadline(row, submit),
        )

    def _identity(self, row: Row) -> str:
        if self._unique is None:
            row.account.invent(NO_ID)
            return f"job-{row.line}"
        self._unique.check(row)
        return self._word(row, "id") or row.refuse(self._columns["id"].name, "a name is needed")

    def _run(self, row: Row, submit: int) -> tuple[int | None, int | None]:
        start = self._instant(row, "start")
        if start is not None and start < submit:
            row.refuse(self._columns["start"].name, "before the submission")
        wait = self._duration(row, "wait") if start is None else start - submit
        run = self._duration(row, "run")
        end = self._instant(row, "end")
        if run is not None or end is None:
            return run, wait
        began = submit + (wait or 0)
        if end < began:
            row.refuse(self._columns["end"].name, "before its start")
        return end - began, wait

    def _deadline(self, row: Row, submit: int) -> int | None:
        after = self._duration(row, "deadline-after")
        at = self._instant(row, "deadline")
        if after is not None or at is None:
            return after
        if at < submit:
            row.refuse(self._columns["deadline"].name, "before the submission")
        return at - submit

    def _instant(self, row: Row, field: str) -> int | None:
        column = self._columns.get(field)
        if column is None or not row.text(column.name):
            return None
        if column.unit != RFC3339:
            return row.nanoseconds(column.name, TIMES[column.unit or "s"])
        try:
            instant = parse_instant(row.text(column.name))
        except ValueError:
            row.refuse(column.name, "not an instant such as 2026-01-05T08:00:00Z")
        return instant if 0 <= instant <= MAX_SPAN_NS else row.refuse(column.name, "not from 1970 to 2069")

    def _duration(self, row: Row, field: str) -> int | None:
        return self._told(row, field, lambda name, unit: row.nanoseconds(name, TIMES[unit or "s"]))

    def _amount(self, row: Row, field: str, units: Mapping[str, int], maximum: int) -> int | None:
        return self._told(
            row, field, lambda name, unit: round(row.scaled(name, units[unit], maximum=maximum))
        )

    def _number(self, row: Row, field: str, maximum: int, minimum: int = 0) -> int | None:
        return self._told(row, field, lambda name, _: row.integer(name, minimum=minimum, maximum=maximum))

    def _told(self, row: Row, field: str, read: Callable[[str, str], int]) -> int | None:
        column = self._columns.get(field)
        return None if column is None or not row.text(column.name) else read(column.name, column.unit)

    def _word(self, row: Row, field: str) -> str | None:
        column = self._columns.get(field)
        return None if column is None else row.text(column.name) or None


def _recognises(header: str) -> bool:
    return has_columns("submit", "run")(header) or has_columns("submit", "end")(header)


FORMAT: Final = Format(
    name="csv",
    about="any CSV file: --map submit=COLUMN,run=COLUMN:min,…",
    recognises=_recognises,
    open=_open,
)
