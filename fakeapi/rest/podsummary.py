"""What kubectl says of a pod: how many of its containers are ready, its status in a word, its restarts.

The status is a walk over phase, conditions and container states with many turns; they
are those of ``printPod`` in ``pkg/printers/internalversion`` of ``k8s.io/kubernetes``.
"""

from dataclasses import dataclass
from typing import Any, Final

from fakeapi.kernel.time import Instant
from fakeapi.rest.cells import NONE, Object, at, instant_of, since

TERMINAL_PHASES: Final = ("Succeeded", "Failed")


def ready(pod: Object, _: Instant) -> str:
    """Ready and all containers, ``1/2``."""
    summary = summarise(pod)
    return f"{summary.ready}/{summary.total}"


def status(pod: Object, _: Instant) -> str:
    """The state of the pod in a word, such as ``Running``, ``Init:0/1`` or ``CrashLoopBackOff``."""
    return summarise(pod).reason


def restarts(pod: Object, now: Instant) -> str:
    """How often containers were restarted, and when last."""
    summary = summarise(pod)
    if summary.restarts and summary.last_restart:
        return f"{summary.restarts} ({since(summary.last_restart, now)} ago)"
    return str(summary.restarts)


def ip(pod: Object, _: Instant) -> str:
    """The first address of the pod."""
    addresses = at(pod, "status.podIPs") or [{"ip": at(pod, "status.podIP")}]
    return str(addresses[0].get("ip") or NONE)


def readiness_gates(pod: Object, _: Instant) -> str:
    """True and all readiness gates, ``1/2``."""
    gates = at(pod, "spec.readinessGates") or ()
    if not gates:
        return NONE
    states = {one["type"]: one.get("status") for one in reversed(_conditions(pod))}
    passed = sum(states.get(gate.get("conditionType")) == "True" for gate in gates)
    return f"{passed}/{len(gates)}"


@dataclass(slots=True)
class Summary:
    """The figures of a pod, gathered container by container."""

    reason: str
    total: int
    ready: int = 0
    restarts: int = 0
    last_restart: str = ""
    """The timestamp at which the last restarted container had ended."""

    def count_restarts(self, container: Object) -> None:
        """Add a container's restarts."""
        self.restarts += container.get("restartCount") or 0
        ended = at(container, "lastState.terminated.finishedAt") or ""
        if (instant_of(ended) or 0) > (instant_of(self.last_restart) or 0):
            self.last_restart = ended


def summarise(pod: Object) -> Summary:
    """The figures of a pod."""
    phase = at(pod, "status.phase") or ""
    summary = Summary(at(pod, "status.reason") or phase, _total(pod))
    if any(
        one.get("type") == "PodScheduled" and one.get("reason") == "SchedulingGated"
        for one in _conditions(pod)
    ):
        summary.reason = "SchedulingGated"
    sidecars, initialised = _initialise(pod, summary)
    if initialised or _is_true(pod, "Initialized"):
        summary.restarts, summary.last_restart = sidecars.restarts, sidecars.last_restart
        _run(pod, summary)
    if pod["metadata"].get("deletionTimestamp"):
        if at(pod, "status.reason") == "NodeLost":
            summary.reason = "Unknown"
        elif phase not in TERMINAL_PHASES:
            summary.reason = "Terminating"
    return summary


def _conditions(pod: Object) -> list[Any]:
    return at(pod, "status.conditions") or []


def _is_true(pod: Object, condition: str) -> bool:
    return any(one.get("type") == condition and one.get("status") == "True" for one in _conditions(pod))


def _sidecars(pod: Object) -> set[str]:
    """Init containers that are restarted for ever: they run beside the others."""
    return {
        one["name"] for one in at(pod, "spec.initContainers") or () if one.get("restartPolicy") == "Always"
    }


def _total(pod: Object) -> int:
    return len(at(pod, "spec.containers") or ()) + len(_sidecars(pod))


def _initialise(pod: Object, summary: Summary) -> tuple[Summary, bool]:
    """Walk over the init containers up to the first that has not done its part.

    Returns:
        The figures of those that keep running, and whether every one has done its part.
    """
    sidecar_names, sidecars = _sidecars(pod), Summary("", 0)
    for index, container in enumerate(at(pod, "status.initContainerStatuses") or ()):
        summary.count_restarts(container)
        is_sidecar = container.get("name") in sidecar_names
        if is_sidecar:
            sidecars.count_restarts(container)
        terminated = at(container, "state.terminated")
        if terminated is not None and not terminated.get("exitCode"):
            continue
        if is_sidecar and container.get("started"):
            summary.ready += bool(container.get("ready"))
            continue
        summary.reason = _init_reason(container, index, len(at(pod, "spec.initContainers") or ()))
        return sidecars, False
    return sidecars, True


def _init_reason(container: Object, index: int, total: int) -> str:
    terminated = at(container, "state.terminated")
    if terminated is not None:
        return f"Init:{_end_reason(terminated)}"
    waiting = at(container, "state.waiting.reason")
    if waiting and waiting != "PodInitializing":
        return f"Init:{waiting}"
    return f"Init:{index}/{total}"


def _end_reason(terminated: Object) -> str:
    if terminated.get("reason"):
        return str(terminated["reason"])
    if terminated.get("signal"):
        return f"Signal:{terminated['signal']}"
    return f"ExitCode:{terminated.get('exitCode', 0)}"


def _run(pod: Object, summary: Summary) -> None:
    """Walk over the containers from the last to the first: the first that is not well gives the reason."""
    running, failure = False, ""
    for container in reversed(at(pod, "status.containerStatuses") or ()):
        summary.count_restarts(container)
        terminated = at(container, "state.terminated")
        waiting = at(container, "state.waiting.reason")
        if waiting:
            summary.reason = waiting
        elif terminated is not None:
            summary.reason = _end_reason(terminated)
            failure = summary.reason if terminated.get("exitCode") else failure
        elif container.get("ready") and at(container, "state.running") is not None:
            running = True
            summary.ready += 1
    if summary.reason == "Completed":
        summary.reason = _reason_of_partly_completed(pod, running, failure)


def _reason_of_partly_completed(pod: Object, running: bool, failure: str) -> str:
    if running and _is_true(pod, "Ready"):
        return "Running"
    if failure:
        return failure
    return "NotReady" if running else "Completed"
