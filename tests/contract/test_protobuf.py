"""Bodies in Kubernetes' protobuf form, which Go clients send by default."""

from tests.support import protobuf
from tests.support.api import Api, assert_refused

PROTOBUF = {"content-type": protobuf.CONTENT_TYPE, "accept": f"{protobuf.CONTENT_TYPE}, application/json"}


def _post(api: Api, path: str, body: bytes) -> int:
    return api.raw.post(path, content=body, headers=PROTOBUF).status_code


def test_a_pod_is_created(api: Api) -> None:
    # An entry of a map: key (1) and value (2), here a Quantity, which holds its text in field 1.
    request: protobuf.Message = [(1, "nvidia.com/gpu"), (2, [(1, "2")])]
    container: protobuf.Message = [(1, "main"), (2, "image"), (8, [(1, request), (2, request)])]
    metadata: protobuf.Message = [(1, "pod"), (3, api.namespace), (11, [(1, "app"), (2, "train")])]
    body = protobuf.body("v1", "Pod", [(1, metadata), (2, [(2, container), (4, 60), (19, "own")])])
    assert _post(api, api.path("pods"), body) == 201
    created = api.core.read_namespaced_pod("pod", api.namespace)
    assert created.metadata.labels == {"app": "train"}
    assert created.spec.scheduler_name == "own"
    assert created.spec.termination_grace_period_seconds == 60
    assert created.spec.containers[0].resources.limits == {"nvidia.com/gpu": "2"}


def test_a_binding_places_the_pod(api: Api) -> None:
    api.create_pod()
    node = api.create_node()
    metadata, target = [(1, "pod"), (3, api.namespace)], [(1, "Node"), (3, node)]
    body = protobuf.body("v1", "Binding", [(1, metadata), (2, target)])
    assert _post(api, api.path("pods", "pod", "binding"), body) == 201
    assert api.core.read_namespaced_pod("pod", api.namespace).spec.node_name == node


def test_an_event_is_seen_in_both_of_its_groups(api: Api) -> None:
    regarding = [(1, "Pod"), (2, api.namespace), (3, "pod"), (5, "v1")]
    instant = [(1, 1_767_571_200), (2, 0)]
    fields: protobuf.Message = [
        (1, [(1, "said"), (3, api.namespace)]),
        (2, instant),
        (4, "suite"),
        (5, "suite-1"),
        (6, "Binding"),
        (7, "Scheduled"),
        (8, regarding),
        (10, "placed"),
        (11, "Normal"),
    ]
    body = protobuf.body("events.k8s.io/v1", "Event", fields)
    assert _post(api, api.path("events", group="events.k8s.io/v1"), body) == 201
    event = api.events.read_namespaced_event("said", api.namespace)
    assert (event.reason, event.note, event.regarding.name) == ("Scheduled", "placed", "pod")
    assert event.event_time.isoformat() == "2026-01-05T00:00:00+00:00"
    core = api.core.read_namespaced_event("said", api.namespace)
    assert (core.reason, core.message, core.involved_object.name) == ("Scheduled", "placed", "pod")


def test_options_of_a_deletion(api: Api) -> None:
    api.create_pod(spec={"nodeName": api.create_node()})
    body = protobuf.body("v1", "DeleteOptions", [(1, 0)])
    response = api.raw.request("DELETE", api.path("pods", "pod"), content=body, headers=PROTOBUF)
    assert response.status_code == 200
    assert api.names() == []


def test_a_body_without_the_magic_is_a_bad_request(api: Api) -> None:
    headers = {"content-type": protobuf.CONTENT_TYPE}
    response = api.raw.post(api.path("pods"), content=b"nonsense", headers=headers)
    assert_refused(response, 400, "BadRequest")


def test_a_cut_off_body_is_a_bad_request(api: Api) -> None:
    whole = protobuf.body("v1", "ConfigMap", [(1, [(1, "a"), (3, api.namespace)])])
    headers = {"content-type": protobuf.CONTENT_TYPE}
    for length in range(len(protobuf.MAGIC), len(whole) - 1, 7):
        response = api.raw.post(api.path("configmaps"), content=whole[:length], headers=headers)
        assert response.status_code in {400, 422}, length
    assert api.core.list_namespaced_config_map(api.namespace).items == []
