"""Deletion: preconditions, grace, finalizers, namespaces with all that is in them.

Follows ``apiserver/pkg/registry/rest/delete.go`` and ``generic/registry/store.go``. Dependents of a
deleted owner are the garbage collector's work (:mod:`fakeapi.cluster`), not done here.
"""

from dataclasses import dataclass
from typing import Final

from fakeapi.kernel.time import SECOND, format_instant, parse_instant
from fakeapi.machinery.resources import EVENTS, NAMESPACES, PODS, Resource
from fakeapi.machinery.status import StatusError, conflict, forbidden
from fakeapi.registry.admission import admit_deletion
from fakeapi.registry.defaults import DEFAULT_GRACE_S, JsonObject
from fakeapi.registry.options import BACKGROUND, DeleteOptions
from fakeapi.registry.registry import Registry
from fakeapi.registry.traits import named_by_kind
from fakeapi.storage.objects import Version

_PROTECTED_NAMESPACES: Final = ("default", "kube-public", "kube-system")
_FINALIZER_OF_POLICY: Final = {"Foreground": "foregroundDeletion", "Orphan": "orphan"}
_ORPHANING: Final = frozenset({("batch", "jobs"), ("", "replicationcontrollers")})
"""Kinds whose dependents are orphaned unless told otherwise (``DefaultGarbageCollectionPolicy``)."""
_LEAST_GRACE_S: Final = 1


@dataclass(frozen=True, slots=True)
class Deletion:
    """What a deletion did: the object's last state, and whether it is gone or only ending."""

    version: Version
    gone: bool


def delete(
    registry: Registry, resource: Resource, namespace: str, name: str, options: DeleteOptions = BACKGROUND
) -> Deletion:
    """Delete an object, or begin to where it ends gracefully or finalizers hold it.

    Raises:
        StatusError: 404, 409 when a precondition does not hold, 403 for what every cluster has.
    """
    current = registry.get(resource, namespace, name)
    admit_deletion(resource, name)
    if resource == NAMESPACES:
        return _delete_namespace(registry, current, options)
    require_preconditions(resource, current, options)
    if resource == PODS:
        return _delete_pod(registry, current, options)
    ending = _with_finalizers(resource, current.object["metadata"], options)
    if not ending.get("finalizers"):
        return _remove(registry, resource, current, current.object["metadata"], options)
    return _hold(registry, resource, current, _without_grace(registry, ending), options)


def require_preconditions(resource: Resource, current: Version, options: DeleteOptions) -> None:
    """Refuse a deletion that means another object, or another version of it.

    Raises:
        StatusError: 409 naming what differs.
    """
    metadata = current.object["metadata"]
    if options.uid is not None and options.uid != metadata["uid"]:
        why = (
            f"the UID in the precondition ({options.uid}) does not match the UID in record "
            f"({metadata['uid']}). The object might have been deleted and then recreated"
        )
        raise _precondition_failed(resource, metadata, why)
    if options.revision is not None and options.revision != metadata["resourceVersion"]:
        why = (
            f"the ResourceVersion in the precondition ({options.revision}) does not match the "
            f"ResourceVersion in record ({metadata['resourceVersion']}). The object might have been modified"
        )
        raise _precondition_failed(resource, metadata, why)


def _precondition_failed(resource: Resource, metadata: JsonObject, why: str) -> StatusError:
    return conflict(named_by_kind(resource), metadata["name"], why)


# ---- what holds an object ----------------------------------------------------------------------


def _with_finalizers(resource: Resource, metadata: JsonObject, options: DeleteOptions) -> JsonObject:
    """The metadata with the finalizers that the propagation asks for, and without those it does not.

    A Job or ReplicationController that is deleted without a word of its dependents orphans them, as it did
    before there was a garbage collector.
    """
    finalizers = list(metadata.get("finalizers") or ())
    propagation = options.propagation
    if propagation is None and (resource.group, resource.plural) in _ORPHANING:
        propagation = "Orphan"
    if propagation is None or resource.storage_key == EVENTS.storage_key:
        return dict(metadata)
    finalizers = [name for name in finalizers if name not in _FINALIZER_OF_POLICY.values()]
    if propagation in _FINALIZER_OF_POLICY:
        finalizers.append(_FINALIZER_OF_POLICY[propagation])
    kept = {name: value for name, value in metadata.items() if name != "finalizers"}
    return {**kept, "finalizers": finalizers} if finalizers else kept


def _without_grace(registry: Registry, metadata: JsonObject) -> JsonObject:
    """The metadata of an object that is gone but for its finalizers."""
    now = registry.now_text()
    since = metadata.get("deletionTimestamp")
    ending = {**metadata, "deletionGracePeriodSeconds": 0}
    if since is None:
        _count(ending)
    if since is None or parse_instant(since) > parse_instant(now):
        ending["deletionTimestamp"] = now
    return ending


def _count(metadata: JsonObject) -> None:
    if "generation" in metadata:
        metadata["generation"] += 1


