"""The one table of what is served: group, version, resource, kind and their traits.

No kind has a handler of its own; a row here is what makes a kind exist. Custom
kinds join the same table while the server runs.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

ALL_VERBS: Final = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
REVIEW_VERBS: Final = ("create",)
_ONE_BY_ONE: Final = tuple(verb for verb in ALL_VERBS if verb != "deletecollection")
"""Namespaces are never deleted all at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Resource:
    """A served resource: one row of the table. There is one row object for each, compared by identity.

    ``storage`` names the row whose objects this one shows when it is only another
    view of them (events of the core group are those of ``events.k8s.io``).
    ``selectable`` lists the field paths that a field selector may name besides
    ``metadata.name`` and ``metadata.namespace``, as the real server supports them.
    """

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    subresources: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ALL_VERBS
    selectable: tuple[str, ...] = ()
    storage: str = ""
    singular_name: str = ""

    @property
    def api_version(self) -> str:
        """``v1`` for the core group, ``group/version`` for others."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def singular(self) -> str:
        """The singular in lower case, as kubectl takes it."""
        return self.singular_name or self.kind.lower()

    @property
    def list_kind(self) -> str:
        """The kind of a collection of these."""
        return self.kind + "List"

    @property
    def qualified(self) -> str:
        """``plural.group`` (or ``plural`` in the core group), as messages of the real server say it."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def storage_key(self) -> str:
        """The key of the store's collection that holds the objects: one for all views of them."""
        return self.storage or f"{self.group}/{self.plural}"


