"""Whole objects in JSON: the store's own bytes wherever they can be had."""

import json
from typing import Any

import orjson
import pytest

from fakeapi.machinery.resources import CORE_EVENTS, EVENTS, PODS, Resource
from fakeapi.rest.present import Page, Presenter
from fakeapi.storage.objects import Change, Kind, Version


def version(name: str = "p", revision: int = 7, **fields: Any) -> Version:
    metadata = {"name": name, "namespace": "default", "resourceVersion": str(revision)}
    obj = {"kind": "Pod", "apiVersion": "v1", "metadata": metadata, **fields}
    return Version(("default", name), revision, obj, revision)


def test_one_object_is_the_store_s_json() -> None:
    stored = version()
    assert Presenter(PODS).one(stored) is stored.json


def test_a_list_names_its_kind_and_revision() -> None:
    answer = json.loads(Presenter(PODS).many(Page(9, [version("a"), version("b")])))
    assert (answer["kind"], answer["apiVersion"]) == ("PodList", "v1")
    assert answer["metadata"] == {"resourceVersion": "9"}
    assert [item["metadata"]["name"] for item in answer["items"]] == ["a", "b"]


def test_an_empty_list_has_no_items_and_says_so() -> None:
    assert json.loads(Presenter(PODS).many(Page(9, [])))["items"] == []


def test_a_page_tells_where_the_next_one_starts() -> None:
    assert Page(9, [], "next", 0).metadata() == {
        "resourceVersion": "9",
        "continue": "next",
        "remainingItemCount": 0,
    }
    assert Page(9, [], "next").metadata() == {"resourceVersion": "9", "continue": "next"}


def test_an_object_that_was_there_is_told_as_added() -> None:
    line = json.loads(Presenter(PODS).added(version()))
    assert (line["type"], line["object"]["metadata"]["name"]) == ("ADDED", "p")


@pytest.mark.parametrize("annotations", [None, {"k8s.io/initial-events-end": "true"}])
def test_a_bookmark_has_only_its_revision(annotations: dict[str, str] | None) -> None:
    line = Presenter(PODS).bookmark(12, annotations)
    assert line.endswith(b"\n")
    marked = {"annotations": annotations} if annotations else {}
    assert json.loads(line) == {
        "type": "BOOKMARK",
        "object": {
            "kind": "Pod",
            "apiVersion": "v1",
            "metadata": {"resourceVersion": "12", "creationTimestamp": None, **marked},
        },
    }


def test_all_watchers_of_whole_objects_share_one_line() -> None:
    change = Change(Kind.ADDED, 7, None, version())
    one, other = Presenter(PODS).renderer(), Presenter(PODS).renderer()
    assert one(change, Kind.ADDED) is other(change, Kind.ADDED)


def stored_event() -> Version:
    event = {
        "kind": "Event",
        "apiVersion": "events.k8s.io/v1",
        "metadata": {"name": "e", "namespace": "default", "resourceVersion": "7"},
        "regarding": {"kind": "Pod", "name": "p"},
        "note": "assigned",
    }
    return Version(("default", "e"), 7, event, 7)


@pytest.mark.parametrize(
    ("resource", "shown", "text"), [(CORE_EVENTS, "involvedObject", "message"), (EVENTS, "regarding", "note")]
)
def test_events_are_shown_as_their_group_calls_things(resource: Resource, shown: str, text: str) -> None:
    presenter, event = Presenter(resource), stored_event()
    change = Change(Kind.ADDED, 7, None, event)
    for answer in (
        orjson.loads(presenter.one(event)),
        orjson.loads(presenter.many(Page(7, [event])))["items"][0],
        orjson.loads(presenter.added(event))["object"],
        orjson.loads(presenter.renderer()(change, Kind.ADDED))["object"],
    ):
        assert answer[shown]["name"] == "p"
        assert answer[text] == "assigned"
