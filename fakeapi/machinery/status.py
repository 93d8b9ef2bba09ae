"""Failures of the API as Kubernetes says them: one error class, built by named constructors.

Codes, reasons and wordings follow ``k8s.io/apimachinery/pkg/api/errors``.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from fakeapi.machinery.resources import Resource

JsonObject = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Cause:
    """One field that was wrong: a field path such as ``spec.containers[0].name``, why, and in which words."""

    field: str
    message: str
    reason: str = "FieldValueInvalid"

    def to_json(self) -> JsonObject:
        """The ``StatusCause`` object."""
        return {"reason": self.reason, "message": self.message, "field": self.field}


def invalid_value(field: str, value: object, why: str) -> Cause:
    """The field's value breaks a rule."""
    return Cause(field, f"Invalid value: {_shown(value)}: {why}")


def required_value(field: str, why: str = "") -> Cause:
    """The field must be there and is not."""
    return Cause(field, f"Required value: {why}" if why else "Required value", "FieldValueRequired")


def forbidden_value(field: str, why: str) -> Cause:
    """The field may not be set, or not be changed, this way."""
    return Cause(field, f"Forbidden: {why}", "FieldValueForbidden")


def unsupported_value(field: str, value: object, supported: Sequence[str]) -> Cause:
    """The field's value is not one of a closed list."""
    names = ", ".join(f'"{name}"' for name in sorted(supported))
    message = f"Unsupported value: {_shown(value)}: supported values: {names}"
    return Cause(field, message, "FieldValueNotSupported")


def duplicate_value(field: str, value: object) -> Cause:
    """The value stands in the list already."""
    return Cause(field, f"Duplicate value: {_shown(value)}", "FieldValueDuplicate")


_SHOWN_LENGTH: Final = 1024
"""Characters of a bad value that an answer repeats: enough to recognise it, not enough to be abused."""


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text if len(text) <= _SHOWN_LENGTH else text[:_SHOWN_LENGTH] + "…"


class StatusError(Exception):
    """A refusal that the client sees as a ``Status`` object; nothing was changed."""

    def __init__(
        self,
        code: int,
        reason: str,
        message: str,
        details: JsonObject | None = None,
        headers: Sequence[tuple[bytes, bytes]] = (),
    ) -> None:
        super().__init__(message)
        self.code: Final = code
        self.reason: Final = reason
        self.message: Final = message
        self.details: Final = details
        self.headers: Final = tuple(headers)

    def to_json(self) -> JsonObject:
        """The ``Status`` object."""
        status: JsonObject = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "reason": self.reason,
        }
        if self.details is not None:
            status["details"] = self.details
        status["code"] = self.code
        return status


def success(resource: Resource, name: str, uid: str = "") -> JsonObject:
    """The ``Status`` of a deletion that is complete."""
    details = {"name": name, "group": resource.group, "kind": resource.plural, "uid": uid}
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {key: value for key, value in details.items() if value},
    }


def _details(resource: Resource, name: str, *, kind: str = "") -> JsonObject:
    entries = {"name": name, "group": resource.group, "kind": kind or resource.plural}
    return {key: value for key, value in entries.items() if value}


def not_found(resource: Resource, name: str) -> StatusError:
    """No object of that name."""
    return StatusError(404, "NotFound", f'{resource.qualified} "{name}" not found', _details(resource, name))


def no_such_path() -> StatusError:
    """Nothing is served at that path: unknown group, version, resource or sub-resource."""
    return StatusError(404, "NotFound", "the server could not find the requested resource", {})


def already_exists(resource: Resource, name: str) -> StatusError:
    """The name is taken."""
    return StatusError(
        409, "AlreadyExists", f'{resource.qualified} "{name}" already exists', _details(resource, name)
    )


def conflict(resource: Resource, name: str, why: str) -> StatusError:
    """The change met an object that is not as the client believed."""
    return StatusError(
        409,
        "Conflict",
        f'Operation cannot be fulfilled on {resource.qualified} "{name}": {why}',
        _details(resource, name),
    )


