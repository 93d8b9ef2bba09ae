"""Whether users get alike what they ask for."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial

from evaluator.metrics.ledger import Ledger
from evaluator.metrics.metric import Measure
from evaluator.metrics.records import PodRecord

MIN_USERS = 2
"""Users between which there can be fairness."""


def jain_index(values: Iterable[float]) -> float | None:
    """(Σx)² ÷ (n Σx²): 1 if all are equal, 1/n if one has everything; none if there is nothing to share.

    Source: Jain, Chiu, Hawe, "A Quantitative Measure of Fairness and Discrimination for Resource Allocation
    in Shared Computer Systems", DEC-TR-301, 1984.
    """
    given = list(values)
    largest = max(given, default=0.0)
    if not largest:
        return None
    shares = [value / largest for value in given]  # so that no square is too small for a number
    return sum(shares) ** 2 / (len(shares) * sum(share * share for share in shares))


def shares(ledger: Ledger, of: Callable[[PodRecord], str | None]) -> dict[str, float]:
    """For each user, or queue, that asked for chips: chips held × time ÷ chips asked for × time.

    Asked for are those that are waited for or held.
    """
    held: defaultdict[str, int] = defaultdict(int)
    asked: defaultdict[str, int] = defaultdict(int)
    for pod in ledger.pods:
        whose = of(pod)
        if whose is None or not pod.chips:
            continue
        end = ledger.end_ns if pod.ended_ns is None else pod.ended_ns
        asked[whose] += pod.chips * (end - pod.submitted_ns)
        if pod.bound_ns is not None:
            held[whose] += pod.chips * (end - pod.bound_ns)
    return {whose: held[whose] / asked[whose] for whose in sorted(asked) if asked[whose]}


def user_of(pod: PodRecord) -> str | None:
    """Whose a pod is."""
    return pod.user


def queue_of(pod: PodRecord) -> str | None:
    """The queue that a pod belongs to."""
    return pod.queue


def _fairness(ledger: Ledger, *, of: Callable[[PodRecord], str | None]) -> float | None:
    found = shares(ledger, of)
    return jain_index(found.values()) if len(found) >= MIN_USERS else None


_SHARE = "chips held × time ÷ chips asked for (waiting or held) × time; 1: equal"

MEASURES = (
    Measure(
        "fairness_users",
        "index",
        "higher",
        f"Jain's index over users of {_SHARE}",
        partial(_fairness, of=user_of),
    ),
    Measure(
        "fairness_queues",
        "index",
        "higher",
        f"Jain's index over queues of {_SHARE}",
        partial(_fairness, of=queue_of),
    ),
)
"""What is measured about fairness."""
