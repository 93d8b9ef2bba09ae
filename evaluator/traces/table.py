"""Tables from outside, checked cell by cell; every complaint has file, line, column and value.

A row is one line: no published trace breaks a line within quotes, and a quote that is never closed then
spoils its own line alone.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Final, NoReturn, TypeVar

from evaluator.errors import TraceError, shown
from evaluator.traces.account import RowAccount, Section
from evaluator.traces.source import ADVICE, Line, broken, read_lines
from fakeapi.cluster.annotations import MAX_DURATION
from fakeapi.kernel.time import MICROSECOND, SECOND
from fakeapi.machinery import validation

MAX_ROWS: Final = 2_000_000
"""Rows of one file: some twenty times the largest trace in use. Bounds the memory that sorting needs."""

MAX_CELL: Final = 4_096
"""Characters of one cell."""

MAX_DIGITS: Final = 40
"""Characters of a number; longer text is none."""

MAX_SPAN_NS: Final = MAX_DURATION
"""Greatest instant or duration of a trace: 100 years, as far as virtual time goes."""

ROUNDED: Final = "a time with a fraction below a microsecond, rounded"
"""How it is told that a time was written as an inexact float."""

Made = TypeVar("Made")


class CellError(TraceError):
    """A cell that holds what it should not."""

    def __init__(self, column: str, what: str, *, where: str) -> None:
        super().__init__(what, where=where, next_step=ADVICE)
        self.column = column


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table, where it stands, and what becomes of it."""

    file: Path
    line: int
    cells: Mapping[str, str]
    account: RowAccount = field(default_factory=RowAccount)

    def text(self, column: str) -> str:
        """The cell as it is, without blanks around it."""
        return self.cells[column].strip()

    def object_name(self, column: str) -> str:
        """The cell as the name of a Kubernetes object.

        :raises TraceError: if it cannot be one.
        """
        text = self.text(column)
        wrong = validation.dns_subdomain(text)
        return self.refuse(column, wrong) if wrong else text

    def label(self, column: str) -> str:
        """The cell as the value of a label, which may be empty.

        :raises TraceError: if it cannot be one.
        """
        text = self.text(column)
        wrong = validation.label_value(text)
        return self.refuse(column, wrong) if wrong else text

    def choice(self, column: str, allowed: Sequence[str]) -> str:
        """The cell as one of several words.

        :raises TraceError: if it is none of them.
        """
        text = self.text(column)
        if text not in allowed:
            self.refuse(column, f"not one of {', '.join(allowed)}")
        return text

    def integer(self, column: str, *, maximum: int, minimum: int = 0) -> int:
        """The cell as a whole number between two bounds.

        :raises TraceError: if it is anything else.
        """
        text = self.text(column)
        # int() also takes "1_000" and digits of other scripts.
        if not (text.isascii() and text.removeprefix("-").isdigit()) or len(text) > MAX_DIGITS:
            self.refuse(column, "not a whole number")
        number = int(text)
        if not minimum <= number <= maximum:
            self.refuse(column, f"must lie between {minimum:,} and {maximum:,}")
        return number

    def optional_integer(self, column: str, *, maximum: int, minimum: int = 0) -> int | None:
        """The cell as a whole number between two bounds, or none if it is empty.

        :raises TraceError: if it is anything else.
        """
        return self.integer(column, maximum=maximum, minimum=minimum) if self.text(column) else None

    def scaled(self, column: str, unit: int, *, maximum: int, minimum: int = 0) -> Decimal:
        """The cell, a decimal number of ``unit``, in the base unit; bounds are in the base unit.

        :raises TraceError: if it is no number or lies outside the bounds.
        """
        text = self.text(column)
        try:
            # Decimal() also takes "1_000", "NaN" and digits of other scripts.
            number = Decimal(text) if text.isascii() and "_" not in text and len(text) <= MAX_DIGITS else None
        except InvalidOperation:
            number = None
        if number is None or not number.is_finite():
            self.refuse(column, "not a number")
        # Compared before it is multiplied: 1e999999 would need a million digits.
        if number.adjusted() > MAX_DIGITS or not minimum <= number * unit <= maximum:
            self.refuse(column, f"must lie between {minimum // unit:,} and {maximum // unit:,}")
        return number * unit

    def nanoseconds(self, column: str, unit: int = SECOND, *, minimum: int = 0) -> int:
        """The cell, a number of ``unit`` nanoseconds, as whole microseconds in nanoseconds.

        That the cell had a finer fraction than that is accounted for as a change.

        :raises TraceError: if it is no number, negative or beyond :data:`MAX_SPAN_NS`.
        """
        exact = self.scaled(column, unit, maximum=MAX_SPAN_NS, minimum=minimum)
        whole = round(exact / MICROSECOND) * MICROSECOND
        if whole != exact:
            self.account.change(ROUNDED)
        return whole

    def optional_nanoseconds(self, column: str, unit: int = SECOND) -> int | None:
        """As :meth:`nanoseconds`, or none if the cell is empty.

        :raises TraceError: as :meth:`nanoseconds`.
        """
        return self.nanoseconds(column, unit) if self.text(column) else None

    def refuse(self, column: str, why: str) -> NoReturn:
        """Complain about a cell.

        :raises CellError: always.
        """
        raise CellError(column, f"{column} = {shown(self.cells[column])}: {why}", where=self.where)

    @property
    def where(self) -> str:
        """``FILE:LINE``."""
        return f"{self.file}:{self.line}"


