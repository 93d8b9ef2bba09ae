"""Questions about identity and permission, which all get the answer that lets a program run."""

from typing import Any

import pytest

from fakeapi.machinery.resources import builtin
from fakeapi.registry.reviews import answer

USER = {"username": "system:admin", "groups": ["system:masters", "system:authenticated"]}


@pytest.mark.parametrize(
    ("plural", "group", "status"),
    [
        ("tokenreviews", "authentication.k8s.io", {"authenticated": True, "user": USER}),
        ("selfsubjectreviews", "authentication.k8s.io", {"userInfo": USER}),
        ("subjectaccessreviews", "authorization.k8s.io", {"allowed": True}),
        ("selfsubjectaccessreviews", "authorization.k8s.io", {"allowed": True}),
        ("localsubjectaccessreviews", "authorization.k8s.io", {"allowed": True}),
    ],
)
def test_answers(plural: str, group: str, status: dict[str, Any]) -> None:
    resource = builtin(plural, group)
    question = {"spec": {"token": "t"}, "status": {"error": "said by the client"}}
    answered = answer(resource, question)
    assert answered["status"] == status
    assert answered["spec"] == question["spec"]
    assert (answered["kind"], answered["apiVersion"]) == (resource.kind, f"{group}/v1")


def test_the_rules_of_the_one_user() -> None:
    resource = builtin("selfsubjectrulesreviews", "authorization.k8s.io")
    status = answer(resource, {"metadata": {"name": "x"}})["status"]
    assert status["resourceRules"] == [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}]
    assert status["incomplete"] is False
