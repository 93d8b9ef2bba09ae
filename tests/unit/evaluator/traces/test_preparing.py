"""The options of a replay, in their order."""

from fractions import Fraction

import pytest

from evaluator.errors import TraceError
from evaluator.traces import transforms
from evaluator.traces.model import TraceNode
from evaluator.traces.preparing import Options, prepare
from evaluator.traces.rules import RECORDED
from tests.unit.evaluator.traces.builders import job, read, trace


def test_a_load_without_a_cluster_is_refused() -> None:
    options = Options(load=Fraction(1), deadlines=RECORDED)
    with pytest.raises(TraceError, match="the cluster has no chips"):
        read(prepare(trace([job(), job(submit=5)]), options))


def test_options_are_applied_in_one_order() -> None:
    jobs = [job(number, 1000 + number * 10, chips=16 if number % 2 else 1) for number in range(20)]
    options = Options(start_ns=50, end_ns=150, jobs=4, speedup=Fraction(2), deadlines="2x", estimates="exact")
    made, report = read(prepare(trace(jobs), options, [TraceNode("a", chips=8), TraceNode("b", chips=8)]))
    assert [item.submit_ns for item in made] == [0, 5, 10, 15]
    assert [(item.pods, item.chips) for item in made] == [(2, 8), (1, 1), (2, 8), (1, 1)]
    assert {(item.deadline_ns, item.estimate_ns) for item in made} == {(20, 10)}
    section = report.section("jobs")
    assert (section.rows, section.dropped[transforms.OUTSIDE], section.dropped[transforms.BEYOND]) == (
        20,
        10,
        6,
    )
