"""Affinity and spreading. Messages are the real server's."""

from typing import Any

import pytest

from fakeapi.registry.affinityrules import affinity_causes, spread_causes
from tests.unit.fakeapi.registry.bench import Json

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def told(affinity: Json) -> list[tuple[str, str]]:
    return [(one.field, one.message) for one in affinity_causes(affinity, "a")]


def node_term(**term: Any) -> Json:
    return {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [term]}}}


def pod_term(**term: Any) -> Json:
    whole = {"topologyKey": "zone", **term}
    return {"podAffinity": {REQUIRED: [whole]}}


def test_affinity_in_order() -> None:
    expressions = [
        {"key": "a", "operator": "In", "values": ["x"]},
        {"key": "a", "operator": "Exists"},
        {"key": "a", "operator": "Gt", "values": ["5"]},
    ]
    fields = [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]
    weighted = [{"weight": 1, "preference": {"matchExpressions": expressions}}]
    node = {
        REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": expressions, "matchFields": fields}]},
        PREFERRED: weighted,
    }
    term = {
        "topologyKey": "zone",
        "labelSelector": {
            "matchLabels": {"a": "b"},
            "matchExpressions": [{"key": "c", "operator": "DoesNotExist"}],
        },
        "namespaces": ["other"],
        "matchLabelKeys": ["c"],
        "mismatchLabelKeys": ["d"],
    }
    pods = {REQUIRED: [term], PREFERRED: [{"weight": 100, "podAffinityTerm": term}]}
    assert told({"nodeAffinity": node, "podAffinity": pods, "podAntiAffinity": pods}) == []


def test_a_node_selector_has_a_term() -> None:
    assert told({"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": []}}}) == [
        (
            f"a.nodeAffinity.{REQUIRED}.nodeSelectorTerms",
            "Required value: must have at least one node selector term",
        )
    ]


