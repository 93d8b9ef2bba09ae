"""Cells are compared with what ``kubectl get`` of Kubernetes 1.37 prints for the same objects."""

from typing import Any

import pytest

from fakeapi.kernel.time import DAY, HOUR, MINUTE, SECOND, Duration, Instant, parse_instant
from fakeapi.machinery.resources import BUILTIN, CORE_EVENTS, EVENTS, NODES, PODS, Resource, builtin
from fakeapi.machinery.status import StatusError
from fakeapi.rest.cells import human_duration
from fakeapi.rest.columns import columns_of
from fakeapi.rest.tables import IncludeObject, include_object_of, partial, partial_list, table

NOW: Instant = parse_instant("2026-01-05T10:00:00Z")
BORN = "2026-01-05T09:00:00Z"
Object = dict[str, Any]


def named(name: str = "x", **metadata: Any) -> Object:
    return {"metadata": {"name": name, "namespace": "n", "creationTimestamp": BORN, **metadata}}


def cells(resource: Resource, obj: Object) -> dict[str, Any]:
    found = table(resource, [obj], NOW, metadata={})
    headers = [column["name"] for column in found["columnDefinitions"]]
    return dict(zip(headers, found["rows"][0]["cells"], strict=True))


# ---- the table itself -----------------------------------------------------------------------------


def test_a_table_announces_its_columns_and_has_a_row_for_each_object() -> None:
    namespaces = [named("a"), named("b") | {"status": {"phase": "Terminating"}}]
    found = table(builtin("namespaces"), namespaces, NOW, metadata={"resourceVersion": "7"})
    assert found["kind"] == "Table"
    assert found["apiVersion"] == "meta.k8s.io/v1"
    assert found["metadata"] == {"resourceVersion": "7"}
    shape = [(one["name"], one["type"], one["format"], one["priority"]) for one in found["columnDefinitions"]]
    assert shape == [("Name", "string", "name", 0), ("Status", "string", "", 0), ("Age", "string", "", 0)]
    assert all(one["description"] for one in found["columnDefinitions"])
    assert [row["cells"] for row in found["rows"]] == [["a", "", "60m"], ["b", "Terminating", "60m"]]


@pytest.mark.parametrize(
    ("include", "carried"),
    [
        (IncludeObject.NONE, None),
        (
            IncludeObject.METADATA,
            {
                "kind": "PartialObjectMetadata",
                "apiVersion": "meta.k8s.io/v1beta1",
                "metadata": named()["metadata"],
            },
        ),
        (IncludeObject.OBJECT, named() | {"data": {"k": "v"}}),
    ],
)
def test_a_row_carries_as_much_of_its_object_as_was_asked_for(
    include: IncludeObject, carried: object
) -> None:
    found = table(
        builtin("configmaps"),
        [named() | {"data": {"k": "v"}}],
        NOW,
        metadata={},
        include=include,
        api_version="meta.k8s.io/v1beta1",
    )
    assert found["apiVersion"] == "meta.k8s.io/v1beta1"
    assert found["rows"][0]["object"] == carried


def test_later_events_of_a_watch_define_no_columns() -> None:
    found = table(PODS, [named()], NOW, metadata={}, headers=False)
    assert found["columnDefinitions"] is None
    assert len(found["rows"][0]["cells"]) == len(columns_of(PODS))


def test_the_parameter_include_object() -> None:
    assert include_object_of("") is IncludeObject.METADATA
    assert include_object_of("Object") is IncludeObject.OBJECT
    assert include_object_of("None") is IncludeObject.NONE
    with pytest.raises(StatusError, match='includeObject: Invalid value: "object"') as caught:
        include_object_of("object")
    assert caught.value.code == 400


def test_partial_metadata_is_the_metadata_and_nothing_else() -> None:
    obj = named() | {"spec": {"big": True}}
    one = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": obj["metadata"]}
    assert partial(obj) == one
    assert partial_list([obj], metadata={"resourceVersion": "3"}) == {
        "kind": "PartialObjectMetadataList",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": {"resourceVersion": "3"},
        "items": [one],
    }


def test_every_kind_can_be_shown_even_when_nearly_empty() -> None:
    bare: Object = {"metadata": {}}
    for row in BUILTIN:
        found = table(row, [bare, named()], NOW, metadata={})
        widths = {len(one["cells"]) for one in found["rows"]} | {len(found["columnDefinitions"])}
        assert len(widths) == 1
        assert all(cell is None or isinstance(cell, str | int) for cell in found["rows"][0]["cells"])


