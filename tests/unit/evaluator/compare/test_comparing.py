"""Two sides compared: pairs, verdicts, and what is refused."""

from typing import Any

import pytest

from evaluator.compare.bootstrap import LEAST_SEEDS
from evaluator.compare.comparing import EXTREME, OTHER_JOBS, UNMEASURED, WHOLE_RUN, Comparison, compare
from evaluator.compare.jobs import JobTable, job_table
from evaluator.compare.pairing import ComparedRun, paired
from evaluator.errors import NothingMatchedError, UsageError
from evaluator.metrics import measure
from evaluator.modes import TwoGroups
from tests.support.results import result
from tests.support.stories import ledger, ran


def run(wait: int, *, seed: int = 0, jobs: int = 20, name: str = "r", **changes: Any) -> ComparedRun:
    """Jobs that come a minute apart on chips of their own; each third waits so many seconds more."""
    told = ledger(
        *(
            ran(f"j{index}", 60 * index, start=60 * index + (wait if index % 3 else 1), end=60 * index + 99)
            for index in range(jobs)
        ),
        end=60 * jobs + 99,
    )
    return ComparedRun(
        name, result({}, seed=seed).model_copy(update={"metrics": measure(told), **changes}), job_table(told)
    )


def sides(first: list[ComparedRun], second: list[ComparedRun]) -> Comparison:
    return compare(paired(first, second), "a", "b")


def test_one_pair_is_resampled_by_jobs() -> None:
    one = sides([run(10)], [run(4)]).of("wait_mean")
    assert one.drawn == "jobs"
    assert one.interval is not None
    assert one.difference is not None
    assert one.interval[0] <= one.difference <= one.interval[1] < 0
    assert one.verdict == "B better"
    assert one.effect == 1.0


def test_turned_round_the_other_side_is_better() -> None:
    one = sides([run(4)], [run(10)]).of("wait_mean")
    assert (one.verdict, one.effect) == ("A better", -1.0)


def test_equal_runs_differ_in_nothing() -> None:
    found = sides([run(5)], [run(5)])
    assert {one.verdict for one in found.differences} <= {"no difference seen", "not judged"}
    assert found.of("wait_mean").effect is None


def test_figures_of_a_whole_run_and_extremes_are_not_judged_from_one_pair() -> None:
    found = sides([run(10)], [run(4)])
    for name, why in (("utilization", WHOLE_RUN), ("wait_max", EXTREME), ("tardiness_mean", UNMEASURED)):
        one = found.of(name)
        assert (one.interval, one.why_none, one.verdict) == (None, why, "not judged")


def test_many_pairs_are_resampled_by_seed() -> None:
    seeds = range(LEAST_SEEDS + 1)
    found = sides([run(10 + seed, seed=seed) for seed in seeds], [run(4, seed=seed) for seed in seeds])
    for name in ("wait_mean", "wait_max"):
        assert (found.of(name).drawn, found.of(name).verdict) == ("seeds", "B better")
    assert found.of("utilization").verdict == "B better"  # it began sooner and held the chips for longer
    assert found.seeds == tuple(seeds)


def test_a_difference_that_varies_around_nothing_names_no_winner() -> None:
    seeds = range(8)
    first = [run(5 + (seed % 2) * 4, seed=seed) for seed in seeds]
    second = [run(9 - (seed % 2) * 4, seed=seed) for seed in seeds]
    assert sides(first, second).of("wait_mean").verdict == "no difference seen"


def test_a_side_that_falls_into_two_groups_is_told() -> None:
    seeds = range(10)
    first = [run(90 if seed % 2 else 10, seed=seed) for seed in seeds]
    found = sides(first, [run(5, seed=seed) for seed in seeds]).of("wait_max")
    assert found.groups == (TwoGroups(10.0, 5, 90.0, 5), None)


def test_jobs_that_are_not_the_same_cannot_be_paired() -> None:
    other = run(4)
    moved = JobTable(tuple((name, nth, at + 1) for name, nth, at in other.jobs.keys), other.jobs.columns)
    found = sides([run(10)], [ComparedRun("x", other.result, moved)])
    assert found.of("wait_mean").why_none == OTHER_JOBS
    assert "arrivals differ in 1 pair" in found.notes[0]


def test_seeds_on_one_side_only_are_told() -> None:
    found = sides([run(1, seed=1), run(1, seed=2)], [run(1, seed=2), run(1, seed=3)])
    assert found.seeds == (2,)
    assert "2 seeds on one side only, left out: seed 1, 3" in found.notes[0]


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ([run(1, scenario="other")], "scenario"),
        ([run(1, parameters={"x": 1})], "parameters"),
        ([run(1, scenario_digest="other")], "workloads differ"),
        ([run(1, complete=False)], "not complete"),
        ([run(1), run(2)], "of one seed"),
        ([run(1), run(1, seed=1, scheduler="edf")], "two schedulers"),
    ],
)
def test_what_cannot_be_compared_is_refused(second: list[ComparedRun], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        sides([run(1)], second)


def test_without_a_common_seed_there_is_nothing_to_compare() -> None:
    with pytest.raises(NothingMatchedError, match="seed 0 against seed 1"):
        sides([run(1)], [run(1, seed=1)])
