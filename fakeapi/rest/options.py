"""What a request asks for in its query, read once, and refused where it contradicts itself.

The rules and their order are those of ``ValidateListOptions``, ``ValidateCreateOptions`` and their
siblings in ``k8s.io/apimachinery/pkg/apis/meta``.
"""

from dataclasses import dataclass
from typing import Final

from fakeapi.machinery.status import Cause, bad_request, forbidden_value, invalid_value
from fakeapi.registry.causes import not_supported
from fakeapi.registry.options import WriteOptions, dry_run_causes, invalid_options
from fakeapi.rest.request import RequestInfo

EXACT: Final = "Exact"
NOT_OLDER_THAN: Final = "NotOlderThan"
_VALIDATIONS: Final = ("", "Ignore", "Strict", "Warn")
_MANAGER_LENGTH: Final = 128
"""Most bytes of a ``fieldManager``."""
_REVISION_DIGITS: Final = 20
"""Digits of the greatest unsigned 64-bit integer."""


@dataclass(frozen=True, slots=True)
class ListOptions:
    """What goes with a list or a watch."""

    revision: int
    """The ``resourceVersion`` that is named; 0 for none, or for any."""
    match: str
    limit: int
    """Most objects in one answer; 0 for no limit."""
    continues: str
    timeout_s: int
    """Seconds that a watch may last; 0 where the client leaves it to the server."""
    initial_events: bool
    """Whether a watch begins with what there is."""
    bookmarks: bool


def revision_of(info: RequestInfo) -> int:
    """The number of the ``resourceVersion`` that a request names; 0 for none.

    Raises:
        StatusError: 400 when it is not a number of 64 bits.
    """
    text = info.text("resourceVersion")
    if not text:
        return 0
    if text.isascii() and text.isdigit() and len(text) <= _REVISION_DIGITS:
        return int(text)
    why = f'resourceVersion: Invalid value: "{text}": must be an unsigned 64-bit integer'
    raise bad_request(f"invalid resource version: {why}")


def list_options(info: RequestInfo) -> ListOptions:
    """The options of a list, a watch, or the deletion of a collection.

    Raises:
        StatusError: 400 for what is not a number, 422 for parameters that contradict each other.
    """
    if not info.query:
        return _NO_LIST_OPTIONS
    timeout = info.number("timeoutSeconds") or 0
    if timeout < 0 and info.verb == "watch":
        raise bad_request(f'invalid value for timeoutSeconds: "{timeout}": must not be negative')
    limit = info.number("limit") or 0
    initial, match = _initial_events(info)
    causes = _watch_causes(info, match) if info.verb == "watch" else _list_causes(info, match)
    if causes:
        raise invalid_options("ListOptions", causes)
    return ListOptions(
        revision=revision_of(info),
        match=match,
        limit=max(limit, 0),
        continues=info.text("continue"),
        timeout_s=timeout,
        initial_events=initial,
        bookmarks=info.flag("allowWatchBookmarks"),
    )


def _initial_events(info: RequestInfo) -> tuple[bool, str]:
    """Whether initial events are wanted, and the match; a watch from nowhere wants them without a word."""
    match = info.text("resourceVersionMatch")
    if info.verb == "watch" and not match and "sendInitialEvents" not in info.query:
        from_nowhere = info.text("resourceVersion") in ("", "0")
        return from_nowhere, NOT_OLDER_THAN if from_nowhere else ""
    return info.flag("sendInitialEvents"), match


_NO_LIST_OPTIONS: Final = ListOptions(0, "", 0, "", 0, initial_events=False, bookmarks=False)
"""Of a list: a watch is one by its query."""


def _list_causes(info: RequestInfo, match: str) -> list[Cause]:
    causes, revision = [], info.text("resourceVersion")
    if match:
        if not revision:
            causes.append(_no_match("resourceVersionMatch is forbidden unless resourceVersion is provided"))
        if info.text("continue"):
            causes.append(_NO_MATCH_WITH_CONTINUE)
        if match not in (EXACT, NOT_OLDER_THAN):
            causes.append(not_supported("resourceVersionMatch", match, (EXACT, NOT_OLDER_THAN, "")))
        if match == EXACT and revision == "0":
            causes.append(_no_match('resourceVersionMatch "exact" is forbidden for resourceVersion "0"'))
    if "sendInitialEvents" in info.query:
        causes.append(forbidden_value("sendInitialEvents", "sendInitialEvents is forbidden for list"))
    return causes


def _watch_causes(info: RequestInfo, match: str) -> list[Cause]:
    causes, given = [], info.text("resourceVersionMatch")
    if "sendInitialEvents" in info.query and match != NOT_OLDER_THAN:
        causes.append(_no_match("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"))
    if given and "sendInitialEvents" not in info.query:
        why = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
        causes.append(_no_match(why))
    if given not in ("", NOT_OLDER_THAN):
        causes.append(not_supported("resourceVersionMatch", given, (NOT_OLDER_THAN,)))
    if match and info.text("continue"):
        causes.append(_NO_MATCH_WITH_CONTINUE)
    return causes


def _no_match(why: str) -> Cause:
    return forbidden_value("resourceVersionMatch", why)


_NO_MATCH_WITH_CONTINUE: Final = _no_match("resourceVersionMatch is forbidden when continue is provided")


def write_options(info: RequestInfo, kind: str) -> WriteOptions:
    """The options of a create, update or patch; ``kind`` is what they are called, such as ``PatchOptions``.

    Raises:
        StatusError: 422 for values that are not known.
    """
    if not info.query:
        return _NO_WRITE_OPTIONS
    causes = []
    if kind == "PatchOptions" and "force" in info.query:
        causes.append(forbidden_value("force", "may not be specified for non-apply patch"))
    causes += _manager_causes(info.text("fieldManager"))
    dry_run = info.query.get("dryRun", [])
    causes += dry_run_causes(dry_run)
    if (validation := info.text("fieldValidation")) not in _VALIDATIONS:
        causes.append(not_supported("fieldValidation", validation, _VALIDATIONS))
    if causes:
        raise invalid_options(kind, causes)
    return WriteOptions(dry_run=bool(dry_run))


_NO_WRITE_OPTIONS: Final = WriteOptions()


def _manager_causes(manager: str) -> list[Cause]:
    if len(manager.encode()) > _MANAGER_LENGTH:
        why = f"Too long: may not be more than {_MANAGER_LENGTH} bytes"
        return [Cause("fieldManager", why, "FieldValueTooLong")]
    return [
        invalid_value(
            "fieldManager", manager, f"invalid character U+{ord(character):04X} (at position {place})"
        )
        for place, character in enumerate(manager)
        if not character.isprintable()
    ]
