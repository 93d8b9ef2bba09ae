"""The documents that a kubelet writes, field by field."""

from typing import Any

from fakeapi.cluster import podstatus
from fakeapi.cluster.podstatus import Addresses, Runs
from fakeapi.kernel.clock import DEFAULT_START
from fakeapi.kernel.time import HOUR, MINUTE, SECOND

T0, T1, T2 = DEFAULT_START, DEFAULT_START + MINUTE, DEFAULT_START + HOUR
AT0, AT1, AT2 = "2026-01-05T00:00:00Z", "2026-01-05T00:01:00Z", "2026-01-05T01:00:00Z"
UID = "0a1b2c3d-0000-4000-8000-000000000007"
HERE = Addresses("172.16.0.1", "10.0.0.9")
SCHEDULED = {"type": "PodScheduled", "status": "True", "lastProbeTime": None, "lastTransitionTime": AT0}


def pod(status: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    spec.setdefault("containers", [{"name": "main", "image": "registry.example:5000/a/train:1.0"}])
    return {
        "metadata": {"name": "job", "namespace": "ml", "uid": UID, "generation": 2},
        "spec": spec,
        "status": {"phase": "Pending", "qosClass": "Guaranteed", **(status or {})},
    }


def conditions(status: dict[str, Any]) -> dict[str, tuple[str, str, str]]:
    return {
        found["type"]: (found["status"], found.get("reason", ""), found["lastTransitionTime"])
        for found in status["conditions"]
    }


def test_a_running_pod_in_full() -> None:
    status = podstatus.running(pod({"conditions": [SCHEDULED]}), T1, Runs.begin(T1), HERE)

    def true(name: str, since: str) -> dict[str, Any]:
        return {
            "type": name,
            "observedGeneration": 2,
            "status": "True",
            "lastProbeTime": None,
            "lastTransitionTime": since,
        }

    container = f"containerd://{UID.replace('-', '')}{0:032x}"
    assert status == {
        "phase": "Running",
        "qosClass": "Guaranteed",
        "observedGeneration": 2,
        "startTime": AT1,
        "hostIP": "172.16.0.1",
        "hostIPs": [{"ip": "172.16.0.1"}],
        "podIP": "10.0.0.9",
        "podIPs": [{"ip": "10.0.0.9"}],
        "conditions": [
            true("PodReadyToStartContainers", AT1),
            true("Initialized", AT1),
            true("Ready", AT1),
            true("ContainersReady", AT1),
            true("PodScheduled", AT0),
        ],
        "containerStatuses": [
            {
                "name": "main",
                "state": {"running": {"startedAt": AT1}},
                "lastState": {},
                "ready": True,
                "restartCount": 0,
                "image": "registry.example:5000/a/train:1.0",
                "imageID": status["containerStatuses"][0]["imageID"],
                "containerID": container,
                "started": True,
            }
        ],
    }
    assert status["containerStatuses"][0]["imageID"].startswith("registry.example:5000/a/train@sha256:")
    assert len(container) == len("containerd://") + 64


def test_a_succeeded_pod() -> None:
    runs = Runs.begin(T0)
    before = podstatus.running(pod({"conditions": [SCHEDULED]}), T0, runs, HERE)
    status = podstatus.ended(pod(before), T2, runs.end(T2, 0))
    assert status["phase"] == "Succeeded"
    assert conditions(status) == {
        "PodReadyToStartContainers": ("False", "PodSandboxNotReady", AT2),
        "Initialized": ("True", "PodCompleted", AT0),
        "Ready": ("False", "PodCompleted", AT2),
        "ContainersReady": ("False", "PodCompleted", AT2),
        "PodScheduled": ("True", "", AT0),
    }
    (container,) = status["containerStatuses"]
    assert (container["ready"], container["started"]) == (False, False)
    assert container["state"]["terminated"] == {
        "exitCode": 0,
        "reason": "Completed",
        "startedAt": AT0,
        "finishedAt": AT2,
        "containerID": container["containerID"],
    }
    assert (status["startTime"], status["podIP"]) == (AT0, "10.0.0.9")


def test_a_failed_pod() -> None:
    status = podstatus.ended(pod(), T1, Runs.begin(T0).end(T1, 143))
    assert status["phase"] == "Failed"
    assert conditions(status)["Ready"] == ("False", "PodFailed", AT1)
    assert conditions(status)["Initialized"] == ("True", "", AT1)
    assert status["containerStatuses"][0]["state"]["terminated"]["reason"] == "Error"


def test_conditions_of_others_stay_as_they_are() -> None:
    others = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
    status = podstatus.ended(pod({"conditions": [others, SCHEDULED]}), T1, Runs.begin(T0).end(T1, 143))
    assert status["conditions"][0] is others


def test_several_containers_are_told_by_name() -> None:
    containers = [{"name": "b", "image": "x"}, {"name": "a", "image": "y"}]
    status = podstatus.running(pod(containers=containers), T0, Runs.begin(T0), HERE)
    assert [found["name"] for found in status["containerStatuses"]] == ["a", "b"]
    assert len({found["containerID"] for found in status["containerStatuses"]}) == 2


def test_init_containers_have_done_their_work_and_sidecars_run_along() -> None:
    init = [{"name": "fetch", "image": "x"}, {"name": "proxy", "image": "y", "restartPolicy": "Always"}]
    runs = Runs.begin(T0)
    fetch, proxy = podstatus.running(pod(initContainers=init), T0, runs, HERE)["initContainerStatuses"]
    assert fetch["state"]["terminated"]["reason"] == "Completed"
    assert (fetch["ready"], fetch["started"]) == (True, False)
    assert proxy["state"] == {"running": {"startedAt": AT0}}
    ended = podstatus.ended(pod(initContainers=init), T2, runs.end(T2, 0))
    fetch, proxy = ended["initContainerStatuses"]
    assert fetch["state"]["terminated"]["finishedAt"] == AT0
    assert proxy["state"]["terminated"]["finishedAt"] == AT2
    assert not proxy["ready"]


def test_a_pod_whose_images_are_pulled() -> None:
    status = podstatus.creating(pod(), T0, "172.16.0.1")
    assert status["phase"] == "Pending"
    assert conditions(status) == {
        "PodReadyToStartContainers": ("False", "PodSandboxNotReady", AT0),
        "Initialized": ("True", "", AT0),
        "Ready": ("False", "ContainersNotReady", AT0),
        "ContainersReady": ("False", "ContainersNotReady", AT0),
        "PodScheduled": ("True", "", AT0),
    }
    assert status["hostIP"] == "172.16.0.1"
    assert "podIP" not in status
    assert status["conditions"][2]["message"] == "containers with unready status: [main]"


def test_one_with_init_containers_is_not_initialized_before_it_starts() -> None:
    status = podstatus.creating(pod(initContainers=[{"name": "fetch", "image": "x"}]), T0, None)
    assert conditions(status)["Initialized"] == ("False", "ContainersNotInitialized", AT0)
    assert status["containerStatuses"][0]["state"] == {"waiting": {"reason": "PodInitializing"}}


def test_a_restarted_container_tells_of_its_last_end() -> None:
    runs = Runs.begin(T0).end(T1, 9).again(T1 + 10 * SECOND)
    (container,) = podstatus.running(pod(), T1, runs, None)["containerStatuses"]
    assert container["restartCount"] == 1
    assert container["lastState"]["terminated"]["exitCode"] == 9
    assert container["lastState"]["terminated"]["containerID"] != container["containerID"]


def test_back_offs_read_as_go_prints_them() -> None:
    runs = Runs.begin(T0).end(T1, 9)
    for wait, text in ((10 * SECOND, "10s"), (160 * SECOND, "2m40s"), (5 * MINUTE, "5m0s")):
        status = podstatus.backing_off(pod(), T1, runs, wait)
        message = status["containerStatuses"][0]["state"]["waiting"]["message"]
        assert message == f"back-off {text} restarting failed container=main pod=job_ml({UID})"


def test_the_given_pod_is_left_as_it_was() -> None:
    given, same = pod({"conditions": [SCHEDULED]}), pod({"conditions": [SCHEDULED]})
    runs = Runs.begin(T0)
    podstatus.creating(given, T0, None)
    podstatus.running(given, T0, runs, HERE)
    podstatus.backing_off(given, T1, runs.end(T1, 1), SECOND)
    podstatus.ended(given, T1, runs.end(T1, 1))
    podstatus.never_started(given, T1)
    assert given == same
