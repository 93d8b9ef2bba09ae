"""Stopping, resuming and waking the threads of real processes."""

import signal
import subprocess
from collections.abc import Iterator

import pytest

from evaluator.warp import threads
from evaluator.warp.errors import ProcessVanished, WarpUnavailable
from evaluator.warp.procfs import thread_ids, thread_state
from tests.support.polling import eventually
from tests.unit.evaluator.warp.victim import PROGRAM

NOBODY = 2**22 + 1
"""Above the greatest number a process can have."""


@pytest.fixture
def reader() -> Iterator[int]:
    """A process with four threads that read clocks without pause."""
    with subprocess.Popen(PROGRAM, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as popen:
        assert popen.stdin is not None
        assert popen.stdout is not None
        popen.stdout.readline()
        popen.stdin.write("threads 4\n")
        popen.stdin.flush()
        popen.stdout.readline()
        yield popen.pid
        popen.kill()


def states(pid: int) -> str:
    """The state letters of all threads."""
    return "".join(thread_state(pid, tid) for tid in thread_ids(pid))


def test_stopping_returns_when_all_threads_stand(reader: int) -> None:
    for _ in range(20):
        threads.stop(reader)
        assert states(reader) == "TTTTT"
        threads.resume(reader)
    eventually(lambda: "T" not in states(reader), what="all threads go on")


def test_stopping_twice_is_stopping(reader: int) -> None:
    threads.stop(reader)
    threads.stop(reader)
    assert states(reader) == "TTTTT"
    threads.resume(reader)


def test_a_place_where_a_thread_always_is_cannot_be_avoided(
    reader: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "_INSIDE_LIMIT", 3)
    everywhere = range(1, 2**63)
    with pytest.raises(WarpUnavailable, match="reads its clock without pause"):
        threads.stop_outside(reader, [everywhere], everywhere)
    eventually(lambda: "T" not in states(reader), what="it goes on")


def test_a_place_where_no_thread_is_is_found_at_once(reader: int) -> None:
    nowhere = 2**60
    threads.stop_outside(reader, [range(nowhere, nowhere + 5)], range(nowhere, nowhere + 64))
    assert states(reader) == "TTTTT"
    threads.resume(reader)


def test_a_signal_frame_in_the_middle_of_an_entrance_is_seen(reader: int) -> None:
    # The stack of a stopped thread holds return addresses: one stands for the middle of an entrance here.
    threads.stop(reader)
    tid = thread_ids(reader)[0]
    with open(f"/proc/{reader}/task/{tid}/syscall", encoding="ascii") as file:
        pointer = int(file.read().split()[-2], 16)
    with open(f"/proc/{reader}/mem", "rb", buffering=0) as memory:
        memory.seek(pointer)
        words = memoryview(memory.read(4096)).cast("Q")
    address = next(word for word in words if word > 2**46)
    assert threads._any_inside(reader, [range(address, address + 1)], range(1))
    threads.resume(reader)


def test_processes_that_are_gone() -> None:
    for act in (threads.stop, threads.resume, threads.urge):
        with pytest.raises(ProcessVanished):
            act(NOBODY)
    threads.urge_threads([(NOBODY, NOBODY)])


def test_urging_reaches_every_thread() -> None:
    # Ignored by programs that do not ask for it: it must do no harm.
    with subprocess.Popen(["/bin/sleep", "1000"]) as popen:
        threads.urge(popen.pid)
        assert popen.poll() is None
        popen.send_signal(signal.SIGKILL)


def test_memory_is_shared_only_with_oneself_here(reader: int) -> None:
    assert not threads.share_memory(reader, reader)
    assert not threads.share_memory(reader, 1)
