"""Amounts that change in steps over virtual time.

A step function is a sequence of (instant, value) in the order of time: from that instant on it has that
value, until the next. Before the first it is 0. Of several values at one instant the last holds.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TypeAlias

Step: TypeAlias = tuple[int, int]
"""An instant in nanoseconds since the start of the run, and the value from then on."""

Steps: TypeAlias = tuple[Step, ...]


def from_changes(changes: Iterable[tuple[int, int]]) -> Steps:
    """The step function of which ``changes`` are the differences, in any order."""
    at: defaultdict[int, int] = defaultdict(int)
    for instant, difference in changes:
        at[instant] += difference
    instants = sorted(at)
    return tuple(zip(instants, accumulate(at[instant] for instant in instants), strict=True))


def spans(steps: Sequence[Step], start_ns: int, end_ns: int) -> Iterator[tuple[int, int, int]]:
    """Where the function is constant between two instants: (from, to, value), without gaps, none empty."""
    begin, value = start_ns, 0
    for instant, after in steps:
        if instant >= end_ns:
            break
        if instant > begin:
            yield begin, instant, value
            begin = instant
        value = after
    if begin < end_ns:
        yield begin, end_ns, value


def integral(steps: Sequence[Step], start_ns: int, end_ns: int) -> int:
    """Value × nanoseconds between two instants."""
    return sum((to - since) * value for since, to, value in spans(steps, start_ns, end_ns))


def bucket_integrals(steps: Sequence[Step], start_ns: int, end_ns: int, buckets: int) -> list[int]:
    """Value × nanoseconds in each of ``buckets`` parts of equal length (to a nanosecond)."""
    edges = [start_ns + (end_ns - start_ns) * index // buckets for index in range(buckets + 1)]
    sums = [0] * buckets
    index = 0
    for begin, to, value in spans(steps, start_ns, end_ns):
        since = begin
        while since < to:
            while edges[index + 1] <= since:
                index += 1
            upto = min(to, edges[index + 1])
            sums[index] += (upto - since) * value
            since = upto
    return sums


def sampled(steps: Sequence[Step], start_ns: int, end_ns: int, limit: int) -> Steps:
    """At most about ``limit`` steps that look the same: first, least, greatest and last of each part of time.

    The method is M4 (Jugel et al., "M4: A Visualization-Oriented Time Series Data Aggregation", VLDB 2014):
    a line drawn through these four points of every pixel column is the line drawn through all points.
    """
    inside = [(since, value) for since, _, value in spans(steps, start_ns, end_ns)]
    if len(inside) <= limit:
        return tuple(inside)
    buckets = max(1, limit // POINTS_PER_BUCKET)
    kept: set[int] = set()
    for members in _grouped(inside, start_ns, end_ns, buckets):
        kept.update((members[0], members[-1]))
        kept.add(min(members, key=lambda index: inside[index][1]))
        kept.add(max(members, key=lambda index: inside[index][1]))
    return tuple(inside[index] for index in sorted(kept))


POINTS_PER_BUCKET = 4
"""First, least, greatest and last."""


def _grouped(inside: Sequence[Step], start_ns: int, end_ns: int, buckets: int) -> Iterable[list[int]]:
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for index, (instant, _) in enumerate(inside):
        groups[(instant - start_ns) * buckets // (end_ns - start_ns)].append(index)
    return groups.values()
