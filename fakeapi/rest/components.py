"""The kinds' structure as OpenAPI schemas, made from the packaged description of Kubernetes' types.

What clients use of it is there: names, types, merge keys and strategies, list types,
required fields. The real server's documents also carry the fields' documentation.
"""

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

from fakeapi.machinery.schema import Field, Message, message_for, packaged

JsonObject: TypeAlias = dict[str, Any]
GroupVersionKind: TypeAlias = tuple[str, str, str]

GVK_EXTENSION: Final = "x-kubernetes-group-version-kind"
_PREFIX: Final = "#/components/schemas/"

_SCALARS: Final[dict[str, JsonObject]] = {
    "string": {"type": "string"},
    "bool": {"type": "boolean"},
    "int32": {"type": "integer", "format": "int32"},
    "int64": {"type": "integer", "format": "int64"},
    "double": {"type": "number", "format": "double"},
    "bytes": {"type": "string", "format": "byte"},
}
_FORMS: Final[dict[str, JsonObject]] = {
    "time": {"type": "string", "format": "date-time"},
    "micro_time": {"type": "string", "format": "date-time"},
    "quantity": {"oneOf": [{"type": "string"}, {"type": "number"}]},
    "int_or_string": {"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]},
    "raw": {"type": "object"},
    "strings": {"type": "array", "items": {"type": "string"}},
    # Parts of CustomResourceDefinitions that may have one of two shapes: anything goes.
    "one_or_many": {},
    "one_or_bool": {},
    "one_or_strings": {},
}
_PACKAGES: Final = {
    "meta.v1": "io.k8s.apimachinery.pkg.apis.meta.v1",
    "api.resource": "io.k8s.apimachinery.pkg.api.resource",
    "pkg.runtime": "io.k8s.apimachinery.pkg.runtime",
    "util.intstr": "io.k8s.apimachinery.pkg.util.intstr",
}
"""Where types live that are not part of ``k8s.io/api``."""


def gvk_object(gvk: GroupVersionKind) -> JsonObject:
    """A group, version and kind as extensions of OpenAPI documents write it."""
    group, version, kind = gvk
    return {"group": group, "kind": kind, "version": version}


def component_name(gvk: GroupVersionKind) -> str:
    """The name of a kind's schema, the real server's for kinds of Kubernetes."""
    message = message_for(*gvk)
    if message is not None:
        return _published_name(message)
    group, version, kind = gvk
    return ".".join(filter(None, (*reversed(group.split(".")), version, kind)))


def reference(gvk: GroupVersionKind) -> JsonObject:
    """A reference to a kind's schema."""
    return {"$ref": _PREFIX + component_name(gvk)}


def components(kinds: Iterable[GroupVersionKind]) -> dict[str, JsonObject]:
    """The schemas of those kinds and of everything that they consist of, by name."""
    found: dict[str, JsonObject] = {}
    for gvk in dict.fromkeys(kinds):
        message = message_for(*gvk)
        if message is None:
            found[component_name(gvk)] = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        else:
            _add(message, found)
        found[component_name(gvk)].setdefault(GVK_EXTENSION, []).append(gvk_object(gvk))
    return dict(sorted(found.items()))


def _add(message: Message, found: dict[str, JsonObject]) -> None:
    name = _published_name(message)
    if name in found:
        return
    found[name] = schema = _schema(message)
    if "properties" not in schema:
        return
    for field in message.by_name.values():
        part = message.message_of(field)
        if part is not None:
            _add(part, found)


def _published_name(message: Message) -> str:
    package, _, kind = message.name.rpartition(".")
    return f"{_PACKAGES.get(package, f'io.k8s.api.{package}')}.{kind}"


def _schema(message: Message) -> JsonObject:
    if message.form != "object":
        return dict(_FORMS[message.form])
    fields = message.by_name
    schema: JsonObject = {"type": "object"}
    if fields:
        schema["properties"] = {name: _property(field) for name, field in fields.items()}
    required = [name for name, field in fields.items() if field.required]
    return schema | ({"required": required} if required else {})


def _property(field: Field) -> JsonObject:
    one = _SCALARS.get(field.type) or {"$ref": _PREFIX + _published_name(packaged().message(field.type))}
    extensions = _extensions(field)
    if field.shape == "list":
        return {"type": "array", "items": one, **extensions}
    if field.shape == "map":
        return {"type": "object", "additionalProperties": one, **extensions}
    # Beside a reference everything else is ignored, so that it has to be wrapped.
    return {"allOf": [one], **extensions} if extensions and "$ref" in one else {**one, **extensions}


def _extensions(field: Field) -> JsonObject:
    extensions: JsonObject = {
        "x-kubernetes-list-type": field.list_type,
        "x-kubernetes-list-map-keys": list(field.list_keys),
        "x-kubernetes-patch-merge-key": field.merge_key,
        "x-kubernetes-patch-strategy": ",".join(field.strategies),
    }
    return {name: value for name, value in extensions.items() if value}
