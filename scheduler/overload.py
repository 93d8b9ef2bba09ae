"""Whom to give up, by what is known of the cluster: ``triage`` for each resource that is competed for."""

from collections.abc import Iterator
from itertools import islice

from scheduler.cluster import CPU
from scheduler.knowledge import Knowledge
from scheduler.model import Demand
from scheduler.pending import Ask, Workload
from scheduler.triage import MOST_PLANNED, Candidate, Release, plan


def overloaded(known: Knowledge) -> frozenset[str]:
    """The workloads, by key, that are given up so that as many others as possible are in time."""
    if not known.policy.gives_up:
        return frozenset()
    lost: frozenset[str] = frozenset()
    for resource, candidates in _competing(known).items():
        free = known.cluster.free[resource]
        enough = sum(each.amount for each in candidates) <= free
        if enough or free < min(each.amount for each in candidates):
            continue  # all have their place, or nobody: then nothing hangs on the order
        releases = _releases(known, resource, candidates[-1].last_start)
        lost |= plan(candidates, free, releases, known.now).given_up
    return lost


def _competing(known: Knowledge) -> dict[str, list[Candidate]]:
    """The most urgent workloads that can still be in time, by the resource for which they compete."""
    found: dict[str, list[Candidate]] = {}
    wanted: dict[int, tuple[str, int]] = {}
    for workload in islice(known.queue.in_time(), MOST_PLANNED):
        group = workload.group
        if id(group) not in wanted:
            wanted[id(group)] = _wanted(group.ask, known.chip_kinds)
        resource, amount = wanted[id(group)]
        found.setdefault(resource, []).append(_candidate(workload, amount))
    return found


def _wanted(ask: Ask, chip_kinds: tuple[str, ...]) -> tuple[str, int]:
    """The resource for which workloads compete, and how much of it they need: their chips, else their cpu."""
    for kind in chip_kinds:
        chips = sum(count * _amount(part.demand, kind) for part, count in ask.parts)
        if chips:
            return kind, chips
    return CPU, sum(count * part.demand.cpu for part, count in ask.parts)


def _amount(demand: Demand, resource: str) -> int:
    if resource == CPU:
        return demand.cpu
    return next((amount for name, amount in demand.others if name == resource), 0)


def _candidate(workload: Workload, amount: int) -> Candidate:
    assert workload.late_after is not None, "what cannot be late is not planned"
    duration = max(task.timing.remaining or 0 for task in workload.tasks)
    return Candidate(workload.late_after, workload.key, amount, duration)


def _releases(known: Knowledge, resource: str, by: int) -> Iterator[Release]:
    for at, task in known.ends.coming(by, known.now):
        amount = _amount(task.demand, resource)
        if amount:
            yield Release(at, amount)
