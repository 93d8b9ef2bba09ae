"""Cells that only one kind has, as ``pkg/printers/internalversion`` of ``k8s.io/kubernetes`` prints them."""

from typing import Any, Final

from fakeapi.kernel.time import Instant
from fakeapi.rest.cells import NONE, UNKNOWN, UNSET, Cell, Object, at, condition, instant_of, since


def node_status(node: Object, _: Instant) -> str:
    """``Ready``, ``NotReady`` or ``Unknown``, and whether the node takes no more pods."""
    ready = condition(node, "Ready")
    words = ["Unknown" if ready is None else "Ready" if ready.get("status") == "True" else "NotReady"]
    if at(node, "spec.unschedulable"):
        words.append("SchedulingDisabled")
    return ",".join(words)


_ROLE_PREFIX: Final = "node-role.kubernetes.io/"
_ROLE_LABEL: Final = "kubernetes.io/role"


def node_roles(node: Object, _: Instant) -> str:
    """Roles from both labels that give one."""
    labels = node["metadata"].get("labels") or {}
    roles = {key.removeprefix(_ROLE_PREFIX) for key in labels if key.startswith(_ROLE_PREFIX)}
    return ",".join(sorted({*roles, labels.get(_ROLE_LABEL, "")} - {""})) or NONE


def node_address(wanted: str) -> Cell:
    """The first address of a type."""

    def cell(node: Object, _: Instant) -> str:
        addresses = at(node, "status.addresses") or ()
        return next((str(one.get("address")) for one in addresses if one.get("type") == wanted), NONE)

    return cell


def kernel(node: Object, _: Instant) -> str:
    """The kernel's version and the architecture."""
    version = at(node, "status.nodeInfo.kernelVersion") or UNKNOWN
    architecture = at(node, "status.nodeInfo.architecture")
    return f"{version} ({architecture})" if architecture else str(version)


def _first(obj: Object, *paths: str) -> Any:
    """The first value that is there: events are shown from either of their two forms."""
    return next(filter(None, (at(obj, path) for path in paths)), None)


def event_first_seen(event: Object, now: Instant) -> str:
    """Time since the event happened first."""
    return since(_first(event, "firstTimestamp", "deprecatedFirstTimestamp", "eventTime"), now)


def event_last_seen(event: Object, now: Instant) -> str:
    """Time since the event happened last."""
    if event.get("series"):
        return since(at(event, "series.lastObservedTime"), now)
    last = _first(event, "lastTimestamp", "deprecatedLastTimestamp")
    return since(last, now) if last else event_first_seen(event, now)


def event_count(event: Object, _: Instant) -> int:
    """How often the event happened; a single one does not say."""
    if event.get("series"):
        return at(event, "series.count") or 0
    return _first(event, "count", "deprecatedCount") or 1


def event_object(event: Object, _: Instant) -> str:
    """``kind/name`` of what the event is about."""
    reference = _first(event, "involvedObject", "regarding") or {}
    kind, name = str(reference.get("kind") or "").lower(), reference.get("name")
    return f"{kind}/{name}" if name else kind


def event_subobject(event: Object, _: Instant) -> str:
    """The part of the object that the event is about."""
    return str(_first(event, "involvedObject.fieldPath", "regarding.fieldPath") or "")


def event_source(event: Object, _: Instant) -> str:
    """The component that reported the event and, where known, its host."""
    component = _first(
        event, "source.component", "deprecatedSource.component", "reportingComponent", "reportingController"
    )
    instance = _first(event, "source.host", "deprecatedSource.host", "reportingInstance")
    return ", ".join(filter(None, (component or "", instance))) if instance else component or ""


def event_message(event: Object, _: Instant) -> str:
    """What happened, in words."""
    return str(_first(event, "message", "note") or "").strip()


def job_status(job: Object, _: Instant) -> str:
    """The state of a job in a word; what is final comes first."""

    def holds(wanted: str) -> bool:
        found = condition(job, wanted)
        return found is not None and found.get("status") == "True"

    for condition_type, word in (("Complete", "Complete"), ("Failed", "Failed")):
        if holds(condition_type):
            return word
    if job["metadata"].get("deletionTimestamp"):
        return "Terminating"
    return next(
        (word for word in ("Suspended", "FailureTarget", "SuccessCriteriaMet") if holds(word)), "Running"
    )


