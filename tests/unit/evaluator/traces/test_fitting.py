"""Jobs as pods that fit a cluster, without a chip more or less."""

import dataclasses

import pytest
from hypothesis import given

from evaluator.traces import fitting
from evaluator.traces.model import TraceJob, TraceNode
from tests.unit.evaluator.traces.builders import job, jobs_in_order, read, trace

NODES = [TraceNode("a", chips=8, cpu_milli=8000), TraceNode("b", chips=4)]


@given(jobs=jobs_in_order)
def test_what_is_fitted_fits_and_loses_no_chip(jobs: list[TraceJob]) -> None:
    made, report = read(fitting.fit(trace(jobs), NODES))
    assert all(item.chips <= 8 for item in made)
    assert [item.total_chips for item in made] == [item.chips for item in jobs if item.chips <= 12]
    assert report.section("jobs").dropped[fitting.MORE_THAN_ALL] == sum(item.chips > 12 for item in jobs)


@pytest.mark.parametrize(
    ("chips", "pods", "size"), [(16, 2, 8), (12, 2, 6), (25, 5, 5), (13, 13, 1), (100, 20, 5), (8, 1, 8)]
)
def test_a_large_job_becomes_equal_pods(chips: int, pods: int, size: int) -> None:
    parts = fitting.split(dataclasses.replace(job(chips=chips), cpu_milli=1000 * pods, memory_bytes=pods), 8)
    assert (parts.pods, parts.chips, parts.cpu_milli, parts.memory_bytes) == (pods, size, 1000, 1)


def test_a_pod_that_fits_no_node_is_dropped() -> None:
    wide = dataclasses.replace(job(chips=8), cpu_milli=9000)
    jobs, report = read(fitting.fit(trace([wide, dataclasses.replace(wide, chips=4)]), NODES))
    assert [item.chips for item in jobs] == [4]  # on the node whose CPU nobody knows
    assert report.section("jobs").dropped[fitting.TOO_LARGE] == 1