OBJECT_MODIFIED: Final = (
    "the object has been modified; please apply your changes to the latest version and try again"
)


def invalid(resource: Resource, name: str, causes: Sequence[Cause]) -> StatusError:
    """The object breaks rules of its kind; every field that does is listed."""
    texts = [f"{cause.field}: {cause.message}" if cause.field else cause.message for cause in causes]
    joined = texts[0] if len(texts) == 1 else "[" + ", ".join(texts) + "]"
    qualified_kind = f"{resource.kind}.{resource.group}" if resource.group else resource.kind
    details = _details(resource, name, kind=resource.kind)
    details["causes"] = [cause.to_json() for cause in causes]
    return StatusError(422, "Invalid", f'{qualified_kind} "{name}" is invalid: {joined}', details)


def bad_request(message: str) -> StatusError:
    """The request itself makes no sense: its body or a parameter cannot be read."""
    return StatusError(400, "BadRequest", message)


def forbidden(resource: Resource, name: str, why: str) -> StatusError:
    """The request is understood and refused by a rule."""
    return StatusError(
        403, "Forbidden", f'{resource.qualified} "{name}" is forbidden: {why}', _details(resource, name)
    )


def unauthorized() -> StatusError:
    """No valid token came with the request."""
    return StatusError(401, "Unauthorized", "Unauthorized")


def method_not_allowed(resource: Resource | None = None) -> StatusError:
    """The path exists, the verb does not apply to it."""
    details = None if resource is None else _details(resource, "")
    return StatusError(
        405, "MethodNotAllowed", "the server does not allow this method on the requested resource", details
    )


def expired(message: str) -> StatusError:
    """The resourceVersion or continue token is older than the kept history: list again."""
    return StatusError(410, "Expired", message)


def gone_version(asked: int, oldest: int) -> StatusError:
    """A watch asked to resume from before the kept history."""
    return expired(f"too old resource version: {asked} ({oldest})")


def too_large_version(asked: int, current: int) -> StatusError:
    """A resourceVersion from the future, as after a restart of the server."""
    details = {
        "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
        "retryAfterSeconds": 1,
    }
    return StatusError(
        504, "Timeout", f"Timeout: Too large resource version: {asked}, current: {current}", details,
        headers=((b"retry-after", b"1"),),
    )  # fmt: skip


def too_many_requests(message: str, retry_after_s: int, causes: Sequence[Cause] = ()) -> StatusError:
    """Not now; for an eviction: a disruption budget has no room."""
    details: JsonObject = {}
    if causes:
        details["causes"] = [{"reason": cause.reason, "message": cause.message} for cause in causes]
    if retry_after_s:
        details["retryAfterSeconds"] = retry_after_s
    headers = ((b"retry-after", str(retry_after_s).encode()),) if retry_after_s else ()
    return StatusError(429, "TooManyRequests", message, details or None, headers)


def unsupported_media_type(found: str, accepted: Sequence[str]) -> StatusError:
    """The body's content type is not one that this verb takes."""
    return StatusError(
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: "
        + ", ".join(accepted)
        + (f" (found {found})" if found else ""),
    )


def not_acceptable(accepted: Sequence[str]) -> StatusError:
    """None of the answer formats that the client takes is offered."""
    return StatusError(
        406,
        "NotAcceptable",
        f"only the following media types are accepted: {', '.join(accepted)}",
    )


def too_large(limit: int) -> StatusError:
    """The body is longer than the server reads."""
    return StatusError(413, "RequestEntityTooLarge", f"Request entity too large: limit is {limit}")


def unsupported(what: str) -> StatusError:
    """Something real servers do and this one does not: said, never ignored."""
    return StatusError(501, "NotImplemented", f"this API server does not support {what}")


def internal(message: str) -> StatusError:
    """A bug of this server."""
    return StatusError(500, "InternalError", f"Internal error occurred: {message}")
