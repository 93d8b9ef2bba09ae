"""Demands that are not supported and wishes that are not considered, each by its field."""

import pytest

from scheduler.kube.constraints import ignored_wishes, unsupported_demands
from tests.unit.scheduler.builders import Object

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
CONTAINERS: Object = {"containers": [{"name": "c"}]}


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ({}, ()),
        ({"affinity": {"podAffinity": {REQUIRED: [{"topologyKey": "zone"}]}}}, ()),
        (
            {"affinity": {"podAntiAffinity": {REQUIRED: [{"topologyKey": "zone", "namespaceSelector": {}}]}}},
            (),
        ),
        ({"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": []}}}}, ()),
        (
            {"topologySpreadConstraints": [{"topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}]},
            (),
        ),
        ({"topologySpreadConstraints": [{"topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}]}, ()),
        (
            {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]},
            ("spec.volumes[v].persistentVolumeClaim",),
        ),
        (
            {"volumes": [{"name": "v", "ephemeral": {"volumeClaimTemplate": {}}}]},
            ("spec.volumes[v].ephemeral",),
        ),
        ({"volumes": [{"name": "v", "emptyDir": {}}, {"name": "w", "configMap": {"name": "c"}}]}, ()),
        ({"resourceClaims": [{"name": "r"}]}, ("spec.resourceClaims",)),
        ({"schedulingGroup": {"podGroupName": "g"}}, ()),
        ({"workloadRef": {"name": "w"}}, ("spec.workloadRef",)),
        (
            {
                "containers": [
                    {"name": "c", "ports": [{"containerPort": 80}, {"containerPort": 81, "hostPort": 81}]}
                ]
            },
            (),
        ),
        ({"containers": [{"name": "c", "ports": [{"containerPort": 80}]}]}, ()),
    ],
)
def test_unsupported_demands(spec: Object, named: tuple[str, ...]) -> None:
    assert unsupported_demands({**CONTAINERS, **spec}) == named


@pytest.mark.parametrize(
    ("spec", "fields"),
    [
        ({}, []),
        ({"affinity": {"nodeAffinity": {PREFERRED: [{}]}}}, []),
        (
            {"affinity": {"podAffinity": {PREFERRED: [{}]}, "podAntiAffinity": {PREFERRED: [{}]}}},
            [f"spec.affinity.podAffinity.{PREFERRED}", f"spec.affinity.podAntiAffinity.{PREFERRED}"],
        ),
        (
            {"topologySpreadConstraints": [{"topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}]},
            ["spec.topologySpreadConstraints (ScheduleAnyway over zone)"],
        ),
    ],
)
def test_ignored_preferences(spec: Object, fields: list[str]) -> None:
    notices = ignored_wishes(spec)
    assert [each.reason for each in notices] == ["IgnoredPreference"] * len(fields)
    assert [each.note.split(" is a preference")[0] for each in notices] == fields
