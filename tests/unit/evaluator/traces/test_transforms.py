"""Traces cut, thinned, fitted and scaled: what stays, what goes, and what is said of it."""

import dataclasses
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.errors import TraceError
from evaluator.traces import transforms
from evaluator.traces.account import ImportReport
from evaluator.traces.model import TraceJob, TraceNode, TraceOutage
from tests.unit.evaluator.traces.builders import job, jobs_in_order, read, trace


def test_zero_is_the_first_submission() -> None:
    made = transforms.from_first(
        trace(
            [job(submit=100), job(submit=130)],
            [TraceOutage("n", 50, 60), TraceOutage("n", 10, 5)],
            [TraceNode("early", since_ns=5), TraceNode("late", since_ns=120, until_ns=150)],
        )
    )
    jobs, report = read(made)
    assert [item.submit_ns for item in jobs] == [0, 30]
    assert list(made.outages(report)) == [TraceOutage("n", 0, 10)]
    assert [(node.since_ns, node.until_ns) for node in made.nodes(report)] == [(0, None), (20, 50)]


def test_zero_is_the_first_outage_where_there_are_no_jobs() -> None:
    made = transforms.from_first(trace([], [TraceOutage("n", 50, 60)]))
    assert list(made.outages(ImportReport())) == [TraceOutage("n", 0, 60)]


def test_a_window_begins_at_zero_and_ends_before_its_end() -> None:
    made = transforms.window(
        trace([job(0, 9), job(1, 10), job(2, 19), job(3, 20)], [TraceOutage("n", 5, 100)]), 10, 20
    )
    jobs, report = read(made)
    assert [(item.id, item.submit_ns) for item in jobs] == [("job-1", 0), ("job-2", 9)]
    assert report.section("jobs").dropped[transforms.OUTSIDE] == 2
    assert list(made.outages(report)) == [TraceOutage("n", 0, 10)]


@given(jobs=jobs_in_order, share=st.fractions(0, 1), seed=st.integers(0, 5))
def test_a_sample_is_the_same_each_time(jobs: list[TraceJob], share: Fraction, seed: int) -> None:
    made = transforms.sample(trace(jobs), share, seed)
    once, report = read(made)
    assert once == read(made)[0]
    assert report.section("jobs").dropped[transforms.NOT_SAMPLED] == len(jobs) - len(once)
    if share in (0, 1):
        assert len(once) == len(jobs) * share


def test_a_sample_is_as_large_as_asked_for_and_depends_on_the_seed() -> None:
    jobs = [job(number, number) for number in range(2000)]
    first, second = (read(transforms.sample(trace(jobs), Fraction(1, 4), seed))[0] for seed in (1, 2))
    assert first != second
    assert 400 < len(first) < 600


def test_outages_of_one_machine_stay_those_of_one_node() -> None:
    told = (("x", 0, 5), ("y", 0, 5), ("x", 9, 5), ("z", 9, 5), ("y", 20, 0))
    recorded = [TraceOutage(node, start, length) for node, start, length in told]
    made = transforms.place_outages(trace([], recorded), ["a", "b"], seed=1)
    report = ImportReport()
    outages = list(made.outages(report))
    assert outages == list(made.outages(ImportReport()))
    assert [outage.start_ns for outage in outages] == [0, 0, 9]
    assert outages[0].node == outages[2].node != outages[1].node
    assert {outage.node for outage in outages} == {"a", "b"}
    assert report.section("outages").dropped_items == {
        transforms.NO_NODE_LEFT: 1, transforms.NO_LENGTH: 1,
    }  # fmt: skip


def test_the_first_jobs_stay_and_the_others_are_counted() -> None:
    jobs, report = read(transforms.first_jobs(trace([job(number) for number in range(5)]), 2))
    assert [item.id for item in jobs] == ["job-0", "job-1"]
    assert report.section("jobs").dropped[transforms.BEYOND] == 3


def test_gaps_are_divided_from_the_first_arrival_on() -> None:
    jobs, report = read(
        transforms.speed_up(trace([job(submit=100), job(submit=150), job(submit=400)]), Fraction(5, 2))
    )
    assert [item.submit_ns for item in jobs] == [100, 120, 220]
    assert {item.run_ns for item in jobs} == {10}
    assert report.remarks == ["gaps between arrivals divided by 2.5; run times unchanged"]


def test_a_load_is_chip_time_over_capacity_and_span() -> None:
    demand = transforms.offered(
        trace([job(submit=100, run=50, chips=2), job(submit=300, run=None), job(submit=300)])
    )
    assert (demand.chip_ns, demand.span_ns) == (2 * 50 + 10, 200)
    assert demand.load(11) == Fraction(110, 11 * 200)


@given(jobs=jobs_in_order, load=st.fractions(Fraction(1, 10), 2), capacity=st.integers(1, 50))
def test_a_trace_is_scaled_to_a_load_exactly(jobs: list[TraceJob], load: Fraction, capacity: int) -> None:
    second = 10**9
    slow = [
        dataclasses.replace(item, submit_ns=item.submit_ns * second, run_ns=(item.run_ns or 0) * second)
        for item in jobs
    ]
    before = transforms.offered(trace(slow))
    made = transforms.scale_to_load(trace(slow), capacity, load)
    if not before.chip_ns or not before.span_ns:
        with pytest.raises(TraceError, match="cannot be scaled"):
            read(made)
        return
    after = transforms.offered(made)
    assert after.chip_ns == before.chip_ns
    exact = before.chip_ns / (load * capacity)
    assert exact - 1 < after.span_ns <= exact  # an instant is cut to a nanosecond
