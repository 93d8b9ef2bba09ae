"""Moving the clock of a real process: from its start, while it runs, across execve and fork; letting go."""

import os
import signal
import subprocess
import sys
from typing import Any

import pytest

from evaluator.warp import memory, process, ptrace
from evaluator.warp.clock import FRESH_MONOTONIC, ClockMode
from evaluator.warp.errors import ProcessVanished, StartFailed, WarpUnavailable
from evaluator.warp.launch import Launch
from evaluator.warp.memory import PtraceMemory
from evaluator.warp.process import FROM_THE_START, WHILE_RUNNING, WarpedProcess, require_platform
from evaluator.warp.procfs import thread_state
from evaluator.warp.threads import Kick
from fakeapi.kernel.clock import DEFAULT_START, monotonic_ns, wall_ns
from fakeapi.kernel.time import DAY, HOUR, MICROSECOND, SECOND
from tests.support.polling import eventually
from tests.unit.evaluator.warp.victim import CLOCKS, PROGRAM, attached, started

REALTIME = ("realtime", "realtime_coarse", "tai")
MONOTONIC = ("monotonic", "monotonic_raw", "monotonic_coarse", "boottime")
PROCESSOR = ("process_cpu", "thread_cpu", "process_cpu_by_number")

NOBODY = 2**22 + 1
"""Above the greatest number a process can have."""

both_modes = pytest.mark.parametrize("mode", ClockMode)


def test_a_frozen_program_sees_virtual_time_from_the_start() -> None:
    with started(ClockMode.FROZEN) as victim:
        first = victim.answer()
        assert victim.process.taken_over == FROM_THE_START
        assert first["early"] == DEFAULT_START
        assert {first[name] for name in REALTIME} == {DEFAULT_START}
        assert {first[name] for name in MONOTONIC} == {FRESH_MONOTONIC}
        assert first["resolution"] == pytest.approx(MICROSECOND / SECOND)
        assert 0 < first["process_cpu"] < HOUR


def test_a_running_program_sees_time_run_from_the_start() -> None:
    before = monotonic_ns()
    with started(ClockMode.RUNNING) as victim:
        first = victim.answer()
        passed = monotonic_ns() - before
        for name in REALTIME:
            assert DEFAULT_START <= first[name] <= DEFAULT_START + passed
        assert before <= first["monotonic"] <= before + passed


@both_modes
def test_a_jump_moves_all_clocks_but_those_of_the_processor(mode: ClockMode) -> None:
    with started(mode) as victim:
        before = victim.answer()
        victim.process.jump(DEFAULT_START + 100 * DAY)
        after = victim.ask()
        shown = victim.process.clock()
        for name in REALTIME:
            assert DEFAULT_START + 100 * DAY <= after[name] <= shown
        for name in MONOTONIC:
            assert 99 * DAY < after[name] - before[name] < 101 * DAY
        for name in PROCESSOR:
            assert before[name] <= after[name] < before[name] + HOUR


def test_a_frozen_clock_shows_exactly_the_instants_it_is_given() -> None:
    with started(ClockMode.FROZEN) as victim:
        victim.answer()
        for instant in (DEFAULT_START + 1, DEFAULT_START + DAY + 999_999_999, DEFAULT_START + 400 * DAY):
            victim.process.jump(instant)
            for _ in range(2):
                answer = victim.ask()
                assert answer["realtime"] == instant == victim.process.clock()
                assert answer["monotonic"] - FRESH_MONOTONIC == instant - DEFAULT_START


@both_modes
def test_neither_clock_goes_back_whatever_is_asked(mode: ClockMode) -> None:
    with started(mode) as victim:
        last = victim.answer()
        for to in (DAY, HOUR, 0, -DAY, 2 * DAY, 2 * DAY):
            victim.process.jump(DEFAULT_START + to)
            answer = victim.ask()
            assert answer["realtime"] >= last["realtime"]
            assert answer["monotonic"] >= last["monotonic"]
            last = answer


def test_the_lead_of_a_running_clock_is_kept_and_accounted_for() -> None:
    with started(ClockMode.RUNNING) as victim:
        victim.answer()
        ahead = victim.process.clock() - DEFAULT_START
        assert ahead > 0
        victim.process.move(DEFAULT_START)
        assert victim.process.clock() >= DEFAULT_START + ahead
        lead = victim.process.lead(DEFAULT_START)
        assert lead >= ahead
        victim.process.move(DEFAULT_START + DAY)
        assert victim.process.lead(DEFAULT_START + DAY) >= lead


