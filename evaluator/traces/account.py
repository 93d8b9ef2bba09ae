"""What an importer did with the rows of a trace: kept, dropped, changed or invented, and why.

A row that is kept may have been changed (what the file said differs from what is replayed), may carry
something invented (the file said nothing), and may be noted (it is odd, and is taken as it is). Every row
is either kept or dropped, for one reason: :meth:`ImportReport.check` holds that to the number of rows that
were read.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

MAX_EXAMPLES: Final = 5
"""Unreadable rows that are told with their place; the others are only counted."""


@dataclass(slots=True)
class RowAccount:
    """The story of one row, counted once the row is through."""

    changed: list[str] = field(default_factory=list)
    invented: list[str] = field(default_factory=list)
    noted: list[str] = field(default_factory=list)
    dropped: str | None = None

    def change(self, what: str) -> None:
        """Say that the row means something else than its file says."""
        self.changed.append(what)

    def invent(self, what: str) -> None:
        """Say that the row got something that its file does not say."""
        self.invented.append(what)

    def note(self, what: str) -> None:
        """Say that the row is odd and was taken as it is."""
        self.noted.append(what)

    def drop(self, reason: str) -> None:
        """Say that nothing comes of the row."""
        self.dropped = reason


@dataclass(slots=True)
class Section:
    """The account of the rows of one kind."""

    noun: str
    """What the rows describe: ``jobs``, ``nodes`` or ``outages``."""
    rows: int = 0
    kept: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)
    invented: Counter[str] = field(default_factory=Counter)
    noted: Counter[str] = field(default_factory=Counter)
    dropped_items: Counter[str] = field(default_factory=Counter)
    """What was made of rows that were kept, and then left out; an outage may be made of several rows."""

    def settle(self, account: RowAccount) -> None:
        """Count one row that was read."""
        self.rows += 1
        if account.dropped is not None:
            self.dropped[account.dropped] += 1
            return
        self.kept += 1
        self.changed.update(account.changed)
        self.invented.update(account.invented)
        self.noted.update(account.noted)

    def withdraw(self, reason: str, number: int = 1) -> None:
        """Count rows as dropped after all that were kept when they were read."""
        self.kept -= number
        self.dropped[reason] += number

    def check(self) -> None:
        """Hold kept and dropped to the rows that were read.

        :raises AssertionError: a bug of the importer.
        """
        assert self.kept >= 0, f"{self.noun}: {self.kept} kept"
        total = self.kept + self.dropped.total()
        assert total == self.rows, f"{self.noun}: {total} kept or dropped of {self.rows}"

    def lines(self) -> Iterator[tuple[str, int]]:
        """Each count with its text, without those that are zero."""
        yield f"{self.noun}: rows read", self.rows
        yield f"{self.noun}: rows kept", self.kept
        for verb, counts in (
            ("dropped", self.dropped),
            ("changed", self.changed),
            ("invented", self.invented),
            ("noted", self.noted),
            ("left out", self.dropped_items),
        ):
            for reason, number in counts.items():
                if number:
                    yield f"{self.noun} {verb}: {reason}", number

    def document(self) -> dict[str, Any]:
        """The account as JSON."""
        return {
            "rows": self.rows,
            "kept": self.kept,
            "dropped": _positive(self.dropped),
            "changed": _positive(self.changed),
            "invented": _positive(self.invented),
            "noted": _positive(self.noted),
            "left_out": _positive(self.dropped_items),
        }


def _positive(counts: Counter[str]) -> dict[str, int]:
    return {reason: number for reason, number in counts.items() if number}


class ImportReport:
    """The accounts of everything that was read for one trace, and remarks that have no number."""

    def __init__(self) -> None:
        self._sections: dict[str, Section] = {}
        self._remarks: list[str] = []
        self._examples = 0

    @property
    def sections(self) -> Mapping[str, Section]:
        """The accounts by what their rows describe, in the order in which they were begun."""
        return self._sections

    @property
    def remarks(self) -> list[str]:
        """What has no number, in the order in which it was said."""
        return list(self._remarks)

    def section(self, noun: str) -> Section:
        """The account of rows of that kind; begun when it is first asked for."""
        return self._sections.setdefault(noun, Section(noun))

    def remark(self, text: str) -> None:
        """Say something that has no number; once."""
        if text not in self._remarks:
            self._remarks.append(text)

    def example(self, text: str) -> None:
        """Show one of the rows that could not be read; the first few are told."""
        self._examples += 1
        if self._examples <= MAX_EXAMPLES:
            self.remark(f"unreadable: {text}")

    def check(self) -> None:
        """Hold every account to the rows that were read.

        :raises AssertionError: a bug of an importer.
        """
        for section in self._sections.values():
            section.check()

    def lines(self) -> Iterator[tuple[str, int | None]]:
        """Everything that is told, counts before remarks; a remark has no number."""
        for section in self._sections.values():
            if section.rows:
                yield from section.lines()
        for text in self._remarks:
            yield text, None

    def document(self) -> dict[str, Any]:
        """The report as JSON."""
        return {
            "rows": {noun: section.document() for noun, section in self._sections.items() if section.rows},
            "remarks": self.remarks,
        }
