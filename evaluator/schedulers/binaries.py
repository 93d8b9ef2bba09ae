"""Where a scheduler's program is: as told, in the environment, on PATH, or in the cache of builds."""

import os
import shutil
from pathlib import Path
from typing import Final

from evaluator.errors import SchedulerFailedError

BINARY_VARIABLE: Final = "EVALUATOR_KUBE_SCHEDULER"
"""Environment variable with the path of a kube-scheduler."""
CACHE_VARIABLE: Final = "SCHEDULER_EVALUATOR_CACHE"
"""Environment variable with the folder of the cache, if not ``~/.cache/scheduler-evaluator``."""


def cache_folder() -> Path:
    """The folder in which built programs are kept between checkouts."""
    if told := os.environ.get(CACHE_VARIABLE):
        return Path(told)
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "scheduler-evaluator"


def find_kube_scheduler(told: Path | None) -> Path:
    """The kube-scheduler to run: ``told``, the environment variable, PATH, the newest build in the cache.

    Raises:
        SchedulerFailedError: it is nowhere, or what was told is not a program.
    """
    for source, path in (("--scheduler-bin", told), (BINARY_VARIABLE, os.environ.get(BINARY_VARIABLE))):
        if path:
            return _program(Path(path), source)
    if on_path := shutil.which("kube-scheduler"):
        return Path(on_path)
    built = sorted(cache_folder().glob("peers/kubernetes-v*/kube-scheduler"), key=_version)
    if built:
        return built[-1]
    raise SchedulerFailedError(
        "no kube-scheduler was found",
        next_step=(
            "Build one with `make kube-scheduler` (needs Go), put one on PATH, "
            f"or name one with --scheduler-bin or {BINARY_VARIABLE}."
        ),
    )


def _program(path: Path, source: str) -> Path:
    if not (path.is_file() and os.access(path, os.X_OK)):
        raise SchedulerFailedError(
            f"{source} = {str(path)!r}: not a program that can be run", next_step="Give the path of a binary."
        )
    return path.resolve()


def _version(path: Path) -> tuple[int, ...]:
    digits = path.parent.name.rpartition("-v")[2].split(".")
    return tuple(int(part) for part in digits if part.isdigit())
