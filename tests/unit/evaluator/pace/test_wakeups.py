"""When a process will wake by itself: read from calls as the kernel shows them, and from real programs."""

import os
import select
import struct
import threading
from collections.abc import Callable

import pytest

from evaluator.pace.wakeups import GO_ROUNDING, Waits, read_waits
from evaluator.warp.procfs import ThreadCall, thread_call
from evaluator.warp.threads import Kick
from fakeapi.kernel.time import MILLISECOND, SECOND
from tests.support.polling import eventually

MINUS_ONE = 2**64 - 1
MINUS_ONE_AS_INT = 2**32 - 1


def call(number: int, *arguments: int) -> ThreadCall:
    """A thread's call."""
    return ThreadCall(number, (*arguments, *[0] * (6 - len(arguments))), 0, 0)


def memory(*_: int) -> bytes:
    """A timespec of 2.5 seconds, wherever it is looked for."""
    return struct.pack("<qq", 2, 500_000_000)


def waits(kick: Kick, *calls: ThreadCall) -> Waits:
    """The waits of a process whose threads are in these calls."""
    return read_waits(((1, tid, each) for tid, each in enumerate(calls, 1)), kick, memory)


@pytest.mark.parametrize("number", [232, 281])
@pytest.mark.parametrize(
    ("argument", "timeout"),
    [(0, 0), (1, MILLISECOND), (86_400_000, 86_400 * SECOND), (MINUS_ONE, None), (MINUS_ONE_AS_INT, None)],
)
def test_epoll_tells_its_milliseconds(number: int, argument: int, timeout: int | None) -> None:
    assert waits(Kick.EPOLL, call(number, 3, 0, 128, argument)) == Waits(timeout, ())


def test_a_go_programs_time_out_was_cut_to_milliseconds() -> None:
    assert waits(Kick.GO, call(281, 3, 0, 128, 500)).timeout == 500 * MILLISECOND + GO_ROUNDING


def test_the_newest_epoll_call_points_to_its_time_out() -> None:
    assert waits(Kick.EPOLL, call(441, 3, 0, 128, 4096)).timeout == 2_500_000_000
    assert waits(Kick.EPOLL, call(441, 3, 0, 128, 0)).timeout is None


def test_the_nearest_of_several_counts() -> None:
    found = waits(Kick.EPOLL, call(232, 3, 0, 1, 700), call(232, 4, 0, 1, 300), call(232, 5, 0, 1, MINUS_ONE))
    assert found.timeout == 300 * MILLISECOND


@pytest.mark.parametrize(
    ("each", "name"),
    [
        (call(35, 4096), "nanosleep"),
        (call(230, 1, 1, 4096), "clock_nanosleep"),
        (call(202, 4096, 0x80, 2, 8192), "futex"),
        (call(202, 4096, 0x189, 0, 8192), "futex"),
        (call(7, 4096, 1, 500), "poll"),
        (call(271, 4096, 1, 8192), "ppoll"),
        (call(23, 4, 0, 0, 0, 8192), "select"),
        (call(270, 4, 0, 0, 0, 8192), "pselect"),
        (call(219), "restart_syscall"),
    ],
)
def test_other_limited_waits_are_out_of_reach_of_a_jump(each: ThreadCall, name: str) -> None:
    found = waits(Kick.EPOLL, call(232, 3, 0, 1, 700), each)
    assert found.timeout == 700 * MILLISECOND
    (timer,) = found.unreachable
    assert (timer.pid, timer.tid) == (1, 2)
    assert name in str(timer)
    assert "--pace settle" in str(timer)


@pytest.mark.parametrize(
    "each",
    [
        call(202, 4096, 0x80, 2, 0),
        call(202, 4096, 0x81, 1, 8192),
        call(7, 4096, 1, MINUS_ONE),
        call(7, 4096, 1, 0),
        call(271, 4096, 1, 0),
        call(23, 4, 0, 0, 0, 0),
        call(0, 5, 4096, 1),
        ThreadCall(None, (), 0, 0),
    ],
)
def test_waits_without_a_limit_are_no_timers(each: ThreadCall) -> None:
    assert waits(Kick.EPOLL, each) == Waits(None, ())


def test_what_gos_runtime_does_for_itself_is_no_timer() -> None:
    found = waits(Kick.GO, call(202, 4096, 0x80, 0, 8192), call(35, 4096), call(281, 3, 0, 128, MINUS_ONE))
    assert found == Waits(None, ())


@pytest.mark.parametrize(
    ("wait", "timeout"),
    [
        (lambda poll: poll.poll(5000.0, 1), 5_000_000 * MILLISECOND),
        (lambda poll: poll.poll(-1, 1), None),
    ],
)
def test_a_thread_of_this_process(wait: Callable[[select.epoll], object], timeout: int | None) -> None:
    reader, writer = os.pipe()
    tids: list[int] = []

    def run() -> None:
        tids.append(threading.get_native_id())
        wait(poll)

    with select.epoll() as poll:
        poll.register(reader, select.EPOLLIN)
        thread = threading.Thread(target=run)
        thread.start()

        def waiting() -> ThreadCall | None:
            seen = thread_call(os.getpid(), tids[0]) if tids else None
            return seen if seen is not None and seen.number == 232 else None

        try:
            seen = eventually(lambda: waiting() or False)
            assert isinstance(seen, ThreadCall)
            assert waits(Kick.EPOLL, seen).timeout == timeout
        finally:
            os.write(writer, b"x")
            thread.join()
    os.close(reader)
    os.close(writer)
