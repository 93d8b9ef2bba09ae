"""``evaluator run`` from the outside: results, the same bytes twice, every way in which a run can fail."""

import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from evaluator.exits import ExitCode
from tests.e2e.evaluator_command import (
    COMMAND,
    descendants_of,
    evaluator,
    is_alive,
    require_success,
    result_in,
    timeline_in,
)
from tests.support.polling import eventually

PROGRAM = Path(__file__).parent / "programs" / "misbehaves.py"


def misbehaving(manner: str) -> str:
    """A badly behaved scheduler as a command for ``--scheduler-cmd``."""
    return shlex.join([sys.executable, str(PROGRAM), "{kubeconfig}", manner])


@pytest.fixture(scope="module")
def morning(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run of the quickstart with our own scheduler."""
    folder = tmp_path_factory.mktemp("morning")
    require_success(evaluator("run", "quickstart", "--scheduler", "lst", "--out", folder))
    return folder


def test_a_result_says_what_was_run_and_what_came_of_it(morning: Path) -> None:
    result = result_in(morning)
    assert result["schema_version"] == 2
    assert (result["scenario"], result["scheduler"], result["seed"]) == ("quickstart", "lst", 0)
    assert result["complete"]
    assert result["jobs"]["finished"] == result["jobs"]["submitted"] == 80
    assert result["jobs"]["pending"] == result["jobs"]["failed"] == 0
    assert result["virtual_s"] > 3600
    assert {"deadline_miss_rate", "wait_p50", "wait_p99", "utilization", "makespan"} <= set(result["metrics"])
    for metric in result["metrics"].values():
        assert {"value", "unit", "better"} <= set(metric)


def test_time_moved_only_with_proof(morning: Path) -> None:
    fidelity = result_in(morning)["fidelity"]
    assert fidelity["pace"] == "warp"
    assert fidelity["forced_moves"] == fidelity["guessed_moves"] == 0
    assert fidelity["jumps"] >= 80
    assert fidelity["proofs"] >= fidelity["jumps"]
    assert fidelity["clock_lead_s"] == 0.0  # its clock stands still between jumps
    assert fidelity["scheduler_cpu_s"] > 0


@pytest.mark.parametrize("hash_seed", ["0", "4242"])
def test_the_same_run_gives_the_same_bytes(morning: Path, tmp_path: Path, hash_seed: str) -> None:
    env = {"PYTHONHASHSEED": hash_seed}
    require_success(evaluator("run", "quickstart", "-s", "lst", "--out", tmp_path, "--quiet", env=env))
    assert timeline_in(tmp_path) == timeline_in(morning)


def test_another_seed_gives_another_run(morning: Path, tmp_path: Path) -> None:
    require_success(evaluator("run", "quickstart", "-s", "lst", "--seed", "1", "--out", tmp_path, "-q"))
    assert timeline_in(tmp_path) != timeline_in(morning)


def test_several_schedulers_are_compared_and_reported(tmp_path: Path) -> None:
    ended = evaluator("run", "quickstart", "-s", "lst", "-s", "fifo", "--out", tmp_path, "--report")
    require_success(ended)
    lst, fifo = result_in(tmp_path / "lst"), result_in(tmp_path / "fifo")
    assert lst["scenario_digest"] == fifo["scenario_digest"]
    # The story that the scenario tells: everybody can be in time, and first come first served fails some.
    assert lst["metrics"]["deadline_miss_rate"]["value"] == 0
    assert fifo["metrics"]["deadline_miss_rate"]["value"] > 0
    assert "deadlines missed" in ended.out
    report = (tmp_path / "report.html").read_text()
    assert report.lower().startswith("<!doctype html>")
    assert "fifo" in report


def test_quiet_prints_nothing(tmp_path: Path) -> None:
    ended = evaluator("run", "quickstart", "--out", tmp_path, "--quiet")
    require_success(ended)
    assert (ended.out, ended.err) == ("", "")


def test_any_command_can_be_judged(morning: Path, tmp_path: Path) -> None:
    command = f"{sys.executable} -m scheduler --kubeconfig {{kubeconfig}} --scheduler-name mine"
    ended = evaluator(
        "run", "quickstart", "--scheduler-cmd", command, "--scheduler-name", "mine", "--out", tmp_path
    )
    require_success(ended)
    result = result_in(tmp_path)
    assert result["jobs"]["finished"] == result_in(morning)["jobs"]["finished"]
    assert result["fidelity"]["forced_moves"] == 0


def test_settle_serves_what_cannot_be_warped_and_says_so(tmp_path: Path) -> None:
    few = ("--set", "sweeps=4", "--set", "evaluations=2", "--set", "finetunes=0", "--set", "notebooks=0")
    ended = evaluator("run", "quickstart", *few, "--pace", "settle", "--out", tmp_path)
    require_success(ended)
    fidelity = result_in(tmp_path)["fidelity"]
    assert fidelity["pace"] == "settle"
    assert fidelity["guessed_moves"] > 0
    assert result_in(tmp_path)["jobs"]["pending"] == 0
    assert "guess" in ended.out


# ---- what goes wrong --------------------------------------------------------------------------------


def test_a_crashing_scheduler_is_told_and_what_was_measured_is_kept(tmp_path: Path) -> None:
    ended = evaluator("run", "quickstart", "--scheduler-cmd", misbehaving("crashes"), "--out", tmp_path)
    assert ended.code == ExitCode.SCHEDULER_FAILED
    assert "exited with status 7" in ended.err
    assert "about to crash" in ended.err  # the end of its log
    assert "Traceback" not in ended.err
    assert not result_in(tmp_path)["complete"]
    assert b"pod_submitted" in timeline_in(tmp_path)


def test_a_hung_scheduler_is_told(tmp_path: Path) -> None:
    ended = evaluator(
        "run", "quickstart", "--scheduler-cmd", misbehaving("spins"), "--idle-limit", "1", "--out", tmp_path
    )
    assert ended.code == ExitCode.SCHEDULER_FAILED
    assert "not idle within 1 s" in ended.err
    assert not result_in(tmp_path)["complete"]


def test_a_scheduler_that_cannot_be_started_is_told(tmp_path: Path) -> None:
    ended = evaluator("run", "quickstart", "--scheduler-cmd", "/no/such/program {kubeconfig}", "-o", tmp_path)
    assert ended.code == ExitCode.SCHEDULER_FAILED
    assert "/no/such/program" in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no-such-scenario"], "no-such-scenario"),
        (["quickstart", "--scheduler", "best"], "there is no such scheduler"),
        (["quickstart", "--scheduler-cmd", "mine --fast"], "{kubeconfig}"),
        (["quickstart", "--set", "sweeps=many"], "sweeps"),
        (["quickstart", "--set", "speed=2"], "speed"),
        (["quickstart", "--pace", "fast"], "there is no such pace"),
        (["quickstart", "--idle-limit", "0"], "idle-limit"),
        (["quickstart", "--nonsense"], "--nonsense"),
        ([], "SCENARIO"),
    ],
)
def test_bad_usage_is_told_without_a_traceback(tmp_path: Path, arguments: list[str], message: str) -> None:
    ended = evaluator("run", *arguments, *(["--out", str(tmp_path)] if arguments else []))
    assert ended.code == ExitCode.USAGE
    assert message in ended.err
    assert "Traceback" not in ended.err


def test_an_unwritable_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ended = evaluator("run", "quickstart", "--out", tmp_path / "file")
    assert ended.code == ExitCode.USAGE
    assert "--out" in ended.err


def test_a_refused_object_names_the_object(tmp_path: Path) -> None:
    scenario = tmp_path / "refused.py"
    scenario.write_text(
        "from evaluator.scenario import *\n"
        "def scenario(s, rng):\n"
        "    s.nodes('n', count=1, chips=1)\n"
        "    s.apply({'apiVersion': 'v1', 'kind': 'Pod',\n"
        "        'metadata': {'name': 'x'}, 'spec': {'containers': []}}, at='1m')\n"
    )
    ended = evaluator("run", scenario, "--out", tmp_path / "out")
    assert ended.code == ExitCode.USAGE
    assert "spec.containers: Required value" in ended.err
    assert "Traceback" not in ended.err


def test_a_node_that_is_refused_before_the_run_is_told_too(tmp_path: Path) -> None:
    scenario = tmp_path / "refused.py"
    scenario.write_text(
        "from evaluator.scenario import Taint\n"
        "def scenario(s, rng):\n"
        "    s.node('n', taints=(Taint(key='bad key!'),))\n"
    )
    ended = evaluator("run", scenario, "--out", tmp_path / "out")
    assert ended.code == ExitCode.USAGE
    assert "taints[0].key" in ended.err
    assert str(scenario) in ended.err
    assert "Traceback" not in ended.err


TOO_LARGE = """
def scenario(s, rng):
    s.nodes("n", count=1, chips=2)
    s.pod("fits", chips=1, run_time="1h", deadline="30m")
    s.pod("never", chips=3, run_time="1h")
    s.pod("nor-this", chips=4, run_time="1h")
"""


def test_mistakes_are_found_before_a_run_and_may_be_meant(tmp_path: Path) -> None:
    scenario = tmp_path / "large.py"
    scenario.write_text(TOO_LARGE)
    refused = evaluator("run", scenario, "--out", tmp_path / "refused")
    assert refused.code == ExitCode.USAGE
    assert "large.py:4: W201 " in refused.out
    assert f"{scenario}:5: E101 pod default/never asks for 3 chips" in refused.err
    assert "1 more error: evaluator lint" in refused.err
    assert not (tmp_path / "refused").exists()
    played = evaluator("run", scenario, "--no-lint", "--out", tmp_path / "played")
    require_success(played)
    assert "W201" not in played.out
    assert result_in(tmp_path / "played")["jobs"]["finished"] == 1


CLOSED_LOOP = """
from evaluator.scenario import *

def scenario(s, rng):
    s.nodes("n", count=1, chips=2)
    for name in ("ada", "bob"):
        s.process(person(s, rng.stream(name), name))

def person(s, draw, name):
    for number in range(3):
        job = s.job(f"{name}-{number}", chips=draw.randint(1, 2), run_time=minutes(draw.randint(5, 20)))
        yield s.until(job.finished)
        yield s.after(minutes(draw.randint(0, 9)))
"""


def test_a_closed_loop_gives_the_same_bytes_twice(tmp_path: Path) -> None:
    scenario = tmp_path / "loop.py"
    scenario.write_text(CLOSED_LOOP)
    for folder in ("first", "second"):
        require_success(evaluator("run", scenario, "-s", "lst", "-s", "fifo", "--out", tmp_path / folder))
    for scheduler in ("lst", "fifo"):
        assert result_in(tmp_path / "first" / scheduler)["jobs"]["finished"] == 6
        assert timeline_in(tmp_path / "first" / scheduler) == timeline_in(tmp_path / "second" / scheduler)


def test_a_mistake_in_a_process_is_told_with_its_line_and_leaves_nothing_behind(tmp_path: Path) -> None:
    scenario = tmp_path / "loop.py"
    scenario.write_text(CLOSED_LOOP + "        if number: raise ValueError(name)\n")
    ended = evaluator("run", scenario, "--out", tmp_path / "out", "-q")
    assert ended.code == ExitCode.USAGE
    assert f"{scenario}:{CLOSED_LOOP.count(chr(10)) + 1}: the scenario raised ValueError: " in ended.err
    assert "Traceback" not in ended.err
    result = result_in(tmp_path / "out")
    assert (result["complete"], result["ended"]) == (False, "a process of the scenario failed")
    assert result["jobs"]["finished"] >= 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_its_measurements_and_leaves_no_process(
    tmp_path: Path, number: signal.Signals
) -> None:
    command = [
        *COMMAND,
        "run",
        "quickstart",
        "--scheduler-cmd",
        misbehaving("computes"),
        "-o",
        str(tmp_path),
    ]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        log = tmp_path / "scheduler.log"
        eventually(lambda: log.exists() and "watching" in log.read_text(), within=60)
        family = descendants_of(running.pid)
        assert family, "the scheduler runs"
        running.send_signal(number)
        _, errors = running.communicate(timeout=60)
    finally:
        running.kill()
    assert running.returncode == ExitCode.INTERRUPTED, errors
    assert "Traceback" not in errors
    eventually(lambda: not any(map(is_alive, family)), within=10)
    assert not result_in(tmp_path)["complete"]


def test_a_killed_evaluator_takes_its_scheduler_along(tmp_path: Path) -> None:
    command = [
        *COMMAND,
        "run",
        "quickstart",
        "--scheduler-cmd",
        misbehaving("computes"),
        "-o",
        str(tmp_path),
    ]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        log = tmp_path / "scheduler.log"
        eventually(lambda: log.exists() and "watching" in log.read_text(), within=60)
        family = descendants_of(running.pid)
        assert family
    finally:
        running.kill()
        running.wait()
    eventually(lambda: not any(map(is_alive, family)), within=10)
