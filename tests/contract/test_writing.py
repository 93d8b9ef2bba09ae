"""Create and replace: names, versions, defaults that a scheduler sees, validation, dry runs."""

import pytest

from tests.support.api import Api, JsonObject, pod, refused


def test_create_answers_the_object_with_its_identity(api: Api) -> None:
    created = api.create_pod("a", labels={"app": "train"})
    assert created.metadata.name == "a"
    assert created.metadata.namespace == api.namespace
    assert len(created.metadata.uid) == len("00000000-0000-0000-0000-000000000000")
    assert int(created.metadata.resource_version) > 0
    assert created.metadata.creation_timestamp


def test_create_of_a_taken_name_is_already_there(api: Api) -> None:
    api.create_config("taken")
    with refused(409, "AlreadyExists") as refusal:
        api.create_config("taken")
    assert refusal.message == 'configmaps "taken" already exists'


def test_generated_names_start_with_the_prefix_and_differ(api: Api) -> None:
    body = {"metadata": {"generateName": "worker-"}}
    names = {api.core.create_namespaced_config_map(api.namespace, body).metadata.name for _ in range(20)}
    assert len(names) == 20
    for name in names:
        assert name.startswith("worker-")
        assert len(name) == len("worker-") + 5


def test_create_in_an_unknown_namespace_is_not_found(api: Api) -> None:
    with refused(404, "NotFound") as refusal:
        api.core.create_namespaced_pod("no-such-namespace", pod())
    assert refusal.message == 'namespaces "no-such-namespace" not found'


def test_create_with_the_namespace_of_another_path_is_refused(api: Api) -> None:
    with refused(400, "BadRequest") as refusal:
        api.create_pod("a", namespace="elsewhere")
    assert "does not match the namespace" in refusal.message


def test_a_version_may_not_be_set_on_create(api: Api) -> None:
    body = {"metadata": {"name": "config", "resourceVersion": "7"}}
    response = api.raw.post(api.path("configmaps"), json=body)
    assert response.status_code >= 400  # the real server says 500
    assert response.json()["message"] == "resourceVersion should not be set on objects to be created"


def test_replace_with_the_current_version(api: Api) -> None:
    created = api.create_config()
    created.data = {"key": "new"}
    replaced = api.core.replace_namespaced_config_map("config", api.namespace, created)
    assert replaced.data == {"key": "new"}
    assert int(replaced.metadata.resource_version) > int(created.metadata.resource_version)
    assert replaced.metadata.uid == created.metadata.uid
    assert replaced.metadata.creation_timestamp == created.metadata.creation_timestamp


def test_replace_with_an_old_version_is_a_conflict_and_changes_nothing(api: Api) -> None:
    old = api.create_config()
    api.core.patch_namespaced_config_map("config", api.namespace, {"data": {"key": "theirs"}})
    old.data = {"key": "mine"}
    with refused(409, "Conflict") as refusal:
        api.core.replace_namespaced_config_map("config", api.namespace, old)
    assert refusal.message == (
        'Operation cannot be fulfilled on configmaps "config": the object has been modified; '
        "please apply your changes to the latest version and try again"
    )
    assert api.core.read_namespaced_config_map("config", api.namespace).data == {"key": "theirs"}


def test_replace_without_a_version_overwrites(api: Api) -> None:
    api.create_config()
    body = {"metadata": {"name": "config"}, "data": {"other": "1"}}
    assert api.core.replace_namespaced_config_map("config", api.namespace, body).data == {"other": "1"}


def test_replace_that_changes_nothing_keeps_the_version(api: Api) -> None:
    created = api.create_config()
    replaced = api.core.replace_namespaced_config_map("config", api.namespace, created)
    assert replaced.metadata.resource_version == created.metadata.resource_version


def test_replace_of_an_unknown_name_is_not_found(api: Api) -> None:
    body = {"metadata": {"name": "nobody"}}
    with refused(404, "NotFound"):
        api.core.replace_namespaced_config_map("nobody", api.namespace, body)


def test_replace_under_another_name_is_refused(api: Api) -> None:
    api.create_config()
    with refused(400, "BadRequest") as refusal:
        api.core.replace_namespaced_config_map("config", api.namespace, {"metadata": {"name": "other"}})
    assert refusal.message == "the name of the object (other) does not match the name on the URL (config)"


