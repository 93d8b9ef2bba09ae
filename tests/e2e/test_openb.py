"""The replay that the project is for: Alibaba's trace of 2023 through an unmodified kube-scheduler."""

from pathlib import Path

import pytest

from tests.e2e.evaluator_command import evaluator, require_success, result_in, timeline_in
from tests.support.traces import openb_folder

WHOLE = 7_255
"""Pods of the trace that were scheduled: 8,152 rows less 897 that never were."""


@pytest.fixture(scope="module")
def trace() -> Path:
    """The folder of the trace."""
    return openb_folder()


@pytest.mark.timeout(900)
def test_the_whole_trace_through_an_unmodified_kube_scheduler(
    trace: Path, kube_scheduler: Path, tmp_path: Path
) -> None:
    ended = evaluator(
        *("run", "openb", "--scheduler", "kube-scheduler", "--scheduler-bin", kube_scheduler),
        *("--set", f"trace={trace}", "--out", tmp_path),
    )
    require_success(ended)
    result = result_in(tmp_path)
    assert result["jobs"] == {"submitted": WHOLE, "finished": WHOLE, "failed": 0, "running": 0, "pending": 0}
    fidelity = result["fidelity"]
    assert (fidelity["forced_moves"], fidelity["guessed_moves"]) == (0, 0)
    assert result["virtual_s"] > 149 * 86_400
    assert timeline_in(tmp_path).count(b'"kind":"pod_bound"') == WHOLE
    assert "897" in ended.out  # the import report accounts for the rows that are not replayed


@pytest.mark.timeout(900)
def test_the_whole_trace_through_our_scheduler(trace: Path, tmp_path: Path) -> None:
    require_success(
        evaluator("run", "openb", "-s", "lst", "--set", f"trace={trace}", "--out", tmp_path, "-q")
    )
    result = result_in(tmp_path)
    assert result["jobs"]["finished"] == WHOLE
    assert result["fidelity"]["forced_moves"] == 0


@pytest.mark.timeout(900)
def test_a_contended_part_gives_the_same_bytes_twice(trace: Path, tmp_path: Path) -> None:
    few = ("--set", f"trace={trace}", "--set", "pods=500", "--set", "nodes=1", "--set", "speedup=20")
    for name in ("first", "second"):
        require_success(evaluator("run", "openb", "-s", "lst", *few, "--out", tmp_path / name, "-q"))
    assert timeline_in(tmp_path / "first") == timeline_in(tmp_path / "second")
    assert result_in(tmp_path / "first")["metrics"]["pending_max"]["value"] > 5


def test_a_missing_trace_says_where_to_get_it(tmp_path: Path) -> None:
    ended = evaluator("run", "openb", "--out", tmp_path, env={"EVALUATOR_TRACES": str(tmp_path / "nowhere")})
    assert ended.code == 4
    assert "cluster-trace-gpu-v2023" in ended.err
    assert "Traceback" not in ended.err
