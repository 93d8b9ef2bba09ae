"""get and list: the present, the past, and pages of one snapshot."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.rest.continuation import Continuation
from tests.unit.fakeapi.rest.client import (
    CONFIGS,
    LEASES,
    TABLE,
    Answer,
    Client,
    Json,
    status_of,
)


def names(answer: Answer) -> list[str]:
    assert answer.code == 200, answer.body
    return answer.names


def revision(answer: Answer) -> int:
    return int(answer.json["metadata"]["resourceVersion"])


def three(client: Client) -> list[Json]:
    return [client.config(name, app=name) for name in ("a", "b", "c")]


# ---- get ----


def test_get_answers_what_is_stored(client: Client) -> None:
    created = client.config("a", app="x")
    answer = client.get(f"{CONFIGS}/a")
    assert (answer.code, answer.json) == (200, created)
    assert answer.header(b"content-type") == b"application/json"


@pytest.mark.parametrize(
    ("url", "message"),
    [
        (f"{CONFIGS}/nobody", 'configmaps "nobody" not found'),
        (f"{LEASES}/nobody", 'leases.coordination.k8s.io "nobody" not found'),
        ("/api/v1/namespaces/nowhere/configmaps/a", 'configmaps "a" not found'),
        ("/apis/apps/v1/namespaces/default/deployments/d/scale", 'deployments.apps "d" not found'),
    ],
)
def test_get_of_what_is_not_there(client: Client, url: str, message: str) -> None:
    status = client.refused(404, "GET", url)
    assert (status["reason"], status["message"]) == ("NotFound", message)


def test_get_through_the_status(client: Client) -> None:
    node = client.post("/api/v1/nodes", {"metadata": {"name": "n1"}}).json
    assert client.get("/api/v1/nodes/n1/status").json == node


def test_get_not_older_than_a_version(client: Client) -> None:
    created = client.config("a")
    assert client.get(f"{CONFIGS}/a?resourceVersion=0").json == created
    assert client.get(f"{CONFIGS}/a?resourceVersion={client.revision}").json == created
    status = client.refused(504, "GET", f"{CONFIGS}/a?resourceVersion={client.revision + 1}")
    assert status["message"].startswith("Timeout: Too large resource version: ")
    assert client.refused(400, "GET", f"{CONFIGS}/a?resourceVersion=x")["reason"] == "BadRequest"


def test_get_in_other_forms(client: Client) -> None:
    client.config("a")
    assert client.get(f"{CONFIGS}/a", TABLE).json["kind"] == "Table"
    partial = client.get(f"{CONFIGS}/a", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io").json
    assert (partial["kind"], partial["metadata"]["name"]) == ("PartialObjectMetadata", "a")


# ---- list ----


def test_list_in_the_order_of_names(client: Client) -> None:
    for name in ("c", "a", "b"):
        client.config(name)
    answer = client.get(CONFIGS)
    assert names(answer) == ["a", "b", "c"]
    assert (answer.json["kind"], answer.json["apiVersion"]) == ("ConfigMapList", "v1")
    assert revision(answer) == client.revision


def test_list_over_all_namespaces(client: Client) -> None:
    client.config("a")
    client.post("/api/v1/namespaces/kube-public/configmaps", {"metadata": {"name": "b"}})
    everywhere = [
        (item["metadata"]["namespace"], item["metadata"]["name"])
        for item in client.get("/api/v1/configmaps").json["items"]
    ]
    assert everywhere == [
        ("default", "a"),
        ("kube-public", "b"),
        ("kube-system", "extension-apiserver-authentication"),
    ]


def test_list_of_nothing(client: Client) -> None:
    assert names(client.get("/api/v1/namespaces/nowhere/configmaps")) == []


@pytest.mark.parametrize(
    ("query", "selected"),
    [
        ("labelSelector=app%3Da", ["a"]),
        ("labelSelector=app%20in%20(a,b)", ["a", "b"]),
        ("fieldSelector=metadata.name%3Db", ["b"]),
        ("labelSelector=app&fieldSelector=metadata.name!%3Db", ["a", "c"]),
        ("pretty=true&watch=false&timeoutSeconds=5&allowWatchBookmarks=true&unknown=1", ["a", "b", "c"]),
    ],
)
def test_selectors(client: Client, query: str, selected: list[str]) -> None:
    three(client)
    assert names(client.get(f"{CONFIGS}?{query}")) == selected


@pytest.mark.parametrize(
    "query",
    [
        "labelSelector=!!",
        "fieldSelector=spec.nothing%3D1",
        "limit=x",
        "timeoutSeconds=x",
        "resourceVersion=x",
        "continue=x",
        "a=%ff",
    ],
)
def test_bad_parameters(client: Client, query: str) -> None:
    assert client.refused(400, "GET", f"{CONFIGS}?{query}")["reason"] == "BadRequest"


def test_contradictions(client: Client) -> None:
    assert client.refused(422, "GET", f"{CONFIGS}?sendInitialEvents=true")["reason"] == "Invalid"


def test_a_list_in_a_format_that_nobody_offers(client: Client) -> None:
    answer = client.get(CONFIGS, "text/html")
    assert (answer.code, status_of(answer)["reason"]) == (406, "NotAcceptable")


def test_a_list_as_a_table(client: Client) -> None:
    three(client)
    table = client.get(CONFIGS, TABLE).json
    assert [row["cells"][0] for row in table["rows"]] == ["a", "b", "c"]
    assert client.ask("GET", f"{CONFIGS}?includeObject=Nothing", accept=TABLE).code == 400


# ---- versions ----


def test_the_past_at_an_exact_version(client: Client) -> None:
    three(client)
    then = client.revision
    client.delete(f"{CONFIGS}/a")
    client.put(f"{CONFIGS}/b", {"metadata": {"name": "b"}, "data": {"new": "x"}})
    client.config("d")
    answer = client.get(f"{CONFIGS}?resourceVersion={then}&resourceVersionMatch=Exact")
    assert (names(answer), revision(answer)) == (["a", "b", "c"], then)
    assert all("data" not in item for item in answer.json["items"])
    selected = f"{CONFIGS}?resourceVersion={then}&resourceVersionMatch=Exact&labelSelector=app%3Da"
    assert names(client.get(selected)) == ["a"]


@pytest.mark.parametrize("query", ["", "&resourceVersionMatch=NotOlderThan"])
def test_not_older_than_a_version_is_the_present(client: Client, query: str) -> None:
    three(client)
    for asked in (0, 1, client.revision):
        answer = client.get(f"{CONFIGS}?resourceVersion={asked}{query}")
        assert (names(answer), revision(answer)) == (["a", "b", "c"], client.revision)


def test_a_version_with_a_limit_is_exact(client: Client) -> None:
    three(client)
    then = client.revision
    client.delete(f"{CONFIGS}/a")
    assert names(client.get(f"{CONFIGS}?resourceVersion={then}&limit=2")) == ["a", "b"]
    newest = f"{CONFIGS}?resourceVersion={then}&limit=2&resourceVersionMatch=NotOlderThan"
    assert names(client.get(newest)) == ["b", "c"]
    assert names(client.get(f"{CONFIGS}?resourceVersion=0&limit=2")) == ["b", "c"]


@pytest.mark.parametrize("match", ["", "&resourceVersionMatch=Exact", "&resourceVersionMatch=NotOlderThan"])
def test_a_version_of_the_future_is_too_large(client: Client, match: str) -> None:
    status = client.refused(504, "GET", f"{CONFIGS}?resourceVersion={client.revision + 1}{match}")
    assert status["reason"] == "Timeout"
    assert status["details"]["causes"][0]["reason"] == "ResourceVersionTooLarge"


def forgetful() -> tuple[Client, int]:
    """A server that remembers few changes, and a revision that it has forgotten."""
    client = Client(history_limit=4)
    three(client)
    then = client.revision
    for number in range(6):
        client.put(f"{CONFIGS}/a", {"metadata": {"name": "a"}, "data": {"n": str(number)}})
    return client, then


def test_a_forgotten_version_has_expired() -> None:
    client, then = forgetful()
    status = client.refused(410, "GET", f"{CONFIGS}?resourceVersion={then}&resourceVersionMatch=Exact")
    assert (status["reason"], status["message"]) == (
        "Expired",
        "The resourceVersion for the provided list is too old.",
    )
    assert client.get(f"{CONFIGS}?resourceVersion={then}").code == 200


# ---- pages ----


def pages(client: Client, url: str, limit: int, between: Callable[[], object] = lambda: None) -> list[Json]:
    """All pages of a list, with something else going on between them."""
    found = [client.get(f"{url}{'&' if '?' in url else '?'}limit={limit}").json]
    while token := found[-1]["metadata"].get("continue"):
        between()
        joined = f"{url}{'&' if '?' in url else '?'}limit={limit}&continue={token}"
        found.append(client.get(joined).json)
    return found


def named(found: list[Json]) -> list[str]:
    return [item["metadata"]["name"] for page in found for item in page["items"]]


def test_pages_hold_each_object_once(client: Client) -> None:
    for number in range(7):
        client.config(f"c{number}")
    found = pages(client, CONFIGS, 3)
    assert [len(page["items"]) for page in found] == [3, 3, 1]
    assert named(found) == [f"c{number}" for number in range(7)]
    assert [page["metadata"].get("remainingItemCount") for page in found] == [4, 1, None]
    assert "continue" not in found[-1]["metadata"]


def test_a_page_that_is_just_full_is_the_last(client: Client) -> None:
    three(client)
    assert [len(page["items"]) for page in pages(client, CONFIGS, 3)] == [3]


def test_with_a_selector_nobody_knows_how_many_remain(client: Client) -> None:
    three(client)
    found = pages(client, f"{CONFIGS}?labelSelector=app", 1)
    assert named(found) == ["a", "b", "c"]
    assert all("remainingItemCount" not in page["metadata"] for page in found)


def test_pages_go_over_namespaces(client: Client) -> None:
    client.config("b")
    client.post("/api/v1/namespaces/kube-public/configmaps", {"metadata": {"name": "a"}})
    assert named(pages(client, "/api/v1/configmaps", 1)) == ["b", "a", "extension-apiserver-authentication"]
    assert named(pages(client, "/api/v1/namespaces", 2)) == [
        "default",
        "kube-node-lease",
        "kube-public",
        "kube-system",
    ]


CHANGES = st.lists(
    st.tuples(st.sampled_from(["create", "replace", "delete"]), st.sampled_from("abcdefgh")), max_size=4
)


@settings(max_examples=40)
@given(st.sets(st.sampled_from("abcdefgh"), min_size=1), st.integers(1, 4), st.lists(CHANGES, max_size=8))
def test_all_pages_are_of_one_snapshot_whatever_happens(
    there: set[str], limit: int, meanwhile: list[list[tuple[str, str]]]
) -> None:
    client = Client()
    for name in sorted(there):
        client.config(name)
    snapshot = client.get(CONFIGS).json
    waiting = iter(meanwhile)

    def change() -> None:
        for what, name in next(waiting, []):
            if what == "create":
                client.post(CONFIGS, {"metadata": {"name": name}})
            elif what == "replace":
                client.put(f"{CONFIGS}/{name}", {"metadata": {"name": name}, "data": {"n": "x"}})
            else:
                client.delete(f"{CONFIGS}/{name}")

    found = pages(client, CONFIGS, limit, change)
    assert [item for page in found for item in page["items"]] == snapshot["items"]
    assert {page["metadata"]["resourceVersion"] for page in found} == {
        snapshot["metadata"]["resourceVersion"]
    }


def test_a_page_of_a_forgotten_snapshot_has_expired() -> None:
    client = Client(history_limit=4)
    three(client)
    token = client.get(f"{CONFIGS}?limit=1").json["metadata"]["continue"]
    for number in range(6):
        client.put(f"{CONFIGS}/a", {"metadata": {"name": "a"}, "data": {"n": str(number)}})
    status = client.refused(410, "GET", f"{CONFIGS}?limit=1&continue={token}")
    assert status["reason"] == "Expired"
    assert "start a new list" in status["message"]


def test_a_page_that_was_begun_before_a_restart_has_expired(client: Client) -> None:
    token = Continuation(client.revision + 1000, ("default", "a")).token()
    assert client.refused(410, "GET", f"{CONFIGS}?limit=1&continue={token}")["reason"] == "Expired"


def test_a_page_has_the_version_of_the_first(client: Client) -> None:
    three(client)
    token = client.get(f"{CONFIGS}?limit=1").json["metadata"]["continue"]
    url = f"{CONFIGS}?limit=1&continue={token}&resourceVersion="
    status = client.refused(400, "GET", f"{url}{client.revision}")
    assert status["message"] == "specifying resource version is not allowed when using continue"
    assert names(client.get(f"{url}0")) == ["b"]


def test_the_greatest_version_is_one_of_the_future(client: Client) -> None:
    assert (
        client.refused(504, "GET", f"{CONFIGS}?resourceVersion=18446744073709551615")["reason"] == "Timeout"
    )
