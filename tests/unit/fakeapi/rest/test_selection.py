"""Selectors of a request as one question to each object."""

from typing import Any
from urllib.parse import urlencode

import pytest

from fakeapi.machinery.resources import builtin_table
from fakeapi.machinery.selectors import select_all
from fakeapi.machinery.status import StatusError
from fakeapi.rest.request import parse_request
from fakeapi.rest.selection import selection_of
from fakeapi.storage.watch import Selection

TABLE = builtin_table()
PODS = "/api/v1/pods"
CORE_EVENTS = "/api/v1/events"
EVENTS = "/apis/events.k8s.io/v1/events"
POD = {
    "metadata": {"name": "p", "namespace": "default", "labels": {"app": "x"}},
    "spec": {"nodeName": "n1"},
    "status": {"phase": "Running"},
}
EVENT = {
    "metadata": {"name": "e", "namespace": "default"},
    "regarding": {"kind": "Pod", "name": "p"},
    "reason": "Scheduled",
    "reportingController": "scheduler",
}


def selection(path: str, **query: str) -> Selection:
    return selection_of(parse_request(TABLE, "GET", path, urlencode(query).encode()))


@pytest.mark.parametrize("query", [{}, {"labelSelector": ""}, {"labelSelector": "", "fieldSelector": ""}])
def test_without_selectors_nothing_is_left_out(query: dict[str, str]) -> None:
    assert selection(PODS, **query) is select_all


@pytest.mark.parametrize(
    ("labels", "fields", "selected"),
    [
        ("app=x", "", True),
        ("app=y", "", False),
        ("app in (x,y),!other", "", True),
        ("", "spec.nodeName=n1", True),
        ("", "spec.nodeName!=n1", False),
        ("", "metadata.name=p,status.phase=Running", True),
        ("app=x", "spec.nodeName=n1", True),
        ("app=x", "spec.nodeName=n2", False),
        ("app=y", "spec.nodeName=n1", False),
    ],
)
def test_both_selectors_must_agree(labels: str, fields: str, *, selected: bool) -> None:
    select = selection(PODS, labelSelector=labels, fieldSelector=fields)
    assert select(POD) == selected


@pytest.mark.parametrize(
    ("path", "field", "selected"),
    [
        (CORE_EVENTS, "involvedObject.name=p", True),
        (CORE_EVENTS, "involvedObject.name=q", False),
        (EVENTS, "regarding.name=p", True),
        (EVENTS, "regarding.name=q", False),
        (EVENTS, "reason=Scheduled", True),
    ],
)
def test_fields_are_those_of_the_group_that_was_asked(path: str, field: str, *, selected: bool) -> None:
    stored: dict[str, Any] = EVENT
    assert selection(path, fieldSelector=field)(stored) == selected


@pytest.mark.parametrize(
    "query",
    [
        {"labelSelector": "!!"},
        {"labelSelector": "a=b=c"},
        {"labelSelector": "a in"},
        {"fieldSelector": "garbage"},
        {"fieldSelector": "spec.priority=5"},
        {"labelSelector": "app=x", "fieldSelector": "spec.priority=5"},
    ],
)
def test_unreadable_selectors_are_refused(query: dict[str, str]) -> None:
    with pytest.raises(StatusError) as caught:
        selection(PODS, **query)
    assert (caught.value.code, caught.value.reason) == (400, "BadRequest")


def test_the_refusal_names_the_field() -> None:
    with pytest.raises(StatusError, match=r"spec\.priority"):
        selection(PODS, fieldSelector="spec.priority=5")
