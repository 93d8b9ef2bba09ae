"""A namespace of its own on a server, and the Python client's doors to it: what a contract test is given."""

import contextlib
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import httpx
import pytest
from kubernetes import client, watch
from kubernetes.client import ApiException

from tests.support.servers import ApiServer

JsonObject = dict[str, Any]

REQUEST_S: Final = 30.0
"""Seconds that one request of a suite may take: reached only by a server that does not answer."""

MERGE_PATCH: Final = "application/merge-patch+json"

_numbers: Final = itertools.count(1)


@dataclass
class Refusal:
    """The Status that a refused request was answered with; empty until the block has ended."""

    status: JsonObject

    @property
    def message(self) -> str:
        """What the server says to the person."""
        return str(self.status["message"])


class Api:
    """One server, seen through the Python ``kubernetes`` client, and one empty namespace on it.

    Attributes:
        server: the server.
        namespace: the name of the namespace.
        core, apps, batch, policy, coordination, scheduling, events, objects: the client's typed groups.
        raw: plain HTTP with the client's credentials, for requests that no well-behaved client makes.
    """

    def __init__(self, server: ApiServer) -> None:
        self.server = server
        configuration = client.Configuration(host=server.url)
        configuration.ssl_ca_cert = str(server.authority) if server.authority else None
        configuration.retries = 0
        if server.token:
            configuration.api_key["authorization"] = f"Bearer {server.token}"
        # Any: the client's models take each field for optional, and its methods take bodies for models only.
        self._connection: Any = client.ApiClient(configuration)
        self.core: Any = client.CoreV1Api(self._connection)
        self.apps: Any = client.AppsV1Api(self._connection)
        self.batch: Any = client.BatchV1Api(self._connection)
        self.policy: Any = client.PolicyV1Api(self._connection)
        self.coordination: Any = client.CoordinationV1Api(self._connection)
        self.scheduling: Any = client.SchedulingV1Api(self._connection)
        self.events: Any = client.EventsV1Api(self._connection)
        self.objects: Any = client.CustomObjectsApi(self._connection)
        self.raw = httpx.Client(
            base_url=server.url, headers=server.headers, verify=server.trust, timeout=REQUEST_S
        )
        self.namespace = self.create_namespace()

    def create_namespace(self) -> str:
        """Create one more namespace; its name."""
        name = self.unique("suite")
        self.core.create_namespace({"metadata": {"name": name}})
        return name

    def close(self) -> None:
        """Give the connections back."""
        self.raw.close()
        self._connection.close()

    def unique(self, prefix: str) -> str:
        """A name that no other test of this process uses, for what lives outside of the namespace."""
        return f"{prefix}-{next(_numbers)}"

    def path(self, plural: str, name: str = "", sub: str = "", *, group: str = "") -> str:
        """The path of a collection, an object or a sub-resource in the namespace."""
        root = f"/apis/{group}" if group else "/api/v1"
        parts = [root, "namespaces", self.namespace, plural, name, sub]
        return "/".join(part for part in parts if part)

    def create_pod(self, name: str = "pod", **changes: Any) -> Any:
        """Create :func:`pod` in the namespace."""
        return self.core.create_namespaced_pod(self.namespace, pod(name, **changes))

    def create_config(self, name: str = "config", **metadata: Any) -> Any:
        """Create a ConfigMap, the kind without any behaviour, with one entry ``key: value``."""
        body = {"metadata": {"name": name, **metadata}, "data": {"key": "value"}}
        return self.core.create_namespaced_config_map(self.namespace, body)

    def create_node(self, *, cordoned: bool = False, **changes: Any) -> str:
        """Create a node of 8 chips with a name of its own; the name."""
        name = self.unique("node")
        manifest = node(name, **changes)
        if cordoned:
            manifest["spec"] = {"unschedulable": True}
        created = self.core.create_node(manifest)
        if created.spec.taints:  # a new node is tainted until a controller, if there is one, has seen it
            self.core.patch_node(name, {"spec": {"taints": None}}, _content_type=MERGE_PATCH)
        return name

    def names(self, **selection: Any) -> list[str]:
        """The names of the namespace's pods, in the server's order."""
        found = self.core.list_namespaced_pod(self.namespace, **selection)
        return [item.metadata.name for item in found.items]

    def changes(self, version: str, *, seconds: int = 1, **selection: Any) -> list[tuple[str, Any]]:
        """Type and object of each change of the namespace's pods since ``version``, as a watch tells them.

        The server ends the watch after ``seconds``; what happened before the call is there by then.
        """
        watcher: Any = watch.Watch  # untyped in the client
        stream = watcher().stream(
            self.core.list_namespaced_pod,
            self.namespace,
            resource_version=version,
            timeout_seconds=seconds,
            _request_timeout=REQUEST_S,
            **selection,
        )
        return [(event["type"], event["object"]) for event in stream]


@contextlib.contextmanager
def refused(code: int, reason: str) -> Iterator[Refusal]:
    """Assert that the block's request through the Python client is answered by this Status."""
    refusal = Refusal({})
    with pytest.raises(ApiException) as raised:
        yield refusal
    refusal.status = json.loads(raised.value.body or "{}")
    assert raised.value.status == code, refusal.status
    assert_status(refusal.status, code, reason)


def assert_status(body: JsonObject, code: int, reason: str) -> None:
    """Assert that a body is a complete Status of failure."""
    assert body.get("kind") == "Status", body
    assert body["apiVersion"] == "v1"
    assert body["status"] == "Failure"
    assert (body["code"], body.get("reason")) == (code, reason), body
    assert body["message"]


def assert_refused(response: httpx.Response, code: int, reason: str) -> JsonObject:
    """Assert that a plain request is answered by this Status; the Status."""
    assert response.status_code == code, response.text
    assert response.headers["content-type"].split(";")[0] == "application/json"
    status: JsonObject = response.json()
    assert_status(status, code, reason)
    return status


def pod(name: str = "pod", *, spec: JsonObject | None = None, **metadata: Any) -> JsonObject:
    """The manifest of a small pod that any scheduler would place."""
    container = {
        "name": "main",
        "image": "registry.example/train:1",
        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, **metadata},
        "spec": {"containers": [container], **(spec or {})},
    }


def node(name: str, *, chips: int = 8, **metadata: Any) -> JsonObject:
    """The manifest of a ready node with chips."""
    room = {"cpu": "64", "memory": "512Gi", "pods": "110", "nvidia.com/gpu": str(chips)}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, **metadata},
        "status": {
            "capacity": room,
            "allocatable": room,
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }
