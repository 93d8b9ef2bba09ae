"""How much of the cluster is in use, over time and on the whole."""

from collections.abc import Iterator

from evaluator.metrics.ledger import Ledger
from evaluator.metrics.metric import Measure
from evaluator.metrics.records import PodRecord
from evaluator.metrics.steps import Steps, from_changes, integral
from fakeapi.kernel.time import HOUR


def held_chips(ledger: Ledger) -> Steps:
    """Chips that bound pods hold."""
    return from_changes(change for pod in ledger.pods if pod.chips for change in _held(pod, pod.chips))


def held_cpu_milli(ledger: Ledger) -> Steps:
    """CPU that bound pods hold, in thousandths of a core."""
    return from_changes(change for pod in ledger.pods for change in _held(pod, pod.cpu_milli))


def _held(pod: PodRecord, amount: int) -> Iterator[tuple[int, int]]:
    if pod.bound_ns is not None:
        yield pod.bound_ns, amount
        if pod.ended_ns is not None:
            yield pod.ended_ns, -amount


def pending_pods(ledger: Ledger) -> Steps:
    """Pods that wait for a node."""
    return from_changes(change for pod in ledger.pods for change in _pending(pod))


def _pending(pod: PodRecord) -> Iterator[tuple[int, int]]:
    yield pod.submitted_ns, 1
    left = pod.ended_ns if pod.bound_ns is None else pod.bound_ns
    if left is not None:
        yield left, -1


def _share(held: Steps, capacity: Steps, ledger: Ledger) -> float | None:
    start, end = ledger.first_submission_ns, ledger.last_end_ns
    offered = integral(capacity, start, end)
    return integral(held, start, end) / offered if offered else None


def _utilization(ledger: Ledger) -> float | None:
    return _share(held_chips(ledger), ledger.usable_chips, ledger)


def _utilization_nominal(ledger: Ledger) -> float | None:
    return _share(held_chips(ledger), ledger.nominal_chips, ledger)


def _cpu_utilization(ledger: Ledger) -> float | None:
    return _share(held_cpu_milli(ledger), ledger.usable_cpu_milli, ledger)


def _chip_hours(ledger: Ledger) -> float:
    return integral(held_chips(ledger), 0, ledger.end_ns) / HOUR


def _pending_end(ledger: Ledger) -> float:
    return sum(pod.pending for pod in ledger.pods)


def _pending_mean(ledger: Ledger) -> float | None:
    start, end = ledger.first_submission_ns, ledger.last_end_ns
    return integral(pending_pods(ledger), start, end) / (end - start) if end > start else None


def _pending_max(ledger: Ledger) -> float:
    return max((value for _, value in pending_pods(ledger)), default=0)


_WINDOW = "from the first submission to the last end"

MEASURES = (
    Measure(
        "utilization",
        "ratio",
        "higher",
        f"chips held × time ÷ usable chips × time, {_WINDOW}; held from binding to end, usable where "
        "allocatable on a ready node",
        _utilization,
    ),
    Measure(
        "utilization_nominal",
        "ratio",
        "higher",
        f"chips held × time ÷ chips of all nodes as they joined × time, {_WINDOW}",
        _utilization_nominal,
    ),
    Measure(
        "cpu_utilization",
        "ratio",
        "higher",
        f"requested CPU of bound pods × time ÷ usable CPU × time, {_WINDOW}",
        _cpu_utilization,
    ),
    Measure("chip_hours", "h", "none", "chips held × time over the whole run", _chip_hours),
    Measure(
        "pending_mean",
        "pods",
        "lower",
        f"pods waiting for a node, averaged over time {_WINDOW}",
        _pending_mean,
    ),
    Measure("pending_max", "pods", "lower", "most pods waiting for a node at once", _pending_max),
    Measure("pending_end", "pods", "lower", "pods still waiting for a node when the run ended", _pending_end),
)
"""What is measured about the use of the cluster."""
