"""get and list: objects as they are, or as they were."""

from itertools import islice
from typing import Final

from fakeapi.machinery.status import Cause, StatusError, bad_request, forbidden_value, invalid_value
from fakeapi.registry.registry import Registry
from fakeapi.rest.continuation import TOO_OLD, Continuation, parse_continuation
from fakeapi.rest.present import Page, Presenter
from fakeapi.rest.request import RequestInfo
from fakeapi.rest.selection import selection_of
from fakeapi.storage.errors import HistoryExpired
from fakeapi.storage.objects import Version
from fakeapi.storage.store import Snapshot
from fakeapi.storage.watch import Selection

_MATCHES: Final = ("Exact", "NotOlderThan")


def get(registry: Registry, info: RequestInfo, presenter: Presenter) -> bytes:
    """The answer to a get.

    Raises:
        StatusError: 404, or 504 when a ``resourceVersion`` of the future is asked for.
    """
    registry.store.require_past(revision_of(info) or 0)
    return presenter.one(registry.get(info.resource, info.namespace, info.name))


def list_page(registry: Registry, info: RequestInfo, presenter: Presenter) -> bytes:
    """The answer to a list.

    Raises:
        StatusError: 400 or 422 for parameters that contradict each other, 410 when the asked
            past is no longer known, 504 when it has not happened.
    """
    return presenter.many(page_of(registry, info))


def page_of(registry: Registry, info: RequestInfo) -> Page:
    """The objects that a list asks for; see :func:`list_page`."""
    _require_consistent(info)
    select = selection_of(info)
    limit = info.number("limit") or 0
    token = info.text("continue")
    if token:
        if info.text("resourceVersion") not in ("", "0"):
            raise bad_request("specifying resource version is not allowed when using continue")
        return _next_page(registry, info, select, limit, parse_continuation(token))
    revision = revision_of(info) or 0
    registry.store.require_past(revision)
    at = revision if info.text("resourceVersionMatch") == "Exact" else None
    snapshot = _snapshot(registry, info, select, at)
    return _cut(snapshot, list(snapshot.versions), limit, counted=not _selects(info))


def _next_page(
    registry: Registry, info: RequestInfo, select: Selection, limit: int, where: Continuation
) -> Page:
    try:
        snapshot = _snapshot(registry, info, select, where.revision)
    except HistoryExpired:
        raise TOO_OLD from None
    rest = [version for version in snapshot.versions if version.key > where.after]
    return _cut(snapshot, rest, limit, counted=not _selects(info))


def _snapshot(registry: Registry, info: RequestInfo, select: Selection, at: int | None) -> Snapshot:
    return registry.store.snapshot(info.resource.storage_key, info.namespace, select, at)


def _cut(snapshot: Snapshot, versions: list[Version], limit: int, *, counted: bool) -> Page:
    if not limit or len(versions) <= limit:
        return Page(snapshot.revision, versions)
    kept = list(islice(versions, limit))
    token = Continuation(snapshot.revision, kept[-1].key).token()
    # With a selector the real server does not know how many match, and so does not say.
    return Page(snapshot.revision, kept, token, len(versions) - limit if counted else None)


def _selects(info: RequestInfo) -> bool:
    return bool(info.text("labelSelector") or info.text("fieldSelector"))


def revision_of(info: RequestInfo) -> int | None:
    """The revision that a request names, or None.

    Raises:
        StatusError: 422 when it is not a number.
    """
    text = info.text("resourceVersion")
    if text and not (text.isascii() and text.isdigit()):
        cause = invalid_value("resourceVersion", text, f'strconv.ParseUint: parsing "{text}": invalid syntax')
        raise invalid_options([cause])
    return int(text) if text else None


def _require_consistent(info: RequestInfo) -> None:
    match, causes = info.text("resourceVersionMatch"), []
    if info.text("sendInitialEvents"):
        causes.append(forbidden_value("sendInitialEvents", "sendInitialEvents is forbidden for list"))
    if match and match not in _MATCHES:
        causes.append(
            Cause(
                "resourceVersionMatch",
                f'Unsupported value: "{match}": supported values: "Exact", "NotOlderThan", ""',
                "FieldValueNotSupported",
            )
        )
    elif match and not info.text("resourceVersion"):
        causes.append(
            forbidden_value(
                "resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided"
            )
        )
    elif match == "Exact" and info.text("resourceVersion") == "0":
        causes.append(
            forbidden_value(
                "resourceVersionMatch",
                'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
            )
        )
    elif match and info.text("continue"):
        causes.append(
            forbidden_value(
                "resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"
            )
        )
    if causes:
        raise invalid_options(causes)


def invalid_options(causes: list[Cause]) -> StatusError:
    """Parameters of a list or watch that contradict each other."""
    joined = ", ".join(f"{cause.field}: {cause.message}" for cause in causes)
    text = joined if len(causes) == 1 else f"[{joined}]"
    details = {
        "group": "meta.k8s.io",
        "kind": "ListOptions",
        "causes": [cause.to_json() for cause in causes],
    }
    return StatusError(422, "Invalid", f'ListOptions.meta.k8s.io "" is invalid: {text}', details)
