"""What objects that make pods say about the job that they are."""

from typing import Any

import pytest

from evaluator.scenario.facts import pod_facts
from evaluator.scenario.jobfacts import group_of, job_facts, least_members


def facts(kind: str, template: dict[str, Any] | None = None, **spec: Any) -> Any:
    obj = {"kind": kind, "metadata": {"name": "x"}, "spec": {"template": template or {}, **spec}}
    return job_facts(obj, lambda pod: pod_facts(pod, at_ns=0, start_ns=0))


@pytest.mark.parametrize(
    ("spec", "pods", "parallel"),
    [
        ({}, 1, 1),
        ({"parallelism": 4}, 4, 4),
        ({"parallelism": 4, "completions": 2}, 2, 2),
        ({"parallelism": 0}, 1, 0),
        ({"completions": 5}, 5, 1),
    ],
)
def test_a_jobs_pods_in_whole_and_at_a_time(spec: dict[str, Any], pods: int, parallel: int) -> None:
    found = facts("Job", **spec)
    assert (found.pods, found.parallel, found.service) == (pods, parallel, False)


@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet", "StatefulSet"])
def test_services_have_replicas(kind: str) -> None:
    assert facts(kind).pods == 1
    found = facts(kind, replicas=0)
    assert (found.pods, found.parallel, found.service) == (0, 0, True)


@pytest.mark.parametrize(
    ("template", "gang"),
    [
        ({}, False),
        ({"metadata": {"annotations": {"lst.scheduler/gang": "false"}}}, False),
        ({"metadata": {"annotations": {"lst.scheduler/gang": "3"}}}, True),
        ({"metadata": {"labels": {"scheduling.x-k8s.io/pod-group": "g"}}}, True),
        ({"spec": {"containers": [], "schedulingGroup": {"podGroupName": "g"}}}, True),
    ],
)
def test_a_gang_is_told_in_any_of_these_ways(template: dict[str, Any], gang: bool) -> None:
    assert facts("Job", template).gang is gang


def test_the_native_group_goes_first() -> None:
    pod = {"metadata": {"labels": {"scheduling.x-k8s.io/pod-group": "old"}}, "spec": {}}
    assert group_of(pod) == "old"
    assert group_of({**pod, "spec": {"schedulingGroup": {"podGroupName": "new"}}}) == "new"
    assert group_of({"metadata": {}, "spec": {}}) is None


def test_least_members_of_either_api() -> None:
    assert least_members({"spec": {"minMember": 4}}) == 4
    assert least_members({"spec": {"schedulingPolicy": {"gang": {"minCount": 3}}}}) == 3
    assert least_members({"spec": {"schedulingPolicy": {"basic": {}}}}) == 1
    assert least_members({}) == 1
