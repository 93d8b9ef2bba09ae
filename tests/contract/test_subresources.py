"""Binding, status, eviction and scale."""

from typing import Any

from tests.support.api import Api, JsonObject, assert_refused, node, pod, refused
from tests.support.polling import eventually


def _binding(target: str, name: str = "pod", **metadata: Any) -> JsonObject:
    return {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": name, **metadata},
        "target": {"apiVersion": "v1", "kind": "Node", "name": target},
    }


def _bind(api: Api, target: str, **metadata: Any) -> None:
    # Raw: the Python client cannot read the Status that is answered where a Binding was promised.
    response = api.raw.post(api.path("pods", "pod", "binding"), json=_binding(target, **metadata))
    assert response.status_code == 201, response.text
    assert (response.json()["kind"], response.json()["status"]) == ("Status", "Success")


def test_a_binding_places_the_pod(api: Api) -> None:
    api.create_pod()
    target = api.create_node()
    _bind(api, target)
    found = api.core.read_namespaced_pod("pod", api.namespace)
    assert found.spec.node_name == target
    scheduled = {condition.type: condition.status for condition in found.status.conditions}
    assert scheduled["PodScheduled"] == "True"


def test_annotations_of_a_binding_reach_the_pod(api: Api) -> None:
    api.create_pod(annotations={"own": "1"})
    _bind(api, api.create_node(), annotations={"chips": "0,1"})
    annotations = api.core.read_namespaced_pod("pod", api.namespace).metadata.annotations
    assert annotations == {"own": "1", "chips": "0,1"}


def test_a_bound_pod_cannot_be_bound_again(api: Api) -> None:
    api.create_pod()
    first, second = api.create_node(), api.create_node()
    _bind(api, first)
    response = api.raw.post(api.path("pods", "pod", "binding"), json=_binding(second))
    status = assert_refused(response, 409, "Conflict")
    assert f'pod pod is already assigned to node "{first}"' in status["message"]
    assert api.core.read_namespaced_pod("pod", api.namespace).spec.node_name == first


def test_a_binding_of_an_unknown_pod_is_not_found(api: Api) -> None:
    response = api.raw.post(api.path("pods", "nobody", "binding"), json=_binding("somewhere", "nobody"))
    assert_refused(response, 404, "NotFound")


def test_a_binding_with_the_uid_of_another_pod_is_a_conflict(api: Api) -> None:
    api.create_pod()
    body = _binding(api.create_node(), uid="00000000-0000-0000-0000-000000000000")
    assert_refused(api.raw.post(api.path("pods", "pod", "binding"), json=body), 409, "Conflict")


def test_a_binding_without_a_node_is_refused(api: Api) -> None:
    api.create_pod()
    body = _binding("somewhere")
    del body["target"]["name"]
    response = api.raw.post(api.path("pods", "pod", "binding"), json=body)
    assert response.status_code >= 400  # the real server says 500
    assert response.json()["message"].endswith("target.name: Required value")
    assert api.core.read_namespaced_pod("pod", api.namespace).spec.node_name is None


def test_a_pod_with_gates_cannot_be_bound(api: Api) -> None:
    created = api.create_pod(spec={"schedulingGates": [{"name": "example.com/wait"}]})
    assert created.status.conditions[0].reason == "SchedulingGated"
    response = api.raw.post(api.path("pods", "pod", "binding"), json=_binding(api.create_node()))
    assert_refused(response, 409, "Conflict")


def test_a_binding_through_the_collection_of_bindings(api: Api) -> None:
    api.create_pod()
    target = api.create_node()
    response = api.raw.post(api.path("bindings"), json=_binding(target))
    assert response.status_code == 201, response.text
    assert api.core.read_namespaced_pod("pod", api.namespace).spec.node_name == target


def test_status_of_a_node(api: Api) -> None:
    name = api.create_node()
    body = {"status": {"allocatable": {"nvidia.com/gpu": "6"}}}
    patched = api.core.patch_node_status(name, body)
    assert patched.status.allocatable["nvidia.com/gpu"] == "6"
    assert patched.status.capacity["nvidia.com/gpu"] == "8"
    api.core.replace_node(name, {**node(name, chips=2), "spec": {"unschedulable": True}})
    found = api.core.read_node(name)
    assert found.spec.unschedulable is True
    assert found.status.capacity["nvidia.com/gpu"] == "8"


def _running_pod(api: Api, name: str) -> None:
    """A pod that counts for a disruption budget: on a node, running and ready."""
    api.create_pod(name, labels={"app": "serve"}, spec={"nodeName": api.create_node()})
    ready = [{"type": "Ready", "status": "True"}]
    body = {"status": {"phase": "Running", "conditions": ready}}
    api.core.patch_namespaced_pod_status(name, api.namespace, body)


def _evict(api: Api, name: str, **options: Any) -> Any:
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}, **options}
    return api.raw.post(api.path("pods", name, "eviction"), json=body)


def _budget(api: Api, **spec: Any) -> None:
    api.policy.create_namespaced_pod_disruption_budget(
        api.namespace,
        {"metadata": {"name": "budget"}, "spec": {"selector": {"matchLabels": {"app": "serve"}}, **spec}},
    )


