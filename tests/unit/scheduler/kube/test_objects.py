"""API objects read into the scheduler's model."""

from typing import Any

import pytest

from scheduler.kube.groups import COSCHEDULING, POD_GROUP_LABEL, Group, Groups, group_key
from scheduler.kube.objects import Reader, node_of
from scheduler.laxity import AnnotationKeys, DefaultClass
from scheduler.model import (
    Demand,
    GangRef,
    Node,
    NodeTerm,
    PodRef,
    Requirement,
    Taint,
    Task,
    Timing,
    Toleration,
)
from scheduler.timetext import HOUR
from tests.unit.scheduler.builders import GIB, GPU, START, Object, node_object, pod_object

READER = Reader("lst-scheduler", AnnotationKeys.under("lst.scheduler/"), DefaultClass(), Groups())


def read(pod: Object) -> Task:
    task = READER.task(pod)
    assert task is not None
    return task


def demanded(spec: Object, **changes: Any) -> Demand:
    return read(pod_object("a", spec=spec, **changes)).demand


def container(requests: Object | None = None, **fields: Any) -> Object:
    return {"name": fields.pop("name", "c"), "resources": {"requests": requests or {}}, **fields}


# Which pods ---------------------------------------------------------------------------------------


def test_a_pod_that_waits_for_us() -> None:
    annotations = {"lst.scheduler/deadline": "4h", "lst.scheduler/expected-duration": "1h"}
    pod = pod_object("a", {"cpu": "500m", "memory": "1Gi", GPU: "2"}, metadata={"annotations": annotations})
    assert read(pod) == Task(
        ref=PodRef("default", "a", "uid-a"),
        demand=Demand(cpu=500, memory=GIB, others=((GPU, 2),)),
        timing=Timing(START + 4 * HOUR, HOUR, stated=True),
        created=START,
    )


def test_a_pod_on_a_node_holds_room_whoever_placed_it() -> None:
    task = read(pod_object("a", {"cpu": "1"}, spec={"nodeName": "n", "schedulerName": "other"}))
    assert (task.node, task.demand) == ("n", Demand(cpu=1000))


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"spec": {"schedulerName": "other"}}, id="of another scheduler"),
        pytest.param({"metadata": {"deletionTimestamp": "2026-01-05T00:00:00Z"}}, id="being deleted unbound"),
        pytest.param({"spec": {"nodeName": "n"}, "status": {"phase": "Succeeded"}}, id="succeeded"),
        pytest.param({"spec": {"nodeName": "n"}, "status": {"phase": "Failed"}}, id="failed"),
    ],
)
def test_pods_that_are_none_of_our_business(changes: Object) -> None:
    assert READER.task(pod_object("a", **changes)) is None


def test_a_gated_pod_does_not_wait_yet() -> None:
    task = read(pod_object("a", spec={"schedulingGates": [{"name": "later"}]}))
    assert task.gated
    assert not read(pod_object("a")).gated


def test_a_member_of_a_group_has_the_group_s_gang() -> None:
    groups = Groups()
    reader = Reader("lst-scheduler", AnnotationKeys.under("lst.scheduler/"), DefaultClass(), groups)
    pod = pod_object("a", metadata={"labels": {POD_GROUP_LABEL: "train"}})
    key = group_key(COSCHEDULING, "default", "train")

    def gang(**changes: Any) -> GangRef | None:
        task = reader.task({**pod, **changes})
        assert task is not None
        return task.gang

    assert gang() == GangRef(key, None, name="PodGroup default/train")
    groups.put(key, Group(3, None))
    assert gang() == GangRef(key, 3, name="PodGroup default/train")
    assert reader.gang_key(pod) == key
    others = {**pod["spec"], "schedulerName": "other"}
    assert gang(spec={**others, "nodeName": "n"}) is None
    assert reader.gang_key({**pod, "spec": others}) is None


def test_what_a_node_has_lost() -> None:
    node = node_object("n", 5)
    node["status"]["capacity"] = {**node["status"]["allocatable"], GPU: "8", "memory": "999Gi"}
    assert node_of(node).lost == ((GPU, 3),)
    del node["status"]["allocatable"][GPU]
    assert node_of(node).lost == ((GPU, 8),)


def test_a_bound_pod_being_deleted_still_holds_its_room() -> None:
    going = {"deletionTimestamp": "2026-01-05T00:00:00Z"}
    assert read(pod_object("a", metadata=going, spec={"nodeName": "n"})).node == "n"


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        (None, None),
        ({"status": "True"}, None),
        ({"status": "False", "reason": "Unschedulable", "message": "why"}, "why"),
        ({"status": "False", "reason": "SchedulerError", "message": "why"}, ""),
    ],
)
def test_what_the_pod_has_been_told(condition: Object | None, told: str | None) -> None:
    conditions = [{"type": "Ready", "status": "False"}]
    if condition is not None:
        conditions.append({"type": "PodScheduled", **condition})
    assert read(pod_object("a", status={"conditions": conditions})).told == told


def test_what_the_pod_has_been_told_is_no_change_of_the_pod() -> None:
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "why"}
    assert read(pod_object("a")) == read(pod_object("a", status={"conditions": [condition]}))


