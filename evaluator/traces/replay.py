"""A trace as a scenario: nodes, jobs, and notes that account for what became of the rows.

What a trace does not say is filled in here, in one place, and counted as invented: CPU and memory of pods
and nodes, names that Kubernetes accepts, users as labels.
"""

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from evaluator.errors import TraceError
from evaluator.scenario.faults import Fault
from evaluator.scenario.manifests import CHIP_TYPE_LABEL, GANG
from evaluator.scenario.model import Node, Note, Pod, ScenarioItem
from evaluator.scenario.units import Bytes, CpuMilli, Duration, Instant
from evaluator.scenario.work import MAX_USER_PRIORITY
from evaluator.traces.account import ImportReport, Section
from evaluator.traces.model import Trace, TraceJob, TraceNode
from evaluator.traces.preparing import Options, prepare
from evaluator.traces.transforms import NO_LENGTH, place_outages
from fakeapi.kernel.time import format_duration
from fakeapi.machinery import validation

DEFAULT_POD_CPU: Final = 1_000
"""Thousandths of a core of a pod whose trace tells no CPU: little, so that chips decide where it fits."""

DEFAULT_POD_MEMORY: Final = 2**30
"""Bytes of a pod whose trace tells no memory."""

DEFAULT_NODE_CPU: Final = 64_000
DEFAULT_NODE_MEMORY: Final = 512 * 2**30
"""What a scenario's node has unless told otherwise."""

LONGEST_NAME: Final = 52
"""Characters of a name, so that a number of a pod and a suffix of a controller still fit into 63."""

OUTCOME_ANNOTATION: Final = "trace.evaluator/outcome"
QOS_ANNOTATION: Final = "trace.evaluator/qos"
SHARE_ANNOTATION: Final = "trace.evaluator/chip-milli"
TYPES_ANNOTATION: Final = "trace.evaluator/chip-types"
"""What the trace says of a pod beyond what a scheduler is told."""

POD_CPU: Final = "CPU unknown: one core for each pod"
POD_MEMORY: Final = "memory unknown: 1 GiB for each pod"
NODE_CPU: Final = "CPU unknown: 64 cores"
NODE_MEMORY: Final = "memory unknown: 512 GiB"
RENAMED: Final = "its name changed to one that Kubernetes accepts"
SOME_TYPES: Final = "may use several chip types; runs on any"
SYSTEM: Final = "its priority is that of a part of the system; the greatest that users may have is taken"
SOFT: Final = "its deadline loses value in steps; the last step is its deadline"
CAPPED: Final = "most instances on one node are limited; not replayed"
EARLY: Final = "begins before its node has joined"
NO_GANG: Final = "its pods are submitted one by one, and marked as a gang"

_NOT_A_NAME: Final = re.compile(r"[^a-z0-9-]+")
_NOT_A_LABEL: Final = re.compile(r"[^A-Za-z0-9._-]+")
_MAX_LABEL: Final = 63


def replay(
    trace: Trace, options: Options, *, nodes: Sequence[TraceNode] = (), topic: str = "trace"
) -> Iterator[ScenarioItem]:
    """The nodes, jobs and outages of a trace as items of a scenario, then the notes of the import report.

    :param nodes: the cluster; the trace's own nodes unless given.
    :raises TraceError: if a row cannot be read, an option cannot be applied, or there are no nodes.
    """
    report = ImportReport()
    cluster = list(nodes) or list(trace.nodes(report))
    if not cluster:
        raise TraceError(
            "no nodes: the trace names none, and none were given",
            where=trace.title,
            next_step="Give a cluster, or a trace of nodes beside the trace of jobs.",
        )
    filled = list(filled_nodes(cluster, report))
    yield from map(_node, filled)
    prepared = prepare(trace, options, cluster)
    for job in filled_jobs(prepared, report):
        yield from _pods(job)
    named = {node.name: each for node, each in zip(cluster, filled, strict=True)}
    yield from _faults(prepared, named, options, report)
    _remark(options, report)
    report.check()
    yield from notes(report, topic)


def notes(report: ImportReport, topic: str) -> Iterator[Note]:
    """An import report as notes, which travel into the result."""
    for text, number in report.lines():
        yield Note(topic=topic, text=text, count=number)


def filled_nodes(nodes: Iterable[TraceNode], report: ImportReport) -> Iterator[TraceNode]:
    """Nodes with everything that a node has, and names that Kubernetes accepts."""
    section, names = report.section("nodes"), Names()
    for node in nodes:
        if node.cpu_milli is None:
            section.invented[NODE_CPU] += 1
        if node.memory_bytes is None:
            section.invented[NODE_MEMORY] += 1
        yield dataclasses.replace(
            node,
            name=names.of(node.name, section),
            cpu_milli=DEFAULT_NODE_CPU if node.cpu_milli is None else node.cpu_milli,
            memory_bytes=DEFAULT_NODE_MEMORY if node.memory_bytes is None else node.memory_bytes,
        )


