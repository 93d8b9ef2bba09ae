"""Get and list: single objects, selectors, pages, resource versions. Watches have their own file."""

import pytest

from tests.support.api import Api, assert_refused, refused


def test_get_answers_the_object_that_was_created(api: Api) -> None:
    created = api.create_config("settings", labels={"app": "train"}, annotations={"note": "x y"})
    found = api.core.read_namespaced_config_map("settings", api.namespace)
    assert found == created
    assert found.metadata.namespace == api.namespace
    assert found.metadata.uid
    assert found.metadata.creation_timestamp
    assert found.metadata.labels == {"app": "train"}
    assert found.metadata.annotations == {"note": "x y"}
    assert found.data == {"key": "value"}


def test_get_of_an_unknown_name_is_not_found(api: Api) -> None:
    with refused(404, "NotFound") as refusal:
        api.core.read_namespaced_config_map("nobody", api.namespace)
    assert refusal.message == 'configmaps "nobody" not found'
    assert refusal.status["details"] == {"name": "nobody", "kind": "configmaps"}


def test_not_found_names_the_group_of_the_resource(api: Api) -> None:
    with refused(404, "NotFound") as refusal:
        api.apps.read_namespaced_deployment("nobody", api.namespace)
    assert refusal.message == 'deployments.apps "nobody" not found'
    assert refusal.status["details"] == {"name": "nobody", "group": "apps", "kind": "deployments"}


def test_list_holds_the_namespace_only_in_the_order_of_names(api: Api) -> None:
    for name in ("b", "c", "a"):
        api.create_config(name)
    found = api.core.list_namespaced_config_map(api.namespace)
    assert [item.metadata.name for item in found.items] == ["a", "b", "c"]
    assert found.kind == "ConfigMapList"
    assert int(found.metadata.resource_version) >= max(int(o.metadata.resource_version) for o in found.items)


def test_list_over_all_namespaces(api: Api) -> None:
    other = api.create_namespace()
    name = api.unique("everywhere")
    for namespace in (api.namespace, other):
        api.core.create_namespaced_config_map(namespace, {"metadata": {"name": name}})
    found = api.core.list_config_map_for_all_namespaces(field_selector=f"metadata.name={name}")
    assert {item.metadata.namespace for item in found.items} == {api.namespace, other}


def test_list_of_an_unknown_namespace_is_empty(api: Api) -> None:
    assert api.core.list_namespaced_pod("no-such-namespace").items == []


@pytest.mark.parametrize(
    ("selector", "selected"),
    [
        ("app=train", ["a", "b"]),
        ("app==train,tier=gold", ["a"]),
        ("app!=train", ["c", "d"]),
        ("tier", ["a", "b"]),
        ("!tier", ["c", "d"]),
        ("app in (train, serve)", ["a", "b", "c"]),
        ("app notin (train)", ["c", "d"]),
        ("app=nothing", []),
    ],
)
def test_label_selectors(api: Api, selector: str, selected: list[str]) -> None:
    api.create_pod("a", labels={"app": "train", "tier": "gold"})
    api.create_pod("b", labels={"app": "train", "tier": "tin"})
    api.create_pod("c", labels={"app": "serve"})
    api.create_pod("d")
    assert api.names(label_selector=selector) == selected


@pytest.mark.parametrize(
    ("selector", "selected"),
    [
        ("metadata.name=a", ["a"]),
        ("metadata.name!=a", ["b"]),
        ("spec.nodeName=", ["a"]),
        ("spec.nodeName=somewhere", ["b"]),
        ("spec.schedulerName=own", ["b"]),
        ("status.phase!=Succeeded,status.phase!=Failed", ["a", "b"]),
        ("status.phase=Succeeded", []),
    ],
)
def test_field_selectors_of_pods(api: Api, selector: str, selected: list[str]) -> None:
    api.create_pod("a")
    api.create_pod("b", spec={"nodeName": "somewhere", "schedulerName": "own"})
    assert api.names(field_selector=selector) == selected


def test_an_unknown_field_selector_is_refused(api: Api) -> None:
    with refused(400, "BadRequest") as refusal:
        api.names(field_selector="spec.priority=1")
    assert "spec.priority" in refusal.message


