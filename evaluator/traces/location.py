"""Where recorded traces lie: they are published by their owners and never part of this project."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evaluator.errors import TraceError, shown

VARIABLE: Final = "EVALUATOR_TRACES"
"""Environment variable that names the folder of traces."""


@dataclass(frozen=True, slots=True)
class TraceSource:
    """A published trace: which files of it are needed, and where to get them."""

    name: str
    """Name of its folder below the folder of traces."""
    files: Sequence[str]
    published: str
    """Where it can be had."""


def find_trace(
    source: TraceSource, given: str | None, *, environment: Mapping[str, str] = os.environ
) -> Path:
    """The folder that holds all files of a trace.

    :param given: the folder that the user named; otherwise the environment variable names the folder itself,
        or the one above it.
    :raises TraceError: if there is none, saying which files are needed and where they are published.
    """
    if given is not None:
        return _complete(source, Path(given), f"--set trace={given}")
    root = environment.get(VARIABLE)
    if not root:
        raise TraceError(
            f"the trace {source.name} is needed, and nothing says where it lies", next_step=_advice(source)
        )
    below = Path(root) / source.name
    return _complete(source, below if below.is_dir() else Path(root), f"{VARIABLE}={root}")


def _complete(source: TraceSource, folder: Path, where: str) -> Path:
    missing = [file for file in source.files if not (folder / file).is_file()]
    if missing:
        raise TraceError(
            f"{folder} has no {' and no '.join(missing)}", where=where, next_step=_advice(source)
        )
    return folder


def _advice(source: TraceSource) -> str:
    return (
        f"Get {' and '.join(source.files)} from {source.published}, and name their folder by --set trace=DIR "
        f"or by the environment variable {VARIABLE}."
    )


PUBLISHED: Final = (
    TraceSource(
        "openb",
        (
            "openb_node_list_all_node.csv",
            "openb_node_list_gpu_node.csv",
            "openb_pod_list_default.csv",
            "openb_pod_list_gpuspec33.csv",
            "openb_pod_list_multigpu50.csv",
        ),
        "https://github.com/alibaba/clusterdata (cluster-trace-gpu-v2023/csv)",
    ),
    TraceSource(
        "alibaba-dlrm-2025",
        ("disaggregated_DLRM_trace.csv",),
        "https://github.com/alibaba/clusterdata (cluster-trace-gpu-v2025)",
    ),
    TraceSource(
        "alibaba-spot-2026",
        ("node_info_df.csv",),
        "https://github.com/alibaba/clusterdata (cluster-trace-v2026-spot-gpu)",
    ),
    TraceSource(
        "philly",
        ("philly.csv",),
        "https://github.com/pkusys/ElasticFlow (pollux/pollux_simulator/traces)",
    ),
    TraceSource(
        "chronus",
        ("trace_job_Philly_SLO.csv", "trace_job_Philly_MIX2.csv"),
        "https://github.com/S-Lab-System-Group/ChronusArtifact (code/data/exp)",
    ),
    TraceSource(
        "ms-itp",
        ("195job.csv", *(f"cluster{number:02d}.csv" for number in range(1, 11))),
        "https://github.com/microsoft/elasticflow-traces (data/elasticflow-traces.tar.gz)",
    ),
    TraceSource(
        "infinitehbd-faults", ("fault_trace.json",), "https://github.com/stepfun-ai/InfiniteHBD-Trace"
    ),
    TraceSource(
        "lanl-failures",
        ("LA-UR-05-7318-failure-data-1996-2005.csv",),
        "https://github.com/Derek-Jones/ESEUR-code-data (reliability)",
    ),
    TraceSource(
        "swf",
        ("KTH-SP2-1996-2.1-cln.swf", "NASA-iPSC-1993-3.1-cln.swf"),
        "https://www.cs.huji.ac.il/labs/parallel/workload/ (Parallel Workloads Archive)",
    ),
    TraceSource("tiresias", ("60_job.csv",), "https://github.com/SymbioticLab/Tiresias (simulator)"),
)
"""Published traces, each with its folder below the folder of traces. Each file may be packed (.gz)."""


def locate(named: str, *, environment: Mapping[str, str] = os.environ) -> Path:
    """The file of a trace: a path, or a path below the folder of traces that the environment variable names.

    A file that is there only as ``NAME.gz`` is found by its name as well.

    :raises TraceError: if there is none, saying where it is published if it is a known one.
    """
    root = environment.get(VARIABLE)
    places = [Path(named), *([Path(root) / named, Path(root) / Path(named).name] if root else [])]
    for place in places:
        for file in (place, place.with_name(f"{place.name}.gz")):
            if _is_file(file):
                return file
    raise TraceError(
        f"there is no trace {shown(named)}",
        where=" or ".join(str(place) for place in places),
        next_step=_where_to_get(named),
    )


def _is_file(file: Path) -> bool:
    try:
        return file.is_file()
    except (OSError, ValueError):  # a name too long, or with a null character
        return False


def _where_to_get(named: str) -> str:
    name = Path(named).name.removesuffix(".gz")
    for source in PUBLISHED:
        if name in source.files:
            return (
                f"Get it from {source.published}, and give its path, or name by the environment variable "
                f"{VARIABLE} the folder that holds {source.name}/{name}."
            )
    return f"Give the path of a file, or its path below the folder that {VARIABLE} names."
