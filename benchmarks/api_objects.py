"""What the API benchmark creates; ``{i}`` is the object's number."""

from collections.abc import Mapping
from typing import Any, Final

POD: Final[Mapping[str, Any]] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "name": "train-{i}",
        "labels": {"app": "train", "team": "vision", "job": "train-{i}"},
        "annotations": {"example.com/owner": "somebody@example.com"},
    },
    "spec": {
        "restartPolicy": "Never",
        # Nobody takes away the taint that a real server puts on a node that has just been made.
        "tolerations": [{"operator": "Exists"}],
        "containers": [
            {
                "name": "main",
                "image": "registry.example/train:1",
                "command": ["python", "train.py"],
                "env": [{"name": "RUN", "value": "{i}"}],
                "resources": {
                    "requests": {"cpu": "2", "memory": "8Gi", "nvidia.com/gpu": "1"},
                    "limits": {"nvidia.com/gpu": "1"},
                },
            }
        ],
    },
}
"""What is created: a pod of some 700 bytes that takes one chip, as a training job's would."""

ROOM: Final = {"cpu": "96", "memory": "512Gi", "pods": "110", "nvidia.com/gpu": "8"}
NODE: Final[Mapping[str, Any]] = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "node-{i}", "labels": {"kubernetes.io/hostname": "node-{i}"}},
    "status": {
        "capacity": ROOM,
        "allocatable": ROOM,
        "conditions": [{"type": "Ready", "status": "True"}],
    },
}


def ignored_by_schedulers(pod: Mapping[str, Any]) -> dict[str, Any]:
    """The same pod for a scheduler that does not exist."""
    return {**pod, "spec": {**pod["spec"], "schedulerName": "nobody"}}
