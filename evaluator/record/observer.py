"""Events of a recording, made of the objects of a cluster as they come, change and go.

Instants are the objects' own timestamps where they have them (whole seconds), and the recorder's clock for
what an object does not tell: a node that was removed, a pod that vanished. Pods of DaemonSets and static
pods come with their nodes, and are left out.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from evaluator.record.client import Object
from fakeapi.cluster.nodestates import condition_of
from fakeapi.cluster.requests import amounts_of, pod_requests
from fakeapi.kernel.time import parse_duration, parse_instant
from fakeapi.machinery.quantity import QuantityError

Event: TypeAlias = dict[str, Any]

DEADLINE: Final = "lst.scheduler/deadline"
ESTIMATE: Final = "lst.scheduler/expected-duration"
USER_LABELS: Final = ("lst.scheduler/user",)
QUEUE_LABELS: Final = ("lst.scheduler/queue", "kueue.x-k8s.io/queue-name", "scheduling.x-k8s.io/queue-name")
CHIP_TYPE_LABELS: Final = ("nvidia.com/gpu.product", "cloud.google.com/gke-accelerator")

WITH_THE_NODE: Final = ("DaemonSet", "Node")
"""Kinds of controllers whose pods come with each node."""

HASH_DIGITS: Final = 12
"""Hexadecimal digits of an anonymous name: two of a million names collide once in 560 recordings."""


class Names:
    """Names as they are, or keyed hashes of them that only the holder of the salt can guess at."""

    def __init__(self, salt: bytes | None) -> None:
        self._salt = salt

    def of(self, name: str) -> str:
        """The name that is written."""
        if self._salt is None:
            return name
        return hmac.new(self._salt, name.encode(), hashlib.sha256).hexdigest()[:HASH_DIGITS]


@dataclass(slots=True)
class _Seen:
    """What was told of a pod already."""

    name: str
    last_ns: int
    """Instant of its last event: clocks of machines differ, and no event may come before the last."""
    started: bool = False
    ended: bool = False


@dataclass(slots=True)
class Observer:
    """Turns objects into events."""

    started_ns: int
    """Zero of the recording, Unix time."""
    now: Callable[[], int]
    """The recorder's clock, Unix time."""
    names: Names
    chip_resource: str
    _nodes: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _down: set[str] = field(default_factory=set)
    _pods: dict[str, _Seen] = field(default_factory=dict)
    _jobs: dict[str, int] = field(default_factory=dict)
    _used: dict[str, int] = field(default_factory=dict)
    left_out: int = 0
    """Pods that come with their nodes."""
    _left_out_ids: set[str] = field(default_factory=set)

    def node(self, node: Object) -> Iterator[Event]:
        """A node that came or changed."""
        name = self.names.of(_name(node))
        shape = self._shape(node)
        if self._nodes.get(name) != shape:
            at = self._instant(_metadata(node).get("creationTimestamp")) if name not in self._nodes else None
            self._nodes[name] = shape
            yield self._event("node", at, node=name, **shape)
        ready = condition_of(node, "Ready")
        is_down = ready.get("status") != "True"
        if is_down != (name in self._down):
            (self._down.add if is_down else self._down.discard)(name)
            at = self._instant(ready.get("lastTransitionTime"))
            yield self._event("node-down" if is_down else "node-up", at, node=name)

    def node_gone(self, node: Object) -> Iterator[Event]:
        """A node that was removed."""
        yield from self._node_gone(self.names.of(_name(node)))

    def _node_gone(self, name: str) -> Iterator[Event]:
        if self._nodes.pop(name, None) is not None:
            self._down.discard(name)
            yield self._event("node-gone", None, node=name)

    def all_nodes(self, nodes: Iterable[Object]) -> Iterator[Event]:
        """All nodes that there are now."""
        here = list(nodes)
        for name in self._nodes.keys() - {self.names.of(_name(node)) for node in here}:
            yield from self._node_gone(name)
        for node in here:
            yield from self.node(node)

    def job(self, job: Object) -> Iterator[Event]:
        """A Job that came or changed; told if all of its pods run at once."""
        spec = job.get("spec") or {}
        pods, completions = spec.get("parallelism"), spec.get("completions")
        together = pods if isinstance(pods, int) and pods > 1 and completions in (None, pods) else 1
        key = self._key(job)
        if together > 1 and self._jobs.get(key) != together:
            self._jobs[key] = together
            yield self._event(
                "job", self._instant(_metadata(job).get("creationTimestamp")), job=key, pods=together
            )

    def pod(self, pod: Object) -> Iterator[Event]:
        """A pod that came or changed."""
        uid, owner = str(_metadata(pod).get("uid") or self._key(pod)), _controller(pod)
        if owner.get("kind") in WITH_THE_NODE:
            if uid not in self._left_out_ids:
                self._left_out_ids.add(uid)
                self.left_out += 1
            return
        seen = self._pods.get(uid)
        if seen is None:
            created = self._instant(_metadata(pod).get("creationTimestamp"))
            seen = self._pods[uid] = _Seen(self._unused(self._key(pod)), created)
            yield self._submitted(pod, seen.name, owner, created)
        start, end = _started(pod), _ended(pod)
        if not seen.started and start is not None:
            seen.started = True
            yield self._event("started", self._later(seen, start), pod=seen.name)
        phase = (pod.get("status") or {}).get("phase")
        if not seen.ended and phase in ("Succeeded", "Failed"):
            seen.ended = True
            yield self._event("ended", self._later(seen, end), pod=seen.name, outcome=phase)

    def pod_gone(self, pod: Object) -> Iterator[Event]:
        """A pod that was removed: it ends then, unless it had ended before."""
        yield from self.pod(pod)  # the last state tells how it ended
        uid = str(_metadata(pod).get("uid") or self._key(pod))
        yield from self._pod_gone(uid, _ended(pod) or _metadata(pod).get("deletionTimestamp"))

    def _pod_gone(self, uid: str, at: object) -> Iterator[Event]:
        self._left_out_ids.discard(uid)
        seen = self._pods.pop(uid, None)
        if seen is not None and not seen.ended:
            yield self._event("ended", self._later(seen, at), pod=seen.name, outcome="Deleted")

    def all_pods(self, pods: Iterable[Object]) -> Iterator[Event]:
        """All pods that there are now."""
        here = list(pods)
        for uid in self._pods.keys() - {str(_metadata(pod).get("uid") or self._key(pod)) for pod in here}:
            yield from self._pod_gone(uid, None)
        for pod in here:
            yield from self.pod(pod)

    def end(self) -> Event:
        """The last event of a recording."""
        return self._event("end", None, left_out=self.left_out)

    def _later(self, seen: _Seen, text: object) -> int:
        """The instant of an event of a pod, not before its last one."""
        seen.last_ns = max(self._instant(text), seen.last_ns)
        return seen.last_ns

    def _submitted(self, pod: Object, name: str, owner: Mapping[str, Any], created: int) -> Event:
        metadata = _metadata(pod)
        requests = _read(pod_requests, pod.get("spec") or {})
        namespace = str(metadata.get("namespace") or "default")
        labels, annotations = metadata.get("labels") or {}, metadata.get("annotations") or {}
        user, queue = _first(labels, USER_LABELS), _first(labels, QUEUE_LABELS) or namespace
        is_job = owner.get("kind") == "Job"
        return self._event(
            "submitted",
            created,
            pod=name,
            job=self.names.of(f"{namespace}/{owner.get('name')}") if is_job else None,
            chips=requests.get(self.chip_resource),
            cpu_milli=requests.get("cpu"),
            memory_bytes=requests.get("memory"),
            user=None if user is None else self.names.of(user),
            queue=self.names.of(queue),
            priority=(pod.get("spec") or {}).get("priority"),
            deadline_ns=_deadline(annotations.get(DEADLINE), created),
            estimate_ns=_duration(annotations.get(ESTIMATE)),
        )

    def _unused(self, name: str) -> str:
        """The name, with a number if another pod had it before (a StatefulSet's)."""
        count = self._used[name] = self._used.get(name, 0) + 1
        return name if count == 1 else f"{name}.{count}"

    def _key(self, item: Object) -> str:
        return self.names.of(f"{_metadata(item).get('namespace') or 'default'}/{_name(item)}")

    def _shape(self, node: Object) -> Mapping[str, Any]:
        allocatable = _read(amounts_of, (node.get("status") or {}).get("allocatable") or {})
        return {
            "chips": allocatable.get(self.chip_resource, 0),
            "chip_type": _first(_metadata(node).get("labels") or {}, CHIP_TYPE_LABELS),
            "cpu_milli": allocatable.get("cpu"),
            "memory_bytes": allocatable.get("memory"),
        }

    def _instant(self, text: object) -> int:
        try:
            return parse_instant(str(text))
        except ValueError:
            return self.now()

    def _event(self, kind: str, at: int | None, **details: Any) -> Event:
        instant = (self.now() if at is None else at) - self.started_ns
        return {"at": instant, "event": kind, **{k: v for k, v in details.items() if v is not None}}


