"""``evaluator sweep`` from the outside: interrupted in every way, it goes on and tells the same."""

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from evaluator.exits import ExitCode
from evaluator.results import RESULT_FILE
from tests.e2e.evaluator_command import (
    COMMAND,
    LIMIT_S,
    Finished,
    descendants_of,
    evaluator,
    is_alive,
    require_success,
)
from tests.support.polling import eventually

CRASHES = Path(__file__).parent / "programs" / "misbehaves.py"
SMALL = ("--set", "sweeps=2,4", "--set", "evaluations=2", "--set", "finetunes=0", "--set", "notebooks=0")
ASKED = ("sweep", "quickstart", "--schedulers", "lst,fifo", "--seeds", "4", *SMALL, "--jobs", "2")
RUNS = 16
"""So many that some are left whenever the first ones are seen to have ended."""


def swept(folder: Path, *more: str) -> Finished:
    return evaluator(*ASKED, *more, "--out", folder)


def tables(folder: Path) -> tuple[bytes, bytes]:
    return (folder / "sweep.md").read_bytes(), (folder / "sweep.html").read_bytes()


def results(folder: Path) -> dict[str, int]:
    """Each result's folder and the instant at which it was written."""
    return {file.parent.name: file.stat().st_mtime_ns for file in folder.glob(f"*/{RESULT_FILE}")}


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("whole")
    ended = swept(folder)
    require_success(ended)
    return folder, table_of(ended)


def table_of(ended: Finished) -> str:
    """What was printed, but for the line that names the folder."""
    return ended.out.partition("written to")[0]


def test_every_run_of_the_grid_is_kept_and_told(uninterrupted: tuple[Path, str]) -> None:
    folder, table = uninterrupted
    assert len(results(folder)) == RUNS
    assert "lst" in table
    assert max(map(len, table.splitlines())) <= 80


def test_what_is_there_is_not_repeated(uninterrupted: tuple[Path, str]) -> None:
    folder, table = uninterrupted
    before, pages = results(folder), tables(folder)
    again = swept(folder)
    require_success(again)
    assert (results(folder), tables(folder), table_of(again)) == (before, pages, table)
    assert f"{RUNS} of {RUNS} runs are there already" in again.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_sweep_stopped_half_way_goes_on_and_tells_the_same(
    uninterrupted: tuple[Path, str], tmp_path: Path, number: signal.Signals
) -> None:
    whole, table = uninterrupted
    sweep = subprocess.Popen(
        [*COMMAND, *ASKED, "--out", str(tmp_path)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        process_group=0,
        text=True,
    )
    assert sweep.stderr is not None
    with sweep:
        for _ in range(2):  # two runs have ended, and more are under way
            assert "seed=" in sweep.stderr.readline()
        below = eventually(lambda: running(sweep.pid))
        assert below
        os.killpg(sweep.pid, number)
        sweep.communicate(timeout=LIMIT_S)
    assert sweep.returncode == (-number if number is signal.SIGKILL else ExitCode.INTERRUPTED)
    eventually(lambda: not any(is_alive(pid) for pid in below), what="everything that the sweep started ends")
    kept = {name: at for name, at in results(tmp_path).items() if complete(tmp_path / name)}
    assert 2 <= len(kept) < RUNS

    resumed = swept(tmp_path)
    require_success(resumed)
    assert f"{len(kept)} of {RUNS} runs are there already" in resumed.err
    after = results(tmp_path)
    assert {name: after[name] for name in kept} == kept
    assert tables(tmp_path) == tables(whole)
    assert table_of(resumed) == table


def running(pid: int) -> set[int] | None:
    """The processes below it, once a run has its scheduler."""
    found = descendants_of(pid)
    return found if len(found) >= 2 else None


def complete(folder: Path) -> bool:
    return '"complete": true' in (folder / RESULT_FILE).read_text()


def test_one_that_crashes_does_not_lose_the_others(tmp_path: Path) -> None:
    command = shlex.join([sys.executable, str(CRASHES), "{kubeconfig}", "crashes"])
    ended = swept(tmp_path, "--scheduler-cmd", command, "--seeds", "1")
    assert ended.code == ExitCode.SCHEDULER_FAILED
    assert "2 of the runs failed, the others are kept" in ended.err
    assert "exited with status 7" in ended.err
    assert "Traceback" not in ended.err
    assert "0 of 1" in ended.out
    assert sum(complete(folder.parent) for folder in tmp_path.glob(f"*/{RESULT_FILE}")) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["quickstart", "--set", "sweeps=1,many"], "sweeps"),
        (["quickstart", "--set", "speed=1"], "speed"),
        (["quickstart", "--schedulers", "best"], "there is no such scheduler"),
        (["quickstart", "--schedulers", ","], "--schedulers"),
        (["quickstart", "--seeds", "none"], "--seeds"),
        (["quickstart", "--metric", "wait"], "there is no such metric"),
        (["quickstart", "quickstart"], "two runs"),
        (["no-such-scenario"], "no-such-scenario"),
    ],
)
def test_bad_usage_is_told_before_anything_runs(tmp_path: Path, arguments: list[str], message: str) -> None:
    ended = evaluator("sweep", *arguments, "--out", tmp_path)
    assert ended.code == ExitCode.USAGE
    assert message in ended.err
    assert "Traceback" not in ended.err
    assert list(tmp_path.iterdir()) == []
