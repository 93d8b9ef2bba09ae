"""Who has to be given up so that most are in time, when not everybody can be.

Least slack first is at its worst when more is wanted than can be done: it spends the capacity on whoever is
closest to missing the deadline, and each job that it saves makes others the next lost cause (the domino
effect: Buttazzo, Spuri, Sensini, "Value vs. deadline scheduling in overload conditions", RTSS 1995). For one
machine the least number of late jobs comes from Moore's algorithm ("An n job, one machine sequencing
algorithm for minimizing the number of late jobs", Management Science 15, 1968): plan the jobs in the order of
their deadlines, and whenever one would be late, give up the longest of those planned so far.

Here the same is done for chips and for jobs that cannot be interrupted: workloads are planned in the order of
their latest start, on chips that are free and those that running pods are expected to free. When one would
start too late, the one with the most work, in chips × time, is given up: itself, or one that would still run
then and makes room for it. The plan decides over nothing but who is given up, and is made anew in each round.
It counts chips and not nodes, so that it errs on the side of giving up too few.
"""

import heapq
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

MOST_PLANNED = 200
"""Workloads that are planned: those that have to start first. Each round plans anew, in a millisecond or two
for so many; those behind them have time until a later round."""


class Candidate(NamedTuple):
    """A workload that waits and can still be in time.

    Attributes:
        last_start: the last instant at which it can start and be in time.
        key: which one.
        amount: what it needs of the resource.
        duration: how long it is expected to run; 0 where nobody knows.
    """

    last_start: int
    key: str
    amount: int
    duration: int

    @property
    def work(self) -> int:
        """What it costs to let it be in time, as amount × time."""
        return self.amount * self.duration


class Release(NamedTuple):
    """So much of the resource becomes free at an instant."""

    at: int
    amount: int


class Plan(NamedTuple):
    """Who starts when, by key, and who is given up so that these can."""

    starts: Mapping[str, int]
    given_up: frozenset[str]


def plan(candidates: Iterable[Candidate], free: int, releases: Iterable[Release], now: int) -> Plan:
    """Plan the first candidates, and give up some where not all can start in time.

    Args:
        candidates: in their order.
        free: what is free of the resource at ``now``; it may be negative.
        releases: what becomes free, in the order of time; read no further than is needed.
        now: the present instant.
    """
    planning = _Planning(free, releases, now)
    for candidate in islice(candidates, MOST_PLANNED):
        planning.add(candidate)
    return Plan(planning.starts, frozenset(planning.given_up))


class _Planning:
    """When who would start."""

    def __init__(self, free: int, releases: Iterable[Release], now: int) -> None:
        self._free = free
        self._now = now
        self._coming: Iterator[Release] = iter(releases)
        self._next = next(self._coming, None)
        self._ends: list[tuple[int, str, int]] = []
        """When planned candidates end, by key, with what they free."""
        self._running: dict[str, Candidate] = {}
        """The planned ones that have not ended by now."""
        self._largest: list[tuple[int, int, str]] = []
        """The planned ones, the most work first, the latest of equals first."""
        self._added = 0
        self.starts: dict[str, int] = {}
        self.given_up: list[str] = []

    def add(self, candidate: Candidate) -> None:
        """Plan one more, and give up whom that takes."""
        if self._frees(candidate.amount, candidate.last_start):
            self._free -= candidate.amount
            self._start(candidate, self._now)
            return
        victim = self._victim(candidate)
        if victim is None:
            self.given_up.append(candidate.key)
        else:
            self._replace(victim, candidate)

    def _frees(self, amount: int, by: int) -> bool:
        """Go on in time until so much is free, but not beyond an instant. Returns whether it is."""
        while self._free < amount:
            end = self._ends[0][0] if self._ends else None
            coming = self._next
            if end is not None and (coming is None or end <= coming.at):
                if end > by:
                    return False
                self._end()
            elif coming is not None and coming.at <= by:
                self._now = max(self._now, coming.at)
                self._free += coming.amount
                self._next = next(self._coming, None)
            else:
                return False
        return True

    def _end(self) -> None:
        at, key, amount = heapq.heappop(self._ends)
        self._now = max(self._now, at)
        self._free += amount
        self._running.pop(key, None)

    def _start(self, candidate: Candidate, at: int) -> None:
        heapq.heappush(self._ends, (at + candidate.duration, candidate.key, candidate.amount))
        self._added += 1
        heapq.heappush(self._largest, (-candidate.work, -self._added, candidate.key))
        self._running[candidate.key] = candidate
        self.starts[candidate.key] = at

    def _victim(self, candidate: Candidate) -> Candidate | None:
        """Who runs in the plan with the most work, more than the candidate's, and makes room for it."""
        passed, found = [], None
        while self._largest and -self._largest[0][0] > candidate.work and found is None:
            entry = heapq.heappop(self._largest)
            running = self._running.get(entry[2])
            if running is None:
                continue  # it has ended, and is in nobody's way
            if self._free + running.amount >= candidate.amount:
                found = running
            else:
                passed.append(entry)
        for entry in passed:
            heapq.heappush(self._largest, entry)
        return found

    def _replace(self, victim: Candidate, candidate: Candidate) -> None:
        """Let a candidate have what another one would have taken, and as soon, if it suffices."""
        del self._running[victim.key]
        at = self.starts.pop(victim.key)
        self.given_up.append(victim.key)
        self._ends.remove((at + victim.duration, victim.key, victim.amount))
        heapq.heapify(self._ends)
        self._free += victim.amount - candidate.amount
        self._start(candidate, at if candidate.amount <= victim.amount else self._now)
