"""Reviews: questions about identity and permission, answered and never stored.

There is one user, who may do everything: what a scheduler or controller asks at its
start gets the answer that lets it run.
"""

from typing import Final

from fakeapi.machinery.resources import Resource
from fakeapi.registry.defaults import JsonObject

_USER: Final = {"username": "system:admin", "groups": ["system:masters", "system:authenticated"]}
_ALL_RULES: Final = {
    "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
    "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
    "incomplete": False,
}


def answer(resource: Resource, review: JsonObject) -> JsonObject:
    """The review with its ``status`` filled in."""
    metadata = {"creationTimestamp": None, **(review.get("metadata") or {})}
    answered = {**review, "kind": resource.kind, "apiVersion": resource.api_version, "metadata": metadata}
    match resource.kind:
        case "TokenReview":
            answered["status"] = {"authenticated": True, "user": _USER}
        case "SelfSubjectReview":
            answered["status"] = {"userInfo": _USER}
        case "SelfSubjectRulesReview":
            answered["status"] = _ALL_RULES
        case _:
            answered["status"] = {"allowed": True}
    return answered
