"""A trace becomes nodes, pods and notes; what it does not say is filled in and told."""

import dataclasses
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.errors import TraceError
from evaluator.scenario import Fault, Node, Note, Pod
from evaluator.scenario.manifests import CHIP_TYPE_LABEL, GANG
from evaluator.scenario.units import Instant
from evaluator.traces import replay as module
from evaluator.traces.account import ImportReport, RowAccount, Section
from evaluator.traces.model import SoftDeadline, Trace, TraceJob, TraceNode, TraceOutage
from evaluator.traces.preparing import Options, options_of, pool
from evaluator.traces.replay import Names, replay
from fakeapi.kernel.time import DAY, HOUR
from fakeapi.machinery import validation


def trace(jobs: Sequence[TraceJob], nodes: Sequence[TraceNode] = ()) -> Trace:
    def counted(report: ImportReport) -> Iterator[TraceJob]:
        for job in jobs:
            report.section("jobs").settle(RowAccount())
            yield job

    return Trace("test", "test", jobs=counted, nodes=lambda _: iter(nodes))


def test_everything_that_is_known_is_replayed() -> None:
    job = TraceJob(
        "Job_1",
        100,
        50,
        chips=2,
        chip_milli=460,
        chip_types=("A",),
        cpu_milli=500,
        memory_bytes=2**20,
        user="ann lee",
        queue="q",
        priority=3,
        qos="LS",
        deadline_ns=90,
        estimate_ns=70,
        outcome="Failed",
    )
    node = TraceNode("n", chips=4, chip_type="A", cpu_milli=1000, memory_bytes=2**30, since_ns=3)
    items = list(replay(trace([job], [node]), Options()))
    machine, pod = items[0], items[1]
    assert isinstance(machine, Node)
    assert (machine.name, machine.chips, machine.chip_type, machine.cpu_milli) == ("n", 4, "A", 1000)
    assert isinstance(pod, Pod)
    assert (pod.name, pod.chips, pod.run_ns, pod.expected_ns, pod.priority) == ("job-1", 2, 50, 70, 3)
    assert pod.deadline_ns(0, 0) == 90
    assert (pod.user, pod.queue, pod.node_selector) == ("ann-lee", "q", {CHIP_TYPE_LABEL: "A"})
    assert pod.annotations == {
        module.OUTCOME_ANNOTATION: "Failed",
        module.QOS_ANNOTATION: "LS",
        module.SHARE_ANNOTATION: "460",
        module.TYPES_ANNOTATION: "A",
    }


def told(items: Sequence[object]) -> dict[str, int | None]:
    return {item.text: item.count for item in items if isinstance(item, Note)}


def test_what_is_not_known_is_filled_in_and_told() -> None:
    steps = (SoftDeadline(20, 2), SoftDeadline(30, 1))
    job = TraceJob(
        "j", 0, 10, chips=4, chip_types=("A", "B"), deadline_ns=30, soft_deadlines=steps, max_per_node=2
    )
    items = list(replay(trace([job]), Options(), nodes=pool(5, 2), topic="trace test"))
    assert [(item.name, item.chips) for item in items if isinstance(item, Node)] == [
        ("node-0000", 2),
        ("node-0001", 2),
        ("node-0002", 1),
    ]
    pods = [item for item in items if isinstance(item, Pod)]
    assert [(pod.name, pod.chips) for pod in pods] == [("j-0", 2), ("j-1", 2)]
    assert {pod.annotations[GANG] for pod in pods} == {"2"}
    notes = told(items)
    for reason in (module.POD_CPU, module.POD_MEMORY):
        assert notes[f"jobs invented: {reason}"] == 1
    for reason in (module.SOME_TYPES, module.SOFT, module.CAPPED, module.NO_GANG):
        assert notes[f"jobs changed: {reason}"] == 1
    assert notes["jobs: rows read"] == notes["jobs: rows kept"] == 1
    assert {item.topic for item in items if isinstance(item, Note)} == {"trace test"}


def test_services_run_for_ever() -> None:
    items = list(replay(trace([TraceJob("s", 0, None, service=True)]), Options(), nodes=pool(8, 8)))
    (pod,) = [item for item in items if isinstance(item, Pod)]
    assert (pod.run_time, pod.deadline) == (None, None)


def test_without_nodes_nothing_is_replayed() -> None:
    with pytest.raises(TraceError, match="no nodes"):
        list(replay(trace([TraceJob("j", 0, 1)]), Options()))


def test_options_are_told_in_the_notes() -> None:
    options = options_of(start_day=0.5, days=1, deadlines="2x")
    assert (options.start_ns, options.end_ns) == (DAY // 2, DAY + DAY // 2)
    notes = told(list(replay(trace([TraceJob("j", 0, 1)]), options, nodes=pool(8, 8))))
    assert notes["jobs dropped: submitted outside the window"] == 1
    assert "the window from 12h to 1d12h" in notes
    assert "deadlines: 2x; estimates: recorded" in notes


@given(st.lists(st.text(max_size=70), max_size=30))
def test_any_texts_become_names_of_their_own(texts: list[str]) -> None:
    section, names = Section("jobs"), Names()
    made = [names.of(text, section) for text in texts]
    assert len(set(made)) == len(made)
    assert not any(validation.dns_subdomain(name) for name in made)
    assert section.changed[module.RENAMED] == sum(
        name != text for name, text in zip(made, texts, strict=True)
    )


# Outages ------------------------------------------------------------------------------------------


def faults(outages: Sequence[TraceOutage], nodes: Sequence[TraceNode]) -> tuple[list[Fault], list[str]]:
    def counted(report: ImportReport) -> Iterator[TraceOutage]:
        for outage in outages:
            report.section("outages").settle(RowAccount())
            yield outage

    items = list(replay(dataclasses.replace(trace([], nodes), outages=counted), Options()))
    told = [item.text for item in items if isinstance(item, Note)]
    return [item for item in items if isinstance(item, Fault)], told


def test_outages_of_the_trace_s_own_nodes_are_crashes_of_these() -> None:
    nodes = [TraceNode("Node_A", chips=8), TraceNode("late", chips=8, since_ns=HOUR)]
    recorded = [
        TraceOutage("Node_A", 0, 0),
        TraceOutage("late", 5, HOUR),
        TraceOutage("Node_A", HOUR, 2 * HOUR),
        TraceOutage("late", 2 * HOUR, HOUR),
    ]
    found, told = faults(recorded, nodes)
    assert found == [
        Fault(action="crash", node="node-a", at="1h", lasts="2h"),
        Fault(action="crash", node="late", at="2h", lasts="1h"),
    ]
    left_out = [text for text in told if "left out" in text]
    assert len(left_out) == 2, "one that lasts no time, one before its node joins"


def test_outages_of_other_machines_become_those_of_the_nodes() -> None:
    nodes = [TraceNode("a", chips=8), TraceNode("b", chips=8)]
    found, _ = faults([TraceOutage("x", 0, HOUR), TraceOutage("x", 3 * HOUR, HOUR)], nodes)
    assert len({fault.node for fault in found}) == 1
    assert [fault.at for fault in found] == [Instant(0), Instant(3 * HOUR)]
