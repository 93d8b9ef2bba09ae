"""What queries ask for, and in which words contradictions are refused."""

from typing import Any

import pytest

from fakeapi.machinery.resources import builtin_table
from fakeapi.machinery.status import StatusError
from fakeapi.registry.options import WriteOptions
from fakeapi.rest.options import EXACT, NOT_OLDER_THAN, ListOptions, list_options, revision_of, write_options
from fakeapi.rest.request import RequestInfo, parse_request

TABLE = builtin_table()
FORBIDDEN = "resourceVersionMatch: Forbidden: "
NEEDS_VERSION = f"{FORBIDDEN}resourceVersionMatch is forbidden unless resourceVersion is provided"
NOT_WITH_CONTINUE = f"{FORBIDDEN}resourceVersionMatch is forbidden when continue is provided"
NOT_FOR_LIST = "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"
NEEDS_MATCH = f"{FORBIDDEN}sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
NEEDS_INITIAL = f"{FORBIDDEN}resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"


def asked(query: str, method: str = "GET") -> RequestInfo:
    return parse_request(TABLE, method, "/api/v1/namespaces/default/pods", query.encode())


def listing(query: str) -> ListOptions:
    return list_options(asked(query))


def watching(query: str = "") -> ListOptions:
    return list_options(asked(f"watch=1&{query}"))


def refused(query: str) -> StatusError:
    with pytest.raises(StatusError) as caught:
        listing(query)
    return caught.value


def test_a_list_without_a_query_asks_for_everything() -> None:
    assert listing("") == ListOptions(0, "", 0, "", 0, initial_events=False, bookmarks=False)


def test_all_options_of_a_list() -> None:
    query = "resourceVersion=7&resourceVersionMatch=Exact&limit=3&timeoutSeconds=9&allowWatchBookmarks=true"
    assert listing(query) == ListOptions(7, EXACT, 3, "", 9, initial_events=False, bookmarks=True)


@pytest.mark.parametrize("query", ["limit=0", "limit=-1", "limit=-9223372036854775808", "timeoutSeconds=-1"])
def test_no_limit_is_no_limit(query: str) -> None:
    assert listing(query).limit == 0


@pytest.mark.parametrize(
    ("query", "initial", "match"),
    [
        ("", True, NOT_OLDER_THAN),
        ("resourceVersion=0", True, NOT_OLDER_THAN),
        ("resourceVersion=", True, NOT_OLDER_THAN),
        ("resourceVersion=5", False, ""),
        ("sendInitialEvents=true&resourceVersionMatch=NotOlderThan", True, NOT_OLDER_THAN),
        ("sendInitialEvents=&resourceVersionMatch=NotOlderThan&resourceVersion=5", True, NOT_OLDER_THAN),
        ("sendInitialEvents=false&resourceVersionMatch=NotOlderThan", False, NOT_OLDER_THAN),
    ],
)
def test_a_watch_begins_with_what_there_is_unless_it_knows_it(
    query: str, *, initial: bool, match: str
) -> None:
    options = watching(query)
    assert (options.initial_events, options.match) == (initial, match)


@pytest.mark.parametrize(
    ("query", "causes"),
    [
        ("resourceVersionMatch=Exact", [NEEDS_VERSION]),
        ("resourceVersionMatch=NotOlderThan", [NEEDS_VERSION]),
        (
            "resourceVersionMatch=Exact&resourceVersion=0",
            [f'{FORBIDDEN}resourceVersionMatch "exact" is forbidden for resourceVersion "0"'],
        ),
        (
            "resourceVersionMatch=Newest&resourceVersion=5",
            [
                'resourceVersionMatch: Unsupported value: "Newest": '
                'supported values: "Exact", "NotOlderThan", ""'
            ],
        ),
        ("resourceVersionMatch=Exact&resourceVersion=5&continue=x", [NOT_WITH_CONTINUE]),
        ("sendInitialEvents=true", [NOT_FOR_LIST]),
        ("sendInitialEvents=false", [NOT_FOR_LIST]),
        ("sendInitialEvents=true&resourceVersionMatch=NotOlderThan", [NEEDS_VERSION, NOT_FOR_LIST]),
        ("watch=1&sendInitialEvents=true", [NEEDS_MATCH]),
        ("watch=1&sendInitialEvents=false", [NEEDS_MATCH]),
        (
            "watch=1&sendInitialEvents=true&resourceVersionMatch=Exact",
            [
                NEEDS_MATCH,
                'resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"',
            ],
        ),
        ("watch=1&resourceVersionMatch=NotOlderThan", [NEEDS_INITIAL]),
        ("watch=1&resourceVersionMatch=NotOlderThan&resourceVersion=5", [NEEDS_INITIAL]),
        ("watch=1&continue=x", [NOT_WITH_CONTINUE]),
    ],
)
def test_contradictions_of_a_list_or_watch(query: str, causes: list[str]) -> None:
    error = refused(query)
    told = causes[0] if len(causes) == 1 else f"[{', '.join(causes)}]"
    assert (error.code, error.reason) == (422, "Invalid")
    assert error.message == f'ListOptions.meta.k8s.io "" is invalid: {told}'
    assert error.details is not None
    assert (error.details["group"], error.details["kind"]) == ("meta.k8s.io", "ListOptions")
    assert len(error.details["causes"]) == len(causes)


