"""How the kinds differ in what the registry does with all of them: generations, updates, status.

Taken from the ``strategy.go`` files below ``pkg/registry``. A kind that is not named has the common trait.
"""

from typing import Any, Final

from fakeapi.machinery.resources import Resource
from fakeapi.machinery.schema import Message, message_for

JsonObject = dict[str, Any]

_GENERATION: Final = frozenset(
    (
        *(("", "Pod"), ("", "PodTemplate"), ("", "ReplicationController")),
        *(("apps", kind) for kind in ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet")),
        *(("batch", "CronJob"), ("batch", "Job"), ("policy", "PodDisruptionBudget")),
        *(("networking.k8s.io", kind) for kind in ("Ingress", "IngressClass", "NetworkPolicy")),
        *(("resource.k8s.io", kind) for kind in ("DeviceClass", "ResourceSlice")),
        *(("discovery.k8s.io", "EndpointSlice"), ("scheduling.k8s.io", "PriorityClass")),
    )
)
_FIXED_GENERATION: Final = frozenset((("scheduling.k8s.io", "PriorityClass"),))
"""Kinds whose generation is one for ever."""

_COUNTED_METADATA: Final = {
    ("apps", "Deployment"): "annotations",
    ("discovery.k8s.io", "EndpointSlice"): "labels",
}
"""The part of the metadata whose changes count too."""

_NEEDS_VERSION: Final = frozenset(
    (
        *(("coordination.k8s.io", "Lease"), ("node.k8s.io", "RuntimeClass")),
        ("policy", "PodDisruptionBudget"),
        *(
            ("storage.k8s.io", kind)
            for kind in ("CSIDriver", "CSINode", "CSIStorageCapacity", "VolumeAttachment")
        ),
    )
)
_BORN_BY_UPDATE: Final = frozenset(
    (
        *(("", kind) for kind in ("Endpoints", "Event", "LimitRange", "Service")),
        *(("coordination.k8s.io", "Lease"), ("events.k8s.io", "Event"), ("node.k8s.io", "RuntimeClass")),
        *(
            ("rbac.authorization.k8s.io", kind)
            for kind in ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")
        ),
    )
)
_STATUS_AT_CREATION: Final = frozenset((("", "Node"),))
_METADATA_KEPT_BY_STATUS: Final = {
    ("", "Pod"): frozenset(("ownerReferences",)),
    ("apps", "Deployment"): frozenset(("labels",)),
}
_ALL_METADATA: Final = frozenset(("annotations", "finalizers", "labels", "ownerReferences"))
_STATUS_WITHOUT_METADATA: Final = frozenset(
    (("resource.k8s.io", "ResourceClaim"), ("storage.k8s.io", "VolumeAttachment"))
)
_NONE: Final[frozenset[str]] = frozenset()
_OUTSIDE_OF_GENERATION: Final = frozenset(("kind", "apiVersion", "metadata", "status"))


def _key(resource: Resource) -> tuple[str, str]:
    return resource.group, resource.kind


def message_of(resource: Resource) -> Message | None:
    """The type of the kind's objects; None where Kubernetes itself does not know the kind."""
    return message_for(resource.group, resource.version, resource.kind)


def is_custom(resource: Resource) -> bool:
    """Whether the kind is one that Kubernetes itself does not know."""
    return message_of(resource) is None


def named_by_plural(resource: Resource) -> Resource:
    """The resource as some messages of the real server call it: by its plural where others name its kind."""
    return Resource(resource.group, resource.version, resource.plural, resource.plural, resource.namespaced)


def named_by_kind(resource: Resource) -> Resource:
    """The resource as some messages of the real server call it: by its kind where others have its plural."""
    return Resource(resource.group, resource.version, resource.kind, resource.kind, resource.namespaced)


def has_generation(resource: Resource) -> bool:
    """Whether objects of that kind count the changes of what is wanted of them."""
    return _key(resource) in _GENERATION or is_custom(resource)


def counted_part(resource: Resource, obj: JsonObject) -> JsonObject:
    """The part of an object whose changes its generation counts."""
    if _key(resource) in _FIXED_GENERATION:
        return {}
    part: JsonObject = {name: value for name, value in obj.items() if name not in _OUTSIDE_OF_GENERATION}
    if counted := _COUNTED_METADATA.get(_key(resource)):
        part["metadata"] = {counted: obj["metadata"].get(counted)}
    return part


def needs_version(resource: Resource) -> bool:
    """Whether an update must say which version it changes (no ``AllowUnconditionalUpdate``)."""
    return _key(resource) in _NEEDS_VERSION or is_custom(resource)


def is_born_by_update(resource: Resource) -> bool:
    """Whether an update of a name that is free creates the object (``AllowCreateOnUpdate``)."""
    return _key(resource) in _BORN_BY_UPDATE


def takes_status_at_creation(resource: Resource) -> bool:
    """Whether a client may give the status at creation: a node registers itself with its capacity."""
    return "status" not in resource.subresources or _key(resource) in _STATUS_AT_CREATION


def metadata_kept_by_status(resource: Resource) -> frozenset[str]:
    """Fields of the metadata that an update of the status leaves as they are."""
    if _key(resource) in _STATUS_WITHOUT_METADATA or is_custom(resource):
        return _ALL_METADATA
    return _METADATA_KEPT_BY_STATUS.get(_key(resource), _NONE)
