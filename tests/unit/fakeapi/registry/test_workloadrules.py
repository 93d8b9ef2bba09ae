"""Deployments and sets. Messages are the real server's."""

import copy
from typing import Any

import pytest

from fakeapi.machinery.resources import Resource, builtin
from tests.unit.fakeapi.registry.bench import Bench, Json, causes, refusal, template, workload

PLURALS = ("deployments", "replicasets", "statefulsets", "daemonsets")
WORDS = {"replicasets": "deployment", "deployments": "deployment", "statefulsets": "statefulset"}
MISMATCH = 'Invalid value: {"a":"b"}: `selector` does not match template `labels`'


@pytest.fixture(params=PLURALS)
def kind(request: pytest.FixtureRequest) -> Resource:
    """Each kind that keeps pods running."""
    return builtin(request.param, "apps")


def refused(bench: Bench, kind: Resource, **spec: Any) -> dict[str, str]:
    return causes(refusal(lambda: bench.create(kind, workload(**spec))))


def test_a_plain_one_is_stored_and_counted(bench: Bench, kind: Resource) -> None:
    created = bench.create(kind, workload())
    assert created["metadata"]["generation"] == 1
    assert created["status"] is not None


def test_the_selector_is_demanded(bench: Bench, kind: Resource) -> None:
    found = refused(bench, kind, selector=None)
    if kind.plural == "daemonsets":  # the real server has no such rule for these
        assert found == {"spec.template.metadata.labels": MISMATCH}
    else:
        assert found == {"spec.selector": "Required value", "spec.template.metadata.labels": MISMATCH}


def test_an_empty_selector_is_refused(bench: Bench, kind: Resource) -> None:
    words = WORDS.get(kind.plural, "daemonset")
    assert refused(bench, kind, selector={}) == {
        "spec.selector": f"Invalid value: {{}}: empty selector is invalid for {words}"
    }


def test_the_selector_matches_the_template(bench: Bench, kind: Resource) -> None:
    assert refused(bench, kind, selector={"matchLabels": {"a": "c"}}) == {
        "spec.template.metadata.labels": MISMATCH
    }


def test_a_selector_that_cannot_be_read_is_told_once(bench: Bench, kind: Resource) -> None:
    expression = {"key": "a", "operator": "Around"}
    found = refused(bench, kind, selector={"matchExpressions": [expression]})
    assert list(found) == ["spec.selector.matchExpressions[0].operator"]


def test_a_missing_template_has_no_containers(bench: Bench, kind: Resource) -> None:
    found = refused(bench, kind, template=None)
    assert found["spec.template.spec.containers"] == "Required value"


@pytest.mark.parametrize("policy", ["Never", "OnFailure"])
def test_pods_restart_always(bench: Bench, kind: Resource, policy: str) -> None:
    found = refused(bench, kind, template=template(restartPolicy=policy))
    message = f'Unsupported value: "{policy}": supported values: "Always"'
    assert found == {"spec.template.spec.restartPolicy": message}


def test_pods_have_no_deadline(bench: Bench, kind: Resource) -> None:
    found = refused(bench, kind, template=template(activeDeadlineSeconds=5))
    assert found["spec.template.spec.activeDeadlineSeconds"].startswith(
        "Forbidden: activeDeadlineSeconds in "
    )


def test_labels_and_annotations_of_the_template_are_looked_at(bench: Bench, kind: Resource) -> None:
    pods = template()
    pods["metadata"].update(labels={"a": "b", "c": "!"}, annotations={"a b": ""})
    assert set(refused(bench, kind, template=pods)) == {"spec.template.labels", "spec.template.annotations"}


def test_the_selector_never_changes(bench: Bench, kind: Resource) -> None:
    bench.create(kind, workload())
    selector = {"matchExpressions": [{"key": "a", "operator": "Exists"}]}
    found = causes(
        refusal(
            lambda: bench.modify(
                kind, "work", lambda obj: {**obj, "spec": {**obj["spec"], "selector": selector}}
            )
        )
    )
    assert found["spec.selector"].endswith("field is immutable")


def test_the_template_may_change_and_is_counted(bench: Bench, kind: Resource) -> None:
    bench.create(kind, workload())

    def change(obj: Json) -> Json:
        copied = copy.deepcopy(obj)
        copied["spec"]["template"]["spec"]["priorityClassName"] = "system-node-critical"
        return copied

    assert bench.modify(kind, "work", change).object["metadata"]["generation"] == 2