def filled_jobs(trace: Trace, report: ImportReport) -> Iterator[TraceJob]:
    """Jobs with everything that a pod has, names that Kubernetes accepts, and users and queues as labels."""
    section, names = report.section("jobs"), Names()
    for job in trace.jobs(report):
        _account(job, section)
        yield dataclasses.replace(
            job,
            id=names.of(job.id, section),
            cpu_milli=DEFAULT_POD_CPU if job.cpu_milli is None else job.cpu_milli,
            memory_bytes=DEFAULT_POD_MEMORY if job.memory_bytes is None else job.memory_bytes,
            chip_types=tuple(filter(None, map(_label, job.chip_types))),
            user=_label(job.user),
            queue=_label(job.queue),
            priority=_priority(job.priority),
        )


def _account(job: TraceJob, section: Section) -> None:
    for counts, text, applies in (
        (section.invented, POD_CPU, job.cpu_milli is None),
        (section.invented, POD_MEMORY, job.memory_bytes is None),
        (section.changed, SOME_TYPES, len(job.chip_types) > 1),
        (section.changed, SOFT, bool(job.soft_deadlines)),
        (section.changed, CAPPED, job.max_per_node is not None),
        (section.changed, NO_GANG, job.pods > 1),
        (section.changed, SYSTEM, job.priority != _priority(job.priority)),
    ):
        if applies:
            counts[text] += 1


class Names:
    """Names of Kubernetes objects made of any text, each used once."""

    def __init__(self) -> None:
        self._used: Counter[str] = Counter()

    def of(self, text: str, section: Section) -> str:
        """The text itself if it is such a name and not used yet, else one as near as can be."""
        plain = _NOT_A_NAME.sub("-", text.lower())[:LONGEST_NAME].strip("-") or "unnamed"
        name = text if _is_name(text) else plain
        self._used[name] += 1
        while self._used[name] > 1:
            name = f"{name}-{self._used[name]}"
            self._used[name] += 1
        if name != text:
            section.changed[RENAMED] += 1
        return name


def _is_name(text: str) -> bool:
    return len(text) <= LONGEST_NAME and not validation.dns_subdomain(text)


def _priority(priority: int | None) -> int | None:
    return None if priority is None else min(max(priority, -MAX_USER_PRIORITY), MAX_USER_PRIORITY)


def _label(text: str | None) -> str | None:
    if text is None or not validation.label_value(text):
        return text
    return _NOT_A_LABEL.sub("-", text)[:_MAX_LABEL].strip("-_.") or None


def _node(node: TraceNode) -> Node:
    return Node(
        name=node.name,
        at=Instant(node.since_ns),
        chips=node.chips,
        chip_type=_label(node.chip_type),
        cpu=CpuMilli(node.cpu_milli or 0),
        memory=Bytes(node.memory_bytes or 0),
    )


def _pods(job: TraceJob) -> Iterator[Pod]:
    for number in range(job.pods):
        yield Pod(
            name=job.id if job.pods == 1 else f"{job.id}-{number}",
            at=Instant(job.submit_ns),
            chips=job.chips,
            cpu=CpuMilli(job.cpu_milli or 0),
            memory=Bytes(job.memory_bytes or 0),
            run_time=None if job.run_ns is None else Duration(job.run_ns),
            deadline=None if job.deadline_ns is None else Instant(job.deadline_ns),
            expected=None if job.estimate_ns is None else Duration(job.estimate_ns),
            priority=job.priority,
            user=job.user,
            queue=job.queue,
            node_selector={CHIP_TYPE_LABEL: job.chip_types[0]} if len(job.chip_types) == 1 else {},
            annotations=_annotations(job),
        )


def _faults(
    trace: Trace, nodes: Mapping[str, TraceNode], options: Options, report: ImportReport
) -> Iterator[Fault]:
    """The outages of a trace as crashes of nodes, which are given by their names in the trace.

    Outages of another cluster's machines become those of these nodes, by chance of the options' seed.
    """
    strangers = {outage.node for outage in trace.outages(ImportReport())} - nodes.keys()
    placed = place_outages(trace, list(nodes), options.seed) if strangers else trace
    for outage in placed.outages(report):
        node = nodes[outage.node]
        if not outage.duration_ns or outage.start_ns < node.since_ns:
            why = EARLY if outage.duration_ns else NO_LENGTH
            report.section("outages").dropped_items[why] += 1
            continue
        at, lasts = Instant(outage.start_ns), Duration(outage.duration_ns)
        yield Fault(action="crash", node=node.name, at=at, lasts=lasts)


def _annotations(job: TraceJob) -> dict[str, str]:
    told = {
        GANG: str(job.pods) if job.pods > 1 else None,
        OUTCOME_ANNOTATION: job.outcome,
        QOS_ANNOTATION: job.qos,
        SHARE_ANNOTATION: None if job.chip_milli is None else str(job.chip_milli),
        TYPES_ANNOTATION: "|".join(job.chip_types) or None,
    }
    return {name: text for name, text in told.items() if text is not None}


def _remark(options: Options, report: ImportReport) -> None:
    report.remark(f"deadlines: {options.deadlines}; estimates: {options.estimates}")
    if options.start_ns or options.end_ns is not None:
        end = "the end" if options.end_ns is None else format_duration(options.end_ns)
        report.remark(f"the window from {format_duration(options.start_ns)} to {end}")
