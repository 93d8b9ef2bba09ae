"""InfiniteHBD: outages of GPU servers over 348 days, as a JSON list of events in order.

Source: ``stepfun-ai/InfiniteHBD-Trace``. Paper: Shou et al., SIGCOMM 2025. Times in days. A fault that begins
within another of its node is one outage with it: a node is down from its first ``fault_start`` until as many
``fault_end`` have come. Nodes without a fault are not listed.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evaluator.errors import TraceError
from evaluator.traces.account import ImportReport
from evaluator.traces.formats.base import NO_LENGTH, Format, Source
from evaluator.traces.model import Trace, TraceOutage
from evaluator.traces.ordering import in_order
from evaluator.traces.source import broken, read_lines
from evaluator.traces.table import MAX_ROWS, Row, convert
from fakeapi.kernel.time import DAY

COLUMNS: Final = ("node_id", "event_time", "event_type", "Level", "Class", "Desc")
START: Final = "fault_start"
END: Final = "fault_end"

MERGED: Final = "begins or ends within another outage of its node; one outage with it"
NO_START: Final = "ends what never began"
NO_END: Final = "begins what never ends in the file"

MAX_DOCUMENT: Final = 64 * 2**20
"""Characters of a JSON file, which is read whole: two hundred times the published one."""


def _open(source: Source) -> Trace:
    def outages(report: ImportReport) -> Iterator[TraceOutage]:
        report.remark("nodes without an outage are not listed in the file")
        section, pairing = report.section("outages"), _Pairing()
        yield from convert(_events(source.file), pairing.take, section, source.lenience(report))
        section.withdraw(NO_END, pairing.open_rows)

    return Trace(
        title="InfiniteHBD's outages of GPU servers, 2024-25",
        format="infinitehbd-faults",
        outages=in_order(outages, lambda outage: outage.start_ns, "outages"),
    )


@dataclass(slots=True)
class _Down:
    since_ns: int
    cause: str
    depth: int = 1
    rows: int = 1


class _Pairing:
    """Makes outages of events."""

    def __init__(self) -> None:
        self._down: dict[str, _Down] = {}

    @property
    def open_rows(self) -> int:
        """Rows of outages that have begun and not ended."""
        return sum(down.rows for down in self._down.values())

    def take(self, row: Row) -> TraceOutage | None:
        node, at = row.text("node_id"), row.nanoseconds("event_time", DAY)
        kind = row.choice("event_type", (START, END))
        down = self._down.get(node)
        if kind == START:
            self._begin(row, node, at, down)
            return None
        return self._end(row, node, at, down)

    def _begin(self, row: Row, node: str, at: int, down: _Down | None) -> None:
        if down is None:
            cause = ": ".join(text for text in (row.text(part) for part in COLUMNS[3:]) if text)
            self._down[node] = _Down(at, cause)
            return
        row.account.change(MERGED)
        down.depth += 1
        down.rows += 1

    def _end(self, row: Row, node: str, at: int, down: _Down | None) -> TraceOutage | None:
        if down is None:
            row.account.drop(NO_START)
            return None
        if at < down.since_ns:
            row.refuse("event_time", "before the outage began")
        down.depth -= 1
        down.rows += 1
        if down.depth:
            row.account.change(MERGED)
            return None
        del self._down[node]
        if at == down.since_ns:
            row.account.note(NO_LENGTH)
        return TraceOutage(
            node=node, start_ns=down.since_ns, duration_ns=at - down.since_ns, cause=down.cause
        )


def _events(file: Path) -> Iterator[Row | TraceError]:
    text = _document(file)
    decoder, line, position = json.JSONDecoder(), 1, _after(text, 0, " \t\r\n")
    if text[position : position + 1] != "[":
        raise broken(file, 1, "not a JSON list of events")
    seen, position = 0, position + 1
    for count in range(1, MAX_ROWS + 1):
        position = _after(text, position, " \t\r\n," if count > 1 else " \t\r\n")
        line += text.count("\n", seen, position)
        seen = position
        if text[position : position + 1] == "]":
            return
        try:
            event, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError) as error:  # ValueError: also a number of too many digits
            raise broken(file, line, f"not JSON: {error}") from error
        yield _row(file, line, event)
    raise broken(file, line, f"more than {MAX_ROWS:,} events")


def _after(text: str, position: int, blanks: str) -> int:
    while position < len(text) and text[position] in blanks:
        position += 1
    return position


def _document(file: Path) -> str:
    parts: list[str] = []
    size = 0
    for _, text in read_lines(file):
        if isinstance(text, TraceError):
            raise text
        size += len(text) + 1
        if size > MAX_DOCUMENT:
            raise broken(file, None, f"more than {MAX_DOCUMENT:,} characters of JSON")
        parts.append(text)
    return "\n".join(parts)


def _row(file: Path, line: int, event: Any) -> Row | TraceError:
    if not isinstance(event, dict):
        return broken(file, line, f"an event is an object, not {type(event).__name__}")
    kind = event.get("fault_type")
    cells = {**event, **(kind if isinstance(kind, dict) else {})}
    missing = [column for column in COLUMNS if column not in cells]
    if missing:
        return broken(file, line, f"an event without {', '.join(missing)}")
    return Row(file, line, {column: _plain(cells[column]) for column in COLUMNS})


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)


FORMAT: Final = Format(
    name="infinitehbd-faults",
    about="InfiniteHBD 2024-25: outages of GPU servers (JSON)",
    recognises=lambda header: header.lstrip().startswith("["),
    open=_open,
)
