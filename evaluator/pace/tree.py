"""The scheduler's processes: who they are, what processor time they used, whether a thread of them runs."""

import os
from collections.abc import Iterator
from typing import Final

from evaluator.pace.observed import WatchedProcess, WatchedThread
from evaluator.warp.procfs import ThreadCall, command_name, parse_call, thread_state
from fakeapi.kernel.clock import monotonic_ns
from fakeapi.kernel.time import MILLISECOND, Duration

_LINE: Final = 256
"""Bytes that ``/proc/loadavg`` fits in."""

_ASLEEP: Final = "S"
"""The state of a thread that has nothing to do: it waits, and not for a disk."""
_RUNS: Final = "R"
_DEAD: Final = frozenset("ZXx")
_STOPPED: Final = frozenset("Tt")

_RUNNING: Final = b"running"
_BETWEEN_CALLS: Final = (b"-1 ", _RUNNING)
_EPOLL: Final = (b"281 ", b"232 ", b"441 ")
_NANOSLEEP: Final = b"35 "
_FUTEX: Final = b"202 "
_FUTEX_TIMEOUT: Final = 4
"""Place of the pointer to the time-out among the words of a line; ``0x0`` is none."""

_NAP_LIMIT: Final[Duration] = 20 * MILLISECOND
"""The longest that Go's runtime naps while it waits for itself is 10 ms: who sleeps for longer is at rest."""


class TreeGone(Exception):
    """The first process of the tree has ended."""


