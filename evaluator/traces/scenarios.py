"""A scenario looked at as if it were a trace, so that the same figures are told of both."""

from collections.abc import Iterator

from evaluator.scenario.manifests import CHIP_TYPE_LABEL
from evaluator.scenario.model import Node, Pod
from evaluator.scenario.plan import Arrival, LoadedScenario
from evaluator.traces.account import ImportReport
from evaluator.traces.model import Trace, TraceJob, TraceNode


def as_trace(scenario: LoadedScenario) -> Trace:
    """The scenario's pods and nodes as a trace's; objects given as manifests are not among them."""

    def jobs(_report: ImportReport) -> Iterator[TraceJob]:
        return (
            _job(arrival, arrival.item, scenario.start_ns)
            for arrival in scenario.arrivals
            if isinstance(arrival.item, Pod)
        )

    def nodes(_report: ImportReport) -> Iterator[TraceNode]:
        return (
            _node(arrival, arrival.item) for arrival in scenario.arrivals if isinstance(arrival.item, Node)
        )

    title = scenario.settings.title or scenario.name
    return Trace(
        title=title, format=f"scenario {scenario.name}, seed {scenario.seed}", jobs=jobs, nodes=nodes
    )


def _job(arrival: Arrival, pod: Pod, start_ns: int) -> TraceJob:
    deadline_ns = pod.deadline_ns(arrival.at_ns, start_ns)
    chip_type = pod.node_selector.get(CHIP_TYPE_LABEL)
    return TraceJob(
        id=pod.key,
        submit_ns=arrival.at_ns,
        run_ns=pod.run_ns,
        chips=pod.chips,
        cpu_milli=pod.cpu_milli,
        memory_bytes=pod.memory_bytes,
        chip_types=(chip_type,) if chip_type else (),
        user=pod.user,
        queue=pod.queue,
        deadline_ns=None if deadline_ns is None else deadline_ns - arrival.at_ns,
        estimate_ns=None if pod.expected is None else pod.expected_ns,
        service=pod.run_ns is None,
    )


def _node(arrival: Arrival, node: Node) -> TraceNode:
    return TraceNode(
        name=node.name,
        chips=node.chips,
        chip_type=node.chip_type,
        cpu_milli=node.cpu_milli,
        memory_bytes=node.memory_bytes,
        since_ns=arrival.at_ns,
    )
