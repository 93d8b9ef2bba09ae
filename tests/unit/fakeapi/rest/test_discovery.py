import re
from typing import Any

import pytest

from fakeapi.machinery.negotiation import Discovery
from fakeapi.machinery.resources import BUILTIN, Resource, ResourceTable, builtin_table
from fakeapi.rest.discovery import (
    aggregated_core,
    aggregated_groups,
    api_group,
    api_group_list,
    api_resource_list,
    api_versions,
    by_preference,
    etag,
    release,
    subresource_kind,
    version_info,
)

ALL_VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
TABLE = ResourceTable(
    [
        Resource("", "v1", "pods", "Pod", True, ("po",), ("all",), ("status", "binding", "eviction")),
        Resource("", "v1", "nodes", "Node", False, ("no",)),
        Resource("apps", "v1", "deployments", "Deployment", True, (), (), ("scale",)),
        Resource("widgets.example.com", "v1alpha1", "widgets", "Widget", True),
        Resource("widgets.example.com", "v1", "widgets", "Widget", True, verbs=("create",)),
    ]
)


def test_api_names_the_versions_of_the_core_group_and_where_the_server_is() -> None:
    assert api_versions(TABLE, "127.0.0.1:8001") == {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1:8001"}],
    }


def test_apis_lists_the_groups_without_the_core_and_prefers_stable_versions() -> None:
    found = api_group_list(TABLE)
    assert (found["kind"], found["apiVersion"]) == ("APIGroupList", "v1")
    assert [group["name"] for group in found["groups"]] == ["apps", "widgets.example.com"]
    widgets = found["groups"][1]
    assert [entry["groupVersion"] for entry in widgets["versions"]] == [
        "widgets.example.com/v1",
        "widgets.example.com/v1alpha1",
    ]
    assert widgets["preferredVersion"] == {"groupVersion": "widgets.example.com/v1", "version": "v1"}


def test_a_group_has_a_document_of_its_own() -> None:
    version = {"groupVersion": "apps/v1", "version": "v1"}
    assert api_group(TABLE, "apps") == {
        "kind": "APIGroup",
        "apiVersion": "v1",
        "name": "apps",
        "versions": [version],
        "preferredVersion": version,
    }


@pytest.mark.parametrize("group", ["", "nonesuch"])
def test_there_is_no_group_document_for_the_core_or_an_unknown_group(group: str) -> None:
    assert api_group(TABLE, group) is None


def test_the_resources_of_a_version_with_their_sub_resources_in_order() -> None:
    found = api_resource_list(TABLE, "", "v1")
    assert found is not None
    assert (found["kind"], found["groupVersion"]) == ("APIResourceList", "v1")
    assert found["resources"] == [
        {
            "name": "nodes",
            "singularName": "node",
            "namespaced": False,
            "kind": "Node",
            "verbs": ALL_VERBS,
            "shortNames": ["no"],
        },
        {
            "name": "pods",
            "singularName": "pod",
            "namespaced": True,
            "kind": "Pod",
            "verbs": ALL_VERBS,
            "shortNames": ["po"],
            "categories": ["all"],
        },
        {
            "name": "pods/binding",
            "singularName": "",
            "namespaced": True,
            "kind": "Binding",
            "verbs": ["create"],
        },
        {
            "name": "pods/eviction",
            "singularName": "",
            "namespaced": True,
            "group": "policy",
            "version": "v1",
            "kind": "Eviction",
            "verbs": ["create"],
        },
        {
            "name": "pods/status",
            "singularName": "",
            "namespaced": True,
            "kind": "Pod",
            "verbs": ["get", "patch", "update"],
        },
    ]


def test_an_unknown_version_has_no_document() -> None:
    assert api_resource_list(TABLE, "", "v2") is None
    assert api_resource_list(TABLE, "nonesuch", "v1") is None


