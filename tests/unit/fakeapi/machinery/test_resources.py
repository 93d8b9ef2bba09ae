import pytest

from fakeapi.machinery.resources import (
    BUILTIN,
    CORE_EVENTS,
    EVENTS,
    NAMESPACES,
    NODES,
    POD_DISRUPTION_BUDGETS,
    PODS,
    PRIORITY_CLASSES,
    REVIEW_VERBS,
    Resource,
    ResourceTable,
    builtin,
    builtin_table,
)
from fakeapi.machinery.schema import message_for

WIDGETS = Resource("widgets.example.com", "v1", "widgets", "Widget", True)
GROUPS_OF_OTHERS = ("scheduling.x-k8s.io",)
"""Groups in the table that Kubernetes itself does not define."""


def test_names_of_a_resource_in_and_outside_of_the_core_group() -> None:
    deployments = builtin("deployments", "apps")
    assert (PODS.api_version, PODS.qualified, PODS.storage_key) == ("v1", "pods", "/pods")
    assert (deployments.api_version, deployments.qualified) == ("apps/v1", "deployments.apps")
    assert (deployments.singular, deployments.list_kind) == ("deployment", "DeploymentList")
    assert Resource("", "v1", "mice", "Mouse", True, singular_name="mousie").singular == "mousie"


def test_two_views_of_events_share_one_collection() -> None:
    assert CORE_EVENTS.storage_key == EVENTS.storage_key == "events.k8s.io/events"
    assert CORE_EVENTS != EVENTS


def test_a_row_is_found_by_its_plural_and_by_its_kind() -> None:
    assert BUILTIN.get("", "v1", "pods") is BUILTIN.by_kind("", "v1", "Pod") is PODS
    assert BUILTIN.get("", "v1", "Pod") is None
    assert BUILTIN.get("apps", "v1", "pods") is None
    assert BUILTIN.by_kind("", "v2", "Pod") is None


def test_a_built_in_row_that_does_not_exist_is_an_error_that_names_it() -> None:
    with pytest.raises(KeyError, match=r"widgets\.v1\.apps"):
        builtin("widgets", "apps")


def test_no_two_rows_share_a_path_or_a_kind() -> None:
    rows = list(BUILTIN)
    assert len({(row.group, row.version, row.plural) for row in rows}) == len(rows)
    assert len({(row.group, row.version, row.kind) for row in rows}) == len(rows)


def test_short_names_are_unique_but_for_the_two_views_of_events() -> None:
    names = [(name, row.storage_key) for row in BUILTIN for name in row.short_names]
    assert len(set(names)) == len({name for name, _ in names})


def test_kubernetes_defines_every_kind_but_those_of_named_groups() -> None:
    unknown = {row.group for row in BUILTIN if message_for(row.group, row.version, row.kind) is None}
    assert unknown == set(GROUPS_OF_OTHERS)


def test_what_is_only_answered_and_never_stored_is_only_created() -> None:
    created_only = {row.plural for row in BUILTIN if row.verbs == REVIEW_VERBS}
    assert created_only == {
        "bindings",
        "tokenreviews",
        "selfsubjectreviews",
        "localsubjectaccessreviews",
        "selfsubjectaccessreviews",
        "selfsubjectrulesreviews",
        "subjectaccessreviews",
    }


@pytest.mark.parametrize("row", [NAMESPACES, NODES, PRIORITY_CLASSES], ids=lambda row: row.plural)
def test_resources_of_the_whole_cluster(row: Resource) -> None:
    assert not row.namespaced


@pytest.mark.parametrize(
    "row", [PODS, EVENTS, CORE_EVENTS, POD_DISRUPTION_BUDGETS], ids=lambda row: row.plural
)
def test_resources_of_a_namespace(row: Resource) -> None:
    assert row.namespaced


def test_groups_list_their_versions_in_table_order() -> None:
    table = ResourceTable([WIDGETS, PODS, Resource("widgets.example.com", "v2", "widgets", "Widget", True)])
    assert table.groups() == {"widgets.example.com": ["v1", "v2"], "": ["v1"]}
    assert list(table)[:2] == [WIDGETS, PODS]


def test_a_custom_kind_joins_one_table_and_no_other() -> None:
    table = builtin_table()
    table.add(WIDGETS)
    assert table.get("widgets.example.com", "v1", "widgets") is WIDGETS
    assert BUILTIN.get("widgets.example.com", "v1", "widgets") is None
    assert builtin_table().by_kind("widgets.example.com", "v1", "Widget") is None


def test_a_row_of_the_same_name_takes_the_place_of_the_old_one() -> None:
    table = ResourceTable([WIDGETS])
    renamed = Resource("widgets.example.com", "v1", "widgets", "Gadget", False)
    table.add(renamed)
    assert list(table) == [renamed]
    assert table.by_kind("widgets.example.com", "v1", "Gadget") is renamed
    assert table.by_kind("widgets.example.com", "v1", "Widget") is None
