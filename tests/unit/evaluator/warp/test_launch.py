"""Starting programs: what they get, what is said when they cannot be started, how they are ended."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from evaluator.warp.errors import StartFailed
from evaluator.warp.launch import Child, Launch
from evaluator.warp.procfs import thread_state
from tests.support.polling import eventually


def output_of(
    code: str, tmp_path: Path, *, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> str:
    """Run a Python program to its end and return what it wrote."""
    written = tmp_path / "output"
    with written.open("wb") as stdout:
        child = Child.start(Launch([sys.executable, "-I", "-S", "-c", code], env=env, cwd=cwd, stdout=stdout))
        assert child.await_exit(20) == 0
    return written.read_text()


def test_a_program_gets_the_environment_it_is_given_and_no_more(tmp_path: Path) -> None:
    env = {"ONE": "1", "NOT_UTF8": b"\xff".decode("utf-8", "surrogateescape"), "LC_ALL": "C"}
    code = "import os; print(sorted((k, os.environb[k]) for k in os.environb if k != b'LC_CTYPE'))"
    shown = output_of(code, tmp_path, env=env)
    assert shown.strip() == "[(b'LC_ALL', b'C'), (b'NOT_UTF8', b'\\xff'), (b'ONE', b'1')]"


def test_a_program_gets_our_environment_unless_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OURS", "yes")
    assert output_of("import os; print(os.environ['OURS'])", tmp_path).strip() == "yes"


def test_a_program_runs_where_it_is_told_in_a_session_of_its_own(tmp_path: Path) -> None:
    code = "import os; print(os.getcwd(), os.getsid(0) == os.getpid(), os.getpgid(0) == os.getpid())"
    assert output_of(code, tmp_path, cwd=tmp_path).strip() == f"{tmp_path} True True"


def test_a_program_inherits_no_files_but_its_streams(tmp_path: Path) -> None:
    shown = output_of("import os; print(sorted(map(int, os.listdir('/proc/self/fd')))[:4])", tmp_path)
    assert shown.strip() == "[0, 1, 2, 3]"  # the last is the listing itself


def test_a_program_is_found_in_the_path_of_its_environment(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\nexit 5\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    child = Child.start(Launch(["program"], env={"PATH": str(tmp_path)}))
    assert child.await_exit(20) == 5


def test_a_relative_program_counts_from_its_directory(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\nexit 6\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    child = Child.start(Launch(["./program"], cwd=tmp_path))
    assert child.await_exit(20) == 6


@pytest.mark.parametrize("name", ["no-such-program", "/no/such/program", "/etc", "/etc/passwd"])
def test_what_is_no_program_is_told_before_anything_runs(name: str) -> None:
    with pytest.raises(StartFailed, match=f"'{name}' is not a program"):
        Child.start(Launch([name]))


def test_nothing_is_no_program() -> None:
    with pytest.raises(StartFailed, match="no program was given"):
        Child.start(Launch([]))


@pytest.mark.parametrize("held", [False, True])
def test_a_file_that_the_kernel_cannot_run_is_told(tmp_path: Path, held: bool) -> None:
    program = tmp_path / "program"
    program.write_text("neither a script nor a binary")
    program.chmod(0o755)
    start = Child.start_held if held else Child.start
    with pytest.raises(StartFailed, match=r"cannot be started: Exec format error"):
        start(Launch([str(program)]))


def test_a_directory_that_there_is_not_is_told(tmp_path: Path) -> None:
    with pytest.raises(StartFailed, match="No such file"):
        Child.start(Launch(["/bin/sh"], cwd=tmp_path / "missing"))


def test_a_status_is_the_programs_own() -> None:
    child = Child.start(Launch(["/bin/sh", "-c", "exit 9"]))
    assert child.await_exit(20) == 9
    assert child.exit_status() == 9
    assert child.stop(1) == 9
    assert child.kill() == 9


def test_a_running_program_has_no_status() -> None:
    child = Child.start(Launch(["/bin/sleep", "1000"]))
    assert child.exit_status() is None
    assert child.await_exit(0) is None
    assert child.stop(20) == -signal.SIGTERM


def test_a_program_that_does_not_listen_is_killed(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    child = Child.start(Launch(["/bin/sh", "-c", f"trap '' TERM; : > {ready}; while :; do sleep 1; done"]))
    eventually(ready.exists)
    assert child.stop(0.05) == -signal.SIGKILL


def test_a_stopped_program_can_be_ended() -> None:
    child = Child.start(Launch(["/bin/sleep", "1000"]))
    os.kill(child.pid, signal.SIGSTOP)
    assert child.stop(20) == -signal.SIGTERM


def test_its_whole_group_ends_with_it(tmp_path: Path) -> None:
    number = tmp_path / "number"
    child = Child.start(Launch(["/bin/sh", "-c", f"sleep 1000 & echo $! > {number}; wait"]))
    grandchild = eventually(lambda: int(number.read_text() or 0) if number.exists() else 0)
    child.kill()
    eventually(lambda: thread_state(grandchild, grandchild) in "ZX", what="the grandchild has ended")


def test_a_killed_parent_takes_its_child_along() -> None:
    code = (
        "import sys\n"
        "from evaluator.warp.launch import Child, Launch\n"
        "print(Child.start(Launch(['/bin/sleep', '1000'])).pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert thread_state(pid, pid) not in "ZX"
        parent.kill()
        parent.wait()
    eventually(lambda: thread_state(pid, pid) in "ZX", what="the child has ended")