def test_a_kind_without_columns_of_its_own_shows_its_name_and_age() -> None:
    widgets = Resource("widgets.example.com", "v1", "widgets", "Widget", True)
    assert cells(widgets, named("w")) == {"Name": "w", "Age": "60m"}


def test_an_age_that_is_not_known_is_not_invented() -> None:
    assert cells(builtin("serviceaccounts"), {"metadata": {"name": "x"}})["Age"] == "<unknown>"
    assert cells(builtin("serviceaccounts"), named(creationTimestamp="soon"))["Age"] == "<unknown>"


@pytest.mark.parametrize(
    ("duration", "text"),
    [
        (0, "0s"),
        (-SECOND, "0s"),
        (-2 * SECOND, "<invalid>"),
        (999_999_999, "0s"),
        (119 * SECOND, "119s"),
        (2 * MINUTE, "2m"),
        (5 * MINUTE + 30 * SECOND, "5m30s"),
        (10 * MINUTE + 30 * SECOND, "10m"),
        (179 * MINUTE, "179m"),
        (3 * HOUR, "3h"),
        (7 * HOUR + 59 * MINUTE, "7h59m"),
        (8 * HOUR + 59 * MINUTE, "8h"),
        (47 * HOUR, "47h"),
        (2 * DAY, "2d"),
        (7 * DAY + 23 * HOUR, "7d23h"),
        (8 * DAY + 23 * HOUR, "8d"),
        (729 * DAY, "729d"),
        (730 * DAY, "2y"),
        (731 * DAY, "2y1d"),
        (8 * 365 * DAY + 9 * DAY, "8y"),
    ],
)
def test_durations_for_people(duration: Duration, text: str) -> None:
    assert human_duration(duration) == text


# ---- pods -----------------------------------------------------------------------------------------

RUNNING: Object = {"running": {"startedAt": BORN}}


def ended(code: int = 0, reason: str = "", signal: int = 0) -> Object:
    return {"terminated": {"exitCode": code, "reason": reason, "signal": signal}}


def waiting(reason: str) -> Object:
    return {"waiting": {"reason": reason}}


def container(state: Object, ready: bool = False, **more: Any) -> Object:
    return {"name": "c", "state": state, "ready": ready, "restartCount": 0, **more}


def pod(
    phase: str,
    *statuses: Object,
    init: tuple[Object, ...] = (),
    spec: Object | None = None,
    conditions: tuple[tuple[str, str], ...] = (),
    metadata: Object | None = None,
    **status: Any,
) -> Object:
    return {
        **named(**(metadata or {})),
        "spec": {
            "containers": [{"name": "c"}] * max(1, len(statuses)),
            "initContainers": [{"name": one["name"]} for one in init],
            **(spec or {}),
        },
        "status": {
            "phase": phase,
            "containerStatuses": list(statuses),
            "initContainerStatuses": list(init),
            "conditions": [{"type": name, "status": state} for name, state in conditions],
            **status,
        },
    }


DELETED = {"deletionTimestamp": BORN}
SIDECAR = {"initContainers": [{"name": "side", "restartPolicy": "Always"}]}


