"""Objects as tables and as bare metadata: what ``kubectl get`` and metadata informers ask for."""

from collections.abc import Iterable
from enum import Enum
from typing import Any, Final, TypeAlias

from fakeapi.kernel.time import Instant
from fakeapi.machinery.resources import PODS, Resource
from fakeapi.machinery.status import bad_request
from fakeapi.rest.cells import Object
from fakeapi.rest.columns import Column, columns_of

JsonObject: TypeAlias = dict[str, Any]

META_V1: Final = "meta.k8s.io/v1"
_COMPLETED: Final = {
    "Succeeded": "The pod has completed successfully.",
    "Failed": "The pod failed.",
}


class IncludeObject(Enum):
    """What of its object a row carries; the values are those of the parameter ``includeObject``."""

    NONE = "None"
    METADATA = "Metadata"
    OBJECT = "Object"


def include_object_of(text: str) -> IncludeObject:
    """What rows shall carry, by the text of the parameter; an empty one means metadata.

    Raises:
        StatusError: 400 for another text.
    """
    for choice in IncludeObject:
        if choice.value == (text or IncludeObject.METADATA.value):
            return choice
    raise bad_request(
        f'Unable to convert to Table as requested: includeObject: Invalid value: "{text}": '
        "must be 'Metadata', 'Object', 'None', or empty"
    )


def table(
    resource: Resource,
    objects: Iterable[Object],
    now: Instant,
    *,
    metadata: JsonObject,
    include: IncludeObject = IncludeObject.METADATA,
    api_version: str = META_V1,
    headers: bool = True,
) -> JsonObject:
    """A ``Table`` with a row for each object.

    Args:
        resource: what the objects are; it decides the columns.
        objects: as ``resource`` shows them.
        now: the instant that ages are counted to.
        metadata: the ``ListMeta``; for one object or event its ``resourceVersion``.
        include: what of its object a row carries.
        api_version: ``meta.k8s.io`` and the version that the client asked for.
        headers: whether to define the columns; a watch does so in its first event only.
    """
    columns = columns_of(resource)
    return {
        "kind": "Table",
        "apiVersion": api_version,
        "metadata": metadata,
        "columnDefinitions": [column.definition() for column in columns] if headers else None,
        "rows": [_row(resource, columns, obj, now, include, api_version) for obj in objects],
    }


def _row(
    resource: Resource,
    columns: tuple[Column, ...],
    obj: Object,
    now: Instant,
    include: IncludeObject,
    api_version: str,
) -> JsonObject:
    row: JsonObject = {"cells": [column.cell(obj, now) for column in columns]}
    phase = (obj.get("status") or {}).get("phase") if resource == PODS else None
    if phase in _COMPLETED:
        # kubectl leaves such rows out when it is asked to show what is still at work.
        row["conditions"] = [
            {"type": "Completed", "status": "True", "reason": phase, "message": _COMPLETED[phase]}
        ]
    row["object"] = _carried(obj, include, api_version)
    return row


def _carried(obj: Object, include: IncludeObject, api_version: str) -> JsonObject | None:
    if include is IncludeObject.NONE:
        return None
    return obj if include is IncludeObject.OBJECT else partial(obj, api_version)


def partial(obj: Object, api_version: str = META_V1) -> JsonObject:
    """An object's ``PartialObjectMetadata``."""
    return {"kind": "PartialObjectMetadata", "apiVersion": api_version, "metadata": obj["metadata"]}


def partial_list(
    objects: Iterable[Object], *, metadata: JsonObject, api_version: str = META_V1
) -> JsonObject:
    """The ``PartialObjectMetadataList`` of objects; ``metadata`` is the ``ListMeta``."""
    return {
        "kind": "PartialObjectMetadataList",
        "apiVersion": api_version,
        "metadata": metadata,
        "items": [partial(obj, api_version) for obj in objects],
    }
