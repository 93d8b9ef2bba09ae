"""Readers of /proc's formats, on lines as kernels write them and on this process."""

import os
import threading

import pytest

from evaluator.warp.procfs import (
    command_name,
    parse_call,
    state_of,
    thread_call,
    thread_ids,
    thread_state,
    vdso_span,
)

NOBODY = 2**22 + 1
"""Above the greatest number a process can have."""


def test_a_waiting_thread_tells_its_call_and_arguments() -> None:
    call = parse_call(b"281 0x3 0x7ffc23472c3c 0x80 0xffffffffffffffff 0x0 0x0 0x7ffc23472ba8 0x408c6e\n")
    assert call is not None
    assert call.number == 281
    assert list(call.arguments) == [3, 0x7FFC23472C3C, 0x80, 2**64 - 1, 0, 0]
    assert (call.stack_pointer, call.program_counter) == (0x7FFC23472BA8, 0x408C6E)


def test_a_thread_outside_of_a_call_tells_where_it_stands() -> None:
    call = parse_call(b"-1 0x7ffc00000000 0x401000\n")
    assert call is not None
    assert (call.number, list(call.arguments)) == (None, [])
    assert (call.stack_pointer, call.program_counter) == (0x7FFC00000000, 0x401000)


def test_a_running_thread_tells_nothing() -> None:
    assert parse_call(b"running\n") is None


@pytest.mark.parametrize(
    ("line", "state"),
    [
        (b"12 (python) S 1 12 12 0", "S"),
        (b"12 (a) R (b) T) D 1 12 12 0", "D"),
        (b"7 (()) Z 1", "Z"),
    ],
)
def test_the_state_is_found_behind_any_name(line: bytes, state: str) -> None:
    assert state_of(line) == state


def test_this_process() -> None:
    pid = os.getpid()
    assert threading.get_native_id() in thread_ids(pid)
    assert thread_state(pid, threading.get_native_id()) == "R"
    span = vdso_span(pid)
    assert span is not None
    assert len(span) % 4096 == 0
    assert command_name(pid)


def test_a_thread_that_waits_is_seen_in_its_call() -> None:
    release, ready = threading.Event(), threading.Event()
    seen: list[int] = []

    def wait() -> None:
        seen.append(threading.get_native_id())
        ready.set()
        release.wait()

    thread = threading.Thread(target=wait)
    thread.start()
    ready.wait()
    try:
        while (call := thread_call(os.getpid(), seen[0])) is None:
            pass
        assert call.number == 202
    finally:
        release.set()
        thread.join()


def test_a_process_that_is_gone() -> None:
    assert thread_state(NOBODY, NOBODY) == "X"
    assert command_name(NOBODY) == "?"
    for ask in (thread_ids, vdso_span):
        with pytest.raises(OSError, match="No such"):
            ask(NOBODY)
