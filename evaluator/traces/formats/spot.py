"""The node list of Alibaba's spot GPU cluster of 2026. Its job list is not part of the published folder.

Source: ``alibaba/clusterdata``, ``cluster-trace-v2026-spot-gpu/node_info_df.csv``. Memory is not told.
"""

from collections.abc import Iterator
from typing import Final

from evaluator.scenario.fields import MAX_CHIPS_PER_NODE
from evaluator.traces.account import ImportReport
from evaluator.traces.formats.base import MAX_CPU_MILLI, Format, Source, has_columns
from evaluator.traces.model import Trace, TraceNode
from evaluator.traces.table import Row, Unique

COLUMNS: Final = ("gpu_model", "gpu_capacity_num", "cpu_num", "node_name")
_MILLI: Final = 1000
_MAX_NAME: Final = 10**9


def _open(source: Source) -> Trace:
    def nodes(report: ImportReport) -> Iterator[TraceNode]:
        unique = Unique("node_name")
        return source.table("nodes", COLUMNS, lambda row: _node(row, unique))(report)

    return Trace(title="Alibaba's spot GPU cluster of 2026: nodes", format="alibaba-spot-2026", nodes=nodes)


def _node(row: Row, unique: Unique) -> TraceNode:
    unique.check(row)
    return TraceNode(
        name=f"spot-node-{row.integer('node_name', maximum=_MAX_NAME):04d}",
        chips=row.integer("gpu_capacity_num", maximum=MAX_CHIPS_PER_NODE),
        chip_type=row.label("gpu_model") or None,
        cpu_milli=round(row.scaled("cpu_num", _MILLI, minimum=1, maximum=MAX_CPU_MILLI)),
    )


FORMAT: Final = Format(
    name="alibaba-spot-2026",
    about="Alibaba 2026: nodes of a spot cluster",
    recognises=has_columns(*COLUMNS),
    open=_open,
)
