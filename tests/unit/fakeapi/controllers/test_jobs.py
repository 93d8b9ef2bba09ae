"""Jobs: the pods that they make, and what becomes of both."""

from itertools import pairwise

from fakeapi.cluster.annotations import PREFIX
from fakeapi.kernel.time import HOUR, MINUTE, SECOND
from fakeapi.machinery.resources import PODS
from tests.unit.fakeapi.controllers.conftest import JOBS, Cluster

INDEX = "batch.kubernetes.io/job-completion-index"
TRACKING = "batch.kubernetes.io/job-tracking"


def indexes(cluster: Cluster, phase: str = "") -> list[int]:
    return sorted(int(pod["metadata"]["annotations"][INDEX]) for pod in cluster.pods(phase))


def test_a_pod_is_made_after_the_template_in_the_same_instant(cluster: Cluster) -> None:
    job = cluster.job()
    cluster.run()
    (pod,) = cluster.pods()
    metadata = pod["metadata"]
    assert metadata["name"].startswith("train-")
    assert len(metadata["name"]) == len("train-") + 5
    assert metadata["ownerReferences"] == [
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "name": "train",
            "uid": job["metadata"]["uid"],
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]
    assert metadata["finalizers"] == [TRACKING]
    assert metadata["labels"]["batch.kubernetes.io/job-name"] == "train"
    assert cluster.status()["startTime"]
    assert cluster.counts() == {"active": 1}


def test_a_job_completes_a_second_after_its_pod(cluster: Cluster) -> None:
    cluster.job(run="10m")
    cluster.run(10 * MINUTE)
    (pod,) = cluster.pods("Succeeded")
    assert cluster.counts() == {"active": 1, "ready": 1}
    cluster.run(SECOND)
    assert cluster.counts() == {"succeeded": 1}
    assert cluster.conditions() == {
        "SuccessCriteriaMet": "CompletionsReached",
        "Complete": "CompletionsReached",
    }
    status = cluster.status()
    assert status["completionTime"] == status["conditions"][-1]["lastTransitionTime"]
    assert status["uncountedTerminatedPods"] == {}
    (pod,) = cluster.pods()
    assert "finalizers" not in pod["metadata"], "it has been counted"


def test_parallelism_and_completions(cluster: Cluster) -> None:
    cluster.job(run="1h", parallelism=2, completions=5)
    cluster.run(MINUTE)
    assert cluster.counts() == {"active": 2, "ready": 2}
    cluster.run(HOUR)
    assert cluster.counts() == {"active": 2, "ready": 2, "succeeded": 2}
    cluster.run(HOUR + 10 * SECOND)
    assert cluster.counts() == {"active": 1, "ready": 1, "succeeded": 4}
    cluster.run(HOUR)
    assert cluster.counts() == {"succeeded": 5}
    assert "Complete" in cluster.conditions()


def test_a_job_without_completions_is_complete_with_its_first_success(cluster: Cluster) -> None:
    cluster.job(run="1h", parallelism=3)
    cluster.run(HOUR + SECOND)
    assert cluster.counts() == {"succeeded": 3}
    assert "Complete" in cluster.conditions()


def test_an_indexed_job_gives_each_pod_its_index(cluster: Cluster) -> None:
    cluster.job(run="1h", completionMode="Indexed", parallelism=3, completions=4)
    cluster.run(MINUTE)
    assert indexes(cluster) == [0, 1, 2]
    first = cluster.pods()[0]
    assert first["metadata"]["name"].startswith("train-0-")
    assert first["metadata"]["labels"][INDEX] == "0"
    assert first["spec"]["hostname"] == "train-0"
    (variable,) = first["spec"]["containers"][0]["env"]
    assert variable["name"] == "JOB_COMPLETION_INDEX"
    cluster.run(HOUR)
    assert cluster.status()["completedIndexes"] == "0-2"
    assert indexes(cluster, "Running") == [3]
    cluster.run(HOUR + SECOND)
    assert cluster.status()["completedIndexes"] == "0-3"
    assert "Complete" in cluster.conditions()


