"""When an idle process will wake by itself, read from the calls in which its threads wait.

A thread that sleeps has told the kernel for how long. Which of these waits are timers of the program depends
on its runtime:

* Go keeps all of the program's timers itself and lets one thread wait in ``epoll_pwait`` for the nearest. Its
  other threads wait in futexes and ``nanosleep``, some with time-outs: those belong to the runtime (the
  monitor thread, the scavenger) and stand for nothing that the program asked for.
* An event loop on epoll waits in ``epoll_wait``. Any other timed wait in such a process is a timer that a
  jump cannot serve: the kernel measures it by its own clock and restarts it after SIGCONT.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from evaluator.warp.procfs import ThreadCall
from evaluator.warp.threads import Kick
from fakeapi.kernel.time import MILLISECOND, SECOND, Duration

# System calls of x86-64 that can wait for a limited time.
_POLL: Final = 7
_SELECT: Final = 23
_NANOSLEEP: Final = 35
_FUTEX: Final = 202
_RESTARTED: Final = 219
_CLOCK_NANOSLEEP: Final = 230
_EPOLL_WAIT: Final = 232
_PSELECT: Final = 270
_PPOLL: Final = 271
_EPOLL_PWAIT: Final = 281
_EPOLL_PWAIT2: Final = 441

_EPOLL_MS: Final = frozenset({_EPOLL_WAIT, _EPOLL_PWAIT})
_EPOLL_TIMEOUT: Final = 3
_POLL_TIMEOUT: Final = 2

_BY_POINTER: Final = {_PPOLL: 2, _PSELECT: 4, _SELECT: 4, _FUTEX: 3}
"""Calls whose time-out lies in the process's memory, and the argument that points to it; null is none."""

_FUTEX_WAITS: Final = frozenset({0, 9, 11, 13})
"""Operations of futex(2) that take a time-out: wait, wait with a bitset, priority-inheriting locks."""
_FUTEX_OPERATION_MASK: Final = 0x7F

_NAMES: Final = {
    _POLL: "poll",
    _SELECT: "select",
    _NANOSLEEP: "nanosleep",
    _FUTEX: "a lock with a time-out (futex)",
    _RESTARTED: "a restarted call (restart_syscall)",
    _CLOCK_NANOSLEEP: "clock_nanosleep",
    _PSELECT: "pselect",
    _PPOLL: "ppoll",
}

_INT_MASK: Final = 0xFFFF_FFFF
_INT_SIGN: Final = 0x8000_0000
_WORD: Final = 8

GO_ROUNDING: Final[Duration] = MILLISECOND
"""Go cuts the time to its next timer to whole milliseconds (and waits one at least), then waits once more for
the rest. One more millisecond reaches the timer itself, instead of stopping shortly before it each time."""

ReadMemory = Callable[[int, int, int], bytes]
"""Reads a process's memory: process, address, size."""


@dataclass(frozen=True, slots=True)
class UnreachableTimer:
    """A wait that ends by real time alone, whatever the process's clock shows."""

    pid: int
    tid: int
    call: str

    def __str__(self) -> str:
        return (
            f"thread {self.tid} of process {self.pid} waits in {self.call}, which follows real time only; "
            f"if its timer matters, run with --pace settle"
        )


@dataclass(frozen=True, slots=True)
class Waits:
    """What the threads of an idle process wait for."""

    timeout: Duration | None
    """From the begin of the wait until the process wakes by itself; None when only an event wakes it."""

    unreachable: tuple[UnreachableTimer, ...]


def read_waits(calls: Iterable[tuple[int, int, ThreadCall]], kick: Kick, memory: ReadMemory) -> Waits:
    """Read the waits of all threads, each given as process, thread and call.

    Raises:
        OSError: a process's memory could not be read.
    """
    timeouts: list[Duration] = []
    unreachable: list[UnreachableTimer] = []
    for pid, tid, call in calls:
        timeout = _epoll_timeout(pid, call, memory)
        if timeout is not None:
            timeouts.append(timeout + (GO_ROUNDING if kick is Kick.GO else 0))
        elif kick is Kick.EPOLL and _is_timed(call):
            unreachable.append(UnreachableTimer(pid, tid, _NAMES[call.number or 0]))
    return Waits(min(timeouts, default=None), tuple(unreachable))


def _epoll_timeout(pid: int, call: ThreadCall, memory: ReadMemory) -> Duration | None:
    if call.number in _EPOLL_MS:
        milliseconds = _signed(call.arguments[_EPOLL_TIMEOUT])
        return None if milliseconds < 0 else milliseconds * MILLISECOND
    if call.number == _EPOLL_PWAIT2 and call.arguments[_EPOLL_TIMEOUT]:
        seconds, nanoseconds = _two_words(pid, call.arguments[_EPOLL_TIMEOUT], memory)
        return seconds * SECOND + nanoseconds
    return None


def _is_timed(call: ThreadCall) -> bool:
    """Whether this is a wait, other than on epoll, that ends by itself."""
    if call.number in (_NANOSLEEP, _CLOCK_NANOSLEEP, _RESTARTED):
        return True
    if call.number == _POLL:
        return _signed(call.arguments[_POLL_TIMEOUT]) > 0
    if call.number == _FUTEX and call.arguments[1] & _FUTEX_OPERATION_MASK not in _FUTEX_WAITS:
        return False
    pointer = _BY_POINTER.get(call.number or 0)
    return pointer is not None and call.arguments[pointer] != 0


def _signed(argument: int) -> int:
    value = argument & _INT_MASK
    return value - (_INT_MASK + 1) if value & _INT_SIGN else value


def _two_words(pid: int, address: int, memory: ReadMemory) -> tuple[int, int]:
    data = memory(pid, address, 2 * _WORD)
    return (
        int.from_bytes(data[:_WORD], "little", signed=True),
        int.from_bytes(data[_WORD:], "little", signed=True),
    )