def test_a_frozen_clock_has_no_lead() -> None:
    with started(ClockMode.FROZEN) as victim:
        victim.answer()
        victim.process.jump(DEFAULT_START + DAY)
        assert victim.process.lead(DEFAULT_START + DAY) == 0


def test_a_date_before_the_machines_is_shown_as_well() -> None:
    with started(ClockMode.RUNNING, now=5 * SECOND) as victim:
        assert 5 * SECOND <= victim.answer()["realtime"] < HOUR


@pytest.mark.parametrize(
    "wrapper",
    [("/usr/bin/env",), ("/bin/sh", "-c", 'exec "$@"', "sh"), ("/bin/sh", "-c", 'exec env "$@"', "sh")],
    ids=["env", "shell", "shell and env"],
)
def test_wrappers_are_followed_to_the_program(wrapper: tuple[str, ...]) -> None:
    with started(ClockMode.FROZEN, (*wrapper, *PROGRAM)) as victim:
        assert victim.answer()["early"] == DEFAULT_START


@both_modes
def test_a_running_program_is_taken_over(mode: ClockMode) -> None:
    with attached(mode) as (victim, first):
        assert victim.process.taken_over == WHILE_RUNNING
        assert abs(first["realtime"] - wall_ns()) < HOUR
        answer = victim.ask()
        assert DEFAULT_START <= answer["realtime"] < DEFAULT_START + HOUR
        assert answer["monotonic"] >= first["monotonic"]
        victim.process.jump(DEFAULT_START + DAY)
        assert victim.ask()["realtime"] >= DEFAULT_START + DAY


@both_modes
def test_a_program_that_reads_its_clock_without_pause_survives_it_all(mode: ClockMode) -> None:
    with attached(mode) as (victim, _):
        victim.ask("threads 3")
        for number in range(1, 30):
            victim.process.jump(DEFAULT_START + number * HOUR)
        victim.process.detach()
        for number in range(10):
            again = WarpedProcess.attach(
                victim.process.pid, mode=mode, kick=Kick.EPOLL, now=DEFAULT_START + number * DAY
            )
            again.jump(DEFAULT_START + number * DAY + HOUR)
            again.detach()
        assert victim.ask()["monotonic"] > 0


@both_modes
def test_let_go_after_a_jump_it_runs_on(mode: ClockMode) -> None:
    with started(mode) as victim:
        victim.answer()
        victim.process.jump(DEFAULT_START + DAY)
        before = victim.ask()
        victim.process.detach()
        victim.process.detach()
        after = victim.ask()
        assert before["realtime"] < after["realtime"] < before["realtime"] + HOUR
        assert before["monotonic"] < after["monotonic"] < before["monotonic"] + HOUR


def test_let_go_without_a_jump_it_has_the_machines_clocks_again() -> None:
    with started(ClockMode.RUNNING) as victim:
        before = victim.answer()
        victim.process.detach()
        after = victim.ask()
        assert before["monotonic"] < after["monotonic"] <= monotonic_ns()
        assert abs(after["realtime"] - wall_ns()) < HOUR


def test_taken_over_again_its_monotonic_clock_goes_on() -> None:
    with attached(ClockMode.FROZEN) as (victim, _):
        victim.process.jump(DEFAULT_START + 10 * DAY)
        victim.process.detach()
        before = victim.ask()
        again = WarpedProcess.attach(
            victim.process.pid, mode=ClockMode.FROZEN, kick=Kick.EPOLL, now=DEFAULT_START
        )
        after = victim.ask()
        assert after["monotonic"] >= before["monotonic"]
        assert after["realtime"] == DEFAULT_START
        again.detach()


def test_a_program_that_becomes_another_is_taken_over_again() -> None:
    with started(ClockMode.FROZEN) as victim:
        victim.answer()
        victim.send(f"execute {sys.executable} {CLOCKS}")
        victim.answer()
        victim.process.jump(DEFAULT_START + DAY)
        assert victim.ask()["realtime"] == DEFAULT_START + DAY
        assert "again shortly after" in victim.process.taken_over


def test_a_forked_child_follows_once_adopted() -> None:
    with started(ClockMode.FROZEN) as victim:
        parent = victim.answer()["pid"]
        victim.send("fork")

        def child() -> int:
            with open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as file:
                return int(file.read() or 0)

        victim.process.adopt([parent, eventually(child)])
        victim.process.jump(DEFAULT_START + DAY)
        answer = victim.ask()
        assert answer["pid"] != parent
        assert answer["realtime"] == DEFAULT_START + DAY
        victim.process.jump(DEFAULT_START + 2 * DAY)
        assert victim.ask()["realtime"] == DEFAULT_START + 2 * DAY


