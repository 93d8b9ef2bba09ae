"""An OpenAPI version 2 document in protobuf, as ``gnostic`` defines it and kubectl reads it.

Field numbers are those of ``openapiv2/OpenAPIv2.proto``. Encoded is what
:mod:`~fakeapi.rest.openapi` writes and clients look at: paths, operations, their query
and path parameters, and the Kubernetes extensions. Schemas of bodies and answers are
left out, as no client reads them without definitions.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

import orjson

JsonObject: TypeAlias = Mapping[str, Any]

_VARINT: Final = 0
_LENGTH_DELIMITED: Final = 2
_WIRE_BITS: Final = 3
_VARINT_BITS: Final = 7
_MORE: Final = 0x80

_METHODS: Final = {"get": 2, "put": 3, "post": 4, "delete": 5, "patch": 8}
"""Fields of ``PathItem``."""
_PARAMETER_KINDS: Final = {"query": 3, "path": 4}
"""Fields of ``NonBodyParameter``."""
_SUB_SCHEMA: Final = {
    "query": {"required": 1, "in": 2, "description": 3, "name": 4, "type": 6, "uniqueItems": 20},
    "path": {"required": 1, "in": 2, "description": 3, "name": 4, "type": 5, "uniqueItems": 19},
}
"""Fields of ``QueryParameterSubSchema`` and ``PathParameterSubSchema``."""


def encode_document(swagger: JsonObject) -> bytes:
    """The ``Document`` message of a version 2 document in JSON form."""
    info = _text(1, swagger["info"]["title"]) + _text(2, swagger["info"]["version"])
    paths = b"".join(_message(2, _named(path, _path_item(item))) for path, item in swagger["paths"].items())
    return _text(1, swagger["swagger"]) + _message(2, info) + _message(8, paths)


def _path_item(item: JsonObject) -> bytes:
    methods = (
        _message(number, _operation(item[method])) for method, number in _METHODS.items() if method in item
    )
    return b"".join(methods) + _parameters(9, item.get("parameters", ()))


def _operation(operation: JsonObject) -> bytes:
    return b"".join(
        (
            _text(5, operation["operationId"]),
            *(_text(6, media_type) for media_type in operation.get("produces", ())),
            *(_text(7, media_type) for media_type in operation.get("consumes", ())),
            _parameters(8, operation.get("parameters", ())),
            _message(9, _responses(operation.get("responses", {}))),
            *(
                _message(13, _named(name, _yaml(value)))
                for name, value in operation.items()
                if name.startswith("x-")
            ),
        )
    )


def _responses(responses: JsonObject) -> bytes:
    return b"".join(
        _message(1, _named(code, _message(1, _text(1, response["description"]))))
        for code, response in responses.items()
    )


def _parameters(number: int, parameters: Iterable[JsonObject]) -> bytes:
    """``ParametersItem``, ``Parameter``, and the kind of parameter: three messages around each."""
    return b"".join(_message(number, _message(1, _parameter(parameter))) for parameter in parameters)


def _parameter(parameter: JsonObject) -> bytes:
    place = parameter["in"]
    if place == "body":
        body = _text(2, parameter["name"]) + _text(3, place) + _truth(4, parameter["required"])
        return _message(1, body)
    fields = b"".join(
        _scalar(number, parameter[name]) for name, number in _SUB_SCHEMA[place].items() if name in parameter
    )
    return _message(2, _message(_PARAMETER_KINDS[place], fields))


def _named(name: str, value: bytes) -> bytes:
    """Any of the ``Named…`` messages, which stand for entries of a map."""
    return _text(1, name) + _message(2, value)


def _yaml(value: object) -> bytes:
    """``Any`` with a value in YAML, of which JSON is a part."""
    return _text(2, orjson.dumps(value).decode())


# ---- the wire ---------------------------------------------------------------------------------


def _scalar(number: int, value: str | bool) -> bytes:
    return _truth(number, value) if isinstance(value, bool) else _text(number, value)


def _truth(number: int, value: bool) -> bytes:
    return _varint(number << _WIRE_BITS | _VARINT) + _varint(int(value)) if value else b""


def _text(number: int, value: str) -> bytes:
    return _message(number, value.encode()) if value else b""


def _message(number: int, value: bytes) -> bytes:
    return _varint(number << _WIRE_BITS | _LENGTH_DELIMITED) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value >= _MORE:
        encoded.append(value & (_MORE - 1) | _MORE)
        value >>= _VARINT_BITS
    encoded.append(value)
    return bytes(encoded)
