"""Options of a write, parsed once from a query or a body into frozen values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from fakeapi.machinery.status import Cause, StatusError, invalid_value
from fakeapi.registry.causes import not_supported

PROPAGATION_POLICIES: Final = ("Foreground", "Background", "Orphan")


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """What goes with a create, update or patch."""

    dry_run: bool = False
    uid: str | None = None
    """The object must be this one: a replacement says whom it replaces."""


@dataclass(frozen=True, slots=True)
class DeleteOptions:
    """What goes with a deletion; ``None`` means that the client left it to the object."""

    grace_s: int | None = None
    uid: str | None = None
    revision: str | None = None
    propagation: str | None = None
    dry_run: bool = False


NO_OPTIONS: Final = WriteOptions()
BACKGROUND: Final = DeleteOptions()


def dry_run_causes(values: Sequence[str]) -> list[Cause]:
    """What is wrong with the values of ``dryRun``, whose only value is ``All``."""
    if any(value != "All" for value in values):
        return [not_supported("dryRun", list(values), ("All",))]
    return []


def delete_options_of(body: dict[str, Any]) -> DeleteOptions:
    """Delete options from their JSON object, which has the types of its kind.

    Raises:
        StatusError: 422 for an unknown value, or values that contradict each other.
    """
    preconditions = body.get("preconditions") or {}
    propagation, orphan = body.get("propagationPolicy"), body.get("orphanDependents")
    causes = []
    if propagation is not None and orphan is not None:
        why = "orphanDependents and deletionPropagation cannot be both set"
        causes.append(invalid_value("propagationPolicy", propagation, why))
    if propagation is not None and propagation not in PROPAGATION_POLICIES:
        causes.append(not_supported("propagationPolicy", propagation, (*PROPAGATION_POLICIES, "nil")))
    dry_run = body.get("dryRun") or ()
    causes += dry_run_causes(dry_run)
    if causes:
        raise invalid_options("DeleteOptions", causes)
    if orphan is not None:
        propagation = "Orphan" if orphan else "Background"
    return DeleteOptions(
        grace_s=body.get("gracePeriodSeconds"),
        uid=preconditions.get("uid"),
        revision=preconditions.get("resourceVersion"),
        propagation=propagation,
        dry_run=bool(dry_run),
    )


def invalid_options(kind: str, causes: Sequence[Cause]) -> StatusError:
    """Options that are unknown or contradict each other; ``kind`` is such as ``DeleteOptions``."""
    texts = [f"{cause.field}: {cause.message}" for cause in causes]
    joined = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    details = {"group": "meta.k8s.io", "kind": kind, "causes": [cause.to_json() for cause in causes]}
    return StatusError(422, "Invalid", f'{kind}.meta.k8s.io "" is invalid: {joined}', details)