@pytest.mark.parametrize(
    ("obj", "status"),
    [
        (pod("Pending"), "Pending"),
        (pod("Pending", container(waiting("ContainerCreating"))), "ContainerCreating"),
        (pod("Running", container(RUNNING, ready=True)), "Running"),
        (pod("Running", container(waiting("CrashLoopBackOff"))), "CrashLoopBackOff"),
        (pod("Succeeded", container(ended(reason="Completed"))), "Completed"),
        (pod("Failed", container(ended(1, "Error"))), "Error"),
        (pod("Failed", container(ended(137, signal=9))), "Signal:9"),
        (pod("Failed", container(ended(3))), "ExitCode:3"),
        (pod("Failed", reason="Evicted"), "Evicted"),
        (pod("Running", container(RUNNING, ready=True), metadata=DELETED), "Terminating"),
        (pod("Succeeded", container(ended(reason="Completed")), metadata=DELETED), "Completed"),
        (pod("Running", reason="NodeLost", metadata=DELETED), "Unknown"),
        (
            pod(
                "Running",
                container(ended(reason="Completed")),
                container(RUNNING, ready=True),
                conditions=(("Ready", "True"),),
            ),
            "Running",
        ),
        (pod("Running", container(ended(reason="Completed")), container(RUNNING, ready=True)), "NotReady"),
        (pod("Running", container(ended(reason="Completed")), container(ended(2, "Error"))), "Error"),
        (pod("Pending", init=({"name": "i", "state": RUNNING},)), "Init:0/1"),
        (pod("Pending", init=({"name": "i", "state": waiting("PodInitializing")},)), "Init:0/1"),
        (pod("Pending", init=({"name": "i", "state": waiting("ErrImagePull")},)), "Init:ErrImagePull"),
        (pod("Pending", init=({"name": "i", "state": ended(1, "Error")},)), "Init:Error"),
        (pod("Pending", init=({"name": "i", "state": ended(1, signal=9)},)), "Init:Signal:9"),
        (pod("Pending", init=({"name": "i", "state": ended(4)},)), "Init:ExitCode:4"),
        (
            pod("Pending", init=({"name": "i", "state": ended()}, {"name": "j", "state": RUNNING})),
            "Init:1/2",
        ),
        (
            pod(
                "Running",
                container(RUNNING, ready=True),
                init=({"name": "i", "state": ended(1, "Error")},),
                conditions=(("Initialized", "True"),),
            ),
            "Init:Error",
        ),
    ],
)
def test_the_status_of_a_pod_in_a_word(obj: Object, status: str) -> None:
    assert cells(PODS, obj)["Status"] == status


def test_a_gated_pod_says_so() -> None:
    gated = pod("Pending")
    gated["status"]["conditions"] = [{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}]
    assert cells(PODS, gated)["Status"] == "SchedulingGated"


def test_ready_containers_are_counted_with_sidecars() -> None:
    side = {"name": "side", "state": RUNNING, "started": True, "ready": True, "restartCount": 1}
    obj = pod("Running", container(RUNNING, ready=True), container(RUNNING), init=(side,), spec=SIDECAR)
    found = cells(PODS, obj)
    assert (found["Ready"], found["Restarts"]) == ("2/3", "1")


def test_a_sidecar_that_has_not_started_holds_the_pod_back() -> None:
    side = {"name": "side", "state": RUNNING, "started": False, "ready": False}
    assert cells(PODS, pod("Pending", init=(side,), spec=SIDECAR))["Status"] == "Init:0/1"


def test_restarts_are_counted_and_the_last_one_is_dated() -> None:
    at = {"lastState": {"terminated": {"finishedAt": "2026-01-05T09:58:00Z"}}}
    earlier = {"lastState": {"terminated": {"finishedAt": "2026-01-05T07:00:00Z"}}}
    running = pod(
        "Running",
        container(RUNNING, ready=True, **at) | {"restartCount": 2},
        container(RUNNING, ready=True, **earlier) | {"restartCount": 1},
    )
    assert cells(PODS, running)["Restarts"] == "3 (2m ago)"
    never = pod("Running", container(RUNNING, ready=True, **at))
    assert cells(PODS, never)["Restarts"] == "0"


def test_restarts_of_init_containers_count_until_they_are_done() -> None:
    again = {"name": "i", "state": RUNNING, "restartCount": 4}
    assert cells(PODS, pod("Pending", init=(again,)))["Restarts"] == "4"
    done = {"name": "i", "state": ended(), "restartCount": 4}
    assert cells(PODS, pod("Running", container(RUNNING, ready=True), init=(done,)))["Restarts"] == "0"


def test_wide_columns_of_a_pod() -> None:
    obj = pod(
        "Running",
        spec={"nodeName": "node-1", "readinessGates": [{"conditionType": "a"}, {"conditionType": "b"}]},
        conditions=(("a", "True"), ("b", "False")),
        podIPs=[{"ip": "10.0.0.1"}, {"ip": "fd00::1"}],
        nominatedNodeName="node-2",
    )
    wide = {column.name for column in columns_of(PODS) if column.wide}
    assert {name: value for name, value in cells(PODS, obj).items() if name in wide} == {
        "IP": "10.0.0.1",
        "Node": "node-1",
        "Nominated Node": "node-2",
        "Readiness Gates": "1/2",
    }
    empty = cells(PODS, pod("Pending"))
    assert {empty[name] for name in wide} == {"<none>"}


@pytest.mark.parametrize(
    ("phase", "reason"), [("Succeeded", "Succeeded"), ("Failed", "Failed"), ("Running", None)]
)
def test_the_row_of_a_finished_pod_is_marked_as_completed(phase: str, reason: str | None) -> None:
    (row,) = table(PODS, [pod(phase)], NOW, metadata={})["rows"]
    found = [(one["type"], one["status"], one["reason"]) for one in row.get("conditions", ())]
    assert found == ([("Completed", "True", reason)] if reason else [])


# ---- other kinds ----------------------------------------------------------------------------------

SELECTOR = {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "c", "operator": "Exists"}]}
TEMPLATE = {"spec": {"containers": [{"name": "x", "image": "i:1"}, {"name": "y", "image": "j"}]}}


def test_a_node() -> None:
    node = named(labels={"node-role.kubernetes.io/gpu": "", "kubernetes.io/role": "trainer"}) | {
        "spec": {"unschedulable": True},
        "status": {
            "conditions": [{"type": "Ready", "status": "True"}],
            "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}],
            "nodeInfo": {"kubeletVersion": "v1.37.2", "kernelVersion": "6.1", "architecture": "amd64"},
        },
    }
    assert cells(NODES, node) == {
        "Name": "x",
        "Status": "Ready,SchedulingDisabled",
        "Roles": "gpu,trainer",
        "Age": "60m",
        "Version": "v1.37.2",
        "Internal-IP": "10.0.0.1",
        "External-IP": "<none>",
        "OS-Image": "<unknown>",
        "Kernel-Version": "6.1 (amd64)",
        "Container-Runtime": "<unknown>",
    }


@pytest.mark.parametrize(
    ("state", "word"), [("True", "Ready"), ("False", "NotReady"), ("Unknown", "NotReady")]
)
def test_a_node_is_ready_when_its_condition_is_true(state: str, word: str) -> None:
    node = named() | {"status": {"conditions": [{"type": "Ready", "status": state}]}}
    assert cells(NODES, node)["Status"] == word
    assert cells(NODES, named())["Status"] == "Unknown"


EVENT = {"type": "Normal", "reason": "Scheduled", "reportingInstance": "lst-0"}
OLD_EVENT = (
    named()
    | EVENT
    | {
        "involvedObject": {"kind": "Pod", "name": "p", "fieldPath": "spec"},
        "message": " bound\n",
        "source": {"component": "lst"},
        "firstTimestamp": "2026-01-05T09:00:00Z",
        "lastTimestamp": "2026-01-05T09:59:00Z",
        "count": 4,
    }
)
NEW_EVENT = (
    named()
    | EVENT
    | {
        "regarding": {"kind": "Pod", "name": "p", "fieldPath": "spec"},
        "note": " bound\n",
        "reportingController": "lst",
        "eventTime": "2026-01-05T09:00:00.000000Z",
        "series": {"count": 4, "lastObservedTime": "2026-01-05T09:59:00.000000Z"},
    }
)


@pytest.mark.parametrize(("resource", "event"), [(CORE_EVENTS, OLD_EVENT), (EVENTS, NEW_EVENT)])
def test_events_of_both_views_are_shown_alike(resource: Resource, event: Object) -> None:
    assert cells(resource, event) == {
        "Last Seen": "60s",
        "Type": "Normal",
        "Reason": "Scheduled",
        "Object": "pod/p",
        "Subobject": "spec",
        "Source": "lst, lst-0",
        "Message": "bound",
        "First Seen": "60m",
        "Count": 4,
        "Name": "x",
    }


def test_an_event_that_happened_once_was_last_seen_when_it_was_first_seen() -> None:
    single = cells(EVENTS, named() | {"eventTime": "2026-01-05T09:59:00Z", "regarding": {"kind": "Node"}})
    assert (single["Last Seen"], single["First Seen"], single["Count"]) == ("60s", "60s", 1)
    assert (single["Object"], single["Source"]) == ("node", "")


def job(spec: Object, *conditions: str, deleted: bool = False, **status: Any) -> Object:
    found = [{"type": one, "status": "True"} for one in conditions]
    metadata = {"deletionTimestamp": BORN} if deleted else {}
    return named(**metadata) | {
        "spec": {"template": TEMPLATE, **spec},
        "status": {"conditions": found, **status},
    }