def test_the_uid_may_not_change(api: Api) -> None:
    created = api.create_config()
    created.metadata.uid = "00000000-0000-0000-0000-000000000000"
    with refused(409, "Conflict"):
        api.core.replace_namespaced_config_map("config", api.namespace, created)


def test_a_pod_s_containers_may_not_change_but_their_image_may(api: Api) -> None:
    created = api.create_pod("a")
    created.spec.containers[0].image = "registry.example/train:2"
    replaced = api.core.replace_namespaced_pod("a", api.namespace, created)
    assert replaced.spec.containers[0].image == "registry.example/train:2"
    replaced.spec.containers[0].command = ["other"]
    with refused(422, "Invalid") as refusal:
        api.core.replace_namespaced_pod("a", api.namespace, replaced)
    assert "pod updates may not change fields other than" in refusal.message


def test_defaults_of_a_pod_that_a_scheduler_sees(api: Api) -> None:
    created = api.create_pod("a")
    assert created.status.phase == "Pending"
    assert created.status.qos_class == "Burstable"
    assert created.spec.scheduler_name == "default-scheduler"
    assert created.spec.restart_policy == "Always"
    assert created.spec.termination_grace_period_seconds == 30
    assert created.spec.priority == 0
    assert created.spec.preemption_policy == "PreemptLowerPriority"
    assert created.spec.enable_service_links is True
    tolerated = {(t.key, t.effect, t.operator, t.toleration_seconds) for t in created.spec.tolerations}
    assert tolerated == {
        ("node.kubernetes.io/not-ready", "NoExecute", "Exists", 300),
        ("node.kubernetes.io/unreachable", "NoExecute", "Exists", 300),
    }


def _resources(requests: JsonObject, limits: JsonObject) -> JsonObject:
    container = {"name": "main", "image": "i", "resources": {"requests": requests, "limits": limits}}
    return {"containers": [container]}


@pytest.mark.parametrize(
    ("requests", "limits", "qos"),
    [
        ({}, {}, "BestEffort"),
        ({"cpu": "1"}, {}, "Burstable"),
        ({"cpu": "1", "memory": "1Gi"}, {"cpu": "1", "memory": "1Gi"}, "Guaranteed"),
        ({}, {"cpu": "1", "memory": "1Gi"}, "Guaranteed"),
    ],
)
def test_quality_of_service_class(api: Api, requests: JsonObject, limits: JsonObject, qos: str) -> None:
    created = api.create_pod("a", spec=_resources(requests, limits))
    assert created.status.qos_class == qos


def test_limits_are_the_default_of_requests(api: Api) -> None:
    created = api.create_pod("a", spec=_resources({}, {"nvidia.com/gpu": "4"}))
    assert created.spec.containers[0].resources.requests == {"nvidia.com/gpu": "4"}


def test_the_priority_comes_from_the_class(api: Api) -> None:
    name = api.unique("gold")
    api.scheduling.create_priority_class(
        {"metadata": {"name": name}, "value": 1000, "preemptionPolicy": "Never"}
    )
    created = api.create_pod("a", spec={"priorityClassName": name})
    assert (created.spec.priority, created.spec.preemption_policy) == (1000, "Never")


def test_an_unknown_priority_class_is_refused(api: Api) -> None:
    with refused(403, "Forbidden") as refusal:
        api.create_pod("a", spec={"priorityClassName": "nobody"})
    assert "no PriorityClass with name nobody was found" in refusal.message


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"containers": []}, "spec.containers"),
        ({"containers": [{"name": "UPPER", "image": "i"}]}, "spec.containers[0].name"),
        ({"restartPolicy": "Sometimes"}, "spec.restartPolicy"),
        ({"nodeSelector": {"bad key!": "x"}}, "spec.nodeSelector"),
        (_resources({"cpu": "2"}, {"cpu": "1"}), "spec.containers[0].resources.requests"),
        (_resources({"nvidia.com/gpu": "1"}, {}), "spec.containers[0].resources.limits"),
        (_resources({}, {"nvidia.com/gpu": "500m"}), "spec.containers[0].resources.limits[nvidia.com/gpu]"),
    ],
)
def test_an_invalid_pod_is_refused_and_its_field_named(api: Api, spec: JsonObject, field: str) -> None:
    with refused(422, "Invalid") as refusal:
        api.create_pod("a", spec=spec)
    assert field in [cause["field"] for cause in refusal.status["details"]["causes"]]
    assert refusal.message.startswith('Pod "a" is invalid: ')
    assert api.names() == []


