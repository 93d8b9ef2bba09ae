"""get and list: objects as they are, or as they were."""

from itertools import islice

from fakeapi.machinery.status import bad_request, expired
from fakeapi.registry.registry import Registry
from fakeapi.rest.continuation import Continuation, parse_continuation, too_old
from fakeapi.rest.options import EXACT, ListOptions, list_options, revision_of
from fakeapi.rest.present import Page, Presenter
from fakeapi.rest.request import RequestInfo
from fakeapi.rest.selection import selection_of
from fakeapi.storage.errors import HistoryExpired, VersionInFuture
from fakeapi.storage.objects import Version
from fakeapi.storage.store import Snapshot
from fakeapi.storage.watch import Selection


def get(registry: Registry, info: RequestInfo, presenter: Presenter) -> bytes:
    """The answer to a get.

    Raises:
        StatusError: 404, or 504 when a ``resourceVersion`` of the future is asked for.
    """
    registry.store.require_past(revision_of(info))
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
    select = selection_of(info)
    options = list_options(info)
    if options.continues:
        where = parse_continuation(options.continues)
        if options.revision:
            raise bad_request("specifying resource version is not allowed when using continue")
        return _next_page(registry, info, select, options, where)
    registry.store.require_past(options.revision)
    try:
        snapshot = _snapshot(registry, info, select, _exactly_at(options))
    except HistoryExpired:
        raise expired("The resourceVersion for the provided list is too old.") from None
    return _cut(snapshot, list(snapshot.versions), options.limit, counted=not _selects(info))


def _exactly_at(options: ListOptions) -> int | None:
    # Before there was a match, a version with a limit meant exactly that version; it still does.
    exact = options.match == EXACT or (not options.match and options.limit and options.revision)
    return options.revision if exact else None


def _next_page(
    registry: Registry, info: RequestInfo, select: Selection, options: ListOptions, where: Continuation
) -> Page:
    try:
        snapshot = _snapshot(registry, info, select, where.revision)
    except (HistoryExpired, VersionInFuture):  # of the future: the page was begun before a restart
        raise too_old() from None
    rest = [version for version in snapshot.versions if version.key > where.after]
    return _cut(snapshot, rest, options.limit, counted=not _selects(info))


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
