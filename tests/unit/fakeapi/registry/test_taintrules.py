"""Taints and tolerations. Messages are the real server's."""

import pytest

from fakeapi.registry.taintrules import taint_causes, toleration_causes
from tests.unit.fakeapi.registry.bench import Json


def told(toleration: Json) -> list[tuple[str, str]]:
    return [(one.field.removeprefix("t[0]."), one.message) for one in toleration_causes([toleration], "t")]


@pytest.mark.parametrize(
    "toleration",
    [
        {"operator": "Exists"},
        {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5},
        {"key": "k"},
        {"key": "k", "value": "v", "operator": "Equal", "effect": "PreferNoSchedule"},
        {"key": "k", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "k", "operator": "Exists", "value": ""},
    ],
)
def test_tolerations_that_are_in_order(toleration: Json) -> None:
    assert told(toleration) == []


EMPTY_KEY = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
EFFECTS = 'supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"'


@pytest.mark.parametrize(
    ("toleration", "field", "message"),
    [
        ({"value": "v"}, "operator", f'Invalid value: "": {EMPTY_KEY}'),
        ({"operator": "Equal"}, "operator", f'Invalid value: "Equal": {EMPTY_KEY}'),
        (
            {"key": "k", "operator": "Foo"},
            "operator",
            'Unsupported value: "Foo": supported values: "Equal", "Exists"',
        ),
        (
            {"key": "k", "operator": "Lt", "value": "3"},
            "operator",
            'Unsupported value: "Lt": supported values: "Equal", "Exists", "Lt", "Gt"',
        ),
        (
            {"key": "k", "operator": "Exists", "value": "x"},
            "operator",
            "Invalid value: \"x\": value must be empty when `operator` is 'Exists'",
        ),
        ({"key": "k", "effect": "X"}, "effect", f'Unsupported value: "X": {EFFECTS}'),
        ({"key": "k", "operator": "Exists", "effect": "X"}, "effect", f'Unsupported value: "X": {EFFECTS}'),
        (
            {"key": "k", "operator": "Exists", "tolerationSeconds": 3},
            "effect",
            "Invalid value: \"\": effect must be 'NoExecute' when `tolerationSeconds` is set",
        ),
        (
            {"key": "k", "effect": "NoSchedule", "tolerationSeconds": 3},
            "effect",
            "Invalid value: \"NoSchedule\": effect must be 'NoExecute' when `tolerationSeconds` is set",
        ),
    ],
)
def test_tolerations_that_are_not(toleration: Json, field: str, message: str) -> None:
    assert told(toleration) == [(field, message)]


@pytest.mark.parametrize("operator", ["Exists", "Equal"])
def test_keys_are_those_of_labels(operator: str) -> None:
    ((field, message),) = told({"key": "a b", "operator": operator, "effect": "NoExecute"})
    assert field == "key"
    assert message.startswith('Invalid value: "a b": name part must consist of')


def test_values_are_those_of_labels() -> None:
    ((field, message),) = told({"key": "a", "value": "!"})
    assert field == "operator"
    assert message.startswith('Invalid value: "!": a valid label must be an empty string or consist of')


def test_taints() -> None:
    taints = [
        {"key": "a", "effect": "NoSchedule"},
        {"key": "a", "effect": "NoExecute"},
        {"key": "a", "effect": "NoSchedule", "value": "v"},
        {"key": "b"},
        {"key": "b", "effect": "X"},
    ]
    assert [(one.field, one.message) for one in taint_causes(taints, "t")] == [
        (
            "t[2]",
            'Duplicate value: {"key":"a","effect":"NoSchedule","value":"v"}: '
            "taints must be unique by key and effect pair",
        ),
        ("t[3].effect", "Required value"),
        ("t[4].effect", f'Unsupported value: "X": {EFFECTS}'),
    ]
    assert [
        one.field for one in taint_causes([{"key": "a b", "value": "!", "effect": "NoExecute"}], "t")
    ] == [
        "t[0].key",
        "t[0].value",
    ]
