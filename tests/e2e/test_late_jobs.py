"""Small jobs that come late: our scheduler lets them in before large ones that can wait."""

from pathlib import Path

import pytest

from tests.e2e.evaluator_command import evaluator, require_success, result_in


def run(folder: Path, scheduler: str, load: str, *more: str | Path) -> float:
    """The share of late jobs."""
    command = ("run", "late_jobs", "-s", scheduler, "--set", f"load={load}", "--out", folder, "-q", *more)
    require_success(evaluator(*command))
    return float(result_in(folder)["metrics"]["deadline_miss_rate"]["value"])


@pytest.mark.parametrize("load", ["0.7", "1.2"])
def test_the_order_of_arrival_makes_many_late_and_least_slack_few(tmp_path: Path, load: str) -> None:
    ours = run(tmp_path / "lst", "lst", load)
    assert ours < 0.05
    for other in ("fifo", "sjf", "edf"):
        assert ours <= run(tmp_path / other, other, load)


def test_what_is_expected_of_it_holds_and_preemption_helps_further(tmp_path: Path) -> None:
    without = run(tmp_path / "lst", "lst", "0.95")
    assert all(each["holds"] for each in result_in(tmp_path / "lst")["expectations"])
    assert run(tmp_path / "preempt", "lst-preempt", "0.95") < without
    metrics = result_in(tmp_path / "preempt")["metrics"]
    assert metrics["preemptions"]["value"] > 0
    assert 0 < metrics["chip_hours_lost_to_preemption"]["value"] < 0.02 * metrics["chip_hours"]["value"]


def test_a_stock_kube_scheduler_makes_more_late(tmp_path: Path, kube_scheduler: Path) -> None:
    theirs = run(tmp_path / "kube", "kube-scheduler", "0.95", "--scheduler-bin", kube_scheduler)
    assert run(tmp_path / "lst", "lst", "0.95") < theirs


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        run(tmp_path / name, "lst-preempt", "1.2")
    assert result_in(tmp_path / "one")["timeline_digest"] == result_in(tmp_path / "two")["timeline_digest"]
