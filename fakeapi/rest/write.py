"""create, update, patch, delete and the sub-resources: a body in, an object out.

Each function is one verb: it reads the options and the body, and hands over to the rules.
"""

from dataclasses import dataclass, replace
from typing import Final

from fakeapi.machinery.resources import builtin
from fakeapi.machinery.status import StatusError, bad_request, conflict, success
from fakeapi.registry import reviews, traits
from fakeapi.registry.defaults import JsonObject
from fakeapi.registry.deletion import delete
from fakeapi.registry.options import DeleteOptions, delete_options_of
from fakeapi.registry.pods import bind, evict
from fakeapi.registry.registry import Registry
from fakeapi.registry.scale import rescale, scale_of
from fakeapi.rest.bodies import BINDING, DELETE_OPTIONS, EVICTION, SCALE, parse_object, shape_of
from fakeapi.rest.options import write_options
from fakeapi.rest.patching import Patch
from fakeapi.rest.present import Page
from fakeapi.rest.read import page_of
from fakeapi.rest.request import RequestInfo
from fakeapi.storage.objects import Version

CREATED: Final = 201
_OK: Final = 200
_BINDINGS: Final = builtin("bindings")
_NOT_FOUND: Final = 404
_SUCCESS: Final[JsonObject] = {
    "kind": "Status",
    "apiVersion": "v1",
    "metadata": {},
    "status": "Success",
    "code": CREATED,
}
_RETURNS_OBJECT: Final = frozenset(
    (
        *("csidrivers", "csinodes", "deviceclasses", "namespaces", "persistentvolumeclaims"),
        *("persistentvolumes", "pods", "podtemplates", "resourceclaims", "resourceclaimtemplates"),
        *("resourcequotas", "resourceslices", "serviceaccounts", "services", "storageclasses"),
        *("volumeattachments", "volumeattributesclasses"),
    )
)
"""Kinds whose deletion answers with the object, as their storage in the real server says."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """An answer: a stored object or some other JSON, a code, and warnings for the client."""

    result: Version | JsonObject
    code: int = _OK
    warnings: tuple[str, ...] = ()


def create(registry: Registry, info: RequestInfo, body: bytes, content_type: str) -> Outcome:
    """POST to a collection."""
    options = write_options(info, "CreateOptions")
    parsed = parse_object(body, content_type, shape_of(info.resource), info.text("fieldValidation"))
    _require_namespace(info, parsed.object)
    if info.resource == _BINDINGS:
        name = (parsed.object.get("metadata") or {}).get("name", "")
        bind(registry, info.namespace, name, parsed.object, options)
        return Outcome(_SUCCESS, CREATED, parsed.warnings)
    if info.resource.group in ("authentication.k8s.io", "authorization.k8s.io"):
        return Outcome(reviews.answer(info.resource, parsed.object), CREATED, parsed.warnings)
    version = registry.create(info.resource, info.namespace, parsed.object, options)
    return Outcome(version, CREATED, parsed.warnings)


def _require_namespace(info: RequestInfo, obj: JsonObject) -> None:
    given = (obj.get("metadata") or {}).get("namespace")
    if info.namespace and given and given != info.namespace:
        why = "the namespace of the provided object does not match the namespace sent on the request"
        raise bad_request(why)


def _require_same(info: RequestInfo, obj: JsonObject) -> None:
    """Refuse an object that is not the one that the path names."""
    _require_namespace(info, obj)
    name = (obj.get("metadata") or {}).get("name")
    if not name:
        why = f"the name of the object ({info.name} based on URL) was undeterminable: name must be provided"
        raise bad_request(why)
    if name != info.name:
        why = f"the name of the object ({name}) does not match the name on the URL ({info.name})"
        raise bad_request(why)


def create_subresource(registry: Registry, info: RequestInfo, body: bytes, content_type: str) -> Outcome:
    """POST to a pod's ``binding`` or ``eviction``."""
    options = write_options(info, "CreateOptions")
    shape, write = (BINDING, bind) if info.subresource == "binding" else (EVICTION, evict)
    parsed = parse_object(body, content_type, shape, info.text("fieldValidation"))
    _require_namespace(info, parsed.object)
    write(registry, info.namespace, info.name, parsed.object, options)
    return Outcome(_SUCCESS, CREATED, parsed.warnings)


