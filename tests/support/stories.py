"""Short timelines, written the way one would tell them. Times are whole seconds."""

from collections.abc import Sequence

from evaluator.metrics.ledger import Ledger, read_ledger
from evaluator.timeline import (
    Cause,
    Event,
    JobEnded,
    JobSubmitted,
    NodeAdded,
    Outcome,
    PodBound,
    PodEnded,
    PodStarted,
    PodSubmitted,
    RunEnded,
    RunStarted,
)
from fakeapi.kernel.time import SECOND

CORE = 1000
GIBI = 2**30


def started() -> RunStarted:
    return RunStarted(
        scenario="story", scenario_digest="d", scheduler="lst", seed=0, start="2026-01-05T00:00:00Z"
    )


def node(name: str = "n", *, at: int = 0, chips: int = 8, cores: int = 64) -> NodeAdded:
    return NodeAdded(
        at_ns=at * SECOND,
        node=name,
        chips=chips,
        chip_type=None,
        cpu_milli=cores * CORE,
        memory_bytes=512 * GIBI,
    )


def submitted(
    pod: str,
    at: int,
    *,
    chips: int = 1,
    cores: int = 1,
    run: int | None = 60,
    deadline: int | None = None,
    user: str | None = None,
    job: str | None = None,
) -> PodSubmitted:
    return PodSubmitted(
        at_ns=at * SECOND,
        pod=pod,
        chips=chips,
        cpu_milli=cores * CORE,
        memory_bytes=GIBI,
        priority=0,
        deadline_ns=None if deadline is None else deadline * SECOND,
        expected_ns=None if run is None else run * SECOND,
        run_ns=None if run is None else run * SECOND,
        user=user,
        queue=None,
        scheduler="lst",
        job=job,
    )


def job_submitted(
    job: str,
    at: int,
    *,
    pods: int = 1,
    parallel: int | None = None,
    gang: bool = False,
    chips: int = 1,
    run: int | None = 60,
    deadline: int | None = None,
) -> JobSubmitted:
    """A Job of pods that work for so long each; ``chips`` of all that run at a time."""
    return JobSubmitted(
        at_ns=at * SECOND,
        job=job,
        controller="Job",
        pods=pods,
        parallel=pods if parallel is None else parallel,
        gang=gang,
        chips=chips,
        service=False,
        deadline_ns=None if deadline is None else deadline * SECOND,
        expected_ns=None if run is None else run * SECOND,
        run_ns=None if run is None else run * SECOND,
        priority=0,
        user=None,
        queue=None,
    )


def job_ended(job: str, at: int, outcome: Outcome = "succeeded") -> JobEnded:
    return JobEnded(at_ns=at * SECOND, job=job, outcome=outcome, reason="")


def cut(pod: str, at: int, cause: Cause, *, kept: int = 0, lost: int = 0) -> PodEnded:
    """A pod that is cut short, with what became of its work in seconds."""
    return PodEnded(
        at_ns=at * SECOND,
        pod=pod,
        node="n",
        outcome="evicted",
        reason="",
        cause=cause,
        kept_ns=kept * SECOND,
        lost_ns=lost * SECOND,
    )


def bound(pod: str, at: int, node: str = "n") -> PodBound:
    return PodBound(at_ns=at * SECOND, pod=pod, node=node)


def began(pod: str, at: int, node: str = "n") -> PodStarted:
    return PodStarted(at_ns=at * SECOND, pod=pod, node=node)


def ended(
    pod: str, at: int, outcome: Outcome = "succeeded", node: str | None = "n", *, kept: int = 0
) -> PodEnded:
    return PodEnded(at_ns=at * SECOND, pod=pod, node=node, outcome=outcome, reason="", kept_ns=kept * SECOND)


def run_ended(at: int, *, pending: int = 0, running: int = 0) -> RunEnded:
    return RunEnded(at_ns=at * SECOND, why="done", pending=pending, running=running)


def ran(
    pod: str,
    at: int,
    *,
    start: int,
    end: int,
    chips: int = 1,
    cores: int = 1,
    deadline: int | None = None,
    user: str | None = None,
    outcome: Outcome = "succeeded",
) -> list[Event]:
    """The whole story of one job that was bound and started at one instant."""
    return [
        submitted(pod, at, chips=chips, cores=cores, run=end - start, deadline=deadline, user=user),
        bound(pod, start),
        began(pod, start),
        ended(pod, end, outcome),
    ]


def ledger(*parts: Event | Sequence[Event], end: int | None = None) -> Ledger:
    """The ledger of events in any order, on one node of 8 chips and 64 cores unless a node is among them."""
    events: list[Event] = []
    for part in parts:
        events.extend(part if isinstance(part, Sequence) else [part])
    if not any(isinstance(event, NodeAdded) for event in events):
        events.insert(0, node())
    events.sort(key=lambda event: event.at_ns)
    return read_ledger([started(), *events, *([run_ended(end)] if end is not None else [])])
