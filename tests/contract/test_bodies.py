"""Requests that no well-behaved client makes: each gets a Status with the right code, and changes nothing."""

import httpx
import pytest

from tests.support.api import Api, assert_refused, assert_status, pod

JSON = {"content-type": "application/json"}

OVER_THE_LIMIT = 3 * 1024 * 1024 + 1
"""Bytes: one more than the largest body that an API server takes."""


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b'"text"',
        b"\xff\xfe",
        b'{"metadata": []}',
        b'{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": 7}}',
        b'{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}, "spec": "text"}',
        b'{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}, "spec": {"containers": {}}}',
        b'{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}} trailing',
    ],
    ids=["cut-off", "list", "text", "not-utf8", "metadata", "name", "spec", "containers", "trailing"],
)
def test_a_body_that_is_no_pod_is_a_bad_request(api: Api, body: bytes) -> None:
    assert_refused(api.raw.post(api.path("pods"), content=body, headers=JSON), 400, "BadRequest")
    assert api.names() == []


@pytest.mark.parametrize(
    "change",
    [{"kind": "Node"}, {"apiVersion": "apps/v1"}, {"apiVersion": "v9"}, {"kind": "Nonsense"}],
    ids=["other-kind", "other-group", "unknown-version", "unknown-kind"],
)
def test_an_object_of_another_kind_is_a_bad_request(api: Api, change: dict[str, str]) -> None:
    response = api.raw.post(api.path("pods"), json={**pod(), **change})
    assert_refused(response, 400, "BadRequest")
    assert api.names() == []


@pytest.mark.parametrize("body", [b"", b"null"], ids=["empty", "null"])
def test_a_body_without_an_object_is_refused(api: Api, body: bytes) -> None:
    response = api.raw.post(api.path("pods"), content=body, headers=JSON)
    assert response.status_code in {400, 422}
    assert_status(response.json(), response.status_code, response.json()["reason"])
    assert api.names() == []


@pytest.mark.parametrize("content_type", ["text/plain", "application/xml", "multipart/form-data"])
def test_an_unknown_content_type_is_unsupported(api: Api, content_type: str) -> None:
    response = api.raw.post(api.path("pods"), content=b"{}", headers={"content-type": content_type})
    status = assert_refused(response, 415, "UnsupportedMediaType")
    assert "application/json" in status["message"]
    assert api.names() == []


def test_a_body_without_a_content_type_is_json(api: Api) -> None:
    request = api.raw.build_request("POST", api.path("configmaps"), content=b'{"metadata": {"name": "a"}}')
    request.headers.pop("content-type", None)
    assert api.raw.send(request).status_code == 201


def test_yaml_bodies_are_read(api: Api) -> None:
    body = b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  key: value\n"
    response = api.raw.post(
        api.path("configmaps"), content=body, headers={"content-type": "application/yaml"}
    )
    assert response.status_code == 201, response.text
    assert api.core.read_namespaced_config_map("a", api.namespace).data == {"key": "value"}


def test_no_acceptable_answer_format(api: Api) -> None:
    response = api.raw.get(api.path("pods"), headers={"accept": "text/csv"})
    assert response.status_code == 406
    assert response.json()["reason"] == "NotAcceptable"


def test_an_accept_header_of_several_formats_gets_one_of_them(api: Api) -> None:
    accept = "application/vnd.kubernetes.unknown, application/json;q=0.9, */*;q=0.1"
    response = api.raw.get(api.path("pods"), headers={"accept": accept})
    assert response.json()["kind"] == "PodList"


def test_a_body_over_the_limit_is_too_large(api: Api) -> None:
    body = b'{"metadata": {"name": "a", "annotations": {"pad": "' + b"x" * OVER_THE_LIMIT + b'"}}}'
    response = api.raw.post(api.path("configmaps"), content=body, headers=JSON)
    assert_refused(response, 413, "RequestEntityTooLarge")
    assert api.core.list_namespaced_config_map(api.namespace).items == []
    api.create_config("still-answers")


def test_a_large_body_below_the_limit_is_taken(api: Api) -> None:
    data = {f"key{number}": "x" * 1000 for number in range(900)}
    response = api.raw.post(api.path("configmaps"), json={"metadata": {"name": "a"}, "data": data})
    assert response.status_code == 201
    assert api.raw.get(api.path("configmaps", "a")).json()["data"] == data


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/nonsense",
        "/api/v9/pods",
        "/apis/nonsense.example.com/v1/things",
        "/apis/apps/v9/deployments",
        "/api/v1/namespaces/default/nodes",
        "/nonsense",
    ],
)
def test_an_unknown_path_is_not_found(api: Api, path: str) -> None:
    response = api.raw.get(path)
    assert response.status_code == 404


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/v1/namespaces/default/pods/a"),
        ("PUT", "/api/v1/namespaces/default/pods"),
        ("PATCH", "/api/v1/namespaces/default/pods"),
        ("PUT", "/api/v1/namespaces/default/pods/a/binding"),
        ("DELETE", "/api/v1/namespaces/default/bindings"),
    ],
)
def test_a_verb_that_the_path_does_not_have_is_not_allowed(api: Api, method: str, path: str) -> None:
    response = api.raw.request(method, path, json={})
    assert_refused(response, 405, "MethodNotAllowed")


def test_unknown_fields_are_dropped_with_a_warning_unless_asked(api: Api) -> None:
    body = {"metadata": {"name": "a"}, "data": {"k": "v"}, "nonsense": 1}
    response = api.raw.post(f"{api.path('configmaps')}?fieldValidation=Warn", json=body)
    assert response.status_code == 201
    assert "nonsense" not in response.json()
    assert r'299 - "unknown field \"nonsense\""' in response.headers["warning"]


def test_unknown_fields_are_refused_where_validation_is_strict(api: Api) -> None:
    body = {**pod(), "spec": {**pod()["spec"], "nonsense": 1}}
    response = api.raw.post(f"{api.path('pods')}?fieldValidation=Strict", json=body)
    status = assert_refused(response, 400, "BadRequest")
    assert 'unknown field "spec.nonsense"' in status["message"]
    assert api.names() == []


def test_an_unknown_field_validation_is_refused(api: Api) -> None:
    response = api.raw.post(f"{api.path('pods')}?fieldValidation=Perhaps", json=pod())
    assert response.status_code in {400, 422}
    assert api.names() == []


def test_a_malformed_query_does_not_end_the_server(api: Api) -> None:
    for query in ("limit=many", "timeoutSeconds=soon", "watch=perhaps"):
        response: httpx.Response = api.raw.get(f"{api.path('pods')}?{query}&timeoutSeconds=1")
        assert response.status_code in {200, 400}, query
    api.create_config("still-answers")
