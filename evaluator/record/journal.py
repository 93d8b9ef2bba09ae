"""The file of a recording: JSON lines, each on disk before the next is taken."""

import json
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Final

from evaluator.errors import UsageError
from evaluator.record.observer import Event
from evaluator.traces.formats.recorded import FORMAT_NAME, VERSION
from fakeapi.kernel.time import format_instant


class Journal:
    """Appends events; what was written stays, however the recording ends."""

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        self.written = 0
        try:
            self._file = path.open("x", encoding="utf-8")
        except FileExistsError as error:
            raise UsageError(
                f"{path} is there already", where="--out", next_step="Name a new file."
            ) from error
        except OSError as error:
            raise UsageError(
                f"{path} cannot be written: {error.strerror}", where="--out", next_step="Name another file."
            ) from error

    def __enter__(self) -> "Journal":
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._file.close()
        if not self.path.stat().st_size:  # the server was never reached: nothing to keep
            self.path.unlink()

    def begin(self, started_ns: int, *, chip_resource: str, anonymised: bool) -> None:
        """Write the first line."""
        self._put(
            {
                "format": FORMAT_NAME,
                "version": VERSION,
                "started": format_instant(started_ns),
                "chip_resource": chip_resource,
                "anonymised": anonymised,
            }
        )

    def add(self, events: Iterable[Event]) -> None:
        """Write events, and hand them to the system at once."""
        for event in events:
            self._put(event)
            self.written += 1
        self._file.flush()

    def _put(self, document: Event) -> None:
        self._file.write(json.dumps(document, separators=(",", ":"), ensure_ascii=False) + "\n")