def _rows() -> Iterator[Resource]:
    namespaced, cluster = True, False
    status = ("status",)
    status_scale = ("status", "scale")

    # core
    yield Resource("", "v1", "bindings", "Binding", namespaced, verbs=REVIEW_VERBS)
    yield Resource("", "v1", "configmaps", "ConfigMap", namespaced, ("cm",))
    yield Resource("", "v1", "endpoints", "Endpoints", namespaced, ("ep",))
    yield Resource(
        "",
        "v1",
        "events",
        "Event",
        namespaced,
        ("ev",),
        storage="events.k8s.io/events",
        selectable=(
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            "source",
            "type",
        ),
    )
    yield Resource("", "v1", "limitranges", "LimitRange", namespaced, ("limits",))
    yield Resource(
        "",
        "v1",
        "namespaces",
        "Namespace",
        cluster,
        ("ns",),
        subresources=status,
        verbs=_ONE_BY_ONE,
        selectable=("status.phase",),
    )
    yield Resource(
        "", "v1", "nodes", "Node", cluster, ("no",), subresources=status, selectable=("spec.unschedulable",)
    )
    yield Resource(
        "", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", namespaced, ("pvc",), (), status
    )
    yield Resource("", "v1", "persistentvolumes", "PersistentVolume", cluster, ("pv",), (), status)
    yield Resource(
        "",
        "v1",
        "pods",
        "Pod",
        namespaced,
        ("po",),
        ("all",),
        ("binding", "eviction", "status"),
        selectable=(
            "spec.nodeName",
            "spec.host",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.phase",
            "status.podIP",
            "status.podIPs",
            "status.nominatedNodeName",
        ),
    )
    yield Resource("", "v1", "podtemplates", "PodTemplate", namespaced)
    yield Resource(
        "",
        "v1",
        "replicationcontrollers",
        "ReplicationController",
        namespaced,
        ("rc",),
        ("all",),
        status_scale,
        selectable=("status.replicas",),
    )
    yield Resource("", "v1", "resourcequotas", "ResourceQuota", namespaced, ("quota",), (), status)
    yield Resource("", "v1", "secrets", "Secret", namespaced, selectable=("type",))
    yield Resource("", "v1", "serviceaccounts", "ServiceAccount", namespaced, ("sa",))
    yield Resource(
        "",
        "v1",
        "services",
        "Service",
        namespaced,
        ("svc",),
        ("all",),
        status,
        selectable=("spec.clusterIP", "spec.type"),
    )

    # workloads
    yield Resource("apps", "v1", "controllerrevisions", "ControllerRevision", namespaced)
    yield Resource("apps", "v1", "daemonsets", "DaemonSet", namespaced, ("ds",), ("all",), status)
    yield Resource("apps", "v1", "deployments", "Deployment", namespaced, ("deploy",), ("all",), status_scale)
    yield Resource(
        "apps",
        "v1",
        "replicasets",
        "ReplicaSet",
        namespaced,
        ("rs",),
        ("all",),
        status_scale,
    )
    yield Resource("apps", "v1", "statefulsets", "StatefulSet", namespaced, ("sts",), ("all",), status_scale)
    yield Resource("batch", "v1", "cronjobs", "CronJob", namespaced, ("cj",), ("all",), status)
    yield Resource(
        "batch", "v1", "jobs", "Job", namespaced, (), ("all",), status, selectable=("status.successful",)
    )
    yield Resource(
        "autoscaling",
        "v2",
        "horizontalpodautoscalers",
        "HorizontalPodAutoscaler",
        namespaced,
        ("hpa",),
        ("all",),
        status,
    )
    yield Resource(
        "policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", namespaced, ("pdb",), (), status
    )

    # storage
    yield Resource("storage.k8s.io", "v1", "csidrivers", "CSIDriver", cluster)
    yield Resource("storage.k8s.io", "v1", "csinodes", "CSINode", cluster)
    yield Resource("storage.k8s.io", "v1", "csistoragecapacities", "CSIStorageCapacity", namespaced)
    yield Resource("storage.k8s.io", "v1", "storageclasses", "StorageClass", cluster, ("sc",))
    yield Resource("storage.k8s.io", "v1", "volumeattachments", "VolumeAttachment", cluster, (), (), status)
    yield Resource(
        "storage.k8s.io", "v1", "volumeattributesclasses", "VolumeAttributesClass", cluster, ("vac",)
    )

    # scheduling and coordination
    yield Resource("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", cluster, ("pc",))
    yield Resource("scheduling.k8s.io", "v1beta1", "podgroups", "PodGroup", namespaced, (), (), status)
    yield Resource("scheduling.k8s.io", "v1beta1", "workloads", "Workload", namespaced)
    yield Resource(
        "scheduling.x-k8s.io", "v1alpha1", "podgroups", "PodGroup", namespaced, ("pg",), (), status
    )
    yield Resource("coordination.k8s.io", "v1", "leases", "Lease", namespaced)
    yield Resource("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", namespaced)
    yield Resource("node.k8s.io", "v1", "runtimeclasses", "RuntimeClass", cluster)
    yield Resource(
        "events.k8s.io",
        "v1",
        "events",
        "Event",
        namespaced,
        ("ev",),
        selectable=(
            "reason",
            "reportingController",
            "type",
            "regarding.kind",
            "regarding.namespace",
            "regarding.name",
            "regarding.uid",
            "regarding.apiVersion",
            "regarding.resourceVersion",
            "regarding.fieldPath",
        ),
    )

    # devices
    yield Resource("resource.k8s.io", "v1", "deviceclasses", "DeviceClass", cluster)
    yield Resource("resource.k8s.io", "v1", "devicetaintrules", "DeviceTaintRule", cluster, (), (), status)
    yield Resource("resource.k8s.io", "v1", "resourceclaims", "ResourceClaim", namespaced, (), (), status)
    yield Resource("resource.k8s.io", "v1", "resourceclaimtemplates", "ResourceClaimTemplate", namespaced)
    yield Resource(
        "resource.k8s.io",
        "v1",
        "resourceslices",
        "ResourceSlice",
        cluster,
        selectable=("spec.nodeName", "spec.driver", "spec.pool.name"),
    )

    # network and access: stored, without behaviour of their own
    yield Resource("networking.k8s.io", "v1", "ingressclasses", "IngressClass", cluster)
    yield Resource("networking.k8s.io", "v1", "ingresses", "Ingress", namespaced, ("ing",), (), status)
    yield Resource("networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy", namespaced, ("netpol",))
    for plural, kind, scope in (
        ("clusterrolebindings", "ClusterRoleBinding", cluster),
        ("clusterroles", "ClusterRole", cluster),
        ("rolebindings", "RoleBinding", namespaced),
        ("roles", "Role", namespaced),
    ):
        yield Resource("rbac.authorization.k8s.io", "v1", plural, kind, scope)

    # reviews: answered, never stored
    for plural, kind, scope in (
        ("tokenreviews", "TokenReview", cluster),
        ("selfsubjectreviews", "SelfSubjectReview", cluster),
    ):
        yield Resource("authentication.k8s.io", "v1", plural, kind, scope, verbs=REVIEW_VERBS)
    for plural, kind, scope in (
        ("localsubjectaccessreviews", "LocalSubjectAccessReview", namespaced),
        ("selfsubjectaccessreviews", "SelfSubjectAccessReview", cluster),
        ("selfsubjectrulesreviews", "SelfSubjectRulesReview", cluster),
        ("subjectaccessreviews", "SubjectAccessReview", cluster),
    ):
        yield Resource("authorization.k8s.io", "v1", plural, kind, scope, verbs=REVIEW_VERBS)


