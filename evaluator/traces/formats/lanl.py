"""Los Alamos' record of outages of 23 systems, 1995 to 2005.

Source: data of LA-UR-05-7318, "LANL failure data". Times are local without a zone and are taken as UTC; the
trace's zero is 1970-01-01. One row is one node that was down.
"""

from datetime import UTC, datetime
from typing import Final

from evaluator.traces.formats.base import NO_LENGTH, Format, Source, has_columns
from evaluator.traces.model import Trace, TraceOutage
from evaluator.traces.ordering import in_order
from evaluator.traces.table import MAX_SPAN_NS, Row
from fakeapi.kernel.time import HOUR, MINUTE, SECOND

CAUSES: Final = ("Facilities", "Hardware", "Human Error", "Network", "Undetermined", "Software")
COLUMNS: Final = ("System", "nodenumz", "Prob Started", "Prob Fixed", "Down Time", *CAUSES)

NO_NODE: Final = "names no node"
NO_CAUSE: Final = "names no cause"
DISAGREES: Final = "its Down Time is not the time between its start and end; start and end are taken"
CLOCK_CHANGE: Final = (
    "one hour between its Down Time and its times, as where clocks change; Down Time is taken"
)
A_MINUTE_OFF: Final = "its Down Time is a minute off its times, as if rounded; its times are taken"
ZERO_DOWN: Final = "its Down Time is 0"

_FORM: Final = "%m/%d/%Y %H:%M"
_MAX_NUMBER: Final = 1_000_000


def _open(source: Source) -> Trace:
    return Trace(
        title="Los Alamos' outages, 1995-2005",
        format="lanl-failures",
        outages=in_order(
            source.table("outages", COLUMNS, _outage), lambda outage: outage.start_ns, "outages"
        ),
    )


def _outage(row: Row) -> TraceOutage | None:
    start, end = _moment(row, "Prob Started"), _moment(row, "Prob Fixed")
    told = row.nanoseconds("Down Time", MINUTE)
    system = row.integer("System", maximum=_MAX_NUMBER)
    if end < start:
        row.refuse("Prob Fixed", f"before Prob Started, which is {row.text('Prob Started')}")
    if not row.text("nodenumz"):
        row.account.drop(NO_NODE)
        return None
    duration = _duration(row, told, end - start)
    if not told:
        row.account.note(ZERO_DOWN)
    if not duration:
        row.account.note(NO_LENGTH)
    cause = _cause(row)
    return TraceOutage(
        node=f"system-{system}-node-{row.integer('nodenumz', maximum=_MAX_NUMBER)}",
        start_ns=start,
        duration_ns=duration,
        cause=cause,
    )


def _duration(row: Row, told: int, between: int) -> int:
    if told == between:
        return between
    if abs(told - between) == HOUR:
        row.account.change(CLOCK_CHANGE)
        return told
    row.account.change(A_MINUTE_OFF if abs(told - between) == MINUTE else DISAGREES)
    return between


def _cause(row: Row) -> str:
    for column in CAUSES:
        if row.text(column):
            return f"{column}: {row.text(column)}"
    row.account.note(NO_CAUSE)
    return ""


def _moment(row: Row, column: str) -> int:
    try:
        moment = datetime.strptime(row.text(column), _FORM).replace(tzinfo=UTC)
    except ValueError:
        row.refuse(column, "not a time such as 6/21/2005 10:54")
    ns = int(moment.timestamp()) * SECOND
    if not 0 <= ns <= MAX_SPAN_NS:
        row.refuse(column, "not between 1970 and 2069")
    return ns


FORMAT: Final = Format(
    name="lanl-failures",
    about="Los Alamos 1995-2005: outages of CPU nodes",
    recognises=has_columns(*COLUMNS),
    open=_open,
)
