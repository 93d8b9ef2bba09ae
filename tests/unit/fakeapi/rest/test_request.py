"""Paths, methods and queries → what a request is about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery.resources import builtin_table
from fakeapi.machinery.status import StatusError
from fakeapi.rest.request import RequestInfo, parse_query, parse_request

TABLE = builtin_table()
POD = "/api/v1/namespaces/default/pods/p"
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "BREW")


def parse(method: str, url: str) -> RequestInfo:
    path, _, query = url.partition("?")
    return parse_request(TABLE, method, path, query.encode())


def refused(method: str, url: str) -> StatusError:
    with pytest.raises(StatusError) as caught:
        parse(method, url)
    return caught.value


@pytest.mark.parametrize(
    ("method", "url", "verb", "plural", "namespace", "name", "subresource"),
    [
        ("GET", "/api/v1/pods", "list", "pods", "", "", ""),
        ("GET", "/api/v1/pods?watch=1", "watch", "pods", "", "", ""),
        ("GET", "/api/v1/namespaces/default/pods", "list", "pods", "default", "", ""),
        ("GET", "/api/v1/namespaces/default/pods/", "list", "pods", "default", "", ""),
        ("POST", "/api/v1/namespaces/default/pods", "create", "pods", "default", "", ""),
        ("DELETE", "/api/v1/namespaces/default/pods", "deletecollection", "pods", "default", "", ""),
        ("GET", POD, "get", "pods", "default", "p", ""),
        ("GET", f"{POD}?watch=1", "get", "pods", "default", "p", ""),
        ("PUT", POD, "update", "pods", "default", "p", ""),
        ("PATCH", POD, "patch", "pods", "default", "p", ""),
        ("DELETE", POD, "delete", "pods", "default", "p", ""),
        ("POST", f"{POD}/binding", "create", "pods", "default", "p", "binding"),
        ("POST", f"{POD}/eviction", "create", "pods", "default", "p", "eviction"),
        ("GET", f"{POD}/status", "get", "pods", "default", "p", "status"),
        ("PUT", f"{POD}/status", "update", "pods", "default", "p", "status"),
        ("PATCH", f"{POD}/status", "patch", "pods", "default", "p", "status"),
        ("POST", "/api/v1/namespaces/default/bindings", "create", "bindings", "default", "", ""),
        ("GET", "/api/v1/namespaces", "list", "namespaces", "", "", ""),
        ("GET", "/api/v1/namespaces/default", "get", "namespaces", "", "default", ""),
        ("PUT", "/api/v1/namespaces/default/status", "update", "namespaces", "", "default", "status"),
        ("GET", "/api/v1/nodes/n1", "get", "nodes", "", "n1", ""),
        ("DELETE", "/api/v1/nodes", "deletecollection", "nodes", "", "", ""),
        ("GET", "/apis/apps/v1/deployments", "list", "deployments", "", "", ""),
        (
            "PATCH",
            "/apis/apps/v1/namespaces/default/deployments/d/scale",
            *("patch", "deployments", "default", "d", "scale"),
        ),
    ],
)
def test_what_is_asked(
    method: str, url: str, verb: str, plural: str, namespace: str, name: str, subresource: str
) -> None:
    info = parse(method, url)
    assert (info.verb, info.resource.plural) == (verb, plural)
    assert (info.namespace, info.name, info.subresource) == (namespace, name, subresource)


def test_groups_tell_kinds_of_one_name_apart() -> None:
    assert parse("GET", "/api/v1/events").resource.group == ""
    assert parse("GET", "/apis/events.k8s.io/v1/events").resource.group == "events.k8s.io"


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/nothing",
        "/api/v2/pods",
        "/apis/apps/v9/deployments",
        "/apis/nothing/v1/pods",
        "/apis/apps/v1/namespaces/default",
        "/api/v1/pods/p",
        "/api/v1/namespaces/default/nodes",
        "/api/v1/namespaces/default/nodes/n1",
        "/api/v1/namespaces/default/pods/p/nothing",
        "/api/v1/namespaces/default/pods/p/scale",
        "/api/v1/namespaces/default/pods/p/status/more",
        "/api/v1/nodes/n1/binding",
        "/api/v1/namespaces/default/pods//status",
        "/api/v1//pods",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_where_nothing_is(method: str, path: str) -> None:
    error = refused(method, path)
    assert (error.code, error.reason) == (404, "NotFound")
    assert error.message == "the server could not find the requested resource"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", POD),
        ("PUT", "/api/v1/namespaces/default/pods"),
        ("PATCH", "/api/v1/namespaces/default/pods"),
        ("POST", "/api/v1/pods"),
        ("DELETE", "/api/v1/pods"),
        ("DELETE", "/api/v1/namespaces"),
        ("HEAD", "/api/v1/pods"),
        ("OPTIONS", "/api/v1/pods"),
        ("TRACE", POD),
        ("BREW", POD),
        ("GET", f"{POD}/binding"),
        ("PUT", f"{POD}/binding"),
        ("GET", f"{POD}/eviction"),
        ("POST", f"{POD}/status"),
        ("DELETE", f"{POD}/status"),
        ("GET", "/api/v1/namespaces/default/bindings"),
        ("GET", "/apis/authentication.k8s.io/v1/tokenreviews"),
        ("DELETE", "/apis/apps/v1/namespaces/default/deployments/d/scale"),
    ],
)
def test_methods_that_do_not_apply(method: str, path: str) -> None:
    error = refused(method, path)
    assert (error.code, error.reason) == (405, "MethodNotAllowed")


@pytest.mark.parametrize(
    "path",
    [
        f"{POD}/log",
        f"{POD}/exec",
        f"{POD}/attach",
        f"{POD}/portforward",
        f"{POD}/proxy",
        f"{POD}/ephemeralcontainers",
        f"{POD}/resize",
        "/api/v1/namespaces/default/finalize",
        "/api/v1/namespaces/default/serviceaccounts/default/token",
        "/api/v1/watch/pods",
        "/api/v1/watch/namespaces/default/pods",
    ],
)
def test_what_real_servers_have_and_this_one_has_not_is_said(path: str) -> None:
    error = refused("GET", path)
    assert (error.code, error.reason) == (501, "NotImplemented")
    assert "does not support" in error.message


# ---- queries ----


def test_parameters_are_decoded() -> None:
    info = parse("GET", "/api/v1/pods?labelSelector=a%3Db%2Cc&limit=5&limit=6&empty=")
    assert info.text("labelSelector") == "a=b,c"
    assert info.number("limit") == 5
    assert info.text("empty") == ""
    assert info.text("missing") == ""
    assert info.number("missing") is None


@pytest.mark.parametrize("query", [b"a=%ff", b"a=\xff", b"&".join(b"a=1" for _ in range(65))])
def test_queries_that_cannot_be_read(query: bytes) -> None:
    with pytest.raises(StatusError) as caught:
        parse_query(query)
    assert (caught.value.code, caught.value.reason) == (400, "BadRequest")


@pytest.mark.parametrize(
    ("query", "is_set"),
    [
        ("flag=true", True),
        ("flag=1", True),
        ("flag=yes", True),
        ("flag=", True),
        ("flag=false", False),
        ("flag=FALSE", False),
        ("flag=0", False),
        ("flag=0&flag=1", False),
        ("other=1", False),
    ],
)
def test_flags_are_set_by_anything_but_a_denial(query: str, *, is_set: bool) -> None:
    assert parse("GET", f"/api/v1/pods?{query}").flag("flag") == is_set
    watching = query.replace("flag", "watch")
    assert parse("GET", f"/api/v1/pods?{watching}").verb == ("watch" if is_set else "list")


@pytest.mark.parametrize(
    ("text", "number"), [("0", 0), ("17", 17), ("-3", -3), ("%2B4", 4), ("9223372036854775807", 2**63 - 1)]
)
def test_numbers(text: str, number: int) -> None:
    assert parse("GET", f"/api/v1/pods?n={text}").number("n") == number


@pytest.mark.parametrize(
    "text",
    ["", "x", "1.5", "1e3", "0x10", "1_000", "+1", "%20 1", "%D9%A3", "9223372036854775808", "9" * 9999],
)
def test_what_is_no_number(text: str) -> None:
    with pytest.raises(StatusError) as caught:
        parse("GET", f"/api/v1/pods?n={text}").number("n")
    assert caught.value.code == 400
    assert caught.value.message.startswith("invalid value for n: ")


PIECES = [
    "api",
    "apis",
    "v1",
    "apps",
    "namespaces",
    "default",
    "pods",
    "nodes",
    "p",
    "status",
    "watch",
    "",
    "é",
]


@given(
    st.sampled_from(METHODS),
    st.sampled_from(["/api/v1/", "/apis/apps/v1/"]),
    st.lists(st.sampled_from(PIECES) | st.text(max_size=5), min_size=1, max_size=6),
    st.binary(max_size=20),
)
def test_any_path_is_understood_or_refused(method: str, root: str, pieces: list[str], query: bytes) -> None:
    path = root + "x" + "/".join(pieces) if not pieces[0].strip("/") else root + "/".join(pieces)
    try:
        info = parse_request(TABLE, method, path, query)
    except StatusError as error:
        code = error.code
    else:
        code = 200
        assert info.resource.plural in path
        assert bool(info.namespace) <= info.resource.namespaced
    assert code in (200, 400, 404, 405, 501)
