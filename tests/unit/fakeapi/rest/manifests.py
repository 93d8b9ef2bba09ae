"""An object of each kind with as many of its parts as the rules look at, and ways to spoil it."""

import copy
from collections.abc import Iterator
from typing import Any, Final

from hypothesis import strategies as st

from tests.unit.fakeapi.rest.client import CONFIGS, DEPLOYMENTS, LEASES, NODES, PODS

Json = dict[str, Any]

_NOW: Final = "2026-01-05T00:00:00Z"
_NOW_MICRO: Final = "2026-01-05T00:00:00.000000Z"
_SELECTOR: Final[Json] = {
    "matchLabels": {"a": "b"},
    "matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}],
}
_NODE_TERM: Final[Json] = {
    "matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}],
    "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}],
}
_POD_TERM: Final[Json] = {
    "topologyKey": "zone",
    "labelSelector": _SELECTOR,
    "namespaces": ["x"],
    "namespaceSelector": {},
    "matchLabelKeys": ["q"],
}
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_PODS_NEARBY: Final[Json] = {
    _REQUIRED: [_POD_TERM],
    _PREFERRED: [{"weight": 5, "podAffinityTerm": {"topologyKey": "zone", "labelSelector": _SELECTOR}}],
}
_METADATA: Final[Json] = {
    "name": "x",
    "labels": {"a": "b"},
    "annotations": {"fakeapi.world/run-time": "90m", "lst.scheduler/deadline": "4h"},
    "finalizers": ["a.b/c"],
    "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "o", "uid": "u", "controller": True}],
    "generateName": "y-",
}
_CONTAINER: Final[Json] = {
    "name": "main",
    "image": "i:1",
    "command": ["a"],
    "env": [{"name": "A", "value": "b"}],
    "ports": [{"containerPort": 80, "hostPort": 81, "protocol": "TCP"}],
    "resources": {
        "requests": {"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": "1"},
        "limits": {"nvidia.com/gpu": "1", "cpu": "2"},
    },
    "livenessProbe": {"httpGet": {"path": "/", "port": 80}, "periodSeconds": 5},
    "volumeMounts": [{"name": "v", "mountPath": "/v"}],
}
_POD_SPEC: Final[Json] = {
    "containers": [_CONTAINER],
    "initContainers": [{"name": "init", "image": "i", "restartPolicy": "Always"}],
    "tolerations": [
        {"key": "a", "operator": "Equal", "value": "b", "effect": "NoExecute", "tolerationSeconds": 5}
    ],
    "nodeSelector": {"a": "b"},
    "affinity": {
        "nodeAffinity": {
            _REQUIRED: {"nodeSelectorTerms": [_NODE_TERM]},
            _PREFERRED: [{"weight": 1, "preference": _NODE_TERM}],
        },
        "podAffinity": _PODS_NEARBY,
        "podAntiAffinity": _PODS_NEARBY,
    },
    "topologySpreadConstraints": [
        {
            "maxSkew": 1,
            "topologyKey": "z",
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": _SELECTOR,
            "minDomains": 2,
        }
    ],
    "schedulingGates": [{"name": "g"}],
    "priorityClassName": "system-node-critical",
    "securityContext": {"runAsUser": 5, "supplementalGroups": [1]},
    "volumes": [{"name": "v", "emptyDir": {"sizeLimit": "1Gi"}}],
    "restartPolicy": "Never",
    "terminationGracePeriodSeconds": 5,
    "activeDeadlineSeconds": 5,
    "resourceClaims": [{"name": "r", "resourceClaimName": "c"}],
    "readinessGates": [{"conditionType": "a/b"}],
}
_POD_STATUS: Final[Json] = {
    "phase": "Running",
    "conditions": [{"type": "PodScheduled", "status": "False", "lastTransitionTime": _NOW}],
    "containerStatuses": [
        {"name": "main", "ready": True, "restartCount": 0, "state": {"running": {"startedAt": _NOW}}}
    ],
    "podIPs": [{"ip": "10.0.0.1"}],
    "podIP": "10.0.0.1",
    "nominatedNodeName": "n",
    "startTime": _NOW,
}
_TEMPLATE: Final[Json] = {
    "metadata": {"labels": {"a": "b"}},
    "spec": {"containers": [{"name": "m", "image": "i"}]},
}
_ONCE: Final[Json] = {**_TEMPLATE, "spec": {**_TEMPLATE["spec"], "restartPolicy": "Never"}}
_ROLLING: Final[Json] = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 1}}
_APPS: Final = "/apis/apps/v1/namespaces/default"

