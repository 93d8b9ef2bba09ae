"""Request bodies: from JSON, YAML or protobuf to an object that has the shape of its kind."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson
import yaml

from fakeapi.machinery.negotiation import BodyFormat, body_format
from fakeapi.machinery.protobuf import MalformedBody, decode
from fakeapi.machinery.prune import without_nulls, without_unknown
from fakeapi.machinery.resources import Resource
from fakeapi.machinery.schema import message_for, packaged
from fakeapi.machinery.status import StatusError, bad_request
from fakeapi.machinery.strict import strict_errors
from fakeapi.machinery.structure import inspect
from fakeapi.registry.defaults import JsonObject

_MOST_LEVELS: Final = 250
"""Levels of nesting in a body. No kind needs a tenth of that; writing JSON ends at 254."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The group, version and kind that a body must have."""

    group: str
    version: str
    kind: str

    @property
    def api_version(self) -> str:
        """``v1`` for the core group, ``group/version`` for others."""
        return f"{self.group}/{self.version}" if self.group else self.version


def shape_of(resource: Resource) -> Shape:
    """The shape of a resource's own objects."""
    return Shape(resource.group, resource.version, resource.kind)


BINDING: Final = Shape("", "v1", "Binding")
EVICTION: Final = Shape("policy", "v1", "Eviction")
SCALE: Final = Shape("autoscaling", "v1", "Scale")
DELETE_OPTIONS: Final = Shape("meta.k8s.io", "v1", "DeleteOptions")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A body's object, and what was noticed about it that does not refuse it."""

    object: JsonObject
    warnings: tuple[str, ...] = ()


def parse_object(body: bytes, content_type: str, shape: Shape, field_validation: str) -> Parsed:
    """The object of a body, of the shape that is expected.

    ``field_validation`` is the query parameter ``fieldValidation``: unknown fields are
    dropped (``Ignore``), dropped with a warning (``Warn``, the default) or refused (``Strict``).

    Raises:
        StatusError: 400 for a body that cannot be read or has another kind, 415 for its media type.
    """
    value = read_value(body, content_type)
    form = body_format(content_type)
    parsed = checked(value, shape, field_validation, body if form is BodyFormat.JSON else b"")
    if form is not BodyFormat.JSON or b"null" in body:
        return decoded(parsed, shape)
    return parsed


def decoded(parsed: Parsed, shape: Shape) -> Parsed:
    """The object without its nulls, as Go's decoder sees it."""
    message = message_for(shape.group, shape.version, shape.kind)
    kept = without_nulls(parsed.object, message)
    if message is None and "metadata" in kept:
        kept["metadata"] = without_nulls(parsed.object["metadata"], packaged().message(_METADATA))
    return Parsed(kept, parsed.warnings)


def read_value(body: bytes, content_type: str) -> Any:
    """The value in a body of one of the three media types.

    Raises:
        StatusError: 400 for a body that cannot be read, 415 for its media type.
    """
    match body_format(content_type):
        case BodyFormat.JSON:
            value = read_json(body)
        case BodyFormat.YAML:
            value = _read_yaml(body)
        case BodyFormat.PROTOBUF:
            value = _read_protobuf(body)
    _require_shallow(value, body)
    return value


def _read_protobuf(body: bytes) -> Any:
    try:
        return decode(body)
    except MalformedBody as error:
        raise bad_request(str(error)) from None


def read_json(body: bytes) -> Any:
    """The value of a JSON body.

    Raises:
        StatusError: 400 when it is not JSON.
    """
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise bad_request(f"the body of the request is not valid JSON: {error}") from None


class _YamlLoader(yaml.CSafeLoader):
    """Reads what JSON has too: an unquoted date is a text, as Kubernetes' own conversion reads it."""


_YamlLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def _read_yaml(body: bytes) -> Any:
    try:
        # An alias can stand for an alias, and so on: a few lines would become more than any memory.
        if b"*" in body and any(
            isinstance(event, yaml.AliasEvent) for event in yaml.parse(body, _YamlLoader)
        ):
            raise bad_request("the body of the request uses YAML aliases, which are not read")
        value = yaml.load(body, Loader=_YamlLoader)  # noqa: S506  a safe loader, with one type less
        # Through JSON, so that keys are texts and nothing is left that JSON does not have.
        return orjson.loads(orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS))
    except StatusError:
        raise
    except Exception as error:  # PyYAML's readers of scalars fail in their own ways: ``0b_``, ``!!bool x``
        raise bad_request(f"the body of the request is not valid YAML: {error}") from None


def _require_shallow(value: Any, body: bytes) -> None:
    # Few bodies have as many brackets as levels are allowed; only those are looked through.
    if (
        body.count(b"{") + body.count(b"[") + body.count(b"\n") > _MOST_LEVELS
        and _depth(value) > _MOST_LEVELS
    ):
        raise bad_request(f"the body of the request nests more than {_MOST_LEVELS} levels deep")


def _depth(value: Any) -> int:
    deepest, level = 0, [value]
    while level:
        deepest += 1
        nested = (
            one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list)
        )
        level = [inner for inner_values in nested for inner in inner_values]
    return deepest


def _require_kind(value: JsonObject, shape: Shape) -> None:
    kind, api_version = value.get("kind"), value.get("apiVersion") or ""
    if kind not in (None, "", shape.kind):
        message = f'{kind} in version "{api_version}" cannot be handled as a {shape.kind}'
        raise bad_request(f"{message}: converting to {shape.api_version} {shape.kind}: kind does not match")
    if api_version not in ("", shape.api_version) and not _same_delete_options(shape, api_version):
        raise bad_request(
            f"the API version in the data ({api_version}) does not match "
            f"the expected API version ({shape.api_version})"
        )


def _same_delete_options(shape: Shape, api_version: object) -> bool:
    # Every group knows DeleteOptions under its own version; clients send either.
    return shape.kind == "DeleteOptions" and isinstance(api_version, str)


def checked(value: Any, shape: Shape, field_validation: str, raw: bytes = b"") -> Parsed:
    """An object that has the types of its kind and no field that its kind does not know.

    ``raw`` is the JSON it was read from, for finding fields given twice.

    Raises:
        StatusError: 400 for another kind or a wrong type, or under ``Strict`` for an unknown or repeated
            field.
    """
    if not isinstance(value, dict):
        raise _not_this_kind(shape, "json: cannot unmarshal the body into Go value: it is not an object")
    _require_kind(value, shape)
    message = message_for(shape.group, shape.version, shape.kind)
    if message is None:
        _require_parts(value, shape)
        return Parsed(value)
    findings = inspect(value, message)
    if findings.error:
        raise _not_this_kind(shape, findings.error)
    kept = without_unknown(value, message) if findings.unknown else value
    if field_validation == "Ignore":
        return Parsed(kept)
    if not raw and not findings.unknown:
        return Parsed(kept)
    problems = strict_errors(raw or orjson.dumps(value), value, message, findings.unknown)
    if problems and field_validation == "Strict":
        raise _not_this_kind(shape, strict_refusal(problems))
    return Parsed(kept, problems)


def _require_parts(value: JsonObject, shape: Shape) -> None:
    """Of a kind without a schema the metadata is known, and that the rest of an object comes in two parts."""
    findings = inspect(value.get("metadata"), packaged().message(_METADATA))
    if findings.error:
        raise _not_this_kind(shape, findings.error)
    for part in ("spec", "status"):
        if not isinstance(value.get(part), dict | None):
            raise _not_this_kind(shape, f"{part} must be of type object")


_METADATA: Final = "meta.v1.ObjectMeta"


def strict_refusal(problems: Sequence[str]) -> str:
    """What the real server says where unknown and repeated fields are refused."""
    return "strict decoding error: " + ", ".join(problems)


def _not_this_kind(shape: Shape, why: str) -> StatusError:
    return bad_request(
        f'{shape.kind} in version "{shape.version}" cannot be handled as a {shape.kind}: {why}'
    )
