"""Metrics: pure functions of a timeline, each with unit, direction and definition.

One pass turns the timeline into a :class:`~evaluator.metrics.ledger.Ledger`; every metric is a small
function of it. Percentiles are nearest-rank: the smallest value that at least so many percent of the values
do not exceed.
"""

from evaluator.metrics import deadlines, fairness, fragmentation, usage, volume, waiting, work
from evaluator.metrics.ledger import Ledger
from evaluator.metrics.metric import Measure, Metric

MEASURES: tuple[Measure, ...] = (
    *deadlines.MEASURES,
    *waiting.MEASURES,
    *volume.MEASURES,
    *usage.MEASURES,
    *work.MEASURES,
    *fragmentation.MEASURES,
    *fairness.MEASURES,
)
"""Everything that is measured, in the order in which it is told."""


def measure(ledger: Ledger) -> dict[str, Metric]:
    """All metrics of a run, by name."""
    return {each.name: each.of(ledger) for each in MEASURES}
