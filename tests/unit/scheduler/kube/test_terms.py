"""Affinity, spread and ports as the API writes them, in the scheduler's model."""

from scheduler.constraints import NodeTerm, PodTerm, Port, Preference, Requirement, Spread
from scheduler.kube.terms import (
    PREFERRED,
    REQUIRED,
    host_ports,
    label_selector,
    node_terms,
    pod_terms,
    preferences,
    spreads,
)
from tests.unit.scheduler.builders import Object

METADATA: Object = {"namespace": "team", "labels": {"app": "train", "version": "2"}}
APP = Requirement("app", "In", ("train",))


def affinity(kind: str, how: str, terms: object) -> Object:
    return {"affinity": {kind: {how: terms}}}


def test_node_affinity() -> None:
    expressions = [{"key": "rack", "operator": "In", "values": ["r1", "r2"]}]
    fields = [{"key": "metadata.name", "operator": "NotIn", "values": ["n"]}]
    term = {"matchExpressions": expressions, "matchFields": fields}
    read = NodeTerm(
        (Requirement("rack", "In", ("r1", "r2")),), (Requirement("metadata.name", "NotIn", ("n",)),)
    )
    assert node_terms(affinity("nodeAffinity", REQUIRED, {"nodeSelectorTerms": [term]})) == (read,)
    wished = affinity("nodeAffinity", PREFERRED, [{"weight": 7, "preference": term}])
    assert preferences(wished) == (Preference(7, read),)
    assert node_terms({}) is None
    assert preferences({}) == ()


def test_a_node_affinity_without_terms_matches_nothing() -> None:
    assert node_terms(affinity("nodeAffinity", REQUIRED, {"nodeSelectorTerms": []})) == ()


def test_pod_terms_are_of_the_pod_s_own_namespace_unless_they_name_others() -> None:
    own = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "train"}}}
    named = {**own, "namespaces": ["a", "b"]}
    spec = affinity("podAntiAffinity", REQUIRED, [own, named])
    assert pod_terms(METADATA, spec, "podAntiAffinity") == (
        PodTerm("zone", (APP,), ("team",)),
        PodTerm("zone", (APP,), ("a", "b")),
    )
    assert pod_terms(METADATA, spec, "podAffinity") == ()


def test_a_term_that_selects_namespaces_names_its_own_no_more() -> None:
    term = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "train"}}}
    spec = affinity(
        "podAffinity",
        REQUIRED,
        [
            {**term, "namespaceSelector": {}},
            {**term, "namespaceSelector": {"matchLabels": {"team": "x"}}, "namespaces": ["a"]},
        ],
    )
    assert pod_terms(METADATA, spec, "podAffinity") == (
        PodTerm("zone", (APP,), (), ()),
        PodTerm("zone", (APP,), ("a",), (Requirement("team", "In", ("x",)),)),
    )


def test_a_label_selector_that_is_absent_selects_nothing() -> None:
    assert label_selector(None) is None
    assert label_selector({}) == ()


def test_selectors() -> None:
    exists = {"key": "gpu", "operator": "Exists"}
    terms = [
        {"topologyKey": "z"},
        {"topologyKey": "z", "labelSelector": {}},
        {"topologyKey": "z", "labelSelector": {"matchExpressions": [exists]}},
        {"topologyKey": "z", "labelSelector": {}, "matchLabelKeys": ["app", "none"]},
        {"topologyKey": "z", "labelSelector": {}, "mismatchLabelKeys": ["version"]},
    ]
    read = pod_terms(METADATA, affinity("podAffinity", REQUIRED, terms), "podAffinity")
    assert [term.selector for term in read] == [
        None,
        (),
        (Requirement("gpu", "Exists"),),
        (APP,),
        (Requirement("version", "NotIn", ("2",)),),
    ]


def test_spread_that_must_hold_is_read_and_a_wish_is_not() -> None:
    must = {"topologyKey": "zone", "maxSkew": 2, "labelSelector": {"matchLabels": {"app": "train"}}}
    strict = {**must, "minDomains": 3, "nodeAffinityPolicy": "Ignore", "nodeTaintsPolicy": "Honor"}
    wish = {**must, "whenUnsatisfiable": "ScheduleAnyway"}
    assert spreads(METADATA, {"topologySpreadConstraints": [must, strict, wish]}) == (
        Spread("zone", 2, (APP,)),
        Spread("zone", 2, (APP,), min_domains=3, honour_affinity=False, honour_taints=True),
    )


def test_host_ports_of_all_containers() -> None:
    spec = {
        "containers": [{"ports": [{"containerPort": 1, "hostPort": 80}, {"containerPort": 2}]}, {}],
        "initContainers": [{"ports": [{"hostPort": 53, "protocol": "UDP", "hostIP": "10.0.0.1"}]}],
    }
    assert host_ports(spec) == (Port("TCP", 80), Port("UDP", 53, "10.0.0.1"))
