"""What Go's decoder would not take over is dropped, and nothing else."""

from typing import Any

import pytest

from fakeapi.machinery.prune import without_nulls, without_unknown
from fakeapi.machinery.schema import Message, message_for


@pytest.fixture
def pod() -> Message:
    message = message_for("", "v1", "Pod")
    assert message is not None
    return message


def test_unknown_fields_go_at_every_depth(pod: Message) -> None:
    document: dict[str, Any] = {
        "kind": "Pod",
        "foo": 1,
        "metadata": {"name": "p", "bar": 2, "labels": {"any": "key"}},
        "spec": {"containers": [{"name": "c", "baz": 3, "resources": {"limits": {"cpu": "1"}, "x": 4}}]},
    }
    assert without_unknown(document, pod) == {
        "kind": "Pod",
        "metadata": {"name": "p", "labels": {"any": "key"}},
        "spec": {"containers": [{"name": "c", "resources": {"limits": {"cpu": "1"}}}]},
    }


def test_fields_of_embedded_types_are_known(pod: Message) -> None:
    volume = {"name": "v", "configMap": {"name": "c"}}
    probe = {"httpGet": {"port": 80}, "periodSeconds": 5}
    document = {"spec": {"containers": [{"livenessProbe": probe}], "volumes": [volume]}}
    assert without_unknown(document, pod) == document


def test_the_document_is_not_changed(pod: Message) -> None:
    document = {"metadata": {"bar": 2}, "foo": 1}
    without_unknown(document, pod)
    assert document == {"metadata": {"bar": 2}, "foo": 1}


def test_values_with_a_json_of_their_own_are_left_alone(pod: Message) -> None:
    document = {"metadata": {"creationTimestamp": "2026-01-05T00:00:00Z"}}
    assert without_unknown(document, pod) == document


def test_nulls_in_maps_are_no_unknown_fields() -> None:
    slices = message_for("resource.k8s.io", "v1", "ResourceSlice")
    assert slices is not None
    document = {"spec": {"devices": [{"attributes": {"a": None}, "foo": 1}]}}
    assert without_unknown(document, slices) == {"spec": {"devices": [{"attributes": {"a": None}}]}}


def test_nulls_go_at_every_depth() -> None:
    document = {"a": None, "b": {"c": None, "d": [1, {"e": None, "f": 0}, None]}, "g": ""}
    assert without_nulls(document) == {"b": {"d": [1, {"f": 0}, None]}, "g": ""}


@pytest.mark.parametrize(
    ("kind", "document", "expected"),
    [
        ("Pod", {"spec": None, "metadata": {"name": None}}, {"metadata": {}}),
        ("Pod", {"metadata": {"labels": {"a": None}}}, {"metadata": {"labels": {"a": ""}}}),
        ("Pod", {"metadata": {"finalizers": [None]}}, {"metadata": {"finalizers": [""]}}),
        ("Pod", {"spec": {"containers": [None]}}, {"spec": {"containers": [{}]}}),
        (
            "Pod",
            {"spec": {"overhead": {"cpu": None}, "tolerations": [{"key": None}]}},
            {"spec": {"overhead": {"cpu": "0"}, "tolerations": [{}]}},
        ),
        (
            "Pod",
            {"spec": {"securityContext": {"supplementalGroups": [None]}}},
            {"spec": {"securityContext": {"supplementalGroups": [0]}}},
        ),
        (
            "ConfigMap",
            {"data": {"a": None}, "binaryData": {"b": None}, "immutable": None},
            {"data": {"a": ""}, "binaryData": {"b": ""}},
        ),
    ],
)
def test_nulls_without_a_field_become_the_zero_of_their_type(
    kind: str, document: dict[str, Any], expected: dict[str, Any]
) -> None:
    message = message_for("", "v1", kind)
    assert message is not None
    assert without_nulls(document, message) == expected


def test_nulls_of_values_with_a_json_of_their_own() -> None:
    budget = message_for("policy", "v1", "PodDisruptionBudget")
    review = message_for("authorization.k8s.io", "v1", "SubjectAccessReview")
    assert budget is not None
    assert review is not None
    disrupted = {"status": {"disruptedPods": {"p": None, "q": "2026-01-05T00:00:00Z"}}}
    assert without_nulls(disrupted, budget) == {
        "status": {"disruptedPods": {"p": "0001-01-01T00:00:00Z", "q": "2026-01-05T00:00:00Z"}}
    }
    asked = {"spec": {"extra": {"a": None, "b": ["c"]}}}
    assert without_nulls(asked, review) == {"spec": {"extra": {"a": [], "b": ["c"]}}}