def read_table(file: Path, columns: Sequence[str]) -> Iterator[Row | TraceError]:
    """The rows of a CSV file whose first line names at least ``columns``; a broken row is given as its error.

    :raises TraceError: with file and line, if it cannot be read, is no such table, or has too many rows.
    """
    lines = read_lines(file)
    number, first = next(lines, (1, ""))
    if isinstance(first, TraceError):
        raise first
    header = [name.strip() for name in _cells(file, number, first)]
    missing = [column for column in columns if column not in header]
    if missing:
        raise broken(file, 1, f"no column {', '.join(missing)}; found {shown(', '.join(header))}")
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise broken(file, 1, f"column {shown(', '.join(twice))} is there more than once")
    yield from split_rows(file, lines, header, lambda line, text: _cells(file, line, text))


def split_rows(
    file: Path, lines: Iterable[Line], header: Sequence[str], split: Callable[[int, str], list[str]]
) -> Iterator[Row | TraceError]:
    """Lines cut into cells; blank ones are no rows.

    :param split: cuts the text of a line, given its number; may raise a ``TraceError``.
    :raises TraceError: if there are too many rows.
    """
    count = 0
    for number, text in lines:
        if not isinstance(text, TraceError) and not text.strip():
            continue
        count += 1
        if count > MAX_ROWS:
            raise broken(file, number, f"more than {MAX_ROWS:,} rows")
        yield text if isinstance(text, TraceError) else _row(file, number, header, text, split)


def _row(
    file: Path, line: int, header: Sequence[str], text: str, split: Callable[[int, str], list[str]]
) -> Row | TraceError:
    try:
        cells = split(line, text)
    except TraceError as error:
        return error
    if len(cells) != len(header):
        return broken(file, line, f"{len(cells)} cells where there should be {len(header)} columns")
    for column, cell in zip(header, cells, strict=True):
        if len(cell) > MAX_CELL:
            return broken(file, line, f"{column} = {shown(cell)}: more than {MAX_CELL:,} characters")
    return Row(file, line, dict(zip(header, cells, strict=True)))


def _cells(file: Path, line: int, text: str) -> list[str]:
    if '"' not in text:
        return text.split(",")
    try:
        # Strict: a quote that is not closed on its line is an error.
        return next(csv.reader([text], strict=True), [])
    except csv.Error as error:
        raise broken(file, line, f"not CSV: {error}") from error


@dataclass(frozen=True, slots=True)
class Lenience:
    """What to do with rows that cannot be read."""

    skip: bool = False
    """Count and skip them instead of giving up."""
    example: Callable[[str], None] = lambda _text: None
    """Told of each."""


def convert(
    rows: Iterable[Row | TraceError],
    make: Callable[[Row], Made | None],
    section: Section,
    lenience: Lenience,
) -> Iterator[Made]:
    """What becomes of each row, accounted for.

    :param make: makes the item; none says that the row was dropped, with its reason in the row's account, or
        that nothing comes of it alone.
    :raises TraceError: of the first row that cannot be read, unless they are skipped.
    """
    for row in rows:
        item, account = None, RowAccount()
        try:
            if isinstance(row, TraceError):
                raise row
            item, account = make(row), row.account
        except TraceError as error:
            if not lenience.skip:
                raise
            account.drop(f"unreadable {error.column if isinstance(error, CellError) else 'line'}")
            lenience.example(f"{error.where}: {error.what}")
        section.settle(account)
        if item is not None and account.dropped is None:
            yield item


class Unique:
    """Refuses a value that an earlier row has already."""

    def __init__(self, column: str) -> None:
        self._column = column
        self._seen: dict[str, int] = {}

    def check(self, row: Row) -> None:
        """Remember the row's value.

        :raises TraceError: if another row has it, naming that row's line.
        """
        value = row.text(self._column)
        first = self._seen.setdefault(value, row.line)
        if first != row.line:
            row.refuse(self._column, f"line {first} has that already")
