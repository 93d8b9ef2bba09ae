"""Timelines made by hand: short words for events, times in minutes."""

from typing import Any, Final

from evaluator.timeline import (
    Cause,
    HardwareFailed,
    JobEnded,
    JobSubmitted,
    NodeAdded,
    NodeChanged,
    Outcome,
    PodBound,
    PodDisrupted,
    PodEnded,
    PodNominated,
    PodStarted,
    PodSubmitted,
    PodUnschedulable,
    RunEnded,
    RunStarted,
    Timeline,
)
from fakeapi.kernel.time import SECOND

MINUTE: Final = 60 * SECOND
GIB: Final = 2**30


def minutes(number: float | None) -> int | None:
    return None if number is None else round(number * MINUTE)


def at(number: float) -> int:
    return round(number * MINUTE)


def begin(scheduler: str = "lst", **changes: Any) -> RunStarted:
    facts: dict[str, Any] = {"scenario": "hand", "scenario_digest": "d", "seed": 0}
    facts |= {"scheduler": scheduler, "start": "2026-01-05T00:00:00Z"}
    return RunStarted(**{**facts, **changes})


def node(name: str, chips: int = 8, when: float = 0, chip_type: str | None = None) -> NodeAdded:
    return NodeAdded(
        at_ns=at(when),
        node=name,
        chips=chips,
        chip_type=chip_type,
        cpu_milli=96_000,
        memory_bytes=900 * GIB,
    )


def changed(
    when: float, name: str, chips: int = 8, *, ready: bool = True, schedulable: bool = True
) -> NodeChanged:
    return NodeChanged(
        at_ns=at(when),
        node=name,
        chips=chips,
        cpu_milli=96_000,
        memory_bytes=900 * GIB,
        ready=ready,
        schedulable=schedulable,
    )


def failed(when: float, name: str, chips: int = 1, group: str | None = None) -> HardwareFailed:
    return HardwareFailed(at_ns=at(when), node=name, what="chips", chips=chips, group=group)


def job(when: float, name: str, pods: int = 1, *, gang: bool = False, **changes: Any) -> JobSubmitted:
    facts: dict[str, Any] = {
        "controller": "Job",
        "pods": pods,
        "parallel": pods,
        "gang": gang,
        "chips": pods,
        "service": False,
        "deadline_ns": None,
        "expected_ns": None,
        "run_ns": None,
        "priority": 0,
        "user": None,
        "queue": None,
    }
    return JobSubmitted(at_ns=at(when), job=name, **{**facts, **changes})


def job_ended(when: float, name: str, outcome: Outcome = "succeeded") -> JobEnded:
    return JobEnded(at_ns=at(when), job=name, outcome=outcome, reason="Completed")


def pod(
    when: float,
    name: str,
    chips: int = 1,
    *,
    due: float | None = None,
    run: float | None = 60,
    **changes: Any,
) -> PodSubmitted:
    """A pod of ``chips``; ``due`` minutes after the start of the run, running ``run`` minutes."""
    facts: dict[str, Any] = {
        "chips": chips,
        "cpu_milli": 1000,
        "memory_bytes": GIB,
        "priority": 0,
        "deadline_ns": minutes(due),
        "expected_ns": minutes(run),
        "run_ns": minutes(run),
        "user": None,
        "queue": None,
        "scheduler": "lst",
    }
    return PodSubmitted(at_ns=at(when), pod=name, **{**facts, **changes})


def refused(when: float, name: str, message: str = "0/1 nodes are available") -> PodUnschedulable:
    return PodUnschedulable(at_ns=at(when), pod=name, message=message)


def bound(when: float, name: str, where: str) -> PodBound:
    return PodBound(at_ns=at(when), pod=name, node=where)


def started(when: float, name: str, where: str, restored: float = 0) -> PodStarted:
    return PodStarted(at_ns=at(when), pod=name, node=where, restored_ns=at(restored))


def nominated(when: float, name: str, where: str) -> PodNominated:
    return PodNominated(at_ns=at(when), pod=name, node=where)


def disrupted(
    when: float, name: str, cause: Cause = "preemption", message: str = "preempted"
) -> PodDisrupted:
    return PodDisrupted(at_ns=at(when), pod=name, cause=cause, message=message)


def ended(
    when: float,
    name: str,
    where: str | None,
    outcome: Outcome = "succeeded",
    *,
    cause: Cause | None = None,
    kept: float = 0,
    lost: float = 0,
) -> PodEnded:
    return PodEnded(
        at_ns=at(when),
        pod=name,
        node=where,
        outcome=outcome,
        reason="Completed",
        cause=cause,
        kept_ns=at(kept),
        lost_ns=at(lost),
    )


def end(when: float, pending: int = 0, running: int = 0) -> RunEnded:
    return RunEnded(at_ns=at(when), why="everything is done", pending=pending, running=running)


def told(*events: Any) -> Timeline:
    """A timeline of these events, with a start before them."""
    return Timeline([begin(), *events])
