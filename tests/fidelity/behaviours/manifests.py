"""Objects that behaviours begin with."""

from typing import Any, Final

JsonObject = dict[str, Any]

CONTAINER: Final[JsonObject] = {"name": "main", "image": "example.com/main:1"}
TEMPLATE: Final[JsonObject] = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [CONTAINER]}}
SELECTOR: Final[JsonObject] = {"matchLabels": {"app": "a"}}


def pod(name: str = "pod", labels: JsonObject | None = None, **spec: Any) -> JsonObject:
    """A pod of one container; ``spec`` changes its specification."""
    metadata: JsonObject = {"name": name, **({"labels": labels} if labels else {})}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": [CONTAINER], **spec},
    }


def config(name: str = "config", labels: JsonObject | None = None, **metadata: Any) -> JsonObject:
    """A ConfigMap, the kind without any behaviour."""
    told: JsonObject = {"name": name, **({"labels": labels} if labels else {}), **metadata}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": told, "data": {"key": "value"}}


def job(name: str = "job", **spec: Any) -> JsonObject:
    """A Job of one pod."""
    template = {"spec": {"containers": [CONTAINER], "restartPolicy": "Never"}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"template": template, **spec},
    }
