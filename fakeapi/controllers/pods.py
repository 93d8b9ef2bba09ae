"""Pods of controllers: found by who controls them, seen with a controller's eyes, made from templates."""

from collections.abc import Iterable
from typing import Any, Final

from fakeapi.controllers.owners import Json, controller_of, controller_reference
from fakeapi.kernel.time import SECOND, Instant, parse_instant
from fakeapi.machinery.resources import PODS, Resource
from fakeapi.registry.registry import Registry
from fakeapi.storage.objects import Change, Key, Kind, Object, Version
from fakeapi.storage.store import Store

SUCCEEDED: Final = "Succeeded"
FAILED: Final = "Failed"
_ENDED: Final = frozenset((SUCCEEDED, FAILED))
_PHASES: Final = {"Pending": 0, "Unknown": 1, "Running": 2}

TEMPLATE_NAME_LIMIT: Final = 58
"""Longest base of a generated name: 63 less the 5 random letters (``names.MaxGeneratedNameLength``)."""


class ControlledPods:
    """The pods of each controller of one kind, in the order of their creation."""

    def __init__(self, store: Store, kind: str) -> None:
        self._store = store
        self._kind = kind
        self._of: dict[str, dict[Key, None]] = {}

    def hear(self, change: Change) -> None:
        """Take note of a change to a pod."""
        before = None if change.before is None else self._controller(change.before.object)
        after = None if change.kind is Kind.DELETED else self._controller(change.after.object)
        if before == after:
            return
        if before is not None:
            pods = self._of[before]
            del pods[change.after.key]
            if not pods:
                del self._of[before]
        if after is not None:
            self._of.setdefault(after, {})[change.after.key] = None

    def _controller(self, pod: Object) -> str | None:
        found = controller_of(pod)
        return found["uid"] if found is not None and found.get("kind") == self._kind else None

    def of(self, uid: str) -> list[Version]:
        """The pods that the controller with this uid has."""
        return [self._store.get(PODS.storage_key, key) for key in self._of.get(uid, ())]


def phase(pod: Object) -> str:
    """The pod's phase; ``Pending`` where none is told."""
    return str((pod.get("status") or {}).get("phase") or "Pending")


def is_ending(pod: Object) -> bool:
    """Whether somebody asked for its deletion."""
    return "deletionTimestamp" in pod["metadata"]


def has_ended(pod: Object) -> bool:
    """Whether all its containers have ended for good."""
    return phase(pod) in _ENDED


def is_active(pod: Object) -> bool:
    """Whether it works or will work (``controller.IsPodActive``)."""
    return not has_ended(pod) and not is_ending(pod)


def is_terminating(pod: Object) -> bool:
    """Whether it is on its way out and not there yet (``controller.IsPodTerminating``)."""
    return not has_ended(pod) and is_ending(pod)


def is_ready(pod: Object) -> bool:
    """Whether it is ready to serve."""
    return _ready_since(pod) is not None


def _ready_since(pod: Object) -> str | None:
    for each in (pod.get("status") or {}).get("conditions") or ():
        if each["type"] == "Ready":
            return str(each.get("lastTransitionTime", "")) if each["status"] == "True" else None
    return None


def restarts(pod: Object) -> int:
    """How often its containers were started again."""
    status = pod.get("status") or {}
    containers = (*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ()))
    return sum(each.get("restartCount") or 0 for each in containers)


def finished_at(pod: Object) -> Instant:
    """When a pod ended, as exactly as the API tells (``getFinishedTime`` of ``backoff_utils.go``)."""
    status, metadata = pod.get("status") or {}, pod["metadata"]
    ends = [
        ((each.get("state") or {}).get("terminated") or {}).get("finishedAt")
        for each in status.get("containerStatuses") or ()
    ]
    known = [parse_instant(end) for end in ends if end]
    if known and len(known) == len(ends):
        return max(known)
    for each in status.get("conditions") or ():
        if each["type"] == "Ready" and each["status"] == "False" and each.get("lastTransitionTime"):
            return parse_instant(each["lastTransitionTime"])
    if is_ending(pod):
        grace = metadata.get("deletionGracePeriodSeconds") or 0
        return parse_instant(metadata["deletionTimestamp"]) - grace * SECOND
    return parse_instant(metadata["creationTimestamp"])


def first_to_remove(pods: Iterable[Version]) -> list[Version]:
    """Active pods in the order in which a controller removes them (``controller.ActivePods``).

    Those without a node come first, then those that do not run, are not ready, were not ready for long, have
    restarted more often, are newer.
    """

    def order(version: Version) -> tuple[Any, ...]:
        pod = version.object
        ready = _ready_since(pod)
        return (
            bool(pod["spec"].get("nodeName")),
            _PHASES.get(phase(pod), 1),
            ready is not None,
            _later_first(ready),
            -restarts(pod),
            -version.created,
        )

    return sorted(pods, key=order)


def _later_first(text: str | None) -> int:
    return -parse_instant(text) if text else 0


def pod_from(template: Object, resource: Resource, owner: Object, *, base: str = "") -> Json:
    """A pod after a template (``controller.GetPodFromTemplate``), named after its owner or ``base``."""
    given = template.get("metadata") or {}
    metadata: Json = {
        "generateName": base or f"{owner['metadata']['name']}-",
        "labels": dict(given.get("labels") or {}),
        "annotations": dict(given.get("annotations") or {}),
        "finalizers": list(given.get("finalizers") or ()),
        "ownerReferences": [controller_reference(resource, owner)],
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {name: value for name, value in metadata.items() if value},
        "spec": template["spec"],
    }


def without_finalizer(registry: Registry, pod: Version, finalizer: str) -> None:
    """Take a finalizer off a pod, which goes if it was the last that held it."""

    def edit(obj: Json) -> Json:
        metadata = dict(obj["metadata"])
        left = [name for name in metadata.get("finalizers") or () if name != finalizer]
        metadata["finalizers"] = left
        if not left:
            del metadata["finalizers"]
        return {**obj, "metadata": metadata}

    registry.modify(PODS, *pod.key, edit)


def finalizers(pod: Object) -> list[str]:
    """What holds the pod."""
    return list(pod["metadata"].get("finalizers") or ())
