"""Reading and writing another process's memory, by either way, and what is said when it is refused."""

import errno
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evaluator.warp import memory
from evaluator.warp.errors import ImageGone, ProcessVanished, WarpUnavailable
from evaluator.warp.memory import Memory, ProcMemory, PtraceMemory, open_memory, refused
from evaluator.warp.procfs import vdso_span
from tests.support.polling import eventually

NOBODY = 2**22 + 1
"""Above the greatest number a process can have."""

both_ways = pytest.mark.parametrize("way", [ProcMemory, PtraceMemory])


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A process that does nothing."""
    with subprocess.Popen(["/bin/sleep", "1000"]) as popen:
        yield popen
        popen.kill()


def padding(pid: int) -> int:
    """An address in the unused end of a process's vDSO, which the process itself may not write to."""
    # A program that was started a moment ago is told to run before the kernel has laid out its memory.
    span = eventually(lambda: vdso_span(pid) or False, what="a vDSO")
    assert isinstance(span, range)
    return span.stop - 64


@both_ways
@pytest.mark.parametrize(
    ("offset", "data"), [(0, b"12345678"), (3, b"x"), (5, b"across two words"), (8, b"")]
)
def test_what_is_written_is_read_and_nothing_beside_it_changes(
    sleeper: subprocess.Popen[bytes], way: Callable[[int], Memory], offset: int, data: bytes
) -> None:
    opened = way(sleeper.pid)
    start = padding(sleeper.pid)
    opened.write(start, b"." * 32)
    opened.write(start + offset, data)
    expected = bytearray(b"." * 32)
    expected[offset : offset + len(data)] = data
    assert opened.read(start, 32) == expected
    assert sleeper.poll() is None
    opened.close()


def test_writing_goes_to_this_process_alone(sleeper: subprocess.Popen[bytes]) -> None:
    opened = open_memory(sleeper.pid, padding(sleeper.pid))
    opened.write(padding(sleeper.pid), b"only there")
    with open("/proc/self/mem", "rb", buffering=0) as ours:
        ours.seek(padding(os.getpid()))
        assert ours.read(10) != b"only there"
    opened.close()


def test_the_memory_of_an_ended_program_is_gone(sleeper: subprocess.Popen[bytes]) -> None:
    opened = ProcMemory(sleeper.pid)
    address = padding(sleeper.pid)
    sleeper.kill()
    sleeper.wait()
    with pytest.raises(ImageGone):
        opened.read(address, 1)
    with pytest.raises(ImageGone):
        opened.write(address, b"x")
    opened.close()


def test_there_is_no_memory_of_a_process_that_there_is_not() -> None:
    with pytest.raises(ProcessVanished):
        open_memory(NOBODY, 0)


def test_a_refusal_names_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    scope = tmp_path / "ptrace_scope"
    monkeypatch.setattr(memory, "_YAMA", str(scope))
    denied = PermissionError(errno.EPERM, "Operation not permitted")
    without = refused(7, denied)
    scope.write_text("2\n")
    with_yama = refused(7, denied)
    scope.write_text("0\n")
    harmless = refused(7, denied)
    for error in (without, with_yama, harmless):
        assert isinstance(error, WarpUnavailable)
        assert "process 7" in error.reason
        assert "CAP_SYS_PTRACE" in error.reason
        assert "--pace settle" in error.alternative
        assert ("Yama" in error.reason) is (error is with_yama)
