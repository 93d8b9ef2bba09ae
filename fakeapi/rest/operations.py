"""Every path and method of a resource as data: both versions of the OpenAPI documents are written from it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from fakeapi.machinery.negotiation import JSON, PROTOBUF, YAML, PatchFormat
from fakeapi.machinery.resources import Resource
from fakeapi.machinery.schema import message_for
from fakeapi.rest.components import GroupVersionKind
from fakeapi.rest.discovery import subresource_kind, subresource_verbs

OBJECT_BODIES: Final = (JSON, YAML, PROTOBUF)
_STATUS: Final[GroupVersionKind] = ("", "v1", "Status")
_DELETE_OPTIONS: Final[GroupVersionKind] = ("", "v1", "DeleteOptions")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A query parameter."""

    name: str
    type: str
    description: str


DRY_RUN: Final = Parameter("dryRun", "string", "All: check the request and change nothing.")
FIELD_MANAGER: Final = Parameter("fieldManager", "string", "Name of who makes the change.")
FIELD_VALIDATION: Final = Parameter(
    "fieldValidation", "string", "What unknown or repeated fields lead to: Ignore, Warn or Strict."
)
FORCE: Final = Parameter("force", "boolean", "Take over fields that others manage, in server-side apply.")
_SELECTORS: Final = (
    Parameter("labelSelector", "string", "Condition on the labels of the objects."),
    Parameter("fieldSelector", "string", "Condition on the fields of the objects."),
)
_LIST: Final = (
    *_SELECTORS,
    Parameter("limit", "integer", "Greatest number of objects in one answer."),
    Parameter("continue", "string", "Where the page before this one ended."),
    Parameter("resourceVersion", "string", "The version to read at, or to watch from."),
    Parameter("resourceVersionMatch", "string", "How resourceVersion is meant."),
    Parameter("timeoutSeconds", "integer", "How long a watch lasts."),
    Parameter("watch", "boolean", "Send changes as they come instead of a list."),
    Parameter("allowWatchBookmarks", "boolean", "Send bookmarks in a watch."),
    Parameter("sendInitialEvents", "boolean", "Begin a watch with what there is."),
)
_WRITE: Final = (DRY_RUN, FIELD_MANAGER, FIELD_VALIDATION)
_DELETE: Final = (
    DRY_RUN,
    Parameter("gracePeriodSeconds", "integer", "Seconds that the object may take to end."),
    Parameter("propagationPolicy", "string", "What happens to dependents."),
)


@dataclass(frozen=True, slots=True)
class Operation:
    """One method at one path."""

    path: str
    method: str
    action: str
    """What it does, in the vocabulary of ``x-kubernetes-action``."""
    identifier: str
    gvk: GroupVersionKind
    parameters: tuple[Parameter, ...]
    body: GroupVersionKind | None
    consumes: tuple[str, ...]
    answer: GroupVersionKind


def operations(resource: Resource) -> Iterator[Operation]:
    """Everything that can be done with a resource and its sub-resources."""
    root = f"/apis/{resource.group}" if resource.group else "/api"
    everywhere = f"{root}/{resource.version}/{resource.plural}"
    collection = everywhere
    if resource.namespaced:
        collection = f"{root}/{resource.version}/namespaces/{{namespace}}/{resource.plural}"
        yield from _at(resource, everywhere, {"list": _LIST_VERB}, "", "ForAllNamespaces")
    yield from _at(resource, collection, _COLLECTION_VERBS, "", "")
    yield from _at(resource, collection + "/{name}", _OBJECT_VERBS, "", "")
    for subresource in sorted(resource.subresources):
        verbs = {verb: _ALL_VERBS[verb] for verb in subresource_verbs(subresource)}
        yield from _at(resource, f"{collection}/{{name}}/{subresource}", verbs, subresource, "")


@dataclass(frozen=True, slots=True)
class _Verb:
    method: str
    action: str
    parameters: tuple[Parameter, ...]


_LIST_VERB: Final = _Verb("get", "list", _LIST)
_COLLECTION_VERBS: Final = {
    "list": _LIST_VERB,
    "create": _Verb("post", "post", _WRITE),
    "deletecollection": _Verb("delete", "deletecollection", (*_DELETE, *_SELECTORS)),
}
_OBJECT_VERBS: Final = {
    "get": _Verb("get", "get", ()),
    "update": _Verb("put", "put", _WRITE),
    "patch": _Verb("patch", "patch", (*_WRITE, FORCE)),
    "delete": _Verb("delete", "delete", _DELETE),
}
_ALL_VERBS: Final = {**_COLLECTION_VERBS, **_OBJECT_VERBS}


def _at(
    resource: Resource, path: str, verbs: dict[str, _Verb], subresource: str, suffix: str
) -> Iterator[Operation]:
    own = (resource.group, resource.version, resource.kind)
    gvk = subresource_kind(resource, subresource) if subresource else own
    for name, verb in verbs.items():
        if subresource or name in resource.verbs:
            identifier = _identifier(resource, verb.action, subresource, suffix)
            body, consumes, answer = _bodies(resource, verb.action, gvk)
            yield Operation(
                path, verb.method, verb.action, identifier, gvk, verb.parameters, body, consumes, answer
            )


def _identifier(resource: Resource, action: str, subresource: str, suffix: str) -> str:
    words = [*re.split(r"\W+", resource.group or "core"), resource.version]
    scope = "Namespaced" if resource.namespaced and not suffix else ""
    place = "".join(word.capitalize() for word in words)
    return f"{action}{place}{scope}{resource.kind}{subresource.capitalize()}{suffix}"


def _bodies(
    resource: Resource, action: str, gvk: GroupVersionKind
) -> tuple[GroupVersionKind | None, tuple[str, ...], GroupVersionKind]:
    """(kind of the request's body, its media types, kind of the answer)."""
    if action in ("post", "put"):
        return gvk, OBJECT_BODIES, gvk
    if action == "patch":
        return None, patch_types(resource), gvk
    if action in ("delete", "deletecollection"):
        return _DELETE_OPTIONS, OBJECT_BODIES, _STATUS
    listed = (gvk[0], gvk[1], resource.list_kind) if action == "list" else gvk
    return None, (), listed


def patch_types(resource: Resource) -> tuple[str, ...]:
    """Media types of the patches that a resource takes: strategic merge needs a kind of Kubernetes itself."""
    native = message_for(resource.group, resource.version, resource.kind) is not None
    return tuple(
        form.value for form in PatchFormat if native or form is not PatchFormat.STRATEGIC_MERGE_PATCH
    )
