"""The status of a pod as a kubelet writes it: phase, conditions, container statuses.

Pure functions from a pod and a moment to a new ``status``; nothing given is changed.
Follows ``pkg/kubelet/kubelet_pods.go`` and ``pkg/kubelet/status/generate.go``. Left out, as
nothing here runs for real: probes and readiness gates (a running container is ready at
once), and the parts of a container status that only a runtime knows (``resources``,
``user``, ``volumeMounts``).
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final, TypeAlias

from fakeapi.cluster.podconditions import (
    OWNED_CONDITIONS,
    SANDBOX_GONE,
    SANDBOX_MISSING,
    TRUE,
    Json,
    Outcome,
    conditions,
    not_initialized,
    not_ready,
)
from fakeapi.kernel.time import SECOND, Duration, Instant, format_instant
from fakeapi.storage.objects import Object

TERMINAL_PHASES: Final = ("Succeeded", "Failed")

SIGTERM_EXIT: Final = 128 + 15
"""What a shell reports of a process that its termination signal ended."""
SIGKILL_EXIT: Final = 128 + 9
"""The same for a process that had to be killed when its grace period ran out."""

_CACHED_IMAGES: Final = 1024
_CONTAINER_ID_PART: Final = 16
"""Hexadecimal digits for each number in a container's id: with the uid's 32 that makes containerd's 64."""


Devices: TypeAlias = Mapping[str, list[Json]]
"""Container → its ``allocatedResourcesStatus``: which chips it has, and whether they work (KEP-4680)."""
NO_DEVICES: Final[Devices] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a pod's containers, from their start to their end."""

    started: Instant
    restarts: int = 0
    finished: Instant | None = None
    exit_code: int = 0
    reason: str = ""
    """Why it ended, where that is more than its exit code tells."""
    message: str = ""


@dataclass(frozen=True, slots=True)
class Runs:
    """A pod's runs as its status tells them: when the first began, the current or last, the one before."""

    begun: Instant
    current: Run
    previous: Run | None = None

    @classmethod
    def begin(cls, at: Instant) -> "Runs":
        """The first run starts."""
        return cls(at, Run(at))

    def end(self, at: Instant, exit_code: int, reason: str = "", message: str = "") -> "Runs":
        """The current run is over."""
        ended = Run(self.current.started, self.current.restarts, at, exit_code, reason, message)
        return Runs(self.begun, ended, self.previous)

    def again(self, at: Instant) -> "Runs":
        """The next run starts."""
        return Runs(self.begun, Run(at, self.current.restarts + 1), self.current)


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where a pod runs; None for a node that tells no address."""

    host: str | None
    pod: str | None


def has_ended(pod: Object) -> bool:
    """Whether the pod's phase is one that it never leaves; such a pod holds no capacity."""
    status = pod.get("status") or {}
    return status.get("phase") in TERMINAL_PHASES


def creating(pod: Object, at: Instant, host: str | None) -> Json:
    """Accepted by its node, while images are pulled: Pending."""
    initial = bool(pod["spec"].get("initContainers"))
    waiting = {"waiting": {"reason": "PodInitializing" if initial else "ContainerCreating"}}
    unready = not_ready(pod["spec"]["containers"])
    initialized = not_initialized(_init_containers(pod)) if initial else TRUE
    outcomes = (SANDBOX_MISSING, initialized, unready, unready)
    status = _status(pod, "Pending", at, Addresses(host, None), outcomes)
    return {
        **status,
        **_init_statuses([_never_ran(container, waiting) for container in _init_containers(pod)]),
        "containerStatuses": [_never_ran(container, waiting) for container in _containers(pod)],
    }