def update(registry: Registry, info: RequestInfo, body: bytes, content_type: str) -> Outcome:
    """PUT of an object or of one of its sub-resources; of some kinds it creates what is not there."""
    scales = info.subresource == "scale"
    shape = SCALE if scales else shape_of(info.resource)
    options = write_options(info, "UpdateOptions")
    parsed = parse_object(body, content_type, shape, info.text("fieldValidation"))
    _require_same(info, parsed.object)
    uid = parsed.object["metadata"].get("uid") or None
    if _is_born(registry, info):
        newborn = _newborn(info, parsed.object, uid)
        version = registry.create(info.resource, info.namespace, newborn, options)
        return Outcome(version, CREATED, parsed.warnings)
    options = replace(options, uid=uid)
    if scales:
        scaled = rescale(registry, info.resource, info.namespace, info.name, parsed.object, options)
        return Outcome(scaled, _OK, parsed.warnings)
    version = registry.modify(
        info.resource, info.namespace, info.name, lambda _: parsed.object, options, info.subresource
    )
    return Outcome(version, _OK, parsed.warnings)


def _is_born(registry: Registry, info: RequestInfo) -> bool:
    if info.subresource or not traits.is_born_by_update(info.resource):
        return False
    return registry.store.find(info.resource.storage_key, (info.namespace, info.name)) is None


def _newborn(info: RequestInfo, obj: JsonObject, uid: str | None) -> JsonObject:
    """The object of an update as one to be created: it replaces nothing, whatever version it names."""
    if uid is not None:
        why = f"Precondition failed: UID in precondition: {uid}, UID in object meta: "
        raise conflict(info.resource, info.name, why)
    metadata = {name: value for name, value in obj["metadata"].items() if name != "resourceVersion"}
    return {**obj, "metadata": metadata}


def get_scale(registry: Registry, info: RequestInfo) -> Outcome:
    """GET of the ``scale`` sub-resource."""
    return Outcome(scale_of(registry.get(info.resource, info.namespace, info.name).object))


def patch(registry: Registry, info: RequestInfo, body: bytes, content_type: str) -> Outcome:
    """PATCH of an object or of one of its sub-resources."""
    scales = info.subresource == "scale"
    shape = SCALE if scales else shape_of(info.resource)
    changes = Patch(body, content_type, shape, info.text("fieldValidation"))
    options = write_options(info, "PatchOptions")

    def edit(obj: JsonObject) -> JsonObject:
        wanted = changes.apply(obj)
        _require_same(info, wanted)
        return wanted

    if scales:
        current = scale_of(registry.get(info.resource, info.namespace, info.name).object)
        scaled = rescale(registry, info.resource, info.namespace, info.name, edit(current), options)
        return Outcome(scaled, _OK, changes.warnings)
    version = registry.modify(info.resource, info.namespace, info.name, edit, options, info.subresource)
    return Outcome(version, _OK, changes.warnings)


def _delete_options(info: RequestInfo, body: bytes, content_type: str) -> DeleteOptions:
    given: JsonObject = {}
    if body:
        given = parse_object(body, content_type, DELETE_OPTIONS, "Ignore").object
    elif info.query:
        given = _delete_options_in_query(info)
    given = {**given, "dryRun": [*(given.get("dryRun") or ()), *info.query.get("dryRun", ())]}
    return delete_options_of(given)


def _delete_options_in_query(info: RequestInfo) -> JsonObject:
    given: JsonObject = {"gracePeriodSeconds": info.number("gracePeriodSeconds")}
    if "orphanDependents" in info.query:
        given["orphanDependents"] = info.flag("orphanDependents")
    if "propagationPolicy" in info.query:
        given["propagationPolicy"] = info.text("propagationPolicy")
    return given


def remove(registry: Registry, info: RequestInfo, body: bytes, content_type: str) -> Outcome:
    """DELETE of one object."""
    options = _delete_options(info, body, content_type)
    deletion = delete(registry, info.resource, info.namespace, info.name, options)
    if not deletion.gone or info.resource.plural in _RETURNS_OBJECT:
        return Outcome(deletion.version)
    return Outcome(success(info.resource, info.name, deletion.version.object["metadata"]["uid"]))


def remove_collection(registry: Registry, info: RequestInfo, body: bytes, content_type: str) -> Page:
    """DELETE of all objects that the selectors choose; they are returned as they were before."""
    page = page_of(registry, info)
    options = _delete_options(info, body, content_type)
    for version in page.versions:
        try:
            delete(registry, info.resource, *version.key, options)
        except StatusError as error:
            if error.code != _NOT_FOUND:  # else it went along with one before
                raise
    return page
