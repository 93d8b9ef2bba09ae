"""The OpenAPI documents: version 2 in JSON and protobuf, version 3 as an index and one for each API version.

kubectl reads them before it writes: whether the server checks fields itself (the query
parameter ``fieldValidation``), whether it knows dry runs, which patches a kind takes.
"""

import hashlib
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Final, TypeAlias

import orjson

from fakeapi.machinery.negotiation import JSON, media_ranges
from fakeapi.machinery.resources import Resource, ResourceTable
from fakeapi.machinery.status import not_acceptable
from fakeapi.rest.components import GVK_EXTENSION, components, gvk_object, reference
from fakeapi.rest.discovery import release
from fakeapi.rest.gnostic import encode_document
from fakeapi.rest.operations import Operation, Parameter, operations

JsonObject: TypeAlias = dict[str, Any]
Rows: TypeAlias = tuple[Resource, ...]
Document: TypeAlias = tuple[bytes, bytes]
"""(body, content type)."""

Describe: TypeAlias = Callable[[Operation], JsonObject]
DescribePathParameter: TypeAlias = Callable[[str, str], JsonObject]

V2: Final = "/openapi/v2"
V3: Final = "/openapi/v3"
V2_PROTOBUF: Final = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
V2_PROTOBUF_OLD: Final = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
"""What client-go asks for; it is no valid media type, so the answer names the other one."""

_CACHE: Final = 64
"""Documents that are kept: one per API version, the index, and version 2 in two encodings."""
_JSON_RANGES: Final = (JSON, "application/*", "*/*")
_PATH_PARAMETERS: Final = {
    "{name}": "Name of the object.",
    "{namespace}": "Namespace of the objects.",
}


def document(table: ResourceTable, path: str, accept: str) -> Document | None:
    """The document at a path below ``/openapi``, or None where there is none.

    Raises:
        StatusError: 406, the client takes none of the document's encodings.
    """
    rows = tuple(table)
    if path == V2:
        return _v2(rows, _v2_encoding(accept))
    if path == V3:
        return _v3_index(rows), JSON.encode()
    gv_path = path.removeprefix(V3 + "/")
    if gv_path == path or gv_path not in _by_path(rows):
        return None
    _require_json(accept)
    return _v3(_by_path(rows)[gv_path]), JSON.encode()


def _v2_encoding(accept: str) -> str:
    for found in media_ranges(accept):
        if found.media_type in (V2_PROTOBUF, V2_PROTOBUF_OLD):
            return V2_PROTOBUF
        if found.media_type in _JSON_RANGES:
            return JSON
    raise not_acceptable((JSON, V2_PROTOBUF))


def _require_json(accept: str) -> None:
    if not any(found.media_type in _JSON_RANGES for found in media_ranges(accept)):
        raise not_acceptable((JSON,))


# ---- both versions ----------------------------------------------------------------------------


def _info() -> JsonObject:
    major, minor, _ = release().split(".", 2)
    return {"title": "Kubernetes", "version": f"{major}.{minor}"}


def _paths(
    found: Iterable[Operation], describe: Describe, path_parameter: DescribePathParameter
) -> JsonObject:
    paths: dict[str, JsonObject] = {}
    for operation in found:
        entry = paths.setdefault(operation.path, {})
        entry[operation.method] = describe(operation)
    for path, entry in paths.items():
        entry["parameters"] = [
            path_parameter(name.strip("{}"), description)
            for name, description in _PATH_PARAMETERS.items()
            if name in path
        ]
    return dict(sorted(paths.items()))


def _extensions(operation: Operation) -> JsonObject:
    return {"x-kubernetes-action": operation.action, GVK_EXTENSION: gvk_object(operation.gvk)}


# ---- version 3 --------------------------------------------------------------------------------


def _by_path(rows: Rows) -> dict[str, Rows]:
    """``apis/GROUP/VERSION`` (``api/v1`` for the core group) → the rows of that API version."""
    found: dict[str, list[Resource]] = {}
    for row in rows:
        root = "apis" if row.group else "api"
        found.setdefault(f"{root}/{row.api_version}", []).append(row)
    return {path: tuple(of_path) for path, of_path in sorted(found.items())}


@lru_cache(_CACHE)
def _v3_index(rows: Rows) -> bytes:
    paths = {
        path: {"serverRelativeURL": f"{V3}/{path}?hash={hashlib.sha512(_v3(of_path)).hexdigest().upper()}"}
        for path, of_path in _by_path(rows).items()
    }
    return orjson.dumps({"paths": paths})


@lru_cache(_CACHE)
def _v3(rows: Rows) -> bytes:
    found = [operation for row in rows for operation in operations(row)]
    kinds = [
        kind for operation in found for kind in (operation.gvk, operation.answer, operation.body) if kind
    ]
    return orjson.dumps(
        {
            "openapi": "3.0.0",
            "info": _info(),
            "paths": _paths(found, _v3_operation, _v3_path_parameter),
            "components": {"schemas": components(kinds)},
        }
    )


def _v3_operation(operation: Operation) -> JsonObject:
    answer = reference(operation.answer)
    document: JsonObject = {
        "operationId": operation.identifier,
        "parameters": [_v3_parameter(parameter) for parameter in operation.parameters],
        "responses": {"200": {"description": "OK", "content": {JSON: {"schema": answer}}}},
        **_extensions(operation),
    }
    if operation.consumes:
        schema = {"type": "object"} if operation.body is None else reference(operation.body)
        content = {media_type: {"schema": schema} for media_type in operation.consumes}
        document["requestBody"] = {"content": content, "required": operation.method != "delete"}
    return document


def _v3_parameter(parameter: Parameter) -> JsonObject:
    return {
        "name": parameter.name,
        "in": "query",
        "description": parameter.description,
        "schema": {"type": parameter.type, "uniqueItems": True},
    }


def _v3_path_parameter(name: str, description: str) -> JsonObject:
    schema = {"type": "string", "uniqueItems": True}
    return {"name": name, "in": "path", "description": description, "required": True, "schema": schema}


# ---- version 2 --------------------------------------------------------------------------------


@lru_cache(_CACHE)
def _v2(rows: Rows, encoding: str) -> Document:
    found = [operation for row in rows for operation in operations(row)]
    swagger = {
        "swagger": "2.0",
        "info": _info(),
        "paths": _paths(found, _v2_operation, _v2_path_parameter),
        # Left empty: clients skip their own checks of kinds that are not defined; the server checks.
        "definitions": {},
    }
    if encoding == V2_PROTOBUF:
        return encode_document(swagger), V2_PROTOBUF.encode()
    return orjson.dumps(swagger), JSON.encode()


def _v2_operation(operation: Operation) -> JsonObject:
    parameters = [
        {
            "uniqueItems": True,
            "type": parameter.type,
            "description": parameter.description,
            "name": parameter.name,
            "in": "query",
        }
        for parameter in operation.parameters
    ]
    if operation.consumes:
        body = {"name": "body", "in": "body", "required": operation.method != "delete"}
        parameters.append({**body, "schema": {"type": "object"}})
    return {
        "operationId": operation.identifier,
        **({"consumes": list(operation.consumes)} if operation.consumes else {}),
        "produces": [JSON],
        "parameters": parameters,
        "responses": {"200": {"description": "OK", "schema": {"type": "object"}}},
        **_extensions(operation),
    }


def _v2_path_parameter(name: str, description: str) -> JsonObject:
    return {
        "uniqueItems": True,
        "type": "string",
        "description": description,
        "name": name,
        "in": "path",
        "required": True,
    }
