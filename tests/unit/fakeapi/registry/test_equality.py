"""Two values are the same where Go could not tell them apart, and only there."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery.schema import Message, message_for, packaged
from fakeapi.registry.equality import LABEL_SELECTOR, POD_SPEC, alike, same_object, same_part
from tests.support.schema_objects import objects

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
POD: Message = packaged().message("core.v1.Pod")
PODS = objects(POD)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"hostNetwork": False}, {}),
        ({"nodeName": ""}, {}),
        ({"tolerations": []}, {}),
        ({"nodeSelector": {}}, {}),
        ({"tolerations": [{"key": "a", "operator": ""}]}, {"tolerations": [{"key": "a"}]}),
        ({"containers": [{"resources": {}}]}, {"containers": [{}]}),
        ({"overhead": {"cpu": "1000m"}}, {"overhead": {"cpu": 1}}),
        ({"securityContext": {"sysctls": []}}, {"securityContext": {}}),
        ({"priority": None}, {}),
    ],
)
def test_a_missing_field_is_the_same_as_an_empty_one(one: Any, other: Any) -> None:
    assert same_part(one, other, POD_SPEC)
    assert same_part(other, one, POD_SPEC)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"nodeName": "a"}, {"nodeName": "b"}),
        ({"nodeName": "a"}, {}),
        ({"hostNetwork": True}, {}),
        ({"tolerations": [{}]}, {}),
        ({"tolerations": [{"key": "a"}, {"key": "b"}]}, {"tolerations": [{"key": "b"}, {"key": "a"}]}),
        ({"nodeSelector": {"a": ""}}, {}),
        ({"nodeSelector": {"a": ""}}, {"nodeSelector": {"b": ""}}),
        ({"overhead": {"cpu": "1"}}, {"overhead": {"cpu": "2"}}),
        ({"overhead": {"cpu": "1"}}, {"overhead": {"cpu": "no amount"}}),
        ({"priority": 0}, {}),
        ({"hostUsers": False}, {}),
        ({"securityContext": {}}, {}),
        ({"terminationGracePeriodSeconds": 0}, {"terminationGracePeriodSeconds": 30}),
        ({"unknown": 1}, {}),
    ],
)
def test_other_values_differ(one: Any, other: Any) -> None:
    assert not same_part(one, other, POD_SPEC)
    assert not same_part(other, one, POD_SPEC)


def test_a_label_without_a_value_is_a_label() -> None:
    labelled = {"metadata": {"labels": {"node-role.kubernetes.io/control-plane": ""}}}
    assert not same_object({"metadata": {}}, labelled, POD)
    assert not same_object({"metadata": {"labels": {}}}, labelled, POD)


def test_a_missing_part_is_only_the_same_as_a_missing_one() -> None:
    assert same_part(None, None, LABEL_SELECTOR)
    assert not same_part(None, {}, LABEL_SELECTOR)
    assert same_part({"matchLabels": {}}, {}, LABEL_SELECTOR)


def test_without_a_type_objects_must_be_equal() -> None:
    assert same_object({"a": 1}, {"a": 1}, None)
    assert not same_object({"a": ""}, {}, None)


def test_values_with_a_json_of_their_own_are_compared_as_they_are() -> None:
    budget = message_for("policy", "v1", "PodDisruptionBudget")
    assert not same_object({"spec": {"minAvailable": 0}}, {"spec": {}}, budget)
    assert not same_object({"spec": {"minAvailable": 1}}, {"spec": {"minAvailable": "1"}}, budget)


@given(PODS)
def test_every_object_is_the_same_as_itself(pod: Any) -> None:
    assert same_object(pod, {**pod}, POD)


@given(PODS, PODS)
def test_it_does_not_matter_which_is_asked_first(one: Any, other: Any) -> None:
    assert same_object(one, other, POD) == same_object(other, one, POD)


@pytest.mark.parametrize("empty", [None, False, 0, "", [], {}, {"inner": {"empty": []}}])
def test_without_maps_and_pointers_all_that_is_empty_is_alike(empty: Any) -> None:
    assert alike({"kept": 1}, {"kept": 1, "empty": empty})
    assert alike({"kept": 1, "empty": empty}, {"kept": 1})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1}, {"a": 2}),
        ({"a": 1}, {}),
        ({"a": [1, 2]}, {"a": [2, 1]}),
        ({"a": [{}]}, {"a": []}),
        ({"a": {"b": "c"}}, {"a": {"b": ""}}),
        ({"a": True}, {"a": "true"}),
    ],
)
def test_what_is_not_alike(one: Any, other: Any) -> None:
    assert not alike(one, other)
    assert not alike(other, one)


@given(JSON, JSON)
def test_alikeness_goes_both_ways(one: Any, other: Any) -> None:
    assert alike(one, one)
    assert alike(one, other) == alike(other, one)


@given(st.dictionaries(st.sampled_from("abc"), JSON, max_size=3))
def test_dropping_what_is_empty_leaves_it_alike(value: dict[str, Any]) -> None:
    assert alike(value, {name: item for name, item in value.items() if item})
