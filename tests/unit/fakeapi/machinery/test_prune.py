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


def test_nulls_go_at_every_depth() -> None:
    document = {"a": None, "b": {"c": None, "d": [1, {"e": None, "f": 0}, None]}, "g": ""}
    assert without_nulls(document) == {"b": {"d": [1, {"f": 0}, None]}, "g": ""}