def test_failed_pods_are_replaced_with_a_pause_that_doubles(cluster: Cluster) -> None:
    cluster.job(run="1m", exit_code=1, backoffLimit=3)
    cluster.run()
    starts = [cluster.clock.now()]
    for _ in range(200):
        cluster.run(SECOND)
        starts += [cluster.clock.now()] * (len(cluster.pods()) - len(starts))
    gaps = [(later - earlier) // SECOND for earlier, later in pairwise(starts)]
    assert gaps == [70, 80], "a minute of work and then 10 s, 20 s"
    cluster.run(10 * MINUTE)
    assert cluster.counts() == {"failed": 4}
    assert cluster.conditions() == {"FailureTarget": "BackoffLimitExceeded", "Failed": "BackoffLimitExceeded"}


def test_a_pod_that_is_deleted_counts_as_failed_and_is_replaced(cluster: Cluster) -> None:
    cluster.job(backoffLimit=6)
    cluster.run(MINUTE)
    cluster.delete(PODS, cluster.pods()[0]["metadata"]["name"])
    cluster.run(SECOND)
    assert cluster.counts() == {"failed": 1}
    cluster.run(10 * SECOND)
    assert cluster.counts() == {"active": 1, "failed": 1}
    assert len(cluster.pods()) == 1, "the other is gone, since it has been counted"


def test_with_the_policy_failed_it_is_replaced_once_it_has_ended(cluster: Cluster) -> None:
    cluster.job(podReplacementPolicy="Failed", backoffLimit=6)
    cluster.run(MINUTE)
    (pod,) = cluster.pods()
    cluster.delete(PODS, pod["metadata"]["name"])
    cluster.run()
    assert cluster.counts() == {"active": 1, "ready": 1}
    cluster.run(2 * SECOND)
    assert cluster.counts() == {"failed": 1}


def test_containers_that_are_restarted_too_often_fail_the_job(cluster: Cluster) -> None:
    cluster.job(run="10s", exit_code=1, restart="OnFailure", backoffLimit=2)
    cluster.run(10 * MINUTE)
    assert cluster.conditions()["Failed"] == "BackoffLimitExceeded"
    assert cluster.pods("Running") == []


def test_a_job_that_takes_too_long_fails(cluster: Cluster) -> None:
    cluster.job(run="1h", activeDeadlineSeconds=600)
    cluster.run(600 * SECOND)
    assert cluster.conditions() == {"FailureTarget": "DeadlineExceeded"}
    cluster.run(5 * SECOND)
    assert cluster.conditions()["Failed"] == "DeadlineExceeded"
    assert cluster.counts() == {"failed": 1}
    assert cluster.pods() == []


def test_a_suspended_job_has_no_pods_and_starts_when_it_is_resumed(cluster: Cluster) -> None:
    cluster.job(suspend=True)
    cluster.run(MINUTE)
    assert cluster.pods() == []
    assert cluster.conditions() == {"Suspended": "JobSuspended"}
    assert "startTime" not in cluster.status()
    cluster.change(JOBS, "train", suspend=False)
    cluster.run(SECOND)
    assert cluster.counts()["active"] == 1
    assert cluster.conditions() == {}
    cluster.change(JOBS, "train", suspend=True)
    cluster.run(10 * SECOND)
    assert cluster.pods() == []
    assert cluster.counts() == {}, "its pods do not count as failed"


def test_fewer_pods_when_parallelism_shrinks(cluster: Cluster) -> None:
    cluster.job(parallelism=4, completions=8)
    cluster.run(MINUTE)
    kept = [pod["metadata"]["name"] for pod in cluster.pods()[:2]]
    cluster.change(JOBS, "train", parallelism=2)
    cluster.run(10 * SECOND)
    assert [pod["metadata"]["name"] for pod in cluster.pods()] == kept, "the youngest go"
    assert cluster.counts() == {"active": 2, "ready": 2}


def test_each_index_may_fail_so_often(cluster: Cluster) -> None:
    cluster.job(
        run="1m", exit_code=1, completionMode="Indexed", completions=2, parallelism=2, backoffLimitPerIndex=1
    )
    cluster.run(90 * SECOND)
    counts = [
        pod["metadata"]["annotations"]["batch.kubernetes.io/job-index-failure-count"]
        for pod in cluster.pods()
    ]
    assert counts == ["0", "0", "1", "1"]
    cluster.run(2 * MINUTE)
    assert cluster.conditions()["Failed"] == "FailedIndexes"
    assert cluster.status()["failedIndexes"] == "0,1"
    assert cluster.counts() == {"failed": 4}


def test_a_failure_policy_ignores_disruptions_and_fails_on_exit_codes(cluster: Cluster) -> None:
    ignore = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
    fail = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}
    cluster.job(run="1m", exit_code=42, podFailurePolicy={"rules": [ignore, fail]})
    cluster.run(MINUTE + SECOND)
    assert cluster.conditions()["Failed"] == "PodFailurePolicy"
    message = cluster.status()["conditions"][0]["message"]
    assert message.endswith("failed with exit code 42 matching FailJob rule at index 1")


