"""Cells of a sweep: medians and spread over the seeds."""

from evaluator.sweep.summary import Cell, Kept, cells, settings
from tests.support.results import result
from tests.unit.evaluator.sweep.test_grid import requests


def swept() -> list[Cell]:
    runs = [
        Kept(request, None if request.seed == 2 and request.scheduler == "c1" else result({"wait": value}))
        for request, value in zip(
            requests(variants=2, schedulers=2, seeds=3), [float(v) for v in range(12)], strict=True
        )
    ]
    return cells(runs)


def test_a_cell_is_a_scheduler_at_one_setting() -> None:
    grouped = settings(swept())
    assert {name: [cell.scheduler for cell in found] for name, found in grouped.items()} == {
        "s0, load = 0": ["c0", "c1"],
        "s0, load = 1": ["c0", "c1"],
    }


def test_a_spread_is_median_least_and_greatest() -> None:
    spread = swept()[0].spread("wait")
    assert spread is not None
    assert (spread.values, spread.metric.value) == ((0.0, 4.0, 8.0), 4.0)
    assert (spread.least, spread.greatest) == (0.0, 8.0)


def test_runs_that_failed_are_missing_and_counted() -> None:
    cell = swept()[1]
    assert (len(cell.results), cell.asked) == (2, 3)


def test_runs_without_a_value_are_left_out() -> None:
    (request,) = requests()
    (cell,) = cells([Kept(request, result({"wait": None}, seed=3)), Kept(request, result({"wait": 2.0}))])
    spread = cell.spread("wait")
    assert spread is not None
    assert (spread.values, spread.seeds) == ((2.0,), (0,))
    assert cell.spread("unknown") is None
