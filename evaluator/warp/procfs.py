"""What ``/proc`` says about a process's threads: pure readers of its formats, and a few listings."""

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

STOPPED: Final = frozenset("TtZXx")
"""Thread states in which no instruction is executed until somebody says so: stopped, traced, dead."""

_RUNNING_LINE: Final = b"running"
_NO_CALL: Final = -1
_FIELDS_IN_CALL: Final = 9
_HEX: Final = 16


@dataclass(frozen=True, slots=True)
class ThreadCall:
    """A line of ``/proc/PID/task/TID/syscall``: where a thread that does not run is.

    ``number`` is the system call's, or None for a thread outside of one; then it has no arguments.
    """

    number: int | None
    arguments: Sequence[int]
    stack_pointer: int
    program_counter: int


def parse_call(line: bytes) -> ThreadCall | None:
    """Read such a line; None for a thread that runs or is about to."""
    if line.startswith(_RUNNING_LINE):
        return None
    number, *words = line.split()
    values = [int(word, _HEX) for word in words]
    if int(number) == _NO_CALL or len(values) < _FIELDS_IN_CALL - 1:
        return ThreadCall(None, (), values[-2], values[-1])
    return ThreadCall(int(number), values[:-2], values[-2], values[-1])


def state_of(stat: bytes) -> str:
    """The state letter in a line of ``/proc/PID/stat``; the name before it may hold brackets too."""
    return chr(stat[stat.rindex(b")") + 2])


def thread_ids(pid: int) -> list[int]:
    """The threads of a process.

    Raises:
        OSError: the process is gone.
    """
    return [int(name) for name in os.listdir(f"/proc/{pid}/task")]


def thread_state(pid: int, tid: int) -> str:
    """The state letter of a thread; ``X`` once it is gone."""
    try:
        with open(f"/proc/{pid}/task/{tid}/stat", "rb") as file:
            return state_of(file.read())
    except (FileNotFoundError, ProcessLookupError):
        return "X"


def thread_call(pid: int, tid: int) -> ThreadCall | None:
    """Where a thread waits; None when it runs.

    Raises:
        OSError: the thread is gone, or may not be looked at.
    """
    with open(f"/proc/{pid}/task/{tid}/syscall", "rb") as file:
        return parse_call(file.read())


def vdso_span(pid: int) -> range | None:
    """The addresses of a process's vDSO; None when it has none.

    Raises:
        OSError: the process is gone or about to be, or may not be looked at.
    """
    with open(f"/proc/{pid}/maps", encoding="ascii", errors="replace") as file:
        lines = file.readlines()
    if not lines:  # its memory is the first thing that an ending process gives up
        raise ProcessLookupError(errno.ESRCH, os.strerror(errno.ESRCH))
    for line in lines:
        if line.rstrip().endswith("[vdso]"):
            start, _, end = line.split(maxsplit=1)[0].partition("-")
            return range(int(start, _HEX), int(end, _HEX))
    return None


def forget_use(pid: int) -> None:
    """Clear the marks of use on a process's pages, for :func:`vdso_used`; nothing where that cannot be."""
    with suppress(OSError), open(f"/proc/{pid}/clear_refs", "w", encoding="ascii") as file:
        file.write("1")


def vdso_used(pid: int) -> bool | None:
    """Whether all pages of a process's vDSO were used since :func:`forget_use`; None if that is not known."""
    try:
        with open(f"/proc/{pid}/smaps", encoding="ascii", errors="replace") as file:
            lines = iter(file)
            next(line for line in lines if line.rstrip().endswith("[vdso]"))
            size, used = (int(_line_of(lines, name).split()[1]) for name in ("Size:", "Referenced:"))
    except (OSError, StopIteration, RuntimeError):
        return None
    return used >= size


def _line_of(lines: Iterator[str], name: str) -> str:
    return next(line for line in lines if line.startswith(name))


def command_name(pid: int) -> str:
    """The short name of a process, for messages; ``?`` once it is gone."""
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return "?"
