"""create, update, patch, delete and the sub-resources: a body in, an object out.

Each function is one verb: it reads the options and the body, and hands over to the rules.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from fakeapi.machinery.negotiation import PatchFormat, patch_format
from fakeapi.machinery.patch import (
    InapplicablePatch,
    OversizedPatch,
    PatchError,
    UnmergeablePatch,
    json_patch,
    merge_patch,
)
from fakeapi.machinery.resources import builtin
from fakeapi.machinery.schema import Message, message_for
from fakeapi.machinery.status import (
    StatusError,
    bad_request,
    success,
    unsupported,
)
from fakeapi.machinery.strategic import strategic_merge
from fakeapi.registry import reviews
from fakeapi.registry.defaults import JsonObject
from fakeapi.registry.deletion import delete
from fakeapi.registry.options import DeleteOptions, WriteOptions, delete_options_of, dry_run_of
from fakeapi.registry.pods import bind, evict
from fakeapi.registry.registry import Registry
from fakeapi.registry.scale import rescale, scale_of
from fakeapi.rest.bodies import (
    BINDING,
    DELETE_OPTIONS,
    EVICTION,
    SCALE,
    Parsed,
    checked,
    parse_object,
    read_json,
    shape_of,
)
from fakeapi.rest.read import page_of
from fakeapi.rest.request import RequestInfo
from fakeapi.storage.objects import Version

CREATED: Final = 201
_OK: Final = 200
_BINDINGS: Final = builtin("bindings")
_SUCCESS: Final[JsonObject] = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}
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


def _write_options(info: RequestInfo) -> WriteOptions:
    return WriteOptions(dry_run=dry_run_of(info.query.get("dryRun", [])))


def create(registry: Registry, info: RequestInfo, body: bytes, content_type: str) -> Outcome:
    """POST to a collection."""
    options = _write_options(info)
    if info.resource == _BINDINGS:
        parsed = parse_object(body, content_type, BINDING, "Ignore")
        name = (parsed.object.get("metadata") or {}).get("name", "")
        bind(registry, info.namespace, name, parsed.object, options)
        return Outcome(_SUCCESS, CREATED)
    parsed = parse_object(body, content_type, shape_of(info.resource), info.text("fieldValidation"))
    if info.resource.group in ("authentication.k8s.io", "authorization.k8s.io"):
        return Outcome(reviews.answer(info.resource, parsed.object), CREATED, parsed.warnings)
    namespace = _namespace_of(info, parsed.object)
    version = registry.create(info.resource, namespace, parsed.object, options)
    return Outcome(version, CREATED, parsed.warnings)


def _namespace_of(info: RequestInfo, obj: JsonObject) -> str:
    metadata = obj.get("metadata")
    given = metadata.get("namespace", "") if isinstance(metadata, dict) else ""
    if not info.resource.namespaced:
        return ""
    if not info.namespace:
        raise bad_request("an empty namespace may not be set during creation")
    if given and given != info.namespace:
        raise bad_request(
            f"the namespace of the provided object does not match the namespace sent on the request"
            f" ({given} and {info.namespace})"
        )
    return info.namespace


def create_subresource(registry: Registry, info: RequestInfo, body: bytes, content_type: str) -> Outcome:
    """POST to a pod's ``binding`` or ``eviction``."""
    options = _write_options(info)
    if info.subresource == "binding":
        parsed = parse_object(body, content_type, BINDING, info.text("fieldValidation") or "Ignore")
        bind(registry, info.namespace, info.name, parsed.object, options)
    else:
        parsed = parse_object(body, content_type, EVICTION, info.text("fieldValidation"))
        evict(registry, info.namespace, info.name, parsed.object, options)
    return Outcome(_SUCCESS, CREATED, parsed.warnings)


def update(registry: Registry, info: RequestInfo, body: bytes, content_type: str) -> Outcome:
    """PUT of an object or of one of its sub-resources."""
    scales = info.subresource == "scale"
    shape = SCALE if scales else shape_of(info.resource)
    parsed = parse_object(body, content_type, shape, info.text("fieldValidation"))
    uid = (parsed.object.get("metadata") or {}).get("uid") or None
    options = replace(_write_options(info), uid=uid)
    if scales:
        scaled = rescale(registry, info.resource, info.namespace, info.name, parsed.object, options)
        return Outcome(scaled, _OK, parsed.warnings)
    version = registry.modify(
        info.resource, info.namespace, info.name, lambda _: parsed.object, options, info.subresource
    )
    return Outcome(version, _OK, parsed.warnings)


