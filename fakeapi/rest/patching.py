"""Patches: a body that says how an object becomes another one."""

from typing import Any, Final

import orjson

from fakeapi.machinery.negotiation import PatchFormat, patch_format
from fakeapi.machinery.patch import (
    InapplicablePatch,
    OversizedPatch,
    PatchError,
    UnmergeablePatch,
    json_patch,
    merge_patch,
)
from fakeapi.machinery.schema import Message, message_for
from fakeapi.machinery.status import StatusError, bad_request, invalid_value, unsupported
from fakeapi.machinery.strategic import strategic_merge
from fakeapi.machinery.strict import strict_errors
from fakeapi.registry.defaults import JsonObject
from fakeapi.rest.bodies import Parsed, Shape, checked, decoded, read_json, strict_refusal

_OPERATION_FIELDS: Final = frozenset(("op", "path", "from", "value"))


class Patch:
    """One patch of objects of one shape."""

    def __init__(self, body: bytes, content_type: str, shape: Shape, field_validation: str) -> None:
        """Read a patch.

        Raises:
            StatusError: 400 for a body that is not JSON, 415 for its media type, 501 for server-side apply.
        """
        self._shape = shape
        self._validation = field_validation
        self._body = body
        self._message = message_for(shape.group, shape.version, shape.kind)
        self._form = patch_format(content_type, native=self._message is not None)
        if self._form is PatchFormat.APPLY_PATCH:
            raise unsupported("server-side apply")
        self._changes = read_json(body)
        self.warnings: tuple[str, ...] = ()
        """What was noticed at the last application, and does not refuse the patch."""

    def apply(self, obj: JsonObject) -> JsonObject:
        """The object after the patch; the given one is left as it is.

        Raises:
            StatusError: the patch does not fit the object (422), or the result not its kind.
        """
        try:
            result = _apply(self._form, self._message, obj, self._changes)
        except PatchError as error:
            raise _refused(error) from None
        parsed = self._checked(result)
        self.warnings = parsed.warnings
        return parsed.object

    def _checked(self, result: JsonObject) -> Parsed:
        noticed = () if self._validation == "Ignore" else self._noticed_in_patch()
        if noticed and self._validation == "Strict":
            raise self._invalid_result(result, strict_refusal(noticed))
        if (
            self._form is PatchFormat.STRATEGIC_MERGE_PATCH
        ):  # merged as the type that it is: nothing tells another
            result = {**result, "kind": self._shape.kind, "apiVersion": self._shape.api_version}
        try:
            parsed = checked(result, self._shape, self._validation)
        except StatusError as error:
            raise self._invalid_result(result, error.message) from None
        parsed = Parsed(parsed.object, (*noticed, *parsed.warnings))
        return decoded(parsed, self._shape) if b"null" in self._body else parsed

    def _noticed_in_patch(self) -> tuple[str, ...]:
        repeated = strict_errors(self._body, self._changes)
        if self._form is not PatchFormat.JSON_PATCH:
            return repeated
        unknown = [
            f'unknown field "[{index}].{name}"'
            for index, operation in enumerate(self._changes)
            for name in operation
            if name not in _OPERATION_FIELDS
        ]
        return tuple(f"json patch {problem}" for problem in (*repeated, *unknown))

    def _invalid_result(self, result: JsonObject, why: str) -> StatusError:
        strategic = self._form is PatchFormat.STRATEGIC_MERGE_PATCH
        shown = orjson.dumps(self._changes if strategic else result).decode()
        cause = invalid_value("patch", shown, why)
        message = f' "" is invalid: patch: {cause.message}'
        return StatusError(422, "Invalid", message, {"causes": [cause.to_json()]})


def _apply(form: PatchFormat, message: Message | None, obj: JsonObject, changes: Any) -> JsonObject:
    if form is PatchFormat.JSON_PATCH:
        return json_patch(obj, changes)
    if form is PatchFormat.MERGE_PATCH:
        return merge_patch(obj, changes)
    assert message is not None, "patch_format refuses strategic patches of kinds without a schema"
    return strategic_merge(obj, changes, message)


def _refused(error: PatchError) -> StatusError:
    match error:
        case OversizedPatch():
            return StatusError(413, "RequestEntityTooLarge", str(error))
        case InapplicablePatch():
            return StatusError(
                422, "Invalid", f"the server rejected our request due to an error in our request: {error}", {}
            )
        case UnmergeablePatch():
            return StatusError(500, "InternalError", str(error))
    return bad_request(str(error))