MANIFESTS: Final[dict[str, Json]] = {
    PODS: {"spec": _POD_SPEC, "status": _POD_STATUS},
    NODES: {
        "spec": {
            "taints": [{"key": "a", "value": "b", "effect": "NoExecute", "timeAdded": _NOW}],
            "podCIDR": "10.0.0.0/24",
            "podCIDRs": ["10.0.0.0/24"],
        },
        "status": {
            "capacity": {"cpu": "8", "pods": "110"},
            "allocatable": {"cpu": "8"},
            "conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": _NOW}],
            "addresses": [{"type": "Hostname", "address": "n"}],
            "images": [{"names": ["a"], "sizeBytes": 5}],
        },
    },
    DEPLOYMENTS: {
        "spec": {"replicas": 2, "selector": _SELECTOR, "template": _TEMPLATE, "strategy": _ROLLING},
        "status": {"replicas": 2, "conditions": [{"type": "Available", "status": "True"}]},
    },
    f"{_APPS}/replicasets": {
        "spec": {"replicas": 2, "selector": _SELECTOR, "template": _TEMPLATE},
        "status": {"replicas": 1, "fullyLabeledReplicas": 1},
    },
    f"{_APPS}/statefulsets": {
        "spec": {
            "replicas": 2,
            "selector": _SELECTOR,
            "template": _TEMPLATE,
            "serviceName": "s",
            "podManagementPolicy": "Parallel",
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}},
            "volumeClaimTemplates": [
                {"metadata": {"name": "v"}, "spec": {"resources": {"requests": {"storage": "1Gi"}}}}
            ],
        },
        "status": {"replicas": 1},
    },
    f"{_APPS}/daemonsets": {
        "spec": {
            "selector": _SELECTOR,
            "template": _TEMPLATE,
            "updateStrategy": {**_ROLLING, "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
        },
        "status": {"currentNumberScheduled": 1, "desiredNumberScheduled": 1, "numberReady": 1},
    },
    "/apis/batch/v1/namespaces/default/jobs": {
        "spec": {
            "template": _ONCE,
            "parallelism": 2,
            "completions": 2,
            "completionMode": "Indexed",
            "podFailurePolicy": {
                "rules": [
                    {
                        "action": "Ignore",
                        "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}],
                    }
                ]
            },
            "successPolicy": {"rules": [{"succeededCount": 1}]},
        },
        "status": {
            "active": 1,
            "conditions": [{"type": "Complete", "status": "True"}],
            "startTime": _NOW,
            "uncountedTerminatedPods": {"succeeded": ["u"]},
        },
    },
    "/apis/batch/v1/namespaces/default/cronjobs": {
        "spec": {
            "schedule": "* * * * *",
            "jobTemplate": {"spec": {"template": _ONCE}},
            "timeZone": "Etc/UTC",
        },
        "status": {"active": [{"name": "j"}], "lastScheduleTime": _NOW},
    },
    "/apis/policy/v1/namespaces/default/poddisruptionbudgets": {
        "spec": {"minAvailable": 1, "selector": _SELECTOR},
        "status": {
            "disruptionsAllowed": 1,
            "currentHealthy": 1,
            "conditions": [{"type": "DisruptionAllowed", "status": "True", "lastTransitionTime": _NOW}],
            "disruptedPods": {"p": _NOW},
        },
    },
    "/apis/scheduling.k8s.io/v1/priorityclasses": {
        "value": 5,
        "globalDefault": True,
        "preemptionPolicy": "Never",
    },
    "/api/v1/namespaces/default/events": {
        "involvedObject": {"kind": "Pod", "namespace": "default", "name": "x", "uid": "u"},
        "reason": "r",
        "message": "m",
        "type": "Normal",
        "source": {"component": "c"},
        "count": 1,
        "firstTimestamp": _NOW,
        "lastTimestamp": _NOW,
    },
    "/apis/events.k8s.io/v1/namespaces/default/events": {
        "regarding": {"kind": "Pod", "namespace": "default", "name": "x"},
        "reason": "r",
        "note": "m",
        "type": "Normal",
        "eventTime": _NOW_MICRO,
        "action": "a",
        "reportingController": "a/c",
        "reportingInstance": "i",
        "series": {"count": 2, "lastObservedTime": _NOW_MICRO},
    },
    LEASES: {
        "spec": {
            "holderIdentity": "h",
            "leaseDurationSeconds": 5,
            "acquireTime": _NOW_MICRO,
            "renewTime": _NOW_MICRO,
            "leaseTransitions": 1,
        }
    },
    CONFIGS: {"data": {"a": "b"}, "binaryData": {"c": "YQ=="}, "immutable": False},
    "/api/v1/namespaces": {"spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}},
    "/apis/storage.k8s.io/v1/storageclasses": {
        "provisioner": "p",
        "parameters": {"a": "b"},
        "reclaimPolicy": "Delete",
        "volumeBindingMode": "Immediate",
        "allowedTopologies": [{"matchLabelExpressions": [{"key": "a", "values": ["b"]}]}],
    },
    "/apis/node.k8s.io/v1/runtimeclasses": {
        "handler": "h",
        "overhead": {"podFixed": {"cpu": "1"}},
        "scheduling": {"nodeSelector": {"a": "b"}, "tolerations": [{"key": "a"}]},
    },
    "/api/v1/namespaces/default/replicationcontrollers": {
        "spec": {"replicas": 1, "selector": {"a": "b"}, "template": _TEMPLATE},
        "status": {"replicas": 1},
    },
    "/api/v1/namespaces/default/resourcequotas": {
        "spec": {"hard": {"cpu": "1"}},
        "status": {"used": {"cpu": "1"}},
    },
    "/api/v1/namespaces/default/services": {
        "spec": {"ports": [{"port": 80, "targetPort": "a"}], "selector": {"a": "b"}}
    },
    "/api/v1/persistentvolumes": {
        "spec": {
            "capacity": {"storage": "1Gi"},
            "hostPath": {"path": "/x"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [_NODE_TERM]}},
        }
    },
    "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/default/podgroups": {
        "spec": {"minMember": 2},
        "status": {"phase": "x"},
    },
}
"""Collection → a manifest of its kind; :func:`manifest` adds the metadata."""