def test_whether_the_clock_was_read_is_known() -> None:
    with started(ClockMode.RUNNING) as victim:
        victim.answer()
        assert victim.process.clock_was_read() is True
    with started(ClockMode.RUNNING, ("/bin/sleep", "1000")) as victim:
        assert victim.process.clock_was_read() is False


def test_held_it_does_not_answer_before_it_is_let_go() -> None:
    with started(ClockMode.FROZEN) as victim:
        victim.answer()
        victim.process.pause()
        victim.send("tell")
        victim.process.jump(DEFAULT_START + DAY)
        victim.process.jump(DEFAULT_START + 2 * DAY)
        victim.process.wake()
        victim.process.resume()
        assert victim.answer()["realtime"] == DEFAULT_START + 2 * DAY


def test_its_end_is_noticed_and_told() -> None:
    with started(ClockMode.RUNNING) as victim:
        victim.answer()
        victim.send("end 4")
        assert victim.process.final_status() == 4
        assert victim.process.exit_status() == 4
        with pytest.raises(ProcessVanished):
            victim.process.jump(DEFAULT_START + DAY)


def test_a_program_that_ends_at_once_cannot_be_started() -> None:
    launch = Launch(["/bin/sh", "-c", "exit 3"])
    with pytest.raises(StartFailed, match=r"'/bin/sh' ended at once, status 3"):
        WarpedProcess.start(launch, mode=ClockMode.FROZEN, kick=Kick.EPOLL, now=DEFAULT_START)


def test_a_process_that_there_is_not() -> None:
    with pytest.raises(ProcessVanished, match=str(NOBODY)):
        WarpedProcess.attach(NOBODY, mode=ClockMode.RUNNING, kick=Kick.GO, now=0)


def test_where_writing_by_proc_is_forbidden_ptrace_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbid(*_: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(memory.ProcMemory, "write", forbid)
    with started(ClockMode.FROZEN) as victim:
        assert victim.answer()["early"] == DEFAULT_START
        for number in range(1, 4):
            victim.process.jump(DEFAULT_START + number * DAY)
            assert victim.ask()["realtime"] == DEFAULT_START + number * DAY
    with attached(ClockMode.RUNNING) as (victim, _):
        assert victim.ask()["realtime"] >= DEFAULT_START


def test_where_no_way_of_writing_is_allowed_the_alternative_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbid(*_: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(memory.ProcMemory, "write", forbid)
    monkeypatch.setattr(PtraceMemory, "write", forbid)
    with pytest.raises(WarpUnavailable, match="--pace settle") as failure:
        WarpedProcess.start(Launch(PROGRAM), mode=ClockMode.FROZEN, kick=Kick.EPOLL, now=0)
    assert "CAP_SYS_PTRACE" in failure.value.reason


def test_a_program_that_may_not_be_held_is_taken_over_shortly_after(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbid(*_: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(ptrace, "seize", forbid)
    with started(ClockMode.FROZEN) as victim:
        victim.answer()
        assert victim.process.taken_over.startswith("shortly after its start")
        assert "Operation not permitted" in victim.process.taken_over
        victim.process.jump(DEFAULT_START + DAY)
        assert victim.ask()["realtime"] == DEFAULT_START + DAY


@pytest.mark.parametrize(("system", "machine"), [("darwin", "x86_64"), ("linux", "aarch64")])
def test_other_systems_are_refused(monkeypatch: pytest.MonkeyPatch, system: str, machine: str) -> None:
    class Os:
        @staticmethod
        def uname() -> Any:
            return type("Name", (), {"machine": machine})

    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(process, "os", Os)
    with pytest.raises(WarpUnavailable, match="--pace settle"):
        require_platform()


def test_a_killed_evaluator_takes_its_program_along() -> None:
    code = (
        "import sys\n"
        "from evaluator.warp.process import *\n"
        "from evaluator.warp.launch import Launch\n"
        "sleep = Launch(['/bin/sleep', '1000'])\n"
        "p = WarpedProcess.start(sleep, mode=ClockMode.RUNNING, kick=Kick.GO, now=0)\n"
        "print(p.pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as evaluator:
        assert evaluator.stdout is not None
        pid = int(evaluator.stdout.readline())
        os.kill(pid, 0)
        evaluator.send_signal(signal.SIGKILL)
        evaluator.wait()

    eventually(lambda: thread_state(pid, pid) in "ZX", what="the program has ended")


def test_what_a_process_says_of_its_clocks() -> None:
    with started(ClockMode.FROZEN) as victim:
        assert victim.process.mode is ClockMode.FROZEN
        assert victim.process.monotonic() == FRESH_MONOTONIC
        assert victim.process.clock_at(0) == DEFAULT_START
