"""Whether users get alike what they ask for."""

from collections import defaultdict
from collections.abc import Iterable

from evaluator.metrics.ledger import Ledger
from evaluator.metrics.metric import Measure

MIN_USERS = 2
"""Users between which there can be fairness."""


def jain_index(values: Iterable[float]) -> float | None:
    """(Σx)² ÷ (n Σx²): 1 if all are equal, 1/n if one has everything; none if there is nothing to share.

    Source: Jain, Chiu, Hawe, "A Quantitative Measure of Fairness and Discrimination for Resource Allocation
    in Shared Computer Systems", DEC-TR-301, 1984.
    """
    shares = list(values)
    squares = sum(share * share for share in shares)
    return sum(shares) ** 2 / (len(shares) * squares) if squares else None


def shares_by_user(ledger: Ledger) -> dict[str, float]:
    """For each user who asked for chips: chips held × time ÷ chips asked for (waiting or held) × time."""
    held: defaultdict[str, int] = defaultdict(int)
    asked: defaultdict[str, int] = defaultdict(int)
    for job in ledger.jobs:
        if job.user is None or not job.chips:
            continue
        end = ledger.end_ns if job.ended_ns is None else job.ended_ns
        asked[job.user] += job.chips * (end - job.submitted_ns)
        if job.bound_ns is not None:
            held[job.user] += job.chips * (end - job.bound_ns)
    return {user: held[user] / asked[user] for user in sorted(asked) if asked[user]}


def _fairness(ledger: Ledger) -> float | None:
    shares = shares_by_user(ledger)
    return jain_index(shares.values()) if len(shares) >= MIN_USERS else None


MEASURES = (
    Measure(
        "fairness_users",
        "index",
        "higher",
        "Jain's index over users of chips held × time ÷ chips asked for (waiting or held) × time; 1: equal",
        _fairness,
    ),
)
"""What is measured about fairness."""
