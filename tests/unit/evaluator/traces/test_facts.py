"""Figures of made-up traces that can be checked by hand."""

from evaluator.traces.facts import arrivals_by_part, demand_by_part, find_facts
from evaluator.traces.model import Trace, TraceJob, TraceNode, TraceOutage
from fakeapi.kernel.time import HOUR

JOBS = (
    TraceJob("a", 0, 2 * HOUR, chips=4, wait_ns=HOUR, user="ann", outcome="done"),
    TraceJob("b", HOUR, HOUR, chips=2, pods=2, deadline_ns=3 * HOUR, estimate_ns=2 * HOUR),
    TraceJob("c", 2 * HOUR, None, chips=1),
    TraceJob("d", 4 * HOUR, HOUR, chips=1, chip_milli=500),
)
TRACE = Trace(
    "test",
    "test",
    jobs=lambda _: iter(JOBS),
    nodes=lambda _: iter([TraceNode("n", chips=8, chip_type="X", cpu_milli=1000), TraceNode("m")]),
    outages=lambda _: iter([TraceOutage("n", 0, 10, "GPU: lost"), TraceOutage("m", 5, 10)]),
)


def test_demand_is_set_against_the_capacity() -> None:
    jobs = find_facts(TRACE).document()["jobs"]
    assert (jobs["jobs"], jobs["pods"], jobs["span_seconds"]) == (4, 5, 4 * 3600)
    assert (jobs["chip_hours"], jobs["chip_hours_by_share"]) == (8 + 4 + 1, 8 + 4 + 0.5)
    assert (jobs["offered_chips"], jobs["offered_load"]) == (13 / 4, 13 / 4 / 8)
    assert (jobs["peak_at_once"], jobs["peak_as_recorded"]) == (8, 8)
    assert jobs["jobs_by_chips"] == {"1": 2, "4": 2}
    assert (jobs["deadline_factor"] or {})["p50"] == 3
    assert (jobs["estimate_factor"] or {})["max"] == 2
    assert (jobs["without_end"], jobs["users"], jobs["outcomes"]) == (1, 1, {"done": 1})


def test_nodes_and_outages_are_told() -> None:
    document = find_facts(TRACE).document()
    assert document["nodes"]["chips_by_type"] == {"X": 8}
    assert document["nodes"]["nodes_by_chips"] == {"0": 1, "8": 1}
    assert (document["outages"]["outages"], document["outages"]["peak_down"]) == (2, 2)
    assert document["outages"]["causes"] == {"GPU": 1, "not told": 1}


def test_an_empty_trace_has_no_figures() -> None:
    document = find_facts(Trace("empty", "test")).document()
    assert (document["jobs"], document["nodes"], document["outages"]) == (None, None, None)


def test_parts_of_the_span_are_drawn() -> None:
    facts = find_facts(TRACE)
    assert arrivals_by_part(facts.jobs, 4) == [1, 1, 1, 1]
    assert demand_by_part(facts.jobs, 4) == [4, 8, 8, 2]  # what reaches into a part counts in it
    assert arrivals_by_part(find_facts(Trace("one", "t", jobs=lambda _: iter(JOBS[:1]))).jobs, 3) == [1, 0, 0]
