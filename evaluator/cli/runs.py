"""The runs that a command line names: output folders, or folders of several runs."""

from collections.abc import Sequence
from pathlib import Path

from evaluator.errors import NothingMatchedError
from evaluator.results import RESULT_FILE, TIMELINE_FILE, RunResult, read_result
from evaluator.timeline import Timeline, read_timeline


def run_folders(named: Sequence[Path]) -> list[Path]:
    """Each run's own folder: a folder with a result in it, or all such folders right below it.

    Raises:
        NothingMatchedError: a path holds no run.
    """
    found: list[Path] = []
    for path in named:
        folder = path.parent if path.name in {RESULT_FILE, TIMELINE_FILE} else path
        below = [folder] if (folder / RESULT_FILE).is_file() else _below(folder)
        if not below:
            raise NothingMatchedError(
                f"{path}: no run is there",
                next_step=f"Give a run's output folder, with {RESULT_FILE} and {TIMELINE_FILE} in it.",
            )
        found += below
    return list(dict.fromkeys(found))


def _below(folder: Path) -> list[Path]:
    return sorted(file.parent for file in folder.glob(f"*/{RESULT_FILE}"))


def one_timeline(path: Path) -> Timeline:
    """The timeline of one run, given by its folder or by the file itself.

    Raises:
        FileFormatError: there is none, or it breaks the schema.
    """
    if path.is_dir():
        return read_timeline(path / TIMELINE_FILE)
    return read_timeline(path.parent / TIMELINE_FILE if path.name == RESULT_FILE else path)


def one_result(path: Path) -> RunResult:
    """The result of one run, given by its folder or by a file in it.

    Raises:
        FileFormatError: there is none, or it breaks the schema.
    """
    return read_result((path if path.is_dir() else path.parent) / RESULT_FILE)