@pytest.mark.parametrize(
    ("obj", "status", "completions", "duration"),
    [
        (job({"completions": 3}), "Running", "0/3", ""),
        (job({"completions": 3}, startTime=BORN, succeeded=1), "Running", "1/3", "60m"),
        (job({"parallelism": 2}, succeeded=1), "Running", "1/1 of 2", ""),
        (job({}, succeeded=1), "Running", "1/1", ""),
        (
            job(
                {"completions": 1},
                "SuccessCriteriaMet",
                "Complete",
                startTime=BORN,
                completionTime="2026-01-05T09:00:30Z",
                succeeded=1,
            ),
            "Complete",
            "1/1",
            "30s",
        ),
        (job({"completions": 1}, "FailureTarget", "Failed"), "Failed", "0/1", ""),
        (job({"completions": 1}, "FailureTarget"), "FailureTarget", "0/1", ""),
        (job({"completions": 1}, "SuccessCriteriaMet"), "SuccessCriteriaMet", "0/1", ""),
        (job({"completions": 1}, "Suspended"), "Suspended", "0/1", ""),
        (job({"completions": 1}, "Suspended", deleted=True), "Terminating", "0/1", ""),
    ],
)
def test_a_job(obj: Object, status: str, completions: str, duration: str) -> None:
    found = cells(builtin("jobs", "batch"), obj)
    assert (found["Status"], found["Completions"], found["Duration"]) == (status, completions, duration)
    assert (found["Containers"], found["Images"], found["Selector"]) == ("x,y", "i:1,j", "<none>")


@pytest.mark.parametrize(
    ("spec", "status", "shown"),
    [
        (
            {"type": "ClusterIP", "clusterIPs": ["10.0.0.1"], "ports": [{"port": 80, "protocol": "TCP"}]},
            {},
            ("10.0.0.1", "<none>", "80/TCP"),
        ),
        (
            {"type": "NodePort", "externalIPs": ["9.9.9.9"], "ports": [{"port": 80, "nodePort": 30001}]},
            {},
            ("<none>", "9.9.9.9", "80:30001/TCP"),
        ),
        ({"type": "LoadBalancer", "clusterIP": "10.0.0.2"}, {}, ("10.0.0.2", "<pending>", "<none>")),
        (
            {"type": "LoadBalancer", "externalIPs": ["9.9.9.9"]},
            {"loadBalancer": {"ingress": [{"ip": "8.8.8.8"}, {"hostname": "b.example"}]}},
            ("<none>", "8.8.8.8,b.example,9.9.9.9", "<none>"),
        ),
        ({"type": "ExternalName", "externalName": "x.example"}, {}, ("<none>", "x.example", "<none>")),
        ({}, {}, ("<none>", "<unknown>", "<none>")),
    ],
)
def test_a_service(spec: Object, status: Object, shown: tuple[str, str, str]) -> None:
    found = cells(builtin("services"), named() | {"spec": spec, "status": status})
    assert (found["Cluster-IP"], found["External-IP"], found["Port(s)"]) == shown


