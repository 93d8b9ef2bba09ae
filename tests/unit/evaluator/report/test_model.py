"""What reports show of a run."""

import pytest

from evaluator.metrics.metric import Metric
from evaluator.report.model import best_of, labels, rows
from fakeapi.kernel.time import SECOND
from tests.support.list_scheduling import arrival, slack
from tests.support.reports import quickstart


def metric(value: float | None, better: str = "lower") -> Metric:
    return Metric.model_validate({"value": value, "unit": "s", "better": better})


@pytest.mark.parametrize(
    ("metrics", "best"),
    [
        ([metric(2), metric(1), metric(1)], (False, True, True)),
        ([metric(2, "higher"), metric(1, "higher")], (True, False)),
        ([metric(2, "none"), metric(1, "none")], (False, False)),
        ([metric(1), metric(1)], (False, False)),
        ([metric(1), metric(None), None], (False, False, False)),
        ([metric(2), None, metric(1)], (False, False, True)),
        ([], ()),
    ],
)
def test_the_best_is_marked_only_where_there_is_a_difference(
    metrics: list[Metric | None], best: tuple[bool, ...]
) -> None:
    assert best_of(metrics) == best


def test_late_jobs_come_latest_first() -> None:
    run = quickstart(arrival, "fifo")
    late = run.late_jobs()
    assert len(late) == run.value("deadlines_missed") == 14
    assert [job.late_s for job in late] == sorted((job.late_s for job in late), reverse=True)
    worst = late[0]
    assert worst.late_s == run.value("tardiness_max")
    assert worst.finished_s is not None
    assert worst.finished_s - worst.deadline_s == worst.late_s
    assert quickstart(slack, "lst").late_jobs() == []


def test_parts_of_a_run_average_to_the_whole() -> None:
    run = quickstart(slack, "lst")
    parts = run.utilization_by_part(40)
    assert len(parts) == 40
    assert sum(parts) / 40 == pytest.approx(run.value("utilization"))
    assert sum(run.pending_by_part(40)) / 40 == pytest.approx(run.value("pending_mean"))


def test_lines_are_bounded_and_keep_their_extremes() -> None:
    run = quickstart(slack, "lst")
    pending = run.pending(16)
    assert len(pending) <= 16
    assert max(value for _, value in pending) == run.value("pending_max")
    assert run.usable(16) == ((0, 36),)
    assert run.held(10_000)[0] == (0, 32)


def test_the_distribution_of_waits_rises_to_everybody() -> None:
    run = quickstart(slack, "lst")
    points = run.waits_s(10)
    assert len(points) <= 10
    assert points == sorted(points)
    assert points[-1] == (run.value("wait_max"), 1)


def test_runs_are_told_apart_by_what_differs() -> None:
    lst, fifo = quickstart(slack, "lst"), quickstart(arrival, "fifo")
    other_seed = quickstart(slack, "lst", seed=1)
    assert labels([lst, fifo]) == ["lst", "fifo"]
    assert labels([lst, lst]) == ["lst, seed 0 (1)", "lst, seed 0 (2)"]
    assert labels([lst, other_seed]) == ["lst, quickstart, seed 0", "lst, quickstart, seed 1"]


def test_a_comparison_leaves_out_what_nobody_could_measure() -> None:
    compared = {row.name: row for row in rows([quickstart(slack, "lst"), quickstart(arrival, "fifo")])}
    assert compared["deadline_miss_rate"].best == (True, False)
    assert compared["makespan"].best == (False, True)
    without = quickstart(slack, "lst", metrics={"wait_p50": metric(None), "makespan": metric(3.0)})
    assert [row.name for row in rows([without])] == ["makespan"]


def test_the_window_reaches_from_the_first_submission_to_the_end() -> None:
    run = quickstart(slack, "lst")
    assert run.window_ns == (0, round(run.result.virtual_s * SECOND))
