"""Statuses as a kube-apiserver 1.37 answers them for the same refusals."""

import pytest

from fakeapi.machinery import status
from fakeapi.machinery.resources import PODS, builtin
from fakeapi.machinery.status import Cause, StatusError

NAMESPACES = builtin("namespaces")
DEPLOYMENTS = builtin("deployments", "apps")


def test_a_status_object_is_complete_and_in_the_real_servers_order() -> None:
    assert list(status.not_found(PODS, "nope").to_json().items()) == [
        ("kind", "Status"),
        ("apiVersion", "v1"),
        ("metadata", {}),
        ("status", "Failure"),
        ("message", 'pods "nope" not found'),
        ("reason", "NotFound"),
        ("details", {"name": "nope", "kind": "pods"}),
        ("code", 404),
    ]


def test_a_status_without_details_has_none() -> None:
    assert "details" not in status.bad_request("why").to_json()
    assert status.no_such_path().to_json()["details"] == {}


def test_a_status_is_an_exception_that_says_its_message() -> None:
    with pytest.raises(StatusError, match='pods "nope" not found'):
        raise status.not_found(PODS, "nope")


@pytest.mark.parametrize(
    ("error", "code", "reason", "message"),
    [
        (
            status.not_found(DEPLOYMENTS, "d"),
            404,
            "NotFound",
            'deployments.apps "d" not found',
        ),
        (status.no_such_path(), 404, "NotFound", "the server could not find the requested resource"),
        (
            status.already_exists(NAMESPACES, "default"),
            409,
            "AlreadyExists",
            'namespaces "default" already exists',
        ),
        (
            status.conflict(NAMESPACES, "default", status.OBJECT_MODIFIED),
            409,
            "Conflict",
            'Operation cannot be fulfilled on namespaces "default": the object has been modified; '
            "please apply your changes to the latest version and try again",
        ),
        (status.bad_request("no"), 400, "BadRequest", "no"),
        (
            status.forbidden(NAMESPACES, "kube-system", "this namespace may not be deleted"),
            403,
            "Forbidden",
            'namespaces "kube-system" is forbidden: this namespace may not be deleted',
        ),
        (status.unauthorized(), 401, "Unauthorized", "Unauthorized"),
        (
            status.method_not_allowed(),
            405,
            "MethodNotAllowed",
            "the server does not allow this method on the requested resource",
        ),
        (status.gone_version(3, 7), 410, "Expired", "too old resource version: 3 (7)"),
        (
            status.too_large_version(999_999, 401),
            504,
            "Timeout",
            "Timeout: Too large resource version: 999999, current: 401",
        ),
        (
            status.not_acceptable(["application/json"]),
            406,
            "NotAcceptable",
            "only the following media types are accepted: application/json",
        ),
        (
            status.unsupported_media_type("text/plain", ["application/json", "application/yaml"]),
            415,
            "UnsupportedMediaType",
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json, application/yaml (found text/plain)",
        ),
        (
            status.too_large(3_145_728),
            413,
            "RequestEntityTooLarge",
            "Request entity too large: limit is 3145728",
        ),
        (
            status.unsupported("server-side apply"),
            501,
            "NotImplemented",
            "this API server does not support server-side apply",
        ),
        (status.internal("boom"), 500, "InternalError", "Internal error occurred: boom"),
    ],
    ids=lambda value: value.reason if isinstance(value, StatusError) else None,
)
def test_codes_reasons_and_wordings(error: StatusError, code: int, reason: str, message: str) -> None:
    assert (error.code, error.reason, error.message, str(error)) == (code, reason, message, message)


def test_details_name_the_group_of_what_is_not_in_the_core_group() -> None:
    details = {"name": "d", "group": "apps", "kind": "deployments"}
    assert status.not_found(DEPLOYMENTS, "d").to_json()["details"] == details
    assert status.method_not_allowed(DEPLOYMENTS).details == {"group": "apps", "kind": "deployments"}


