"""The two CSV files of the openb trace, row by row."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from evaluator.errors import TraceError
from evaluator.scenario.model import Node
from evaluator.scenario.units import Bytes, CpuMilli
from evaluator.traces.table import Row, read_table

NODE_COLUMNS: Final = ("sn", "cpu_milli", "memory_mib", "gpu", "model")
POD_COLUMNS: Final = (
    "name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec", "qos", "pod_phase",
    "creation_time", "deletion_time", "scheduled_time",
)  # fmt: skip

MEBI: Final = 2**20
"""Bytes in a mebibyte."""

WHOLE_GPU: Final = 1000
"""Thousandths of a GPU in a whole one (``gpu_milli``)."""

MAX_CPU_MILLI: Final = 10_000_000
"""Upper bound of a plausible CPU amount: ten thousand cores in one machine."""

MAX_MEMORY_MIB: Final = 2**30
"""Upper bound of a plausible memory amount: a pebibyte in one machine."""

MAX_GPUS: Final = 4_096
"""Upper bound of a plausible number of GPUs in one machine."""

MAX_TIME_S: Final = 10 * 366 * 86_400
"""Upper bound of the trace's clock, in seconds: ten years, where the published trace spans five months."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One pod as the trace has it. Times in seconds since the start of the trace."""

    name: str
    cpu_milli: int
    memory_mib: int
    gpus: int
    gpu_milli: int
    gpu_spec: str
    qos: str
    phase: str
    created: int
    scheduled: int | None
    deleted: int

    @property
    def ran(self) -> int:
        """Seconds from its start to its end; 0 if it was never scheduled."""
        return 0 if self.scheduled is None else self.deleted - self.scheduled

    @property
    def waited(self) -> int:
        """Seconds from its creation to its start; 0 if it was never scheduled."""
        return 0 if self.scheduled is None else self.scheduled - self.created

    @property
    def is_fraction(self) -> bool:
        """Whether it asked for a share of one GPU."""
        return self.gpus > 0 and self.gpu_milli < WHOLE_GPU

    def fits(self, node: Node) -> bool:
        """Whether it would fit an empty node."""
        return (
            self.gpus <= node.chips
            and self.cpu_milli <= node.cpu_milli
            and self.memory_mib * MEBI <= node.memory_bytes
        )


_Made = TypeVar("_Made", Node, Recorded)


def read_nodes(file: Path) -> list[Node]:
    """The nodes, in the order of the file.

    :raises TraceError: with file, line and column, if a value cannot be right.
    """
    return list(_unique(read_table(file, NODE_COLUMNS), "sn", _node))


def read_pods(file: Path) -> list[Recorded]:
    """The pods, in the order of the file.

    :raises TraceError: with file, line and column, if a value cannot be right.
    """
    return list(_unique(read_table(file, POD_COLUMNS), "name", _recorded))


def _unique(rows: Iterator[Row | TraceError], column: str, make: Callable[[Row], _Made]) -> Iterator[_Made]:
    seen: dict[str, int] = {}
    for row in rows:
        if isinstance(row, TraceError):
            raise row
        name = row.text(column)
        if name in seen:
            row.refuse(column, f"line {seen[name]} has that name already")
        seen[name] = row.line
        yield make(row)


def _node(row: Row) -> Node:
    return Node(
        name=row.object_name("sn"),
        cpu=CpuMilli(row.integer("cpu_milli", minimum=1, maximum=MAX_CPU_MILLI)),
        memory=Bytes(row.integer("memory_mib", minimum=1, maximum=MAX_MEMORY_MIB) * MEBI),
        chips=row.integer("gpu", maximum=MAX_GPUS),
        chip_type=row.label("model") or None,
    )


def _recorded(row: Row) -> Recorded:
    created = row.integer("creation_time", maximum=MAX_TIME_S)
    scheduled = row.optional_integer("scheduled_time", maximum=MAX_TIME_S)
    deleted = row.integer("deletion_time", maximum=MAX_TIME_S)
    if scheduled is not None and scheduled < created:
        row.refuse("scheduled_time", f"before creation_time, which is {created}")
    if deleted < (created if scheduled is None else scheduled):
        row.refuse("deletion_time", "before the pod was created or scheduled")
    return Recorded(
        name=row.object_name("name"),
        cpu_milli=row.integer("cpu_milli", maximum=MAX_CPU_MILLI),
        memory_mib=row.integer("memory_mib", maximum=MAX_MEMORY_MIB),
        gpus=row.integer("num_gpu", maximum=MAX_GPUS),
        gpu_milli=row.integer("gpu_milli", maximum=WHOLE_GPU),
        gpu_spec=row.text("gpu_spec"),
        qos=row.text("qos"),
        phase=row.text("pod_phase"),
        created=created,
        scheduled=scheduled,
        deleted=deleted,
    )
