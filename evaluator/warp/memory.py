"""Reading and writing another process's memory, by the way that this kernel allows."""

import errno
import os
from typing import Final, Protocol

from evaluator.warp import ptrace
from evaluator.warp.errors import ImageGone, ProcessVanished, WarpUnavailable

_WORD: Final = 8
"""Bytes that ptrace writes at a time."""

_YAMA: Final = "/proc/sys/kernel/yama/ptrace_scope"


class Memory(Protocol):
    """The memory of one program image."""

    def read(self, address: int, size: int) -> bytes:
        """Read exactly ``size`` bytes.

        Raises:
            ImageGone: the process has ended or runs another program now.
        """
        ...

    def write(self, address: int, data: bytes) -> None:
        """Write all of ``data``, even where the program itself may not write.

        Raises:
            ImageGone: the process has ended or runs another program now.
            OSError: the kernel does not allow it.
        """
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


class ProcMemory:
    """By ``/proc/PID/mem``: one system call for each access, while the process runs on."""

    def __init__(self, pid: int, flags: int = os.O_RDWR) -> None:
        self._pid = pid
        self._file = os.open(f"/proc/{pid}/mem", flags | os.O_CLOEXEC)

    def read(self, address: int, size: int) -> bytes:
        """See :class:`Memory`."""
        data = os.pread(self._file, size, address)
        if len(data) != size:
            raise ImageGone(self._pid)
        return data

    def write(self, address: int, data: bytes) -> None:
        """See :class:`Memory`."""
        # The file stays bound to the image it was opened for; once that is gone, 0 bytes are written.
        if os.pwrite(self._file, data, address) != len(data):
            raise ImageGone(self._pid)

    def close(self) -> None:
        """See :class:`Memory`."""
        os.close(self._file)


class PtraceMemory:
    """By ptrace, for kernels that refuse the other way (``proc_mem.force_override``).

    Each write stops the process's main thread for some tens of microseconds.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._reader = ProcMemory(pid, os.O_RDONLY)

    def read(self, address: int, size: int) -> bytes:
        """See :class:`Memory`."""
        return self._reader.read(address, size)

    def write(self, address: int, data: bytes) -> None:
        """See :class:`Memory`."""
        start = address - address % _WORD
        end = -(-(address + len(data)) // _WORD) * _WORD
        words = bytearray(self.read(start, end - start))
        words[address - start : address - start + len(data)] = data
        try:
            self._poke(start, bytes(words))
        except ProcessLookupError:  # not held already, as it is at its start
            with ptrace.held(self._pid):
                self._poke(start, bytes(words))

    def _poke(self, start: int, words: bytes) -> None:
        for offset in range(0, len(words), _WORD):
            word = int.from_bytes(words[offset : offset + _WORD], "little")
            ptrace.poke(self._pid, start + offset, word)

    def close(self) -> None:
        """See :class:`Memory`."""
        self._reader.close()


def open_memory(pid: int, probe: int) -> Memory:
    """The memory of a process; ``probe`` is an address in it at which writing is tried by changing nothing.

    Raises:
        WarpUnavailable: no way of writing is allowed.
        ProcessVanished: there is no such process.
    """
    memory: Memory
    try:
        memory = ProcMemory(pid)
    except OSError as error:
        raise refused(pid, error) from error
    if _writable(memory, probe) is None:
        return memory
    memory.close()
    memory = PtraceMemory(pid)
    problem = _writable(memory, probe)
    if problem is None:
        return memory
    memory.close()
    raise refused(pid, problem)


def _writable(memory: Memory, probe: int) -> OSError | None:
    try:
        memory.write(probe, memory.read(probe, _WORD))
    except OSError as error:
        return error
    return None


def refused(pid: int, error: OSError) -> Exception:
    """The exception that explains why a process's memory cannot be had."""
    if error.errno in (errno.ESRCH, errno.ENOENT):
        return ProcessVanished(pid)
    hints = ["CAP_SYS_PTRACE is missing, or a seccomp filter forbids it"]
    try:
        with open(_YAMA, encoding="ascii") as file:
            scope = file.read().strip()
        if scope != "0":
            hints.insert(0, f"Yama restricts tracing ({_YAMA} is {scope})")
    except OSError:  # a kernel without Yama
        pass
    return WarpUnavailable(
        f"the kernel refuses access to the memory of process {pid} ({error.strerror}): {'; or '.join(hints)}",
        "start the scheduler by this program, grant CAP_SYS_PTRACE, or run with --pace settle",
    )
