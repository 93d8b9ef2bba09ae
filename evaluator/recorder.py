"""From changes in the store to events of the timeline, and the counts that a run steers by.

Listens inside the API server's process, so nothing is lost and nothing is rounded to the
whole seconds of API timestamps.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any, Final

from evaluator.joblog import Counts, JobLog
from evaluator.nodelog import NodeLog
from evaluator.scenario.facts import PodFacts, pod_facts
from evaluator.timeline import (
    Cause,
    Outcome,
    PodBound,
    PodDisrupted,
    PodEnded,
    PodNominated,
    PodStarted,
    PodSubmitted,
    PodUnschedulable,
    Timeline,
)
from fakeapi.cluster.ledger import WorkEnded, WorkStarted
from fakeapi.cluster.nodestates import condition_of
from fakeapi.kernel.clock import Clock
from fakeapi.machinery.resources import NODES, PODS, PRIORITY_CLASSES
from fakeapi.storage.objects import Change, Key, Kind, Object
from fakeapi.world import World

_TERMINAL: Final = ("Succeeded", "Failed")
_CAUSES: Final[Mapping[str, Cause]] = {
    "PreemptionByScheduler": "preemption",
    "DeletionByPodGC": "node_failure",
}
"""Reasons of the condition ``DisruptionTarget``; every other is an eviction."""


class Help(Enum):
    """What may give a waiting pod its place."""

    ARRIVAL = "a new pod"
    CAPACITY = "freed, new or changed capacity"


@dataclass(slots=True)
class _Pod:
    """What has been told of a pod so far."""

    job: str | None = None
    node: str | None = None
    started: bool = False
    ended: bool = False
    message: str = ""
    nominated: str = ""
    disrupted: Cause | None = None
    restored_ns: int = 0
    work: WorkEnded | None = None


class Recorder:
    """Writes a timeline while a run goes on."""

    def __init__(
        self, timeline: Timeline, clock: Clock, start_ns: int, chip_resource: str, scheduler: str
    ) -> None:
        self.pending: Final[set[Key]] = set()
        """Pods of the scheduler under test that exist, have no node and are not ending."""
        self.running: Final[set[Key]] = set()
        """Pods that hold a node."""
        self._jobs = JobLog(timeline, lambda: self._now_ns, self._facts)
        self._nodes = NodeLog(timeline, lambda: self._now_ns, chip_resource)
        self._help: set[Help] = set()
        self._timeline = timeline
        self._clock = clock
        self._start_ns = start_ns
        self._chip_resource = chip_resource
        self._scheduler = scheduler
        self._pods: dict[Key, _Pod] = {}
        self._priority_of: Callable[[str], int] = lambda _: 0

    def attach(self, world: World) -> None:
        """Listen to a world from now on."""
        self._priority_of = partial(_priority_of, world)
        world.kubelet.ledger.listen(self._hear_work)
        world.machines.listen(self._nodes.hear_hardware)
        world.store.listen(self.hear)

    @property
    def counts(self) -> Counts:
        """How many jobs there have been."""
        return self._jobs.counts

    def take_help(self) -> set[Help]:
        """What help has come since the last question."""
        taken, self._help = self._help, set()
        return taken

    def hear(self, collection: str, change: Change) -> None:
        """The store's listener."""
        if collection == PODS.storage_key:
            self._hear_pod(change)
        elif collection == NODES.storage_key:
            if self._nodes.hear(change):
                self._help.add(Help.CAPACITY)
        else:
            self._jobs.hear(change)

    @property
    def _now_ns(self) -> int:
        return self._clock.now() - self._start_ns

    # ---- pods ---------------------------------------------------------------------------------

    def _hear_pod(self, change: Change) -> None:
        key, pod = change.after.key, change.after.object
        if change.kind is Kind.ADDED:
            self._submit(key, pod)
        told = self._pods.get(key)
        if told is None or told.ended:
            if change.kind is Kind.DELETED:
                self._pods.pop(key, None)
            return
        if change.kind is Kind.DELETED:
            self._end(key, told, _removal_of(pod), _removal_reason(pod))
            del self._pods[key]
            return
        self._follow(key, told, pod)

    def _facts(self, pod: Mapping[str, Any]) -> PodFacts:
        """The facts of a pod; what its annotations say is left out where they cannot be read."""
        spec = pod["spec"]
        if "priority" not in spec and spec.get("priorityClassName"):  # a template, which nobody admitted
            pod = {**pod, "spec": {**spec, "priority": self._priority_of(spec["priorityClassName"])}}
        read = partial(
            pod_facts, at_ns=self._now_ns, start_ns=self._start_ns, chip_resource=self._chip_resource
        )
        try:
            return read(pod)
        except ValueError:
            return read({**pod, "metadata": {**pod["metadata"], "annotations": {}}})

    def _submit(self, key: Key, pod: Object) -> None:
        facts = self._facts(pod)
        job = self._jobs.submit_pod(key, pod, facts)
        self._pods[key] = _Pod(job)
        if facts.scheduler == self._scheduler:
            self.pending.add(key)
        self._help.add(Help.ARRIVAL)
        self._timeline.append(
            PodSubmitted(
                at_ns=self._now_ns,
                pod=_name(key),
                chips=facts.requests.chips,
                cpu_milli=facts.requests.cpu_milli,
                memory_bytes=facts.requests.memory_bytes,
                priority=facts.priority,
                deadline_ns=facts.deadline_ns,
                expected_ns=facts.expected_ns,
                run_ns=facts.run_ns,
                user=facts.user,
                queue=facts.queue,
                scheduler=facts.scheduler,
                job=job,
                chip_type=facts.chip_type,
            )
        )

    def _follow(self, key: Key, told: _Pod, pod: Object) -> None:
        status = pod.get("status", {})
        phase = status.get("phase")
        node = pod["spec"].get("nodeName")
        if node and told.node is None:
            told.node = node
            self.pending.discard(key)
            self.running.add(key)
            self._timeline.append(PodBound(at_ns=self._now_ns, pod=_name(key), node=node))
        if told.node is not None and not told.started and phase != "Pending" and _has_started(status):
            told.started = True
            self._timeline.append(
                PodStarted(at_ns=self._now_ns, pod=_name(key), node=told.node, restored_ns=told.restored_ns)
            )
        if told.disrupted is None:
            self._follow_disruption(key, told, pod)
        if phase in _TERMINAL:
            outcome: Outcome = "succeeded" if phase == "Succeeded" else _failure_of(pod)
            self._end(key, told, outcome, _end_reason(status))
        elif told.node is None:
            self._follow_waiting(key, told, pod)

    def _follow_disruption(self, key: Key, told: _Pod, pod: Object) -> None:
        condition = condition_of(pod, "DisruptionTarget")
        if condition.get("status") == "True":
            lost = told.node in self._nodes.down
            told.disrupted = "node_failure" if lost else _CAUSES.get(condition.get("reason", ""), "eviction")
            message = str(condition.get("message", ""))
            self._timeline.append(
                PodDisrupted(at_ns=self._now_ns, pod=_name(key), cause=told.disrupted, message=message)
            )

    def _follow_waiting(self, key: Key, told: _Pod, pod: Object) -> None:
        if "deletionTimestamp" in pod["metadata"]:
            self.pending.discard(key)
            return
        status = pod.get("status", {})
        nominated = status.get("nominatedNodeName") or ""
        if nominated != told.nominated:
            told.nominated = nominated
            if nominated:
                self._timeline.append(PodNominated(at_ns=self._now_ns, pod=_name(key), node=nominated))
        message = _unschedulable_message(pod)
        if message and message != told.message:
            told.message = message
            self._timeline.append(PodUnschedulable(at_ns=self._now_ns, pod=_name(key), message=message))

    def _end(self, key: Key, told: _Pod, outcome: Outcome, reason: str) -> None:
        told.ended = True
        self.pending.discard(key)
        self.running.discard(key)
        self._help.add(Help.CAPACITY)
        cause: Cause | None = None
        if told.work is not None and told.work.cause is not None and outcome != "succeeded":
            outcome, cause = "evicted", told.work.cause
        elif outcome in ("evicted", "deleted"):
            cause = told.disrupted or "deletion"
        self._timeline.append(
            PodEnded(
                at_ns=self._now_ns,
                pod=_name(key),
                node=told.node,
                outcome=outcome,
                reason=reason,
                cause=cause,
                kept_ns=0 if told.work is None else told.work.kept,
                lost_ns=0 if told.work is None else told.work.lost,
            )
        )
        self._jobs.end_pod(key, told.job, outcome, reason)

    def _hear_work(self, event: WorkStarted | WorkEnded) -> None:
        """What the world knows of a pod's work, just before the store shows the change."""
        told = self._pods.get(event.pod)
        if told is None:
            return
        if isinstance(event, WorkEnded):
            told.work = event
        else:
            told.restored_ns = event.restored


