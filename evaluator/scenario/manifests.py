"""Scenario items as the Kubernetes objects that the API server is given.

The world and the scheduler read a pod's hidden facts from its annotations; this module writes them, and
:mod:`evaluator.scenario.facts` reads them back.
"""

from typing import Any, Final, TypeAlias

from evaluator.scenario.model import CHIP_RESOURCE, Node, Pod, PriorityClass, Toleration
from evaluator.scenario.units import format_bytes, format_cpu, format_duration, format_rfc3339, parse_duration
from fakeapi.cluster.annotations import EXIT_CODE, RUN_TIME, START_DELAY, STOP_TIME
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

GANG: Final = "lst.scheduler/gang"
"""Annotation for the scheduler, of pods that have to run together: ``true``, or how many of them at least."""

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
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": pod.name,
            "namespace": pod.namespace,
            "labels": _pod_labels(pod),
            "annotations": _pod_annotations(pod, at_ns, start_ns),
        },
        "spec": spec,
    }


def _pod_labels(pod: Pod) -> dict[str, str]:
    told = {USER: pod.user, QUEUE: pod.queue}
    return {key: value for key, value in told.items() if value is not None} | dict(pod.labels)


def _pod_annotations(pod: Pod, at_ns: int, start_ns: int) -> dict[str, str]:
    annotations = {}
    deadline_ns = pod.deadline_ns(at_ns, start_ns)
    if deadline_ns is not None:
        annotations[DEADLINE] = format_rfc3339(start_ns + deadline_ns)
    if pod.expected_ns is not None:
        annotations[EXPECTED_DURATION] = format_duration(pod.expected_ns)
    world = {RUN_TIME: pod.run_time, START_DELAY: pod.start_delay, STOP_TIME: pod.stop_time}
    for key, value in world.items():
        if value is not None:
            annotations[key] = format_duration(parse_duration(value))
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