CAUSE = status.invalid_value("metadata.name", "_A", "must be lower case")


def test_an_invalid_object_lists_every_field_that_is_wrong() -> None:
    error = status.invalid(DEPLOYMENTS, "_A", [CAUSE, status.required_value("spec.selector")])
    assert (error.code, error.reason) == (422, "Invalid")
    assert error.message == (
        'Deployment.apps "_A" is invalid: [metadata.name: Invalid value: "_A": must be lower case, '
        "spec.selector: Required value]"
    )
    assert error.details == {
        "name": "_A",
        "group": "apps",
        "kind": "Deployment",
        "causes": [
            {
                "reason": "FieldValueInvalid",
                "message": 'Invalid value: "_A": must be lower case',
                "field": "metadata.name",
            },
            {"reason": "FieldValueRequired", "message": "Required value", "field": "spec.selector"},
        ],
    }


def test_a_single_cause_stands_without_brackets_and_one_without_a_field_without_a_path() -> None:
    assert status.invalid(PODS, "a", [CAUSE]).message == (
        'Pod "a" is invalid: metadata.name: Invalid value: "_A": must be lower case'
    )
    assert status.invalid(PODS, "a", [Cause("", "wrong")]).message == 'Pod "a" is invalid: wrong'


@pytest.mark.parametrize(
    ("cause", "reason", "message"),
    [
        (status.invalid_value("f", 3, "too big"), "FieldValueInvalid", "Invalid value: 3: too big"),
        (status.invalid_value("f", {"a": "é"}, "no"), "FieldValueInvalid", 'Invalid value: {"a":"é"}: no'),
        (status.required_value("f", "say it"), "FieldValueRequired", "Required value: say it"),
        (status.forbidden_value("f", "fixed"), "FieldValueForbidden", "Forbidden: fixed"),
        (
            status.unsupported_value("f", "c", ["b", "a"]),
            "FieldValueNotSupported",
            'Unsupported value: "c": supported values: "a", "b"',
        ),
        (status.duplicate_value("f", "x"), "FieldValueDuplicate", 'Duplicate value: "x"'),
    ],
)
def test_causes_are_worded_as_field_errors(cause: Cause, reason: str, message: str) -> None:
    assert (cause.field, cause.reason, cause.message) == ("f", reason, message)


def test_a_huge_value_is_not_sent_back_in_whole() -> None:
    cause = status.invalid_value("f", "x" * 100_000, "too long")
    assert len(cause.message) < 2_000
    assert cause.message.endswith("…: too long")


def test_a_version_from_the_future_asks_the_client_to_come_again() -> None:
    error = status.too_large_version(9, 5)
    assert error.details == {
        "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
        "retryAfterSeconds": 1,
    }
    assert error.headers == ((b"retry-after", b"1"),)


def test_too_many_requests_say_why_and_when_to_come_again() -> None:
    cause = Cause("", "The disruption budget b needs 2 healthy pods", "DisruptionBudget")
    error = status.too_many_requests("Cannot evict pod", 10, [cause])
    assert (error.code, error.reason, error.message) == (429, "TooManyRequests", "Cannot evict pod")
    assert error.details == {
        "causes": [{"reason": "DisruptionBudget", "message": cause.message}],
        "retryAfterSeconds": 10,
    }
    assert error.headers == ((b"retry-after", b"10"),)
    plain = status.too_many_requests("busy", 0)
    assert (plain.details, plain.headers) == (None, ())


def test_a_deletion_that_is_complete_says_what_it_deleted() -> None:
    assert status.success(builtin("configmaps"), "zz", "86fafd19") == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {"name": "zz", "kind": "configmaps", "uid": "86fafd19"},
    }
    assert status.success(DEPLOYMENTS, "d")["details"] == {
        "name": "d",
        "group": "apps",
        "kind": "deployments",
    }