def _name(key: Key) -> str:
    return "/".join(key)


def _priority_of(world: World, name: str) -> int:
    """The value of a priority class; 0 where there is none of that name."""
    version = world.store.find(PRIORITY_CLASSES.storage_key, ("", name))
    return 0 if version is None else int(version.object["value"])


def _has_started(status: dict[str, Any]) -> bool:
    return any(
        "waiting" not in (one.get("state") or {"waiting": 1}) for one in status.get("containerStatuses", ())
    )


def _unschedulable_message(pod: Object) -> str:
    condition = condition_of(pod, "PodScheduled")
    return str(condition.get("message", "")) if condition.get("status") == "False" else ""


def _failure_of(pod: Object) -> Outcome:
    return _removal_of(pod) if "deletionTimestamp" in pod["metadata"] else "failed"


def _removal_of(pod: Object) -> Outcome:
    disrupted = condition_of(pod, "DisruptionTarget").get("status") == "True"
    return "evicted" if disrupted else "deleted"


def _removal_reason(pod: Object) -> str:
    return str(condition_of(pod, "DisruptionTarget").get("reason") or "Deleted")


def _end_reason(status: dict[str, Any]) -> str:
    if status.get("reason"):
        return str(status["reason"])
    for container in status.get("containerStatuses", ()):
        terminated = (container.get("state") or {}).get("terminated") or {}
        if terminated.get("reason"):
            return str(terminated["reason"])
    return str(status.get("phase", ""))
