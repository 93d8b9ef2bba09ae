"""The Alibaba GPU trace of 2023 ("openb"): 1,523 nodes, 8,152 pods, 149 days.

Source: ``alibaba/clusterdata``, ``cluster-trace-gpu-v2023``. Paper: Weng et al., "Beware of Fragmentation:
Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent", USENIX ATC 2023.

What is replayed: each pod that the trace shows as scheduled is submitted at its creation time and runs for as
long as it ran there (deletion − scheduled: the wait before that was not work). What differs is counted in the
import report.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field

from evaluator.errors import ParameterError
from evaluator.scenario.model import Node, Pod, ScenarioItem, Settings
from evaluator.scenario.parameters import ScenarioParameters
from evaluator.scenario.units import Bytes, CpuMilli, Duration, Instant
from evaluator.traces.location import TraceSource, find_trace
from evaluator.traces.openb_files import MEBI, Recorded, read_nodes, read_pods
from evaluator.traces.report import ImportReport
from fakeapi.kernel.time import SECOND

NODE_FILE: Final = "openb_node_list_all_node.csv"
POD_FILE: Final = "openb_pod_list_default.csv"
SOURCE: Final = TraceSource(
    name="openb",
    files=(NODE_FILE, POD_FILE),
    published="https://github.com/alibaba/clusterdata (cluster-trace-gpu-v2023/csv)",
)

CUT_NODE_GPUS: Final = 8
"""GPUs of the nodes that a cut cluster keeps: the shape of half of the trace's GPU nodes (617 of 1,213)."""

FAILED: Final = "Failed"
"""Last phase of a pod that did not end well in the trace."""

REPLAYED: Final = "pods replayed"
BEYOND: Final = "beyond the number of rows asked for"
NEVER_SCHEDULED: Final = "never scheduled in the trace, so that their run time is unknown"
NO_RUN_TIME: Final = "ran for no time at all"
TOO_LARGE: Final = "too large for every node that was kept"
DROPPED: Final = (BEYOND, NEVER_SCHEDULED, NO_RUN_TIME, TOO_LARGE)
"""Reasons for which a pod of the trace is not replayed."""

GPU_MILLI_ANNOTATION: Final = "openb.trace/gpu-milli"
"""The share of one GPU, in thousandths, that the pod asked for in the trace."""

GPU_SPEC_ANNOTATION: Final = "openb.trace/gpu-spec"
"""The GPU models that the pod asked for in the trace."""

QOS_ANNOTATION: Final = "openb.trace/qos"
"""The pod's class in the trace; these are not the classes of Kubernetes."""

PHASE_ANNOTATION: Final = "openb.trace/phase"
"""The pod's last phase in the trace."""


class OpenbParameters(ScenarioParameters):
    """What can be set when the trace is replayed."""

    trace: str | None = Field(
        default=None, description="folder of the trace's two CSV files; else EVALUATOR_TRACES names it"
    )
    nodes: Annotated[int, Field(ge=0)] = Field(
        default=0, description="keep the first N nodes of 8 GPUs, so that pods contend; 0 keeps all nodes"
    )
    pods: Annotated[int, Field(ge=0)] = Field(
        default=0, description="replay the first N rows of the pod list; 0 replays all"
    )
    speedup: Annotated[float, Field(gt=0, le=1e6)] = Field(
        default=1.0, description="divide the gaps between arrivals; run times stay as they are"
    )
    deadline_factor: Annotated[float, Field(ge=1, le=1000)] | None = Field(
        default=None,
        description="invent deadlines: so many run times after submission; the trace has none",
    )


def replay(parameters: OpenbParameters) -> Iterator[ScenarioItem]:
    """The trace as a scenario: settings, nodes, pods, and the notes of the import report.

    :raises TraceError: if the trace is missing, or a row of it cannot be right.
    :raises ParameterError: if more nodes are asked for than the trace has.
    """
    folder = find_trace(SOURCE, parameters.trace)
    report = ImportReport("trace openb")
    yield Settings(title="Alibaba's GPU cluster of 2023, replayed")
    nodes = _kept_nodes(folder / NODE_FILE, parameters.nodes, report)
    yield from nodes
    recorded = read_pods(folder / POD_FILE)
    report.count("pods read", len(recorded))
    yield from _replayed(recorded, nodes, parameters, report)
    _remark(parameters, report)
    yield from report.notes()