def test_a_success_policy_ends_the_others(cluster: Cluster) -> None:
    policy = {"rules": [{"succeededIndexes": "0"}]}
    job = cluster.job(completionMode="Indexed", completions=3, parallelism=3, successPolicy=policy)
    cluster.run(MINUTE)
    leader = cluster.pods()[0]["metadata"]["name"]

    def shorten(obj: dict[str, object]) -> dict[str, object]:
        metadata = obj["metadata"]
        assert isinstance(metadata, dict)
        annotations = {**metadata["annotations"], f"{PREFIX}run-time": "5m"}
        return {**obj, "metadata": {**metadata, "annotations": annotations}}

    cluster.registry.modify(PODS, "default", leader, shorten)
    cluster.run(10 * MINUTE)
    assert job["metadata"]["uid"]
    assert cluster.conditions() == {"SuccessCriteriaMet": "SuccessPolicy", "Complete": "SuccessPolicy"}
    assert cluster.counts() == {"succeeded": 1}


def test_a_finished_job_goes_when_its_time_is_over(cluster: Cluster) -> None:
    cluster.job(run="1m", ttlSecondsAfterFinished=60)
    cluster.run(2 * MINUTE)
    assert cluster.find(JOBS, "train") is not None
    cluster.run(2 * SECOND)
    assert cluster.find(JOBS, "train") is None
    assert cluster.pods() == []


def test_a_deleted_job_takes_its_pods_along(cluster: Cluster) -> None:
    cluster.job()
    cluster.run(MINUTE)
    cluster.delete(JOBS, "train", propagation="Background")
    cluster.run(5 * SECOND)
    assert cluster.pods() == []


def test_a_job_that_is_deleted_without_a_word_leaves_its_pods(cluster: Cluster) -> None:
    cluster.job()
    cluster.run(MINUTE)
    cluster.delete(JOBS, "train")
    cluster.run(5 * SECOND)
    assert cluster.find(JOBS, "train") is None
    (pod,) = cluster.pods("Running")
    assert "ownerReferences" not in pod["metadata"]
    assert "finalizers" not in pod["metadata"]


def test_a_job_of_another_controller_is_left_alone(cluster: Cluster) -> None:
    cluster.job(managedBy="example.com/mine")
    cluster.run(MINUTE)
    assert cluster.pods() == []
    assert cluster.status() == {}


def test_a_refused_pod_is_tried_again_and_keeps_nobody_waiting(cluster: Cluster) -> None:
    job = cluster.job()
    template = job["spec"]["template"]
    spec = {**template["spec"], "priorityClassName": "missing"}
    cluster.delete(JOBS, "train")
    cluster.create(
        JOBS,
        {"metadata": {"name": "other"}, "spec": {"template": {**template, "metadata": {}, "spec": spec}}},
    )
    cluster.run(MINUTE)
    assert cluster.pods() == []
    assert cluster.world.queue.peek() is None, "nothing will happen but another try"
    classes = next(row for row in cluster.registry.table if row.plural == "priorityclasses")
    cluster.create(classes, {"metadata": {"name": "missing"}, "value": 5})
    cluster.run(MINUTE)
    assert len(cluster.pods()) == 1


def test_the_same_world_makes_the_same_pods() -> None:
    def names() -> list[str]:
        cluster = Cluster()
        cluster.job(parallelism=5, completions=9, run="1h")
        cluster.run(2 * HOUR)
        return [pod["metadata"]["name"] for pod in cluster.pods()]

    assert names() == names()