def test_an_eviction_without_a_budget_deletes_the_pod(api: Api) -> None:
    api.create_pod("a")
    response = _evict(api, "a")
    assert response.status_code == 201, response.text
    assert response.json()["status"] == "Success"
    assert api.names() == []


def test_an_eviction_is_graceful(api: Api) -> None:
    _running_pod(api, "a")
    assert _evict(api, "a", deleteOptions={"gracePeriodSeconds": 3600}).status_code == 201
    found = api.core.read_namespaced_pod("a", api.namespace)
    assert found.metadata.deletion_grace_period_seconds == 3600
    disrupted = {c.type: c for c in found.status.conditions}["DisruptionTarget"]
    assert (disrupted.status, disrupted.reason) == ("True", "EvictionByEvictionAPI")


def test_a_budget_without_room_refuses_an_eviction(api: Api) -> None:
    _budget(api, minAvailable=1)
    _running_pod(api, "a")
    response = _evict(api, "a")
    status = assert_refused(response, 429, "TooManyRequests")
    assert status["details"]["causes"][0]["reason"] == "DisruptionBudget"
    assert "disruption budget" in status["message"]
    assert api.core.read_namespaced_pod("a", api.namespace).metadata.deletion_timestamp is None


def _allow_one_disruption(api: Api) -> None:
    """Say in the budget's status, as the disruption controller does, that one pod may go."""
    budget = api.policy.read_namespaced_pod_disruption_budget("budget", api.namespace)
    status = {
        "observedGeneration": budget.metadata.generation,
        "disruptionsAllowed": 1,
        "currentHealthy": 2,
        "desiredHealthy": 1,
        "expectedPods": 2,
    }
    api.policy.patch_namespaced_pod_disruption_budget_status("budget", api.namespace, {"status": status})


def test_a_budget_with_room_for_one_lets_one_go(api: Api) -> None:
    _budget(api, maxUnavailable=1)
    for name in ("a", "b"):
        _running_pod(api, name)
    _allow_one_disruption(api)
    assert _evict(api, "a", deleteOptions={"gracePeriodSeconds": 3600}).status_code == 201
    assert_refused(_evict(api, "b"), 429, "TooManyRequests")

    def is_counted() -> None:
        status = api.policy.read_namespaced_pod_disruption_budget("budget", api.namespace).status
        assert status.disruptions_allowed == 0

    eventually(is_counted)


def test_a_pending_pod_is_evicted_past_its_budget(api: Api) -> None:
    _budget(api, minAvailable=1)
    api.create_pod("a", labels={"app": "serve"})
    assert _evict(api, "a").status_code == 201


def test_an_eviction_of_an_unknown_pod_is_not_found(api: Api) -> None:
    assert_refused(_evict(api, "nobody"), 404, "NotFound")


def _deployment(api: Api) -> None:
    labels = {"app": "serve"}
    template = {"metadata": {"labels": labels}, "spec": pod()["spec"]}
    spec = {"replicas": 0, "selector": {"matchLabels": labels}, "template": template}
    api.apps.create_namespaced_deployment(api.namespace, {"metadata": {"name": "serve"}, "spec": spec})


def test_scale_shows_and_sets_the_replicas(api: Api) -> None:
    _deployment(api)
    scale = api.apps.read_namespaced_deployment_scale("serve", api.namespace)
    assert (scale.kind, scale.api_version) == ("Scale", "autoscaling/v1")
    assert (scale.spec.replicas or 0, scale.status.selector) == (0, "app=serve")
    scaled = api.apps.patch_namespaced_deployment_scale("serve", api.namespace, {"spec": {"replicas": 3}})
    assert scaled.spec.replicas == 3
    assert api.apps.read_namespaced_deployment("serve", api.namespace).spec.replicas == 3


def test_scale_is_replaced_with_the_version_of_its_object(api: Api) -> None:
    _deployment(api)
    scale = api.apps.read_namespaced_deployment_scale("serve", api.namespace)
    scale.spec.replicas = 2
    assert api.apps.replace_namespaced_deployment_scale("serve", api.namespace, scale).spec.replicas == 2
    scale.spec.replicas = 4
    with refused(409, "Conflict"):
        api.apps.replace_namespaced_deployment_scale("serve", api.namespace, scale)


def test_a_scale_of_an_object_that_was_replaced_meanwhile_is_a_conflict(api: Api) -> None:
    _deployment(api)
    scale = api.apps.read_namespaced_deployment_scale("serve", api.namespace)
    scale.metadata.uid = "00000000-0000-0000-0000-000000000000"
    with refused(409, "Conflict"):
        api.apps.replace_namespaced_deployment_scale("serve", api.namespace, scale)


def test_a_negative_scale_is_refused(api: Api) -> None:
    _deployment(api)
    with refused(422, "Invalid"):
        api.apps.patch_namespaced_deployment_scale("serve", api.namespace, {"spec": {"replicas": -1}})


def test_an_unknown_subresource_is_not_found(api: Api) -> None:
    api.create_pod("a")
    assert api.raw.get(api.path("pods", "a", "feelings")).status_code == 404
