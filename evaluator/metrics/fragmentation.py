"""Free chips that are of no use: there is room, and whoever waits does not fit into it.

Two measures. *Stranded* chips are free on a node on which no waiting pod fits, while some pod waits: what
fragmentation costs in this run. The published measure does not depend on who happens to wait: for the mix of
requests of the whole run, the free chips that a request drawn from that mix could not use, summed over nodes
(Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent",
USENIX ATC 2023). There requests may ask for a part of a chip and for types; here they ask for whole chips.
"""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from evaluator.metrics.ledger import Ledger
from evaluator.metrics.metric import Measure
from evaluator.metrics.steps import integral


class _Change(NamedTuple):
    """At an instant a node has so many usable chips, or a pod waits, waits no more, takes or gives back."""

    at_ns: int
    node: str | None
    usable: int | None
    held: int
    waiting: int
    """Chips of a pod that waits from now on; negative: of one that does not any more; 0: neither."""


def _changes(ledger: Ledger) -> Iterator[_Change]:
    for at, node, usable in ledger.node_chips:
        yield _Change(at, node, usable, 0, 0)
    for pod in ledger.pods:
        if not pod.chips:
            continue
        yield _Change(pod.submitted_ns, None, None, 0, pod.chips)
        left = pod.ended_ns if pod.bound_ns is None else pod.bound_ns
        if left is not None:
            yield _Change(left, None, None, 0, -pod.chips)
        if pod.bound_ns is not None:
            yield _Change(pod.bound_ns, pod.node, None, pod.chips, 0)
            if pod.ended_ns is not None:
                yield _Change(pod.ended_ns, pod.node, None, -pod.chips, 0)


class _Cluster:
    """How many nodes have so many free chips, and who waits."""

    def __init__(self) -> None:
        self._usable: Counter[str] = Counter()
        self._held: Counter[str] = Counter()
        self.free: Counter[int] = Counter()
        """Free chips → nodes that have so many."""
        self.waiting: Counter[int] = Counter()
        """Chips → pods that wait for so many on one node."""

    def apply(self, change: _Change) -> None:
        if change.waiting:
            self.waiting[abs(change.waiting)] += 1 if change.waiting > 0 else -1
        if change.node is None:
            return
        self.free[self._free(change.node)] -= 1
        if change.usable is not None:
            self._usable[change.node] = change.usable
        self._held[change.node] += change.held
        self.free[self._free(change.node)] += 1

    def _free(self, node: str) -> int:
        return max(0, self._usable[node] - self._held[node])

    def stranded(self) -> int:
        """Free chips on nodes on which nobody who waits fits; 0 while nobody waits."""
        least = min((chips for chips, pods in self.waiting.items() if pods > 0), default=0)
        return sum(free * nodes for free, nodes in self.free.items() if free < least)

    def useless(self, larger: list[int], requests: int) -> float:
        """Free chips that a request of the mix could not use, on average over the mix."""
        most = len(larger) - 1
        return sum(free * nodes * larger[min(free, most)] for free, nodes in self.free.items()) / requests


def _larger(ledger: Ledger) -> tuple[list[int], int]:
    """For each number of free chips how many requests ask for more, and how many requests there are."""
    sizes = Counter(pod.chips for pod in ledger.pods if pod.chips)
    most = max(sizes, default=0)
    return [
        sum(count for chips, count in sizes.items() if chips > free) for free in range(most + 1)
    ], sizes.total()


@lru_cache(maxsize=1)
def _averages(ledger: Ledger) -> tuple[float | None, float | None]:
    """Both measures, as shares of the usable chips over the window of utilization."""
    start, end = ledger.first_submission_ns, ledger.last_end_ns
    offered = integral(ledger.usable_chips, start, end)
    larger, requests = _larger(ledger)
    if not offered or not requests:
        return None, None
    cluster, since = _Cluster(), start
    stranded, useless = 0, 0.0
    for change in sorted(_changes(ledger), key=lambda each: each.at_ns):
        until = min(max(change.at_ns, start), end)
        if until > since:
            stranded += (until - since) * cluster.stranded()
            useless += (until - since) * cluster.useless(larger, requests)
            since = until
        cluster.apply(change)
    stranded += (end - since) * cluster.stranded()
    useless += (end - since) * cluster.useless(larger, requests)
    return stranded / offered, useless / offered


def _stranded(ledger: Ledger) -> float | None:
    return _averages(ledger)[0]


def _fragmentation(ledger: Ledger) -> float | None:
    return _averages(ledger)[1]


_WINDOW = "÷ usable chips, over time from the first submission to the last end"

MEASURES = (
    Measure(
        "stranded_chips",
        "ratio",
        "lower",
        f"free chips of nodes on which no pod that waits fits, while some wait {_WINDOW}",
        _stranded,
    ),
    Measure(
        "fragmentation",
        "ratio",
        "lower",
        "free chips of a node that a request of the run's mix could not use, expected over the mix, "
        f"{_WINDOW} (Weng et al., USENIX ATC 2023, for whole chips)",
        _fragmentation,
    ),
)
"""What is measured about fragmentation."""
