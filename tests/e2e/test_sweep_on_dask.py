"""``evaluator sweep --dask``: the same command, the same table, on the workers of a cluster."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluator.exits import ExitCode
from evaluator.results import RESULT_FILE
from tests.e2e.evaluator_command import COMMAND, LIMIT_S, descendants_of, evaluator, require_success
from tests.e2e.test_sweep import complete, tables
from tests.support.polling import eventually

CLUSTER = Path(__file__).parent / "programs" / "dask_cluster.py"
WORKERS = 3

STORY = """
def scenario(s, rng):
    minutes = rng.stream("minutes")
    s.nodes("n", count=1, chips=2)
    for index in range(6):
        s.pod(f"p{index}", at=f"{minutes.randint(0, 9)}m", chips=1, run_time="10m")
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[tuple[str, int]]:
    """The address of a cluster of several workers, and its process."""
    process = subprocess.Popen(
        [sys.executable, str(CLUSTER), str(WORKERS)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        assert process.stdout is not None
        yield process.stdout.readline().strip(), process.pid
        process.terminate()


@pytest.fixture
def asked(tmp_path: Path) -> tuple[str, ...]:
    story = tmp_path / "story.py"
    story.write_text(STORY)
    return "sweep", str(story), "--schedulers", "lst,fifo", "--seeds", "3"


def test_a_cluster_gives_the_table_of_one_machine(
    cluster: tuple[str, int], asked: tuple[str, ...], tmp_path: Path
) -> None:
    require_success(evaluator(*asked, "--dask", cluster[0], "--out", tmp_path / "there"))
    require_success(evaluator(*asked, "--out", tmp_path / "here"))
    assert tables(tmp_path / "there") == tables(tmp_path / "here")
    here = sorted(file.parent.name for file in (tmp_path / "here").glob(f"*/{RESULT_FILE}"))
    assert len(here) == 6
    for name in here:
        there = tmp_path / "there" / name / "timeline.jsonl"
        assert there.read_bytes() == (tmp_path / "here" / name / "timeline.jsonl").read_bytes()
    again = evaluator(*asked, "--out", tmp_path / "there")
    assert "6 of 6 runs are there already" in again.err


def test_ctrl_c_ends_the_runs_on_the_workers(
    cluster: tuple[str, int], asked: tuple[str, ...], tmp_path: Path
) -> None:
    address, pid = cluster
    idle = len(descendants_of(pid))
    words = [*COMMAND, *asked, "--seeds", "12", "--dask", address, "--out", str(tmp_path / "out")]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as sweep:
        assert sweep.stderr is not None
        assert "seed=" in sweep.stderr.readline()
        sweep.send_signal(signal.SIGINT)
        _, said = sweep.communicate(timeout=LIMIT_S)
    assert sweep.returncode == ExitCode.INTERRUPTED
    assert "Traceback" not in said
    eventually(lambda: len(descendants_of(pid)) <= idle, what="the workers' runs have ended")
    kept = [file.parent for file in (tmp_path / "out").glob(f"*/{RESULT_FILE}") if complete(file.parent)]
    assert 1 <= len(kept) < 24


def test_a_run_that_fails_there_is_told_here(cluster: tuple[str, int], tmp_path: Path) -> None:
    command = f"{sys.executable} -c 1/0 {{kubeconfig}}"
    words = ("sweep", "quickstart", "--seeds", "1", "--scheduler-cmd", command, "--out", tmp_path)
    ended = evaluator(*words, "--dask", cluster[0])
    assert ended.code == ExitCode.SCHEDULER_FAILED
    assert "exited with status 1" in ended.err
    assert "Traceback" not in ended.err.partition("evaluator:")[2].partition("\n")[0]


def test_without_a_cluster_it_is_told(asked: tuple[str, ...], tmp_path: Path) -> None:
    ended = evaluator(*asked, "--dask", "nonsense://", "--out", tmp_path / "out")
    assert ended.code == ExitCode.USAGE
    assert "no cluster answers there" in ended.err
    assert "Traceback" not in ended.err


def test_without_dask_it_is_told_what_to_install(asked: tuple[str, ...], tmp_path: Path) -> None:
    missing = tmp_path / "path" / "distributed.py"
    missing.parent.mkdir()
    missing.write_text("raise ImportError('not here')\n")
    env = {"PYTHONPATH": str(missing.parent)}
    ended = evaluator(*asked, "--dask", "tcp://localhost:1", "--out", tmp_path / "out", env=env)
    assert ended.code == ExitCode.USAGE
    assert "pip install 'scheduler-evaluator[dask]'" in ended.err