def _hold(
    registry: Registry, resource: Resource, current: Version, ending: JsonObject, options: DeleteOptions
) -> Deletion:
    """Store that the object ends."""
    if ending == current.object["metadata"]:
        return Deletion(current, gone=False)
    obj = {**current.object, "metadata": ending}
    if options.dry_run:
        return Deletion(Version(current.key, current.revision, obj, current.created), gone=False)
    return Deletion(registry.store.update(resource.storage_key, current.key, obj), gone=False)


def _remove(
    registry: Registry, resource: Resource, current: Version, ending: JsonObject, options: DeleteOptions
) -> Deletion:
    """Remove the object, after its last state is told where that is another."""
    if options.dry_run:
        obj = {**current.object, "metadata": ending}
        return Deletion(Version(current.key, current.revision, obj, current.created), gone=True)
    last = _hold(registry, resource, current, ending, options).version
    if registry.store.find(resource.storage_key, current.key) is last:  # else a listener removed it
        last = registry.store.delete(resource.storage_key, current.key)
    return Deletion(last, gone=True)


# ---- pods ------------------------------------------------------------------------------------


def _delete_pod(registry: Registry, current: Version, options: DeleteOptions) -> Deletion:
    """End a pod, gracefully where it runs.

    Pods get no finalizers for their dependents: they have none, so that a collector would have
    nothing to do but to remove them again.
    """
    metadata = current.object["metadata"]
    grace = _grace(current.object, options)
    if grace is None:
        return Deletion(current, gone=False)  # already ending, and no sooner end was asked for
    if "deletionTimestamp" in metadata and not metadata.get("deletionGracePeriodSeconds"):
        ending = _without_grace(registry, metadata)
    else:
        ending = _with_grace(registry, metadata, grace)
    if ending["deletionGracePeriodSeconds"] or metadata.get("finalizers"):
        return _hold(registry, PODS, current, ending, options)
    return _remove(registry, PODS, current, ending, options)


def _grace(pod: JsonObject, options: DeleteOptions) -> int | None:
    """Seconds of grace; 0 to end it now; None when it is ending already and nothing gets sooner."""
    wanted, metadata, spec = options.grace_s, pod["metadata"], pod["spec"]
    if wanted is not None and wanted < 0:
        wanted = _LEAST_GRACE_S
    if "deletionTimestamp" in metadata:
        pending: int = metadata.get("deletionGracePeriodSeconds") or 0
        if not pending:
            return 0
        return wanted if wanted is not None and wanted < pending else None
    if not spec.get("nodeName") or pod["status"].get("phase") in ("Succeeded", "Failed"):
        return 0
    return spec.get("terminationGracePeriodSeconds", DEFAULT_GRACE_S) if wanted is None else wanted


def _with_grace(registry: Registry, metadata: JsonObject, grace: int) -> JsonObject:
    now = registry.now() // SECOND * SECOND  # timestamps have whole seconds
    began, ending = now, dict(metadata)
    if "deletionTimestamp" in metadata:
        pending = metadata.get("deletionGracePeriodSeconds") or 0
        began = parse_instant(metadata["deletionTimestamp"]) - pending * SECOND
    else:
        _count(ending)
    ends = began + grace * SECOND
    if ends < now:  # the shorter grace is over already: end as soon as a graceful end can
        ends, grace = now, min(grace, _LEAST_GRACE_S)
    ending["deletionTimestamp"] = format_instant(ends)
    ending["deletionGracePeriodSeconds"] = grace
    return ending


# ---- namespaces ------------------------------------------------------------------------------


def _delete_namespace(registry: Registry, current: Version, options: DeleteOptions) -> Deletion:
    metadata = current.object["metadata"]
    name = metadata["name"]
    if name in _PROTECTED_NAMESPACES:
        raise forbidden(NAMESPACES, name, "this namespace may not be deleted")
    for field, wanted, found in (
        ("UID", options.uid, metadata["uid"]),
        ("ResourceVersion", options.revision, metadata["resourceVersion"]),
    ):
        if wanted is not None and wanted != found:
            why = f"Precondition failed: {field} in precondition: {wanted}, {field} in object meta: {found}"
            raise conflict(NAMESPACES, name, why)
    if "deletionTimestamp" in metadata:
        return Deletion(current, gone=False)
    ending = {**metadata, "deletionTimestamp": registry.now_text()}
    obj = {**current.object, "metadata": ending, "status": {"phase": "Terminating"}}
    if options.dry_run:
        return Deletion(Version(current.key, current.revision, obj, current.created), gone=False)
    terminating = registry.store.update(NAMESPACES.storage_key, current.key, obj)
    _delete_contents(registry, name)
    registry.namespace_ends.expect(name)
    return Deletion(terminating, gone=False)


def _delete_contents(registry: Registry, namespace: str) -> None:
    rows = {row.storage_key: row for row in registry.table if not row.storage}
    for collection, key in registry.namespace_ends.contents(namespace):
        if registry.store.find(collection, key) is not None:  # else a listener removed it
            delete(registry, rows[collection], *key)