@pytest.mark.parametrize(("spec", "priority"), [({}, 0), ({"priority": 7}, 7), ({"priority": -7}, -7)])
def test_the_priority_is_the_one_that_the_api_server_resolved(spec: Object, priority: int) -> None:
    assert read(pod_object("a", spec=spec)).priority == priority


# Amounts ------------------------------------------------------------------------------------------


def test_containers_add_up() -> None:
    assert demanded(
        {"containers": [container({"cpu": "1", GPU: "1"}), container({"cpu": "500m"})]}
    ) == Demand(cpu=1500, others=((GPU, 1),))


def test_a_limit_without_a_request_is_the_request() -> None:
    limited = {"name": "c", "resources": {"limits": {"cpu": "2", GPU: "1"}, "requests": {"cpu": "1"}}}
    assert demanded({"containers": [limited]}) == Demand(cpu=1000, others=((GPU, 1),))


def test_an_init_container_counts_only_where_it_is_larger() -> None:
    spec = {
        "containers": [container({"cpu": "1", "memory": "1Gi"})],
        "initContainers": [container({"cpu": "3"}), container({"cpu": "2"})],
    }
    assert demanded(spec) == Demand(cpu=3000, memory=GIB)


def test_a_sidecar_stays_and_stands_beside_later_init_containers() -> None:
    spec = {
        "containers": [container({"cpu": "1"})],
        "initContainers": [
            container({"cpu": "4"}),
            container({"cpu": "1"}, restartPolicy="Always"),
            container({"cpu": "3500m"}),
        ],
    }
    assert demanded(spec) == Demand(cpu=4500)


def test_overhead_is_added_and_pod_level_requests_replace() -> None:
    spec = {
        "containers": [container({"cpu": "1", "memory": "1Gi", GPU: "1"})],
        "resources": {"requests": {"cpu": "3"}},
        "overhead": {"cpu": "250m"},
    }
    assert demanded(spec) == Demand(cpu=3250, memory=GIB, others=((GPU, 1),))


def test_a_resize_in_place_counts_until_it_is_done() -> None:
    spec = {"nodeName": "n", "containers": [container({"cpu": "1"}, name="c")]}
    granted = {"containerStatuses": [{"name": "c", "allocatedResources": {"cpu": "2"}}, {"name": "d"}]}
    assert demanded(spec, status=granted) == Demand(cpu=2000)


def test_amounts_that_cannot_be_read_leave_the_pod_pending() -> None:
    (what,) = demanded({"containers": [container({"cpu": "much"})]}).unsupported
    assert "'much' is not a quantity" in what


# Selection ----------------------------------------------------------------------------------------


def test_selection_of_nodes() -> None:
    required = {
        "nodeSelectorTerms": [
            {
                "matchExpressions": [{"key": "rack", "operator": "In", "values": ["r1"]}],
                "matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n"]}],
            },
            {"matchExpressions": [{"key": "x", "operator": "Exists"}]},
        ]
    }
    spec = {
        "nodeSelector": {"b": "2", "a": "1"},
        "tolerations": [{"operator": "Exists"}, {"key": "k", "value": "v", "effect": "NoSchedule"}],
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}},
    }
    assert demanded(spec) == Demand(
        node_selector=(("a", "1"), ("b", "2")),
        node_terms=(
            NodeTerm((Requirement("rack", "In", ("r1",)),), (Requirement("metadata.name", "NotIn", ("n",)),)),
            NodeTerm((Requirement("x", "Exists"),)),
        ),
        tolerations=(Toleration(operator="Exists"), Toleration("k", "Equal", "v", "NoSchedule")),
    )


def test_notices_come_from_annotations_gangs_and_wishes_of_waiting_pods() -> None:
    changes: Object = {
        "metadata": {"annotations": {"lst.scheduler/deadline": "soon", "lst.scheduler/gang": "no"}}
    }
    wish = {"topologySpreadConstraints": [{"topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}]}
    assert [each.reason for each in read(pod_object("a", **changes, spec=wish)).notices] == [
        "MalformedAnnotation",
        "MalformedAnnotation",
        "IgnoredPreference",
    ]
    bound = read(pod_object("a", **changes, spec={**wish, "nodeName": "n"}))
    assert [each.reason for each in bound.notices] == ["MalformedAnnotation"]


# Nodes --------------------------------------------------------------------------------------------


def test_a_node() -> None:
    found = node_of(
        node_object(
            "n",
            8,
            metadata={"labels": {"rack": "r1"}},
            spec={"unschedulable": True, "taints": [{"key": "k", "effect": "NoSchedule"}]},
        )
    )
    assert found == Node(
        "n",
        cpu=64_000,
        memory=512 * GIB,
        pods=110,
        others=((GPU, 8),),
        labels=frozenset({("rack", "r1")}),
        taints=(Taint("k", "", "NoSchedule"),),
        unschedulable=True,
    )


def test_a_heartbeat_changes_nothing() -> None:
    beat = node_object("n", 8)
    beat["status"]["conditions"] = [
        {"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-01-05T00:00:00Z"}
    ]
    assert node_of(beat) == node_of(node_object("n", 8))


def test_a_node_that_has_nothing_to_give_yet() -> None:
    assert node_of({"metadata": {"name": "n"}}) == Node("n")
