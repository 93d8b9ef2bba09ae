from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery.resources import (
    BUILTIN,
    CORE_EVENTS,
    EVENTS,
    NAMESPACES,
    NODES,
    PODS,
    Resource,
    builtin,
)
from fakeapi.machinery.selectors import SelectorError, parse_field_selector, select_all

JOBS = builtin("jobs", "batch")
SLICES = builtin("resourceslices", "resource.k8s.io")
POD_GROUPS = builtin("podgroups", "scheduling.x-k8s.io", "v1alpha1")

POD: dict[str, Any] = {
    "metadata": {"name": "p", "namespace": "n"},
    "spec": {"nodeName": "node-1", "restartPolicy": "Never", "schedulerName": "lst", "hostNetwork": True},
    "status": {"phase": "Running", "podIP": "10.0.0.9", "podIPs": [{"ip": "10.0.0.1"}, {"ip": "fd00::1"}]},
}
BARE: dict[str, Any] = {"metadata": {"name": "bare"}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("metadata.name=p", True),
        ("metadata.name!=p", False),
        ("metadata.namespace=n", True),
        ("metadata.namespace=other", False),
        ("spec.nodeName=node-1", True),
        ("spec.nodeName==node-1", True),
        ("spec.nodeName=", False),
        ("spec.nodeName!=", True),
        ("spec.host=node-1", True),
        ("spec.hostNetwork=true", True),
        ("status.podIP=10.0.0.1", True),
        ("status.podIPs=10.0.0.1", False),
        ("status.phase!=Succeeded,status.phase!=Failed", True),
        ("status.phase!=Succeeded,status.phase!=Running", False),
        ("status.phase=Running,status.phase=Running", True),
        ("status.phase=Running,status.phase=Failed", False),
        ("spec.nodeName=node-1,,status.phase=Running,", True),
        ("status.nominatedNodeName=", True),
    ],
)
def test_fields_of_a_pod(text: str, expected: bool) -> None:
    assert parse_field_selector(text, PODS)(POD) is expected


@pytest.mark.parametrize(
    ("text", "resource"),
    [
        ("spec.nodeName=,status.phase=,spec.hostNetwork=false,status.podIP=,metadata.namespace=", PODS),
        ("spec.nodeName!=x,status.phase!=Failed", PODS),
        ("spec.unschedulable=false", NODES),
        ("status.phase=", NAMESPACES),
        ("status.successful=0", JOBS),
        ("status.replicas=0", builtin("replicationcontrollers")),
        ("spec.pool.name=,spec.nodeName=,spec.driver=", SLICES),
        ("type=", builtin("secrets")),
        ("spec.type=,spec.clusterIP=", builtin("services")),
        ("involvedObject.name=,source=,reason=", CORE_EVENTS),
    ],
)
def test_a_missing_field_has_the_real_servers_default(text: str, resource: Resource) -> None:
    assert parse_field_selector(text, resource)(BARE)


@pytest.mark.parametrize(
    ("text", "resource", "obj"),
    [
        ("spec.unschedulable=true", NODES, {"spec": {"unschedulable": True}}),
        ("status.successful=3", JOBS, {"status": {"succeeded": 3}}),
        ("spec.pool.name=fast", SLICES, {"spec": {"pool": {"name": "fast"}}}),
        ("type=Opaque", builtin("secrets"), {"type": "Opaque"}),
        ("status.podIP=10.0.0.9", PODS, {"status": {"podIP": "10.0.0.9"}}),
        ("spec.nodeName=", PODS, {"spec": None}),
        ("spec.nodeName!=x", PODS, {"spec": None}),
    ],
)
def test_values_that_are_no_text_are_compared_as_text(
    text: str, resource: Resource, obj: dict[str, Any]
) -> None:
    assert parse_field_selector(text, resource)(BARE | obj)


STORED_EVENT = {
    "metadata": {"name": "e"},
    "regarding": {"kind": "Pod", "name": "p", "fieldPath": "spec"},
    "reason": "Scheduled",
    "type": "Normal",
    "reportingController": "lst",
}
OLD_EVENT = {
    "metadata": {"name": "e"},
    "involvedObject": {"kind": "Pod", "name": "p", "fieldPath": "spec"},
    "reason": "Scheduled",
    "type": "Normal",
    "reportingComponent": "lst",
}


