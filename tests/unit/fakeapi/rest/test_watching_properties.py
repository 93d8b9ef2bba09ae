"""A list and a watch from its version make up every later list, whatever is selected."""

from typing import Final
from urllib.parse import urlencode

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.fakeapi.rest.client import CONFIGS, Client, Json, events

_NAMES: Final = st.sampled_from("abc")
_LABELS: Final = st.dictionaries(st.sampled_from("xy"), st.sampled_from("12"), max_size=2)
_CHANGE: Final = st.tuples(st.sampled_from(("create", "replace", "delete")), _NAMES, _LABELS)
_SELECTORS: Final = st.sampled_from(
    (
        {},
        {"labelSelector": "x"},
        {"labelSelector": "x=1"},
        {"labelSelector": "x!=1,y"},
        {"fieldSelector": "metadata.name=a"},
        {"fieldSelector": "metadata.name!=a", "labelSelector": "!y"},
    )
)


def change(client: Client, what: str, name: str, labels: dict[str, str]) -> None:
    body = {"metadata": {"name": name, "labels": labels}}
    match what:
        case "create":
            client.post(CONFIGS, body)
        case "replace":
            client.put(f"{CONFIGS}/{name}", body)
        case "delete":
            client.delete(f"{CONFIGS}/{name}")


def by_name(items: list[Json]) -> dict[str, Json]:
    return {item["metadata"]["name"]: item for item in items}


def replayed(known: dict[str, Json], stream: bytes) -> dict[str, Json]:
    """What is known after the events of a watch, each of which must make sense."""
    known = dict(known)
    newest = 0
    for kind, obj in events(stream):
        name = obj["metadata"].get("name")
        version = int(obj["metadata"]["resourceVersion"])
        assert version > newest or kind == "BOOKMARK"
        newest = version
        if kind == "BOOKMARK":
            continue
        assert (name in known) == (kind != "ADDED")
        if kind == "DELETED":
            del known[name]
        else:
            known[name] = obj
    return known


@settings(max_examples=60, deadline=None)
@given(st.lists(_CHANGE, max_size=6), st.lists(_CHANGE, max_size=10), _SELECTORS)
def test_a_list_and_its_watch_make_the_later_list(
    before: list[tuple[str, str, dict[str, str]]],
    after: list[tuple[str, str, dict[str, str]]],
    selectors: dict[str, str],
) -> None:
    client = Client()
    query = urlencode(selectors)
    for step in before:
        change(client, *step)
    listed = client.get(f"{CONFIGS}?{query}").json
    version = listed["metadata"]["resourceVersion"]
    for step in after:
        change(client, *step)
    stream = client.get(
        f"{CONFIGS}?watch=1&timeoutSeconds=1&allowWatchBookmarks=1&resourceVersion={version}&{query}"
    )
    later = by_name(client.get(f"{CONFIGS}?{query}").json["items"])
    assert replayed(by_name(listed["items"]), stream.body) == later
    exactly = client.get(f"{CONFIGS}?resourceVersion={version}&resourceVersionMatch=Exact&{query}").json
    assert exactly["items"] == listed["items"]


@settings(max_examples=30, deadline=None)
@given(st.lists(_CHANGE, max_size=8), _SELECTORS)
def test_a_watch_from_nowhere_begins_with_the_list(
    before: list[tuple[str, str, dict[str, str]]], selectors: dict[str, str]
) -> None:
    client = Client()
    query = urlencode(selectors)
    for step in before:
        change(client, *step)
    stream = client.get(f"{CONFIGS}?watch=1&timeoutSeconds=1&{query}").body
    assert [obj for _, obj in events(stream)] == client.get(f"{CONFIGS}?{query}").json["items"]
