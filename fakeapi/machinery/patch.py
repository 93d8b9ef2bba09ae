"""Changes to an object as JSON patch (RFC 6902) and JSON merge patch (RFC 7386), and what is wrong with one.

Nothing that is given is changed. The result may share parts with the document and with the patch, as
documents are never written to once they are complete. Strategic merge patch is in ``strategic``; it raises
the same errors.
"""

import copy
from typing import Any, Final

import jsonpatch
import jsonpointer
import orjson

Json = Any
JsonObject = dict[str, Json]

MOST_OPERATIONS: Final = 10_000
"""Operations in one JSON patch, as many as the real server takes."""
MOST_COPIED_BYTES: Final = 3 * 1024 * 1024
"""Bytes of JSON that the ``copy`` operations of one patch may add: without a bound, each could double the
object."""


class PatchError(ValueError):
    """A patch that has no result. The subclasses say whose fault it is; the message says what and where."""


class MalformedPatch(PatchError):
    """The patch itself is not one; a server answers 400."""


class InapplicablePatch(PatchError):
    """The patch is one and does not fit this object; a server answers 422."""


class FailedTest(InapplicablePatch):
    """A ``test`` operation found another value."""


class OversizedPatch(PatchError):
    """The patch has too many operations; a server answers 413."""


class UnmergeablePatch(PatchError):
    """A strategic merge is impossible by the type's rules. The real server answers 500, with this message."""


def json_patch(document: JsonObject, operations: Json) -> JsonObject:
    """Return the document after the operations of a JSON patch.

    Args:
        document: the object to be changed.
        operations: the parsed patch, a list of ``{"op": …, "path": …}``.

    Raises:
        MalformedPatch: it is not a list of operations.
        OversizedPatch: it has more than ``MOST_OPERATIONS``.
        FailedTest: a ``test`` found another value.
        InapplicablePatch: an operation cannot be done, or what comes out is no object.
    """
    _check_operations(operations)
    try:
        # Operations put their values into the result, and later ones write into those: both are copied first.
        result = _apply_all(copy.deepcopy(document), copy.deepcopy(operations))
    except RecursionError:
        raise MalformedPatch("the JSON patch nests too deeply") from None
    if not isinstance(result, dict):
        raise InapplicablePatch("the patched document is not an object")
    return result


def _apply_all(document: Json, operations: list[JsonObject]) -> Json:
    copied = 0
    for operation in operations:
        if operation.get("op") == "copy":
            copied += _size_at(document, operation)
            if copied > MOST_COPIED_BYTES:
                raise InapplicablePatch(
                    f"Unable to complete the copy, the accumulated size increase of copy is {copied}, "
                    f"exceeding the limit {MOST_COPIED_BYTES}"
                )
        document = _apply(document, operation)
    return document


def _check_operations(operations: Json) -> None:
    if not isinstance(operations, list):
        raise MalformedPatch(f"a JSON patch is a list of operations, not {_named(operations)}")
    if len(operations) > MOST_OPERATIONS:
        raise OversizedPatch(
            f"The allowed maximum operations in a JSON patch is {MOST_OPERATIONS}, got {len(operations)}"
        )
    for index, operation in enumerate(operations):
        place = f"operation {index} of the JSON patch"
        if not isinstance(operation, dict):
            raise MalformedPatch(f"{place} is {_named(operation)}, not an object")
        for member in ("op", "path", "from"):
            if not isinstance(operation.get(member, ""), str):
                raise MalformedPatch(f"{member} of {place} is {_named(operation[member])}, not a string")


def _apply(document: Json, operation: JsonObject) -> Json:
    try:
        return jsonpatch.JsonPatch([operation]).apply(document, in_place=True)
    except jsonpatch.JsonPatchTestFailed as error:
        raise FailedTest(f"testing value {operation['path']} failed: test failed") from error
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException, TypeError) as error:
        name, path = operation.get("op", ""), operation.get("path", "")
        raise InapplicablePatch(f'{name} operation does not apply at "{path}": {error}') from error


def _size_at(document: Json, operation: JsonObject) -> int:
    """Bytes of what a ``copy`` would copy; 0 when it is not there, which the operation itself will say."""
    try:
        value = jsonpointer.resolve_pointer(document, operation.get("from", ""))
    except (jsonpointer.JsonPointerException, TypeError):
        return 0
    try:
        return len(orjson.dumps(value))
    except orjson.JSONEncodeError as error:
        raise InapplicablePatch(
            f"what is to be copied from {operation['from']} cannot be: {error}"
        ) from error


def merge_patch(document: JsonObject, patch: Json) -> JsonObject:
    """Return the document after a JSON merge patch: null deletes, an object is merged, all else replaces.

    Raises:
        MalformedPatch: the patch is not an object, or nests too deeply to be followed.
    """
    if not isinstance(patch, dict):
        raise MalformedPatch(f"a JSON merge patch is an object, not {_named(patch)}")
    try:
        return _merge(document, patch)
    except RecursionError:
        raise MalformedPatch("the JSON merge patch nests too deeply") from None


def _merge(document: Json, patch: JsonObject) -> JsonObject:
    merged = dict(document) if isinstance(document, dict) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        elif isinstance(value, dict):
            merged[name] = _merge(merged.get(name), value)
        else:
            merged[name] = value
    return merged


def _named(value: Json) -> str:
    """What a JSON value is, in words."""
    if value is None:
        return "null"
    names = {bool: "a boolean", str: "a string", list: "a list", dict: "an object"}
    return names.get(type(value), "a number")
