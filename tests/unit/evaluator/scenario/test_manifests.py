"""Items as Kubernetes objects, and the way back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.scenario import Job, Node, Pod, PriorityClass, Taint, Toleration
from evaluator.scenario.facts import Amounts, amounts_of, pod_facts
from evaluator.scenario.manifests import job_manifest, node_manifest, pod_manifest, priority_class_manifest
from evaluator.scenario.units import Bytes, CpuMilli, Duration, Instant, parse_rfc3339
from fakeapi.cluster.annotations import check, life_of
from fakeapi.kernel.time import HOUR, MINUTE

START = parse_rfc3339("2026-01-05T00:00:00Z")


def manifest(pod: Pod, at_ns: int = 0) -> dict[str, object]:
    return pod_manifest(pod, at_ns=at_ns, start_ns=START, scheduler_name="lst")


def test_a_pod_says_to_the_scheduler_and_to_the_world_what_each_may_know() -> None:
    pod = Pod(
        name="train",
        chips=4,
        cpu="1500m",
        memory="64Gi",
        run_time="90m",
        expected="2h",
        deadline="4h",
        start_delay="30s",
        stop_time="5s",
        exit_code=1,
        user="ann",
        queue="research",
        labels={"app": "x"},
        annotations={"note": "y"},
    )
    assert manifest(pod, at_ns=HOUR) == {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "train",
            "namespace": "default",
            "labels": {"lst.scheduler/user": "ann", "lst.scheduler/queue": "research", "app": "x"},
            "annotations": {
                "lst.scheduler/deadline": "2026-01-05T05:00:00Z",
                "lst.scheduler/expected-duration": "2h",
                "fakeapi.world/run-time": "1h30m",
                "fakeapi.world/start-delay": "30s",
                "fakeapi.world/stop-time": "5s",
                "fakeapi.world/exit-code": "1",
                "note": "y",
            },
        },
        "spec": {
            "schedulerName": "lst",
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": 30,
            "containers": [
                {
                    "name": "main",
                    "image": "registry.example/workload:1",
                    "resources": {
                        "requests": {"cpu": "1500m", "memory": "64Gi", "nvidia.com/gpu": "4"},
                        "limits": {"cpu": "1500m", "memory": "64Gi", "nvidia.com/gpu": "4"},
                    },
                }
            ],
        },
    }


def test_a_pod_without_times_says_nothing_about_them() -> None:
    assert manifest(Pod(name="service"))["metadata"] == {
        "name": "service",
        "namespace": "default",
        "labels": {},
        "annotations": {},
    }


def test_where_a_pod_may_go_is_in_its_spec() -> None:
    pod = Pod(
        name="a",
        scheduler_name="other",
        priority=7,
        node_selector={"zone": "b"},
        tolerations=(Toleration(key="k", effect="NoExecute", seconds=0), Toleration()),
    )
    spec = manifest(pod)["spec"]
    assert isinstance(spec, dict)
    assert spec["schedulerName"] == "other"
    assert spec["priorityClassName"] == "scenario-priority-7"
    assert spec["nodeSelector"] == {"zone": "b"}
    assert spec["tolerations"] == [
        {"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 0},
        {"operator": "Exists"},
    ]


def test_a_node_looks_as_its_kubelet_would_show_it() -> None:
    node = node_manifest(
        Node(
            name="gpu-0",
            chips=8,
            chip_type="H100",
            cpu=96,
            memory="1Ti",
            zone="a",
            region="r",
            labels={"rack": "7"},
            taints=(Taint(key="gpu"),),
        ),
        at_ns=0,
        start_ns=START,
        number=2,
    )
    amounts = {
        "cpu": "96",
        "ephemeral-storage": "1Ti",
        "memory": "1Ti",
        "pods": "256",
        "nvidia.com/gpu": "8",
    }
    assert node["status"]["capacity"] == node["status"]["allocatable"] == amounts
    assert node["metadata"]["labels"] == {
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": "gpu-0",
        "nvidia.com/gpu.product": "H100",
        "topology.kubernetes.io/zone": "a",
        "topology.kubernetes.io/region": "r",
        "rack": "7",
    }
    assert node["spec"] == {"taints": [{"key": "gpu", "effect": "NoSchedule"}]}
    assert node["status"]["addresses"] == [
        {"type": "InternalIP", "address": "172.16.0.3"},
        {"type": "Hostname", "address": "gpu-0"},
    ]
    ready = next(each for each in node["status"]["conditions"] if each["type"] == "Ready")
    assert (ready["status"], ready["lastTransitionTime"]) == ("True", "2026-01-05T00:00:00Z")


def test_nodes_differ_in_what_identifies_them() -> None:
    infos = [
        node_manifest(Node(name=name), at_ns=0, start_ns=START)["status"]["nodeInfo"] for name in ("a", "b")
    ]
    assert infos[0]["machineID"] != infos[1]["machineID"]


def test_a_node_without_chips_offers_no_such_resource() -> None:
    capacity = node_manifest(Node(name="a"), at_ns=0, start_ns=START)["status"]["capacity"]
    assert "nvidia.com/gpu" not in capacity


def test_chips_can_have_another_name() -> None:
    node = node_manifest(Node(name="a", chips=4), at_ns=0, start_ns=START, chip_resource="tpu.example/chip")
    assert node["status"]["capacity"]["tpu.example/chip"] == "4"


def test_a_priority_class_that_does_not_preempt() -> None:
    made = priority_class_manifest(PriorityClass(name="low", value=-1, preempts=False))
    assert (made["metadata"]["name"], made["value"], made["preemptionPolicy"], made["globalDefault"]) == (
        "low",
        -1,
        "Never",
        False,
    )


nanoseconds = st.integers(1, 10**18)


@given(
    chips=st.integers(0, 64),
    cpu=st.integers(0, 10**6),
    memory=st.integers(0, 2**45),
    run=st.none() | nanoseconds,
    expected=st.none() | nanoseconds,
    deadline=st.none() | st.integers(0, 10**18),
    at=st.integers(0, 10**18),
)
def test_facts_survive_the_way_through_the_object(
    chips: int,
    cpu: int,
    memory: int,
    run: int | None,
    expected: int | None,
    deadline: int | None,
    at: int,
) -> None:
    pod = Pod(
        name="a",
        chips=chips,
        cpu=CpuMilli(cpu),
        memory=Bytes(memory),
        run_time=None if run is None else Duration(run),
        expected=None if expected is None else Duration(expected),
        deadline=None if deadline is None else Instant(deadline),
        user="ann",
    )
    written = pod_manifest(pod, at_ns=at, start_ns=START, scheduler_name="lst")
    facts = pod_facts(written, at_ns=at, start_ns=START)
    assert facts.requests == Amounts(chips, cpu, memory)
    assert (facts.run_ns, facts.expected_ns) == (run, run if expected is None else expected)
    assert facts.deadline_ns == (None if deadline is None else at + deadline)
    assert (facts.user, facts.queue, facts.scheduler, facts.priority) == ("ann", None, "lst", 0)
    assert check(written) == []
    assert life_of(written["metadata"]["annotations"]).run_time == run


def test_a_deadline_of_another_author_may_count_from_creation() -> None:
    pod = {"metadata": {"annotations": {"lst.scheduler/deadline": "90m"}}, "spec": {}}
    facts = pod_facts(pod, at_ns=HOUR, start_ns=START)
    assert facts.deadline_ns == HOUR + 90 * MINUTE
    assert facts.scheduler == "default-scheduler"


def test_an_annotation_that_cannot_be_read_is_no_fact() -> None:
    pod = {"metadata": {"annotations": {"lst.scheduler/deadline": "soon"}}, "spec": {}}
    with pytest.raises(ValueError, match="not a duration"):
        pod_facts(pod, at_ns=0, start_ns=START)


def test_init_containers_sidecars_and_overhead_count_as_the_scheduler_counts_them() -> None:
    def needs(cpu: str, **more: str) -> dict[str, object]:
        return {"resources": {"requests": {"cpu": cpu}}, **more}

    spec = {
        "initContainers": [needs("1", restartPolicy="Always"), needs("5")],
        "containers": [needs("2"), {"resources": {"limits": {"cpu": "1"}}}],
        "overhead": {"cpu": "250m"},
    }
    # Starting: sidecar 1 + init 5; running: sidecar 1 + 2 + 1.
    facts = pod_facts({"metadata": {}, "spec": spec}, at_ns=0, start_ns=START)
    assert facts.requests.cpu_milli == 6250


def test_amounts_of_a_node_are_rounded_up() -> None:
    assert amounts_of({"cpu": "1500m", "memory": "1.5Ki", "nvidia.com/gpu": "8", "pods": "110"}) == Amounts(
        8, 1500, 1536
    )


# Jobs ---------------------------------------------------------------------------------------------


def test_a_gang_is_a_job_whose_pods_say_that_they_belong_together() -> None:
    job = Job(
        name="train",
        pods=4,
        gang=True,
        topology="rack",
        chips=8,
        run_time="6h",
        checkpoint="30m",
        restart_cost="5m",
        deadline="12h",
        user="ann",
    )
    made = job_manifest(job, at_ns=HOUR, start_ns=START, scheduler_name="lst")
    spec = made["spec"]
    template = spec["template"]
    assert (made["apiVersion"], made["kind"]) == ("batch/v1", "Job")
    assert made["metadata"]["labels"] == {"lst.scheduler/user": "ann"}
    assert (spec["parallelism"], spec["completions"], spec["completionMode"]) == (4, 4, "Indexed")
    assert spec["backoffLimit"] == 200, "fifty failures of the whole"
    assert template["metadata"]["annotations"] == {
        "lst.scheduler/gang": "4",
        "lst.scheduler/gang-topology": "rack",
        "lst.scheduler/deadline": "2026-01-05T13:00:00Z",
        "lst.scheduler/expected-duration": "6h",
        "lst.scheduler/checkpoint-interval": "30m",
        "lst.scheduler/restart-cost": "5m",
        "fakeapi.world/gang": "train",
        "fakeapi.world/gang-size": "4",
        "fakeapi.world/run-time": "6h",
        "fakeapi.world/checkpoint-interval": "30m",
        "fakeapi.world/restart-cost": "5m",
        "fakeapi.world/report-progress": "lst.scheduler/progress",
    }
    assert template["spec"]["schedulerName"] == "lst"
    assert template["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == "8"
    assert check({"metadata": template["metadata"]}) == []


def test_a_plain_job_says_no_more_than_it_has_to() -> None:
    job = Job(name="j", completions=5, pods=2, retries=0, suspend=True, active_deadline="1h", keep_for="1m")
    spec = job_manifest(job, at_ns=0, start_ns=START, scheduler_name="lst")["spec"]
    assert (spec["parallelism"], spec["completions"], spec["backoffLimit"]) == (2, 5, 0)
    assert spec["suspend"] is True
    assert (spec["activeDeadlineSeconds"], spec["ttlSecondsAfterFinished"]) == (3600, 60)
    assert spec["template"]["metadata"]["annotations"] == {}
