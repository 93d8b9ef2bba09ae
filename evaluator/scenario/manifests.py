"""Scenario items as the Kubernetes objects that the API server is given.

The world and the scheduler read a pod's hidden facts from its annotations; this module writes them, and
:mod:`evaluator.scenario.facts` reads them back.
"""

from typing import Any, Final, TypeAlias

from evaluator.scenario.model import CHIP_RESOURCE, Job, Node, Pod, PriorityClass, Toleration, Work
from evaluator.scenario.units import format_bytes, format_cpu, format_duration, format_rfc3339, parse_duration
from fakeapi.cluster.annotations import (
    CHECKPOINT_INTERVAL,
    CHECKPOINT_ON_STOP,
    EXIT_CODE,
    REPORT_PROGRESS,
    RESTART_COST,
    RUN_TIME,
    START_DELAY,
    STOP_TIME,
)
from fakeapi.cluster.annotations import GANG as WORLD_GANG
from fakeapi.cluster.annotations import GANG_SIZE as WORLD_GANG_SIZE
from fakeapi.cluster.nodes import NodeShape, build_node
from fakeapi.cluster.nodes import Taint as NodeTaint
from fakeapi.kernel.time import SECOND

Object: TypeAlias = dict[str, Any]
"""A Kubernetes object in its JSON form."""

DEADLINE: Final = "lst.scheduler/deadline"
"""Annotation for the scheduler: RFC 3339 to the nanosecond, since creation times have whole seconds."""

EXPECTED_DURATION: Final = "lst.scheduler/expected-duration"
"""Annotation for the scheduler: its estimate of the run time, a duration."""

USER: Final = "lst.scheduler/user"
"""Label: who submitted the pod."""

QUEUE: Final = "lst.scheduler/queue"
"""Label: the queue it was submitted to."""

EXPECTED_CHECKPOINT_INTERVAL: Final = "lst.scheduler/checkpoint-interval"
EXPECTED_RESTART_COST: Final = "lst.scheduler/restart-cost"
"""Annotations for the scheduler: what it may expect of checkpoints and of a restart, durations."""

PROGRESS: Final = "lst.scheduler/progress"
"""Annotation for the scheduler: run time that earlier pods have saved, a duration."""

GANG: Final = "lst.scheduler/gang"
"""Annotation for the scheduler, of pods that have to run together: how many of them at least."""

GANG_TOPOLOGY: Final = "lst.scheduler/gang-topology"
"""Annotation for the scheduler: the label of nodes within one value of which a gang should be kept."""

CHIP_TYPE_LABEL: Final = "nvidia.com/gpu.product"
"""Label of a node's chip type, as NVIDIA's feature discovery writes it."""

CONTAINER: Final = "main"
"""Name of a pod's only container."""

IMAGE: Final = "registry.example/workload:1"
"""Image of that container; nothing pulls it."""


def pod_manifest(
    pod: Pod, *, at_ns: int, start_ns: int, scheduler_name: str, chip_resource: str = CHIP_RESOURCE
) -> Object:
    """The pod as it is created.

    :param at_ns: its submission, nanoseconds since the start of the run.
    :param start_ns: start of the run, nanoseconds since 1970-01-01T00:00:00Z.
    :param scheduler_name: name of the scheduler under test, for a pod that names none.
    """
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": pod.name,
            "namespace": pod.namespace,
            "labels": _labels(pod),
            "annotations": _annotations(pod, at_ns, start_ns),
        },
        "spec": _spec(pod, scheduler_name, chip_resource),
    }


def job_manifest(
    job: Job, *, at_ns: int, start_ns: int, scheduler_name: str, chip_resource: str = CHIP_RESOURCE
) -> Object:
    """The Job as it is created. The parameters are those of :func:`pod_manifest`."""
    annotations = _annotations(job, at_ns, start_ns)
    if job.gang:
        annotations = {**_gang_annotations(job), **annotations}
    if job.checkpoint is not None or job.checkpoint_on_stop:
        annotations = {REPORT_PROGRESS: PROGRESS, **annotations}
    spec: Object = {
        "parallelism": job.pods,
        "completions": job.needed,
        "completionMode": "Indexed" if job.indexed else "NonIndexed",
        "backoffLimit": job.backoff_limit,
        "template": {
            "metadata": {"labels": _labels(job), "annotations": annotations},
            "spec": _spec(job, scheduler_name, chip_resource),
        },
    }
    if job.suspend:
        spec["suspend"] = True
    limits = {"activeDeadlineSeconds": job.active_deadline, "ttlSecondsAfterFinished": job.keep_for}
    for field, value in limits.items():
        if value is not None:
            spec[field] = parse_duration(value) // SECOND
    metadata = {"name": job.name, "namespace": job.namespace, "labels": _labels(job)}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


