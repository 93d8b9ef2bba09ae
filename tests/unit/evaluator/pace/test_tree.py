"""Who belongs to a scheduler, what processor time it uses, and whether a thread of it is at work."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import pytest

from evaluator.pace.tree import ProcessTree, TreeGone, describe_thread
from evaluator.warp.procfs import thread_state
from evaluator.warp.threads import resume, stop
from fakeapi.kernel.time import MILLISECOND
from tests.support.polling import eventually

NANOSLEEP = 35
NOBODY = 2**22 + 1
"""Above the greatest number a process can have."""


@contextmanager
def tree_of(
    argv: Sequence[str], *, go: bool = False
) -> Iterator[tuple[subprocess.Popen[bytes], ProcessTree]]:
    """A program and the tree of its processes."""
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as popen:
        tree = ProcessTree(popen.pid, go=go)
        tree.refresh()
        try:
            yield popen, tree
        finally:
            tree.close()
            with suppress(ProcessLookupError):
                os.killpg(popen.pid, signal.SIGKILL)


def python(code: str) -> list[str]:
    """The command that runs a piece of Python."""
    return [sys.executable, "-I", "-S", "-c", code]


def at_rest(tree: ProcessTree) -> bool:
    """Whether no thread works, after another look at who there is."""
    tree.refresh()
    return tree.busy() is None


def test_a_sleeping_process_is_at_rest() -> None:
    with tree_of(["/bin/sleep", "1000"]) as (popen, tree):
        eventually(lambda: at_rest(tree))
        assert tree.members == (popen.pid,)
        used = tree.cpu()
        assert 0 < used == tree.cpu()


def test_a_spinning_process_is_at_work_and_uses_its_processor() -> None:
    with tree_of(python("while True: pass")) as (popen, tree):
        seen = tree.busy()
        assert seen is not None
        assert f"thread {popen.pid} of process {popen.pid}" in seen
        used = tree.cpu()
        eventually(lambda: tree.cpu() > used + MILLISECOND)
        eventually(lambda: "runs (state R)" in tree.describe()[0])


def test_any_thread_counts() -> None:
    code = (
        "import threading, sys\n"
        "def spin():\n"
        "    while True: pass\n"
        "sys.stdin.readline()\n"
        "threading.Thread(target=spin, daemon=True).start()\n"
        "threading.Event().wait()\n"
    )
    with tree_of(python(code)) as (popen, tree):
        eventually(lambda: at_rest(tree))
        assert popen.stdin is not None
        popen.stdin.write(b"\n")
        popen.stdin.flush()
        eventually(lambda: not at_rest(tree))


def test_children_and_theirs_belong_to_it() -> None:
    with tree_of(["/bin/sh", "-c", "sh -c 'sleep 1000; :'; :"]) as (popen, tree):
        eventually(lambda: at_rest(tree) and len(tree.members) == 3)
        assert tree.members[0] == popen.pid


def test_processor_time_of_an_ended_child_is_kept() -> None:
    burn = "import time\nwhile time.process_time() < 0.1: pass"
    command = f'read x; {sys.executable} -I -S -c "$0"; read y'
    with tree_of(["/bin/sh", "-c", command, burn]) as (popen, tree):
        assert popen.stdin is not None
        popen.stdin.write(b"go\n")
        popen.stdin.flush()
        greatest = 0

        def worked() -> bool:
            nonlocal greatest
            tree.refresh()
            assert tree.cpu() >= greatest
            greatest = tree.cpu()
            return greatest > 50 * MILLISECOND and len(tree.members) == 1

        eventually(worked)


def test_a_child_that_was_not_waited_for_is_forgotten() -> None:
    code = (
        "import os, sys\n"
        "child = os.fork()\n"
        "if child == 0: os.read(0, 1); os._exit(0)\n"
        "import threading; threading.Event().wait()\n"
    )
    with tree_of(python(code)) as (popen, tree):
        eventually(lambda: at_rest(tree) and len(tree.members) == 2)
        assert popen.stdin is not None
        popen.stdin.write(b"x")
        popen.stdin.flush()
        eventually(lambda: tree.busy() is None and tree.members == (popen.pid,))


def test_nothing_is_read_anew_while_nothing_was_born() -> None:
    with tree_of(["/bin/sleep", "1000"]) as (_, tree):
        # Other programs of this machine may start something now and then.
        eventually(lambda: not tree.refresh())
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()
        assert tree.refresh()


def test_a_stopped_process_is_not_at_rest() -> None:
    with tree_of(["/bin/sleep", "1000"]) as (popen, tree):
        eventually(lambda: at_rest(tree))
        popen.send_signal(signal.SIGSTOP)
        eventually(lambda: thread_state(popen.pid, popen.pid) == "T")
        seen = tree.busy()
        assert seen is not None
        assert "is stopped (state T)" in seen


def test_an_end_is_noticed_by_every_question() -> None:
    with tree_of(["/bin/sleep", "1000"]) as (popen, tree):
        popen.kill()
        popen.wait()
        with pytest.raises(TreeGone):
            tree.cpu()
    with tree_of(["/bin/sleep", "1000"]) as (popen, tree):
        popen.kill()
        eventually(lambda: thread_state(popen.pid, popen.pid) == "Z")
        with pytest.raises(TreeGone):
            tree.busy()


def test_there_is_no_tree_of_a_process_that_there_is_not() -> None:
    tree = ProcessTree(NOBODY)
    with pytest.raises(TreeGone):
        tree.refresh()
    tree.close()


def test_sockets_are_known_by_their_inodes() -> None:
    code = (
        "import os, socket, sys\n"
        "s = socket.socket()\n"
        "print(os.fstat(s.fileno()).st_ino, flush=True)\n"
        "sys.stdin.readline()\n"
    )
    with tree_of(python(code)) as (popen, tree):
        assert popen.stdout is not None
        inode = int(popen.stdout.readline())
        assert tree.socket_inodes() == {inode}


@pytest.mark.parametrize("go", [True, False])
def test_a_nap_is_work_in_a_go_program_only(go: bool) -> None:
    code = (
        "import ctypes\n"
        "half_a_millisecond = (ctypes.c_long * 2)(0, 500_000)\n"
        "while True: ctypes.CDLL(None).syscall(35, half_a_millisecond, None)\n"
    )
    with tree_of(python(code), go=go) as (_, tree):

        def napping() -> bool:
            tree.busy()
            return any(call.number == NANOSLEEP for *_, call in tree.waits())

        eventually(napping)
        answers = {at_rest(tree) for _ in range(500)}
        assert (True in answers) is not go


def test_who_sleeps_for_long_is_at_rest_in_a_go_program_too() -> None:
    with tree_of(["/bin/sleep", "1000"], go=True) as (_, tree):
        eventually(lambda: at_rest(tree))


def test_pollers_are_those_who_wait_on_epoll() -> None:
    code = (
        "import select, threading\n"
        "threading.Thread(target=select.epoll().poll, daemon=True).start()\n"
        "threading.Event().wait()\n"
    )
    with tree_of(python(code)) as (popen, tree):
        eventually(lambda: at_rest(tree) and len(tree.pollers()) == 1)
        ((pid, tid),) = tree.pollers()
        assert pid == popen.pid != tid
        waits = {tid: call.number for _, tid, call in tree.waits()}
        assert waits[tid] == 232
        assert waits[popen.pid] == 202


def test_a_thread_is_described_in_words() -> None:
    assert "runs (state R)" in describe_thread(os.getpid(), threading.get_native_id())
    assert describe_thread(NOBODY, NOBODY).endswith("has ended")


@pytest.mark.parametrize(
    ("code", "outside"), [("while True: pass", True), ("import time; time.sleep(600)", False)]
)
def test_where_a_stopped_process_was_caught_is_seen(code: str, outside: bool) -> None:
    with tree_of(python(f"print(flush=True)\n{code}")) as (popen, tree):
        assert popen.stdout is not None
        popen.stdout.readline()  # until then the interpreter itself starts, with calls of its own
        used = tree.cpu()
        # The line is here before the call that wrote it has returned.
        eventually(lambda: at_rest(tree) if not outside else tree.cpu() > used + 5 * MILLISECOND)
        assert eventually(lambda: tree.runs() is outside)
        stop(popen.pid)
        assert tree.is_outside_of_waits() is outside
        resume(popen.pid)


def test_who_runs_is_told_quickly() -> None:
    with tree_of(python("while True: pass")) as (_, tree):
        eventually(tree.runs)
    with tree_of(["/bin/sleep", "1000"]) as (_, tree):
        eventually(lambda: not tree.runs())
