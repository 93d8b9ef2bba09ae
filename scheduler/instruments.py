"""Prometheus metrics of a running scheduler, for ``/metrics``.

What counts up is counted when it happens; who waits is counted when somebody asks, so that nothing runs
periodically. Imported only where it is listened: a library of its own comes with it.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeHistogramMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from scheduler.census import STATES, Census
from scheduler.decision import Decision
from scheduler.timetext import DAY, HOUR, MINUTE, SECOND
from scheduler.trail import lost_chip_seconds
from scheduler.witness import Witness, Write

SLACK_LIMITS = tuple(
    span // SECOND
    for span in (-DAY, -HOUR, 0, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, 12 * HOUR, DAY, 7 * DAY)
)
"""Upper limits of the slack histogram, in seconds: hopeless below 0, close to it, and far from it."""

REQUEST_LIMITS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60)
"""Seconds; a request is given up after 60."""

ROUND_LIMITS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
"""Seconds."""


class Instruments(Witness):
    """Counts what it is told."""

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]  # a series more for each one, for a format that is not served
        registry = self._registry = CollectorRegistry(auto_describe=True)
        ProcessCollector(registry=registry)
        self._decisions = Counter(
            "lst_scheduler_decisions",
            "Decisions: a workload bound, others preempted for one, half a gang undone.",
            ("kind", "policy"),
            registry=registry,
        )
        self._victims = Counter(
            "lst_scheduler_preempted_pods", "Pods ended to make room for others.", registry=registry
        )
        self._lost = Counter(
            "lst_scheduler_lost_chip_seconds",
            "Chip-seconds that preempted workloads do again, restarts included.",
            registry=registry,
        )
        self._violations = Counter(
            "lst_scheduler_budget_violations",
            "Pods preempted against a disruption budget.",
            registry=registry,
        )
        self._errors = Counter(
            "lst_scheduler_request_errors",
            "Requests to the API server that failed; the code 0 stands for no answer.",
            ("method", "code"),
            registry=registry,
        )
        self._writes = Histogram(
            "lst_scheduler_write_seconds",
            "How long writes to the API server took, failed ones included.",
            ("write",),
            buckets=REQUEST_LIMITS,
            registry=registry,
        )
        self._rounds = Histogram(
            "lst_scheduler_round_seconds",
            "How long rounds of decisions took.",
            buckets=ROUND_LIMITS,
            registry=registry,
        )
        self._leads = Gauge(
            "lst_scheduler_leader", "1 where this process decides, 0 where it stands by.", registry=registry
        )

    def watch(self, census: Callable[[], Census]) -> None:
        """Have it counted at each scrape who waits."""
        self._registry.register(_Waiting(census))

    def exposition(self) -> bytes:
        """All metrics in Prometheus' text format."""
        return generate_latest(self._registry)

    def decided(self, decision: Decision) -> None:
        """Something was decided."""
        self._decisions.labels(decision.kind, decision.policy).inc()
        self._victims.inc(sum(len(loss.pods) for loss in decision.victims))
        self._lost.inc(max(0.0, lost_chip_seconds(decision)))
        self._violations.inc(decision.violations)

    @contextmanager
    def deciding(self) -> Iterator[None]:
        """A context that lasts as long as a round of decisions."""
        with self._rounds.time():
            yield

    @contextmanager
    def _timed(self, write: Write) -> Iterator[None]:
        with self._writes.labels(write).time():
            yield

    def writing(self, write: Write) -> AbstractContextManager[None]:
        """A context that lasts as long as a write, successful or not."""
        return self._timed(write)

    def failed(self, method: str, code: int) -> None:
        """A request got this status for an answer, or 0: none."""
        self._errors.labels(method, code).inc()

    def leads(self, leading: bool) -> None:
        """This process decides now, or does not."""
        self._leads.set(leading)


class _Waiting(Collector):
    """Who waits, counted at each scrape."""

    def __init__(self, census: Callable[[], Census]) -> None:
        self._census = census

    def describe(self) -> Iterator[Metric]:
        yield self._states(Census(dict.fromkeys(STATES, 0), ()))
        yield self._slacks(())

    def collect(self) -> Iterator[Metric]:
        census = self._census()
        yield self._states(census)
        yield self._slacks(census.slacks)

    def _states(self, census: Census) -> Metric:
        family = GaugeMetricFamily(
            "lst_scheduler_pending_pods", "Pods without a node, by what they wait for.", labels=("state",)
        )
        for state, count in census.states.items():
            family.add_metric((state,), count)
        return family

    def _slacks(self, slacks: Sequence[int]) -> Metric:
        seconds = [slack / SECOND for slack in slacks]
        counts = [0] * (len(SLACK_LIMITS) + 1)
        for slack in seconds:
            counts[bisect_left(SLACK_LIMITS, slack)] += 1
        total, buckets = 0, []
        for limit, count in zip((*map(str, SLACK_LIMITS), "+Inf"), counts, strict=True):
            total += count
            buckets.append((limit, total))
        return GaugeHistogramMetricFamily(
            "lst_scheduler_pending_slack_seconds",
            "Slack of the pods that wait and have a deadline; below 0 it is missed already.",
            buckets=buckets,
            gsum_value=sum(seconds),
        )
