"""Verdicts: expectations, bounds, and a baseline with its own spread."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.errors import NothingMatchedError, UsageError
from evaluator.gates.baseline import Baseline, baseline_of
from evaluator.gates.judge import JudgedRun, Verdict, judge, tolerated
from evaluator.gates.rules import Rule, Rules
from evaluator.results import RunResult
from evaluator.scenario.expectations import parse_expectation
from tests.support.results import result


def verdicts(run: RunResult, *rules: Rule, before: tuple[float, ...] | None = None) -> list[Verdict]:
    baselines = None
    if before is not None:
        baseline = baseline_of([result({"wait_p99": value}) for value in before])
        baselines = {("s", "lst"): baseline}
    return judge([JudgedRun("run", run)], Rules(gate=rules), baselines)


@pytest.mark.parametrize(("value", "passed"), [(2.0, True), (3.0, True), (3.5, False), (None, False)])
def test_a_bound_from_above_holds_up_to_itself(value: float | None, passed: bool) -> None:
    (verdict,) = verdicts(result({"wait_p99": value}), Rule(metric="wait_p99", at_most=3))
    assert verdict.passed is passed
    assert bool(verdict.why) is not passed


@pytest.mark.parametrize(("value", "passed"), [(2.9, False), (3.0, True)])
def test_a_bound_from_below(value: float, passed: bool) -> None:
    (verdict,) = verdicts(result({"utilization": value}), Rule(metric="utilization", at_least=3))
    assert verdict.passed is passed


@pytest.mark.parametrize(("value", "passed"), [(0.0, True), (1.0, False), (None, False)])
def test_what_a_scenario_expects_counts_without_any_rule(value: float | None, passed: bool) -> None:
    outcome = parse_expectation("deadlines_missed <= 0").outcome(value)
    (verdict,) = verdicts(result({}, expectations=[outcome]))
    assert verdict.passed is passed
    assert verdict.metric == "deadlines_missed"


def test_without_a_word_on_what_should_hold_nothing_is_judged() -> None:
    with pytest.raises(NothingMatchedError, match="nothing says what should hold"):
        verdicts(result({}))


def test_a_rule_for_other_runs_is_no_rule_for_this_one() -> None:
    with pytest.raises(NothingMatchedError):
        verdicts(result({"wait_p99": 1}), Rule(metric="wait_p99", at_most=0, scheduler="edf"))


def test_a_run_that_is_not_complete_is_not_judged() -> None:
    with pytest.raises(UsageError, match="not complete"):
        verdicts(result({"wait_p99": 1}, complete=False), Rule(metric="wait_p99", at_most=2))


NO_WORSE = Rule(metric="wait_p99", no_worse_than_baseline=True)


@pytest.mark.parametrize(("value", "passed"), [(9.0, True), (14.0, True), (18.0, True), (18.1, False)])
def test_a_baseline_grants_its_own_range_once_more(value: float, passed: bool) -> None:
    (verdict,) = verdicts(result({"wait_p99": value}), NO_WORSE, before=(10, 12, 14))
    assert verdict.passed is passed


def test_a_failure_names_value_bound_and_spread() -> None:
    (verdict,) = verdicts(result({"wait_p99": 19}), NO_WORSE, before=(10, 12, 14))
    assert verdict.why == "19 is worse than 18 (3 runs of the baseline: 10 to 14, median 12)"


def test_where_there_was_nothing_to_measure_before_there_may_be_nothing_now() -> None:
    baseline = baseline_of([result({"wait_p99": None})])
    for value, passed in ((None, True), (1.0, False)):
        (verdict,) = judge(
            [JudgedRun("run", result({"wait_p99": value}))], Rules(gate=(NO_WORSE,)), {("s", "lst"): baseline}
        )
        assert verdict.passed is passed


@pytest.mark.parametrize("baselines", [None, {}])
def test_a_missing_baseline_is_told(baselines: dict[tuple[str, str], Baseline] | None) -> None:
    with pytest.raises(UsageError, match="baseline"):
        judge([JudgedRun("run", result({"wait_p99": 1}))], Rules(gate=(NO_WORSE,)), baselines)


def test_a_baseline_of_other_parameters_is_none() -> None:
    with pytest.raises(UsageError, match="has other parameters"):
        verdicts(result({"wait_p99": 1}, parameters={"load": 2}), NO_WORSE, before=(1,))


def test_a_metric_without_a_better_direction_is_not_compared() -> None:
    baseline = {("s", "lst"): baseline_of([result({"deadlines_due": 1})])}
    rule = Rule(metric="deadlines_due", no_worse_than_baseline=True)
    with pytest.raises(UsageError, match="cannot be compared"):
        judge([JudgedRun("run", result({"deadlines_due": 1}))], Rules(gate=(rule,)), baseline)


values = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20)


@given(values, st.floats(0, 1), st.booleans())
def test_no_run_of_the_baseline_itself_is_worse_than_it(
    before: list[float], slack: float, lower: bool
) -> None:
    worst = tolerated(before, lower_is_better=lower, slack=slack)
    assert all(value <= worst if lower else value >= worst for value in before)


@given(values, st.booleans())
def test_both_directions_are_mirror_images(before: list[float], lower: bool) -> None:
    mirrored = tolerated([-value for value in before], lower_is_better=not lower, slack=0.1)
    assert mirrored == pytest.approx(-tolerated(before, lower_is_better=lower, slack=0.1))
