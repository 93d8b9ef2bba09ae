"""One process under observation: its threads, and the files of ``/proc`` that tell of them, held open."""

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from evaluator.warp.procfs import state_of, thread_ids
from fakeapi.kernel.clock import process_cpu_ns
from fakeapi.kernel.time import Duration

_LINE: Final = 4096
"""Bytes that any of the files read here fits in."""

_SOCKET: Final = "socket:["

_MONITOR_PLACE: Final = 1
"""Go starts its monitor thread right after the main thread, and ``/proc`` lists threads by their birth."""


class WatchedThread:
    """One thread. Reading a file that is open costs a quarter of opening it.

    Raises:
        OSError: from the constructor, when the thread has ended.
    """

    def __init__(self, pid: int, tid: int) -> None:
        base = f"/proc/{pid}/task/{tid}"
        self.pid: Final = pid
        self.tid: Final = tid
        self._files = [os.open(f"{base}/{name}", os.O_RDONLY | os.O_CLOEXEC) for name in ("stat", "syscall")]
        self.line = b""
        """The last line read from ``syscall``."""
        # Without CONFIG_PROC_CHILDREN there is no such file, and children are not found.
        with suppress(FileNotFoundError):
            self._files.append(os.open(f"{base}/children", os.O_RDONLY | os.O_CLOEXEC))

    def state(self) -> str:
        """Its state letter now; ``X`` once it is gone."""
        try:
            return state_of(os.pread(self._files[0], _LINE, 0))
        except ProcessLookupError:
            return "X"

    def read_line(self) -> bytes:
        """Read again where the thread is: see :func:`evaluator.warp.procfs.parse_call`.

        Raises:
            ProcessLookupError: it has ended.
        """
        self.line = os.pread(self._files[1], _LINE, 0)
        return self.line

    def children(self) -> list[int]:
        """The processes that this thread has started and that have not ended.

        Raises:
            ProcessLookupError: it has ended.
        """
        return [int(word) for file in self._files[2:] for word in os.pread(file, _LINE, 0).split()]

    def close(self) -> None:
        """Let go of the files."""
        for file in self._files:
            os.close(file)


class WatchedProcess:
    """One process.

    Raises:
        OSError: from the constructor and :meth:`refresh`, when the process has ended.
    """

    def __init__(self, pid: int) -> None:
        self.pid: Final = pid
        # The CPU-time clock of all threads of a process: one system call, nanoseconds.
        self._clock_id: Final = ~pid << 3 | 2
        self.threads: dict[int, WatchedThread] = {}
        self.monitor = 0
        """In a Go program, its runtime's monitor thread."""

    def cpu(self) -> Duration:
        """Processor time used by all of its threads, ended ones included.

        Raises:
            OSError: it has ended.
        """
        return process_cpu_ns(self._clock_id)

    def refresh(self) -> None:
        """Find the threads that were born, forget those that have ended."""
        tids = thread_ids(self.pid)
        self.monitor = tids[_MONITOR_PLACE] if len(tids) > _MONITOR_PLACE else 0
        for tid in self.threads.keys() - set(tids):
            self.threads.pop(tid).close()
        for tid in [tid for tid in tids if tid not in self.threads]:
            with suppress(FileNotFoundError, ProcessLookupError):  # ended already
                self.threads[tid] = WatchedThread(self.pid, tid)

    def children(self) -> list[int]:
        """The processes that it has started and that have not ended."""
        found: list[int] = []
        for thread in self.threads.values():
            with suppress(ProcessLookupError):
                found += thread.children()
        return found

    def socket_inodes(self) -> Iterator[int]:
        """The inodes of all sockets that it holds open."""
        try:
            names = os.listdir(f"/proc/{self.pid}/fd")
        except OSError:
            return
        for name in names:
            with suppress(OSError):
                target = os.readlink(f"/proc/{self.pid}/fd/{name}")
                if target.startswith(_SOCKET):
                    yield int(target[len(_SOCKET) : -1])

    def close(self) -> None:
        """Let go of the files."""
        for thread in self.threads.values():
            thread.close()