@pytest.mark.parametrize("name", ["replicas", "minReadySeconds"])
@pytest.mark.parametrize("plural", PLURALS[:3])
def test_numbers_are_not_negative(bench: Bench, plural: str, name: str) -> None:
    spec: Json = {name: -1}
    found = refused(bench, builtin(plural, "apps"), **spec)
    assert found == {f"spec.{name}": "Invalid value: -1: must be greater than or equal to 0"}


@pytest.mark.parametrize(
    ("plural", "spec", "field", "message"),
    [
        (
            "deployments",
            {"strategy": {"type": "X"}},
            "spec.strategy",
            'Unsupported value: {"type":"X"}: supported values: "Recreate", "RollingUpdate"',
        ),
        (
            "deployments",
            {"strategy": {"type": "Recreate", "rollingUpdate": {}}},
            "spec.strategy.rollingUpdate",
            "Forbidden: may not be specified when strategy `type` is 'Recreate'",
        ),
        (
            "deployments",
            {"progressDeadlineSeconds": 5, "minReadySeconds": 5},
            "spec.progressDeadlineSeconds",
            "Invalid value: 5: must be greater than minReadySeconds",
        ),
        (
            "statefulsets",
            {"podManagementPolicy": "X"},
            "spec.podManagementPolicy",
            "Invalid value: \"X\": must be 'OrderedReady' or 'Parallel'",
        ),
        (
            "statefulsets",
            {"updateStrategy": {"type": "X"}},
            "spec.updateStrategy",
            "Invalid value: {\"type\":\"X\"}: must be 'RollingUpdate' or 'OnDelete'",
        ),
    ],
)
def test_rules_of_one_kind(bench: Bench, plural: str, spec: Json, field: str, message: str) -> None:
    assert refused(bench, builtin(plural, "apps"), **spec) == {field: message}


@pytest.mark.parametrize("name", ["serviceName", "podManagementPolicy"])
def test_a_stateful_set_keeps_its_identity(bench: Bench, name: str) -> None:
    kind = builtin("statefulsets", "apps")
    bench.create(kind, workload())
    value = {"serviceName": "other", "podManagementPolicy": "Parallel"}[name]
    found = causes(
        refusal(lambda: bench.modify(kind, "work", lambda obj: {**obj, "spec": {**obj["spec"], name: value}}))
    )
    assert found == {f"spec.{name}": f'Invalid value: "{value}": field is immutable'}


def test_a_replication_controller_selects_by_plain_labels(bench: Bench) -> None:
    kind = builtin("replicationcontrollers")
    bench.create(kind, {"metadata": {"name": "a"}, "spec": {"template": template()}})
    wrong = {"metadata": {"name": "b"}, "spec": {"selector": {"a": "c"}, "template": template()}}
    assert causes(refusal(lambda: bench.create(kind, wrong))) == {"spec.template.metadata.labels": MISMATCH}
    bare = {"metadata": {"name": "b"}, "spec": {"template": {"spec": template()["spec"]}}}
    assert causes(refusal(lambda: bench.create(kind, bare))) == {"spec.selector": "Required value"}


# ---- status ----


@pytest.mark.parametrize(
    ("plural", "part"),
    [
        ("deployments", "updatedReplicas"),
        ("replicasets", "fullyLabeledReplicas"),
        ("statefulsets", "currentReplicas"),
    ],
)
def test_parts_are_not_more_than_all(bench: Bench, plural: str, part: str) -> None:
    kind = builtin(plural, "apps")
    bench.create(kind, workload())
    counts: Json = {"replicas": 3, part: 3, "observedGeneration": 1}
    assert bench.status(kind, "work", **counts)["status"][part] == 3
    more: Json = {part: 4}
    assert causes(refusal(lambda: bench.status(kind, "work", **more))) == {
        f"status.{part}": "Invalid value: 4: cannot be greater than status.replicas"
    }
    negative = causes(refusal(lambda: bench.status(kind, "work", replicas=-1)))
    assert negative["status.replicas"] == "Invalid value: -1: must be greater than or equal to 0"


def test_what_is_available_is_ready(bench: Bench) -> None:
    kind = builtin("deployments", "apps")
    bench.create(kind, workload())
    found = causes(
        refusal(lambda: bench.status(kind, "work", replicas=3, readyReplicas=1, availableReplicas=2))
    )
    assert found == {"status.availableReplicas": "Invalid value: 2: cannot be greater than readyReplicas"}