class ProcessTree:
    """A process and its descendants, as far as they have not detached themselves by a double fork.

    ``go`` says that they are Go programs. Their runtime naps now and then while it waits for itself (to stop
    the world, to take a lock, to report a crash): a thread that sleeps for a limited time is at work. Only
    the runtime's monitor thread does so at rest.
    """

    def __init__(self, root: int, *, go: bool = False) -> None:
        self.root: Final = root
        self._go = go
        self._naps: dict[int, tuple[bytes, Duration, Duration]] = {}
        self._load = os.open("/proc/loadavg", os.O_RDONLY | os.O_CLOEXEC)
        self._last_born = b""
        self._processes: dict[int, WatchedProcess] = {}
        self._ended_cpu: Duration = 0
        self._runner: tuple[WatchedProcess, int] | None = None
        self._last_cpu: dict[int, Duration] = {}

    @property
    def members(self) -> tuple[int, ...]:
        """The numbers of the processes, as of the last :meth:`refresh`."""
        return tuple(self._processes)

    def refresh(self) -> bool:
        """Find threads and processes born since the last call; whether there can be any.

        Raises:
            TreeGone: the root has ended.
        """
        # The last field of this file is the newest process or thread number handed out on this machine. While
        # it stays the same nothing was born, here or elsewhere: one short read instead of a walk.
        last_born = os.pread(self._load, _LINE, 0).rsplit(maxsplit=1)[-1]
        if last_born == self._last_born:
            return False
        self._last_born = last_born
        self._walk()
        return True

    def _walk(self) -> None:
        found: set[int] = set()
        waiting = [self.root]
        while waiting:
            pid = waiting.pop()
            try:
                process = self._processes.get(pid) or WatchedProcess(pid)
                self._processes[pid] = process
                process.refresh()
            except (FileNotFoundError, ProcessLookupError):
                continue
            found.add(pid)
            waiting += process.children()
        for pid in self._processes.keys() - found:
            self._forget(pid)
        if self.root not in found:
            raise TreeGone

    def _forget(self, pid: int) -> None:
        process = self._processes.pop(pid, None)
        if process is not None:
            process.close()
            self._ended_cpu += self._last_cpu.pop(pid, 0)
        if pid == self.root:
            raise TreeGone

    def cpu(self) -> Duration:
        """Processor time used so far by all of them, those that have ended included as far as they were seen.

        Raises:
            TreeGone: the root has ended.
        """
        for pid, process in list(self._processes.items()):
            try:
                self._last_cpu[pid] = process.cpu()
            except OSError:
                self._forget(pid)
        return self._ended_cpu + sum(self._last_cpu.values())

    def runs(self) -> bool:
        """Whether a thread of theirs runs or waits for a processor: no proof, but quickly told."""
        if self._runner is not None:
            process, tid = self._runner
            thread = process.threads.get(tid)
            if thread is not None and thread.state() == _RUNS:
                return True  # most often it is the one of the last look
        for process in self._processes.values():
            for thread in process.threads.values():
                if thread.state() == _RUNS:
                    self._runner = (process, thread.tid)
                    return True
        self._runner = None
        return False

    def busy(self) -> str | None:
        """Describe a thread that runs, is about to, or waits for a disk; None when all wait for an event.

        Raises:
            TreeGone: the root has ended.
        """
        for process in list(self._processes.values()):
            for thread in list(process.threads.values()):
                # By the state letter alone: the line of the call shows a thread that was woken, and whose
                # processor has not answered yet, as if it still slept.
                state = thread.state()
                if state in _DEAD and thread.tid == process.pid:
                    self._forget(process.pid)
                    break
                if state in _DEAD:
                    process.threads.pop(thread.tid).close()
                elif state in _STOPPED:
                    return f"process {process.pid} ({command_name(process.pid)}) is stopped (state {state})"
                elif state != _ASLEEP or self._at_work(process, thread):
                    return describe_thread(thread.pid, thread.tid)
        return None

    def _at_work(self, process: WatchedProcess, thread: WatchedThread) -> bool:
        """Whether a thread that sleeps is at work all the same, or has been woken meanwhile."""
        try:
            line = thread.read_line()
        except ProcessLookupError:
            return True
        if self._go and thread.tid != process.monitor and _is_timed(line):
            return self._naps_still(thread)
        return line.startswith(_RUNNING)

    def _naps_still(self, thread: WatchedThread) -> bool:
        """Whether a limited sleep may yet turn out a short one."""
        now, used = monotonic_ns(), sum(self._last_cpu.values())
        line, used_then, since = self._naps.get(thread.tid, (b"", 0, 0))
        if (line, used_then) != (thread.line, used):
            self._naps[thread.tid] = (thread.line, used, now)
            return True
        return now - since < _NAP_LIMIT

    def is_outside_of_waits(self) -> bool:
        """Whether a thread of the stopped processes was stopped between two of its calls."""
        return any(
            thread.read_line().startswith(_BETWEEN_CALLS)
            for process in self._processes.values()
            for thread in process.threads.values()
        )

    def pollers(self) -> list[tuple[int, int]]:
        """The threads, with their process, that waited on epoll when :meth:`busy` last looked."""
        return [
            (process.pid, thread.tid)
            for process in self._processes.values()
            for thread in process.threads.values()
            if thread.line.startswith(_EPOLL)
        ]

    def waits(self) -> Iterator[tuple[int, int, ThreadCall]]:
        """Where each thread waited when :meth:`busy` last looked: process, thread, call."""
        for process in self._processes.values():
            for thread in process.threads.values():
                call = parse_call(thread.line) if thread.line else None
                if call is not None:
                    yield process.pid, thread.tid, call

    def socket_inodes(self) -> set[int]:
        """The inodes of all sockets that the processes hold open."""
        return {inode for process in self._processes.values() for inode in process.socket_inodes()}

    def describe(self) -> list[str]:
        """A line for each thread, for a message; those that run first."""
        lines = [
            describe_thread(thread.pid, thread.tid)
            for process in self._processes.values()
            for thread in process.threads.values()
        ]
        return sorted(lines, key=lambda line: " runs" not in line)

    def close(self) -> None:
        """Let go of all files."""
        os.close(self._load)
        for process in self._processes.values():
            process.close()
        self._processes.clear()


def _is_timed(line: bytes) -> bool:
    """Whether a thread waits for a limited time in one of the calls in which Go's runtime does."""
    if line.startswith(_FUTEX):
        return line.split(b" ", _FUTEX_TIMEOUT + 1)[_FUTEX_TIMEOUT] != b"0x0"
    return line.startswith(_NANOSLEEP)


def describe_thread(pid: int, tid: int) -> str:
    """What a thread is doing, in words; it may have gone on since."""
    name = f"thread {tid} of process {pid} ({command_name(pid)})"
    state = thread_state(pid, tid)
    try:
        with open(f"/proc/{pid}/task/{tid}/wchan", encoding="ascii") as file:
            where = file.read().strip("\0 \n0")
    except OSError:
        return f"{name} has ended"
    doing = "runs (state R)" if state == "R" else f"is in state {state}"
    return f"{name} {doing}{f', in {where}' if where else ''}"
