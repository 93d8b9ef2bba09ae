"""The three ways in which clusters say that pods belong together."""

import pytest

from scheduler.kube.groups import (
    COSCHEDULING,
    NATIVE,
    POD_GROUP_LABEL,
    Group,
    Groups,
    Membership,
    group_key,
    membership,
    read_coscheduling,
    read_native,
)
from scheduler.laxity import AnnotationKeys
from scheduler.model import GangRef
from tests.unit.scheduler.builders import Object

KEYS = AnnotationKeys.under("lst.scheduler/")
JOB = {"kind": "Job", "name": "train", "uid": "u-1", "controller": True}


def said(metadata: Object, spec: Object | None = None, owner: str = "") -> Membership:
    return membership({"namespace": "team", **metadata}, spec or {}, owner, KEYS)


def test_the_native_api_comes_first_then_the_label_then_the_annotation() -> None:
    spec: Object = {"schedulingGroup": {"podGroupName": "n"}}
    metadata: Object = {
        "labels": {POD_GROUP_LABEL: "c"},
        "annotations": {"lst.scheduler/gang": "2"},
        "ownerReferences": [JOB],
    }
    assert said(metadata, spec, "u-1") == Membership(group_key(NATIVE, "team", "n"))
    assert said(metadata, {}, "u-1") == Membership(group_key(COSCHEDULING, "team", "c"))
    del metadata["labels"]
    assert said(metadata, {}, "u-1").gang == GangRef("owner/u-1", 2, name="Job team/train")
    assert said({}) == Membership()


def test_a_job_s_gang_may_name_a_topology() -> None:
    annotations = {"lst.scheduler/gang": "4", "lst.scheduler/gang-topology": "rack"}
    gang = said({"annotations": annotations, "ownerReferences": [JOB]}, owner="u-1").gang
    assert gang is not None
    assert (gang.least, gang.topology_key) == (4, "rack")


@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5", "", " 2", "1_0", "٣", "100001"])
def test_a_malformed_size_is_told_and_the_pod_is_on_its_own(text: str) -> None:
    metadata: Object = {"annotations": {"lst.scheduler/gang": text}, "ownerReferences": [JOB]}
    found = said(metadata, owner="u-1")
    assert (found.group, found.gang) == (None, None)
    (notice,) = found.notices
    assert notice.reason == "MalformedAnnotation"
    assert f"lst.scheduler/gang: {text!r}" in notice.note


def test_a_size_without_a_controller_is_told() -> None:
    (notice,) = said({"annotations": {"lst.scheduler/gang": "2"}}).notices
    assert "no controller" in notice.note


@pytest.mark.parametrize(
    ("spec", "group"),
    [
        ({"schedulingPolicy": {"gang": {"minCount": 3}}}, Group(3, None)),
        (
            {
                "schedulingPolicy": {"gang": {"minCount": 3}},
                "schedulingConstraints": {"topology": [{"key": "rack"}]},
            },
            Group(3, "rack"),
        ),
        ({"schedulingPolicy": {"basic": {}}}, Group(None, None)),
        ({}, Group(None, None)),
    ],
)
def test_native_groups(spec: Object, group: Group) -> None:
    assert read_native({"spec": spec}) == group


def test_coscheduling_groups() -> None:
    assert read_coscheduling({"spec": {"minMember": 4}}) == Group(4, None)
    assert read_coscheduling({"spec": {}}) == Group(1, None)


def test_groups_that_come_change_and_go() -> None:
    groups = Groups()
    key, other = group_key(COSCHEDULING, "team", "a"), group_key(NATIVE, "team", "a")
    member = Membership(key)
    assert groups.gang(member) == GangRef(key, None, name="PodGroup team/a")
    assert groups.put_all(COSCHEDULING, [(key, Group(2, None))]) == {key}
    assert groups.knows(key)
    assert groups.gang(member) == GangRef(key, 2, name="PodGroup team/a")
    assert not groups.put(key, Group(2, None))
    assert groups.put(key, Group(3, "rack"))
    assert groups.gang(member) == GangRef(key, 3, "rack", "PodGroup team/a")
    assert groups.put(other, Group(None, None))
    assert groups.gang(Membership(other)) is None, "a basic group makes no gang"
    assert groups.put_all(COSCHEDULING, []) == {key}
    assert groups.knows(other), "the other API's groups stay"
    assert groups.drop(other)
    assert not groups.drop(other)
