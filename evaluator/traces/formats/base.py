"""What an importer is, and what all of them share."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from evaluator.traces.account import ImportReport
from evaluator.traces.model import Trace
from evaluator.traces.table import Lenience, Made, Row, convert, read_table

NO_RUN_TIME: Final = "ran for no time at all"
NO_RUN_TIME_KNOWN: Final = "run time unknown"
NEVER_SCHEDULED: Final = "never scheduled in the trace, so that their run time is unknown"
WAITED: Final = "waited in the trace; the wait is left out of the run time"
NO_CHIPS: Final = "asks for no chips"
FAILED: Final = "did not end well in the trace; runs as long as there, and finishes"
NO_LENGTH: Final = "lasts no time"
NO_ID: Final = "no id: numbered by its line"

MAX_CHIPS: Final = 1_000_000
"""Upper bound of the chips of one job or machine; the largest clusters have some 100,000."""

MAX_CPU_MILLI: Final = 10_000_000
"""Upper bound of a plausible CPU amount: ten thousand cores in one machine."""

MAX_MEMORY_MIB: Final = 2**30
"""Upper bound of a plausible memory amount: a pebibyte in one machine."""

MEBI: Final = 2**20
"""Bytes in a mebibyte."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file that is to be read, and how."""

    file: Path
    lenient: bool = False
    """Count and skip rows that cannot be read."""
    header: str = ""
    """Its first line that is not blank."""
    mapping: str = ""
    """Which column means what, for tables of no known format."""

    def lenience(self, report: ImportReport) -> Lenience:
        """What becomes of rows that cannot be read."""
        return Lenience(skip=self.lenient, example=report.example)

    def table(
        self, noun: str, columns: Sequence[str], make: Callable[[Row], Made | None]
    ) -> Callable[[ImportReport], Iterator[Made]]:
        """The rows of a CSV file as a stream of a trace."""

        def stream(report: ImportReport) -> Iterator[Made]:
            rows = read_table(self.file, columns)
            return convert(rows, make, report.section(noun), self.lenience(report))

        return stream


@dataclass(frozen=True, slots=True)
class Format:
    """An importer."""

    name: str
    about: str
    """What it reads, in one line."""
    recognises: Callable[[str], bool]
    """Whether a file with this first line is one of its own."""
    open: Callable[[Source], Trace]
    """Makes the trace; reads no more of the file than it must."""
    published: Sequence[str] = field(default_factory=tuple)
    """Files of this format that are published."""


def has_columns(*columns: str) -> Callable[[str], bool]:
    """Recognises a CSV file by columns that its first line names."""

    def recognises(header: str) -> bool:
        names = {name.strip().strip('"') for name in header.split(",")}
        return set(columns) <= names

    return recognises
