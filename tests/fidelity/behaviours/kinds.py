"""Every kind: an example goes through create, read, list, update, patch and delete."""

from dataclasses import dataclass
from typing import Any, Final

from tests.fidelity.behaviours.manifests import SELECTOR, TEMPLATE, JsonObject, job, pod
from tests.fidelity.suite import Play, add
from tests.fidelity.transcript import JSON_PATCH, STRATEGIC_PATCH, Client

_OWN_LABEL: Final = "fidelity"


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind and what an example of it has beside its name."""

    api_version: str
    plural: str
    kind: str
    namespaced: bool
    body: JsonObject

    def collection(self, client: Client) -> str:
        root = f"/apis/{self.api_version}" if "/" in self.api_version else f"/api/{self.api_version}"
        return client.path(self.plural, root=root) if self.namespaced else f"{root}/{self.plural}"

    def example(self, client: Client) -> JsonObject:
        metadata = {"name": client.namespace, "labels": {_OWN_LABEL: client.namespace}}
        return {"apiVersion": self.api_version, "kind": self.kind, "metadata": metadata, **self.body}

    def created(self, client: Client) -> str:
        client.create(self.collection(client), self.example(client))
        return f"{self.collection(client)}/{client.namespace}"


def _spec(**spec: Any) -> JsonObject:
    return {"spec": spec}


_WORKLOAD: Final = {"selector": SELECTOR, "template": TEMPLATE}
_REQUESTS: Final = {"requests": {"storage": "1Gi"}}
_ROLE: Final = {"apiGroup": "rbac.authorization.k8s.io", "name": "some"}
_SUBJECTS: Final = [{"kind": "User", "name": "someone", "apiGroup": "rbac.authorization.k8s.io"}]
_RULES: Final = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]
_VOLUME: Final = {"hostPath": {"path": "/data"}, "capacity": {"storage": "1Gi"}}
_TARGET: Final = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "target"}
_ATTACHED: Final = {"persistentVolumeName": "volume"}
_DEVICE: Final = {"name": "chip", "exactly": {"deviceClassName": "chips"}}
_SLICE: Final = {
    "driver": "chips.example.com",
    "nodeName": "node",
    "pool": {"name": "pool", "generation": 1, "resourceSliceCount": 1},
    "devices": [{"name": "chip-0"}],
}

KINDS: Final = (
    _Kind("v1", "configmaps", "ConfigMap", True, {"data": {"key": "value"}}),
    _Kind("v1", "endpoints", "Endpoints", True, {"subsets": [{"addresses": [{"ip": "10.1.1.1"}]}]}),
    _Kind("v1", "limitranges", "LimitRange", True, _spec(limits=[{"type": "Pod", "max": {"cpu": "4"}}])),
    _Kind("v1", "nodes", "Node", False, {"status": {"capacity": {"cpu": "4000m", "pods": "110"}}}),
    _Kind(
        "v1",
        "persistentvolumeclaims",
        "PersistentVolumeClaim",
        True,
        _spec(accessModes=["ReadWriteOnce"], resources=_REQUESTS),
    ),
    _Kind(
        "v1", "persistentvolumes", "PersistentVolume", False, _spec(accessModes=["ReadOnlyMany"], **_VOLUME)
    ),
    _Kind("v1", "pods", "Pod", True, {"spec": pod()["spec"]}),
    _Kind("v1", "podtemplates", "PodTemplate", True, {"template": TEMPLATE}),
    _Kind(
        "v1",
        "replicationcontrollers",
        "ReplicationController",
        True,
        _spec(selector={"app": "a"}, template=TEMPLATE),
    ),
    _Kind("v1", "resourcequotas", "ResourceQuota", True, _spec(hard={"services.nodeports": "5"})),
    _Kind("v1", "secrets", "Secret", True, {"stringData": {"key": "value"}}),
    _Kind("v1", "serviceaccounts", "ServiceAccount", True, {}),
    _Kind(
        "v1",
        "services",
        "Service",
        True,
        _spec(selector={"app": "a"}, ports=[{"port": 80}], clusterIP="None"),
    ),
    _Kind("apps/v1", "controllerrevisions", "ControllerRevision", True, {"revision": 1, "data": {"a": 1}}),
    _Kind("apps/v1", "daemonsets", "DaemonSet", True, _spec(**_WORKLOAD)),
    _Kind("apps/v1", "deployments", "Deployment", True, _spec(**_WORKLOAD)),
    _Kind("apps/v1", "replicasets", "ReplicaSet", True, _spec(**_WORKLOAD)),
    _Kind("apps/v1", "statefulsets", "StatefulSet", True, _spec(serviceName="s", **_WORKLOAD)),
    _Kind(
        "batch/v1",
        "cronjobs",
        "CronJob",
        True,
        _spec(schedule="0 * * * *", jobTemplate={"spec": job()["spec"]}),
    ),
    _Kind("batch/v1", "jobs", "Job", True, {"spec": job()["spec"]}),
    _Kind(
        "autoscaling/v2",
        "horizontalpodautoscalers",
        "HorizontalPodAutoscaler",
        True,
        _spec(scaleTargetRef=_TARGET, maxReplicas=3),
    ),
    _Kind(
        "policy/v1",
        "poddisruptionbudgets",
        "PodDisruptionBudget",
        True,
        _spec(minAvailable=1, selector=SELECTOR),
    ),
    _Kind("storage.k8s.io/v1", "csidrivers", "CSIDriver", False, {"spec": {}}),
    _Kind("storage.k8s.io/v1", "csinodes", "CSINode", False, _spec(drivers=[])),
    _Kind(
        "storage.k8s.io/v1", "csistoragecapacities", "CSIStorageCapacity", True, {"storageClassName": "fast"}
    ),
    _Kind("storage.k8s.io/v1", "storageclasses", "StorageClass", False, {"provisioner": "disk.example.com"}),
    _Kind(
        "storage.k8s.io/v1",
        "volumeattachments",
        "VolumeAttachment",
        False,
        _spec(attacher="disk.example.com", nodeName="node", source=_ATTACHED),
    ),
    _Kind("scheduling.k8s.io/v1", "priorityclasses", "PriorityClass", False, {"value": 1000}),
    _Kind(
        "coordination.k8s.io/v1", "leases", "Lease", True, _spec(holderIdentity="me", leaseDurationSeconds=15)
    ),
    _Kind(
        "discovery.k8s.io/v1",
        "endpointslices",
        "EndpointSlice",
        True,
        {"addressType": "IPv4", "endpoints": [{"addresses": ["10.1.1.1"]}]},
    ),
    _Kind("node.k8s.io/v1", "runtimeclasses", "RuntimeClass", False, {"handler": "runc"}),
    _Kind("resource.k8s.io/v1", "deviceclasses", "DeviceClass", False, {"spec": {}}),
    _Kind(
        "resource.k8s.io/v1", "resourceclaims", "ResourceClaim", True, _spec(devices={"requests": [_DEVICE]})
    ),
    _Kind(
        "resource.k8s.io/v1",
        "resourceclaimtemplates",
        "ResourceClaimTemplate",
        True,
        _spec(spec={"devices": {"requests": [_DEVICE]}}),
    ),
    _Kind("resource.k8s.io/v1", "resourceslices", "ResourceSlice", False, {"spec": _SLICE}),
    _Kind(
        "networking.k8s.io/v1", "ingressclasses", "IngressClass", False, _spec(controller="example.com/in")
    ),
    _Kind(
        "networking.k8s.io/v1",
        "ingresses",
        "Ingress",
        True,
        _spec(defaultBackend={"service": {"name": "s", "port": {"number": 80}}}),
    ),
    _Kind("networking.k8s.io/v1", "networkpolicies", "NetworkPolicy", True, _spec(podSelector={})),
    _Kind(
        "rbac.authorization.k8s.io/v1",
        "clusterrolebindings",
        "ClusterRoleBinding",
        False,
        {"roleRef": {**_ROLE, "kind": "ClusterRole"}, "subjects": _SUBJECTS},
    ),
    _Kind("rbac.authorization.k8s.io/v1", "clusterroles", "ClusterRole", False, {"rules": _RULES}),
    _Kind(
        "rbac.authorization.k8s.io/v1",
        "rolebindings",
        "RoleBinding",
        True,
        {"roleRef": {**_ROLE, "kind": "Role"}, "subjects": _SUBJECTS},
    ),
    _Kind("rbac.authorization.k8s.io/v1", "roles", "Role", True, {"rules": _RULES}),
)


def _creating(kind: _Kind) -> Play:
    def play(client: Client) -> None:
        client.get(kind.created(client))
        client.create(kind.collection(client), kind.example(client))

    return play


def _listing(kind: _Kind) -> Play:
    def play(client: Client) -> None:
        kind.created(client)
        client.get(kind.collection(client), labelSelector=f"{_OWN_LABEL}={client.namespace}")
        table = "application/json;as=Table;v=v1;g=meta.k8s.io"
        client.get(f"{kind.collection(client)}/{client.namespace}", accept=table)

    return play


def _changing(kind: _Kind) -> Play:
    def play(client: Client) -> None:
        path = kind.created(client)
        stored = client.get(path)
        client.update(path, {**stored, "metadata": {**stored["metadata"], "annotations": {"a": "1"}}})
        client.update(path, stored)  # of an older version
        client.patch(path, {"metadata": {"annotations": {"b": "2"}}})
        client.patch(path, {"metadata": {"annotations": {"a": None}}}, STRATEGIC_PATCH)
        client.patch(path, [{"op": "remove", "path": "/metadata/annotations"}], JSON_PATCH)

    return play


def _ending(kind: _Kind) -> Play:
    def play(client: Client) -> None:
        path = kind.created(client)
        client.delete(path)
        client.get(path)
        client.delete(path)

    return play


def _refusing(kind: _Kind) -> Play:
    def play(client: Client) -> None:
        collection, example = kind.collection(client), kind.example(client)
        bad_name = {**example, "metadata": {"name": "Not_A_Name!", "labels": {"bad label": "x"}}}
        client.create(collection, bad_name)
        client.create(collection, {**example, "unknown": 1}, fieldValidation="Strict", dryRun="All")

    return play


_STAGES: Final = {
    "create": ("is created with its defaults, read back, and not created twice", _creating),
    "list": ("is listed, and shown as a table", _listing),
    "change": ("is updated, refused from an old version, and patched in three ways", _changing),
    "delete": ("is deleted, then not found", _ending),
    "refuse": ("is refused with a bad name and label, and with an unknown field", _refusing),
}

for _kind in KINDS:
    for _stage, (_statement, _made) in _STAGES.items():
        _name = f"{_stage}-{_kind.plural}"
        add("Every kind", _name, f"{_kind.kind} ({_kind.api_version}) {_statement}.", _made(_kind))
