"""Files that are there whole or not at all."""

import os
from collections.abc import Iterable
from pathlib import Path


def write_atomically(path: Path, chunks: Iterable[bytes]) -> None:
    """Write ``chunks`` beside ``path`` and move the file into place, so that no reader sees half of it.

    :raises OSError: if the folder is missing or not writable or the disk is full; ``path`` is untouched.
    """
    # The process's id keeps two runs that write to one folder apart.
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.writelines(chunks)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