def _gang_annotations(job: Job) -> dict[str, str]:
    """What tells the scheduler, and the world, that the pods belong together."""
    told = {GANG: str(job.pods), WORLD_GANG: job.name, WORLD_GANG_SIZE: str(job.pods)}
    return told if job.topology is None else {**told, GANG_TOPOLOGY: job.topology}


def _spec(pod: Work, scheduler_name: str, chip_resource: str) -> Object:
    requests = _amounts(pod.cpu_milli, pod.memory_bytes, pod.chips, chip_resource)
    spec: Object = {
        "schedulerName": pod.scheduler_name or scheduler_name,
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": parse_duration(pod.grace) // SECOND,
        "containers": [
            {"name": CONTAINER, "image": IMAGE, "resources": {"requests": requests, "limits": dict(requests)}}
        ],
    }
    if pod.class_name is not None:
        spec["priorityClassName"] = pod.class_name
    if pod.node_selector:
        spec["nodeSelector"] = dict(pod.node_selector)
    if pod.tolerations:
        spec["tolerations"] = [_toleration(each) for each in pod.tolerations]
    return spec


def _labels(pod: Work) -> dict[str, str]:
    told = {USER: pod.user, QUEUE: pod.queue}
    return {key: value for key, value in told.items() if value is not None} | dict(pod.labels)


def _annotations(pod: Work, at_ns: int, start_ns: int) -> dict[str, str]:
    annotations: dict[str, str] = {}
    deadline_ns = pod.deadline_ns(at_ns, start_ns)
    if deadline_ns is not None:
        annotations[DEADLINE] = format_rfc3339(start_ns + deadline_ns)
    if pod.expected_ns is not None:
        annotations[EXPECTED_DURATION] = format_duration(pod.expected_ns)
    told = {
        RUN_TIME: pod.run_time,
        START_DELAY: pod.start_delay,
        STOP_TIME: pod.stop_time,
        # The scheduler reads of checkpoints and restarts what the world does.
        CHECKPOINT_INTERVAL: pod.checkpoint,
        EXPECTED_CHECKPOINT_INTERVAL: pod.checkpoint,
        RESTART_COST: pod.restart_cost,
        EXPECTED_RESTART_COST: pod.restart_cost,
    }
    for key, value in told.items():
        if value is not None:
            annotations[key] = format_duration(parse_duration(value))
    if pod.checkpoint_on_stop:
        annotations[CHECKPOINT_ON_STOP] = "true"
    if pod.exit_code:
        annotations[EXIT_CODE] = str(pod.exit_code)
    return annotations | dict(pod.annotations)


def _toleration(toleration: Toleration) -> Object:
    fields = {
        "key": toleration.key,
        "operator": toleration.operator,
        "value": toleration.value or None,
        "effect": toleration.effect,
        "tolerationSeconds": toleration.seconds,
    }
    return {key: value for key, value in fields.items() if value is not None}


def _amounts(cpu_milli: int, memory_bytes: int, chips: int, chip_resource: str) -> dict[str, str]:
    amounts = {"cpu": format_cpu(cpu_milli), "memory": format_bytes(memory_bytes)}
    if chips:
        amounts[chip_resource] = str(chips)
    return amounts


def node_manifest(
    node: Node, *, at_ns: int, start_ns: int, number: int = 0, chip_resource: str = CHIP_RESOURCE
) -> Object:
    """The node as its kubelet would have registered it, ready since ``at_ns``.

    :param at_ns: when it joins, nanoseconds since the start of the run.
    :param start_ns: start of the run, nanoseconds since 1970-01-01T00:00:00Z.
    :param number: sets it apart from other nodes where a number is needed, as in its address.
    """
    shape = NodeShape(
        name=node.name,
        chips=node.chips,
        chip_resource=chip_resource,
        cpu_milli=node.cpu_milli,
        memory_bytes=node.memory_bytes,
        max_pods=node.pods,
        labels=node_labels(node),
        taints=tuple(NodeTaint(each.key, each.effect, each.value) for each in node.taints),
    )
    return build_node(shape, number, start_ns + at_ns)


def node_labels(node: Node) -> dict[str, str]:
    """The labels that a scenario gives a node."""
    told = {
        CHIP_TYPE_LABEL: node.chip_type,
        "topology.kubernetes.io/zone": node.zone,
        "topology.kubernetes.io/region": node.region,
    }
    return {key: value for key, value in told.items() if value is not None} | dict(node.labels)


def priority_class_manifest(priority_class: PriorityClass) -> Object:
    """The priority class as it is created."""
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": priority_class.name},
        "value": priority_class.value,
        "globalDefault": priority_class.default,
        "description": priority_class.description,
        "preemptionPolicy": "PreemptLowerPriority" if priority_class.preempts else "Never",
    }