@pytest.mark.parametrize(
    ("resource", "obj", "expected"),
    [
        (
            builtin("deployments", "apps"),
            {
                "spec": {"replicas": 3, "selector": SELECTOR, "template": TEMPLATE},
                "status": {"readyReplicas": 1, "updatedReplicas": 2},
            },
            {"Ready": "1/3", "Up-to-date": 2, "Available": 0, "Images": "i:1,j", "Selector": "a=b,c"},
        ),
        (builtin("deployments", "apps"), {"spec": {"selector": {}}}, {"Ready": "0/0", "Selector": ""}),
        (
            builtin("replicasets", "apps"),
            {
                "spec": {"replicas": 3, "selector": SELECTOR, "template": TEMPLATE},
                "status": {"replicas": 2, "readyReplicas": 1},
            },
            {"Desired": 3, "Current": 2, "Ready": 1, "Containers": "x,y", "Selector": "a=b,c"},
        ),
        (
            builtin("replicasets", "apps"),
            {"spec": {"selector": {"matchExpressions": [{"key": "a", "operator": "Near"}]}}},
            {"Selector": "<error>"},
        ),
        (
            builtin("statefulsets", "apps"),
            {"spec": {"replicas": 2, "template": TEMPLATE}, "status": {"readyReplicas": 2}},
            {"Ready": "2/2", "Containers": "x,y"},
        ),
        (
            builtin("daemonsets", "apps"),
            {
                "spec": {"template": {"spec": {"nodeSelector": {"z": "1", "a": "2"}}}},
                "status": {"desiredNumberScheduled": 5, "numberReady": 4},
            },
            {"Desired": 5, "Current": 0, "Ready": 4, "Node Selector": "a=2,z=1", "Selector": "<none>"},
        ),
        (
            builtin("poddisruptionbudgets", "policy"),
            {"spec": {"minAvailable": "50%"}, "status": {"disruptionsAllowed": 2}},
            {"Min Available": "50%", "Max Unavailable": "N/A", "Allowed Disruptions": 2},
        ),
        (
            builtin("poddisruptionbudgets", "policy"),
            {"spec": {"maxUnavailable": 0}},
            {"Min Available": "N/A", "Max Unavailable": "0", "Allowed Disruptions": 0},
        ),
        (
            builtin("priorityclasses", "scheduling.k8s.io"),
            {"value": 1000, "globalDefault": True, "preemptionPolicy": "Never"},
            {"Value": 1000, "Global-Default": True, "PreemptionPolicy": "Never"},
        ),
        (
            builtin("leases", "coordination.k8s.io"),
            {"spec": {"holderIdentity": "me"}},
            {"Holder": "me", "Age": "60m"},
        ),
        (
            builtin("configmaps"),
            {"data": {"a": "1", "b": "2"}, "binaryData": {"c": ""}},
            {"Data": 3},
        ),
        (builtin("secrets"), {"type": "Opaque", "data": {"a": ""}}, {"Type": "Opaque", "Data": 1}),
        (
            builtin("podgroups", "scheduling.x-k8s.io", "v1alpha1"),
            {"spec": {"minMember": 4}, "status": {"phase": "Running", "running": 4}},
            {
                "Phase": "Running",
                "MinMember": 4,
                "Running": 4,
                "Succeeded": None,
                "Failed": None,
                "Age": "60m",
            },
        ),
        (
            Resource("scheduling.k8s.io", "v1beta1", "podgroups", "PodGroup", True),
            {
                "spec": {"schedulingPolicy": {"gang": {}}, "workloadRef": {"workloadName": "w"}},
                "status": {"conditions": [{"type": "PodGroupInitiallyScheduled", "status": "True"}]},
            },
            {"Policy": "Gang", "Workload": "w", "Status": "Scheduled"},
        ),
        (
            Resource("scheduling.k8s.io", "v1beta1", "podgroups", "PodGroup", True),
            {"status": {"conditions": [{"type": "DisruptionTarget", "reason": "Preempted"}]}},
            {"Policy": "Basic", "Workload": "<none>", "Status": "Preempted"},
        ),
        (
            builtin("cronjobs", "batch"),
            {
                "spec": {"schedule": "0 * * * *", "jobTemplate": {"spec": {"template": TEMPLATE}}},
                "status": {"active": [{}], "lastScheduleTime": BORN},
            },
            {
                "Timezone": "<none>",
                "Suspend": "<unset>",
                "Active": 1,
                "Last Schedule": "60m",
                "Images": "i:1,j",
            },
        ),
        (
            builtin("persistentvolumeclaims"),
            {
                "spec": {"volumeName": "v"},
                "status": {
                    "phase": "Bound",
                    "capacity": {"storage": "2Gi"},
                    "accessModes": ["ReadWriteMany", "ReadWriteOnce"],
                },
            },
            {"Status": "Bound", "Volume": "v", "Capacity": "2Gi", "Access Modes": "RWO,RWX"},
        ),
        (
            builtin("persistentvolumeclaims"),
            {"status": {"phase": "Pending", "capacity": {"storage": "2Gi"}}},
            {"Status": "Pending", "Volume": "", "Capacity": "", "Access Modes": ""},
        ),
        (
            builtin("resourceclaims", "resource.k8s.io"),
            {"status": {"allocation": {"devices": {}}, "reservedFor": [{}]}},
            {"State": "allocated,reserved"},
        ),
    ],
)
def test_cells_of_other_kinds(resource: Resource, obj: Object, expected: Object) -> None:
    found = cells(resource, named() | obj)
    assert {name: found[name] for name in expected} == expected