def test_a_broken_label_selector_is_refused(api: Api) -> None:
    with refused(400, "BadRequest"):
        api.names(label_selector="app in (train")


def test_pages_hold_each_object_once_and_one_snapshot(api: Api) -> None:
    for number in range(7):
        api.create_config(f"c{number}")
    first = api.core.list_namespaced_config_map(api.namespace, limit=3)
    api.create_config("c8-later")
    names = [item.metadata.name for item in first.items]
    page, remaining = first, [first.metadata.remaining_item_count]
    while page.metadata._continue:
        page = api.core.list_namespaced_config_map(api.namespace, limit=3, _continue=page.metadata._continue)
        assert page.metadata.resource_version == first.metadata.resource_version
        names += [item.metadata.name for item in page.items]
        remaining.append(page.metadata.remaining_item_count)
    assert names == [f"c{number}" for number in range(7)]
    assert remaining == [4, 1, None]


def test_a_made_up_continue_token_is_refused(api: Api) -> None:
    with refused(400, "BadRequest"):
        api.core.list_namespaced_config_map(api.namespace, limit=1, _continue="made-up")


def test_a_list_of_the_past_by_exact_version(api: Api) -> None:
    first = api.create_config("first")
    api.create_config("second")
    found = api.core.list_namespaced_config_map(
        api.namespace,
        resource_version=first.metadata.resource_version,
        resource_version_match="Exact",
    )
    assert [item.metadata.name for item in found.items] == ["first"]
    assert found.metadata.resource_version == first.metadata.resource_version


def test_a_list_not_older_than_a_version_holds_what_came_until_then(api: Api) -> None:
    created = api.create_config("first")
    found = api.core.list_namespaced_config_map(
        api.namespace,
        resource_version=created.metadata.resource_version,
        resource_version_match="NotOlderThan",
    )
    assert [item.metadata.name for item in found.items] == ["first"]


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("resourceVersionMatch=Exact", "resourceVersionMatch"),
        ("resourceVersionMatch=Exact&resourceVersion=0", "resourceVersionMatch"),
        ("resourceVersionMatch=Sideways&resourceVersion=1", "resourceVersionMatch"),
        ("resourceVersion=soon", "resourceVersion"),
        ("sendInitialEvents=true", "sendInitialEvents"),
    ],
)
def test_contradicting_list_options_are_refused(api: Api, query: str, named: str) -> None:
    response = api.raw.get(f"{api.path('configmaps')}?{query}")
    assert response.status_code in {400, 422}
    reason = "Invalid" if response.status_code == 422 else "BadRequest"
    assert named.lower() in assert_refused(response, response.status_code, reason)["message"].lower()


def test_a_version_from_the_future_is_too_large(api: Api) -> None:
    future = int(api.create_config().metadata.resource_version) + 1_000_000_000
    response = api.raw.get(f"{api.path('configmaps')}?resourceVersion={future}")
    status = assert_refused(response, 504, "Timeout")
    assert status["message"].startswith(f"Timeout: Too large resource version: {future}")
    assert status["details"]["causes"][0]["reason"] == "ResourceVersionTooLarge"


def test_metadata_only_answers(api: Api) -> None:
    api.create_config("settings", labels={"app": "train"})
    accept = {"accept": "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}
    body = api.raw.get(api.path("configmaps", "settings"), headers=accept).json()
    assert (body["kind"], body["apiVersion"]) == ("PartialObjectMetadata", "meta.k8s.io/v1")
    assert body["metadata"]["labels"] == {"app": "train"}
    assert "data" not in body


def test_table_answers_have_the_columns_of_kubectl(api: Api) -> None:
    api.create_pod("a")
    accept = {"accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
    body = api.raw.get(api.path("pods"), headers=accept).json()
    assert body["kind"] == "Table"
    columns = [column["name"] for column in body["columnDefinitions"]]
    assert columns[:5] == ["Name", "Ready", "Status", "Restarts", "Age"]
    assert body["rows"][0]["cells"][:3] == ["a", "0/1", "Pending"]
    assert body["rows"][0]["object"]["kind"] == "PartialObjectMetadata"