@pytest.mark.parametrize("name", ["UPPER", "under_score", "-dash", "a" * 254, "dot..dot"])
def test_an_invalid_name_is_refused(api: Api, name: str) -> None:
    with refused(422, "Invalid") as refusal:
        api.create_pod(name)
    assert refusal.status["details"]["causes"][0]["field"] == "metadata.name"


def test_an_invalid_label_is_refused(api: Api) -> None:
    with refused(422, "Invalid") as refusal:
        api.create_config(labels={"app": "not a label!"})
    assert refusal.status["details"]["causes"][0]["field"] == "metadata.labels"


def test_a_dry_run_answers_as_if_and_keeps_nothing(api: Api) -> None:
    answered = api.core.create_namespaced_pod(api.namespace, pod("a"), dry_run="All")
    assert answered.metadata.name == "a"
    assert answered.spec.scheduler_name == "default-scheduler"
    assert api.names() == []


def test_a_dry_run_of_a_replacement_keeps_the_old_object(api: Api) -> None:
    created = api.create_config()
    created.data = {"key": "new"}
    answered = api.core.replace_namespaced_config_map("config", api.namespace, created, dry_run="All")
    assert answered.data == {"key": "new"}
    assert api.core.read_namespaced_config_map("config", api.namespace).data == {"key": "value"}


def test_an_unknown_dry_run_is_refused(api: Api) -> None:
    response = api.raw.post(f"{api.path('pods')}?dryRun=Some", json=pod("a"))
    assert response.status_code in {400, 422}
    assert response.json()["kind"] == "Status"
    assert api.names() == []


def test_status_is_not_written_through_the_object(api: Api) -> None:
    created = api.create_pod("a")
    created.status.phase = "Running"
    api.core.replace_namespaced_pod("a", api.namespace, created)
    assert api.core.read_namespaced_pod("a", api.namespace).status.phase == "Pending"


def test_the_object_is_not_written_through_status(api: Api) -> None:
    created = api.create_pod("a")
    created.status.phase, created.metadata.labels = "Running", {"app": "changed"}
    created.spec.containers[0].image = "changed"
    written = api.core.replace_namespaced_pod_status("a", api.namespace, created)
    assert written.status.phase == "Running"
    assert written.spec.containers[0].image == "registry.example/train:1"


def test_the_generation_counts_changes_of_the_spec(api: Api) -> None:
    labels = {"app": "serve"}
    template = {"metadata": {"labels": labels}, "spec": pod()["spec"]}
    spec = {"replicas": 0, "selector": {"matchLabels": labels}, "template": template}
    created = api.apps.create_namespaced_deployment(
        api.namespace, {"metadata": {"name": "serve"}, "spec": spec}
    )
    assert created.metadata.generation == 1
    labelled = api.apps.patch_namespaced_deployment(
        "serve", api.namespace, {"metadata": {"labels": {"a": "b"}}}
    )
    assert labelled.metadata.generation == 1
    paused = api.apps.patch_namespaced_deployment("serve", api.namespace, {"spec": {"paused": True}})
    assert paused.metadata.generation == 2


def test_objects_of_every_group_can_be_created(api: Api) -> None:
    name = api.unique("thing")
    meta = {"metadata": {"name": name}}
    api.coordination.create_namespaced_lease(api.namespace, {**meta, "spec": {"holderIdentity": "me"}})
    api.policy.create_namespaced_pod_disruption_budget(
        api.namespace, {**meta, "spec": {"minAvailable": 1, "selector": {"matchLabels": {"a": "b"}}}}
    )
    job = {"template": {"spec": {**pod()["spec"], "restartPolicy": "Never"}}, "suspend": True}
    created = api.batch.create_namespaced_job(api.namespace, {**meta, "spec": job})
    assert created.spec.parallelism == 1
    assert created.spec.completions == 1
    assert created.spec.backoff_limit == 6
