"""Where recorded traces lie: they are published by their owners and never part of this project."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evaluator.errors import TraceError

VARIABLE: Final = "EVALUATOR_TRACES"
"""Environment variable that names the folder of traces."""


@dataclass(frozen=True, slots=True)
class TraceSource:
    """A published trace: which files of it are needed, and where to get them."""

    name: str
    """Name of its folder below the folder of traces."""
    files: Sequence[str]
    published: str
    """Where it can be had."""


def find_trace(
    source: TraceSource, given: str | None, *, environment: Mapping[str, str] = os.environ
) -> Path:
    """The folder that holds all files of a trace.

    :param given: the folder that the user named; otherwise the environment variable names the folder itself,
        or the one above it.
    :raises TraceError: if there is none, saying which files are needed and where they are published.
    """
    if given is not None:
        return _complete(source, Path(given), f"--set trace={given}")
    root = environment.get(VARIABLE)
    if not root:
        raise TraceError(
            f"the trace {source.name} is needed, and nothing says where it lies", next_step=_advice(source)
        )
    below = Path(root) / source.name
    return _complete(source, below if below.is_dir() else Path(root), f"{VARIABLE}={root}")


def _complete(source: TraceSource, folder: Path, where: str) -> Path:
    missing = [file for file in source.files if not (folder / file).is_file()]
    if missing:
        raise TraceError(
            f"{folder} has no {' and no '.join(missing)}", where=where, next_step=_advice(source)
        )
    return folder


def _advice(source: TraceSource) -> str:
    return (
        f"Get {' and '.join(source.files)} from {source.published}, and name their folder by --set trace=DIR "
        f"or by the environment variable {VARIABLE}."
    )
