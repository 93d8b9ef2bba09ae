"""From changes in the store to events of the timeline, and the counts that a run steers by.

Listens inside the API server's process, so nothing is lost and nothing is rounded to the
whole seconds of API timestamps.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from evaluator.scenario.facts import amounts_of, pod_facts
from evaluator.scenario.manifests import CHIP_TYPE_LABEL
from evaluator.timeline import (
    NodeAdded,
    NodeChanged,
    NodeRemoved,
    Outcome,
    PodBound,
    PodEnded,
    PodStarted,
    PodSubmitted,
    PodUnschedulable,
    Timeline,
)
from fakeapi.kernel.clock import Clock
from fakeapi.machinery.resources import NODES, PODS
from fakeapi.storage.objects import Change, Key, Kind, Object

_TERMINAL: Final = ("Succeeded", "Failed")


class Help(Enum):
    """What may give a waiting pod its place."""

    ARRIVAL = "a new pod"
    CAPACITY = "freed, new or changed capacity"


@dataclass(slots=True)
class Counts:
    """How many pods there have been and are; see :class:`evaluator.results.JobCounts`."""

    submitted: int = 0
    finished: int = 0
    failed: int = 0


@dataclass(slots=True)
class _Pod:
    """What has been told of a pod so far."""

    node: str | None = None
    started: bool = False
    ended: bool = False
    message: str = ""


class Recorder:
    """Writes a timeline while a run goes on."""

    def __init__(
        self, timeline: Timeline, clock: Clock, start_ns: int, chip_resource: str, scheduler: str
    ) -> None:
        self.counts: Final = Counts()
        self.pending: Final[set[Key]] = set()
        """Pods of the scheduler under test that exist, have no node and are not ending."""
        self.running: Final[set[Key]] = set()
        """Pods that hold a node."""
        self._help: set[Help] = set()
        self._timeline = timeline
        self._clock = clock
        self._start_ns = start_ns
        self._chip_resource = chip_resource
        self._scheduler = scheduler
        self._pods: dict[Key, _Pod] = {}
        self._nodes: dict[Key, tuple[Any, ...]] = {}

    def take_help(self) -> set[Help]:
        """What help has come since the last question."""
        taken, self._help = self._help, set()
        return taken

    def hear(self, collection: str, change: Change) -> None:
        """The store's listener."""
        if collection == PODS.storage_key:
            self._hear_pod(change)
        elif collection == NODES.storage_key:
            self._hear_node(change)

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

    def _submit(self, key: Key, pod: Object) -> None:
        facts = pod_facts(pod, at_ns=self._now_ns, start_ns=self._start_ns, chip_resource=self._chip_resource)
        self._pods[key] = _Pod()
        self.counts.submitted += 1
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
            self._timeline.append(PodStarted(at_ns=self._now_ns, pod=_name(key), node=told.node))
        if phase in _TERMINAL:
            outcome: Outcome = "succeeded" if phase == "Succeeded" else _failure_of(pod)
            self._end(key, told, outcome, _end_reason(status))
        elif told.node is None:
            self._follow_waiting(key, told, pod)

    def _follow_waiting(self, key: Key, told: _Pod, pod: Object) -> None:
        if "deletionTimestamp" in pod["metadata"]:
            self.pending.discard(key)
            return
        message = _unschedulable_message(pod.get("status", {}))
        if message and message != told.message:
            told.message = message
            self._timeline.append(PodUnschedulable(at_ns=self._now_ns, pod=_name(key), message=message))

    def _end(self, key: Key, told: _Pod, outcome: Outcome, reason: str) -> None:
        told.ended = True
        self.pending.discard(key)
        self.running.discard(key)
        self._help.add(Help.CAPACITY)
        if outcome == "succeeded":
            self.counts.finished += 1
        else:
            self.counts.failed += 1
        ended = PodEnded(at_ns=self._now_ns, pod=_name(key), node=told.node, outcome=outcome, reason=reason)
        self._timeline.append(ended)

    # ---- nodes --------------------------------------------------------------------------------

    def _hear_node(self, change: Change) -> None:
        key, node = change.after.key, change.after.object
        name = key[1]
        if change.kind is Kind.DELETED:
            self._nodes.pop(key, None)
            self._timeline.append(NodeRemoved(at_ns=self._now_ns, node=name))
            return
        amounts = amounts_of(node.get("status", {}).get("allocatable") or {}, self._chip_resource)
        shape = (amounts, _is_ready(node), not node.get("spec", {}).get("unschedulable", False))
        known = self._nodes.get(key)
        if known == shape:
            return
        self._nodes[key] = shape
        self._help.add(Help.CAPACITY)
        if known is None:
            self._timeline.append(
                NodeAdded(
                    at_ns=self._now_ns,
                    node=name,
                    chips=amounts.chips,
                    chip_type=(node["metadata"].get("labels") or {}).get(CHIP_TYPE_LABEL),
                    cpu_milli=amounts.cpu_milli,
                    memory_bytes=amounts.memory_bytes,
                )
            )
        else:
            self._timeline.append(
                NodeChanged(
                    at_ns=self._now_ns,
                    node=name,
                    chips=amounts.chips,
                    cpu_milli=amounts.cpu_milli,
                    memory_bytes=amounts.memory_bytes,
                    ready=shape[1],
                    schedulable=shape[2],
                )
            )


def _name(key: Key) -> str:
    return "/".join(key)


def _condition(status: dict[str, Any], kind: str) -> dict[str, Any]:
    conditions: list[dict[str, Any]] = status.get("conditions") or []
    return next((found for found in conditions if found["type"] == kind), {})


def _has_started(status: dict[str, Any]) -> bool:
    return any(
        "waiting" not in (one.get("state") or {"waiting": 1}) for one in status.get("containerStatuses", ())
    )


def _unschedulable_message(status: dict[str, Any]) -> str:
    condition = _condition(status, "PodScheduled")
    return str(condition.get("message", "")) if condition.get("status") == "False" else ""


def _is_ready(node: Object) -> bool:
    return _condition(node.get("status", {}), "Ready").get("status") == "True"


def _failure_of(pod: Object) -> Outcome:
    return _removal_of(pod) if "deletionTimestamp" in pod["metadata"] else "failed"


def _removal_of(pod: Object) -> Outcome:
    disrupted = _condition(pod.get("status", {}), "DisruptionTarget").get("status") == "True"
    return "evicted" if disrupted else "deleted"


def _removal_reason(pod: Object) -> str:
    return str(_condition(pod.get("status", {}), "DisruptionTarget").get("reason") or "Deleted")


def _end_reason(status: dict[str, Any]) -> str:
    if status.get("reason"):
        return str(status["reason"])
    for container in status.get("containerStatuses", ()):
        terminated = (container.get("state") or {}).get("terminated") or {}
        if terminated.get("reason"):
            return str(terminated["reason"])
    return str(status.get("phase", ""))