def running(
    pod: Object, at: Instant, runs: Runs, addresses: Addresses | None, devices: Devices = NO_DEVICES
) -> Json:
    """Every container runs: Running. ``addresses`` stay as they are when none are given."""
    state = {"running": {"startedAt": format_instant(runs.current.started)}}
    return {
        **_status(pod, "Running", at, addresses, (TRUE, TRUE, TRUE, TRUE)),
        **_init_statuses(_initialized(pod, runs.begun)),
        "containerStatuses": [
            _container_status(pod, index, container, runs.current, state, runs.previous, devices)
            for index, container in enumerate(_containers(pod))
        ],
    }


def backing_off(
    pod: Object, at: Instant, runs: Runs, back_off: Duration, devices: Devices = NO_DEVICES
) -> Json:
    """The containers ended and wait to be started again: still Running, not ready."""
    unready, run = not_ready(pod["spec"]["containers"]), runs.current
    return {
        **_status(pod, "Running", at, None, (TRUE, TRUE, unready, unready)),
        **_init_statuses(_initialized(pod, runs.begun)),
        "containerStatuses": [
            _container_status(pod, index, container, run, _crash_loop(pod, container, back_off), run, devices)
            for index, container in enumerate(_containers(pod))
        ],
    }


def ended(pod: Object, at: Instant, runs: Runs, devices: Devices = NO_DEVICES) -> Json:
    """Every container ended and none will start again: Succeeded or Failed."""
    run, before = runs.current, runs.previous
    return {
        **_terminal(pod, "Failed" if run.exit_code else "Succeeded", at),
        **_init_statuses(_initialized(pod, runs.begun, run.finished)),
        "containerStatuses": [
            _container_status(pod, index, container, run, _terminated(pod, index, run), before, devices)
            for index, container in enumerate(_containers(pod))
        ],
    }


def never_started(pod: Object, at: Instant) -> Json:
    """Given up before any container ran: Failed, as ``status_manager.go`` says of such pods."""
    return _terminal(pod, "Failed", at)


def rejected(pod: Object, at: Instant, reason: str, message: str) -> Json:
    """Refused by its node before anything was started: ``rejectPod`` of ``pkg/kubelet/kubelet.go``.

    The conditions of a kubelet are gone, since the real one writes a status without them.
    """
    old: Json = pod.get("status") or {}
    return {
        **{name: value for name, value in old.items() if name in ("qosClass", "observedGeneration")},
        "conditions": [each for each in old.get("conditions") or () if each["type"] not in OWNED_CONDITIONS],
        "phase": "Failed",
        "reason": reason,
        "message": f"Pod was rejected: {message}",
        "startTime": old.get("startTime") or format_instant(at),
    }


def _terminal(pod: Object, phase: str, at: Instant) -> Json:
    completed = phase == "Succeeded"
    unready: Outcome = ("False", "PodCompleted" if completed else "PodFailed", "")
    initialized: Outcome = ("True", "PodCompleted", "") if completed else TRUE
    return _status(pod, phase, at, None, (SANDBOX_GONE, initialized, unready, unready))


def _status(
    pod: Object, phase: str, at: Instant, addresses: Addresses | None, outcomes: Sequence[Outcome]
) -> Json:
    """The parts that every status has; ``outcomes`` of the four conditions in the kubelet's order."""
    old: Json = pod.get("status") or {}
    status = {**old, "phase": phase, "conditions": conditions(pod, at, outcomes)}
    status.setdefault("startTime", format_instant(at))
    if "generation" in pod["metadata"]:
        status["observedGeneration"] = pod["metadata"]["generation"]
    if addresses is not None:
        status.update(_addresses(addresses))
    return status


def _addresses(addresses: Addresses) -> Json:
    fields: Json = {}
    for name, address in (("host", addresses.host), ("pod", addresses.pod)):
        if address is not None:
            fields[f"{name}IP"] = address
            fields[f"{name}IPs"] = [{"ip": address}]
    return fields


def _containers(pod: Object) -> list[Json]:
    containers: list[Json] = pod["spec"]["containers"]
    # The kubelet sorts statuses by name; a single container is the common case.
    return containers if len(containers) == 1 else sorted(containers, key=lambda found: str(found["name"]))


