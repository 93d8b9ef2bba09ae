"""Deadlines and estimates that a trace is given."""

import dataclasses
from statistics import median

import pytest

from evaluator.errors import TraceError
from evaluator.traces import rules
from evaluator.traces.account import ImportReport
from evaluator.traces.model import SoftDeadline, Trace, TraceJob
from fakeapi.kernel.time import HOUR

JOB = TraceJob(id="j", submit_ns=0, run_ns=10)


def given_deadlines(rule: str, *jobs: TraceJob, seed: int = 1) -> tuple[list[TraceJob], ImportReport]:
    report = ImportReport()
    trace = rules.with_deadlines(Trace("t", "t", jobs=lambda _: iter(jobs)), rule, seed)
    return list(trace.jobs(report)), report


def given_estimates(rule: str, *jobs: TraceJob, seed: int = 1) -> list[TraceJob]:
    trace = rules.with_estimates(Trace("t", "t", jobs=lambda _: iter(jobs)), rule, seed)
    return list(trace.jobs(ImportReport()))


def test_drawn_deadlines_can_be_met_and_are_spread_as_chronus() -> None:
    jobs, report = given_deadlines("chronus", *[dataclasses.replace(JOB, run_ns=HOUR)] * 4000)
    factors = [(job.deadline_ns or 0) / HOUR for job in jobs]
    assert 1.10 <= min(factors) <= max(factors) <= 5.0
    assert median(factors) == pytest.approx(1.97, abs=0.05)
    assert report.section("jobs").invented[rules.DRAWN] == 4000
    assert jobs == given_deadlines("chronus", *[dataclasses.replace(JOB, run_ns=HOUR)] * 4000)[0]
    assert jobs != given_deadlines("chronus", *[dataclasses.replace(JOB, run_ns=HOUR)] * 4000, seed=2)[0]


def test_rules_keep_remove_fill_and_replace() -> None:
    soft = dataclasses.replace(JOB, deadline_ns=30, soft_deadlines=(SoftDeadline(20, 2), SoftDeadline(30, 1)))
    hopeless = dataclasses.replace(JOB, deadline_ns=5)
    best = dataclasses.replace(JOB, best_effort=True)
    endless = dataclasses.replace(JOB, run_ns=None)
    everything = (soft, hopeless, best, endless)
    assert given_deadlines("recorded", *everything)[0] == list(everything)
    removed, report = given_deadlines("none", *everything)
    assert [job.deadline_ns for job in removed] == [None] * 4
    assert report.section("jobs").changed[rules.REMOVED] == 2
    filled, report = given_deadlines("fill", *everything)
    assert filled[0] == soft
    assert (filled[1].deadline_ns or 0) >= 11
    assert [job.deadline_ns for job in filled[2:]] == [None, None]
    assert report.section("jobs").changed[rules.REPLACED] == 1
    fixed, report = given_deadlines("2.5x", *everything)
    assert [job.deadline_ns for job in fixed] == [25, 25, None, None]
    assert report.section("jobs").invented[rules.FIXED] == 2


@pytest.mark.parametrize("rule", ["", "x", "0.5x", "3", "1001x", "chronos"])
def test_what_is_no_rule_for_deadlines_is_refused(rule: str) -> None:
    with pytest.raises(TraceError, match="is no rule for deadlines"):
        given_deadlines(rule, JOB)


def test_estimates_are_recorded_exact_or_spread_around_the_run_time() -> None:
    asked = dataclasses.replace(JOB, run_ns=HOUR, estimate_ns=3 * HOUR)
    assert given_estimates("recorded", asked) == [asked]
    assert given_estimates("exact", asked)[0].estimate_ns == HOUR
    spread = [job.estimate_ns or 0 for job in given_estimates("0.5", *[asked] * 4000)]
    assert median(spread) == pytest.approx(HOUR, rel=0.05)
    assert sum(estimate > HOUR * 1.65 for estimate in spread) == pytest.approx(4000 * 0.16, rel=0.15)
    assert given_estimates("0", asked)[0].estimate_ns == HOUR


@pytest.mark.parametrize("rule", ["", "-1", "6", "about"])
def test_what_is_no_rule_for_estimates_is_refused(rule: str) -> None:
    with pytest.raises(TraceError, match="is no rule for estimates"):
        given_estimates(rule, JOB)
