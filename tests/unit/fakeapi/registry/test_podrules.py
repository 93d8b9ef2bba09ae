"""What makes a pod invalid when it is created. Messages are the real server's."""

from typing import Any

import pytest

from fakeapi.registry.poddefaults import fill_pod
from fakeapi.registry.podrules import pod_creation_causes, pod_spec_causes
from tests.unit.fakeapi.registry.bench import Json, pod


def told(container: Json | None = None, **spec: Any) -> list[tuple[str, str]]:
    obj = pod(container=container, **spec)
    fill_pod(obj)
    return [(one.field, one.message) for one in pod_creation_causes(obj)]


MAIN = {"name": "main", "image": "i:1"}


def test_a_plain_pod_is_in_order() -> None:
    assert told() == []


@pytest.mark.parametrize(
    ("spec", "field", "message"),
    [
        ({"containers": []}, "spec.containers", "Required value"),
        ({"containers": [MAIN, MAIN]}, "spec.containers[1].name", 'Duplicate value: "main"'),
        ({"initContainers": [MAIN]}, "spec.initContainers[0].name", 'Duplicate value: "main"'),
        (
            {"restartPolicy": "X"},
            "spec.restartPolicy",
            'Unsupported value: "X": supported values: "Always", "OnFailure", "Never"',
        ),
        (
            {"dnsPolicy": "x"},
            "spec.dnsPolicy",
            'Unsupported value: "x": supported values: '
            '"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
        ),
        (
            {"activeDeadlineSeconds": 0},
            "spec.activeDeadlineSeconds",
            "Invalid value: 0: must be between 1 and 2147483647, inclusive",
        ),
        (
            {"preemptionPolicy": "X"},
            "spec.preemptionPolicy",
            'Unsupported value: "X": supported values: "PreemptLowerPriority", "Never"',
        ),
        (
            {"schedulingGates": [{"name": "g"}, {"name": "g"}]},
            "spec.schedulingGates[1]",
            'Duplicate value: "g"',
        ),
        (
            {"schedulingGates": [{"name": "g"}], "nodeName": "n"},
            "spec.nodeName",
            "Forbidden: cannot be set until all schedulingGates have been cleared",
        ),
        (
            {"ephemeralContainers": [MAIN]},
            "spec.ephemeralContainers",
            "Forbidden: cannot be set on create",
        ),
        ({"volumes": [{"name": "v"}, {"name": "v"}]}, "spec.volumes[1].name", 'Duplicate value: "v"'),
        ({"volumes": [{}]}, "spec.volumes[0].name", "Required value"),
        (
            {"resourceClaims": [{"name": "a"}]},
            "spec.resourceClaims[0]",
            'Invalid value: {"name":"a"}: must specify one of: '
            "`resourceClaimName`, `resourceClaimTemplateName`",
        ),
        (
            {"resources": {"limits": {"cpu": "-1"}}},
            "spec.resources.limits[cpu]",
            'Invalid value: "-1": must be greater than or equal to 0',
        ),
        (
            {"overhead": {"cpu": "-1"}},
            "spec.overhead.limits[cpu]",
            'Invalid value: "-1": must be greater than or equal to 0',
        ),
    ],
)
def test_one_thing_wrong(spec: Json, field: str, message: str) -> None:
    assert told(**spec)[0] == (field, message)


NAMES = [
    ("nodeName", "N!", "subdomain"),
    ("serviceAccountName", "A", "subdomain"),
    ("priorityClassName", "A", "subdomain"),
    ("hostname", "A.b", "label"),
    ("subdomain", "A", "label"),
]


@pytest.mark.parametrize(("field", "value", "rule"), NAMES)
def test_names_are_names_of_the_network(field: str, value: str, rule: str) -> None:
    given: Json = {field: value}
    ((found, message),) = told(**given)
    assert found == f"spec.{field}"
    assert message.startswith(f'Invalid value: "{value}": a lowercase RFC 1123 {rule} must consist of')


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("nodeSelector", {"a b": "c"}),
        ("nodeSelector", {"a": "!"}),
        ("readinessGates", [{"conditionType": "a b"}]),
        ("schedulingGates", [{"name": "a b"}]),
        ("tolerations", [{"value": "v"}]),
        ("affinity", {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{}]}}),
        ("topologySpreadConstraints", [{}]),
    ],
)
def test_the_parts_of_the_placement_are_all_looked_at(field: str, value: Any) -> None:
    given: Json = {field: value}
    found = told(**given)
    assert found
    assert all(name.startswith(f"spec.{field}") for name, _ in found)


