"""``lst-scheduler explain``: why a pod is where it is, or why it waits.

All of it stands in the API: the decision as an annotation that came with the binding (``trail``), the pod's
condition, and the Events on it and on those that gave way for it. So it can be told after a restart, and by
anyone who may read pods and Events.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from scheduler.clock import Clock
from scheduler.config import Settings
from scheduler.errors import ConfigurationError
from scheduler.kube.access import find_access
from scheduler.kube.client import Client, Collection
from scheduler.kube.connection import Connection
from scheduler.kube.errors import HTTP_FORBIDDEN, HTTP_NOT_FOUND, ApiError
from scheduler.kube.reflector import list_all
from scheduler.laxity import read_work, slack
from scheduler.model import PodRef
from scheduler.story import NOTHING_KNOWN, Happened, Story, tell
from scheduler.timetext import SECOND, format_second, format_span, parse_instant

Object = Mapping[str, Any]

DEFAULT_NAMESPACE = "default"
_EVENTS = "/apis/events.k8s.io/v1"
_PREEMPTED = "Preempted"


class NoSuchPodError(Exception):
    """There is no pod of that name."""


async def inquire(settings: Settings, name: str, output: str, clock: Clock) -> str:
    """What there is to tell of the pod ``NAMESPACE/NAME`` or ``NAME``, as ``text`` or ``json``.

    ``clock`` tells how much slack a pod that waits has left.

    Raises:
        ConfigurationError: that is no pod's name, or nothing says how to reach the API server.
        NoSuchPodError: there is no such pod.
        RequestError: the API server cannot be reached, or refuses.
    """
    ref = _ref(name)
    async with Connection(
        find_access(settings.kubeconfig, os.environ), settings.scheduler_name
    ) as connection:
        story = await _read(Client(connection, settings.scheduler_name), settings, ref, clock.now())
    if output == "json":
        return json.dumps(story.to_json(), ensure_ascii=False, indent=2) + "\n"
    return "".join(f"{line}\n" for line in tell(story))


def _ref(name: str) -> PodRef:
    namespace, slash, pod = name.rpartition("/")
    if not pod or (slash and not namespace) or "/" in namespace:
        raise ConfigurationError(
            f"{name!r}: expected NAMESPACE/POD or POD (see lst-scheduler explain --help)"
        )
    return PodRef(namespace or DEFAULT_NAMESPACE, pod, "")


async def _read(client: Client, settings: Settings, ref: PodRef, now: int) -> Story:
    in_namespace = f"{_EVENTS}/namespaces/{quote(ref.namespace, safe='')}/events"
    try:
        pod = await client.pod(ref)
    except ApiError as error:
        if error.code != HTTP_NOT_FOUND:
            raise
        return _gone(ref, await _events(client, in_namespace, f"regarding.name={ref.name}"))
    uid = pod["metadata"]["uid"]
    own = await _events(client, in_namespace, f"regarding.uid={uid}")
    try:
        others = await _events(client, f"{_EVENTS}/events", f"reason={_PREEMPTED}")
    except ApiError as error:
        if error.code != HTTP_FORBIDDEN:
            raise
        # Who may look into one namespace only is told of what happened there.
        others = await _events(client, in_namespace, f"reason={_PREEMPTED}")
    made_way = [each for each in others if (each.get("related") or {}).get("uid") == uid]
    return replace(
        _story(pod, settings, now),
        events=tuple(sorted(map(_happened, own))),
        made_way=tuple(sorted(map(_happened, made_way))),
    )


def _gone(ref: PodRef, events: list[Object]) -> Story:
    """What is left of a pod that ended: its Events, which the API server keeps for some time."""
    told = [_happened(each) for each in events if (each.get("regarding") or {}).get("kind") == "Pod"]
    name = f"{ref.namespace}/{ref.name}"
    if not told:
        raise NoSuchPodError(f"there is no pod {name}, and no Event is left of one")
    return replace(NOTHING_KNOWN, name=name, gone=True, events=tuple(sorted(told)))


async def _events(client: Client, path: str, selector: str) -> list[Object]:
    found, _ = await list_all(client, Collection(path, selector))
    return found


def _story(pod: Object, settings: Settings, now: int) -> Story:
    metadata, spec, status = pod["metadata"], pod["spec"], pod.get("status") or {}
    annotations = metadata.get("annotations") or {}
    created = parse_instant(metadata["creationTimestamp"])
    work = read_work(annotations, created, settings.annotation_keys, settings.default_class)
    waits, since = _waiting(status)
    left = None if spec.get("nodeName") else slack(work.timing, now)
    return replace(
        NOTHING_KNOWN,
        name=f"{metadata['namespace']}/{metadata['name']}",
        ours=spec.get("schedulerName") == settings.scheduler_name,
        scheduler=spec.get("schedulerName", ""),
        node=spec.get("nodeName", ""),
        nominated=status.get("nominatedNodeName", ""),
        gates=tuple(gate.get("name", "") for gate in spec.get("schedulingGates") or ()),
        created=metadata["creationTimestamp"],
        deadline=None if work.timing.deadline is None else format_second(work.timing.deadline),
        duration=None if work.timing.remaining is None else format_span(work.timing.remaining),
        slack=None if left is None else format_span(left // SECOND * SECOND),
        ends=metadata.get("deletionTimestamp") or "",
        disrupted=str(_condition(status, "DisruptionTarget", "True").get("message") or ""),
        waits=waits,
        waits_since=since,
        decision=_decision(annotations.get(settings.annotation_keys.decision)),
    )


def _waiting(status: Object) -> tuple[str, str]:
    """What the pod's condition says of why it waits, and since when; empty where it does not."""
    found = _condition(status, "PodScheduled", "False")
    return str(found.get("message") or found.get("reason") or ""), str(found.get("lastTransitionTime") or "")


def _condition(status: Object, kind: str, value: str) -> Object:
    """The pod's condition of that type if it has this value, else an empty one."""
    found = status.get("conditions") or ()
    return next((each for each in found if (each.get("type"), each.get("status")) == (kind, value)), {})


def _decision(text: str | None) -> Mapping[str, Any] | None:
    """The decision that the annotation records; None where there is none, or something else stands there."""
    try:
        found = json.loads(text or "null")
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _happened(event: Object) -> Happened:
    regarding = event.get("regarding") or {}
    at = event.get("eventTime") or event.get("deprecatedFirstTimestamp") or ""
    pod = f"{regarding.get('namespace', '')}/{regarding.get('name', '')}"
    return Happened(str(at), pod, str(event.get("reason", "")), str(event.get("note") or ""))
