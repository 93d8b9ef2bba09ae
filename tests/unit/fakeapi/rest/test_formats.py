"""The same answers as tables and as bare metadata."""

import json
from typing import Any

import pytest

from fakeapi.kernel.clock import VirtualClock
from fakeapi.machinery.resources import PODS, builtin_table
from fakeapi.machinery.status import StatusError
from fakeapi.rest.formats import PartialPresenter, TablePresenter, presenter_for
from fakeapi.rest.present import Page, Presenter
from fakeapi.rest.request import parse_request
from fakeapi.storage.objects import Change, Kind, Version

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
PARTIAL_LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"


def presenter(accept: str, query: str = "") -> Presenter:
    info = parse_request(builtin_table(), "GET", "/api/v1/pods", query.encode())
    return presenter_for(accept, info, VirtualClock())


def version(name: str, revision: int = 7) -> Version:
    metadata = {
        "name": name,
        "namespace": "default",
        "creationTimestamp": "2026-01-05T00:00:00Z",
        "resourceVersion": str(revision),
    }
    obj = {"kind": "Pod", "apiVersion": "v1", "metadata": metadata, "spec": {"containers": []}, "status": {}}
    return Version(("default", name), revision, obj, revision)


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("", Presenter),
        ("*/*", Presenter),
        ("application/json", Presenter),
        (TABLE, TablePresenter),
        (f"{TABLE},application/json", TablePresenter),
        (PARTIAL, PartialPresenter),
        (PARTIAL_LIST, PartialPresenter),
    ],
)
def test_the_client_chooses(accept: str, kind: type[Presenter]) -> None:
    assert type(presenter(accept)) is kind


def test_what_is_not_offered() -> None:
    with pytest.raises(StatusError) as caught:
        presenter("text/html")
    assert (caught.value.code, caught.value.reason) == (406, "NotAcceptable")


def test_rows_carry_what_is_asked_for() -> None:
    for query, carried in (("", "PartialObjectMetadata"), ("includeObject=Object", "Pod")):
        (row,) = json.loads(presenter(TABLE, query).one(version("a")))["rows"]
        assert row["object"]["kind"] == carried
    (row,) = json.loads(presenter(TABLE, "includeObject=None").one(version("a")))["rows"]
    assert row["object"] is None
    with pytest.raises(StatusError, match="includeObject"):
        presenter(TABLE, "includeObject=All")


def test_a_page_as_a_table() -> None:
    page = json.loads(presenter(TABLE).many(Page(9, [version("a"), version("b")], "next", 3)))
    assert [row["cells"][0] for row in page["rows"]] == ["a", "b"]
    assert page["columnDefinitions"][0]["name"] == "Name"
    assert page["metadata"] == {"resourceVersion": "9", "continue": "next", "remainingItemCount": 3}


def test_only_the_first_table_of_a_watch_names_the_columns() -> None:
    tables = presenter(TABLE)
    render = tables.renderer()
    lines = [tables.added(version("a")), render(Change(Kind.ADDED, 8, None, version("b", 8)), Kind.ADDED)]
    events = [json.loads(line) for line in lines]
    assert [event["type"] for event in events] == ["ADDED", "ADDED"]
    assert [bool(event["object"]["columnDefinitions"]) for event in events] == [True, False]
    assert [event["object"]["metadata"]["resourceVersion"] for event in events] == ["7", "8"]


@pytest.mark.parametrize(
    ("query", "carried"),
    [("", "PartialObjectMetadata"), ("includeObject=Object", "Pod"), ("includeObject=None", None)],
)
def test_a_bookmark_as_a_table(query: str, carried: str | None) -> None:
    event = json.loads(presenter(TABLE, query).bookmark(12, {"a": "b"}))
    (row,) = event["object"]["rows"]
    assert event["type"] == "BOOKMARK"
    assert event["object"]["metadata"]["resourceVersion"] == "12"
    if carried is None:
        assert row["object"] is None
    else:
        assert row["object"]["kind"] == carried
        assert row["object"]["metadata"]["annotations"] == {"a": "b"}
        assert row["object"]["metadata"]["resourceVersion"] == "12"


def test_bare_metadata() -> None:
    bare = presenter(PARTIAL)
    answers: list[dict[str, Any]] = [
        json.loads(bare.one(version("a"))),
        json.loads(bare.many(Page(9, [version("a")])))["items"][0],
        json.loads(bare.added(version("a")))["object"],
        json.loads(bare.renderer()(Change(Kind.ADDED, 7, None, version("a")), Kind.ADDED))["object"],
    ]
    for answer in answers:
        assert answer == {
            "kind": "PartialObjectMetadata",
            "apiVersion": "meta.k8s.io/v1",
            "metadata": version("a").object["metadata"],
        }


def test_a_bookmark_of_bare_metadata() -> None:
    event = json.loads(presenter(PARTIAL).bookmark(12, None))
    assert (event["type"], event["object"]["kind"]) == ("BOOKMARK", "PartialObjectMetadata")
    assert event["object"]["metadata"]["resourceVersion"] == "12"


def test_watchers_of_other_forms_do_not_share_the_lines_of_whole_objects() -> None:
    change = Change(Kind.ADDED, 7, None, version("a"))
    whole, bare = Presenter(PODS).renderer(), presenter(PARTIAL).renderer()
    assert b'"spec"' in whole(change, Kind.ADDED)
    assert b'"spec"' not in bare(change, Kind.ADDED)