@pytest.mark.parametrize(
    ("container", "field", "message"),
    [
        ({"name": ""}, "name", "Required value"),
        ({"image": ""}, "image", "Required value"),
        (
            {"imagePullPolicy": "X"},
            "imagePullPolicy",
            'Unsupported value: "X": supported values: "Always", "IfNotPresent", "Never"',
        ),
        (
            {"terminationMessagePolicy": "X"},
            "terminationMessagePolicy",
            'Unsupported value: "X": supported values: "File", "FallbackToLogsOnError"',
        ),
        ({"ports": [{}]}, "ports[0].containerPort", "Required value"),
        ({"env": [{"name": "A"}, {"value": "b"}]}, "env[1].name", "Required value"),
        (
            {"ports": [{"containerPort": 70000}]},
            "ports[0].containerPort",
            "Invalid value: 70000: must be between 1 and 65535, inclusive",
        ),
        (
            {"ports": [{"containerPort": 1, "hostPort": -1}]},
            "ports[0].hostPort",
            "Invalid value: -1: must be between 1 and 65535, inclusive",
        ),
        (
            {"ports": [{"containerPort": 1, "protocol": "X"}]},
            "ports[0].protocol",
            'Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
        ),
        (
            {"volumeMounts": [{"name": "w", "mountPath": "/a"}]},
            "volumeMounts[0].name",
            'Not found: "w"',
        ),
        (
            {"resources": {"claims": [{"name": "c"}]}},
            "resources.claims[0]",
            'Not found: "c": must be one of the names in pod.spec.resourceClaims which is empty',
        ),
    ],
)
def test_containers(container: Json, field: str, message: str) -> None:
    assert told(container) == [(f"spec.containers[0].{field}", message)]


@pytest.mark.parametrize("field", ["containers", "initContainers"])
def test_containers_have_policies_of_their_own(field: str) -> None:
    container = {"name": "other", "image": "i:1", "restartPolicy": "Sometimes"}
    spec: Json = {"containers": [container]} if field == "containers" else {"initContainers": [container]}
    supported = '"Always", "Never", "OnFailure"'
    assert told(**spec) == [
        (
            f"spec.{field}[0].restartPolicy",
            f'Unsupported value: "Sometimes": supported values: {supported}',
        )
    ]


def test_space_on_a_node_is_not_negative() -> None:
    why = "Forbidden: SizeLimit field must be a valid resource quantity"
    volume = {"name": "v", "emptyDir": {"sizeLimit": "-1"}}
    assert told(volumes=[volume]) == [("spec.volumes[0].emptyDir.sizeLimit", why)]


@pytest.mark.parametrize("source", ["resourceClaimName", "resourceClaimTemplateName"])
def test_claims_name_their_source(source: str) -> None:
    ((field, message),) = told(resourceClaims=[{"name": "c", source: "UPPER"}])
    assert field == f"spec.resourceClaims[0].{source}"
    assert message.startswith('Invalid value: "UPPER": a lowercase RFC 1123 subdomain')


def test_mounts() -> None:
    mounts = [{"name": "v", "mountPath": "/a"}, {"name": "v", "mountPath": "/a"}, {}]
    assert told({"volumeMounts": mounts}, volumes=[{"name": "v"}]) == [
        ("spec.containers[0].volumeMounts[1].mountPath", 'Invalid value: "/a": must be unique'),
        ("spec.containers[0].volumeMounts[2].name", "Required value"),
        ("spec.containers[0].volumeMounts[2].name", 'Not found: ""'),
        ("spec.containers[0].volumeMounts[2].mountPath", "Required value"),
    ]


def test_claims_of_the_pod_may_be_used_by_its_containers() -> None:
    claims = [{"name": "c", "resourceClaimName": "x"}]
    assert told({"resources": {"claims": [{"name": "c"}]}}, resourceClaims=claims) == []


def test_claims_have_one_source_and_a_name_each() -> None:
    both = {"name": "a", "resourceClaimName": "x", "resourceClaimTemplateName": "y"}
    again = {"name": "a", "resourceClaimName": "x"}
    fields = [
        field for field, _ in told(resourceClaims=[both, again, {"name": "", "resourceClaimName": "x"}])
    ]
    assert fields == ["spec.resourceClaims[0]", "spec.resourceClaims[1].name", "spec.resourceClaims[2].name"]


def test_a_template_is_judged_under_its_own_path() -> None:
    obj = pod(container={"name": "UPPER"})
    fill_pod(obj)
    (cause,) = pod_spec_causes(obj["spec"], "spec.template.spec")
    assert cause.field == "spec.template.spec.containers[0].name"


def test_all_that_is_wrong_is_told_together() -> None:
    found = told({"name": "UPPER", "image": ""}, restartPolicy="X", nodeName="N!")
    assert [field for field, _ in found] == [
        "spec.containers[0].name",
        "spec.containers[0].image",
        "spec.restartPolicy",
        "spec.nodeName",
    ]
