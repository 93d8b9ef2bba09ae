"""CSV files from outside: bounded, and checked cell by cell; every complaint has a file and a line."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

from evaluator.errors import TraceError, shown
from fakeapi.machinery import validation

MAX_ROWS: Final = 2_000_000
"""Rows of one file: some twenty times the largest trace in use."""

MAX_CELL: Final = 4_096
"""Characters of one cell; longer ones mean that a quote was never closed."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table and where it stands."""

    file: Path
    line: int
    cells: Mapping[str, str]

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

    def integer(self, column: str, *, maximum: int, minimum: int = 0) -> int:
        """The cell as a whole number between two bounds.

        :raises TraceError: if it is anything else.
        """
        text = self.text(column)
        # int() also takes "1_000" and digits of other scripts.
        if not (text.isascii() and text.removeprefix("-").isdigit()):
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

    def refuse(self, column: str, why: str) -> NoReturn:
        """Complain about a cell.

        :raises TraceError: always.
        """
        raise TraceError(
            f"{column} = {shown(self.cells[column])}: {why}",
            where=f"{self.file}:{self.line}",
            next_step="Is the file complete, and the one that was published?",
        )


def read_table(file: Path, columns: Sequence[str]) -> Iterator[Row]:
    """The rows of a CSV file whose first line names at least ``columns``.

    :raises TraceError: with file and line, if it cannot be read, is no such table, or has too many rows.
    """
    try:
        with file.open(encoding="utf-8", newline="") as text:
            yield from _rows(file, text, columns)
    except UnicodeDecodeError as error:
        raise _broken(file, None, f"not UTF-8 text: {error.reason}") from error
    except OSError as error:
        raise _broken(file, None, f"cannot be read: {error.strerror}") from error


def _rows(file: Path, text: Iterator[str], columns: Sequence[str]) -> Iterator[Row]:
    reader = csv.reader(text, strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        missing = [column for column in columns if column not in header]
        if missing:
            raise _broken(file, 1, f"no column {', '.join(missing)}; found {shown(', '.join(header))}")
        for count, cells in enumerate(reader, start=1):
            if count > MAX_ROWS:
                raise _broken(file, reader.line_num, f"more than {MAX_ROWS:,} rows")
            if cells:
                yield _row(file, reader.line_num, header, cells)
    except csv.Error as error:
        raise _broken(file, reader.line_num, f"not CSV: {error}") from error


def _row(file: Path, line: int, header: Sequence[str], cells: Sequence[str]) -> Row:
    if len(cells) != len(header):
        raise _broken(file, line, f"{len(cells)} cells where the header names {len(header)} columns")
    if any(len(cell) > MAX_CELL for cell in cells):
        raise _broken(file, line, f"a cell of more than {MAX_CELL:,} characters")
    return Row(file, line, dict(zip(header, cells, strict=True)))


def _broken(file: Path, line: int | None, what: str) -> TraceError:
    where = str(file) if line is None else f"{file}:{line}"
    return TraceError(what, where=where, next_step="Is the file complete, and the one that was published?")