def _init_containers(pod: Object) -> list[Json]:
    return pod["spec"].get("initContainers") or []


def _is_sidecar(container: Json) -> bool:
    return container.get("restartPolicy") == "Always"


def _init_statuses(statuses: list[Json]) -> Json:
    return {"initContainerStatuses": statuses} if statuses else {}


def _initialized(pod: Object, begun: Instant, finished: Instant | None = None) -> list[Json]:
    """Init containers take no time; sidecars run beside the others until ``finished``, and end well."""
    statuses = []
    for index, container in enumerate(_init_containers(pod), len(pod["spec"]["containers"])):
        run = Run(begun, finished=finished if _is_sidecar(container) else begun)
        if run.finished is None:
            state = {"running": {"startedAt": format_instant(begun)}}
        else:
            state = _terminated(pod, index, run)
        status = _container_status(pod, index, container, run, state, None, NO_DEVICES)
        if not _is_sidecar(container):
            status["ready"] = True  # for an init container: has done its work
        statuses.append(status)
    return statuses


def _never_ran(container: Json, waiting: Json) -> Json:
    return {
        "name": container["name"],
        "state": waiting,
        "lastState": {},
        "ready": False,
        "restartCount": 0,
        "image": container.get("image", ""),
        "imageID": "",
        "started": False,
    }


def _container_status(
    pod: Object, index: int, container: Json, run: Run, state: Json, last: Run | None, devices: Devices
) -> Json:
    image = container.get("image", "")
    alive = "running" in state
    status: Json = {
        "name": container["name"],
        "state": state,
        "lastState": {} if last is None else _terminated(pod, index, last),
        "ready": alive,
        "restartCount": run.restarts,
        "image": image,
        "imageID": _image_id(image),
        "containerID": _container_id(pod, index, run.restarts),
        "started": alive,
    }
    if devices and container["name"] in devices:
        status["allocatedResourcesStatus"] = devices[container["name"]]
    return status


def _crash_loop(pod: Object, container: Json, back_off: Duration) -> Json:
    metadata = pod["metadata"]
    where = f"container={container['name']} pod={metadata['name']}_{metadata['namespace']}({metadata['uid']})"
    message = f"back-off {_go_minutes(back_off)} restarting failed {where}"
    return {"waiting": {"reason": "CrashLoopBackOff", "message": message}}


def _terminated(pod: Object, index: int, run: Run) -> Json:
    assert run.finished is not None, "a run that goes on has not terminated"
    terminated = {
        "exitCode": run.exit_code,
        "reason": run.reason or ("Error" if run.exit_code else "Completed"),
        "startedAt": format_instant(run.started),
        "finishedAt": format_instant(run.finished),
        "containerID": _container_id(pod, index, run.restarts),
    }
    if run.message:
        terminated["message"] = run.message
    return {"terminated": terminated}


def _container_id(pod: Object, index: int, restarts: int) -> str:
    uid = pod["metadata"]["uid"].replace("-", "")
    return f"containerd://{uid}{index:0{_CONTAINER_ID_PART}x}{restarts:0{_CONTAINER_ID_PART}x}"


@lru_cache(_CACHED_IMAGES)
def _image_id(image: str) -> str:
    """A digest that is the same for the same image name everywhere."""
    repository = image.partition("@")[0]
    head, colon, tag = repository.rpartition(":")
    if colon and "/" not in tag:
        repository = head
    return f"{repository}@sha256:{hashlib.sha256(image.encode()).hexdigest()}"


def _go_minutes(duration: Duration) -> str:
    """A duration of whole seconds as Go prints it: ``10s``, ``2m40s``, ``5m0s``."""
    minutes, seconds = divmod(duration // SECOND, 60)
    return f"{minutes}m{seconds}s" if minutes else f"{seconds}s"