def _kept_nodes(file: Path, wanted: int, report: ImportReport) -> list[Node]:
    nodes = read_nodes(file)
    report.count("nodes read", len(nodes))
    if wanted:
        large = [node for node in nodes if node.chips == CUT_NODE_GPUS]
        if wanted > len(large):
            raise ParameterError(
                f"nodes = {wanted}: the trace has {len(large)} nodes of {CUT_NODE_GPUS} GPUs",
                where=f"--set nodes={wanted}",
                next_step=f"Set nodes to at most {len(large)}, or to 0 for all nodes of any shape.",
            )
        report.count("nodes dropped: the cluster was cut", len(nodes) - wanted)
        nodes = large[:wanted]
    report.count("nodes kept", len(nodes))
    report.count("GPUs kept", sum(node.chips for node in nodes))
    return nodes


def _replayed(
    recorded: Sequence[Recorded], nodes: Sequence[Node], parameters: OpenbParameters, report: ImportReport
) -> Iterator[Pod]:
    """The pods that are replayed; the others are counted by the reason for which they are not."""
    shapes = list({(node.chips, node.cpu_milli, node.memory_bytes): node for node in nodes}.values())
    end = max((pod.deleted for pod in recorded), default=0)
    for reason in DROPPED:
        report.count(f"pods dropped: {reason}", 0)
    report.count(REPLAYED, 0)
    for index, pod in enumerate(recorded):
        dropped = _reason_to_drop(pod, index, shapes, parameters)
        if dropped:
            report.count(f"pods dropped: {dropped}")
            continue
        report.count(REPLAYED)
        _account(pod, end, report)
        yield _pod(pod, parameters)


def _reason_to_drop(
    pod: Recorded, index: int, shapes: Sequence[Node], parameters: OpenbParameters
) -> str | None:
    if parameters.pods and index >= parameters.pods:
        return BEYOND
    if pod.scheduled is None:
        return NEVER_SCHEDULED
    if pod.deleted == pod.scheduled:
        return NO_RUN_TIME
    if not any(pod.fits(node) for node in shapes):
        return TOO_LARGE
    return None


def _account(pod: Recorded, end: int, report: ImportReport) -> None:
    """Count what becomes different for one pod that is replayed."""
    changes = {
        "pods that asked for a share of one GPU, rounded up to a whole one": pod.is_fraction,
        "pods that waited in the trace; the wait is left out of the run time": pod.waited > 0,
        "pods still there when the trace ends; their run time ends with it": pod.deleted == end,
        "pods that failed in the trace; they run as long as there, and finish": pod.phase == FAILED,
        "pods that ask for no memory": pod.memory_mib == 0,
        "pods that asked for certain GPU models; they may run on any": bool(pod.gpu_spec),
    }
    for text, applies in changes.items():
        if applies:
            report.count(text)


def _remark(parameters: OpenbParameters, report: ImportReport) -> None:
    if parameters.speedup != 1:
        report.remark(f"gaps between arrivals divided by {parameters.speedup:g}; run times unchanged")
    if parameters.deadline_factor is None:
        report.remark("no deadlines: the trace has none, and none were invented")
    else:
        report.remark(
            f"deadlines invented: {parameters.deadline_factor:g} times the run time after submission"
        )


def _pod(pod: Recorded, parameters: OpenbParameters) -> Pod:
    run_ns = pod.ran * SECOND
    factor = parameters.deadline_factor
    return Pod(
        name=pod.name,
        at=Instant(_scaled(pod.created * SECOND, 1 / Fraction(parameters.speedup))),
        chips=pod.gpus,
        cpu=CpuMilli(pod.cpu_milli),
        memory=Bytes(pod.memory_mib * MEBI),
        run_time=Duration(run_ns),
        deadline=None if factor is None else Instant(_scaled(run_ns, Fraction(factor))),
        annotations=_annotations(pod),
    )


def _scaled(ns: int, factor: Fraction) -> int:
    return int(ns * factor)


def _annotations(pod: Recorded) -> dict[str, str]:
    annotations = {QOS_ANNOTATION: pod.qos, PHASE_ANNOTATION: pod.phase}
    if pod.is_fraction:
        annotations[GPU_MILLI_ANNOTATION] = str(pod.gpu_milli)
    if pod.gpu_spec:
        annotations[GPU_SPEC_ANNOTATION] = pod.gpu_spec
    return annotations
