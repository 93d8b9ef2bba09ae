"""Options of a write, parsed once from a query or a body into frozen values."""

from dataclasses import dataclass
from typing import Any

from fakeapi.machinery.status import StatusError, bad_request

PROPAGATION_POLICIES = ("Foreground", "Background", "Orphan")


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """What goes with a create, update or patch."""

    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class DeleteOptions:
    """What goes with a deletion; ``None`` means that the client left it to the object."""

    grace_s: int | None = None
    uid: str | None = None
    revision: str | None = None
    propagation: str | None = None
    dry_run: bool = False


NO_OPTIONS = WriteOptions()
BACKGROUND = DeleteOptions()


def dry_run_of(values: list[str]) -> bool:
    """Whether ``dryRun`` is asked for; its only value is ``All``.

    Raises:
        StatusError: 400 for any other value.
    """
    wrong = [value for value in values if value not in ("All", "")]
    if wrong:
        raise bad_request(
            f'Invalid value: {values}: Unsupported value: "{wrong[0]}": supported values: "All"'
        )
    return "All" in values


def delete_options_of(body: dict[str, Any]) -> DeleteOptions:
    """Delete options from their JSON object.

    Raises:
        StatusError: 400 when a field has the wrong type or an unknown value.
    """
    preconditions = body.get("preconditions") or {}
    grace = body.get("gracePeriodSeconds")
    if grace is not None and (not isinstance(grace, int) or isinstance(grace, bool)):
        raise bad_request(f"gracePeriodSeconds must be an integer, not {grace!r}")
    propagation = body.get("propagationPolicy")
    if propagation is None and body.get("orphanDependents") is not None:
        propagation = "Orphan" if body["orphanDependents"] else "Background"
    if propagation is not None and propagation not in PROPAGATION_POLICIES:
        raise _unknown_propagation(propagation)
    return DeleteOptions(
        grace_s=grace,
        uid=preconditions.get("uid"),
        revision=preconditions.get("resourceVersion"),
        propagation=propagation,
        dry_run=dry_run_of(list(body.get("dryRun") or [])),
    )


def _unknown_propagation(value: object) -> StatusError:
    names = ", ".join(f'"{name}"' for name in PROPAGATION_POLICIES)
    return bad_request(f'propagationPolicy: Unsupported value: "{value}": supported values: {names}')
