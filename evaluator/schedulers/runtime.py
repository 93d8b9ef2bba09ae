"""Which runtime a program was built with, as far as it decides how its threads are woken."""

from pathlib import Path
from typing import Final

from evaluator.warp.threads import Kick

_GO_MARK: Final = b"\xff Go buildinf:"
"""Begins the build information that Go's linker puts into every program (``debug/buildinfo``)."""
_CHUNK: Final = 1 << 20


def kick_of(program: Path) -> Kick:
    """How to wake the program's threads: Go's own signal for Go programs, stop and continue for others."""
    return Kick.GO if _is_go(program) else Kick.EPOLL


def _is_go(program: Path) -> bool:
    kept = b""
    with program.open("rb") as file:
        while chunk := file.read(_CHUNK):
            if _GO_MARK in kept + chunk:
                return True
            kept = chunk[-len(_GO_MARK) :]
    return False