@pytest.mark.parametrize(
    ("expression", "field", "message"),
    [
        (
            {"operator": "In"},
            "values",
            "Required value: must be specified when `operator` is 'In' or 'NotIn'",
        ),
        (
            {"operator": "Exists", "values": ["x"]},
            "values",
            "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
        (
            {"operator": "Gt", "values": ["1", "2"]},
            "values",
            "Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
        ),
        ({"operator": "X"}, "operator", 'Invalid value: "X": not a valid selector operator'),
    ],
)
def test_node_expressions(expression: Json, field: str, message: str) -> None:
    ((found, words),) = told(node_term(matchExpressions=[{"key": "k", **expression}]))
    assert found == f"a.nodeAffinity.{REQUIRED}.nodeSelectorTerms[0].matchExpressions[0].{field}"
    assert words == message


def test_values_that_no_label_has_are_refused_where_required_and_let_pass_where_preferred() -> None:
    expression = {"key": "k", "operator": "In", "values": ["!"]}
    ((field, _),) = told(node_term(matchExpressions=[expression]))
    assert field.endswith("matchExpressions[0].values[0]")
    preferred = [{"weight": 1, "preference": {"matchExpressions": [expression]}}]
    assert told({"nodeAffinity": {PREFERRED: preferred}}) == []


@pytest.mark.parametrize(
    ("expression", "fields"),
    [
        ({"key": "x", "operator": "Y"}, ["operator", "key"]),
        ({"key": "metadata.name", "operator": "In", "values": ["a", "b"]}, ["values"]),
        ({"key": "metadata.name", "operator": "In", "values": ["A"]}, ["values[0]"]),
    ],
)
def test_node_fields(expression: Json, fields: list[str]) -> None:
    path = f"a.nodeAffinity.{REQUIRED}.nodeSelectorTerms[0].matchFields[0]."
    assert [field for field, _ in told(node_term(matchFields=[expression]))] == [
        path + name for name in fields
    ]


@pytest.mark.parametrize("weight", [0, 101, -1])
def test_weights_go_from_1_to_100(weight: int) -> None:
    message = f"Invalid value: {weight}: must be in the range 1-100"
    node = {"nodeAffinity": {PREFERRED: [{"weight": weight, "preference": {}}]}}
    assert told(node) == [(f"a.nodeAffinity.{PREFERRED}[0].weight", message)]
    pods = {"podAntiAffinity": {PREFERRED: [{"weight": weight, "podAffinityTerm": {"topologyKey": "z"}}]}}
    assert told(pods) == [(f"a.podAntiAffinity.{PREFERRED}[0].weight", message)]


@pytest.mark.parametrize(
    ("term", "field", "message"),
    [
        ({"namespaces": ["A"]}, "namespace", 'Invalid value: "A": a lowercase RFC 1123 label must'),
        (
            {"labelSelector": {"matchExpressions": [{"key": "x", "operator": "Q"}]}},
            "labelSelector.matchExpressions[0].operator",
            'Invalid value: "Q": not a valid selector operator',
        ),
        (
            {"labelSelector": {"matchExpressions": [{"key": "x", "operator": "NotIn"}]}},
            "labelSelector.matchExpressions[0].values",
            "Required value: must be specified when `operator` is 'In' or 'NotIn'",
        ),
        (
            {"labelSelector": {"matchExpressions": [{"key": "x", "operator": "In", "values": ["!"]}]}},
            "labelSelector.matchExpressions[0].values[0]",
            'Invalid value: "!": a valid label must',
        ),
        (
            {"namespaceSelector": {"matchLabels": {"a": "!"}}},
            "namespaceSelector.matchLabels",
            'Invalid value: "!": a valid label must',
        ),
        (
            {"matchLabelKeys": ["k"]},
            "matchLabelKeys",
            "Forbidden: must not be specified when labelSelector is not set",
        ),
        (
            {"labelSelector": {}, "matchLabelKeys": ["a b"]},
            "matchLabelKeys[0]",
            'Invalid value: "a b": name part must consist of',
        ),
        (
            {"labelSelector": {}, "matchLabelKeys": ["k"], "mismatchLabelKeys": ["k"]},
            "matchLabelKeys[0]",
            'Invalid value: "k": exists in both matchLabelKeys and mismatchLabelKeys',
        ),
    ],
)
def test_pod_terms(term: Json, field: str, message: str) -> None:
    ((found, words),) = told(pod_term(**term))
    assert found == f"a.podAffinity.{REQUIRED}[0].{field}"
    assert words.startswith(message)


def test_a_key_is_selected_by_label_or_by_the_pod_s_own_value() -> None:
    # The pod's own value is in the selector by the time the rules are asked.
    own = {"key": "k", "operator": "In", "values": ["v"]}
    selector = {"matchLabels": {"k": "other"}, "matchExpressions": [own]}
    ((field, message),) = told(pod_term(labelSelector=selector, matchLabelKeys=["k"]))
    assert field == f"a.podAffinity.{REQUIRED}[0][0]"
    assert message == 'Invalid value: "k": exists in both matchLabelKeys and labelSelector'


def test_a_pod_term_names_a_topology() -> None:
    fields = [field for field, _ in told(pod_term(topologyKey=""))]
    assert fields == [f"a.podAffinity.{REQUIRED}[0].topologyKey"] * 2


def test_spreading_in_order() -> None:
    base = {"maxSkew": 1, "topologyKey": "zone", "labelSelector": {}}
    constraints = [
        {**base, "whenUnsatisfiable": "DoNotSchedule", "minDomains": 2, "nodeAffinityPolicy": "Ignore"},
        {**base, "whenUnsatisfiable": "ScheduleAnyway", "nodeTaintsPolicy": "Honor", "matchLabelKeys": ["a"]},
    ]
    assert spread_causes(constraints, "s") == []


def test_spreading_that_makes_no_sense() -> None:
    wrong = {
        "maxSkew": 0,
        "topologyKey": "",
        "whenUnsatisfiable": "x",
        "minDomains": 0,
        "nodeAffinityPolicy": "X",
    }
    assert [(one.field, one.message) for one in spread_causes([wrong], "s")] == [
        ("s[0].maxSkew", "Invalid value: 0: must be greater than zero"),
        ("s[0].topologyKey", "Required value: can not be empty"),
        (
            "s[0].whenUnsatisfiable",
            'Unsupported value: "x": supported values: "DoNotSchedule", "ScheduleAnyway"',
        ),
        ("s[0].minDomains", "Invalid value: 0: must be greater than zero"),
        (
            "s[0].minDomains",
            "Invalid value: 0: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not x",
        ),
        ("s[0].nodeAffinityPolicy", 'Unsupported value: "X": supported values: "Honor", "Ignore"'),
    ]


def test_a_pair_of_topology_and_action_occurs_once() -> None:
    one = {"maxSkew": 1, "topologyKey": "z", "whenUnsatisfiable": "DoNotSchedule"}
    (cause,) = spread_causes([one, dict(one)], "s")
    assert cause.field == "s[0].{topologyKey, whenUnsatisfiable}"
    assert cause.message == 'Duplicate value: "{z, DoNotSchedule}"'