@pytest.mark.parametrize("form", [Discovery.AGGREGATED, Discovery.AGGREGATED_BETA])
def test_aggregated_discovery_holds_everything_at_once(form: Discovery) -> None:
    core, groups = aggregated_core(TABLE, form), aggregated_groups(TABLE, form)
    assert core["apiVersion"] == groups["apiVersion"] == f"apidiscovery.k8s.io/{form.value}"
    assert core["kind"] == groups["kind"] == "APIGroupDiscoveryList"
    (only,) = core["items"]
    assert only["metadata"] == {}
    assert [entry["resource"] for entry in only["versions"][0]["resources"]] == ["nodes", "pods"]
    assert [item["metadata"] for item in groups["items"]] == [
        {"name": "apps"},
        {"name": "widgets.example.com"},
    ]
    assert [one["version"] for one in groups["items"][1]["versions"]] == ["v1", "v1alpha1"]
    assert {one["freshness"] for item in groups["items"] for one in item["versions"]} == {"Current"}


def test_an_aggregated_resource_and_its_sub_resource_of_another_group() -> None:
    apps = aggregated_groups(TABLE, Discovery.AGGREGATED)["items"][0]
    assert apps["versions"][0]["resources"] == [
        {
            "resource": "deployments",
            "responseKind": {"group": "", "version": "", "kind": "Deployment"},
            "scope": "Namespaced",
            "singularResource": "deployment",
            "verbs": ALL_VERBS,
            "subresources": [
                {
                    "subresource": "scale",
                    "responseKind": {"group": "autoscaling", "version": "v1", "kind": "Scale"},
                    "verbs": ["get", "patch", "update"],
                }
            ],
        }
    ]


def test_a_server_without_a_core_group_says_so() -> None:
    empty = ResourceTable([])
    assert aggregated_core(empty, Discovery.AGGREGATED)["items"] == []
    assert api_versions(empty, "x")["versions"] == []


def names(document: dict[str, Any] | None) -> set[str]:
    assert document is not None
    return {entry["name"] for entry in document["resources"]}


def test_a_row_that_joins_while_the_server_runs_is_discovered() -> None:
    table = builtin_table()
    assert api_group(table, "widgets.example.com") is None
    table.add(Resource("widgets.example.com", "v1", "widgets", "Widget", True))
    assert names(api_resource_list(table, "widgets.example.com", "v1")) == {"widgets"}
    assert api_group(table, "widgets.example.com") is not None


def test_both_forms_of_discovery_agree_on_every_built_in_row() -> None:
    core = aggregated_core(BUILTIN, Discovery.AGGREGATED)["items"]
    groups = aggregated_groups(BUILTIN, Discovery.AGGREGATED)["items"]
    for item in core + groups:
        for version in item["versions"]:
            group = item["metadata"].get("name", "")
            aggregated = {
                name
                for entry in version["resources"]
                for name in (
                    entry["resource"],
                    *(f"{entry['resource']}/{sub['subresource']}" for sub in entry.get("subresources", ())),
                )
            }
            assert names(api_resource_list(BUILTIN, group, version["version"])) == aggregated


def test_versions_are_preferred_by_stability_then_by_number() -> None:
    versions = ["v1alpha1", "v1", "v10beta3", "v2", "foo", "v2beta1", "v11alpha2", "v1beta1"]
    preferred = ["v2", "v1", "v10beta3", "v2beta1", "v1beta1", "v11alpha2", "v1alpha1", "foo"]
    assert by_preference(versions) == preferred


def test_a_sub_resource_exchanges_its_own_kind_or_that_of_the_resource() -> None:
    pods = TABLE.get("", "v1", "pods")
    assert pods is not None
    assert subresource_kind(pods, "status") == ("", "v1", "Pod")
    assert subresource_kind(pods, "eviction") == ("policy", "v1", "Eviction")


def test_the_entity_tag_is_quoted_and_follows_the_content() -> None:
    assert re.fullmatch(r'"[0-9A-F]{128}"', etag(b"{}"))
    assert etag(b"{}") == etag(b"{}") != etag(b"[]")


def test_the_version_is_that_of_the_described_kinds_and_names_this_server() -> None:
    found = version_info()
    major, minor, patch = release().split(".")
    assert (found["major"], found["minor"]) == (major, minor)
    assert found["gitVersion"] == f"v{major}.{minor}.{patch}+fakeapi"