@pytest.mark.parametrize(
    "query",
    [
        "limit=x",
        "timeoutSeconds=x",
        "watch=1&timeoutSeconds=-1",
        "resourceVersion=x",
        "resourceVersion=-1",
        "resourceVersion=1.0",
        "resourceVersion=%D9%A3",
        f"resourceVersion={'9' * 5000}",
    ],
)
def test_what_is_no_number(query: str) -> None:
    assert (refused(query).code, refused(query).reason) == (400, "BadRequest")


def test_contradictions_are_told_before_an_unreadable_version() -> None:
    assert refused("resourceVersion=x&sendInitialEvents=true").code == 422


@pytest.mark.parametrize(
    ("query", "revision"), [("", 0), ("resourceVersion=", 0), ("resourceVersion=12", 12)]
)
def test_the_revision_of_a_request(query: str, revision: int) -> None:
    assert revision_of(asked(query)) == revision


# ---- writes ----


def writing(query: str, kind: str = "CreateOptions") -> WriteOptions:
    return write_options(asked(query, "POST"), kind)


def wrong(query: str, kind: str = "CreateOptions") -> dict[str, Any]:
    with pytest.raises(StatusError) as caught:
        writing(query, kind)
    assert caught.value.code == 422
    assert caught.value.message.startswith(f'{kind}.meta.k8s.io "" is invalid: ')
    assert caught.value.details is not None
    return {cause["field"]: cause["message"] for cause in caught.value.details["causes"]}


@pytest.mark.parametrize(
    "query",
    [
        "",
        "pretty=true",
        "fieldManager=kubectl-client-side-apply",
        "fieldManager=caf%C3%A9",
        "fieldValidation=",
        "fieldValidation=Strict",
        "force=true",
    ],
)
def test_ordinary_writes(query: str) -> None:
    assert writing(query) == WriteOptions()


def test_a_dry_run() -> None:
    assert writing("dryRun=All").dry_run
    assert writing("dryRun=All&dryRun=All").dry_run


@pytest.mark.parametrize("kind", ["CreateOptions", "UpdateOptions", "PatchOptions"])
def test_all_that_is_wrong_with_a_write_is_told_together(kind: str) -> None:
    assert wrong("dryRun=Some&dryRun=All&fieldValidation=Maybe&fieldManager=a%0Ab", kind) == {
        "fieldManager": 'Invalid value: "a\\nb": invalid character U+000A (at position 1)',
        "dryRun": 'Unsupported value: ["Some","All"]: supported values: "All"',
        "fieldValidation": 'Unsupported value: "Maybe": supported values: "", "Ignore", "Strict", "Warn"',
    }


def test_a_manager_has_a_short_name() -> None:
    assert writing(f"fieldManager={'x' * 128}") == WriteOptions()
    assert wrong(f"fieldManager={'x' * 129}") == {"fieldManager": "Too long: may not be more than 128 bytes"}
    assert "fieldManager" in wrong(f"fieldManager={'%C3%A9' * 65}")


def test_only_an_apply_can_be_forced() -> None:
    for query in ("force=true", "force=false"):
        assert wrong(query, "PatchOptions") == {
            "force": "Forbidden: may not be specified for non-apply patch"
        }
