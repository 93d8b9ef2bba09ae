"""A run as OpenMetrics text, for Prometheus, VictoriaMetrics and their like.

Samples carry the instants of the run: virtual time, from the start that the scenario gives. Who wants them
elsewhere, such as now, gives an offset; ``evaluator_time_offset_seconds`` declares it in the same file, so
that what is read can be placed again.
"""

from collections.abc import Iterator
from typing import Final

from prometheus_client import CollectorRegistry, Metric
from prometheus_client.openmetrics.exposition import generate_latest
from prometheus_client.registry import Collector

from evaluator.metrics.ledger import Ledger
from evaluator.metrics.steps import Steps, sampled
from evaluator.metrics.usage import held_chips, held_cpu_milli, pending_pods
from evaluator.results import RunResult
from fakeapi.kernel.time import SECOND, parse_instant

POINTS: Final = 4_000
"""Samples of one series at most; first, last and extremes of each part of time are kept."""

_SERIES: Final = (
    ("evaluator_chips_held", "Chips that pods hold."),
    ("evaluator_chips_usable", "Chips of nodes that are ready."),
    ("evaluator_cpu_held_cores", "CPU that pods hold, in cores."),
    ("evaluator_pods_pending", "Pods that wait for a node."),
)


def write_metrics(ledger: Ledger, result: RunResult, *, offset_s: float = 0.0) -> Iterator[bytes]:
    """The text.

    :param offset_s: seconds that are added to every instant.
    """
    registry = CollectorRegistry()
    registry.register(_Run(ledger, result, offset_s))
    yield generate_latest(registry)  # type: ignore[no-untyped-call]  # the library has no types for it


class _Run(Collector):
    """What is measured, as families of samples."""

    def __init__(self, ledger: Ledger, result: RunResult, offset_s: float) -> None:
        self._ledger = ledger
        self._result = result
        self._offset_s = offset_s
        self._start_s = parse_instant(result.start) / SECOND + offset_s
        self._labels = {
            "scenario": result.scenario,
            "scheduler": result.scheduler,
            "seed": str(result.seed),
        }

    def collect(self) -> Iterator[Metric]:
        """The series over time, then the figures of the whole run at its end."""
        offset = Metric(
            "evaluator_time_offset_seconds", "Seconds added to the run's own instants.", "gauge", "seconds"
        )
        offset.add_sample(offset.name, self._labels, self._offset_s)
        yield offset
        steps = (
            held_chips(self._ledger),
            self._ledger.usable_chips,
            held_cpu_milli(self._ledger),
            pending_pods(self._ledger),
        )
        for (name, meaning), series in zip(_SERIES, steps, strict=True):
            yield self._over_time(name, meaning, series)
        yield self._figures()

    def _over_time(self, name: str, meaning: str, steps: Steps) -> Metric:
        family = Metric(name, meaning, "gauge")
        unit = 1_000 if name.endswith("_cores") else 1
        for at_ns, value in sampled(steps, 0, max(1, self._ledger.end_ns), POINTS):
            family.add_sample(name, self._labels, value / unit, timestamp=self._start_s + at_ns / SECOND)
        return family

    def _figures(self) -> Metric:
        family = Metric("evaluator_metric", "Figures of the whole run, by name and unit.", "gauge")
        end_s = self._start_s + self._ledger.end_ns / SECOND
        for name, metric in self._result.metrics.items():
            if metric.value is not None:
                labels = {**self._labels, "name": name, "unit": metric.unit}
                family.add_sample(family.name, labels, metric.value, timestamp=end_s)
        return family
