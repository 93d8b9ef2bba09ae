"""The calls that the scheduler makes to the Kubernetes API."""

import hashlib
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from scheduler.kube.connection import Connection
from scheduler.messages import Announce, MarkUnschedulable
from scheduler.model import PodRef
from scheduler.timetext import format_microsecond, format_second

STRATEGIC_MERGE_PATCH = "application/strategic-merge-patch+json"

PAGE_SIZE = 500
"""Objects asked for at a time: the page size of client-go and kubectl."""

NOTE_LIMIT = 1024
"""Longest note of an Event in bytes, by the API's validation."""


@dataclass(frozen=True, slots=True)
class Collection:
    """Objects to list and watch: the path, and a field selector that may be empty."""

    path: str
    field_selector: str = ""

    def query(self, parameters: Mapping[str, str | int]) -> str:
        """The path with a query string of the selector and these parameters, empty ones left out."""
        pairs: dict[str, str | int] = {"fieldSelector": self.field_selector, **parameters}
        return f"{self.path}?{urlencode({key: value for key, value in pairs.items() if value != ''})}"


PODS = Collection("/api/v1/pods", "status.phase!=Succeeded,status.phase!=Failed")
"""All unfinished pods, of all schedulers: they share the nodes."""

SUCCEEDED_PODS = Collection("/api/v1/pods", "status.phase=Succeeded")
"""Pods that have done their work: members of gangs among them are not waited for."""

NODES = Collection("/api/v1/nodes")
NAMESPACES = Collection("/api/v1/namespaces")
BUDGETS = Collection("/apis/policy/v1/poddisruptionbudgets")
NATIVE_GROUPS = Collection("/apis/scheduling.k8s.io/v1beta1/podgroups")
COSCHEDULING_GROUPS = Collection("/apis/scheduling.x-k8s.io/v1alpha1/podgroups")


class Client:
    """Typed calls, raising ``ApiError`` for an error that the server answers, else ``UnreachableError``."""

    def __init__(self, connection: Connection, reporter: str) -> None:
        """``reporter``: the name under which Events are recorded."""
        self._connection = connection
        self._reporter = reporter

    async def page(self, collection: Collection, continuation: str) -> Any:
        """One page of a list; ``continuation`` is empty for the first."""
        path = collection.query({"limit": PAGE_SIZE, "continue": continuation})
        return await self._connection.request("GET", path)

    def watch(
        self, collection: Collection, version: str
    ) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """The changes after a resource version, one JSON object a line, in pieces as they come."""
        path = collection.query({"watch": "true", "allowWatchBookmarks": "true", "resourceVersion": version})
        return self._connection.stream(path)

    async def pod(self, ref: PodRef) -> Any:
        """A pod as it is now."""
        return await self._connection.request("GET", _pod_path(ref))

    async def bind(self, ref: PodRef, node: str, annotations: Mapping[str, str] | None = None) -> None:
        """Bind a pod to a node; a pod of that name with another uid is refused.

        The annotations become the pod's.
        """
        metadata: dict[str, object] = {"namespace": ref.namespace, "name": ref.name, "uid": ref.uid}
        if annotations:
            metadata["annotations"] = annotations
        body = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": metadata,
            "target": {"apiVersion": "v1", "kind": "Node", "name": node},
        }
        await self._connection.request("POST", f"{_pod_path(ref)}/binding", body)

    async def mark_unschedulable(self, mark: MarkUnschedulable, now: int) -> None:
        """Set the pod's ``PodScheduled=False`` condition; a pod of that name with another uid is refused."""
        condition: dict[str, object] = {
            "type": "PodScheduled",
            "status": "False",
            "reason": "Unschedulable",
            "message": mark.message,
        }
        if mark.first:
            condition["lastTransitionTime"] = format_second(now)
        await self._patch_status(mark.ref, {"conditions": [condition]})

    async def _patch_status(self, ref: PodRef, status: Mapping[str, object]) -> None:
        body = {"metadata": {"uid": ref.uid}, "status": status}
        await self._connection.request("PATCH", f"{_pod_path(ref)}/status", body, STRATEGIC_MERGE_PATCH)

    async def announce_disruption(self, ref: PodRef, why: str, now: int) -> None:
        """Set the pod's condition ``DisruptionTarget``; a pod of that name with another uid is refused."""
        condition = {
            "type": "DisruptionTarget",
            "status": "True",
            "reason": "PreemptionByScheduler",
            "message": why,
            "lastTransitionTime": format_second(now),
        }
        await self._patch_status(ref, {"conditions": [condition]})

    async def delete(self, ref: PodRef) -> None:
        """Delete the pod gracefully; a pod of that name with another uid is refused."""
        body = {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": ref.uid}}
        await self._connection.request("DELETE", _pod_path(ref), body)

    async def nominate(self, ref: PodRef, node: str) -> None:
        """Set the pod's ``nominatedNodeName``, or take it away; another uid is refused."""
        await self._patch_status(ref, {"nominatedNodeName": node or None})

    async def record(self, announcement: Announce, now: int) -> None:
        """Record an Event on the pod.

        Its name follows from what it says of which pod: saying the same again, be it after a restart, is
        refused by the server as already existing, so that nothing is told twice.
        """
        ref = announcement.ref
        body: dict[str, object] = {
            "apiVersion": "events.k8s.io/v1",
            "kind": "Event",
            "metadata": {"namespace": ref.namespace, "name": _event_name(announcement)},
            "eventTime": format_microsecond(now),
            "reportingController": self._reporter,
            "reportingInstance": self._reporter,
            "action": announcement.doing,
            "reason": announcement.reason,
            "type": announcement.severity,
            "note": _cut(announcement.note),
            "regarding": _reference(ref),
        }
        if announcement.related is not None:
            body["related"] = _reference(announcement.related)
        path = f"/apis/events.k8s.io/v1/namespaces/{quote(ref.namespace, safe='')}/events"
        await self._connection.request("POST", path, body)


def _reference(ref: PodRef) -> Mapping[str, str]:
    """A pod as Events refer to it."""
    return {"apiVersion": "v1", "kind": "Pod", **ref._asdict()}


def _pod_path(ref: PodRef) -> str:
    return f"/api/v1/namespaces/{quote(ref.namespace, safe='')}/pods/{quote(ref.name, safe='')}"


_DIGEST_BYTES = 8
_NAME_LIMIT = 253
"""Longest name of an object (a DNS subdomain)."""


def _event_name(announcement: Announce) -> str:
    said = "\n".join((announcement.ref.uid, announcement.reason, announcement.note))
    digest = hashlib.blake2b(said.encode(), digest_size=_DIGEST_BYTES).hexdigest()
    return f"{announcement.ref.name[: _NAME_LIMIT - 1 - len(digest)].rstrip('.-')}.{digest}"


_ELLIPSIS = "…"


def _cut(note: str) -> str:
    """The note, shortened to what the API takes."""
    encoded = note.encode()
    if len(encoded) <= NOTE_LIMIT:
        return note
    return encoded[: NOTE_LIMIT - len(_ELLIPSIS.encode())].decode(errors="ignore") + _ELLIPSIS