@pytest.mark.parametrize(("plural", "taken"), [("deployments", False), ("replicasets", True)])
def test_labels_with_the_status(bench: Bench, plural: str, *, taken: bool) -> None:
    kind = builtin(plural, "apps")
    bench.create(kind, workload())

    def label(obj: Json) -> Json:
        return {**obj, "metadata": {**obj["metadata"], "labels": {"q": "r"}, "annotations": {"s": "t"}}}

    metadata = bench.modify(kind, "work", label, "status").object["metadata"]
    assert metadata["annotations"] == {"s": "t"}
    assert ("labels" in metadata) is taken


PERCENT = (
    "a valid percent string must be a numeric string followed by an ending '%' "
    "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
)


@pytest.mark.parametrize(
    ("rolling", "field", "message"),
    [
        ({"maxSurge": "x"}, "maxSurge", f'Invalid value: "x": {PERCENT}'),
        ({"maxSurge": -1}, "maxSurge", "Invalid value: -1: must be greater than or equal to 0"),
        ({"maxUnavailable": "-1"}, "maxUnavailable", f'Invalid value: "-1": {PERCENT}'),
        (
            {"maxUnavailable": "101%"},
            "maxUnavailable",
            'Invalid value: "101%": must not be greater than 100%',
        ),
        (
            {"maxUnavailable": f"{10**30}%"},
            "maxUnavailable",
            f'Invalid value: "{10**30}%": must not be greater than 100%',
        ),
        (
            {"maxUnavailable": 0, "maxSurge": "0%"},
            "maxUnavailable",
            "Invalid value: 0: may not be 0 when `maxSurge` is 0",
        ),
    ],
)
def test_how_a_deployment_rolls(bench: Bench, rolling: Json, field: str, message: str) -> None:
    strategy = {"type": "RollingUpdate", "rollingUpdate": rolling}
    found = refused(bench, builtin("deployments", "apps"), strategy=strategy)
    assert found == {f"spec.strategy.rollingUpdate.{field}": message}


@pytest.mark.parametrize(
    "rolling", [{}, {"maxSurge": "200%"}, {"maxUnavailable": "100%"}, {"maxUnavailable": 0, "maxSurge": 1}]
)
def test_deployments_that_roll(bench: Bench, rolling: Json) -> None:
    strategy = {"type": "RollingUpdate", "rollingUpdate": rolling}
    bench.create(builtin("deployments", "apps"), workload(strategy=strategy))


@pytest.mark.parametrize(
    ("rolling", "field", "message"),
    [
        ({"maxSurge": "x"}, "maxSurge", f'Invalid value: "x": {PERCENT}'),
        (
            {"maxSurge": "101%", "maxUnavailable": 0},
            "maxSurge",
            'Invalid value: "101%": must not be greater than 100%',
        ),
        ({"maxSurge": 1}, "maxSurge", "Invalid value: 1: may not be set when maxUnavailable is non-zero"),
        (
            {"maxUnavailable": "0%"},
            "maxUnavailable",
            "Required value: cannot be 0 when maxSurge is 0",
        ),
    ],
)
def test_how_a_daemon_set_rolls(bench: Bench, rolling: Json, field: str, message: str) -> None:
    strategy = {"type": "RollingUpdate", "rollingUpdate": rolling}
    found = refused(bench, builtin("daemonsets", "apps"), updateStrategy=strategy)
    assert found == {f"spec.updateStrategy.rollingUpdate.{field}": message}


def test_daemon_sets_that_roll_or_wait(bench: Bench) -> None:
    kind = builtin("daemonsets", "apps")
    bench.create(kind, workload("waits", updateStrategy={"type": "OnDelete"}))
    rolling = {"maxSurge": "20%", "maxUnavailable": 0}
    bench.create(kind, workload("rolls", updateStrategy={"type": "RollingUpdate", "rollingUpdate": rolling}))
    found = refused(bench, kind, updateStrategy={"type": "Sometimes"})
    assert found["spec.updateStrategy"].endswith('supported values: "RollingUpdate", "OnDelete"')


def test_a_stateful_set_rolls_from_a_place_on(bench: Bench) -> None:
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"partition": -1}}
    found = refused(bench, builtin("statefulsets", "apps"), updateStrategy=strategy)
    assert found == {
        "spec.updateStrategy.rollingUpdate.partition": "Invalid value: -1: must be greater than or equal to 0"
    }
