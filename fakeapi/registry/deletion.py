"""Deletion: preconditions, grace, finalizers, namespaces with all that is in them.

Follows ``apiserver/pkg/registry/rest/delete.go``. Dependents of a deleted owner are the
garbage collector's work (:mod:`fakeapi.cluster`), not done here.
"""

from dataclasses import dataclass
from typing import Final

from fakeapi.kernel.time import SECOND, format_instant, parse_instant
from fakeapi.machinery.resources import NAMESPACES, PODS, Resource
from fakeapi.machinery.status import StatusError, conflict, forbidden
from fakeapi.registry.defaults import DEFAULT_GRACE_S, JsonObject
from fakeapi.registry.options import BACKGROUND, DeleteOptions
from fakeapi.registry.registry import Registry
from fakeapi.storage.objects import Version

_PROTECTED_NAMESPACES: Final = ("default", "kube-public", "kube-system")
_FINALIZER_OF_POLICY: Final = {"Foreground": "foregroundDeletion", "Orphan": "orphan"}


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
        StatusError: 404, 409 when a precondition does not hold, 403 for a protected namespace.
    """
    current = registry.get(resource, namespace, name)
    _require(resource, current, options)
    if resource == NAMESPACES:
        return _delete_namespace(registry, current, options)
    metadata = current.object["metadata"]
    ending = dict(metadata)
    grace = _grace(resource, current.object, options)
    if grace is None and "deletionTimestamp" in metadata:
        return Deletion(current, gone=False)  # already ending, and no sooner end was asked for
    if grace:
        _stamp(registry, ending, metadata, grace)
    finalizers = list(metadata.get("finalizers") or ())
    added = _FINALIZER_OF_POLICY.get(options.propagation or "")
    if added and added not in finalizers and resource != PODS:
        finalizers.append(added)
        ending["finalizers"] = finalizers
    if finalizers and not grace:
        ending.setdefault("deletionTimestamp", registry.now_text())
        ending["deletionGracePeriodSeconds"] = 0
    if options.dry_run:
        return Deletion(current, gone=not (grace or finalizers))
    if not grace and not finalizers:
        _mark_as_ending(registry, resource, current)
        return Deletion(registry.store.delete(resource.storage_key, current.key), gone=True)
    if ending == metadata:
        return Deletion(current, gone=False)
    if "deletionTimestamp" not in metadata and "generation" in metadata:
        ending["generation"] = metadata["generation"] + 1
    version = registry.store.update(resource.storage_key, current.key, {**current.object, "metadata": ending})
    return Deletion(version, gone=False)


def _mark_as_ending(registry: Registry, resource: Resource, current: Version) -> None:
    """Stamp a pod that goes at once, so that watchers see it end before it is gone, as they do elsewhere."""
    metadata = current.object["metadata"]
    if resource != PODS or metadata.get("deletionGracePeriodSeconds") == 0:
        return
    ending = {**metadata, "deletionTimestamp": registry.now_text(), "deletionGracePeriodSeconds": 0}
    if "deletionTimestamp" not in metadata and "generation" in metadata:
        ending["generation"] = metadata["generation"] + 1
    registry.store.update(resource.storage_key, current.key, {**current.object, "metadata": ending})


def _require(resource: Resource, current: Version, options: DeleteOptions) -> None:
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
    return conflict(resource, metadata["name"], why)


def _grace(resource: Resource, obj: JsonObject, options: DeleteOptions) -> int | None:
    """Seconds of grace; 0 to end it now; None when it is ending already and nothing gets sooner."""
    if resource != PODS:
        return 0
    wanted = options.grace_s
    if wanted is not None and wanted < 0:
        wanted = 1
    metadata = obj["metadata"]
    if "deletionTimestamp" in metadata:
        pending: int = metadata.get("deletionGracePeriodSeconds") or 0
        if not pending:
            return 0
        return wanted if wanted is not None and wanted < pending else None
    if not obj["spec"].get("nodeName") or obj["status"].get("phase") in ("Succeeded", "Failed"):
        return 0
    if wanted is None:
        wanted = obj["spec"].get("terminationGracePeriodSeconds", DEFAULT_GRACE_S)
    return wanted


def _stamp(registry: Registry, ending: JsonObject, metadata: JsonObject, grace: int) -> None:
    now = parse_instant(registry.now_text())
    began = now
    if "deletionTimestamp" in metadata:
        pending = metadata.get("deletionGracePeriodSeconds") or 0
        began = parse_instant(metadata["deletionTimestamp"]) - pending * SECOND
    ends = began + grace * SECOND
    if ends < now:  # the shorter grace is over already: end as soon as a graceful end can
        ends, grace = now, 1
    ending["deletionTimestamp"] = format_instant(ends)
    ending["deletionGracePeriodSeconds"] = grace


def _delete_namespace(registry: Registry, current: Version, options: DeleteOptions) -> Deletion:
    name = current.object["metadata"]["name"]
    if name in _PROTECTED_NAMESPACES:
        raise forbidden(NAMESPACES, name, "this namespace may not be deleted")
    if options.dry_run:
        return Deletion(current, gone=False)
    ending = {**current.object["metadata"], "deletionTimestamp": registry.now_text()}
    terminating = {**current.object, "metadata": ending, "status": {"phase": "Terminating"}}
    registry.store.update(NAMESPACES.storage_key, current.key, terminating)
    for resource in registry.table:
        if resource.namespaced and not resource.storage and "list" in resource.verbs:
            for version in list(registry.store.iterate(resource.storage_key, name)):
                registry.store.delete(resource.storage_key, version.key)
    return Deletion(registry.store.delete(NAMESPACES.storage_key, current.key), gone=True)
