"""Running the installed ``evaluator`` as a user does, and looking at what it leaves."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.exits import ExitCode

COMMAND = [sys.executable, "-m", "evaluator.cli.main"]
LIMIT_S = 600.0
"""Real seconds that a run of these suites may take on a machine that is busy with others."""


@dataclass(frozen=True)
class Finished:
    """A command that has ended."""

    code: int
    out: str
    err: str


def evaluator(*arguments: str | Path, env: Mapping[str, str] | None = None) -> Finished:
    """Run the command to its end."""
    ended = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    return Finished(ended.returncode, ended.stdout, ended.stderr)


def result_in(folder: Path) -> dict[str, Any]:
    """The run's result.json."""
    loaded: dict[str, Any] = json.loads((folder / "result.json").read_text())
    return loaded


def timeline_in(folder: Path) -> bytes:
    """The run's timeline.jsonl."""
    return (folder / "timeline.jsonl").read_bytes()


def require_success(finished: Finished) -> None:
    """Fail with what was printed if the command did not end well."""
    assert finished.code == ExitCode.OK, f"exit {finished.code}\n{finished.out}\n{finished.err}"


def descendants_of(pid: int) -> set[int]:
    """Every living process that descends from ``pid``."""
    found: set[int] = set()
    for line in subprocess.run(
        ["ps", "-e", "-o", "pid=,ppid="], capture_output=True, text=True, check=True
    ).stdout.splitlines():
        child, parent = map(int, line.split())
        if parent == pid or parent in found:
            found.add(child)
    return found


def is_alive(pid: int) -> bool:
    """Whether the process exists and is not a zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"
