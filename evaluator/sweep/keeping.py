"""What a sweep keeps on the disk: for each run its folder, and in it what was asked for."""

from pathlib import Path
from typing import Final

import orjson
from pydantic import ValidationError

from evaluator.errors import FileFormatError
from evaluator.files import write_atomically
from evaluator.results import RESULT_FILE, TIMELINE_FILE, RunResult, read_result
from evaluator.sweep.grid import Request

REQUEST_FILE: Final = "request.json"
"""What was asked for: scenario and scheduler with their digests, parameters, seed."""

LOG_FILE: Final = "evaluator.log"
"""What the run's own process printed."""


def finished(folder: Path, request: Request) -> RunResult | None:
    """The result of this very run, if it is there and whole; none if it has to be performed.

    A run counts as performed when the same was asked for (the digests of scenario and scheduler included),
    its result is complete, and its timeline is beside it.
    """
    if _asked(folder) != request or not (folder / TIMELINE_FILE).is_file():
        return None
    try:
        result = read_result(folder)
    except FileFormatError:
        return None
    return result if result.complete else None


def _asked(folder: Path) -> Request | None:
    try:
        return Request.model_validate_json((folder / REQUEST_FILE).read_bytes())
    except (OSError, ValidationError):
        return None


def prepare(folder: Path, request: Request) -> None:
    """Make the folder ready for the run: what an earlier attempt left is not taken for its outcome.

    :raises OSError: the folder cannot be made or written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for left in (RESULT_FILE, TIMELINE_FILE):
        (folder / left).unlink(missing_ok=True)
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    write_atomically(folder / REQUEST_FILE, [orjson.dumps(request.model_dump(mode="json"), option=options)])


def reason(folder: Path) -> str:
    """Why a run failed, in one line: the first that its process printed, but for the scheduler's own log."""
    try:
        lines = (folder / LOG_FILE).read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    told = (line for line in lines if line.strip() and not line.startswith("  | ") and line[-1] != ":")
    return next(told, "it left no message").removeprefix("evaluator: ").removeprefix(": ").strip()
