"""Stopping a process's threads, letting them go, and making them look at their clock again."""

import ctypes
import os
import signal
from collections.abc import Callable, Iterable
from enum import Enum
from functools import cache
from typing import Final, TypeAlias

from evaluator.warp.errors import ProcessVanished, WarpUnavailable
from evaluator.warp.procfs import STOPPED, ThreadCall, thread_call, thread_ids, thread_state
from fakeapi.kernel.clock import monotonic_ns, real_sleep
from fakeapi.kernel.time import SECOND, Duration

_NR_TGKILL: Final = 234
"""x86-64. Python's own :func:`signal.pthread_kill` reaches threads of its own process only."""

_NR_KCMP: Final = 312
"""x86-64."""
_KCMP_VM: Final = 1

_STOP_LIMIT: Final[Duration] = 5 * SECOND
"""How long a process may take to stop. It takes microseconds, unless a thread waits for a disk."""

_STOP_POLL_S: Final = 20e-6
"""Pause between two looks at whether all threads have stopped: about as long as stopping one takes."""

_INSIDE_LIMIT: Final = 1000
"""Attempts to find all threads outside of the code that is to change. One is enough nearly always; a program
that does nothing but read its clock is inside nine times out of ten."""

_STACK_LOOK: Final = 64 * 1024
"""Bytes of each stack that are searched for an interrupted instruction: more than a signal's frame with the
largest register sets takes."""

_POINTER: Final = 8


class Kick(Enum):
    """How sleeping threads are made to look at their clock again after a jump."""

    GO = "go"
    """SIGURG to each thread: Go's runtime sends itself that signal, tolerates strays, and computes its sleep
    anew when ``epoll_pwait`` is interrupted."""

    EPOLL = "epoll"
    """SIGSTOP and SIGCONT: no handler runs, yet ``epoll_wait`` returns EINTR, upon which CPython and libuv
    compute their time-out anew. Other waits are restarted by the kernel and notice nothing."""


Action: TypeAlias = Callable[[int], None]
"""Something done to the process of a number; raises :class:`ProcessVanished` when it is gone."""


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def urge_threads(threads: Iterable[tuple[int, int]]) -> None:
    """Wake threads of Go programs, named by process and number; one that is gone is passed over."""
    for pid, tid in threads:
        _libc().syscall(_NR_TGKILL, pid, tid, signal.SIGURG)


def share_memory(pid: int, other: int) -> bool:
    """Whether two processes have the same memory: one was made by vfork and has not started its program yet.

    Without CONFIG_KCMP the kernel does not tell; the answer is then no.
    """
    return pid != other and bool(_libc().syscall(_NR_KCMP, pid, other, _KCMP_VM, 0, 0) == 0)


def urge(pid: int) -> None:
    """Wake all threads of a Go program. The list is read anew, since threads are born all the time.

    Raises:
        ProcessVanished: the process is gone.
    """
    try:
        tids = thread_ids(pid)
    except OSError as error:
        raise ProcessVanished(pid) from error
    urge_threads((pid, tid) for tid in tids)


def stop(pid: int) -> None:
    """Stop all threads and return when the last one stands. Until then SIGCONT would undo it unnoticed.

    Raises:
        ProcessVanished: the process is gone.
        WarpUnavailable: a thread does not stop.
    """
    _send(pid, signal.SIGSTOP)
    give_up = monotonic_ns() + _STOP_LIMIT
    while not _all_stopped(pid):
        if monotonic_ns() > give_up:
            _send(pid, signal.SIGCONT)
            raise WarpUnavailable(f"process {pid} does not stop within {_STOP_LIMIT // SECOND} s of SIGSTOP")
        real_sleep(_STOP_POLL_S)


def resume(pid: int) -> None:
    """Let a stopped process run again.

    Raises:
        ProcessVanished: the process is gone.
    """
    _send(pid, signal.SIGCONT)


def stop_outside(pid: int, entrances: Iterable[range], code: range) -> None:
    """Stop all threads at a moment at which none is in the middle of what is going to change.

    ``entrances`` are the few bytes that become jumps or cease to be. A thread at the first address of one is
    fine: it executes the new code as a whole. A thread may also have been interrupted there by a signal whose
    handler still runs, so stacks are searched for the others. ``code`` is where the replacement lies;
    no address of it is searched for on stacks, since its own calls leave such addresses there.

    Raises:
        ProcessVanished: the process is gone.
        WarpUnavailable: no such moment was found.
    """
    middles = [span[1:] for span in entrances]
    for _ in range(_INSIDE_LIMIT):
        stop(pid)
        if not _any_inside(pid, middles, code):
            return
        resume(pid)
        real_sleep(_STOP_POLL_S)
    raise WarpUnavailable(f"process {pid} reads its clock without pause")


def _send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError as error:
        raise ProcessVanished(pid) from error


def _all_stopped(pid: int) -> bool:
    try:
        return all(thread_state(pid, tid) in STOPPED for tid in thread_ids(pid))
    except OSError as error:
        raise ProcessVanished(pid) from error


def _any_inside(pid: int, middles: list[range], code: range) -> bool:
    try:
        calls = [thread_call(pid, tid) for tid in thread_ids(pid)]
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            return any(
                call is None
                or any(call.program_counter in span for span in (*middles, code))
                or _interrupted_inside(call, middles, memory.fileno())
                for call in calls
            )
    except OSError as error:
        raise ProcessVanished(pid) from error


def _interrupted_inside(call: ThreadCall, middles: list[range], memory: int) -> bool:
    if not call.stack_pointer:  # a main thread that has ended while others go on
        return False
    stack = os.pread(memory, _STACK_LOOK, call.stack_pointer - call.stack_pointer % _POINTER)
    words = memoryview(stack[: len(stack) - len(stack) % _POINTER]).cast("Q")
    # All of them lie in one mapping of a few pages: a cheap look first, since stacks hold thousands of words.
    low, high = min(span.start for span in middles), max(span.stop for span in middles)
    return any(low <= word < high and any(word in span for span in middles) for word in words)