_ODD: Final[st.SearchStrategy[Any]] = st.sampled_from(
    (
        None, True, False, 0, 1, -1, 2**31, 2**63 - 1, 0.5, "", "a", "b/c", "-1", "x" * 300, "é\0", "1Gi",
        "9999999999999999999999", _NOW, "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "Exists", "Never",
        [], [None], [""], [{}], ["a", "a"], {}, {"a": None}, {"": ""}, {"a": "b"},
    )
)  # fmt: skip
"""Values that are of the wrong type or out of any range somewhere."""


def manifest(collection: str) -> Json:
    """A manifest of the collection's kind; its name is ``x``."""
    return {"metadata": _METADATA, **MANIFESTS[collection]}


@st.composite
def spoiled(draw: st.DrawFn, obj: Json, most: int = 2) -> Json:
    """The object with some of its parts replaced or removed; its name stays."""
    result = copy.deepcopy(obj)
    for _ in range(draw(st.integers(0, most))):
        places = list(_places(result))
        if not places:
            break
        holder, key = draw(st.sampled_from(places))
        if draw(st.integers(0, 5)):
            holder[key] = copy.deepcopy(draw(_ODD))
        else:
            del holder[key]
    return result


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Where something is: the container and its key."""
    if isinstance(value, dict):
        pairs: list[tuple[Any, Any]] = [(key, item) for key, item in value.items() if key != "name"]
    elif isinstance(value, list):
        pairs = list(enumerate(value))
    else:
        return
    for key, item in pairs:
        yield value, key
        yield from _places(item)
