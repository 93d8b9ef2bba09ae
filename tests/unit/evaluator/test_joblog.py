"""What somebody submitted as one thing is one job, whatever pods come and go for it."""

from typing import Any

import pytest

from evaluator.recorder import Recorder
from evaluator.timeline import JobEnded, JobSubmitted, PodSubmitted, Timeline
from fakeapi.kernel.clock import VirtualClock
from fakeapi.kernel.time import HOUR, MINUTE, SECOND
from fakeapi.machinery.resources import PODS, PRIORITY_CLASSES, builtin
from fakeapi.registry.conditions import with_condition
from fakeapi.registry.deletion import delete
from fakeapi.registry.options import DeleteOptions
from fakeapi.world import World

CHIPS = "nvidia.com/gpu"
JOBS = builtin("jobs", "batch")
DEPLOYMENTS = builtin("deployments", "apps")
REPLICA_SETS = builtin("replicasets", "apps")
GROUPS = builtin("podgroups", "scheduling.x-k8s.io", "v1alpha1")
GROUP_LABEL = "scheduling.x-k8s.io/pod-group"


class Scene:
    """A world with a recorder, and objects that make pods, whose part is played by hand."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.world = World(self.clock)
        self.timeline = Timeline()
        self.recorder = Recorder(self.timeline, self.clock, self.clock.start, CHIPS, "mine")
        self.recorder.attach(self.world)

    def template(self, policy: str, **metadata: Any) -> dict[str, Any]:
        limits = {CHIPS: "2"}
        container = {"name": "c", "image": "i", "resources": {"limits": limits}}
        return {"metadata": metadata, "spec": {"restartPolicy": policy, "containers": [container]}}

    def job(self, annotations: dict[str, str] | None = None, **spec: Any) -> str:
        said = {"fakeapi.world/run-time": "1h", "lst.scheduler/deadline": "4h", "lst.scheduler/gang": "true"}
        labels = {"lst.scheduler/user": "ada", "lst.scheduler/queue": "night"}
        obj = {
            "metadata": {"name": "train", "labels": labels, "annotations": annotations or {}},
            "spec": {"template": self.template("Never", annotations=said), **spec},
        }
        return str(self.world.registry.create(JOBS, "default", obj).object["metadata"]["uid"])

    def serving(self, resource: Any, name: str, owner: dict[str, Any] | None = None) -> dict[str, Any]:
        labels = {"app": "web"}
        metadata: dict[str, Any] = {"name": name, "ownerReferences": [owner] if owner else []}
        spec = {
            "replicas": 3,
            "selector": {"matchLabels": labels},
            "template": self.template("Always", labels=labels),
        }
        created = self.world.registry.create(resource, "default", {"metadata": metadata, "spec": spec})
        return {
            "apiVersion": resource.api_version,
            "kind": resource.kind,
            "name": name,
            "uid": created.object["metadata"]["uid"],
            "controller": True,
        }

    def pod(self, name: str, owner: dict[str, Any] | None = None, **metadata: Any) -> None:
        owners = [owner] if owner else []
        pod = {
            **self.template("Never"),
            "metadata": {"name": name, "ownerReferences": owners, **metadata},
        }
        self.world.registry.create(PODS, "default", pod)

    def remove(self, name: str) -> None:
        delete(self.world.registry, PODS, "default", name, DeleteOptions(grace_s=0))

    def finish(self, name: str, phase: str = "Succeeded") -> None:
        pod = self.world.store.get(PODS.storage_key, ("default", name))
        status = {**pod.object["status"], "phase": phase}
        self.world.store.update(PODS.storage_key, pod.key, {**pod.object, "status": status})

    def conclude(self, kind: str, reason: str) -> None:
        job = self.world.store.get(JOBS.storage_key, ("default", "train"))
        condition = {"type": kind, "status": "True", "reason": reason}
        self.world.store.update(
            JOBS.storage_key, job.key, with_condition(job.object, condition, "2026-01-05T00:00:00Z")
        )

    def submitted(self) -> list[JobSubmitted]:
        return [event for event in self.timeline if isinstance(event, JobSubmitted)]

    def ended(self) -> list[tuple[str, str, str]]:
        return [(e.job, e.outcome, e.reason) for e in self.timeline if isinstance(e, JobEnded)]

    def owners(self) -> dict[str, str | None]:
        return {e.pod: e.job for e in self.timeline if isinstance(e, PodSubmitted)}

    def counts(self) -> tuple[int, int, int]:
        counts = self.recorder.counts
        return counts.submitted, counts.finished, counts.failed


@pytest.fixture
def scene() -> Scene:
    return Scene()


def owner(uid: str, kind: str = "Job", name: str = "train") -> dict[str, Any]:
    return {"apiVersion": "batch/v1", "kind": kind, "name": name, "uid": uid, "controller": True}


def test_a_batch_job_is_one_job_with_the_facts_of_its_template(scene: Scene) -> None:
    classes = {"metadata": {"name": "urgent"}, "value": 7}
    scene.world.registry.create(PRIORITY_CLASSES, "", classes)
    said = {"fakeapi.world/run-time": "1h", "fakeapi.world/gang": "g", "fakeapi.world/gang-size": "4"}
    template = scene.template("Never", annotations=said)
    template["spec"]["priorityClassName"] = "urgent"
    scene.job({"lst.scheduler/expected-duration": "90m"}, parallelism=4, completions=10, template=template)
    (job,) = scene.submitted()
    assert (job.job, job.controller, job.pods, job.parallel) == ("default/train", "Job", 10, 4)
    assert (job.gang, job.chips, job.service, job.priority) == (True, 8, False, 7)
    assert (job.run_ns, job.expected_ns, job.deadline_ns) == (HOUR, 90 * MINUTE, None)
    assert (job.user, job.queue) == ("ada", "night")


def test_a_deadline_counts_from_the_jobs_creation(scene: Scene) -> None:
    scene.clock.advance_to(scene.clock.start + 30 * SECOND)
    scene.job()
    (job,) = scene.submitted()
    assert (job.deadline_ns, job.gang) == (4 * HOUR + 30 * SECOND, True)
    assert (job.pods, job.parallel) == (1, 1)


@pytest.mark.parametrize(
    ("condition", "outcome", "counts"),
    [("Complete", "succeeded", (1, 1, 0)), ("Failed", "failed", (1, 0, 1))],
)
def test_it_ends_by_its_own_word_whatever_its_pods_did(
    scene: Scene, condition: str, outcome: str, counts: tuple[int, int, int]
) -> None:
    uid = scene.job(parallelism=2)
    for name in ("a", "b"):
        scene.pod(name, owner(uid))
    scene.finish("a", "Failed")
    scene.finish("b")
    assert scene.owners() == {"default/a": "default/train", "default/b": "default/train"}
    assert (scene.ended(), scene.counts()) == ([], (1, 0, 0))
    scene.conclude(condition, "Because")
    scene.conclude("FailureTarget", "Because")
    assert (scene.ended(), scene.counts()) == ([("default/train", outcome, "Because")], counts)
    delete(scene.world.registry, JOBS, "default", "train")
    assert len(scene.ended()) == 1


def test_a_job_that_is_deleted_is_deleted(scene: Scene) -> None:
    scene.job()
    delete(scene.world.registry, JOBS, "default", "train", DeleteOptions(propagation="Background"))
    assert (scene.ended(), scene.counts()) == ([("default/train", "deleted", "Deleted")], (1, 0, 1))


def test_a_deployment_is_one_job_with_its_replica_set(scene: Scene) -> None:
    deployment = scene.serving(DEPLOYMENTS, "web")
    replicas = scene.serving(REPLICA_SETS, "web-1", deployment)
    scene.pod("web-1-x", replicas)
    (job,) = scene.submitted()
    assert (job.controller, job.service, job.pods, job.chips) == ("Deployment", True, 3, 6)
    assert scene.owners() == {"default/web-1-x": "default/web"}
    delete(scene.world.registry, REPLICA_SETS, "default", "web-1")
    assert scene.ended() == []
    delete(scene.world.registry, DEPLOYMENTS, "default", "web")
    assert scene.ended() == [("default/web", "deleted", "Deleted")]
    assert scene.counts() == (1, 0, 0)  # nobody expects a service to finish


def test_a_replica_set_by_itself_is_a_job(scene: Scene) -> None:
    scene.serving(REPLICA_SETS, "web")
    assert [(job.job, job.controller) for job in scene.submitted()] == [("default/web", "ReplicaSet")]


class TestGroups:
    def group(self, scene: Scene, members: int = 3) -> None:
        obj = {"metadata": {"name": "g"}, "spec": {"minMember": members}}
        scene.world.registry.create(GROUPS, "default", obj)

    def test_its_pods_are_one_job_from_the_first_to_the_last(self, scene: Scene) -> None:
        self.group(scene)
        assert scene.submitted() == []
        for name in ("a", "b", "c"):
            scene.pod(name, labels={GROUP_LABEL: "g"})
        (job,) = scene.submitted()
        assert (job.job, job.controller, job.pods, job.gang, job.chips) == (
            "default/g",
            "PodGroup",
            3,
            True,
            6,
        )
        assert set(scene.owners().values()) == {"default/g"}
        for name in ("a", "b", "c"):
            assert scene.ended() == []
            scene.finish(name)
        assert (scene.ended(), scene.counts()) == ([("default/g", "succeeded", "Succeeded")], (1, 1, 0))

    def test_it_fails_with_the_first_that_does(self, scene: Scene) -> None:
        self.group(scene, 2)
        for name in ("a", "b"):
            scene.pod(name, labels={GROUP_LABEL: "g"})
        scene.finish("a", "Failed")
        scene.remove("b")
        assert (scene.ended(), scene.counts()) == ([("default/g", "failed", "Failed")], (1, 0, 1))

    def test_a_group_may_be_used_again(self, scene: Scene) -> None:
        self.group(scene, 1)
        for name in ("a", "b"):
            scene.pod(name, labels={GROUP_LABEL: "g"})
            scene.finish(name)
        assert scene.counts() == (2, 2, 0)

    def test_a_job_in_a_group_is_a_job(self, scene: Scene) -> None:
        uid = scene.job()
        scene.pod("a", owner(uid), labels={GROUP_LABEL: "g"})
        assert scene.owners() == {"default/a": "default/train"}

    def test_an_unknown_controller_is_a_job_as_long_as_it_has_pods(self, scene: Scene) -> None:
        scene.pod("a", owner("u", "PyTorchJob", "bert"))
        (job,) = scene.submitted()
        assert (job.job, job.controller, job.gang) == ("default/bert", "PyTorchJob", False)
        scene.finish("a")
        assert scene.ended() == [("default/bert", "succeeded", "Succeeded")]


def test_a_pod_by_itself_is_a_job_without_lines_of_its_own(scene: Scene) -> None:
    scene.pod("a")
    scene.finish("a")
    assert (scene.submitted(), scene.ended(), scene.counts()) == ([], [], (1, 1, 0))
    assert scene.owners() == {"default/a": None}
