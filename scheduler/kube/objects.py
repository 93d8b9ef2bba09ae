"""Pods and nodes as the API writes them, read into the scheduler's own model.

Only what a decision needs is read. What is read follows kube-scheduler: requests as in
``k8s.io/component-helpers/resource.PodRequests``, including init containers, sidecars, overhead and pod-level
resources.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from scheduler.kube.constraints import ignored_wishes, unsupported_demands
from scheduler.kube.groups import Groups, membership
from scheduler.kube.terms import host_ports, node_terms, pod_terms, preferences, spreads
from scheduler.laxity import AnnotationKeys, DefaultClass, read_work
from scheduler.model import Amounts, Demand, Node, PodRef, Taint, Task, Toleration
from scheduler.quantity import QuantityError, millis, units
from scheduler.timetext import SECOND, parse_instant

Object = Mapping[str, Any]
"""An API object as decoded JSON."""

SUCCEEDED = "Succeeded"
FINISHED = frozenset({SUCCEEDED, "Failed"})
"""Phases of pods that hold no room any more."""
_POD_LEVEL = ("cpu", "memory", "hugepages-")
"""What ``spec.resources`` of a pod can set for all its containers together (names, or a prefix of names)."""

_EVER_RUNNING = "Always"


class Reader:
    """Reads API objects for a scheduler of a given name."""

    def __init__(
        self, scheduler_name: str, keys: AnnotationKeys, default: DefaultClass, groups: Groups
    ) -> None:
        """``groups``: what is known of the groups that pods name, now and later."""
        self._scheduler_name = scheduler_name
        self._keys = keys
        self._default = default
        self._groups = groups

    def task(self, pod: Object) -> Task | None:
        """The pod as a task; None for a pod that neither holds room on a node nor waits for this scheduler.

        Raises:
            KeyError, TypeError, ValueError: the object is no pod that an API server would serve.
        """
        spec = pod["spec"]
        status = pod.get("status") or {}
        node = spec.get("nodeName") or ""
        metadata = pod["metadata"]
        ours = spec.get("schedulerName") == self._scheduler_name
        if status.get("phase") in FINISHED or not (node or (ours and not metadata.get("deletionTimestamp"))):
            return None
        created = parse_instant(metadata["creationTimestamp"])
        work = read_work(metadata.get("annotations") or {}, created, self._keys, self._default)
        owner = _controller(metadata)
        member = membership(metadata, spec, owner, self._keys)
        return Task(
            ref=PodRef(metadata.get("namespace", ""), metadata["name"], metadata["uid"]),
            demand=_demand(metadata, spec, status),
            timing=work.timing,
            created=created,
            node=node,
            notices=work.notices if node else (*work.notices, *member.notices, *ignored_wishes(spec)),
            told=None if node else _told(status),
            priority=spec.get("priority") or 0,
            labels=frozenset((metadata.get("labels") or {}).items()),
            ours=ours,
            owner=owner,
            index=(metadata.get("annotations") or {}).get(_COMPLETION_INDEX, "") if owner else "",
            gang=self._groups.gang(member) if ours else None,
            started=_started(status) if node else None,
            checkpoint_interval=work.checkpoint_interval,
            restart_cost=work.restart_cost,
            progress=work.progress,
            gated=bool(spec.get("schedulingGates")),
            preempts=spec.get("preemptionPolicy") != "Never",
            nominated=status.get("nominatedNodeName") or "",
            deleting=_instant(metadata.get("deletionTimestamp")),
            grace=(spec.get("terminationGracePeriodSeconds") or 0) * SECOND,
        )

    def gang_key(self, pod: Object) -> str | None:
        """The key of the gang that a pod of ours belongs to, finished or not; None without one."""
        spec, metadata = pod["spec"], pod["metadata"]
        if spec.get("schedulerName") != self._scheduler_name:
            return None
        gang = self._groups.gang(membership(metadata, spec, _controller(metadata), self._keys))
        return None if gang is None else gang.key


def node_of(node: Object) -> Node:
    """The node in the scheduler's model.

    Raises:
        KeyError, TypeError, ValueError: the object is no node that an API server would serve.
    """
    spec, status = node.get("spec") or {}, node.get("status") or {}
    amounts = dict(status.get("allocatable") or {})
    cpu, memory, pods = (amounts.pop(name, 0) for name in ("cpu", "memory", "pods"))
    return Node(
        name=node["metadata"]["name"],
        cpu=millis(cpu),
        memory=units(memory),
        pods=units(pods),
        others=_sorted_amounts({name: units(amount) for name, amount in amounts.items()}),
        labels=frozenset((node["metadata"].get("labels") or {}).items()),
        taints=tuple(
            Taint(each["key"], each.get("value", ""), each["effect"]) for each in spec.get("taints") or ()
        ),
        unschedulable=bool(spec.get("unschedulable")),
        lost=_lost(status.get("capacity") or {}, status.get("allocatable") or {}),
    )


def _lost(capacity: Object, allocatable: Object) -> Amounts:
    """What a node would have to give if nothing of it had failed, of what is counted in pieces."""
    pieces = (name for name in capacity if "/" in name)
    return _sorted_amounts(
        {name: max(0, units(capacity[name]) - units(allocatable.get(name, 0))) for name in pieces}
    )


_COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index"


def _controller(metadata: Object) -> str:
    owners = metadata.get("ownerReferences") or ()
    return next((each["uid"] for each in owners if each.get("controller")), "")


def _started(status: Object) -> int | None:
    """When the first of its containers that run began to; None before."""
    running = ((each.get("state") or {}).get("running") for each in status.get("containerStatuses") or ())
    began = [parse_instant(each["startedAt"]) for each in running if each and each.get("startedAt")]
    return min(began, default=None)


def _instant(text: str | None) -> int | None:
    return None if text is None else parse_instant(text)


def _told(status: Object) -> str | None:
    for condition in status.get("conditions") or ():
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            return str(condition.get("message", "")) if condition.get("reason") == "Unschedulable" else ""
    return None


# Demands ------------------------------------------------------------------------------------------


def _demand(metadata: Object, spec: Object, status: Object) -> Demand:
    unsupported = unsupported_demands(spec)
    try:
        requests = _pod_requests(spec, status)
    except QuantityError as error:
        requests, unsupported = {}, (*unsupported, f"resource amounts that it cannot read: {error}")
    cpu, memory = requests.pop("cpu", 0), requests.pop("memory", 0)
    return Demand(
        cpu=cpu,
        memory=memory,
        others=_sorted_amounts(requests),
        node_selector=tuple(sorted((spec.get("nodeSelector") or {}).items())),
        node_terms=node_terms(spec),
        tolerations=tuple(_toleration(each) for each in spec.get("tolerations") or ()),
        unsupported=unsupported,
        preferred=preferences(spec),
        ports=host_ports(spec),
        affinity=pod_terms(metadata, spec, "podAffinity"),
        anti_affinity=pod_terms(metadata, spec, "podAntiAffinity"),
        spread=spreads(metadata, spec),
    )


def _sorted_amounts(amounts: Mapping[str, int]) -> Amounts:
    return tuple(sorted((name, amount) for name, amount in amounts.items() if amount))


def _pod_requests(spec: Object, status: Object) -> dict[str, int]:
    allocated = _allocated(status) if spec.get("nodeName") else {}
    total = _sum(_container_requests(each, allocated) for each in spec["containers"])
    if spec.get("initContainers"):
        total = _with_init_containers(total, spec["initContainers"], allocated)
    for name, amount in _amounts((spec.get("resources") or {}).get("requests") or {}).items():
        if name.startswith(_POD_LEVEL):
            total[name] = amount
    return _sum((total, _amounts(spec["overhead"]))) if spec.get("overhead") else total


def _with_init_containers(
    total: dict[str, int], containers: Iterable[Object], allocated: Object
) -> dict[str, int]:
    """Init containers run one after the other, each beside the sidecars started before it; sidecars stay."""
    peak: dict[str, int] = {}
    sidecars: dict[str, int] = {}
    for container in containers:
        own = _container_requests(container, allocated)
        if container.get("restartPolicy") == _EVER_RUNNING:
            total = _sum((total, own))
            sidecars = _sum((sidecars, own))
            own = {}
        peak = _most(peak, _sum((own, sidecars)))
    return _most(total, peak)


def _container_requests(container: Object, allocated: Object) -> dict[str, int]:
    resources = container.get("resources") or {}
    # A limit without a request is the request: the API server's own default.
    requests = _amounts({**(resources.get("limits") or {}), **(resources.get("requests") or {})})
    granted = allocated.get(container.get("name", ""))
    return _most(requests, _amounts(granted)) if granted else requests


def _allocated(status: Object) -> dict[str, Object]:
    """What kubelets have granted to containers that were resized in place, by the container's name."""
    statuses = (*(status.get("containerStatuses") or ()), *(status.get("initContainerStatuses") or ()))
    return {each["name"]: each["allocatedResources"] for each in statuses if each.get("allocatedResources")}


def _amounts(quantities: Mapping[str, Any]) -> dict[str, int]:
    return {name: millis(amount) if name == "cpu" else units(amount) for name, amount in quantities.items()}


def _sum(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for part in parts:
        for name, amount in part.items():
            total[name] = total.get(name, 0) + amount
    return total


def _most(left: Mapping[str, int], right: Mapping[str, int]) -> dict[str, int]:
    return {name: max(left.get(name, 0), right.get(name, 0)) for name in (*left, *right)}


def _toleration(each: Object) -> Toleration:
    return Toleration(
        each.get("key", ""), each.get("operator") or "Equal", each.get("value", ""), each.get("effect", "")
    )
