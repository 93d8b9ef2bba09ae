"""Jobs that need every chip there is: who finds a place for all of them, and who leaves chips idle."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from evaluator.metrics.ledger import read_ledger
from evaluator.metrics.records import JobRecord
from evaluator.timeline import read_timeline
from fakeapi.kernel.time import SECOND
from tests.e2e.evaluator_command import evaluator, require_success

USABLE = {"whole": 36, "failed": 40}
"""Chips of each cluster, and of the jobs that come to it."""

DRAWS = 8
"""Runs of a scheduler that breaks ties at random, until one leaves chips idle: one in twelve does not."""


@dataclass(frozen=True)
class Packed:
    """How things stand once every job has come."""

    held: int
    pending: int


def packed(folder: Path, cluster: str, scheduler: str, *more: str | Path) -> Packed:
    """Play the scenario and look a second after the last submission, an hour before the first end."""
    require_success(
        evaluator(
            *("run", "packing", "--set", f"cluster={cluster}", "-s", scheduler, "--out", folder, "-q", *more)
        )
    )
    jobs = read_ledger(read_timeline(folder / "timeline.jsonl")).jobs
    assert sum(job.chips for job in jobs) == USABLE[cluster]
    instant = max(job.submitted_ns for job in jobs) + SECOND
    placed = [job for job in jobs if _is_bound(job, instant)]
    return Packed(sum(job.chips for job in placed), len(jobs) - len(placed))


def _is_bound(job: JobRecord, instant: int) -> bool:
    assert job.ended_ns is None or job.ended_ns > instant, "nothing has ended yet"
    return job.bound_ns is not None and job.bound_ns <= instant


@pytest.mark.parametrize("cluster", USABLE)
@pytest.mark.parametrize("scheduler", ["lst", "priority"])
def test_best_fit_by_free_chips_finds_a_place_for_every_job(
    tmp_path: Path, cluster: str, scheduler: str
) -> None:
    assert packed(tmp_path, cluster, scheduler) == Packed(USABLE[cluster], 0)


@pytest.mark.parametrize(
    ("cluster", "expected"),
    [pytest.param("whole", Packed(30, 2), id="whole"), pytest.param("failed", Packed(31, 3), id="failed")],
)
def test_the_highest_share_in_use_breaks_whole_nodes_up(
    tmp_path: Path, cluster: str, expected: Packed
) -> None:
    assert packed(tmp_path, cluster, "lst-utilization") == expected


@pytest.mark.parametrize("cluster", USABLE)
def test_a_stock_kube_scheduler_lets_jobs_wait_beside_idle_chips(
    tmp_path: Path, kube_scheduler: Path, cluster: str, record_property: Callable[[str, object], None]
) -> None:
    for draw in range(DRAWS):
        found = packed(tmp_path / str(draw), cluster, "kube-scheduler", "--scheduler-bin", kube_scheduler)
        record_property("chips held", f"{found.held} of {USABLE[cluster]}, {found.pending} jobs pending")
        assert (found.held == USABLE[cluster]) == (found.pending == 0)
        if found.pending:
            return
    pytest.fail(f"kube-scheduler placed every job in {DRAWS} runs: the scenario shows nothing any more")
