"""The few ptrace(2) requests that are needed, with errors as exceptions. Linux only."""

import ctypes
import errno
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Final, NamedTuple

_DETACH: Final = 17
_POKEDATA: Final = 5
_CONT: Final = 7
_SEIZE: Final = 0x4206
_INTERRUPT: Final = 0x4207

OPTION_TRACE_EXEC: Final = 0x10
"""Stop the program at each execve, in its new image and before the first instruction of it."""
OPTION_EXIT_KILL: Final = 0x100000
"""Kill the program if the tracer ends while it holds it."""

EVENT_EXEC: Final = 4
EVENT_STOP: Final = 128

_WALL: Final = 0x40000000
"""waitpid(2): wait for threads too, whatever way they were created. Python's :mod:`os` has no name for it."""

_EVENT_SHIFT: Final = 16

_ENDED: Final = frozenset({os.CLD_EXITED, os.CLD_KILLED, os.CLD_DUMPED})


@cache
def _libc() -> ctypes.CDLL:
    library = ctypes.CDLL(None, use_errno=True)
    library.ptrace.restype = ctypes.c_long
    library.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    return library


def _request(request: int, pid: int, address: int = 0, data: int = 0) -> None:
    if _libc().ptrace(request, pid, address, data) == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def seize(pid: int, options: int = 0) -> None:
    """Become the tracer of a thread without stopping it.

    Raises:
        OSError: EPERM when it is not allowed, ESRCH when there is no such thread.
    """
    _request(_SEIZE, pid, 0, options)


def resume(pid: int, signal_number: int = 0) -> None:
    """Let a stopped thread go on, delivering a signal if one was being delivered."""
    _request(_CONT, pid, 0, signal_number)


def detach(pid: int, signal_number: int = 0) -> None:
    """Stop being the tracer of a stopped thread, which goes on."""
    _request(_DETACH, pid, 0, signal_number)


def poke(pid: int, address: int, word: int) -> None:
    """Write one 8-byte word into a stopped thread's memory, whatever its pages allow."""
    _request(_POKEDATA, pid, address, word)


class Stop(NamedTuple):
    """Why a traced thread stands: an event, 0 for the delivery of a signal, and the signal."""

    event: int
    signal_number: int

    @property
    def pending_signal(self) -> int:
        """The signal that has to be passed on when the thread goes on."""
        return 0 if self.event or self.signal_number == signal.SIGTRAP else self.signal_number


def wait_stop(pid: int, *, block: bool = True) -> Stop | None:
    """The next stop of a traced thread; None when it has none yet and ``block`` is False.

    Must be called by the thread that traces.

    Raises:
        ProcessLookupError: it ended instead; its exit status is left for its parent to take.
    """
    options = _WALL if block else _WALL | os.WNOHANG
    # First a look that takes nothing away: an exit status can be had once only.
    seen = os.waitid(os.P_PID, pid, os.WEXITED | os.WSTOPPED | os.WNOWAIT | options)
    if seen is None:
        return None
    if seen.si_code in _ENDED:
        raise ProcessLookupError(errno.ESRCH, os.strerror(errno.ESRCH))
    _, status = os.waitpid(pid, options)
    return Stop(status >> _EVENT_SHIFT, os.WSTOPSIG(status))


def interrupt(pid: int) -> Stop:
    """Stop a traced thread that may be running.

    Raises:
        OSError: it is gone.
    """
    _request(_INTERRUPT, pid)
    stop = wait_stop(pid)
    if stop is None:
        raise ProcessLookupError(errno.ESRCH, os.strerror(errno.ESRCH))
    return stop


@contextmanager
def held(pid: int) -> Iterator[None]:
    """Hold a thread stopped for the length of the block.

    Raises:
        OSError: it may not be traced, or is gone.
    """
    seize(pid)
    stop = interrupt(pid)
    try:
        yield
    finally:
        detach(pid, stop.pending_signal)