def get_scale(registry: Registry, info: RequestInfo) -> Outcome:
    """GET of the ``scale`` sub-resource."""
    return Outcome(scale_of(registry.get(info.resource, info.namespace, info.name).object))


def patch(registry: Registry, info: RequestInfo, body: bytes, content_type: str) -> Outcome:
    """PATCH of an object or of one of its sub-resources."""
    options = _write_options(info)
    apply = _patcher(info, body, content_type)
    if info.subresource == "scale":
        current = scale_of(registry.get(info.resource, info.namespace, info.name).object)
        wanted = checked(apply(current), SCALE, info.text("fieldValidation")).object
        return Outcome(rescale(registry, info.resource, info.namespace, info.name, wanted, options))
    shape = shape_of(info.resource)
    noticed: list[Parsed] = []

    def edit(obj: JsonObject) -> JsonObject:
        parsed = checked(apply(obj), shape, info.text("fieldValidation"))
        noticed.append(parsed)
        return parsed.object

    version = registry.modify(info.resource, info.namespace, info.name, edit, options, info.subresource)
    return Outcome(version, _OK, noticed[0].warnings)


def _patcher(info: RequestInfo, body: bytes, content_type: str) -> Callable[[JsonObject], JsonObject]:
    shape = SCALE if info.subresource == "scale" else shape_of(info.resource)
    message = message_for(shape.group, shape.version, shape.kind)
    form = patch_format(content_type, native=message is not None)
    if form is PatchFormat.APPLY_PATCH:
        raise unsupported("server-side apply")
    changes = read_json(body)

    def apply(obj: JsonObject) -> JsonObject:
        try:
            return _apply(form, message, obj, changes)
        except PatchError as error:
            raise _refused_patch(error) from None

    return apply


def _apply(form: PatchFormat, message: Message | None, obj: JsonObject, changes: Any) -> JsonObject:
    if form is PatchFormat.JSON_PATCH:
        return json_patch(obj, changes)
    if form is PatchFormat.MERGE_PATCH:
        return merge_patch(obj, changes)
    assert message is not None, "patch_format refuses strategic patches of kinds without a schema"
    return strategic_merge(obj, changes, message)


def _refused_patch(error: PatchError) -> StatusError:
    match error:
        case OversizedPatch():
            return StatusError(413, "RequestEntityTooLarge", str(error))
        case InapplicablePatch():
            return StatusError(
                422, "Invalid", f"the server rejected our request due to an error in our request: {error}"
            )
        case UnmergeablePatch():
            return StatusError(500, "InternalError", str(error))
    return bad_request(str(error))


def _delete_options(info: RequestInfo, body: bytes, content_type: str) -> DeleteOptions:
    if body:
        given = parse_object(body, content_type, DELETE_OPTIONS, "Ignore").object
    else:
        given = {}
        if (grace := info.text("gracePeriodSeconds")) != "":
            given["gracePeriodSeconds"] = _integer("gracePeriodSeconds", grace)
        if policy := info.text("propagationPolicy"):
            given["propagationPolicy"] = policy
    given = {**given, "dryRun": [*(given.get("dryRun") or ()), *info.query.get("dryRun", ())]}
    return delete_options_of(given)


def _integer(name: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise bad_request(f'invalid value for {name}: "{text}": must be an integer') from None


def remove(registry: Registry, info: RequestInfo, body: bytes, content_type: str) -> Outcome:
    """DELETE of one object."""
    options = _delete_options(info, body, content_type)
    deletion = delete(registry, info.resource, info.namespace, info.name, options)
    if not deletion.gone or info.resource.plural in _RETURNS_OBJECT:
        return Outcome(deletion.version)
    return Outcome(success(info.resource, info.name, deletion.version.object["metadata"]["uid"]))


def remove_collection(registry: Registry, info: RequestInfo, body: bytes, content_type: str) -> list[Version]:
    """DELETE of all objects that the selectors choose; their last states are returned."""
    options = _delete_options(info, body, content_type)
    page = page_of(registry, info)
    return [delete(registry, info.resource, *version.key, options).version for version in page.versions]