@pytest.mark.parametrize("event", [STORED_EVENT, OLD_EVENT], ids=["stored", "old"])
@pytest.mark.parametrize(
    ("text", "resource"),
    [
        ("involvedObject.kind=Pod,involvedObject.name=p,involvedObject.fieldPath=spec", CORE_EVENTS),
        ("reason=Scheduled,type=Normal,reportingComponent=lst,source=lst", CORE_EVENTS),
        ("regarding.kind=Pod,regarding.name=p,reportingController=lst", EVENTS),
        ("regarding.uid=,reason!=Other", EVENTS),
    ],
)
def test_events_are_selected_in_both_views_whatever_form_they_are_in(
    text: str, resource: Resource, event: dict[str, Any]
) -> None:
    assert parse_field_selector(text, resource)(event)


def test_the_source_of_an_event_is_its_component_before_its_controller() -> None:
    stored = STORED_EVENT | {"deprecatedSource": {"component": "kubelet"}}
    old = OLD_EVENT | {"source": {"component": "kubelet"}}
    for event in (stored, old):
        assert parse_field_selector("source=kubelet", CORE_EVENTS)(event)
        assert not parse_field_selector("source=lst", CORE_EVENTS)(event)


@pytest.mark.parametrize(
    ("text", "resource", "message"),
    [
        ("bogus=1", PODS, "field label not supported: bogus"),
        ("status.replicas=1", PODS, "field label not supported: status.replicas"),
        (" spec.nodeName=x", PODS, "field label not supported:  spec.nodeName"),
        ("=x", PODS, "field label not supported: "),
        ("metadata.namespace=x", NODES, "field label not supported: metadata.namespace"),
        ("involvedObject.name=x", EVENTS, "field label not supported: involvedObject.name"),
        ("bogus=1", JOBS, 'field label "bogus" not supported for Job'),
        (
            "bogus=1",
            SLICES,
            "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: bogus",
        ),
        (
            "status.replicas=1",
            builtin("replicasets", "apps"),
            '"status.replicas" is not a known field selector: only "metadata.name", "metadata.namespace"',
        ),
        ("spec.minMember=1", POD_GROUPS, "field label not supported: spec.minMember"),
        ("a", PODS, "invalid selector: 'a'; can't understand 'a'"),
        ("b=1,a=1,spec.nodeName", PODS, "can't understand 'spec.nodeName'"),
        ("spec.nodeName=a=b", PODS, "invalid field selector: unescaped character in value: 61"),
        (r"spec.nodeName=a\b", PODS, r"invalid field selector: invalid escape sequence: \b"),
        ("spec.nodeName=a\\", PODS, "invalid field selector: invalid escape sequence: \\"),
    ],
)
def test_what_the_real_server_refuses_is_refused_in_its_words(
    text: str, resource: Resource, message: str
) -> None:
    with pytest.raises(SelectorError) as caught:
        parse_field_selector(text, resource)
    assert message in str(caught.value)


def test_every_listed_field_of_every_resource_can_be_selected_and_read() -> None:
    for row in BUILTIN:
        for path in ("metadata.name", *row.selectable):
            for text in (f"{path}=no such value", f"{path}!=no such value"):
                assert parse_field_selector(text, row)(BARE) is ("!=" in text), (row.plural, text)


def test_a_kind_that_is_listed_by_namespace_can_be_selected_by_it() -> None:
    assert parse_field_selector("metadata.namespace=n", POD_GROUPS)({"metadata": {"namespace": "n"}})
    # A rule of the real server for kinds without fields of their own, of any scope.
    assert not parse_field_selector("metadata.namespace=n", builtin("priorityclasses", "scheduling.k8s.io"))(
        BARE
    )


@pytest.mark.parametrize("text", ["", ",", ",,"])
def test_a_selector_without_terms_selects_all(text: str) -> None:
    assert parse_field_selector(text, PODS) is select_all


@given(value=st.text(max_size=12))
def test_any_value_can_be_named_when_it_is_escaped(value: str) -> None:
    escaped = value.replace("\\", "\\\\").replace(",", r"\,").replace("=", r"\=")
    pod = {"metadata": {"name": value}}
    assert parse_field_selector(f"metadata.name={escaped}", PODS)(pod)
    assert not parse_field_selector(f"metadata.name!={escaped}", PODS)(pod)