def _metadata(item: Object) -> Mapping[str, Any]:
    return item.get("metadata") or {}


def _name(item: Object) -> str:
    return str(_metadata(item).get("name") or "")


def _controller(pod: Object) -> Mapping[str, Any]:
    owners = _metadata(pod).get("ownerReferences") or ()
    return next((owner for owner in owners if owner.get("controller")), {})


def _first(labels: Mapping[str, str], names: Iterable[str]) -> str | None:
    return next((labels[name] for name in names if labels.get(name)), None)


def _states(pod: Object) -> Iterator[Mapping[str, Any]]:
    for status in (pod.get("status") or {}).get("containerStatuses") or ():
        for held in ("state", "lastState"):
            yield from ((status.get(held) or {}).get(kind) or {} for kind in ("running", "terminated"))


def _started(pod: Object) -> str | None:
    """When its first container started; RFC 3339 in UTC sorts as text."""
    return min((state["startedAt"] for state in _states(pod) if state.get("startedAt")), default=None)


def _ended(pod: Object) -> str | None:
    """When its last container ended."""
    return max((state["finishedAt"] for state in _states(pod) if state.get("finishedAt")), default=None)


def _read(amounts: Callable[[Mapping[str, Any]], Mapping[str, int]], given: Object) -> Mapping[str, int]:
    """Amounts in whole numbers (CPU in thousandths of a core); nothing where one cannot be read."""
    try:
        return amounts(given)
    except QuantityError:
        return {}


def _deadline(text: object, created_ns: int) -> int | None:
    if not isinstance(text, str):
        return None
    after = _duration(text)
    if after is not None:
        return after
    try:
        return max(parse_instant(text) - created_ns, 0)
    except ValueError:
        return None


def _duration(text: object) -> int | None:
    try:
        return max(parse_duration(text), 0) if isinstance(text, str) else None
    except ValueError:
        return None