class ResourceTable:
    """Rows by (group, version, plural) and by (group, version, kind), in a stable order."""

    def __init__(self, rows: Iterable[Resource]) -> None:
        self._by_plural: dict[tuple[str, str, str], Resource] = {}
        self._by_kind: dict[tuple[str, str, str], Resource] = {}
        for row in rows:
            self.add(row)

    def __iter__(self) -> Iterator[Resource]:
        return iter(self._by_plural.values())

    def add(self, row: Resource) -> None:
        """Serve one more resource (or replace the row of the same name)."""
        replaced = self.get(row.group, row.version, row.plural)
        if replaced is not None and self.by_kind(row.group, row.version, replaced.kind) is replaced:
            del self._by_kind[row.group, row.version, replaced.kind]
        self._by_plural[row.group, row.version, row.plural] = row
        self._by_kind[row.group, row.version, row.kind] = row

    def get(self, group: str, version: str, plural: str) -> Resource | None:
        """The row of a path's group, version and plural, or None where nothing is served."""
        return self._by_plural.get((group, version, plural))

    def by_kind(self, group: str, version: str, kind: str) -> Resource | None:
        """The row of an object's group, version and kind, or None."""
        return self._by_kind.get((group, version, kind))

    def groups(self) -> dict[str, list[str]]:
        """Group → served versions, both in table order."""
        found: dict[str, list[str]] = {}
        for row in self:
            versions = found.setdefault(row.group, [])
            if row.version not in versions:
                versions.append(row.version)
        return found


def builtin_table() -> ResourceTable:
    """A new table with every built-in resource; a server adds its custom ones to its own copy."""
    return ResourceTable(BUILTIN)


BUILTIN: Final = ResourceTable(_rows())
"""The built-in rows, for code that names one: ``BUILTIN.get("", "v1", "pods")``. Never add to it."""


def builtin(plural: str, group: str = "", version: str = "v1") -> Resource:
    """The built-in row of that name.

    Raises:
        KeyError: no such row.
    """
    row = BUILTIN.get(group, version, plural)
    if row is None:
        raise KeyError(f"{plural}.{version}.{group}")
    return row


PODS: Final = builtin("pods")
NODES: Final = builtin("nodes")
NAMESPACES: Final = builtin("namespaces")
EVENTS: Final = builtin("events", "events.k8s.io")
CORE_EVENTS: Final = builtin("events")
PRIORITY_CLASSES: Final = builtin("priorityclasses", "scheduling.k8s.io")
POD_DISRUPTION_BUDGETS: Final = builtin("poddisruptionbudgets", "policy")