def job_completions(job: Object, _: Instant) -> str:
    """Pods that succeeded, of those wanted."""
    succeeded = at(job, "status.succeeded") or 0
    completions = at(job, "spec.completions")
    if completions is not None:
        return f"{succeeded}/{completions}"
    parallelism = at(job, "spec.parallelism") or 0
    return f"{succeeded}/1 of {parallelism}" if parallelism > 1 else f"{succeeded}/1"


def job_duration(job: Object, now: Instant) -> str:
    """Time from the start of a job to its completion, or to now."""
    started, completed = at(job, "status.startTime"), at(job, "status.completionTime")
    if not started:
        return ""
    end = instant_of(completed) if completed else now
    return since(started, now if end is None else end)


def service_address(service: Object, _: Instant) -> str:
    """The first address of a service."""
    addresses = at(service, "spec.clusterIPs") or [at(service, "spec.clusterIP")]
    return str(addresses[0] or NONE)


def external_address(service: Object, _: Instant) -> str:
    """Where a service is reached from outside."""
    kind = at(service, "spec.type")
    external = at(service, "spec.externalIPs") or []
    if kind == "ExternalName":
        return str(at(service, "spec.externalName") or "")
    if kind == "LoadBalancer":
        ingress = at(service, "status.loadBalancer.ingress") or ()
        given = sorted({str(one.get("ip") or one.get("hostname") or "") for one in ingress} - {""})
        return ",".join(given + external) or "<pending>"
    return ",".join(external) or NONE if kind in ("ClusterIP", "NodePort") else UNKNOWN


def service_ports(service: Object, _: Instant) -> str:
    """``port/protocol``, with the node's port where there is one."""
    ports = at(service, "spec.ports") or ()
    return ",".join(_service_port(port) for port in ports) or NONE


def _service_port(port: Object) -> str:
    outside = f":{port['nodePort']}" if port.get("nodePort") else ""
    return f"{port.get('port')}{outside}/{port.get('protocol') or 'TCP'}"


def budget(path: str) -> Cell:
    """A number or percentage of a disruption budget."""

    def cell(obj: Object, _: Instant) -> str:
        value = at(obj, path)
        return "N/A" if value is None else str(value)

    return cell


def suspended(cron_job: Object, _: Instant) -> str:
    """Whether a cron job is suspended, in Go's spelling."""
    value = at(cron_job, "spec.suspend")
    return UNSET if value is None else str(bool(value))


_ACCESS_MODES: Final = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}


def access_modes(path: str) -> Cell:
    """The short names of the access modes at a path, in a fixed order."""

    def cell(obj: Object, _: Instant) -> str:
        given = at(obj, path) or ()
        return ",".join(short for mode, short in _ACCESS_MODES.items() if mode in given)

    return cell


def phase_or_terminating(obj: Object, _: Instant) -> str:
    """The phase of a volume or claim that is not being deleted."""
    return "Terminating" if obj["metadata"].get("deletionTimestamp") else str(at(obj, "status.phase") or "")


def claim(volume: Object, _: Instant) -> str:
    """``namespace/name`` of the claim that holds a volume."""
    holder = at(volume, "spec.claimRef")
    return f"{holder.get('namespace', '')}/{holder.get('name', '')}" if holder else ""


def when_bound(cell: Cell) -> Cell:
    """Claims show what they got, and nothing before they got a volume."""
    return lambda claim, now: cell(claim, now) if at(claim, "spec.volumeName") else ""


def claim_state(claim: Object, _: Instant) -> str:
    """Whether a resource claim waits, has devices, is in use."""
    deleted = bool(claim["metadata"].get("deletionTimestamp"))
    if not at(claim, "status.allocation"):
        return "deleted" if deleted else "pending"
    words = ["deleted"] if deleted else []
    return ",".join([*words, "allocated", *(["reserved"] if at(claim, "status.reservedFor") else [])])


def native_pod_group_policy(group: Object, _: Instant) -> str:
    """Whether the pods of a group are scheduled together."""
    return "Gang" if at(group, "spec.schedulingPolicy.gang") is not None else "Basic"


def native_pod_group_status(group: Object, _: Instant) -> str:
    """Whether a group was scheduled; a disruption says why."""
    disrupted = condition(group, "DisruptionTarget")
    scheduled = condition(group, "PodGroupInitiallyScheduled")
    if disrupted is not None:
        return str(disrupted.get("reason") or "")
    if scheduled is None:
        return "Pending"
    return "Scheduled" if scheduled.get("status") == "True" else "Unschedulable"
